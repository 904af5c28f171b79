package lock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks a file, or returns ErrHeld. It locks a byte far after the text, since locked bytes cannot be read.
func lock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}

// Remove unlocks and removes a file, unless another process has opened it.
func Remove(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}
