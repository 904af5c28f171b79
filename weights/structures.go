package weights

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"baca/algo"
)

// The known columns of structures. Others are skipped.
const (
	smilesColumn    = "smiles"
	nameColumn      = "name"
	observedColumn  = "observed"
	predictedColumn = "predicted"
	maxColumns      = 64
)

// structures writes the structures of training graphs.
func (p *writer) structures(s *algo.Structures) {
	rows := len(s.SMILES)
	names, texts := []string{smilesColumn}, [][]string{s.SMILES}
	add := func(name string, list []string) {
		if list != nil {
			names, texts = append(names, name), append(texts, list)
		}
	}
	add(nameColumn, s.Names)
	add(observedColumn, p.numbers(observedColumn, s.Observed))
	add(predictedColumn, p.numbers(predictedColumn, s.Predicted))
	p.fields("", 2)
	p.count("rows", &rows)
	p.fields("columns", len(names))
	for i, name := range names {
		p.lines(name, texts[i], rows)
	}
	if rows == 0 || rows > maxKnown {
		p.check(fmt.Errorf("%w: %d structures, want 1 to %d", ErrRows, rows, maxKnown))
	}
}

// numbers are the shortest exact decimals, empty for NaN; nil for none.
func (w *writer) numbers(key string, list []float64) []string {
	if list == nil {
		return nil
	}
	texts := make([]string, len(list))
	for i, x := range list {
		if math.IsInf(x, 0) {
			w.check(fmt.Errorf("%w: %s has %g, want finite numbers, or NaN for none", ErrNumber, key, x))
		}
		if !math.IsNaN(x) {
			texts[i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return texts
}

// numbers parses a column, NaN for an empty line.
func (r *reader) numbers(key string, texts []string) []float64 {
	list := make([]float64, len(texts))
	for i, text := range texts {
		x, err := math.NaN(), error(nil)
		if text != "" {
			x, err = strconv.ParseFloat(text, 64)
		}
		if err != nil || text != "" && !finite(x) {
			r.fail(ErrNumber, "column %q has %q in line %d, want a finite number or nothing", key, text, i+1)
		}
		list[i] = x
	}
	return list
}

// lines writes texts, a line each. Line ends in them become blanks.
func (w *writer) lines(key string, list []string, rows int) {
	if len(list) != rows {
		w.check(fmt.Errorf("%w: %s has %d values for %d rows", ErrRows, key, len(list), rows))
	}
	var b []byte
	for _, text := range list {
		if !utf8.ValidString(text) {
			w.check(fmt.Errorf("%w: %s has %q, which is not UTF-8", ErrFormat, key, text))
		}
		b = append(append(b, strings.NewReplacer("\n", " ", "\r", " ").Replace(text)...), '\n')
	}
	w.bytes(key, b)
}

// structures reads the structures of training graphs.
func (r *reader) structures() *algo.Structures {
	s, rows := new(algo.Structures), 0
	r.fields("", 2)
	r.count("rows", &rows)
	if rows == 0 || rows > maxKnown {
		r.fail(ErrRows, "%d structures, want 1 to %d", rows, maxKnown)
	}
	r.key("columns")
	columns := r.entries("columns")
	if columns == 0 || columns > maxColumns {
		r.fail(ErrFormat, "%d columns, want 1 to %d", columns, maxColumns)
	}
	s.SMILES = r.lines(smilesColumn, rows)
	seen := map[string]bool{smilesColumn: true}
	for i := 1; i < columns; i++ {
		name := r.next()
		if seen[name] {
			r.fail(ErrFormat, "column %q is there twice", name)
		}
		seen[name] = true
		switch list := r.lines(name, rows); name {
		case nameColumn:
			s.Names = list
		case observedColumn:
			s.Observed = r.numbers(name, list)
		case predictedColumn:
			s.Predicted = r.numbers(name, list)
		}
	}
	return s
}

// next returns the next key without reading it.
func (r *reader) next() string {
	at := len(r.data) - r.remaining()
	name := r.str("the next key")
	r.r.Seek(int64(at), io.SeekStart)
	return name
}

// lines reads as many lines.
func (r *reader) lines(key string, rows int) []string {
	b := r.bin(key)
	if n := bytes.Count(b, []byte{'\n'}); n != rows || len(b) > 0 && b[len(b)-1] != '\n' {
		r.fail(ErrRows, "column %q has %d lines, want %d, each with its end", key, n, rows)
	}
	if !utf8.Valid(b) {
		r.fail(ErrFormat, "column %q is not UTF-8", key)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// checkStructures rejects structures that do not match the training graphs.
func checkStructures(m *algo.Model) error {
	if m.Structures == nil {
		return nil
	}
	if m.Card.Schema == algo.Constant || m.Shared > 0 {
		return fmt.Errorf("%w: a model that holds no molecules has structures", ErrRows)
	}
	if n := len(m.Structures.SMILES); n != m.Known() {
		return fmt.Errorf("%w: %d structures for %d training graphs", ErrRows, n, m.Known())
	}
	return nil
}
