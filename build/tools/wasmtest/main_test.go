package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"baca/build/internal/chromium"
)

func TestKernelLoader(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("needs node")
	}
	if out, err := exec.Command("node", "testdata/kernel_test.cjs").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	chromium.Need(t)
	dir := t.TempDir()
	program, runner := filepath.Join(dir, "exit.wasm"), filepath.Join(dir, "wasmtest")
	build := exec.Command("go", "build", "-o", program, "testdata/exit.go")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	for _, cmd := range []*exec.Cmd{build, exec.Command("go", "build", "-o", runner, ".")} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
	}
	cmd := exec.Command(runner, program, "a b", "-test.testlogfile=x", "c")
	cmd.Env = append(os.Environ(), "BACA_KERNEL=none")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Fatalf("the program ended with %v, want status 3", err)
	}
	if got, want := string(out), "arguments [a b c] kernel none\n"; got != want {
		t.Errorf("standard output is %q, want %q", got, want)
	}
	if got, want := string(exit.Stderr), "no files: true\n"; got != want {
		t.Errorf("standard error is %q, want %q", got, want)
	}
}
