// Package replace writes files atomically.
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

// File replaces a file by what write writes, if that succeeds. Readers find the old or the new
// content, even after a power failure. Of concurrent writers the last wins. It removes leftovers of
// killed processes.
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
	// Syncing the folder makes the rename durable. Some systems cannot.
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		dir.Sync()
		dir.Close()
	}
	return nil
}

// Bytes is File with given content.
func Bytes(path string, data []byte) error {
	return File(path, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// A part is the next content of a file.
type part struct {
	file *os.File
	of   string
}

// create makes a part, locked while in use.
func create(path string) (*part, error) {
	for {
		f, err := os.OpenFile(fmt.Sprintf("%s.part%016x", path, rand.Uint64()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		p := &part{f, path}
		if err != nil {
			return nil, p.named(err)
		}
		held := lock.Hold(f) // another process's Clean may interfere
		if _, err := os.Lstat(f.Name()); err == nil && !errors.Is(held, lock.ErrHeld) {
			return p, nil
		}
		f.Close()
	}
}

func (p *part) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	return n, p.named(err)
}

// named returns an error with the requested name.
func (p *part) named(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		e.Path = p.of
	case *os.LinkError:
		return &fs.PathError{Op: e.Op, Path: p.of, Err: e.Err}
	}
	return err
}

// rename replaces the file by the part, locked meanwhile where possible.
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

// Alone makes this process the only writer of files until release, and removes leftovers. Others
// that use the same name get the error of [lock.Acquire], unless the file system has no locks.
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

// Clean removes leftovers of killed processes. Without file locks they all stay.
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
			os.Remove(name) // where open files cannot be removed
		}
	}
}
