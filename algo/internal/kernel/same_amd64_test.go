//go:build !noasm

package kernel

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"baca/algo/internal/must"
)

var names = [...]string{"portable Go", "AVX2", "AVX-512"}

func init() {
	portably = func(f func()) {
		old := level
		level, vector = portable, false
		f()
		level, vector = old, old > portable
	}
	variants = nil
	for l := portable; l <= level; l++ {
		variants = append(variants, variant{names[l], func() { level, vector = l, l > portable }})
	}
}

// The committed assembly is what the generator writes.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generator")
	}
	dir := t.TempDir()
	files := []string{"vector_amd64.s", "vector_amd64.go"}
	out := func(i int) string { return filepath.Join(dir, files[i]) }
	run := func(args ...string) ([]byte, error) {
		cmd := exec.Command("go", append([]string{args[0], "-C", "asm"}, args[1:]...)...)
		cmd.Env = append(os.Environ(), "GOOS=", "GOARCH=")
		return cmd.CombinedOutput()
	}
	if message, err := run("list", "-deps", "."); err != nil {
		t.Skipf("the modules of asm/go.mod are not to be had: %v\n%s", err, message)
	}
	if message, err := run("run", ".", "-pkg", "kernel", "-out", out(0), "-stubs", out(1)); err != nil {
		t.Fatalf("the generator: %v\n%s", err, message)
	}
	for i, name := range files {
		want := must.Have(os.ReadFile(out(i)))
		got := must.Have(os.ReadFile(name))
		// The first line tells the command, with its paths.
		_, w, _ := strings.Cut(string(want), "\n")
		if _, g, _ := strings.Cut(string(got), "\n"); g != w {
			t.Errorf("%s is not what asm writes: run go generate ./algo/internal/kernel", name)
		}
	}
}
