package dataset

import (
	"bytes"
	"strings"
)

// choose takes the columns of t, given Options.Column, and tells their names. An error about two
// columns is *twins.
func (s *scanner) choose(t Table, column string) error {
	s.smiles, s.id = t.SMILES, t.ID
	switch {
	case t.SMILES < 0:
		return noColumn(t.First, column)
	case t.twins != nil:
		return t.twins
	}
	if s.opt.Guessed != nil && t.Guessed && len(t.Columns) > 1 {
		s.opt.Guessed(t.Columns[t.SMILES])
	}
	for _, name := range s.opt.Cells {
		i, err := columnOrPlace(t.Columns, name)
		switch {
		case err != nil:
			return err
		case i < 0:
			return noColumn(t.Columns, name)
		}
		s.further = append(s.further, i)
	}
	s.tell(t.Columns)
	return nil
}

// tell tells Options.Header the names of columns, without empty ones, and Options.Own those of all
// but SMILES and id.
func (s *scanner) tell(names []string) {
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
	if s.opt.Header != nil {
		s.opt.Header(all)
	}
	if s.opt.Own != nil {
		s.opt.Own(own)
	}
}

// cellsOf returns the cells of the next record, given that of each column: those of Options.Cells
// and of Options.Own.
func (s *scanner) cellsOf(cell func(column int) string) (wanted, own []string) {
	return cellsAt(s.further, cell), cellsAt(s.own, cell)
}

func cellsAt(columns []int, cell func(column int) string) []string {
	if len(columns) == 0 {
		return nil
	}
	cells := make([]string, len(columns))
	for k, i := range columns {
		cells[k] = cell(i)
	}
	return cells
}

func cellOf(text []byte) string { return strings.ToValidUTF8(string(bytes.TrimSpace(text)), "\uFFFD") }
