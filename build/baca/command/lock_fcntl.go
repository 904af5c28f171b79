//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package command

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lockOutput takes the lock on a file that is open for writing, which ends with the process. If
// another process has it, the error is errLocked and holder is its number, or 0 where
// the system does not tell. A file system without locks is no error.
//
// The lock of fcntl names its holder, as that of flock does not. In return it is lost when
// the process closes the file, opened another time, anywhere.
func lockOutput(f *os.File) (holder int, err error) {
	l := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &l)
	if !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EACCES) {
		return 0, nil
	}
	l = syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	if syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &l) == nil && l.Type != syscall.F_UNLCK {
		holder = int(l.Pid)
	}
	return holder, errLocked
}
