package weights

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"baca/algo"
)

// ErrUnknown is the error of an unknown embedded model.
var ErrUnknown = errors.New("unknown model")

//go:embed models
var embedded embed.FS

// Default is the model that is used if none is named.
const Default = "drugs"

const (
	folder    = "models"
	extension = ".msgpack"
)

// Names lists the embedded models in alphabetical order.
func Names() []string {
	entries, err := fs.ReadDir(embedded, folder)
	if err != nil {
		panic("weights: " + err.Error()) // part of the program
	}
	var list []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), extension); ok {
			list = append(list, name)
		}
	}
	return list
}

// Bytes returns the file of an embedded model. The case of the name does not matter. The error for an unknown name wraps
// ErrUnknown and lists the known names.
func Bytes(name string) ([]byte, error) {
	known := Names()
	for _, n := range known {
		if strings.EqualFold(n, name) {
			return fs.ReadFile(embedded, folder+"/"+n+extension)
		}
	}
	return nil, fmt.Errorf("%w %q: want one of %s", ErrUnknown, name, strings.Join(known, ", "))
}

// Open loads an embedded model. The case of the name does not matter.
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
