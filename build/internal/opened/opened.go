// Package opened records which files are opened, to name a data set by their sum.
package opened

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"maps"
	"slices"
	"sync"
)

// Files records opened files. It is safe for concurrent use.
type Files struct {
	fs.FS
	mu    sync.Mutex
	names map[string]bool
}

func (f *Files) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && !info.IsDir() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.names == nil {
			f.names = map[string]bool{}
		}
		f.names[name] = true
	}
	return file, nil
}

// Sum is the SHA-256, in hex, of the concatenated opened files, by path.
func (f *Files) Sum() (string, error) { return Sum(f.FS, slices.Sorted(maps.Keys(f.names))...) }

// Sum is the SHA-256, in hex, of concatenated files.
func Sum(files fs.FS, names ...string) (string, error) {
	h := sha256.New()
	for _, name := range names {
		file, err := files.Open(name)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(h, file)
		file.Close()
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
