package dataset

import (
	"bytes"
	"strings"
)

// findWanted finds the columns of Options.Cells, each by find. The error is *twins, or says that
// there is none.
func (s *scanner) findWanted(names []string, find func(columns []string, name string) (int, *twins)) error {
	for _, name := range s.opt.Cells {
		i, err := find(names, name)
		switch {
		case err != nil:
			return err
		case i < 0:
			return noColumn(names, name)
		}
		s.further = append(s.further, i)
	}
	return nil
}

// header tells Options.Header the names of columns.
func (s *scanner) header(names []string) {
	if s.opt.Header != nil {
		s.opt.Header(names)
	}
}

// tellOwn tells Options.Own the names of all columns but two, without empty ones.
func (s *scanner) tellOwn(names []string, smiles, id int) {
	if s.opt.Own == nil {
		return
	}
	var own []string
	for i, name := range names {
		if i != smiles && i != id && name != "" {
			s.own, own = append(s.own, i), append(own, name)
		}
	}
	s.opt.Own(own)
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
