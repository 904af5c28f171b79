package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The program of the page does not say where it was built, so that every build of a
// commit is the same.
func TestProgramNamesNoFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the program of the page")
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	b := &builder{root: strings.TrimSpace(string(root)), files: map[string]*file{}}
	name, err := b.program()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{b.root, os.TempDir()} {
		if bytes.Contains(b.files[name].data, []byte(folder)) {
			t.Errorf("it names %s", folder)
		}
	}
}
