package shard

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Files are where inputs are read and results are written.
type Files interface {
	// Open opens a file. If there is none, the error is [fs.ErrNotExist].
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Size returns the length of a file in bytes.
	Size(ctx context.Context, name string) (int64, error)
	// Write makes what write writes the content of a file, but only if write has
	// no error. Whoever reads the file meanwhile finds no file, its old content or
	// the new.
	Write(ctx context.Context, name string, write func(io.Writer) error) error
	// Join returns the name of a file in a folder.
	Join(folder, name string) string
}

// Local files are those of this machine.
type Local struct{}

// Open opens a file.
func (Local) Open(_ context.Context, name string) (io.ReadCloser, error) { return os.Open(name) }

// Size returns the length of a regular file.
func (Local) Size(_ context.Context, name string) (int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is not a regular file: want a file that can be read more than once", name)
	}
	return info.Size(), nil
}

// Join returns the path of a file in a folder.
func (Local) Join(folder, name string) string { return filepath.Join(folder, name) }

// part is between the name of a file and what its unfinished content is named by.
const part = ".part"

// Write writes beside the file, and then renames. What earlier processes that were
// killed left there is removed.
func (Local) Write(_ context.Context, name string, write func(io.Writer) error) (err error) {
	dir, base := filepath.Dir(name), filepath.Base(name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), base+part) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	f, err := os.CreateTemp(dir, base+part+"*")
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
		err = f.Chmod(0o644) // CreateTemp lets nobody else read
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	return err
}
