// Package lock keeps two processes from doing the same work, by the name of the work
// ([Acquire]), or from writing the same file ([File]).
package lock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ErrHeld is that of a lock which another process holds, or another part of this one.
var ErrHeld = errors.New("held by")

// Acquire takes the lock of a name, a file that is made for it and names this process.
// It does not wait: the error wraps [ErrHeld] and says who holds the lock, or
// [errors.ErrUnsupported] where the file system has no locks. The operating system
// ends a lock with its process, however that ends, so a file that a killed process
// left locks nothing. release ends the lock and removes the file.
func Acquire(path string) (release func(), err error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := lock(f); err != nil {
			defer f.Close()
			if errors.Is(err, ErrHeld) {
				return nil, fmt.Errorf("%s: %w %s", path, ErrHeld, holder(f))
			}
			if errors.Is(err, errors.ErrUnsupported) {
				os.Remove(path)
			}
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		// Who held it has removed the file, maybe after it was opened here: then
		// others will lock another file of the name.
		if !current(f, path) {
			f.Close()
			continue
		}
		if err := sign(f); err != nil {
			remove(f)
			return nil, err
		}
		return func() { remove(f) }, nil
	}
}

// Hold locks an open file, until it is closed, with the errors of [Acquire].
func Hold(f *os.File) error { return lock(f) }

// current tells whether an open file still has the name.
func current(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// sign writes who holds the lock.
func sign(f *os.File) error {
	host, err := os.Hostname()
	if err != nil {
		host = "a host without a name"
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "process %d on %s\n", os.Getpid(), host)
	return err
}

// holder reads who holds the lock. Who has just taken it may not have signed yet.
func holder(f *os.File) string {
	text, _ := io.ReadAll(io.LimitReader(f, 300))
	if name := strings.TrimSpace(string(text)); name != "" {
		return name
	}
	return "another process"
}
