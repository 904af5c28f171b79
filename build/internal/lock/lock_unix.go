//go:build !windows

package lock

import (
	"errors"
	"os"
	"syscall"
)

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

// remove removes the file while locked: later it may be another's.
func remove(f *os.File) {
	os.Remove(f.Name())
	f.Close()
}
