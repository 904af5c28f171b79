// Package table is what a run over a file of graphs has in common wherever it
// runs: records in, batches of them to score together, and rows of scores out.
// The command and the page share it, so that both give the same rows.
package table

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
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

// Parse yields the records in order, parsed on the given number of goroutines (0:
// one for each core), as [dataset.Ordered] does.
func Parse(ctx context.Context, workers int, records iter.Seq2[Unread, error]) iter.Seq2[Record, error] {
	return dataset.Ordered(ctx, workers, records, func(u Unread) Record { return u() })
}

// Columns are the keys of a row of scores, in order.
var Columns = []string{"id", "smiles", "s_pre", "s_attn", "s_baca", "score", "p_value", "verdict", "error"}

// BatchColumns are the columns of both answers, about the graph by itself and about the
// graph in its batch, in the order of BatchCells.
var BatchColumns = []string{"alone", "alone_p", "batch", "batch_p", "batch_verdict"}

// BatchCells returns the values of BatchColumns, for a writer.
func BatchCells(row *algo.Row) []any {
	return []any{row.Alone, row.AloneP, row.Batch, row.BatchP, string(row.BatchVerdict)}
}

// A Writer writes rows of scores, and its errors stay until Flush.
type Writer interface {
	// Write writes a record with its scores, or if it is refused with nil. Only
	// the id, the SMILES and the error of the record are used. more are the values
	// of further columns, of which the last ones may be missing: string, bool,
	// float64 (NaN for none), []string or []float64.
	Write(r Record, row *algo.Row, more ...any)
	Flush() error
}

// NewCSV returns a writer of CSV, which begins with a header if that is wanted. more
// names columns behind the usual ones. In a cell numbers of a list are separated by
// blanks, and texts by "; ".
func NewCSV(w io.Writer, text Text, header bool, more ...string) Writer {
	c := &csvRows{w: csv.NewWriter(w), text: text, more: len(more)}
	if header {
		c.w.Write(slices.Concat(Columns, more))
	}
	return c
}

// NewJSONLines returns a writer of one JSON object a line. more names keys behind the
// usual ones.
func NewJSONLines(w io.Writer, more ...string) Writer {
	return &jsonRows{w: bufio.NewWriterSize(w, 64<<10), more: more}
}

// NewRows returns a writer of either form, csv or jsonl.
func NewRows(w io.Writer, to string, text Text, header bool, more ...string) Writer {
	if to == "jsonl" {
		return NewJSONLines(w, more...)
	}
	return NewCSV(w, text, header, more...)
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

// cells are the values of a row in the order of Columns, empty for none.
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

type csvRows struct {
	w    *csv.Writer
	text Text
	more int
}

func (c *csvRows) Write(r Record, row *algo.Row, more ...any) {
	fields := cells(r, row)
	for _, i := range []int{0, 1, 8} { // the others are numbers and a verdict
		fields[i] = c.text.Cell(fields[i])
	}
	if c.more == 0 {
		c.w.Write(fields[:])
		return
	}
	all := append(make([]string, 0, len(fields)+c.more), fields[:]...)
	for i := range c.more {
		if i < len(more) {
			all = append(all, c.cell(more[i]))
		} else {
			all = append(all, "")
		}
	}
	c.w.Write(all)
}

// cell is a value of a further column.
func (c *csvRows) cell(value any) string {
	switch v := value.(type) {
	case string:
		return c.text.Cell(v)
	case []string:
		return c.text.Cell(strings.Join(v, "; "))
	case []float64:
		texts := make([]string, len(v))
		for i, x := range v {
			if texts[i] = Number(x); texts[i] == "" {
				texts[i] = "nan" // so that the others keep their places
			}
		}
		return strings.Join(texts, " ")
	}
	return scalar(value)
}

// scalar is a number, a truth value or none, which CSV and JSON write alike.
func scalar(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return Number(v)
	}
	panic(fmt.Sprintf("table: a cell of type %T", value))
}

func (c *csvRows) Flush() error {
	c.w.Flush()
	return c.w.Error()
}

type jsonRows struct {
	w    *bufio.Writer
	more []string
}

func (j *jsonRows) Write(r Record, row *algo.Row, more ...any) {
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
			j.text(cell)
		}
	}
	for i, name := range j.more {
		j.w.WriteByte(',')
		j.w.WriteString(strconv.Quote(name))
		j.w.WriteByte(':')
		if i < len(more) {
			j.value(more[i])
		} else {
			j.w.WriteString("null")
		}
	}
	j.w.WriteString("}\n")
}

// text writes a JSON string.
func (j *jsonRows) text(s string) {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	j.w.Write(text)
}

// value writes a value of a further column.
func (j *jsonRows) value(value any) {
	list := func(n int, item func(i int)) {
		j.w.WriteByte('[')
		for i := range n {
			if i > 0 {
				j.w.WriteByte(',')
			}
			item(i)
		}
		j.w.WriteByte(']')
	}
	switch v := value.(type) {
	case string:
		j.text(v)
	case []string:
		list(len(v), func(i int) { j.text(v[i]) })
	case []float64:
		list(len(v), func(i int) { j.value(v[i]) })
	default:
		if c := scalar(v); c != "" {
			j.w.WriteString(c)
		} else {
			j.w.WriteString("null")
		}
	}
}

func (j *jsonRows) Flush() error { return j.w.Flush() }

// A Rejects writes the refused records as CSV.
type Rejects struct {
	w    *csv.Writer
	text Text
}

// NewRejects returns a writer, which begins with a header if that is wanted.
func NewRejects(w io.Writer, text Text, header bool) *Rejects {
	r := &Rejects{csv.NewWriter(w), text}
	if header {
		r.w.Write([]string{"row", "line", "id", "input", "error"})
	}
	return r
}

// Write writes a record that has an error.
func (w *Rejects) Write(r Record) {
	w.w.Write([]string{strconv.Itoa(r.Row), strconv.Itoa(r.Line), w.text.Cell(r.ID), w.text.Cell(r.SMILES), w.text.Cell(r.Err.Error())})
}

// Flush returns the first error of writing.
func (w *Rejects) Flush() error {
	w.w.Flush()
	return w.w.Error()
}
