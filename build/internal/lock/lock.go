// Package lock prevents two processes from doing the same work ([Acquire]), or from writing the same file ([Open]).
//
// Package github.com/gofrs/flock does not serve: it locks by a handle of its own, on Windows the first byte. So it can lock
// neither a file while it is written nor a file that names its holder.
package lock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ErrHeld is the error if another process, or another part of this one, holds the lock.
var ErrHeld = errors.New("held by")

// Acquire locks a name by a file of that name, which says which process holds it. It does not wait. The error wraps
// [ErrHeld] and names the holder, or wraps [errors.ErrUnsupported] if the file system has no locks. The system ends a lock
// with its process, so a file that was left over locks nothing. release ends the lock and removes the file.
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
		// If the holder has removed the file since it was opened here, others would lock a new file.
		if !current(f, path) {
			f.Close()
			continue
		}
		if err := sign(f); err != nil {
			Remove(f)
			return nil, err
		}
		return func() { Remove(f) }, nil
	}
}

// Open opens or creates a file, and locks it until it is closed. It does not lock on a file system without locks. The error
// wraps [ErrHeld] if another process holds the lock.
func Open(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		switch err := lock(f); {
		case errors.Is(err, ErrHeld):
			f.Close()
			return nil, fmt.Errorf("%s: %w another process", path, err)
		case err != nil || current(f, path):
			return f, nil
		}
		f.Close() // its holder has renamed it meanwhile
	}
}

// current reports whether a path still leads to an open file.
func current(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// sign writes to a lock file which process holds it.
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

// holder returns who holds a lock file, as far as it is written there.
func holder(f *os.File) string {
	text, _ := io.ReadAll(io.LimitReader(f, 300))
	if name := strings.TrimSpace(string(text)); name != "" {
		return name
	}
	return "another process"
}
