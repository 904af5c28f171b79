package build

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"baca/web"
)

// What build/baca/SETS.md shows is what its commands print, line by line, but for those that
// say that some are left out, and its pictures are those that they draw.
func TestSetsShowRealOutput(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the last digits shown are those of amd64")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	text, err := os.ReadFile("baca/SETS.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), filepath.Dir(command(t))
	if err := os.WriteFile(filepath.Join(dir, "examples.csv"), web.Examples(), 0o600); err != nil {
		t.Fatal(err)
	}
	commands, lines := 0, 0
	for i, block := range strings.Split(string(text), "```") {
		if i%2 == 0 {
			continue
		}
		var output string
		for line := range strings.Lines(strings.TrimPrefix(block, "\n")) {
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				if lines++; strings.TrimSpace(line) != "…" && !strings.Contains(output, line) {
					t.Errorf("SETS.md shows a line that the command does not print:\n%s", line)
				}
				continue
			}
			commands++
			c := exec.Command(shell, "-c", command)
			c.Dir, c.Env = dir, append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", command, err, out)
			}
			output += string(out)
		}
	}
	if commands != 5 || lines < 20 {
		t.Errorf("SETS.md shows %d commands and %d lines of output", commands, lines)
	}
	for _, name := range []string{"compare.svg", "suggest.svg"} {
		drawn, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if shown, err := os.ReadFile(filepath.Join("results", name)); err != nil || !bytes.Equal(shown, drawn) {
			t.Errorf("build/results/%s is not what the command draws: %v", name, err)
		}
	}
}
