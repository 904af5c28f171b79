package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math"
	"strings"
)

// A Kind is a column's type.
type Kind uint8

// Each value may be null.
const (
	Texts       Kind = iota // text in UTF-8
	Numbers                 // float64
	Truths                  // bool
	TextLists               // lists of text
	NumberLists             // lists of float64, NaN for null
)

// Cells are a column with a value of each row, in the list of its kind.
type Cells struct {
	Name        string
	Kind        Kind
	Texts       []string    // empty for no value
	Numbers     []float64   // NaN for no value; truths are 0 and 1
	TextLists   [][]string  // nil for no value
	NumberLists [][]float64 // nil for no value
}

// Len returns how many rows a column has.
func (c *Cells) Len() int {
	switch c.Kind {
	case Texts:
		return len(c.Texts)
	case Numbers, Truths:
		return len(c.Numbers)
	case TextLists:
		return len(c.TextLists)
	}
	return len(c.NumberLists)
}

// Limits of a row group, which a Writer buffers.
const (
	groupRows  = 1 << 16
	groupBytes = 16 << 20
)

// A Writer writes rows of columns. Close writes the footer; errors are kept until then.
type Writer struct {
	w       io.Writer
	columns []writtenColumn
	rows    int // in the row group
	size    int // about, in bytes
	total   int64
	at      int64
	groups  []any // metadata of written groups
	program string
	err     error
	packed  bytes.Buffer
	gzip    *gzip.Writer
}

// A writtenColumn is the buffered part of a column.
type writtenColumn struct {
	name            string
	kind            Kind
	levels, repeats []byte // definition and repetition levels
	plain           []byte
	truths          int // bits of plain
}

// NewWriter begins a file of columns with these names and kinds. It names program as its writer.
func NewWriter(w io.Writer, program string, columns []Cells) *Writer {
	f := &Writer{w: w, program: program}
	f.gzip, _ = gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	for i := range columns {
		f.columns = append(f.columns, writtenColumn{name: columns[i].Name, kind: columns[i].Kind})
	}
	f.write([]byte(Magic))
	return f
}

// write writes b and adds its size to f.at. After the first error, which stays in f.err, it does nothing.
func (f *Writer) write(b []byte) {
	if f.err == nil {
		_, f.err = f.w.Write(b)
		f.at += int64(len(b))
	}
}

// Write writes the rows of the announced columns. In texts invalid UTF-8 becomes U+FFFD.
func (f *Writer) Write(columns []Cells) {
	for row := range columns[0].Len() {
		f.size += len(columns)
		for i := range columns {
			f.size += f.columns[i].add(&columns[i], row)
		}
		if f.rows++; f.rows >= groupRows || f.size >= groupBytes {
			f.flush()
		}
	}
}

// Definition levels of lists. Level 0 is null.
const (
	emptyList   = 1
	nullElement = 2
	someElement = 3
)

// add buffers the value of a row, or null, and returns about how many bytes the value has.
func (c *writtenColumn) add(from *Cells, row int) (size int) {
	switch {
	case c.kind == Texts && from.Texts[row] != "":
		c.level(1, 0)
		return c.text(from.Texts[row])
	case c.kind == Numbers && !math.IsNaN(from.Numbers[row]):
		c.level(1, 0)
		return c.number(from.Numbers[row])
	case c.kind == Truths && !math.IsNaN(from.Numbers[row]):
		c.level(1, 0)
		c.truth(from.Numbers[row] != 0)
	case c.kind == TextLists && from.TextLists[row] != nil:
		return addList(c, from.TextLists[row], c.text, func(string) bool { return false })
	case c.kind == NumberLists && from.NumberLists[row] != nil:
		return addList(c, from.NumberLists[row], c.number, math.IsNaN)
	default:
		c.level(0, 0)
	}
	return 0
}

// addList writes the levels of a list, and calls add for each element that is not null. It returns the sum of what add
// returns.
func addList[T any](c *writtenColumn, list []T, add func(T) int, isNull func(T) bool) (size int) {
	if len(list) == 0 {
		c.level(emptyList, 0)
	}
	for k, x := range list {
		if isNull(x) {
			c.level(nullElement, min(k, 1)) // the repetition level is 0 for the first element
		} else {
			c.level(someElement, min(k, 1))
			size += add(x)
		}
	}
	return size
}

