package build

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// built is a folder with the command baca, which is built once for all tests.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "baca-build")
	if err != nil {
		return "", err
	}
	builtIn = dir
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "baca"), "baca/build/baca").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return dir, nil
})

// builtIn is the folder of what was built, empty if no test has asked for it.
var builtIn string

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(builtIn)
	os.Exit(code)
}

// command is the path of the command baca.
func command(t *testing.T) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "baca")
}

// What README.md shows of the command's output must be what the command prints:
// each line of the blocks, but for those that say that some are left out.
func TestReadmeShowsRealOutput(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the last digits shown are those of amd64")
	}
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, baca := t.TempDir(), command(t)
	run := func(args ...string) string {
		t.Helper()
		c := exec.Command(baca, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("baca %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	checked := 0
	for i, block := range strings.Split(string(text), "```") {
		var output string
		lines := strings.Split(strings.TrimSpace(block), "\n")
		switch {
		case i%2 == 0:
			continue
		case strings.HasPrefix(lines[0], "$ cat three.smi"):
			end := 1
			for !strings.HasPrefix(lines[end], "$ ") {
				end++
			}
			if err := os.WriteFile(filepath.Join(dir, "three.smi"), []byte(strings.Join(lines[1:end], "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			output = run("score", "three.smi")
			lines = lines[end+1:]
		default:
			continue
		}
		checked++
		for _, line := range lines {
			if line != "…" && !strings.Contains(output, line+"\n") {
				t.Errorf("README shows a line that the command does not print:\n%s", line)
			}
		}
	}
	if checked != 1 {
		t.Errorf("README shows %d outputs of the command, want 1", checked)
	}
}
