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

// Remove removes the file while locked: later it may be another's.
func Remove(f *os.File) {
	os.Remove(f.Name())
	f.Close()
}
