package table

import (
	"bufio"
	"cmp"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"baca/algo/dataset"
	"baca/algo/document"
	"baca/algo/internal/lists"
	"baca/algo/model"
	"baca/algo/molecule/molfile"
	"baca/algo/molecule/smiles"
	"baca/algo/parquet"
)

// A form of written rows.
type form struct {
	name   string
	suffix []string // of file names, as in package dataset
	open   func(w io.Writer, text Text, header bool, columns []Column) Writer
}

// textForm returns a function that opens a writer by NewRows in the form of that name.
func textForm(name string) func(io.Writer, Text, bool, []Column) Writer {
	return func(w io.Writer, text Text, header bool, columns []Column) Writer {
		return NewRows(w, name, text, header, columns)
	}
}

var forms = []form{
	{"csv", []string{".csv"}, textForm("csv")},
	{"tsv", []string{".tsv", ".tab"}, textForm("tsv")},
	{"jsonl", []string{".jsonl", ".ndjson"}, textForm("jsonl")},
	{"parquet", []string{".parquet", ".pq"}, newParquetRows},
	{"sdf", []string{".sdf", ".sd"}, newSDFRows},
}

// Forms returns the names of all forms.
func Forms() []string {
	return lists.Map(forms, func(f form) string { return f.name })
}

// Lines reports whether output in a form can resume after any row.
func Lines(form string) bool { return form != "parquet" }

// FormOf returns the form of a file by the extension of its name, or "" if that is of none.
func FormOf(name string) string {
	for _, f := range forms {
		if slices.Contains(f.suffix, strings.ToLower(path.Ext(name))) {
			return f.name
		}
	}
	return ""
}

// NewWriter returns a writer in the form of that name, which is one of Forms; it panics for other names. See NewRows
// for text and header.
func NewWriter(w io.Writer, name string, text Text, header bool, columns []Column) Writer {
	for _, f := range forms {
		if f.name == name {
			return f.open(w, text, header, columns)
		}
	}
	panic("table: no form " + name)
}

// parquetRows have typed columns. Numbers have six digits, as in text; text is as in the input.
type parquetRows struct{ *parquet.Writer }

// newParquetRows opens a writer of Parquet. It always names the columns, and text is as in the input.
func newParquetRows(w io.Writer, _ Text, _ bool, columns []Column) Writer {
	return parquetRows{parquet.NewWriter(w, "baca "+model.Version, columns)}
}

// Write writes rows, with numbers rounded to six digits. It does not change columns.
func (r parquetRows) Write(columns []Column) {
	rounded := slices.Clone(columns)
	for i := range rounded {
		c := &rounded[i]
		c.Numbers, c.NumberLists = allSix(c.Numbers), slices.Clone(c.NumberLists)
		for k, list := range c.NumberLists {
			c.NumberLists[k] = allSix(list)
		}
	}
	r.Writer.Write(rounded)
}

func (r parquetRows) Flush() error { return r.Err() }

// allSix returns numbers rounded by sixDigits; nil stays nil.
func allSix(list []float64) []float64 {
	rounded := slices.Clone(list)
	for i, x := range rounded {
		rounded[i] = sixDigits(x)
	}
	return rounded
}

// sixDigits rounds to six significant digits, as text has them. Infinities become NaN.
func sixDigits(x float64) float64 {
	var digits [32]byte
	text := appendNumber(digits[:0], x, "")
	if len(text) == 0 {
		return math.NaN()
	}
	x, _ = strconv.ParseFloat(string(text), 64) // as written in text
	return x
}

// Molfile names the column of SDF only: the input's molfile, or one without coordinates, and
// without atoms for a refused record.
const Molfile = "molfile"

// MolfileField returns the field with the molfile of a record.
func MolfileField() Field {
	return Field{Name: Molfile, Group: OfRecord, Input: molfileOf}
}

// sdfRows are molfiles with the other columns as data.
type sdfRows struct {
	w    *bufio.Writer
	cell []byte
	err  error
}

// newSDFRows opens a writer of SDF. Each record names its fields, and text is as in the input.
func newSDFRows(w io.Writer, _ Text, _ bool, _ []Column) Writer {
	return &sdfRows{w: bufio.NewWriterSize(w, rowsBuffer)}
}

// Write writes each row as a record: the molfile, then the other columns that are not empty as data items.
func (r *sdfRows) Write(columns []Column) {
	block := Named(columns, Molfile)
	for row := range Rows(columns) {
		r.w.WriteString(block.Texts[row])
		for i := range columns {
			c := &columns[i]
			if c == block {
				continue
			}
			if r.cell = appendCell(r.cell[:0], c, row, Text{}); len(r.cell) == 0 {
				continue
			}
			r.w.WriteString("> <" + strings.NewReplacer("<", "(", ">", ")").Replace(document.Printable(c.Name)) + ">\n")
			r.w.Write(r.cell)
			r.w.WriteString("\n\n")
		}
		_, err := r.w.WriteString("$$$$\n")
		r.err = cmp.Or(r.err, err)
	}
}

// molfileOf returns the record's molfile, or one written from its SMILES, or one without atoms if there is no molecule.
func molfileOf(r *dataset.Entry) string {
	name := document.Printable(r.ID)
	if block := r.Molfile(); block != "" {
		return strings.TrimRight(strings.ReplaceAll(block, "\r", ""), "\n") + "\n"
	}
	if m, err := smiles.Parse(r.SMILES); err == nil {
		if block, ok := molfile.Write(m, name); ok {
			return block
		}
	}
	return name + "\n  BaCa\n\n  0  0  0  0  0  0  0  0  0  0999 V2000\nM  END\n"
}

func (r *sdfRows) Flush() error { return cmp.Or(r.err, r.w.Flush()) }

func (r *sdfRows) Close() error { return r.Flush() }
