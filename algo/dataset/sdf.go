package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"baca/algo/molecule/molfile"
)

// An sdf reads molfiles and their data items.
type sdf struct {
	*scanner
	begun   bool           // the first record has been seen
	places  map[string]int // the index of each name in Record.Own; -1 for the id
	missing []string       // names of Options.Cells and Options.ID that no record has had so far
}

// readSDF emits the records of an SDF file. Damaged ones are refused.
func (s *scanner) readSDF(string) error {
	d := &sdf{scanner: s, missing: slices.Clone(s.opt.Cells)}
	if s.opt.ID != "" {
		d.missing = append(d.missing, s.opt.ID)
	}
	for in, err := range molfile.SDF(s.window) {
		switch {
		case err != nil:
			return err
		case in.Err != nil:
			s.refuse(in.Line, syntaxError(in.Line, 1, in.Err))
		default:
			d.emitRecord(&in)
		}
		if s.stopped {
			return nil
		}
	}
	if d.begun && len(d.missing) > 0 {
		return fmt.Errorf("no record has data called %s", clip(d.missing[0]))
	}
	return nil
}

// emitRecord emits a record with the id and the cells that the options ask for, and then refuses further molfiles in it. If
// the names of the first record are too many, it emits nothing, and d.over is set.
func (d *sdf) emitRecord(in *molfile.Record) {
	rec := Record{Entry: Entry{Line: in.Line, ID: in.Name(), at: SyntaxError{Line: in.Line, Column: 1}, molfile: in.Molfile()}}
	if !d.begun || rec.ID == "" || d.opt.ID != "" || d.opt.Own != nil || len(d.opt.Cells) > 0 { // data items are needed
		if err := d.read(in, &rec); err != nil {
			rec.Err = rec.Fail(err.values())
		}
		if d.over != nil {
			return
		}
	}
	if len(rec.molfile) < len(in.Text)/2 || !utf8.ValidString(rec.molfile) {
		rec.molfile = nameOf([]byte(rec.molfile)) // a copy, so that the data items can be freed
	}
	if len(rec.ID) > MaxField {
		rec.Err, rec.ID = rec.Fail(idTooLong(len(rec.ID))), ""
	}
	rec.ID = nameOf([]byte(rec.ID))
	d.send(rec)
	d.refuseFurther(in)
}

// refuseFurther refuses each further molfile within a record, which it recognises by its last line.
func (d *sdf) refuseFurther(in *molfile.Record) {
	const end = "\nM  END"
	rest, line := in.Text, in.Line
	for first := true; !d.stopped; first = false {
		before, behind, found := strings.Cut(rest, end)
		if !found {
			return
		}
		line += strings.Count(before, "\n") + 1
		if rest = behind; !first {
			d.refuse(line, syntaxError(line, 1, errors.New("the end of another molfile in this record: want a line $$$$ between them")))
		}
	}
}

// read sets the cells of a record that the options want, and its id. The id comes from the item Options.ID. If that is not
// set and the molfile has no name, it comes from an item that is named like an id. The names of the first record go to
// begin. If the record has two items where one is wanted, read returns them.
func (d *sdf) read(in *molfile.Record, rec *Record) (ambiguous *twins) {
	var names, values []string
	for name, value := range in.Fields() {
		names, values = append(names, nameOf([]byte(name))), append(values, value)
	}
	id := -1
	switch {
	case d.opt.ID != "":
		id, ambiguous = d.find(names, d.opt.ID)
		rec.ID = ""
	case rec.ID == "":
		if id, ambiguous = idColumn(names); id < 0 {
			id = slices.IndexFunc(names, namesID)
		}
	}
	if id >= 0 && ambiguous == nil {
		rec.ID = strings.TrimSpace(values[id])
	}
	if !d.begun {
		d.begin(names, id)
	}
	var ambiguousCell *twins
	if len(d.opt.Cells) > 0 {
		rec.Cells, ambiguousCell = d.wanted(names, values)
	}
	if d.opt.Own != nil {
		d.takeOwn(rec, names, values)
	}
	return cmp.Or(ambiguous, ambiguousCell)
}

// takeOwn sets rec.Own, the cells of Options.Own, and notes names that the first record lacked.
func (d *sdf) takeOwn(rec *Record, names, values []string) {
	if n := len(d.told); n > 0 {
		rec.Own = make([]string, n)
	}
	for i, name := range names {
		if k, known := d.places[name]; !known {
			d.tellLate(name, d.row+1)
		} else if k >= 0 {
			rec.Own[k] = cellOf([]byte(values[i]))
		}
	}
}

// begin calls Options.Own with the data names of the first record, each once, and gives each an index in Record.Own. In
// further files of an archive the names of the first one stay. If there are too many names, it sets d.over.
func (d *sdf) begin(names []string, id int) {
	d.begun, d.places = true, map[string]int{}
	d.smiles, d.id = -1, id
	names = slices.Clone(names)
	there := make(map[string]bool, len(names))
	for i, name := range names {
		if there[name] {
			names[i] = ""
		}
		there[name] = true
	}
	if len(d.scanner.told) > 0 { // by an archive's first file
		for k, name := range d.scanner.told {
			d.places[name] = k
		}
		return
	}
	if d.over = d.tellColumns(names); d.over != nil {
		d.stopped = true
		return
	}
	for k, i := range d.own {
		d.places[names[i]] = k
	}
	if id >= 0 {
		d.places[names[id]] = -1
	}
}

// wanted returns the cells of Options.Cells. Missing ones are empty. Two items that match are an error.
func (d *sdf) wanted(names, values []string) ([]string, *twins) {
	cells := make([]string, len(d.opt.Cells))
	for k, name := range d.opt.Cells {
		i, err := d.find(names, name)
		if err != nil {
			return nil, err
		}
		if i >= 0 {
			cells[k] = cellOf([]byte(values[i]))
		}
	}
	return cells, nil
}

// find is columnCalled for a name that at least one record must have: once found, it is no longer missing.
func (d *sdf) find(names []string, name string) (int, *twins) {
	i, err := columnCalled(names, name)
	if i >= 0 {
		d.missing = slices.DeleteFunc(d.missing, func(m string) bool { return m == name })
	}
	return i, err
}
