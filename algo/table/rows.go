package table

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Writer writes rows of scores. Errors stay until Flush.
type Writer interface {
	// Write writes rows with the announced columns.
	Write(columns []Column)
	Flush() error
	// Close writes what follows the last row. It does not close the file.
	Close() error
}

const rowsBuffer = 64 << 10

// NewRows returns a writer of the form to: csv, tsv or jsonl. CSV and TSV begin with the names of columns if header is set;
// their cells of lists separate numbers by blanks, texts by "; ".
func NewRows(w io.Writer, to string, text Text, header bool, columns []Column) Writer {
	r := &rows{w: w, text: text, separator: ','}
	if to == "tsv" {
		r.separator = '\t'
	}
	if to == "jsonl" {
		for i := range columns {
			before := ","
			if i == 0 {
				before = "{"
			}
			r.names = append(r.names, string(appendString([]byte(before), columns[i].Name))+":")
		}
		return r
	}
	if header {
		for i := range columns {
			if i > 0 {
				r.out = append(r.out, r.separator)
			}
			from := len(r.out)
			r.out = append(r.out, text.Cell(columns[i].Name)...)
			r.quote(from)
		}
		r.out = append(r.out, '\n')
	}
	return r
}

// rows appends rows to one buffer. Common columns cost no allocation.
type rows struct {
	w     io.Writer
	text  Text
	names []string // prefixes of JSON values; nil for csv
	out   []byte   // not written yet
	cell  []byte   // of quote
	err   error    // the first of w

	separator byte // of csv
}

// Write formats the rows of columns into r.out, and writes that out when it has rowsBuffer bytes.
func (r *rows) Write(columns []Column) {
	for row := range Rows(columns) {
		if r.names != nil {
			for i := range columns {
				r.out = append(r.out, r.names[i]...)
				r.out = appendJSON(r.out, &columns[i], row)
			}
			r.out = append(r.out, '}')
		} else {
			for i := range columns {
				if i > 0 {
					r.out = append(r.out, r.separator)
				}
				from := len(r.out)
				r.out = appendCell(r.out, &columns[i], row, r.text)
				r.quote(from)
			}
		}
		if r.out = append(r.out, '\n'); len(r.out) >= rowsBuffer {
			r.write()
		}
	}
}

// write writes out r.out and empties it. After the first error, which stays in r.err, it only empties it.
func (r *rows) write() {
	if r.err == nil && len(r.out) > 0 {
		_, r.err = r.w.Write(r.out)
	}
	r.out = r.out[:0]
}

// Flush writes what is left and returns the first error of all writes.
func (r *rows) Flush() error {
	r.write()
	return r.err
}

func (r *rows) Close() error { return r.Flush() }

// quote puts the last cell of r.out, from from on, in quotes if encoding/csv would.
func (r *rows) quote(from int) {
	cell := r.out[from:]
	if !needsQuotes(cell, r.separator) {
		return
	}
	r.cell = append(r.cell[:0], cell...)
	r.out = append(r.out[:from], '"')
	for _, c := range r.cell {
		if c == '"' {
			r.out = append(r.out, '"')
		}
		r.out = append(r.out, c)
	}
	r.out = append(r.out, '"')
}

// needsQuotes reports whether a cell has a separator, quote or line end, begins with white space, or is PostgreSQL's end
// marker.
func needsQuotes(cell []byte, separator byte) bool {
	if len(cell) == 0 {
		return false
	}
	if string(cell) == `\.` {
		return true
	}
	for _, c := range cell {
		if c == separator || c == '"' || c == '\n' || c == '\r' {
			return true
		}
	}
	first, _ := utf8.DecodeRune(cell)
	return unicode.IsSpace(first)
}

// appendCell appends the value of a row as in CSV, without quotes, and nothing if there is none.
func appendCell(b []byte, c *Column, row int, text Text) []byte {
	switch c.Kind {
	case Texts:
		return append(b, text.Cell(c.Texts[row])...)
	case Numbers:
		return appendNumber(b, c.Numbers[row], "")
	case Truths:
		return appendTruth(b, c.Numbers[row], "")
	case TextLists:
		return append(b, text.Cell(strings.Join(c.TextLists[row], "; "))...)
	}
	for i, x := range c.NumberLists[row] {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendNumber(b, x, "nan") // so that further numbers keep their places
	}
	return b
}

// appendJSON appends the value of a row as JSON, null where there is none.
func appendJSON(b []byte, c *Column, row int) []byte {
	const none = "null"
	switch {
	case c.Kind == Texts && c.Texts[row] != "":
		return appendString(b, c.Texts[row])
	case c.Kind == Numbers:
		return appendNumber(b, c.Numbers[row], none)
	case c.Kind == Truths:
		return appendTruth(b, c.Numbers[row], none)
	case c.Kind == TextLists && c.TextLists[row] != nil:
		return appendList(b, c.TextLists[row], appendString)
	case c.Kind == NumberLists && c.NumberLists[row] != nil:
		return appendList(b, c.NumberLists[row], func(b []byte, x float64) []byte { return appendNumber(b, x, none) })
	}
	return append(b, none...)
}

// appendTruth appends 0 as false, NaN as none, and other numbers as true.
func appendTruth(b []byte, x float64, none string) []byte {
	if math.IsNaN(x) {
		return append(b, none...)
	}
	return strconv.AppendBool(b, x != 0)
}

// appendList appends a JSON list whose elements form appends.
func appendList[T any](b []byte, values []T, form func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = form(b, v)
	}
	return append(b, ']')
}

// appendString appends a text as encoding/json does, which it calls only for texts with characters that may be escaped.
func appendString(b []byte, s string) []byte {
	for _, c := range []byte(s) {
		if c < ' ' || c >= utf8.RuneSelf-1 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			text, err := json.Marshal(s)
			if err != nil {
				panic(err) // a string always has a JSON form
			}
			return append(b, text...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// Number writes a number with six digits, so that rows are stable where last bits are not. NaN and infinities are "".
func Number(x float64) string { return string(appendNumber(nil, x, "")) }

// appendNumber appends x as Number writes it, but none for NaN and infinities.
func appendNumber(b []byte, x float64, none string) []byte {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return append(b, none...)
	case x == 0:
		return append(b, '0') // drops the sign of −0
	}
	return strconv.AppendFloat(b, x, 'g', 6, 64)
}
