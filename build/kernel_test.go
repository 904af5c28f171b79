package build

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"baca/build/internal/try"
)

// The compiler whose output web/kernel.wasm is.
const kernelLLVM = "14"

// The committed kernel is what its source compiles to, byte for byte.
func TestKernelIsReproducible(t *testing.T) {
	for _, tool := range []string{"clang", "wasm-ld"} {
		out, err := exec.Command(tool, "--version").Output()
		if err != nil {
			t.Skipf("%s, version %s, is needed to rebuild web/kernel.wasm: %v", tool, kernelLLVM, err)
		}
		v := regexp.MustCompile(`(?:clang version|LLD) (\d+)\.`).FindSubmatch(out)
		if v == nil || string(v[1]) != kernelLLVM {
			t.Skipf("version %s of %s is needed to rebuild web/kernel.wasm, here is %s", kernelLLVM, tool, bytes.TrimSpace(out))
		}
	}
	rebuilt := filepath.Join(t.TempDir(), "kernel.wasm")
	if out, err := exec.Command("../algo/internal/kernel/simd128/build.sh", rebuilt).CombinedOutput(); err != nil {
		t.Fatalf("build.sh: %v\n%s", err, out)
	}
	want := try.To(os.ReadFile(rebuilt))
	got := try.To(os.ReadFile("../web/kernel.wasm"))
	if !bytes.Equal(got, want) {
		t.Errorf("web/kernel.wasm (%d bytes) is not what kernel.c compiles to (%d bytes): run algo/internal/kernel/simd128/build.sh", len(got), len(want))
	}
}

// The kernel shares the memory of a Go program. Data or a stack of its own would
// lie in the middle of that. (wasm-ld declares a stack pointer all the same;
// build.sh sees to it that nothing uses it.)
func TestKernelOwnsNoMemory(t *testing.T) {
	file := try.To(os.ReadFile("../web/kernel.wasm"))
	sections := try.To(wasmSections(file))
	const importSection, startSection, dataSection = 2, 8, 11
	for id, name := range map[byte]string{startSection: "a start function", dataSection: "data"} {
		if _, has := sections[id]; has {
			t.Errorf("web/kernel.wasm has %s, want none", name)
		}
	}
	// One import: env.memory without a maximum, which Go's memory has not either.
	want := append([]byte{1, 3}, "env\x06memory\x02\x00"...)
	if got := sections[importSection]; len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("imports are %q, want only env.memory", got)
	}
}

// wasmSections gives the contents of the sections of a WebAssembly module by id.
func wasmSections(file []byte) (map[byte][]byte, error) {
	rest, ok := bytes.CutPrefix(file, []byte("\x00asm\x01\x00\x00\x00"))
	if !ok {
		return nil, fmt.Errorf("no WebAssembly module of version 1")
	}
	sections := map[byte][]byte{}
	for len(rest) > 0 {
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, fmt.Errorf("section %d is longer than the file", rest[0])
		}
		sections[rest[0]] = rest[1+n:][:size]
		rest = rest[1+n+int(size):]
	}
	return sections, nil
}
