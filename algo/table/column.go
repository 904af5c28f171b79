package table

import (
	"io"
	"math"

	"baca/algo/internal/lists"
	"baca/algo/parquet"
)

type Kind = parquet.Kind

// The kinds.
const (
	Texts       = parquet.Texts
	Numbers     = parquet.Numbers
	Truths      = parquet.Truths
	TextLists   = parquet.TextLists
	NumberLists = parquet.NumberLists
)

// A Column has a value of each row, in the list of its kind. It is all that writers, messages
// and the page know of a row.
type Column = parquet.Cells

// TextColumn returns a column of texts.
func TextColumn(name string, values []string) Column {
	return Column{Name: name, Kind: Texts, Texts: values}
}

// NumberColumn returns a column of numbers.
func NumberColumn(name string, values []float64) Column {
	return Column{Name: name, Kind: Numbers, Numbers: values}
}

// Rows returns the number of rows of columns, 0 without columns.
func Rows(columns []Column) int {
	if len(columns) == 0 {
		return 0
	}
	return columns[0].Len()
}

// Named returns a column by name, or nil.
func Named(columns []Column, name string) *Column {
	for i := range columns {
		if columns[i].Name == name {
			return &columns[i]
		}
	}
	return nil
}

// Pick returns copies of the columns with only the rows of order, in that order.
func Pick(columns []Column, order []int32) []Column {
	list := make([]Column, len(columns))
	for i, c := range columns {
		list[i] = Column{
			Name: c.Name, Kind: c.Kind, Texts: pick(c.Texts, order), Numbers: pick(c.Numbers, order),
			TextLists: pick(c.TextLists, order), NumberLists: pick(c.NumberLists, order),
		}
	}
	return list
}

// pick returns the values at the indices of order, or nil for nil.
func pick[T any](values []T, order []int32) []T {
	if values == nil {
		return nil
	}
	return lists.Map(order, func(i int32) T { return values[i] })
}

// A Sheet computes fields of rows.
type Sheet struct {
	fields  []Field
	columns []Column
}

// NewSheet returns a sheet of fields.
func NewSheet(fields []Field) *Sheet {
	s := &Sheet{fields: fields}
	for i := range fields {
		s.columns = append(s.columns, Column{Name: fields[i].Name, Kind: fields[i].kind()})
	}
	return s
}

// Of returns the columns of rows, valid until the next call.
func (s *Sheet) Of(rows []Row) []Column {
	for i := range s.columns {
		c := &s.columns[i]
		c.Texts, c.Numbers, c.TextLists, c.NumberLists = c.Texts[:0], c.Numbers[:0], c.TextLists[:0], c.NumberLists[:0]
		for _, r := range rows {
			s.fields[i].add(c, r)
		}
	}
	return s.columns
}

// Of returns the columns of rows.
func Of(fields []Field, rows []Row) []Column { return NewSheet(fields).Of(rows) }

// kind returns the kind of the field's column, which depends on the function that the field has.
func (f *Field) kind() Kind {
	switch {
	case f.Text != nil || f.Input != nil:
		return Texts
	case f.Number != nil || f.Score != nil || f.Same != nil:
		return Numbers
	case f.Truth != nil:
		return Truths
	case f.Texts != nil:
		return TextLists
	}
	return NumberLists
}

// add appends the field of a row to its column c. The field is filled if the row is scored and has what the field is about:
// reasons need an explanation, truths of answers a batch. Otherwise the value is empty, see text and number.
func (f *Field) add(c *Column, r Row) {
	s, filled := r.(*Scored)
	filled = filled && (f.Group != OfReasons || s.Why.Given) && (f.Group != OfAnswers || f.Truth == nil || !math.IsNaN(s.Scores.Batch))
	switch c.Kind {
	case Texts:
		c.Texts = append(c.Texts, f.text(r, s, filled))
	case Numbers, Truths:
		c.Numbers = append(c.Numbers, f.number(s, filled))
	case TextLists:
		c.TextLists = append(c.TextLists, listOf(f.Texts, s, filled))
	default:
		c.NumberLists = append(c.NumberLists, listOf(f.Numbers, s, filled))
	}
}

// text returns the field of a row, or "" if it is not filled. Fields of the input always have a value.
func (f *Field) text(r Row, s *Scored, filled bool) string {
	switch {
	case f.Input != nil:
		return f.Input(r.Input())
	case filled:
		return f.Text(s)
	}
	return ""
}

// number returns the field of a scored row, 0 or 1 for a truth, or NaN if it is not filled. Fields of all rows, Same,
// always have a value.
func (f *Field) number(s *Scored, filled bool) float64 {
	switch {
	case f.Same != nil:
		return f.Same()
	case !filled:
		return math.NaN()
	case f.Score != nil:
		return f.Score(&s.Scores)
	case f.Number != nil:
		return f.Number(s)
	case f.Truth(s):
		return 1
	}
	return 0
}

// listOf returns value(s), made an empty list if it is nil, or nil if the field is not filled.
func listOf[T any](value func(*Scored) []T, s *Scored, filled bool) []T {
	if !filled {
		return nil
	}
	if list := value(s); list != nil {
		return list
	}
	return []T{}
}

// A Sink writes scored rows.
type Sink struct {
	Writer
	*Sheet
}

// NewSink returns a sink in one of Forms, for SDF with the molfile besides fields. See NewRows for text and header.
func NewSink(w io.Writer, form string, text Text, header bool, fields []Field) *Sink {
	if form == "sdf" {
		fields = append(fields, MolfileField())
	}
	s := NewSheet(fields)
	return &Sink{NewWriter(w, form, text, header, s.columns), s}
}

// Add writes rows. Errors stay until Flush.
func (s *Sink) Add(rows ...Row) { s.Write(s.Of(rows)) }
