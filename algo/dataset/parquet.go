package dataset

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"baca/algo/parquet"
)

// MaxKept is the most bytes of a file that memory keeps, see Options.Keep.
const MaxKept = 256 << 20

// kept is the default of Options.Keep: it reads r into memory. It fails for more than MaxKept bytes.
func kept(r io.Reader) (io.ReaderAt, int64, func(), error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxKept+1))
	if err == nil && len(data) > MaxKept {
		err = fmt.Errorf("a Parquet file of more than %d bytes: want CSV, or the command", MaxKept)
	}
	return bytes.NewReader(data), int64(len(data)), func() {}, err
}

// A frame is an open Parquet file.
type frame struct {
	*scanner
	file    *parquet.File
	columns []parquet.Column
}

// readParquet emits the rows of a Parquet file. It refuses a file as a bomb before the first row if it has too many rows
// for its size: a few bytes may hold many, as in compressed text.
func (s *scanner) readParquet(column string) error {
	keep := s.opt.Keep
	if keep == nil {
		keep = kept
	}
	r, size, done, err := keep(s.r)
	if err != nil {
		return err
	}
	defer done()
	file, err := parquet.Open(r, size, parquet.Codecs{Zstd: s.opt.Unpack.Zstd, Brotli: s.opt.Unpack.Brotli})
	if err != nil {
		return err
	}
	f := &frame{scanner: s, file: file, columns: file.Columns()}
	if err := f.begin(column); err != nil {
		return err
	}
	columns := []int{s.smiles}
	if s.id >= 0 && s.id != s.smiles {
		columns = append(columns, s.id)
	}
	columns = slices.Concat(columns, s.further, s.own)
	if rows := file.Len(); rows > math.MaxInt64/MaxExpand || s.meter.lacks(rows*unitsOfRecord) {
		return errBomb
	}
	place := make([]int, len(f.columns)) // the index of each column in a row that was read
	for k, i := range columns {
		place[i] = k
	}
	for row, err := range file.Rows(columns...) {
		if err != nil {
			return err
		}
		for _, cell := range row {
			s.spend(len(cell) + unitsOfCell)
		}
		var name []byte
		if s.id >= 0 && s.id != s.smiles {
			name = bytes.TrimSpace(row[place[s.id]])
		}
		rec := Record{Entry: Entry{at: SyntaxError{Row: s.row + 1, Column: 1}}}
		rec.Cells, rec.Own = s.cellsOf(func(i int) string { return cellOf(row[place[i]]) })
		s.emitText(rec, name, row[place[s.smiles]])
		if s.stopped {
			return nil
		}
	}
	return nil
}

// begin chooses the columns, by name or from the first rows. It fails if one that is wanted does not exist or cannot be
// read, or if the SMILES are not found.
func (f *frame) begin(column string) error {
	names := f.names(func(parquet.Column) bool { return true })
	readable := f.names(func(c parquet.Column) bool { return c.Text || c.Value })
	if i, _ := columnOrPlace(names, orSMILES(column)); i >= 0 && !f.columns[i].Text {
		return fmt.Errorf("column %s holds %s: want text, the SMILES", clip(names[i]), f.columns[i].What)
	}
	for _, name := range append(slices.Clone(f.opt.Cells), f.opt.ID) {
		i, _ := columnOrPlace(names, name)
		if i < 0 && name != "" {
			return noColumn(names, name)
		}
		if i >= 0 && readable[i] == "" && name != "" {
			return fmt.Errorf("column %s holds %s: want text or numbers", clip(name), f.columns[i].What)
		}
	}
	f.noteUnread()
	var broken error
	sample := sync.OnceValue(func() (rows [][]string) {
		rows, broken = f.firstRows(names)
		return rows
	})
	t := tableOf(f.names(func(c parquet.Column) bool { return c.Text }), sample, column)
	if t.SMILES < 0 && broken != nil {
		return broken
	}
	if t.twins == nil || t.twins.ids { // ids may also be numbers, which tableOf has not seen
		if t.ID, t.twins = idColumn(readable); t.ID < 0 && t.SMILES >= 0 {
			t.First, t.Header = readable, true
			t.ID = t.idByContent(sample())
		}
	}
	t.First, t.Columns = names, readable
	return f.choose(t, column)
}

// noteUnread calls Options.Note about columns that are not read, by name for the first maxNamed and with a count for
// the others. It says each sentence once for all files of a folder.
func (f *frame) noteUnread() {
	note := func(sentence string) {
		if f.opt.Note != nil && !f.noted[sentence] {
			f.opt.Note(sentence)
			f.noted[sentence] = true
		}
	}
	if f.noted == nil {
		f.noted = map[string]bool{}
	}
	unread := 0
	for _, c := range f.columns {
		if c.Text || c.Value {
			continue
		}
		if unread++; unread <= maxNamed {
			note(fmt.Sprintf("column %s holds %s and is not read", clip(c.Name), c.What))
		}
	}
	if unread > maxNamed {
		note(fmt.Sprintf("further columns that are not read: %d", unread-maxNamed))
	}
}

// names returns the names of the columns that pass is, and "" for the others.
func (f *frame) names(is func(parquet.Column) bool) []string {
	names := make([]string, len(f.columns))
	for i, c := range f.columns {
		if is(c) {
			names[i] = c.Name
		}
	}
	return names
}

// maxSample bounds the first rows, in bytes: a dictionary may hold large values that many rows share.
const maxSample = 16 << 20

// firstRows returns the names, followed by the first rows: at most headRows, and maxSample bytes. It reads only columns that
// may hold structures or ids. The cells of others are empty. Numbers are ids by name only.
func (f *frame) firstRows(names []string) ([][]string, error) {
	var columns []int
	for i, c := range f.columns {
		if c.Text || c.Value && (!c.Number || namesID(c.Name)) {
			columns = append(columns, i)
		}
	}
	rows := [][]string{names}
	size := 0
	for cells, err := range f.file.Rows(columns...) {
		if err != nil || len(rows) > headRows {
			return rows, err
		}
		row := make([]string, len(names))
		for k, i := range columns {
			if size += len(cells[k]); size > maxSample {
				return rows, nil
			}
			row[i] = string(bytes.TrimSpace(cells[k]))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// orSMILES returns the column that was asked for, or "smiles".
func orSMILES(column string) string { return cmp.Or(column, smilesNames[0]) }
