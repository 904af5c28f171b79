package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"syscall"

	"baca/algo"
)

// columns are the keys of a row of scores, in order.
var columns = []string{"id", "smiles", "s_pre", "s_attn", "s_baca", "score", "p_value", "verdict", "error"}

// A rowWriter writes rows of scores, and its errors stay until Flush.
type rowWriter interface {
	// Write writes a record with its scores, or if it is refused with nil.
	Write(r record, row *algo.Row)
	Flush() error
}

// newRowWriter returns a writer for csv or jsonl. A CSV header is written at
// once.
func newRowWriter(w io.Writer, to string) rowWriter {
	if to == "jsonl" {
		return &jsonRows{w: bufio.NewWriterSize(w, 64<<10)}
	}
	c := &csvRows{w: csv.NewWriter(w)}
	c.w.Write(columns)
	return c
}

// number has six digits, so that rows are stable where the last bits are not.
// It is empty where there is no value.
func number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	s := strconv.FormatFloat(x, 'g', 6, 64)
	if s == "-0" {
		return "0"
	}
	return s
}

// cells are the fields of a row in the order of columns, empty for none.
func cells(r record, row *algo.Row) [9]string {
	c := [9]string{0: r.id, 1: r.smiles}
	if r.err != nil {
		c[8] = r.err.Error()
	}
	if row != nil {
		for i, x := range []float64{row.Pre, row.Attn, row.BaCa, row.Score, row.P} {
			c[2+i] = number(x)
		}
		c[7] = string(row.Verdict)
	}
	return c
}

type csvRows struct{ w *csv.Writer }

func (c *csvRows) Write(r record, row *algo.Row) {
	fields := cells(r, row)
	c.w.Write(fields[:])
}

func (c *csvRows) Flush() error {
	c.w.Flush()
	return c.w.Error()
}

type jsonRows struct{ w *bufio.Writer }

func (j *jsonRows) Write(r record, row *algo.Row) {
	j.w.WriteByte('{')
	for i, cell := range cells(r, row) {
		if i > 0 {
			j.w.WriteByte(',')
		}
		j.w.WriteString(strconv.Quote(columns[i]))
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

// A rejects writes the refused records, for --rejects.
type rejects struct{ w *csv.Writer }

func newRejects(w io.Writer) *rejects {
	r := &rejects{csv.NewWriter(w)}
	r.w.Write([]string{"row", "line", "id", "input", "error"})
	return r
}

func (w *rejects) Write(r record) {
	w.w.Write([]string{strconv.Itoa(r.row), strconv.Itoa(r.line), r.id, r.smiles, r.err.Error()})
}

func (w *rejects) Flush() error {
	w.w.Flush()
	return w.w.Error()
}

// create makes a file for output. It must not be the input, which may be nil.
func create(flag, name string, input fs.FileInfo) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && input != nil && os.SameFile(info, input) {
		return nil, usagef("%s %s is the input itself: want another file", flag, name)
	}
	return os.Create(name)
}

// closeInto closes f, whose error counts if there was none before.
func closeInto(f io.Closer, err *error) {
	if cerr := f.Close(); cerr != nil && *err == nil {
		*err = cerr
	}
}

// errClosed says that whoever read standard output has seen enough, as head has.
var errClosed = errors.New("standard output is closed")

// written makes an error of writing to a file, or with no name to standard
// output, say so.
func written(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case name != "":
		return fmt.Errorf("writing to %s: %w", name, err)
	case errors.Is(err, syscall.EPIPE):
		return errClosed
	}
	return fmt.Errorf("writing to standard output: %w", err)
}
