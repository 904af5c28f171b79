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
	"runtime"
	"strconv"
	"strings"

	"baca/build/internal/lock"
)

// File makes what write writes the content of a file, but only if write has no error.
// Whoever opens the file, even after the machine lost power meanwhile, finds the old
// content or the new one, whole. Of several that write it at once, the last counts. What
// killed processes left of the file is removed.
func File(path string, write func(io.Writer) error) (err error) {
	Clean(path)
	f, err := create(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.file.Close()
			os.Remove(f.file.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return f.named(err)
	}
	if err := f.rename(); err != nil {
		return f.named(err)
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

// A part is a file with the next content of another.
type part struct {
	file *os.File
	of   string
}

// create makes the part that the next content is written to. It stays locked as long as
// somebody works on it.
func create(path string) (*part, error) {
	for {
		f, err := os.OpenFile(fmt.Sprintf("%s.part%016x", path, rand.Uint64()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		p := &part{f, path}
		if err != nil {
			return nil, p.named(err)
		}
		held := lock.Hold(f) // another's Clean may be between
		if _, err := os.Lstat(f.Name()); err == nil && !errors.Is(held, lock.ErrHeld) {
			return p, nil
		}
		f.Close()
	}
}

// Write implements io.Writer.
func (p *part) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	return n, p.named(err)
}

// named is an error with the name that was asked for.
func (p *part) named(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		e.Path = p.of
	case *os.LinkError:
		return &fs.PathError{Op: e.Op, Path: p.of, Err: e.Err}
	}
	return err
}

// rename makes the part the file. Where a file that is open can be renamed, it is locked until
// that is done.
func (p *part) rename() error {
	if runtime.GOOS != "windows" {
		if err := os.Rename(p.file.Name(), p.of); err != nil {
			return err
		}
		return p.file.Close()
	}
	if err := p.file.Close(); err != nil {
		return err
	}
	return os.Rename(p.file.Name(), p.of)
}

// Alone makes this process the only one to write files, until release is called, and
// removes what killed ones left of them. Others that use the same name for the lock have
// the error of [lock.Acquire], unless the file system has no locks.
func Alone(name string, files ...string) (release func(), err error) {
	release, err = lock.Acquire(name)
	if errors.Is(err, errors.ErrUnsupported) {
		release, err = func() {}, nil
	}
	if err == nil {
		for _, file := range files {
			Clean(file)
		}
	}
	return release, err
}

// Clean removes what killed processes left of a file, as far as it can tell: on a file system
// without locks all of it stays.
func Clean(path string) {
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		random, found := strings.CutPrefix(e.Name(), filepath.Base(path)+".part")
		if _, err := strconv.ParseUint(random, 16, 64); !found || len(random) != 16 || err != nil {
			continue
		}
		name := filepath.Join(filepath.Dir(path), e.Name())
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		killed := lock.Hold(f) == nil
		if killed {
			os.Remove(name)
		}
		f.Close()
		if killed {
			os.Remove(name) // where an open file cannot be removed
		}
	}
}
