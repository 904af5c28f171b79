// Package table is what a run over a file of graphs has in common wherever it
// runs: records in, batches of them to score together, and rows of scores out.
// The command and the page share it, so that both give the same rows.
package table

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"math"
	"strconv"

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
			if !yield(func() Record { return FromMolecule(rec.Parsed(opt.Canonical)) }, nil) {
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

// Parse yields the records in order, parsed on the given number of goroutines (0:
// one for each core), as [dataset.Ordered] does.
func Parse(ctx context.Context, workers int, records iter.Seq2[Unread, error]) iter.Seq2[Record, error] {
	return dataset.Ordered(ctx, workers, records, func(u Unread) Record { return u() })
}

// Columns are the keys of a row of scores, in order.
var Columns = []string{"id", "smiles", "s_pre", "s_attn", "s_baca", "score", "p_value", "verdict", "error"}

// A Writer writes rows of scores, and its errors stay until Flush.
type Writer interface {
	// Write writes a record with its scores, or if it is refused with nil. Only
	// the id, the SMILES and the error of the record are used.
	Write(r Record, row *algo.Row)
	Flush() error
}

// NewCSV returns a writer of CSV, which begins with a header if that is wanted.
func NewCSV(w io.Writer, header bool) Writer {
	c := &csvRows{w: csv.NewWriter(w)}
	if header {
		c.w.Write(Columns)
	}
	return c
}

// NewJSONLines returns a writer of one JSON object a line.
func NewJSONLines(w io.Writer) Writer {
	return &jsonRows{w: bufio.NewWriterSize(w, 64<<10)}
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

// cells are the fields of a row in the order of Columns, empty for none.
func cells(r Record, row *algo.Row) [9]string {
	c := [9]string{0: r.ID, 1: r.SMILES}
	if r.Err != nil {
		c[8] = r.Err.Error()
	}
	if row != nil {
		for i, x := range []float64{row.Pre, row.Attn, row.BaCa, row.Score, row.P} {
			c[2+i] = Number(x)
		}
		c[7] = string(row.Verdict)
	}
	return c
}

type csvRows struct{ w *csv.Writer }

func (c *csvRows) Write(r Record, row *algo.Row) {
	fields := cells(r, row)
	c.w.Write(fields[:])
}

func (c *csvRows) Flush() error {
	c.w.Flush()
	return c.w.Error()
}

type jsonRows struct{ w *bufio.Writer }

func (j *jsonRows) Write(r Record, row *algo.Row) {
	j.w.WriteByte('{')
	for i, cell := range cells(r, row) {
		if i > 0 {
			j.w.WriteByte(',')
		}
		j.w.WriteString(strconv.Quote(Columns[i]))
		j.w.WriteByte(':')
		switch {
		case cell == "":
			j.w.WriteString("null")
		case i >= 2 && i <= 6:
			j.w.WriteString(cell)
		default:
			text, err := json.Marshal(cell)
			if err != nil {
				panic(err) // a string always has a JSON form
			}
			j.w.Write(text)
		}
	}
	j.w.WriteString("}\n")
}

func (j *jsonRows) Flush() error { return j.w.Flush() }

// A Rejects writes the refused records as CSV.
type Rejects struct{ w *csv.Writer }

// NewRejects returns a writer, which begins with a header if that is wanted.
func NewRejects(w io.Writer, header bool) *Rejects {
	r := &Rejects{csv.NewWriter(w)}
	if header {
		r.w.Write([]string{"row", "line", "id", "input", "error"})
	}
	return r
}

// Write writes a record that has an error.
func (w *Rejects) Write(r Record) {
	w.w.Write([]string{strconv.Itoa(r.Row), strconv.Itoa(r.Line), r.ID, r.SMILES, r.Err.Error()})
}

// Flush returns the first error of writing.
func (w *Rejects) Flush() error {
	w.w.Flush()
	return w.w.Error()
}
