package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"baca/algo/internal/lists"
)

// choose sets the scanner's columns from t and the options, and tells the options their names. column is Options.Column.
// It fails if a wanted column does not exist or is ambiguous. An error about two columns that match is *twins.
func (s *scanner) choose(t Table, column string) error {
	s.smiles, s.id = t.SMILES, t.ID
	switch {
	case t.SMILES < 0:
		return noColumn(t.First, column)
	case t.twins != nil && !(t.twins.ids && s.opt.ID != ""):
		return t.twins
	}
	if s.opt.ID != "" {
		var err error
		if s.id, err = findColumn(t.Columns, s.opt.ID); err != nil {
			return err
		}
	}
	if s.opt.Guessed != nil && t.Guessed && len(t.Columns) > 1 && s.told == nil {
		s.opt.Guessed(t.Columns[t.SMILES])
	}
	for _, name := range s.opt.Cells {
		i, err := findColumn(t.Columns, name)
		if err != nil {
			return err
		}
		s.further = append(s.further, i)
	}
	return s.tellColumns(t.Columns)
}

// findColumn returns the column with a name, or a place such as "column 2". It fails if there is none, or two.
func findColumn(columns []string, name string) (int, error) {
	i, err := columnOrPlace(columns, name)
	switch {
	case err != nil:
		return 0, err
	case i < 0:
		return 0, noColumn(columns, name)
	}
	return i, nil
}

// tellColumns lists in s.own the columns that are neither the SMILES nor the id, and calls Options.Own with all names
// and theirs. Columns without a name are left out. It fails for more than maxColumns. Further files of an archive must
// have the same columns as the first, and do not call Own again.
func (s *scanner) tellColumns(names []string) error {
	var all, own []string
	for i, name := range names {
		if name == "" {
			continue
		}
		all = append(all, name)
		if i != s.smiles && i != s.id && s.opt.Own != nil {
			s.own, own = append(s.own, i), append(own, name)
		}
	}
	if len(all) > maxColumns {
		return fmt.Errorf("%d columns: want at most %d", len(all), maxColumns)
	}
	if s.told != nil && !slices.Equal(own, s.told) {
		return errors.New("its columns differ from those of the first file in the archive: want the same")
	}
	if s.told == nil && s.opt.Own != nil {
		s.opt.Own(all, own)
	}
	s.told = append([]string{}, own...)
	return nil
}

// tellLate calls Options.Note, if Options.Own wants columns, about a column that the first records lack. It does so once
// for each column, and names only the first few.
func (s *scanner) tellLate(name string, row int) {
	if s.opt.Own == nil || s.opt.Note == nil || s.late[name] || len(s.late) > maxNamed {
		return
	}
	if s.late == nil {
		s.late = map[string]bool{}
	}
	what := clip(name)
	if s.late[name] = true; len(s.late) > maxNamed {
		what += " and further columns occur"
	} else {
		what += " occurs"
	}
	s.opt.Note(fmt.Sprintf("column %s first in row %d: columns that the first records lack are not read", what, row))
}

// cellsOf returns the cells of a record for Options.Cells and for Options.Own. cell returns the cell of a column.
func (s *scanner) cellsOf(cell func(column int) string) (wanted, own []string) {
	return cellsAt(s.further, cell), cellsAt(s.own, cell)
}

// cellsAt returns the cells of some columns, or nil without columns.
func cellsAt(columns []int, cell func(column int) string) []string {
	if len(columns) == 0 {
		return nil
	}
	return lists.Map(columns, cell)
}

// cellOf returns the trimmed text of a cell in UTF-8.
func cellOf(text []byte) string { return nameOf(bytes.TrimSpace(text)) }

// Decimal parses a number in decimal notation, such as -12.5 and 1e-3. It returns false for Go's 0x1p-2, 0x_ff and inf.
func Decimal(cell string) (float64, bool) {
	x, err := strconv.ParseFloat(cell, 64)
	return x, err == nil && strings.Trim(cell, "0123456789+-.eE") == ""
}
