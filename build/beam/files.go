package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"baca/build/internal/replace"
	"baca/build/internal/try"
)

// remote tells whether a name is one of an object store. All others are files of this machine.
func remote(name string) bool { return strings.Contains(name, "://") }

// inFolder returns the name of a file in a folder.
func inFolder(folder, name string) string {
	if remote(folder) {
		return strings.TrimSuffix(folder, "/") + "/" + name
	}
	return filepath.Join(folder, name)
}

// An opened file can be read until its context ends.
type opened struct {
	io.ReadCloser
	ctx   context.Context
	store io.Closer
}

func (o *opened) Read(p []byte) (int, error) {
	if err := o.ctx.Err(); err != nil {
		return 0, err
	}
	return o.ReadCloser.Read(p)
}

func (o *opened) Close() error { return errors.Join(o.ReadCloser.Close(), o.store.Close()) }

// open opens a file. If there is none, the error wraps [fs.ErrNotExist].
func open(ctx context.Context, name string) (io.ReadCloser, error) {
	store, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	r, err := store.OpenRead(ctx, name)
	if err == nil {
		return &opened{r, ctx, store}, nil
	}
	// Each store has an error of its own for an object that is not there.
	if found, failed := store.List(ctx, name); remote(name) && failed == nil && len(found) == 0 {
		err = fmt.Errorf("%s: %w (%v)", name, fs.ErrNotExist, err)
	}
	return nil, errors.Join(err, store.Close())
}

// sizeOf returns the length in bytes of a file that can be read more than once.
func sizeOf(ctx context.Context, name string) int64 {
	if !remote(name) {
		info := try.To(os.Stat(name))
		if !info.Mode().IsRegular() {
			try.Check(fmt.Errorf("%s is not a regular file: want a file that can be read more than once", name))
		}
		return info.Size()
	}
	store := try.To(filesystem.New(ctx, name))
	defer store.Close()
	return try.To(store.Size(ctx, name))
}

// writeFile makes what write writes the content of a file, but only if write has no error. Whoever reads the file meanwhile finds
// no file, its old content or the new. An object is there once it is closed; after an error its upload is cancelled, and it is
// removed if the store has kept a part.
func writeFile(ctx context.Context, name string, write func(io.Writer) error) error {
	if !remote(name) {
		return replace.File(name, write)
	}
	store, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer store.Close()
	upload, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := store.OpenWrite(upload, name)
	if err != nil {
		return err
	}
	if err = write(w); err == nil {
		return w.Close()
	}
	cancel()
	if w.Close() == nil {
		if r, ok := store.(filesystem.Remover); ok {
			err = errors.Join(err, r.Remove(ctx, name))
		}
	}
	return err
}

// lockFolder makes a folder of this machine, keeps other runs from it, and removes what killed ones left. Stores have no locks:
// an object is there as a whole or not at all, and two that do the same work upload the same.
func lockFolder(folder string) (release func(), err error) {
	if remote(folder) {
		return func() {}, nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	release, err = replace.Alone(inFolder(folder, "run.lock"))
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if name, _, unfinished := strings.Cut(e.Name(), ".part"); unfinished {
			replace.Clean(filepath.Join(folder, name))
		}
	}
	return release, err
}

// expand lists the files that patterns name, in their order. A pattern that names none ends the work.
func expand(ctx context.Context, patterns []string) (names []string) {
	for _, pattern := range patterns {
		if !strings.ContainsAny(pattern, "*?[") {
			names = append(names, pattern)
			continue
		}
		store := try.To(filesystem.New(ctx, pattern))
		found, err := store.List(ctx, pattern)
		try.Check(errors.Join(err, store.Close()))
		if len(found) == 0 {
			try.Check(fmt.Errorf("%s: no such file", pattern))
		}
		names = append(names, found...)
	}
	return names
}
