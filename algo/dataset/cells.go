package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"baca/algo/molecule/molfile"
)

// ownColumns are the places of all columns but two, if Options.Own asks for them, and it is told
// their names.
func (s *scanner) ownColumns(names []string, smiles, id int) (places []int) {
	if s.opt.Own == nil {
		return nil
	}
	var own []string
	for i, name := range names {
		if i != smiles && i != id && name != "" {
			places, own = append(places, i), append(own, name)
		}
	}
	s.opt.Own(own)
	return places
}

// findWanted finds the columns of Options.Cells.
func (f *frame) findWanted() error {
	for _, name := range f.wanted {
		i, err := columnOrPlace(f.names, name)
		switch {
		case err != nil:
			return err
		case i < 0:
			return noColumn(f.names, name)
		}
		f.further = append(f.further, i)
	}
	return nil
}

// cells are the wanted further cells of a row, nil for none.
func (f *frame) cells(row [][]byte) []string {
	if len(f.further) == 0 {
		return nil
	}
	cells := make([]string, len(f.further))
	for k, cell := range row[len(row)-len(f.all)-len(cells):][:len(cells)] {
		cells[k] = cellOf(cell)
	}
	return cells
}

// ownAmong finds the columns of Options.Own.
func (f *frame) ownAmong(s *scanner) {
	names := make([]string, len(f.all))
	for k, i := range f.all {
		names[k] = f.names[i]
	}
	f.own = s.ownColumns(names, slices.Index(f.all, f.smiles), slices.Index(f.all, f.id))
}

// ownCells are those of Options.Own, nil for none.
func (f *frame) ownCells(row [][]byte) []string {
	if len(f.own) == 0 {
		return nil
	}
	cells := make([]string, len(f.own))
	for k, at := range f.own {
		cells[k] = cellOf(row[len(row)-len(f.all)+at])
	}
	return cells
}

func cellOf(text []byte) string { return strings.ToValidUTF8(string(bytes.TrimSpace(text)), "\uFFFD") }

// keys of further values in objects.
type keys []string

// header reports the available names to Options.Header.
func (s *scanner) header(names []string) {
	if s.opt.Header != nil {
		s.opt.Header(names)
	}
}

// furtherKeys finds the keys of Options.Cells and Options.Own in the first objects.
func (s *scanner) furtherKeys(smiles, id string) (wanted, own keys, err error) {
	if len(s.wanted) == 0 && s.opt.Header == nil && s.opt.Own == nil {
		return nil, nil, nil
	}
	var known []string
	seen := map[string]bool{}
	for line := range bytes.Lines(s.head) {
		var values map[string]json.RawMessage
		if json.Unmarshal(line, &values) != nil || len(known) > maxColumns {
			continue
		}
		for key := range values {
			if !seen[key] {
				seen[key], known = true, append(known, key)
			}
		}
	}
	slices.Sort(known) // objects have no order
	s.header(known)
	for _, name := range s.wanted {
		i, err := columnCalled(known, name)
		switch {
		case err != nil:
			return nil, nil, err.keys()
		case i < 0:
			return nil, nil, noColumn(known, name)
		}
		wanted = append(wanted, known[i])
	}
	for _, i := range s.ownColumns(known, slices.Index(known, smiles), slices.Index(known, id)) {
		own = append(own, known[i])
	}
	return wanted, own, nil
}

// of returns the values of an object, text plain and others as JSON.
func (k keys) of(values map[string]json.RawMessage) []string {
	if k == nil {
		return nil
	}
	cells := make([]string, len(k))
	for i, key := range k {
		text, ok := jsonText(values[key])
		if !ok {
			text = string(values[key])
		}
		cells[i] = strings.TrimSpace(text)
	}
	return cells
}

// fields are data of SDF records.
type fields struct {
	names []string
	own   []string // those of Options.Own
	read  bool     // there are records
	seen  []bool   // the names that one of them had
}

func namesOf(in *molfile.Record) (names []string) {
	seen := map[string]bool{}
	for name := range in.Fields() {
		if !seen[name] {
			seen[name], names = true, append(names, name)
		}
	}
	return names
}

func dataOf(in *molfile.Record) (names, values []string) {
	for name, value := range in.Fields() {
		names, values = append(names, name), append(values, value)
	}
	return names, values
}

// of returns the data of a record, empty where missing.
func (f *fields) of(in *molfile.Record) ([]string, *twins) {
	if len(f.names) == 0 {
		return nil, nil
	}
	f.read = true
	names, values := dataOf(in)
	cells := make([]string, len(f.names))
	for k, wanted := range f.names {
		i, err := columnCalled(names, wanted)
		if err != nil {
			return nil, err
		}
		if i >= 0 {
			cells[k], f.seen[k] = cellOf([]byte(values[i])), true
		}
	}
	return cells, nil
}

// ownAmong finds the data of Options.Own in the first record, whose name may be among them.
func (f *fields) ownAmong(s *scanner, in *molfile.Record) {
	names, id := namesOf(in), -1
	if in.Name() == "" {
		id, _ = idColumn(names)
	}
	for _, i := range s.ownColumns(names, -1, id) {
		f.own = append(f.own, names[i])
	}
}

// ownOf are the data of Options.Own of a record.
func (f *fields) ownOf(in *molfile.Record) []string {
	if len(f.own) == 0 {
		return nil
	}
	cells := make([]string, len(f.own))
	for name, value := range in.Fields() {
		if k := slices.Index(f.own, name); k >= 0 {
			cells[k] = cellOf([]byte(value))
		}
	}
	return cells
}

// missing reports a name that no record had.
func (f *fields) missing() error {
	for k, name := range f.names {
		if f.read && !f.seen[k] {
			return fmt.Errorf("no record has data called %s", clip(name))
		}
	}
	return nil
}
