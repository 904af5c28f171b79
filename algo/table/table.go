// Package table has the records of an input and the rows of scores that are written of
// them: one list of columns, for files, messages and help.
package table

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/graph"
)

// A Record is one graph of an input, or why there is none.
type Record struct {
	Row    int // from 1
	Line   int // from 1; 0 if the input has no lines
	ID     string
	SMILES string // empty where the input has none
	Graph  *graph.Graph
	Err    error
}

// An Unread record is one that is yet to be parsed, which may be done on any
// goroutine.
type Unread func() Record

// Molecules yields the records of r in order, see [dataset.Records]. A record
// without an id has the number of its row for that.
func Molecules(r io.Reader, opt dataset.Options) iter.Seq2[Unread, error] {
	return func(yield func(Unread, error) bool) {
		for rec, err := range dataset.Records(r, opt) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(func() Record { return FromMolecule(rec.Parsed(opt.Form)) }, nil) {
				return
			}
		}
	}
}

// FromMolecule returns the record of a molecule. Without an id that is the number
// of its row.
func FromMolecule(m dataset.Record) Record {
	r := Record{Row: m.Row + 1, Line: m.Line, ID: m.ID, SMILES: m.SMILES, Graph: m.Graph, Err: m.Err}
	if r.ID == "" {
		r.ID = strconv.Itoa(r.Row)
	}
	return r
}

// Graphs yields a record for each graph of a set, with its number for id.
func Graphs(gs []*graph.Graph) iter.Seq2[Unread, error] {
	return func(yield func(Unread, error) bool) {
		for i, g := range gs {
			if !yield(func() Record { return Record{Row: i + 1, ID: strconv.Itoa(i + 1), Graph: g} }, nil) {
				return
			}
		}
	}
}

// A Scored record is what a row is written from.
type Scored struct {
	Record
	Scores *algo.Row // nil for a refused record
	Q      float64   // q-value, for columns OfRate
	Why    *Why      // for columns OfReasons; nil without
	// Nearest are for columns OfNeighbors; nil for those of Why.
	Nearest []algo.TrainingGraph
}

// Parse yields the records in order, parsed on the given number of goroutines (0:
// one for each core), as [dataset.Ordered] does.
func Parse(ctx context.Context, workers int, records iter.Seq2[Unread, error]) iter.Seq2[Record, error] {
	return dataset.Ordered(ctx, workers, records, func(u Unread) Record { return u() })
}

// A Writer writes rows of scores, and its errors stay until Flush.
type Writer interface {
	Write(Scored)
	Flush() error
}

// NewRows returns a writer of csv or jsonl. CSV begins with a header if that is wanted; in
// a cell numbers of a list are separated by blanks, and texts by "; ".
func NewRows(w io.Writer, to string, text Text, header bool, columns []Column) Writer {
	if to == "jsonl" {
		return &jsonRows{w: bufio.NewWriterSize(w, 64<<10), columns: columns}
	}
	c := &csvRows{w: csv.NewWriter(w), text: text, columns: columns, cells: make([]string, len(columns))}
	if header {
		for i := range columns {
			c.cells[i] = columns[i].Name
		}
		c.w.Write(c.cells)
	}
	return c
}

// Number has six digits, so that rows are stable where the last bits are not. It
// is empty where there is no value.
func Number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	s := strconv.FormatFloat(x, 'g', 6, 64)
	if s == "-0" {
		return "0"
	}
	return s
}

type csvRows struct {
	w       *csv.Writer
	text    Text
	columns []Column
	cells   []string // of the row that is written
}

func (c *csvRows) Write(s Scored) {
	for i := range c.columns {
		c.cells[i] = c.cell(&c.columns[i], &s)
	}
	c.w.Write(c.cells)
}

func (c *csvRows) cell(column *Column, s *Scored) string {
	switch {
	case !column.Filled(s):
		return ""
	case column.Text != nil:
		return c.text.Cell(column.Text(s))
	case column.Number != nil:
		return Number(column.Number(s))
	case column.Truth != nil:
		return strconv.FormatBool(column.Truth(s))
	case column.Texts != nil:
		return c.text.Cell(strings.Join(column.Texts(s), "; "))
	}
	numbers := column.Numbers(s)
	texts := make([]string, len(numbers))
	for i, x := range numbers {
		texts[i] = cmp.Or(Number(x), "nan") // so that the others keep their places
	}
	return strings.Join(texts, " ")
}

func (c *csvRows) Flush() error {
	c.w.Flush()
	return c.w.Error()
}

type jsonRows struct {
	w       *bufio.Writer
	columns []Column
}

func (j *jsonRows) Write(s Scored) {
	separator := "{"
	for i := range j.columns {
		c := &j.columns[i]
		j.w.WriteString(separator + strconv.Quote(c.Name) + ":" + c.json(&s))
		separator = ","
	}
	j.w.WriteString("}\n")
}

func (c *Column) json(s *Scored) string {
	switch {
	case !c.Filled(s):
		return "null"
	case c.Text != nil:
		if text := c.Text(s); text != "" {
			return jsonText(text)
		}
		return "null"
	case c.Number != nil:
		return jsonNumber(c.Number(s))
	case c.Truth != nil:
		return strconv.FormatBool(c.Truth(s))
	case c.Texts != nil:
		return jsonList(c.Texts(s), jsonText)
	}
	return jsonList(c.Numbers(s), jsonNumber)
}

func jsonNumber(x float64) string { return cmp.Or(Number(x), "null") }

func jsonText(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(text)
}

func jsonList[T any](values []T, form func(T) string) string {
	items := make([]string, len(values))
	for i, v := range values {
		items[i] = form(v)
	}
	return "[" + strings.Join(items, ",") + "]"
}

func (j *jsonRows) Flush() error { return j.w.Flush() }

// RejectColumns are those of a file of refused records.
func RejectColumns() []Column {
	return []Column{
		{Name: "row", Group: OfRecord, Text: func(s *Scored) string { return strconv.Itoa(s.Row) }},
		{Name: "line", Group: OfRecord, Text: func(s *Scored) string { return strconv.Itoa(s.Line) }},
		{Name: "id", Group: OfRecord, Text: func(s *Scored) string { return s.ID }},
		{Name: "input", Group: OfRecord, Text: func(s *Scored) string { return s.SMILES }},
		{Name: "error", Group: OfRecord, Text: func(s *Scored) string { return s.Err.Error() }},
	}
}