// truth appends a truth, eight in a byte.
func (c *writtenColumn) truth(x bool) {
	if c.truths%8 == 0 {
		c.plain = append(c.plain, 0)
	}
	if x {
		c.plain[len(c.plain)-1] |= 1 << (c.truths % 8)
	}
	c.truths++
}

// Err is the first write error.
func (f *Writer) Err() error { return f.err }

// Close writes the rest of the file.
func (f *Writer) Close() error {
	f.flush()
	at := f.at
	f.write(f.metadata())
	f.write(binary.LittleEndian.AppendUint32(nil, uint32(f.at-at)))
	f.write([]byte(Magic))
	return f.err
}

func (c *writtenColumn) lists() bool { return c.kind == TextLists || c.kind == NumberLists }

// level appends a definition level and, for lists, a repetition level.
func (c *writtenColumn) level(definition, repetition int) {
	c.levels = append(c.levels, byte(definition))
	if c.lists() {
		c.repeats = append(c.repeats, byte(repetition))
	}
}

// number buffers a number and returns its size.
func (c *writtenColumn) number(x float64) int {
	c.plain = binary.LittleEndian.AppendUint64(c.plain, math.Float64bits(x))
	return 8
}

// text buffers a text and returns its size.
func (c *writtenColumn) text(s string) int {
	s = strings.ToValidUTF8(s, "\ufffd")
	c.plain = append(binary.LittleEndian.AppendUint32(c.plain, uint32(len(s))), s...)
	return 4 + len(s)
}

// flush writes the buffered rows, if there are any, as a row group.
func (f *Writer) flush() {
	if f.rows == 0 {
		return
	}
	var chunks []any
	total := int64(0)
	for i := range f.columns {
		size, chunk := f.chunk(&f.columns[i])
		total, chunks = total+size, append(chunks, chunk)
	}
	f.groups = append(f.groups, packed(record{{1, chunks}, {2, total}, {3, int64(f.rows)}}.append(nil)))
	f.total += int64(f.rows)
	f.rows, f.size = 0, 0
}

// chunk writes a column's buffered values and empties it. It returns their uncompressed size and the metadata, a
// ColumnChunk with its ColumnMetaData.
func (f *Writer) chunk(c *writtenColumn) (plain int64, metadata record) {
	values, begin := len(c.levels), f.at
	path := []any{c.name}
	var body []byte
	if c.lists() {
		path = append(path, "list", "element")
		body = appendLevels(body, c.repeats, 1)
		body = appendLevels(body, c.levels, 2)
	} else {
		body = appendLevels(body, c.levels, 1)
	}
	plain = f.page(append(body, c.plain...), values)
	*c = writtenColumn{name: c.name, kind: c.kind, levels: c.levels[:0], repeats: c.repeats[:0], plain: c.plain[:0]}
	return plain, record{{2, int64(0)}, {3, record{ // file_offset, meta_data
		{1, c.physical()}, {2, []any{plainValues, runLengths}}, {3, path}, {4, codecGzip}, // type, encodings, path, codec
		{5, int64(values)}, {6, plain}, {7, f.at - begin}, {9, begin}, // number, sizes with and without compression, place
	}}}
}

// page writes a data page of so many values: a PageHeader and body, compressed. It returns the uncompressed size.
func (f *Writer) page(body []byte, values int) int64 {
	f.packed.Reset()
	f.gzip.Reset(&f.packed)
	f.gzip.Write(body) // to memory
	f.gzip.Close()
	head := record{
		{1, dataPage}, {2, len(body)}, {3, f.packed.Len()}, // type, sizes
		{5, record{{1, values}, {2, plainValues}, {3, runLengths}, {4, runLengths}}}, // number, encodings of values and levels
	}.append(nil)
	f.write(head)
	f.write(f.packed.Bytes())
	return int64(len(head) + len(body))
}

// physical returns the physical type of the column's values.
func (c *writtenColumn) physical() int {
	switch c.kind {
	case Numbers, NumberLists:
		return doubles
	case Truths:
		return boolean
	}
	return byteArray
}

