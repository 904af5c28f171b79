package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

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
	dir := t.TempDir()
	baca := filepath.Join(dir, "baca")
	if out, err := exec.Command("go", "build", "-o", baca, "baca/build/baca").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
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
		case strings.HasPrefix(lines[0], "NAME"):
			output = run("demo")
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
	if checked != 2 {
		t.Errorf("README shows %d outputs of the command, want 2", checked)
	}
}
