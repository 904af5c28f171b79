package dataset

import (
	"bytes"
	"fmt"
	"io"
	"iter"
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
	*parquet.File
	names   []string
	columns []parquet.Column

	wanted     []string // Options.Cells
	further    []int    // columns of these
	all        []int    // for Options.Own all that can be read; their cells are the last of a row, behind those of further
	own        []int    // of all, those that are neither of the following
	smiles, id int      // -1 for none
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
	f := &frame{File: file, columns: file.Columns(), wanted: s.wanted}
	for _, c := range f.columns {
		f.names = append(f.names, c.Name)
		if s.opt.Own != nil && (c.Text || c.Whole || c.Value) {
			f.all = append(f.all, len(f.names)-1)
		}
	}
	rows, smiles, id, err := f.begin(column, s.guessed)
	if err != nil {
		return err
	}
	s.header(f.names)
	f.ownAmong(s)
	out := int64(0)
	for cells, err := range rows {
		if err != nil {
			return err
		}
		for _, cell := range cells {
			out += int64(len(cell)) + 1
		}
		if (out-freeExpand)/MaxExpand > size {
			return errBomb
		}
		var name []byte
		if id >= 0 {
			name = bytes.TrimSpace(cells[id])
		}
		s.fill(Record{Row: s.row, Cells: f.cells(cells), Own: f.ownCells(cells), file: s.file, column: 1, smilesLine: s.row + 1, columnar: true}, name, cells[smiles])
		if s.stopped {
			return nil
		}
	}
	return nil
}

// begin finds the columns of SMILES and ids and their places in the rows, by name or from the first
// rows.
func (f *frame) begin(column string, guessed func(string)) (rows iter.Seq2[[][]byte, error], smiles, id int, err error) {
	smiles, twins := columnOrPlace(f.names, orSMILES(column))
	if twins != nil {
		return nil, 0, 0, twins
	}
	if id, twins = f.idAmong(); twins != nil {
		return nil, 0, 0, twins
	}
	if err := f.findWanted(); err != nil {
		return nil, 0, 0, err
	}
	if smiles < 0 && !wantsSMILES(column) {
		return nil, 0, 0, noColumn(f.names, column)
	}
	if f.smiles, f.id = smiles, id; smiles < 0 {
		return f.guess(id, column, guessed)
	}
	if !f.columns[smiles].Text {
		return nil, 0, 0, fmt.Errorf("column %s holds %s: want text, the SMILES", clip(f.names[smiles]), f.columns[smiles].What)
	}
	if id < 0 || id == smiles {
		return f.Rows(slices.Concat([]int{smiles}, f.further, f.all)...), 0, -1, nil
	}
	return f.Rows(slices.Concat([]int{smiles, id}, f.further, f.all)...), 0, 1, nil
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

// idAmong is the id column among the readable ones.
func (f *frame) idAmong() (int, *twins) {
	readable := slices.Clone(f.names)
	for i, c := range f.columns {
		if !c.Text && !c.Whole {
			readable[i] = ""
		}
	}
	return idColumn(readable)
}

// guess is begin without a matching name. It reads all text columns.
func (f *frame) guess(id int, column string, guessed func(string)) (rows iter.Seq2[[][]byte, error], smiles, place int, err error) {
	var read []int
	for i, c := range f.columns {
		if c.Text || i == id {
			read = append(read, i)
		}
	}
	if len(read) == 0 {
		return nil, 0, 0, noColumn(f.names, column)
	}
	next, stop := iter.Pull2(f.Rows(slices.Concat(read, f.further, f.all)...))
	var first [][][]byte
	var broken error
	for len(first) < headRows {
		cells, err, ok := next()
		if broken = err; !ok || err != nil {
			break
		}
		row := make([][]byte, len(cells))
		for k, cell := range cells {
			row[k] = bytes.Clone(cell)
		}
		first = append(first, row)
	}
	sample := func() [][]string {
		list := [][]string{f.names}
		for _, row := range first {
			cells := make([]string, len(f.names))
			for k, i := range read {
				if f.columns[i].Text {
					cells[i] = string(bytes.TrimSpace(row[k]))
				}
			}
			list = append(list, cells)
		}
		return list
	}
	of := columnNamesOf(f.names)
	for i := range of {
		if !f.columns[i].Text {
			of[i] = ""
		}
	}
	if smiles, _ = namedColumn(of, sample); smiles < 0 {
		smiles = columnByContent(f.names, sample())
	} else if _, err := columnCalled(f.names, f.names[smiles]); err != nil {
		stop()
		return nil, 0, 0, err
	}
	if smiles < 0 {
		stop()
		if broken != nil {
			return nil, 0, 0, broken
		}
		return nil, 0, 0, noColumn(f.names, column)
	}
	guessed(f.names[smiles])
	f.smiles = smiles
	rows = func(yield func([][]byte, error) bool) {
		defer stop()
		for _, row := range first {
			if !yield(row, nil) {
				return
			}
		}
		if broken != nil {
			yield(nil, broken)
			return
		}
		for {
			cells, err, ok := next()
			if !ok || !yield(cells, err) {
				return
			}
		}
	}
	if place = slices.Index(read, id); id == smiles {
		place = -1
	}
	return rows, slices.Index(read, smiles), place, nil
}
