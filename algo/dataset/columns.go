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
	names   []string
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
	file, err := parquet.Open(r, size, s.opt.Unpack.Zstd)
	if err != nil {
		return err
	}
	f := &frame{scanner: s, file: file, columns: file.Columns()}
	for _, c := range f.columns {
		f.names = append(f.names, c.Name)
	}
	smiles, id, err := f.begin(column)
	if err != nil {
		return err
	}
	columns := []int{smiles}
	if id >= 0 && id != smiles {
		columns = append(columns, id)
	}
	columns = slices.Concat(columns, s.further, s.own)
	place := make([]int, len(f.names)) // in a row
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
		if id >= 0 && id != smiles {
			name = bytes.TrimSpace(row[place[id]])
		}
		rec := Record{column: 1, smilesLine: s.row + 1, columnar: true}
		rec.Cells, rec.Own = s.cellsOf(func(i int) string { return cellOf(row[place[i]]) })
		s.emitText(rec, name, row[place[smiles]])
		if s.stopped {
			return nil
		}
	}
	return nil
}

// begin finds the columns, by name or from the first rows; id is −1 for none.
func (f *frame) begin(column string) (smiles, id int, err error) {
	smiles, twins := columnOrPlace(f.names, orSMILES(column))
	if twins != nil {
		return 0, 0, twins
	}
	if id, twins = idColumn(f.namesOf(func(c parquet.Column) bool { return c.Text || c.Whole })); twins != nil {
		return 0, 0, twins
	}
	if err := f.findWanted(f.names, columnOrPlace); err != nil {
		return 0, 0, err
	}
	if smiles < 0 {
		if smiles, err = f.guess(column); err != nil {
			return 0, 0, err
		}
	}
	if !f.columns[smiles].Text {
		return 0, 0, fmt.Errorf("column %s holds %s: want text, the SMILES", clip(f.names[smiles]), f.columns[smiles].What)
	}
	f.header(f.names)
	f.tellOwn(f.namesOf(func(c parquet.Column) bool { return c.Text || c.Whole || c.Value }), smiles, id)
	return smiles, id, nil
}

// namesOf returns the names of some columns, and nothing for the others.
func (f *frame) namesOf(is func(parquet.Column) bool) []string {
	names := make([]string, len(f.names))
	for i, c := range f.columns {
		if is(c) {
			names[i] = c.Name
		}
	}
	return names
}

func (s *scanner) guessed(column string) {
	if s.opt.Guessed != nil {
		s.opt.Guessed(column)
	}
}

func orSMILES(column string) string {
	if column == "" {
		return smilesNames[0]
	}
	return column
}

// guess finds the column of SMILES, which none is called, by similar names and the first rows.
func (f *frame) guess(column string) (int, error) {
	var texts []int
	for i, c := range f.columns {
		if c.Text {
			texts = append(texts, i)
		}
	}
	if len(texts) == 0 || !wantsSMILES(column) {
		return 0, noColumn(f.names, column)
	}
	rows := [][]string{f.names}
	var broken error
	for cells, err := range f.file.Rows(texts...) {
		if broken = err; err != nil || len(rows) > headRows {
			break
		}
		row := make([]string, len(f.names))
		for k, i := range texts {
			row[i] = string(bytes.TrimSpace(cells[k]))
		}
		rows = append(rows, row)
	}
	names := columnNamesOf(f.namesOf(func(c parquet.Column) bool { return c.Text }))
	smiles, _ := namedColumn(names, func() [][]string { return rows })
	if smiles < 0 {
		smiles = columnByContent(f.names, rows)
	} else if _, twins := columnCalled(f.names, f.names[smiles]); twins != nil {
		return 0, twins
	}
	if smiles < 0 {
		return 0, cmp.Or(broken, noColumn(f.names, column))
	}
	f.guessed(f.names[smiles])
	return smiles, nil
}
