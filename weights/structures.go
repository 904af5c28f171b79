package weights

import (
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"baca/algo"
)

// The known columns of structures. Readers skip others.
const (
	smilesColumn    = "smiles"
	nameColumn      = "name"
	observedColumn  = "observed"
	predictedColumn = "predicted"
	maxColumns      = 64
)

// structures writes or reads the structures of training graphs.
func (c *codec) structures(m *algo.Model) {
	rows := 0
	if c.writes {
		rows = len(m.Structures.SMILES)
	}
	c.fields("", 2)
	c.count("rows", &rows)
	c.require(rows >= 1 && rows <= maxKnown, ErrRows, "%d structures, want 1 to %d", rows, maxKnown)
	c.key("columns")
	if c.writes {
		c.writeColumns(m.Structures, rows)
	} else {
		m.Structures = c.readColumns(rows)
	}
}

// writeColumns writes the structures of a model as columns, of rows values each.
func (c *codec) writeColumns(s *algo.Structures, rows int) {
	names, texts := []string{smilesColumn}, [][]string{s.SMILES}
	add := func(name string, list []string) {
		if list != nil {
			names, texts = append(names, name), append(texts, list)
		}
	}
	add(nameColumn, s.Names)
	add(observedColumn, c.decimals(observedColumn, s.Observed))
	add(predictedColumn, c.decimals(predictedColumn, s.Predicted))
	c.entries("columns", len(names))
	for i, name := range names {
		c.writeLines(name, texts[i], rows)
	}
}

// decimals formats numbers by their shortest exact decimals, NaN as "", and a nil list as nil. It fails for infinities.
func (c *codec) decimals(key string, list []float64) []string {
	if list == nil {
		return nil
	}
	texts := make([]string, len(list))
	for i, x := range list {
		if math.IsInf(x, 0) {
			c.fail(ErrNumber, "%s has %g, want finite numbers, or NaN for none", key, x)
		}
		if !math.IsNaN(x) {
			texts[i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return texts
}

// numbers parses a column. An empty line is NaN. It fails for other lines that are no finite number.
func (c *codec) numbers(key string, texts []string) []float64 {
	list := make([]float64, len(texts))
	for i, text := range texts {
		x, err := math.NaN(), error(nil)
		if text != "" {
			x, err = strconv.ParseFloat(text, 64)
		}
		if err != nil || text != "" && !finite(x) {
			c.fail(ErrNumber, "column %q has %q in line %d, want a finite number or nothing", key, text, i+1)
		}
		list[i] = x
	}
	return list
}

// writeLines writes a column of rows texts, one a line. Line ends within a text become blanks. Texts must be UTF-8.
func (c *codec) writeLines(key string, list []string, rows int) {
	c.require(len(list) == rows, ErrRows, "%s has %d values for %d rows", key, len(list), rows)
	var b []byte
	for _, text := range list {
		if !utf8.ValidString(text) {
			c.fail(ErrFormat, "%s has %q, which is not UTF-8", key, text)
		}
		b = append(append(b, strings.NewReplacer("\n", " ", "\r", " ").Replace(text)...), '\n')
	}
	c.bin(key, b)
}

// readColumns reads what writeColumns wrote: the SMILES, and other columns in any order. It skips unknown columns, and
// fails for a column that is there twice.
func (c *codec) readColumns(rows int) *algo.Structures {
	s := new(algo.Structures)
	columns := c.entries("columns", 0)
	c.require(columns >= 1 && columns <= maxColumns, ErrFormat, "%d columns, want 1 to %d", columns, maxColumns)
	s.SMILES = c.lines(smilesColumn, rows)
	seen := map[string]bool{smilesColumn: true}
	for i := 1; i < columns; i++ {
		name := c.next()
		c.require(!seen[name], ErrFormat, "column %q is there twice", name)
		seen[name] = true
		switch list := c.lines(name, rows); name {
		case nameColumn:
			s.Names = list
		case observedColumn:
			s.Observed = c.numbers(name, list)
		case predictedColumn:
			s.Predicted = c.numbers(name, list)
		}
	}
	return s
}

// next returns the next key without reading it.
func (c *codec) next() string {
	at := len(c.data) - c.remaining()
	name := c.str("the next key")
	c.rest.Seek(int64(at), io.SeekStart)
	return name
}

// lines reads a column of texts. It fails unless there are as many as rows says, each with a line end, in UTF-8.
func (c *codec) lines(key string, rows int) []string {
	b := c.bin(key, nil)
	n := bytes.Count(b, []byte{'\n'})
	c.require(n == rows && (len(b) == 0 || b[len(b)-1] == '\n'), ErrRows,
		"column %q has %d lines, want %d, each with its end", key, n, rows)
	c.require(utf8.Valid(b), ErrFormat, "column %q is not UTF-8", key)
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// checkStructures fails for structures in a model of plain graphs or made for sharing, and unless there is one for each
// known training graph.
func checkStructures(m *algo.Model) {
	if m.Structures == nil {
		return
	}
	require(m.Card.Schema != algo.Constant && m.Shared <= 0, ErrRows, "a model that holds no molecules has structures")
	n := len(m.Structures.SMILES)
	require(n == m.Known(), ErrRows, "%d structures for %d training graphs", n, m.Known())
}
