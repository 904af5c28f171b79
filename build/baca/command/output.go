package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"baca/algo/dataset"
	"baca/algo/table"
	"baca/build/internal/lock"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
)

// spreadsheetSafe registers --spreadsheet-safe.
func spreadsheetSafe(fs *pflag.FlagSet, text *table.Text) {
	fs.BoolVar(&text.SpreadsheetSafe, "spreadsheet-safe", false,
		"in CSV, put an apostrophe before text that a spreadsheet would run as a formula")
}

// An output is a file of rows. Rows go to a file beside it, which takes its name when all are there.
type output struct {
	*os.File
	name string // as asked for
	// The file that is written, and the one that it becomes. They are one where its folder takes no other file.
	at, to string
	// A regular file can be cut, synced and resumed. A pipe, a device or the process's standard output cannot.
	regular bool
	begun   bool
	keep    bool // of a run that failed
}

// openOutput opens and locks a file. Its content stays until begin, that of the file it replaces until finish.
func openOutput(name string) (*output, error) {
	to, stream, err := replace.Target(name)
	if err != nil || stream != nil {
		return &output{File: stream, name: name}, err
	}
	o := &output{name: name, at: to + replace.PartExt, to: to, regular: true}
	if info, err := os.Lstat(o.at); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s exists and is not a plain file: rows are written there first", o.at)
	}
	old, missing := os.OpenFile(to, os.O_WRONLY, 0)
	if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
		return nil, missing
	}
	old.Close()
	o.File, err = lock.Open(o.at)
	if missing == nil && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) {
		o.at = to
		o.File, err = lock.Open(o.at)
	} else if err == nil {
		replace.Allow(o.File, to)
	}
	if errors.Is(err, lock.ErrHeld) {
		return nil, fmt.Errorf("%s is being written by another process: wait for it, or want another file", name)
	}
	if at := new(fs.PathError); errors.As(err, &at) {
		at.Path = name
	}
	return o, err
}

// beside reports whether rows go to another file than the one that was asked for.
func (o *output) beside() bool { return o != nil && o.regular && o.at != o.to }

// begin cuts the file after its first at bytes.
func (o *output) begin(at int64) error {
	if !o.regular {
		return nil
	}
	o.begun = true
	err := o.Truncate(at)
	if err == nil {
		_, err = o.Seek(at, io.SeekStart)
	}
	return written(o.name, err)
}

// intact returns the number of bytes written, or an error if the file changed: locks do not stop other programs.
func (o *output) intact() (int64, error) {
	at, err := o.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, written(o.name, err)
	}
	info, err := o.Stat()
	if err != nil {
		return 0, written(o.name, err)
	}
	if now, err := os.Stat(o.at); err != nil || !os.SameFile(info, now) {
		return 0, fmt.Errorf("%s was removed or replaced while it was written: its rows are lost", o.at)
	}
	if info.Size() != at {
		return 0, fmt.Errorf("%s has %d bytes where %d were written: another program has changed it", o.at, info.Size(), at)
	}
	return at, nil
}

// finish gives all rows the name that was asked for.
func (o *output) finish() error {
	if !o.beside() {
		return nil
	}
	if runtime.GOOS == "windows" {
		o.File.Close() // an open file keeps its name there
	}
	err := replace.Rename(o.at, o.to)
	if err == nil {
		o.at = o.to
	}
	return written(o.name, err)
}

// Close closes the file, and removes a part without rows.
func (o *output) Close() error {
	if !o.regular {
		return replace.Close(o.File)
	}
	if info, err := o.Stat(); o.beside() && err == nil && !o.keep && (o.begun || info.Size() == 0) {
		lock.Remove(o.File)
		return nil
	}
	if err := o.File.Close(); !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}

// draw writes a picture, if named.
func draw(name, svg string) error {
	if name == "" {
		return nil
	}
	return replace.Bytes(name, []byte(svg))
}

// closeInto closes f; its error counts if it is the first.
func closeInto(f io.Closer, err *error) {
	*err = cmp.Or(*err, f.Close())
}

// errClosed means that the reader of standard output left, as head does.
var errClosed = errors.New("standard output is closed")

// written adds the file, or standard output, to a write error.
func written(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case name != "":
		if at := new(fs.PathError); errors.As(err, &at) && at.Path == name {
			err = at.Err
		}
		return fmt.Errorf("writing to %s: %w", name, err)
	case errors.Is(err, syscall.EPIPE):
		return errClosed
	}
	return fmt.Errorf("writing to standard output: %w", err)
}

// rowsForm is the form of rows: to, else by the name of the file, and CSV for a name without ending or in .txt. It refuses
// an ending that names none of the forms.
func rowsForm(to, flag, out string) (string, error) {
	ext := strings.ToLower(filepath.Ext(out))
	switch form := cmp.Or(to, table.FormOf(out)); {
	case ext != "" && dataset.PlainName(ext) == "":
		return "", usage.Errorf("--%s %s: rows are written uncompressed: want a name without %s", flag, out, ext)
	case form != "":
		return form, nil
	case ext != "" && ext != ".txt":
		return "", usage.Errorf("--%s %s: rows are not written as %s; want a name that ends in .%s, or --to", flag, out, ext, strings.Join(table.Forms(), ", ."))
	}
	return table.Forms()[0], nil
}
