package shard

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"baca/build/internal/replace"
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
	// Lock keeps others that lock the same name from going on until release is called:
	// they have an error that says who is at work. What killed processes left of the files,
	// which are written under this lock alone, is removed.
	Lock(ctx context.Context, name string, files ...string) (release func(), err error)
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

// Write writes beside the file, and then renames.
func (Local) Write(_ context.Context, name string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return replace.File(name, write)
}

// Lock locks a file of that name.
func (Local) Lock(_ context.Context, name string, files ...string) (release func(), err error) {
	return replace.Alone(name, files...)
}
