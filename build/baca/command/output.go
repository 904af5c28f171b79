package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"baca/algo/table"
)

// newRowWriter returns a writer for csv or jsonl, of CSV with a header if wanted. more
// names further columns.
func newRowWriter(w io.Writer, to string, header bool, more ...string) table.Writer {
	if to == "jsonl" {
		return table.NewJSONLines(w, more...)
	}
	return table.NewCSV(w, header, more...)
}

// create makes a file for output, or goes on behind the first at bytes of it. It
// must not be the input, which may be nil.
func create(flag, name string, input fs.FileInfo, at int64) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && input != nil && os.SameFile(info, input) {
		return nil, usagef("%s %s is the input itself: want another file", flag, name)
	}
	if at == 0 {
		return os.Create(name)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	if err = f.Truncate(at); err == nil {
		_, err = f.Seek(at, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// closeInto closes f, whose error counts if there was none before.
func closeInto(f io.Closer, err *error) {
	if cerr := f.Close(); cerr != nil && *err == nil {
		*err = cerr
	}
}

// errClosed says that whoever read standard output has seen enough, as head has.
var errClosed = errors.New("standard output is closed")

// written makes an error of writing to a file, or with no name to standard
// output, say so.
func written(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case name != "":
		return fmt.Errorf("writing to %s: %w", name, err)
	case errors.Is(err, syscall.EPIPE):
		return errClosed
	}
	return fmt.Errorf("writing to standard output: %w", err)
}
