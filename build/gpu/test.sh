#!/bin/sh
# Checks the shaders and the command with a GPU: natively where there is a Vulkan
# driver and a C compiler (or Metal or Direct3D), and in Chromium on SwiftShader, its
# own WebGPU in software, where there is a browser. It says what it leaves out.
set -eu
cd "$(dirname "$0")"
GO=${GO:-go}

case "$(uname -s)" in
Linux) if ../tools/vulkan.sh; then native=yes; else native="no Vulkan driver (libvulkan.so.1 and a driver's JSON file); Debian's mesa-vulkan-drivers brings one in software"; fi ;;
*) native=yes ;;
esac
if [ "$native" = yes ] && ! command -v "${CC:-cc}" >/dev/null; then
	native="no C compiler"
fi
if [ "$native" = yes ]; then
	$GO vet ./...
	$GO test -short -timeout 2h .
	# With the race detector, because a GPU is to be called by one goroutine at a
	# time, and a second one corrupts the memory of the process.
	$GO test -race -short -timeout 2h ./native
else
	echo "test-gpu: native tests skipped: $native"
fi

browser=
for name in ${CHROMIUM:-} chromium chromium-browser google-chrome; do
	if [ -z "$browser" ] && command -v "$name" >/dev/null; then browser=$name; fi
done
if [ -n "$browser" ]; then
	cd ../..
	PATH="$PWD/build/tools/wasmtest/chromium:$PATH" BACA_WEBGPU=swiftshader GOOS=js GOARCH=wasm $GO test -short -timeout 2h ./wasm/worker/gpu
else
	echo "test-gpu: tests in a browser skipped: no Chromium (chromium, chromium-browser, google-chrome, or the variable CHROMIUM)"
fi
