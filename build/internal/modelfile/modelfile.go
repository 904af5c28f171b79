// Package modelfile reads and writes the files that a model is in: its own and, where there
// are many training graphs, that of their index.
//
// An index is mapped into memory and used in place: that takes no time, only what is looked at
// is read from the disk, and processes share it. It stays mapped as long as the process lives.
// If the file is cut short meanwhile, or cannot be read any more, questions to the model have an
// error, see fingerprint.Index.Err. Where memory cannot be mapped the file is read.
package modelfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/edsrzf/mmap-go"

	"baca/algo"
	"baca/build/internal/replace"
	"baca/weights"
)

// Index is the name of the file with the index of the model in a file.
func Index(model string) string {
	return strings.TrimSuffix(model, filepath.Ext(model)) + weights.IndexExtension
}

// Load loads a model from the bytes of the file at path, and its index from beside that where
// it is not in them.
func Load(data []byte, path string) (*algo.Model, error) {
	return weights.LoadBeside(data, func() ([]byte, error) {
		file, err := Map(Index(path))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: the model belongs with %s, which is not there", weights.ErrIndex, Index(path))
		}
		return file, err
	})
}

// Write writes the bytes of a model to the file at path, and its index beside it. Who reads
// both meanwhile may find parts that do not belong together, which loading tells.
func Write(path string, data []byte) error {
	model, index := weights.SplitIndex(data)
	if index != nil {
		if err := replace.Bytes(Index(path), index); err != nil {
			return err
		}
	}
	return replace.Bytes(path, model)
}

// Map returns the bytes of a file, in place where the system can.
func Map(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return nil, fmt.Errorf("%s: want a plain file with the index of a model", path)
	}
	if m, err := mmap.Map(f, mmap.RDONLY, 0); err == nil {
		return m, nil
	}
	return io.ReadAll(f)
}
