//go:build !windows

package lock

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file without waiting. It returns ErrHeld if another process holds the lock, and another error on a file
// system without locks.
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
