#!/bin/sh
# Checks the shaders and the command with a GPU: natively where there is a Vulkan
# driver and a C compiler (or Metal or Direct3D), and in Chromium on SwiftShader, its
# own WebGPU in software, where there is a browser. It says what it leaves out.
set -eu
cd "$(dirname "$0")"
GO=${GO:-go}

vulkan() {
	for file in ${VK_DRIVER_FILES:-} ${VK_ICD_FILENAMES:-} /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json /usr/local/share/vulkan/icd.d/*.json; do
		if [ -e "$file" ]; then
			ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1' && return 0
			ls /usr/lib*/libvulkan.so.1 /usr/lib/*/libvulkan.so.1 /usr/local/lib/libvulkan.so.1 >/dev/null 2>&1 && return 0
		fi
	done
	return 1
}

case "$(uname -s)" in
Linux) if vulkan; then native=yes; else native="no Vulkan driver (libvulkan.so.1 and a driver's JSON file); Debian's mesa-vulkan-drivers brings one in software"; fi ;;
*) native=yes ;;
esac
if [ "$native" = yes ] && ! command -v "${CC:-cc}" >/dev/null; then
	native="no C compiler"
fi
if [ "$native" = yes ]; then
	$GO vet ./...
	$GO test -short -timeout 20m .
	# With the race detector, because a GPU is to be called by one goroutine at a
	# time, and a second one corrupts the memory of the process.
	$GO test -race -short -timeout 20m ./native
else
	echo "test-gpu: native tests skipped: $native"
fi

browser=
for name in ${CHROMIUM:-} chromium chromium-browser google-chrome; do
	if [ -z "$browser" ] && command -v "$name" >/dev/null; then browser=$name; fi
done
if [ -n "$browser" ]; then
	cd ../..
	PATH="$PWD/build/wasmtest/chromium:$PATH" BACA_WEBGPU=swiftshader GOOS=js GOARCH=wasm $GO test -short -timeout 20m ./wasm/worker/gpu
else
	echo "test-gpu: tests in a browser skipped: no Chromium (chromium, chromium-browser, google-chrome, or the variable CHROMIUM)"
fi