// metadata returns the footer, a FileMetaData: version, schema, number of rows, row groups and the program.
func (f *Writer) metadata() []byte {
	schema := []any{record{{4, "schema"}, {5, len(f.columns)}}}
	for i := range f.columns {
		schema = append(schema, f.columns[i].schema()...)
	}
	return record{{1, 2}, {2, schema}, {3, f.total}, {4, f.groups}, {6, f.program}}.append(nil)
}

// schema returns the SchemaElements for the column: one, or three for lists. Their fields are 1 the physical type, 3 the
// repetition, 4 the name, 5 the number of children, and 6 and 10 the logical type in its older and newer form.
func (c *writtenColumn) schema() []any {
	list, text := record{{3, record{}}}, record{{1, record{}}} // logical types: a union is a struct with an empty one
	element := record{{1, c.physical()}, {3, optional}, {4, c.name}}
	if c.lists() {
		element[2].value = "element"
	}
	if c.physical() == byteArray {
		element = append(element, record{{6, 0}, {10, text}}...) // UTF8
	}
	if !c.lists() {
		return []any{element}
	}
	return []any{
		record{{3, optional}, {4, c.name}, {5, 1}, {6, 3}, {10, list}}, // LIST
		record{{3, repeated}, {4, "list"}, {5, 1}},
		element,
	}
}

// appendLevels appends levels of width bits, after their size in 4 bytes. Eight or more equal ones, and equal ones at the
// end, become a run. Others are packed in groups of eight, as hybrid reads them.
func appendLevels(b, levels []byte, width int) []byte {
	at, n := len(b), len(levels)
	b = append(b, 0, 0, 0, 0) // the size is set at the end
	run := func(i int) (length int) {
		for length = 1; i+length < n && levels[i+length] == levels[i]; length++ {
		}
		return length
	}
	for i := 0; i < n; {
		if k := run(i); k >= 8 || i+k == n {
			b = append(binary.AppendUvarint(b, uint64(k)<<1), levels[i])
			i += k
			continue
		}
		begin := i
		for i += 8; i < n && run(i) < 8; i += 8 { // up to the next run
		}
		groups := (min(i, n) - begin + 7) / 8
		b = binary.AppendUvarint(b, uint64(groups)<<1|1)
		packed := make([]byte, groups*width)
		for k, level := range levels[begin:min(i, n)] {
			packed[k*width/8] |= level << (k * width % 8)
		}
		b = append(b, packed...)
	}
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	return b
}

// A record is a struct in Thrift's compact protocol, with ascending ids. A value is an int of 32 bits,
// an int64, a string, a record, packed or not, or a list of these.
type record []struct {
	id    int
	value any
}

type packed []byte

// append appends the record as a Thrift struct in the compact protocol. Ids of its fields ascend.
func (r record) append(b []byte) []byte {
	last := 0
	for _, f := range r {
		b = appendValue(append(b, byte(f.id-last)<<4|kindOf(f.value)), f.value)
		last = f.id
	}
	return append(b, 0)
}

// kindOf returns the Thrift type of a value of a record.
func kindOf(value any) byte {
	switch value.(type) {
	case int:
		return thriftI32
	case int64:
		return thriftI64
	case string:
		return thriftBinary
	case []any:
		return thriftList
	}
	return thriftStruct
}

// appendValue appends a value in the compact protocol.
func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case int:
		return binary.AppendVarint(b, int64(v))
	case int64:
		return binary.AppendVarint(b, v)
	case string:
		return append(binary.AppendUvarint(b, uint64(len(v))), v...)
	case packed:
		return append(b, v...)
	case record:
		return v.append(b)
	}
	list := value.([]any)
	kind := byte(thriftStruct)
	if len(list) > 0 {
		kind = kindOf(list[0])
	}
	if len(list) < 15 { // fits into the byte of the kind
		b = append(b, byte(len(list))<<4|kind)
	} else {
		b = binary.AppendUvarint(append(b, 15<<4|kind), uint64(len(list)))
	}
	for _, v := range list {
		b = appendValue(b, v)
	}
	return b
}
