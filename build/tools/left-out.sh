#!/bin/sh
# Says what the tests leave out on this machine, a line for each program that is not
# there, with Debian's packages where those can be had. Nothing where all are there.
set -eu
cd "$(dirname "$0")"

missing() {
	if command -v apt-get >/dev/null; then
		echo "left out: $1; apt-get install $2"
	else
		echo "left out: $1"
	fi
}

browser=
for name in ${CHROMIUM:-} chromium chromium-browser google-chrome; do
	if command -v "$name" >/dev/null; then browser=$name; fi
done
fox=firefox-esr
for name in firefox-esr firefox; do
	if command -v "$name" >/dev/null; then fox=; fi
done
if [ -z "$browser" ]; then
	missing "the page and WebGPU in a browser, without Chromium${fox:+ and Firefox}" "chromium${fox:+ $fox}"
elif [ -n "$fox" ]; then
	missing "the page in Firefox" "$fox"
fi

compiler=
for tool in clang:clang wasm-ld:lld; do
	if ! command -v "${tool%:*}" >/dev/null; then compiler="$compiler ${tool#*:}"; fi
done
if [ -n "$compiler" ]; then missing "whether the WebAssembly kernel is what its source compiles to, without clang and wasm-ld" "${compiler# }"; fi

if [ "$(uname -s)" = Linux ] && ! ./vulkan.sh; then missing "the command on a GPU, without a Vulkan driver (of make test-all)" "libvulkan1 mesa-vulkan-drivers"; fi

if [ ! -d ../../../shared ]; then echo "left out: tests on public sets and reference values, without a folder shared beside the project"; fi

modules="venv, pytest, numpy, pandas, sklearn, rdkit, networkx, tqdm"
if ! python3 -c "import $modules" 2>/dev/null && ! /usr/bin/python3 -c "import $modules" 2>/dev/null; then
	missing "the Python package, without a Python that has $modules" "python3-venv python3-pytest python3-pandas python3-sklearn python3-rdkit python3-networkx python3-tqdm"
fi
