//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package lock

import (
	"errors"
	"io"
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

// File locks a file open for writing until the process ends or closes it. If another process holds
// it, the error is [ErrHeld] and holder its number, or 0 if unknown. A file system without locks is
// no error.
//
// Unlike flock, fcntl names the holder and needs no extra file. But it is lost when the process
// closes the file, opened another time, anywhere, and does not separate parts of one process.
func File(f *os.File) (holder int, err error) {
	l := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &l)
	if !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EACCES) {
		return 0, nil
	}
	l = syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	if syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &l) == nil && l.Type != syscall.F_UNLCK {
		holder = int(l.Pid)
	}
	return holder, ErrHeld
}
