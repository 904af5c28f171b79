package build

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// What build/baca/TRUST.md shows is what its commands print, line by line, but for lines … that
// stand for others, and its picture is the one that they draw.
func TestTrustShowsRealOutput(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the last digits shown are those of amd64")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	text, err := os.ReadFile("baca/TRUST.md")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("baca/testdata/hydration.csv")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "baca"), "baca/build/baca").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "hydration.csv"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	list := examples(strings.ReplaceAll(string(text), "```\n$", "```console\n$"))
	shown := 0
	for _, e := range list {
		c := exec.Command(shell, "-c", e.command)
		c.Dir, c.Env = dir, append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", e.command, err, out)
		}
		lines := strings.Split(string(out), "\n")
		for _, line := range e.output {
			if shown++; line != "…" && !slices.Contains(lines, line) {
				t.Errorf("%s\nprints no line\n%s\nbut\n%s", e.command, line, out)
			}
		}
	}
	if len(list) != 13 || shown < 34 {
		t.Errorf("TRUST.md shows %d commands and %d lines of output", len(list), shown)
	}
	drawn, err := os.ReadFile(filepath.Join(dir, "trust.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if picture, err := os.ReadFile("results/trust.svg"); err != nil || !bytes.Equal(picture, drawn) {
		t.Errorf("build/results/trust.svg is not what the command draws: %v", err)
	}
}
