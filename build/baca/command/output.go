package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	fs.BoolVar(&text.SpreadsheetSafe, "spreadsheet-safe", false, "in CSV, put an apostrophe before text that a spreadsheet would run as a formula")
}

// An output is a file of rows.
type output struct {
	*os.File
	name string
	// A regular file can be cut, synced and resumed. A pipe, a device or the process's standard
	// output cannot.
	regular bool
}

// openOutput opens and locks a file. Its content stays until begin.
func openOutput(name string) (*output, error) {
	o := &output{name: name}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		o.regular = true // it will be
	case standard(info) != nil:
		// Opened by name, as /dev/stdout, it would be written from its start.
		o.File = standard(info)
		return o, nil
	default:
		o.regular = info.Mode().IsRegular()
	}
	mode := os.O_WRONLY
	if o.regular {
		mode |= os.O_CREATE
	}
	if o.File, err = os.OpenFile(name, mode, 0o666); err != nil {
		return nil, err
	}
	if !o.regular {
		return o, nil
	}
	if errors.Is(lock.Hold(o.File), lock.ErrHeld) {
		o.File.Close()
		return nil, fmt.Errorf("%s is being written by another process: wait for it, or want another file", name)
	}
	return o, nil
}

// standard returns the standard stream of a name, or nil.
func standard(name fs.FileInfo) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if info, err := f.Stat(); err == nil && os.SameFile(info, name) {
			return f
		}
	}
	return nil
}

// begin cuts the file after its first at bytes.
func (o *output) begin(at int64) error {
	if !o.regular {
		return nil
	}
	err := o.Truncate(at)
	if err == nil {
		_, err = o.Seek(at, io.SeekStart)
	}
	return written(o.name, err)
}

// intact returns the number of bytes written, or an error if the file changed: locks do not stop
// other programs.
func (o *output) intact() (int64, error) {
	at, err := o.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, written(o.name, err)
	}
	info, err := o.Stat()
	if err != nil {
		return 0, written(o.name, err)
	}
	if now, err := os.Stat(o.name); err != nil || !os.SameFile(info, now) {
		return 0, fmt.Errorf("%s was removed or replaced while it was written: its rows are lost", o.name)
	}
	if info.Size() != at {
		return 0, fmt.Errorf("%s has %d bytes where %d were written: another program has changed it", o.name, info.Size(), at)
	}
	return at, nil
}

// Close leaves standard streams open.
func (o *output) Close() error {
	if o.File == os.Stdout || o.File == os.Stderr {
		return nil
	}
	return o.File.Close()
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

// rowsForm is the form of rows: to, else by the name of the file, else CSV. It refuses a name that
// promises another form.
func rowsForm(to, flag, out string) (string, error) {
	ext := strings.ToLower(filepath.Ext(out))
	switch form := cmp.Or(to, table.FormOf(out)); {
	case ext != "" && dataset.PlainName(ext) == "":
		return "", usage.Errorf("--%s %s: rows are written uncompressed: want a name without %s", flag, out, ext)
	case form != "":
		return form, nil
	case ext != ".txt" && slices.Contains(dataset.Extensions(), ext), ext == ".xlsx", ext == ".xls":
		return "", usage.Errorf("--%s %s: rows are not written as %s; want a name that ends in .%s, or --to", flag, out, ext, strings.Join(table.Forms(), ", ."))
	}
	return table.Forms()[0], nil
}
