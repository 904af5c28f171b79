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

// An output is a file of rows. Rows go to a file beside it, which gets its name when all rows are written.
type output struct {
	*os.File
	name string // the name that was asked for
	// at is the file that is written, and to the one that it becomes. They are the same if the folder allows no other file.
	at, to string
	// regular is set for a regular file, which can be cut, synced and resumed, unlike a pipe, a device or standard output.
	regular bool
	begun   bool
	keep    bool // keep the rows of a run that failed
}

// openOutput opens the file that rows are written to and locks it. The file is name with PartExt, which finish renames to
// name. It is name itself if the folder is read-only, and, without a lock, if name is a pipe or a device. openOutput fails
// while another process writes the file.
func openOutput(name string) (*output, error) {
	to, stream, err := replace.Target(name)
	if err != nil || stream != nil {
		return &output{File: stream, name: name}, err
	}
	o := &output{name: name, at: to + replace.PartExt, to: to, regular: true}
	if info, err := os.Lstat(o.at); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s exists and is not a plain file: rows are written there first", o.at)
	}
	// An old file must be writable, too, although it is only replaced at the end.
	old, missing := os.OpenFile(to, os.O_WRONLY, 0)
	if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
		return nil, missing
	}
	old.Close() // does nothing to a file that is missing
	o.File, err = lock.Open(o.at)
	if missing == nil && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) {
		o.at = to // the folder takes no other file
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

// beside reports whether rows are in another file than the one that was asked for.
func (o *output) beside() bool { return o != nil && o.regular && o.at != o.to }

// begin cuts a regular file after its first at bytes, to write on from there. It leaves others alone.
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

// intact returns the number of bytes written to a regular file. It returns an error if another program changed the file, since
// locks do not prevent that.
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

// finish gives the file with all rows the name that was asked for, unless it has it already.
func (o *output) finish() error {
	if !o.beside() {
		return nil
	}
	if runtime.GOOS == "windows" {
		o.File.Close() // Windows does not rename an open file
	}
	err := replace.Rename(o.at, o.to)
	if err == nil {
		o.at = o.to
	}
	return written(o.name, err)
}

// Close closes the file. It removes a file beside that is of no use to a later run: one that is empty, or begun and not to be kept.
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

// draw writes a picture to a file, unless the name is empty.
func draw(name, svg string) error {
	if name == "" {
		return nil
	}
	return replace.Bytes(name, []byte(svg))
}

// closeInto closes f, and sets err to its error unless err is set already.
func closeInto(f io.Closer, err *error) {
	*err = cmp.Or(*err, f.Close())
}

// errClosed means that the reader of standard output has closed it, as head does.
var errClosed = errors.New("standard output is closed")

// written returns err with the name of the file that was written; an empty name is standard output. It returns errClosed if the
// reader of standard output has left.
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

// rowsForm returns the form of rows: to, or else the one that the name of the file says. A name without an ending, or in
// .txt, gives CSV. Any other ending is an error.
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
