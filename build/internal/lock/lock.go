// Package lock keeps two processes from the same work ([Acquire]), or from writing the same file ([Open]).
//
// Package github.com/gofrs/flock locks through a handle of its own, on Windows the first byte: it
// can lock neither a file while it is written nor one that names its holder.
package lock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ErrHeld means that another process or part of this one holds the lock.
var ErrHeld = errors.New("held by")

// Acquire locks a name by a file that names this process. It does not wait: the error wraps [ErrHeld] and names the
// holder, or [errors.ErrUnsupported] where the file system has no locks. The system ends a lock with its process, so a
// leftover file locks nothing. release ends the lock and removes the file.
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
		// Its holder removed the file, perhaps after it was opened here: others would lock a new file.
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

// Open opens or makes a file, and locks it until it is closed, unless the file system has no locks. Its error wraps
// [ErrHeld] if another has the lock.
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
		f.Close() // its holder renamed it meanwhile
	}
}

// current reports whether an open file still has the name.
func current(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// sign writes the holder.
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

// holder reads the holder, who may not have signed yet.
func holder(f *os.File) string {
	text, _ := io.ReadAll(io.LimitReader(f, 300))
	if name := strings.TrimSpace(string(text)); name != "" {
		return name
	}
	return "another process"
}
