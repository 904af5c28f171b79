package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"baca/build/beam/shard"
)

// files are those of this machine, and in object stores whatever Beam has a file
// system for.
type files struct{ shard.Local }

// remote tells whether a name is one of an object store.
func remote(name string) bool { return strings.Contains(name, "://") }

// Open opens a file.
func (f files) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if !remote(name) {
		return f.Local.Open(ctx, name)
	}
	store, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	r, err := store.OpenRead(ctx, name)
	if err != nil {
		err = missing(ctx, store, name, err)
		return nil, errors.Join(err, store.Close())
	}
	return &open{r, store}, nil
}

// missing makes the error about an object that is not there say so: each store has
// an error of its own for that.
func missing(ctx context.Context, store filesystem.Interface, name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if found, lerr := store.List(ctx, name); lerr == nil && len(found) == 0 {
		return fmt.Errorf("%s: %w (%v)", name, fs.ErrNotExist, err)
	}
	return err
}

// open is a file with the store that it is from.
type open struct {
	io.ReadCloser
	store io.Closer
}

func (o *open) Close() error { return errors.Join(o.ReadCloser.Close(), o.store.Close()) }

// Size returns the length of a file in bytes.
func (f files) Size(ctx context.Context, name string) (int64, error) {
	if !remote(name) {
		return f.Local.Size(ctx, name)
	}
	store, err := filesystem.New(ctx, name)
	if err != nil {
		return 0, err
	}
	n, err := store.Size(ctx, name)
	if err != nil {
		err = missing(ctx, store, name, err)
	}
	return n, errors.Join(err, store.Close())
}

// Lock locks a name on this machine. Stores have no locks: an object is there as a whole
// or not at all, and two that do the same work upload the same.
func (f files) Lock(ctx context.Context, name string, of ...string) (release func(), err error) {
	if !remote(name) {
		return f.Local.Lock(ctx, name, of...)
	}
	return func() {}, nil
}

// Join returns the name of a file in a folder.
func (f files) Join(folder, name string) string {
	if !remote(folder) {
		return f.Local.Join(folder, name)
	}
	return strings.TrimSuffix(folder, "/") + "/" + name
}

// Write writes a file. An object is there once it is closed; after an error its
// upload is cancelled, and it is removed if the store has kept a part.
func (f files) Write(ctx context.Context, name string, write func(io.Writer) error) error {
	if !remote(name) {
		return f.Local.Write(ctx, name, write)
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

// expand lists the files that patterns name, in their order.
func expand(ctx context.Context, patterns []string) ([]string, error) {
	var names []string
	for _, pattern := range patterns {
		if !strings.ContainsAny(pattern, "*?[") {
			names = append(names, pattern)
			continue
		}
		store, err := filesystem.New(ctx, pattern)
		if err != nil {
			return nil, err
		}
		found, err := store.List(ctx, pattern)
		if err = errors.Join(err, store.Close()); err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: no such file", pattern)
		}
		names = append(names, found...)
	}
	return names, nil
}
