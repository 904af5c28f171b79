package site

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"baca/build/internal/replace"
)

// A mark is what [List] holds in a folder that Write wrote: it tells the files of the
// site from all others.
type mark struct {
	Format string    `json:"format"`
	Files  []written `json:"files"`
}

// format is that of a mark.
const format = "baca site 1"

// written is a file of a folder.
type written struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	data   []byte
}

// lockName is the lock of who writes to the folder.
const lockName = List + ".lock"

// Write writes the site to a folder, which is made: each file, and beside those
// that are worth it .br and .gz for hosts that send such files. The folder must be
// new, empty, or hold an earlier site, of which nothing was changed; its files go.
// Other files are left alone, and none is written over.
func (s *Site) Write(dir string) error {
	next, err := s.forms()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	release, err := replace.Alone(filepath.Join(dir, lockName))
	if err != nil {
		return err
	}
	defer release()
	old, err := readMark(dir)
	if err != nil {
		return err
	}
	if err := owned(dir, old, next); err != nil {
		return err
	}
	// Until all is there, the files of both are the site's: a run that is killed can
	// be done again.
	if err := writeMark(dir, slices.Concat(old, next)); err != nil {
		return err
	}
	for _, f := range next {
		if err := f.write(filepath.Join(dir, filepath.FromSlash(f.Path))); err != nil {
			return err
		}
	}
	if err := removeOthers(dir, old, next); err != nil {
		return err
	}
	return writeMark(dir, next)
}

// forms returns all files that are written.
func (s *Site) forms() ([]written, error) {
	var all []written
	for _, f := range s.list {
		e := s.by[f.Path]
		forms := []struct {
			ending string
			read   func() ([]byte, error)
		}{{"", e.plain}, {".br", e.stored}, {".gz", e.zipped}}
		if !e.Brotli {
			forms = forms[:1]
		}
		for _, form := range forms {
			data, err := form.read()
			if err != nil {
				return nil, err
			}
			sum := sha256.Sum256(data)
			all = append(all, written{e.Path + form.ending, hex.EncodeToString(sum[:]), data})
		}
	}
	return all, nil
}

// write writes the file.
func (f *written) write(name string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return replace.Bytes(name, f.data)
}

// readMark returns what an earlier site wrote to a folder: nothing to an empty one.
func readMark(dir string) ([]written, error) {
	const want = "want a new or empty folder, or one that baca serve --write wrote"
	name := filepath.Join(dir, List)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			if e.Name() != lockName {
				return nil, fmt.Errorf("%s holds other files, such as %s: %s", dir, e.Name(), want)
			}
		}
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	var m mark
	if err := json.Unmarshal(data, &m); err != nil || m.Format != format {
		return nil, fmt.Errorf("%s is not the list that baca serve --write writes: %s", name, want)
	}
	for _, f := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			return nil, fmt.Errorf("%s names %q, which is not below the folder: %s", name, f.Path, want)
		}
	}
	return m.Files, nil
}

func writeMark(dir string, files []written) error {
	data, err := json.MarshalIndent(mark{format, files}, "", "  ")
	if err != nil {
		return err
	}
	list := written{Path: List, data: append(data, '\n')}
	return list.write(filepath.Join(dir, List))
}

// owned reports a file in the way that is not as an earlier site wrote it. There may be
// two sites if the last run was killed.
func owned(dir string, old, next []written) error {
	sums := map[string][]string{}
	for _, f := range old {
		sums[f.Path] = append(sums[f.Path], f.SHA256)
	}
	for _, f := range slices.Concat(old, next) {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		sum, err := sumOf(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case sums[f.Path] == nil:
			return fmt.Errorf("%s is in the way and no part of an earlier site: remove it, or give another folder", name)
		case !slices.Contains(sums[f.Path], sum):
			return fmt.Errorf("%s was changed since baca serve --write wrote it: remove it, or give another folder", name)
		}
	}
	return nil
}

func sumOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// removeOthers removes the files of an earlier site that are not written again.
func removeOthers(dir string, old, next []written) error {
	again := map[string]bool{}
	for _, f := range next {
		again[f.Path] = true
	}
	for _, f := range old {
		if again[f.Path] {
			continue
		}
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(f.Path))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
