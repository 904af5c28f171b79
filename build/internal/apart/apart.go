// Package apart checks that a run does not write what it reads (Check).
package apart

import (
	"os"

	"baca/build/internal/replace"
	"baca/build/internal/usage"
)

// A File is read or written by a run.
type File struct {
	Role string // such as "the input", or a flag
	Name string // empty for none
	// Stream is an open file without a name, or with its own.
	Stream *os.File
}

func (f File) String() string {
	if f.Stream != nil {
		return f.Role
	}
	return f.Role + " " + f.Name
}

// Check reports a file that would be written and also read, or written twice, under any names or
// links, even before it exists. Only regular files matter.
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

// A found file has its current or future place.
type found struct {
	File
	info  os.FileInfo // nil if it does not exist
	place string      // future path
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
			all = append(all, found{File: f, place: replace.Place(f.Name)})
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
