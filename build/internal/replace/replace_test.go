package replace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"baca/build/internal/lock"
	"baca/build/internal/try"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// alone checks that there is no file but the one, with this content.
func alone(t *testing.T, path, want string) {
	t.Helper()
	if data, err := os.ReadFile(path); string(data) != want {
		t.Errorf("%v, content %q, want %q", err, data, want)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v: want no unfinished file", entries, err)
	}
}

func TestAFailureKeepsTheOldContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	try.Check(os.WriteFile(path, []byte("old"), 0o666))
	failure := errors.New("disk full")
	err := File(path, func(w io.Writer) error { return errors.Join(text("half of the n")(w), failure) })
	if !errors.Is(err, failure) {
		t.Errorf("%v, want the failure", err)
	}
	alone(t, path, "old")
	try.Check(File(path, text("new")))
	alone(t, path, "new")
}

// One who writes a file does not harm another who does.
func TestTwoAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	try.Check(File(path, func(w io.Writer) error {
		try.Check(File(path, text("of the second")))
		return text("of the first")(w)
	}))
	alone(t, path, "of the first")
}

// What killed processes left of a file goes with the next only writer, and what others write stays.
func TestKilledProcessesLeaveNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	files := map[string]bool{path + ".part0123456789abcdef": false, path + ".part1": true, path + ".part0123456789abcdeg": true, path + "2.part0123456789abcdef": true}
	for name := range files {
		try.Check(os.WriteFile(name, nil, 0o666))
	}
	release := try.To(Alone(path+".lock", path))
	for name, there := range files {
		if _, err := os.Stat(name); (err == nil) != there {
			t.Errorf("%s: %v, want it to be there: %v", name, err, there)
		}
		os.Remove(name)
	}
	if _, err := Alone(path+".lock", path); !errors.Is(err, lock.ErrHeld) {
		t.Errorf("beside another: %v", err)
	}
	release()
	try.Check(File(path, text("new")))
	alone(t, path, "new")
}

// An error names the file that was asked for, not the one beside it.
func TestFileNamesThePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "x")
	if err := Bytes(path, nil); err == nil || !strings.HasPrefix(err.Error(), "open "+path+": ") {
		t.Errorf("%v", err)
	}
	path = filepath.Join(t.TempDir(), "x")
	err := File(path, func(w io.Writer) error {
		w.(*part).file.Close()
		return text("x")(w)
	})
	if err == nil || !strings.HasPrefix(err.Error(), "write "+path+": ") {
		t.Errorf("%v", err)
	}
	try.Check(os.Mkdir(path, 0o777))
	if err := Bytes(path, nil); err == nil || !strings.HasPrefix(err.Error(), "open "+path+": ") {
		t.Errorf("%v", err)
	}
	alone(t, path, "") // a folder
}
