package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"baca/build/internal/replace"
)

// A mark is what [List] holds in a folder that Write wrote: the names of the site's files.
type mark struct {
	Format string   `json:"format"`
	Files  []string `json:"files"`
}

// format is that of a mark.
const format = "baca site 2"

// lockName is the lock of who writes to the folder.
const lockName = List + ".lock"

// Write writes the site to a folder: each file, and beside those that are worth compressing .br and .gz, for hosts
// that send such files. It makes the folder if needed.
//
//   - Files of an earlier site in the folder are replaced or removed, except for domains that were published there.
//   - Other files stay. Write returns an error if one of them has the name of a file of the site.
func (s *Site) Write(dir string) error {
	next, err := s.forms()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(next))
	paths := []string{below(dir, List)}
	for _, name := range names {
		paths = append(paths, below(dir, name))
	}
	release, err := replace.Alone(below(dir, lockName), paths...)
	if err != nil {
		return err
	}
	defer release()
	old, err := readMark(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := os.Stat(below(dir, name)); err == nil && !slices.Contains(old, name) {
			return fmt.Errorf("%s is in the way and no part of an earlier site: remove it, or give another folder", below(dir, name))
		}
	}
	// Until the new site is complete, the list names the files of both sites, so a killed run can be repeated.
	if err := writeMark(dir, slices.Concat(old, names)); err != nil {
		return err
	}
	for _, name := range names {
		if err := write(below(dir, name), next[name]); err != nil {
			return err
		}
	}
	all := slices.Clone(names)
	for _, name := range old {
		if next[name] != nil {
			continue
		}
		if stays(name, names) {
			all = append(all, name)
			continue
		}
		if err := os.Remove(below(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	slices.Sort(all)
	return writeMark(dir, slices.Compact(all))
}

// stays reports whether a file of an earlier site is of a published domain, of which the next site has no file. A domain's
// files have its name, without a dot, and an ending.
func stays(name string, next []string) bool {
	domain, ending, _ := strings.Cut(name, ".")
	return strings.HasPrefix(name, "domains/") && ending != "" &&
		!slices.ContainsFunc(next, func(n string) bool { return strings.HasPrefix(n, domain+".") })
}

func below(dir, name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }

// endings of files by their content encoding.
var endings = map[string]string{"br": ".br", "gzip": ".gz"}

// forms returns the content of each file to write, by path: of each form of each file.
func (s *Site) forms() (map[string][]byte, error) {
	all := map[string][]byte{}
	for name, e := range s.by {
		for encoding, read := range e.forms {
			data, err := read()
			if err != nil {
				return nil, err
			}
			all[name+endings[encoding]] = data
		}
	}
	return all, nil
}

// write replaces a file, and makes its folder.
func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return replace.Bytes(name, data)
}

// readMark returns the files of an earlier site in a folder: none in an empty one. Other files without a mark are an error.
func readMark(dir string) ([]string, error) {
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
		if !filepath.IsLocal(filepath.FromSlash(f)) {
			return nil, fmt.Errorf("%s names %q, which is not below the folder: %s", name, f, want)
		}
	}
	return m.Files, nil
}

// writeMark writes the list of the site's files, by which a later Write knows them.
func writeMark(dir string, files []string) error {
	data, err := json.MarshalIndent(mark{format, files}, "", "  ")
	if err != nil {
		return err
	}
	return write(filepath.Join(dir, List), append(data, '\n'))
}
