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

// PartExt is appended to the name of a file for its next content. [File] also appends 16 random hex digits.
const PartExt = ".part"

// File replaces a file by what write writes. If write fails, the file stays. Readers find either the old or the new
// content, even after a power failure. Of several writers the last one wins. A stream, see [Target], is written directly.
func File(name string, write func(io.Writer) error) (err error) {
	path, stream, err := Target(name)
	if err != nil {
		return err
	}
	if stream != nil {
		return errors.Join(write(stream), Close(stream))
	}
	f, err := os.OpenFile(fmt.Sprintf("%s%s%016x", path, PartExt, rand.Uint64()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	p := &part{f, name}
	if err != nil {
		return p.named(err)
	}
	Allow(f, path)
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
		err = Rename(f.Name(), path)
	}
	return p.named(err)
}

// Rename gives the file part the name path. It replaces the file of that name.
func Rename(part, path string) error {
	if err := os.Rename(part, path); err != nil {
		return err
	}
	// Syncing the folder makes the rename durable. Some systems cannot.
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		dir.Sync()
		dir.Close()
	}
	return nil
}

// Target returns the file to which a name leads, through links. If no file can replace it, it is returned open, as a
// stream: a pipe, a device, or the standard output or error of the process. These two must not be opened by name, since
// that would overwrite them from the start.
func Target(name string) (path string, stream *os.File, err error) {
	info, err := os.Stat(name)
	if err == nil && standard(info) != nil {
		return name, standard(info), nil
	}
	if err == nil && !info.Mode().IsRegular() {
		stream, err = os.OpenFile(name, os.O_WRONLY, 0)
		return name, stream, err
	}
	if link, err := os.Lstat(name); err == nil && link.Mode()&fs.ModeSymlink != 0 {
		return Place(name), nil, nil
	}
	return name, nil, nil
}

// Place returns the path at which a missing file will be, after following links.
func Place(name string) string {
	for range 100 { // links may be circular
		to, err := os.Readlink(name)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		dir = filepath.Dir(name)
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return name
	}
	return filepath.Join(dir, filepath.Base(name))
}

// standard returns the standard output or error if the name leads there, else nil.
func standard(name fs.FileInfo) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if info, err := f.Stat(); err == nil && os.SameFile(info, name) {
			return f
		}
	}
	return nil
}

// Close closes a stream, unless it is standard output or error.
func Close(stream *os.File) error {
	if stream == os.Stdout || stream == os.Stderr {
		return nil
	}
	return stream.Close()
}

// Allow gives a new file the permissions of the file at path, which it will replace, as far as the file system can.
func Allow(f *os.File, path string) {
	if info, err := os.Stat(path); err == nil {
		f.Chmod(info.Mode().Perm())
	}
}

// Bytes replaces a file by data, like [File].
func Bytes(path string, data []byte) error {
	return File(path, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// A part is the next content of the file of.
type part struct {
	file *os.File
	of   string
}

func (p *part) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	return n, p.named(err)
}

// named returns err with the name that the caller gave, in place of the part's.
func (p *part) named(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		e.Path = p.of
	case *os.LinkError:
		return &fs.PathError{Op: e.Op, Path: p.of, Err: e.Err}
	}
	return err
}

// Alone makes this process the only writer of files until release. It also removes what killed writers of them have left.
// Other processes that call it with the same name get the error of [lock.Acquire]. On a file system without locks it does
// nothing.
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

// Clean removes the part files that File leaves beside path if it is killed. The caller must be the only writer of the
// file.
func Clean(path string) {
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		random, found := strings.CutPrefix(e.Name(), filepath.Base(path)+PartExt)
		if _, err := strconv.ParseUint(random, 16, 64); found && len(random) == 16 && err == nil {
			os.Remove(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
}
