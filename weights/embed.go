package weights

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"baca/algo"
)

// ErrUnknown is the cause of an error about a model that is not embedded.
var ErrUnknown = errors.New("unknown model")

// embedded is the folder, not the models in it, so that the package also
// compiles before there are any.
//
//go:embed models
var embedded embed.FS

const (
	folder    = "models"
	extension = ".msgpack"
)

// Names lists the embedded models in alphabetical order.
func Names() []string { return names(embedded) }

// Bytes returns the file of the embedded model of that name, upper or lower
// case. The error for an unknown name wraps ErrUnknown and lists the known ones.
func Bytes(name string) ([]byte, error) { return find(embedded, name) }

// Open loads the embedded model of that name, upper or lower case.
func Open(name string) (*algo.Model, error) {
	data, err := Bytes(name)
	if err != nil {
		return nil, err
	}
	m, err := Load(data)
	if err != nil {
		return nil, fmt.Errorf("embedded model %q: %w", name, err)
	}
	return m, nil
}

func names(fsys fs.FS) []string {
	entries, err := fs.ReadDir(fsys, folder)
	if err != nil {
		panic("weights: " + err.Error()) // the folder is part of the program
	}
	var list []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), extension); ok {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

func find(fsys fs.FS, name string) ([]byte, error) {
	known := names(fsys)
	for _, n := range known {
		if strings.EqualFold(n, name) {
			return fs.ReadFile(fsys, folder+"/"+n+extension)
		}
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("%w %q: this program has none embedded, give a model file instead", ErrUnknown, name)
	}
	return nil, fmt.Errorf("%w %q: want one of %s, or a model file", ErrUnknown, name, strings.Join(known, ", "))
}
