package lock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"baca/build/internal/try"
)

func TestAcquire(t *testing.T) {
	path := filepath.Join(t.TempDir(), "work.lock")
	release := try.To(Acquire(path))
	_, err := Acquire(path)
	if want := fmt.Sprintf("work.lock: held by process %d on ", os.Getpid()); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), want) {
		t.Errorf("the second has %v, want %q", err, want)
	}
	release()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is left: %v", err)
	}
	// As a killed process leaves it.
	try.Check(os.WriteFile(path, []byte("process 1 on a host with a long name\n"), 0o666))
	release = try.To(Acquire(path))
	defer release()
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), fmt.Sprintf("process %d on ", os.Getpid())) {
		t.Errorf("%q, %v: want this process named", text, err)
	}
	if _, err := Acquire(filepath.Join(path, "none")); err == nil || errors.Is(err, ErrHeld) {
		t.Errorf("a file that cannot be made: %v", err)
	}
}

// However often a lock changes hands, there is one holder.
func TestOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "work.lock")
	var holders, turns atomic.Int32
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for turns.Load() < 200 {
				release, err := Acquire(path)
				if errors.Is(err, ErrHeld) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold the lock", n)
				}
				turns.Add(1)
				holders.Add(-1)
				release()
			}
		})
	}
	group.Wait()
}
