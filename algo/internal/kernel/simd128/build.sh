#!/bin/sh
# Compiles kernel.c to the file named as the argument, by default web/kernel.wasm.
# Needs clang and wasm-ld of LLVM 14 (Debian 12: clang, lld), which give the
# committed file byte for byte.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../../../web/kernel.wasm}
object=$(mktemp)
trap 'rm -f "$object"' EXIT
clang --target=wasm32 -O3 -msimd128 -ffreestanding -fno-builtin -ffp-contract=off \
	-fno-vectorize -fno-slp-vectorize -fno-unroll-loops \
	-Wall -Wextra -Werror -c "$here/kernel.c" -o "$object"
if grep -q __stack_pointer "$object"; then
	echo "kernel.c needs a stack, which it would share with the Go program" >&2
	exit 1
fi
wasm-ld --no-entry --import-memory --strip-all "$object" -o "$out"
chmod 644 "$out"
