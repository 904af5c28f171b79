// Package apart checks that a run does not write what it reads (Check).
package apart

import (
	"os"

	"baca/build/internal/replace"
	"baca/build/internal/usage"
)

// A File is a file that a run reads or writes.
type File struct {
	Role string // what it is to the run, such as "the input", or its flag
	Name string // empty for none
	// Stream is an open file. It may be set without a name.
	Stream *os.File
}

// String returns the role and the name of a file, for errors. A stream has no name.
func (f File) String() string {
	if f.Stream != nil {
		return f.Role
	}
	return f.Role + " " + f.Name
}

// Check returns an error if a file would be both read and written, or written twice, under any name or link. It also
// finds files that do not exist yet. Only regular files matter.
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

// A found file exists, or has a place where it will be.
type found struct {
	File
	info  os.FileInfo // nil if it does not exist
	place string      // path at which a missing file will be
}

// files returns the regular files of a list, and those that do not exist yet. It leaves out pipes, devices and folders.
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

// is reports whether two files are the same.
func (f found) is(other found) bool {
	if f.info == nil || other.info == nil {
		return f.info == nil && other.info == nil && f.place == other.place
	}
	return os.SameFile(f.info, other.info)
}
