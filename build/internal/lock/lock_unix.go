//go:build !windows

package lock

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file, or returns ErrHeld.
func lock(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrHeld
		case !errors.Is(err, syscall.EINTR):
			return err
		}
	}
}

// Remove removes a file that is locked, and then unlocks it: after that, the name may be another process's.
func Remove(f *os.File) {
	os.Remove(f.Name())
	f.Close()
}
