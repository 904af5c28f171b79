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
	"strconv"
	"strings"

	"baca/build/internal/lock"
)

// partExt is appended to the name of a file, with 16 random hex digits, for its next content.
const partExt = ".part"

// File replaces a file by what write writes, if that succeeds. Readers find the old or the new
// content, even after a power failure. Of concurrent writers the last wins.
func File(path string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(fmt.Sprintf("%s%s%016x", path, partExt, rand.Uint64()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	p := &part{f, path}
	if err != nil {
		return p.named(err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := write(p); err != nil {
		return err
	}
	err = f.Sync()
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return p.named(err)
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

// Alone makes this process the only writer of files until release, and removes what killed ones
// left. Others that use the same name get the error of [lock.Acquire], unless the file system has no
// locks.
func Alone(name string, files ...string) (release func(), err error) {
	release, err = lock.Acquire(name)
	if errors.Is(err, errors.ErrUnsupported) {
		return func() {}, nil
	}
	if err == nil {
		for _, file := range files {
			Clean(file)
		}
	}
	return release, err
}

// Clean removes what killed processes left of a file, whose only writer the caller is.
func Clean(path string) {
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		random, found := strings.CutPrefix(e.Name(), filepath.Base(path)+partExt)
		if _, err := strconv.ParseUint(random, 16, 64); found && len(random) == 16 && err == nil {
			os.Remove(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
}
