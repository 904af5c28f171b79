package dataset

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"baca/algo/parquet"
)

// MaxKept bounds a file that is kept in memory, see [Options].
const MaxKept = 256 << 20

// kept reads a reader into memory.
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

// readParquet reads the rows of a Parquet file. As in compressed text, few bytes may hold many
// rows.
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
	place := make([]int, len(f.columns)) // in a row
	for k, i := range columns {
		place[i] = k
	}
	out := int64(0)
	for row, err := range file.Rows(columns...) {
		if err != nil {
			return err
		}
		for _, cell := range row {
			out += int64(len(cell)) + 1
		}
		if (out-freeExpand)/MaxExpand > size {
			return errBomb
		}
		var name []byte
		if s.id >= 0 && s.id != s.smiles {
			name = bytes.TrimSpace(row[place[s.id]])
		}
		rec := Record{at: SyntaxError{Row: s.row + 1, Column: 1}}
		rec.Cells, rec.Own = s.cellsOf(func(i int) string { return cellOf(row[place[i]]) })
		s.emitText(rec, name, row[place[s.smiles]])
		if s.stopped {
			return nil
		}
	}
	return nil
}

// begin chooses the columns, by name or from the first rows.
func (f *frame) begin(column string) error {
	names := f.names(func(parquet.Column) bool { return true })
	readable := f.names(func(c parquet.Column) bool { return c.Text || c.Value })
	if i, _ := columnOrPlace(names, orSMILES(column)); i >= 0 && !f.columns[i].Text {
		return fmt.Errorf("column %s holds %s: want text, the SMILES", clip(names[i]), f.columns[i].What)
	}
	for _, name := range f.opt.Cells {
		if i, _ := columnOrPlace(names, name); i >= 0 && readable[i] == "" {
			return fmt.Errorf("column %s: holds %s: want text or numbers", clip(names[i]), f.columns[i].What)
		}
	}
	var broken error
	t := tableOf(f.names(func(c parquet.Column) bool { return c.Text }), func() (rows [][]string) {
		rows, broken = f.firstRows(names)
		return rows
	}, column)
	if t.SMILES < 0 && broken != nil {
		return broken
	}
	t.First, t.Columns = names, readable
	if id, ids := idColumn(readable); id >= 0 && (t.twins == nil || t.twins.ids) {
		t.ID, t.twins = id, ids
	}
	return f.choose(t, column)
}

// names returns the names of some columns, and nothing for the others.
func (f *frame) names(is func(parquet.Column) bool) []string {
	names := make([]string, len(f.columns))
	for i, c := range f.columns {
		if is(c) {
			names[i] = c.Name
		}
	}
	return names
}

// firstRows returns the names and the texts of the first rows.
func (f *frame) firstRows(names []string) ([][]string, error) {
	var texts []int
	for i, c := range f.columns {
		if c.Text {
			texts = append(texts, i)
		}
	}
	rows := [][]string{names}
	for cells, err := range f.file.Rows(texts...) {
		if err != nil || len(rows) > headRows {
			return rows, err
		}
		row := make([]string, len(names))
		for k, i := range texts {
			row[i] = string(bytes.TrimSpace(cells[k]))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func orSMILES(column string) string { return cmp.Or(column, smilesNames[0]) }
