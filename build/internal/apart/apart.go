// Package apart keeps what a run reads from what it writes.
package apart

import (
	"os"
	"path/filepath"

	"baca/build/internal/usage"
)

// A File is one that a run reads or writes.
type File struct {
	Role string // such as "the input", or a flag
	Name string // empty for none
	// Stream is what is read or written where that has no name, or a name of its own.
	Stream *os.File
}

func (f File) String() string {
	if f.Stream != nil {
		return f.Role
	}
	return f.Role + " " + f.Name
}

// Check reports a file that would be written and also read, or written twice, by whatever names
// or links, and also where it is not there yet. What is no regular file may be both.
func Check(reads, writes []File) error {
	taken := files(reads)
	for _, w := range files(writes) {
		for _, t := range taken {
			if w.is(t) {
				return usage.Errorf("%v is %v: want another file", w.File, t.File)
			}
		}
		taken = append(taken, w)
	}
	return nil
}

// A found file is where it is, or will be.
type found struct {
	File
	info  os.FileInfo // nil where there is none yet
	place string      // where it will be
}

func files(list []File) (all []found) {
	for _, f := range list {
		var info os.FileInfo
		var err error
		switch {
		case f.Stream != nil:
			info, err = f.Stream.Stat()
		case f.Name != "":
			info, err = os.Stat(f.Name)
		default:
			continue
		}
		switch {
		case err == nil && info.Mode().IsRegular():
			all = append(all, found{File: f, info: info})
		case os.IsNotExist(err):
			all = append(all, found{File: f, place: place(f.Name)})
		}
	}
	return all
}

func (f found) is(other found) bool {
	if f.info == nil || other.info == nil {
		return f.info == nil && other.info == nil && f.place == other.place
	}
	return os.SameFile(f.info, other.info)
}

// place is where a file will be that is not there yet: maybe where a link leads to.
func place(name string) string {
	for range 100 { // links may lead in a circle
		to, err := os.Readlink(name)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		dir = filepath.Dir(name)
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return name
	}
	return filepath.Join(dir, filepath.Base(name))
}
