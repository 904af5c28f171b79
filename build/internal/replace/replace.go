// Package replace writes files so that nobody ever finds half of one.
package replace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"baca/build/internal/lock"
)

// part is between the name of a file and what tells its unfinished contents apart.
const part = ".part"

// File makes what write writes the content of a file, but only if write has no error.
// Whoever opens the file, even after the machine lost power meanwhile, finds the old
// content or the new one, whole. Of several that write it at once, the last counts.
func File(path string, write func(io.Writer) error) (err error) {
	f, err := create(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return err
	}
	// The rename itself lasts once the folder is on the disk. Not every system
	// can do that to a folder; there the rename lasts a little later.
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		dir.Sync()
		dir.Close()
	}
	return nil
}

// Bytes makes data the content of a file, as File does.
func Bytes(path string, data []byte) error {
	return File(path, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// create makes the file for the next content, which no other process writes to, on
// this machine or on another with the same disk.
func create(path string) (*os.File, error) {
	name := fmt.Sprintf("%s%s%d-%016x", path, part, os.Getpid(), rand.Uint64())
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if e, ok := err.(*fs.PathError); ok {
		e.Path = path // the name that was asked for
	}
	return f, err
}

// Alone makes this process the only one to write files, until release is called, and
// removes what killed ones left of them. Others that use the same name for the lock have
// the error of [lock.Acquire]. Where the file system has no locks, nobody can tell what
// killed processes left from what others write, so it stays.
func Alone(name string, files ...string) (release func(), err error) {
	release, err = lock.Acquire(name)
	if errors.Is(err, errors.ErrUnsupported) {
		return func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if err := Clean(file); err != nil {
			release()
			return nil, err
		}
	}
	return release, nil
}

// Clean removes what killed processes left of a file. Only who keeps others from writing
// it may call this.
func Clean(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(path)+part) {
			if err := os.Remove(filepath.Join(filepath.Dir(path), e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
