package replace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"baca/build/internal/lock"
)

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// alone checks that there is no file but the one.
func alone(t *testing.T, path string) {
	t.Helper()
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v: want no unfinished file", entries, err)
	}
}

func TestAFailureKeepsTheOldContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("disk full")
	err := File(path, func(w io.Writer) error { return errors.Join(text("half of the n")(w), failure) })
	if !errors.Is(err, failure) || content(t, path) != "old" {
		t.Errorf("%v, content %q", err, content(t, path))
	}
	alone(t, path)
	if err := File(path, text("new")); err != nil || content(t, path) != "new" {
		t.Errorf("%v, content %q", err, content(t, path))
	}
	alone(t, path)
}

// One who writes a file does not harm another who does.
func TestTwoAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	err := File(path, func(w io.Writer) error {
		if err := File(path, text("of the second")); err != nil {
			t.Error(err)
		}
		return text("of the first")(w)
	})
	if err != nil || content(t, path) != "of the first" {
		t.Errorf("%v, content %q", err, content(t, path))
	}
	alone(t, path)
}

// What a killed process left of a file goes once nobody else writes it.
func TestAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	killed, err := create(path)
	if err != nil {
		t.Fatal(err)
	}
	killed.Close()
	release, err := lock.Acquire(path + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Alone(path+".lock", path); !errors.Is(err, lock.ErrHeld) {
		t.Errorf("beside another: %v", err)
	}
	if _, err := os.Stat(killed.Name()); err != nil {
		t.Errorf("the unfinished file of another is gone: %v", err)
	}
	release()
	if release, err = Alone(path+".lock", path); err != nil {
		t.Fatal(err)
	}
	if err := File(path, text("new")); err != nil {
		t.Error(err)
	}
	release()
	alone(t, path)
}

// An error names the file that was asked for, not the one beside it.
func TestFileNamesThePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "x")
	if err := Bytes(path, nil); err == nil || !strings.HasPrefix(err.Error(), "open "+path+": ") {
		t.Errorf("%v", err)
	}
}
