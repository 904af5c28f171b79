// Package opened records which files are opened, to identify a data set by the sum of its files.
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

// Files is a file system that records the files that are opened. It is safe for concurrent use.
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

// Sum returns the SHA-256, in hex, of all opened files, one after the other by path.
func (f *Files) Sum() (string, error) { return Sum(f.FS, slices.Sorted(maps.Keys(f.names))...) }

// Sum returns the SHA-256, in hex, of files, one after the other.
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
