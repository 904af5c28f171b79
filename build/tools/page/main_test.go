package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"baca/build/internal/try"
)

// The page is drawn the same each time, though its attributes are kept in maps.
func TestRenderIsStable(t *testing.T) {
	first := try.To(render())
	for range 5 {
		if again, err := render(); err != nil || again != first {
			t.Fatalf("drawn again, the page is\n%s\nand was\n%s", again, first)
		}
	}
	for text, want := range map[string]string{
		`<a id="x" class="b c"><br hidden id=""/> b="2" a="1"</a>`: `<a class="b c" id="x"><br hidden id=""/> b="2" a="1"</a>`,
		"<p title=\" z a=1\n\" data-a=\"\">":                       "<p data-a=\"\" title=\" z a=1\n\">",
	} {
		if got := sortAttributes(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}

// The program of the page does not say where it was built, so that every build of a commit is the same.
func TestProgramNamesNoFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the program of the page")
	}
	root := try.To(exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output())
	t.Setenv("TMPDIR", t.TempDir())
	b := &builder{root: strings.TrimSpace(string(root)), files: map[string]*file{}}
	b.compile()
	try.Check(b.err)
	for _, folder := range []string{b.root, os.TempDir()} {
		if bytes.Contains(b.files[b.program].data, []byte(folder)) {
			t.Errorf("it names %s", folder)
		}
	}
}
