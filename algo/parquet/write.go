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

// A Field is a column that is written.
type Field struct {
	Name string
	Kind Kind
}

// Limits of a row group, which a Writer buffers.
const (
	groupRows  = 1 << 16
	groupBytes = 16 << 20
)

// A Writer writes rows: set a value or Null for each column, then End. Close writes the footer;
// errors are kept until then.
type Writer struct {
	w       io.Writer
	columns []writtenColumn
	rows    int // in the row group
	size    int // about, in bytes
	total   int64
	at      int64
	groups  thrift // metadata of written groups
	written int    // row groups
	program string
	err     error
	packed  bytes.Buffer
	gzip    *gzip.Writer
}

// A writtenColumn is the buffered part of a column.
type writtenColumn struct {
	Field
	levels, repeats []byte // definition and repetition levels
	plain           []byte
	truths          int // bits of plain
}

// NewWriter begins a file. It names program as its writer.
func NewWriter(w io.Writer, program string, fields []Field) *Writer {
	f := &Writer{w: w, program: program}
	f.gzip, _ = gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	for _, field := range fields {
		f.columns = append(f.columns, writtenColumn{Field: field})
	}
	f.write([]byte(Magic))
	return f
}

func (f *Writer) write(b []byte) {
	if f.err == nil {
		_, f.err = f.w.Write(b)
		f.at += int64(len(b))
	}
}

// Null leaves column i without a value.
func (f *Writer) Null(i int) { f.columns[i].level(0, 0) }

// Text sets column i. Invalid UTF-8 becomes U+FFFD.
func (f *Writer) Text(i int, s string) {
	f.columns[i].level(1, 0)
	f.size += f.columns[i].text(s)
}

// Number sets column i; NaN is null.
func (f *Writer) Number(i int, x float64) {
	if math.IsNaN(x) {
		f.Null(i)
		return
	}
	f.columns[i].level(1, 0)
	f.columns[i].number(x)
	f.size += 8
}

// Truth sets column i.
func (f *Writer) Truth(i int, x bool) {
	c := &f.columns[i]
	c.level(1, 0)
	if c.truths%8 == 0 {
		c.plain = append(c.plain, 0)
	}
	if x {
		c.plain[len(c.plain)-1] |= 1 << (c.truths % 8)
	}
	c.truths++
}

// Levels of lists.
const (
	emptyList   = 1
	nullElement = 2
	someElement = 3
)

// TextList sets column i.
func (f *Writer) TextList(i int, list []string) {
	c := &f.columns[i]
	if len(list) == 0 {
		c.level(emptyList, 0)
	}
	for k, s := range list {
		c.level(someElement, min(k, 1))
		f.size += c.text(s)
	}
}

// NumberList sets column i.
func (f *Writer) NumberList(i int, list []float64) {
	c := &f.columns[i]
	if len(list) == 0 {
		c.level(emptyList, 0)
	}
	for k, x := range list {
		if math.IsNaN(x) {
			c.level(nullElement, min(k, 1))
			continue
		}
		c.level(someElement, min(k, 1))
		c.number(x)
		f.size += 8
	}
}

// End ends a row.
func (f *Writer) End() {
	f.rows++
	if f.size += len(f.columns); f.rows >= groupRows || f.size >= groupBytes {
		f.flush()
	}
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

func (c *writtenColumn) lists() bool { return c.Kind == TextLists || c.Kind == NumberLists }

func (c *writtenColumn) level(definition, repetition int) {
	c.levels = append(c.levels, byte(definition))
	if c.lists() {
		c.repeats = append(c.repeats, byte(repetition))
	}
}

func (c *writtenColumn) number(x float64) {
	c.plain = binary.LittleEndian.AppendUint64(c.plain, math.Float64bits(x))
}

// text buffers a text and returns its size.
func (c *writtenColumn) text(s string) int {
	s = strings.ToValidUTF8(s, "\ufffd")
	c.plain = append(binary.LittleEndian.AppendUint32(c.plain, uint32(len(s))), s...)
	return 4 + len(s)
}

// flush writes the row group.
func (f *Writer) flush() {
	if f.rows == 0 {
		return
	}
	g := &f.groups
	g.begin()
	g.list(1, len(f.columns), thriftStruct)
	total := int64(0)
	for i := range f.columns {
		total += f.chunk(&f.columns[i])
	}
	g.i64(2, total)
	g.i64(3, int64(f.rows))
	g.end()
	f.written++
	f.total += int64(f.rows)
	f.rows, f.size = 0, 0
}

// chunk writes the column, its metadata to f.groups, and empties it. It returns the uncompressed
// size.
func (f *Writer) chunk(c *writtenColumn) (plain int64) {
	values, begin := len(c.levels), f.at
	var body []byte
	if c.lists() {
		body = appendLevels(body, c.repeats, 1)
		body = appendLevels(body, c.levels, 2)
	} else {
		body = appendLevels(body, c.levels, 1)
	}
	plain = f.page(append(body, c.plain...), values)
	g := &f.groups
	g.begin()
	g.i64(2, 0)
	g.field(3, thriftStruct)
	g.begin()
	g.i32(1, c.physical())
	g.list(2, 2, thriftI32)
	for _, e := range []int{plainValues, runLengths} {
		g.zigzag(int64(e))
	}
	path := []string{c.Name}
	if c.lists() {
		path = append(path, "list", "element")
	}
	g.list(3, len(path), thriftBinary)
	for _, name := range path {
		g.bytes(name)
	}
	g.i32(4, codecGzip)
	g.i64(5, int64(values))
	g.i64(6, plain)
	g.i64(7, f.at-begin)
	g.i64(9, begin)
	g.end()
	g.end()
	*c = writtenColumn{Field: c.Field, levels: c.levels[:0], repeats: c.repeats[:0], plain: c.plain[:0]}
	return plain
}

// page writes a page of values, and returns the uncompressed size.
func (f *Writer) page(body []byte, values int) int64 {
	f.packed.Reset()
	f.gzip.Reset(&f.packed)
	f.gzip.Write(body) // to memory
	f.gzip.Close()
	h := &thrift{}
	h.begin()
	h.i32(1, dataPage)
	h.i32(2, len(body))
	h.i32(3, f.packed.Len())
	h.field(5, thriftStruct)
	h.begin()
	h.i32(1, values)
	h.i32(2, plainValues)
	h.i32(3, runLengths)
	h.i32(4, runLengths)
	h.end()
	h.end()
	f.write(h.out)
	f.write(f.packed.Bytes())
	return int64(len(h.out) + len(body))
}

func (c *writtenColumn) physical() int {
	switch c.Kind {
	case Numbers, NumberLists:
		return doubles
	case Truths:
		return boolean
	}
	return byteArray
}

// metadata returns the footer.
func (f *Writer) metadata() []byte {
	m := &thrift{}
	m.begin()
	m.i32(1, 2)
	elements := 1 + len(f.columns)
	for i := range f.columns {
		if f.columns[i].lists() {
			elements += 2
		}
	}
	m.list(2, elements, thriftStruct)
	m.begin()
	m.text(4, "schema")
	m.i32(5, len(f.columns))
	m.end()
	for i := range f.columns {
		f.columns[i].schema(m)
	}
	m.i64(3, f.total)
	m.list(4, f.written, thriftStruct)
	m.out = append(m.out, f.groups.out...)
	m.text(6, f.program)
	m.end()
	return m.out
}

func (c *writtenColumn) schema(m *thrift) {
	name := c.Name
	if c.lists() {
		m.begin()
		m.i32(3, optional)
		m.text(4, name)
		m.i32(5, 1)
		m.i32(6, 3) // LIST
		m.union(10, 3)
		m.end()
		m.begin()
		m.i32(3, repeated)
		m.text(4, "list")
		m.i32(5, 1)
		m.end()
		name = "element"
	}
	m.begin()
	m.i32(1, c.physical())
	m.i32(3, optional)
	m.text(4, name)
	if c.physical() == byteArray {
		m.i32(6, 0) // UTF8
		m.union(10, 1)
	}
	m.end()
}

// appendLevels appends levels of that width, size first: eight or more equal ones as runs, others
// packed by eight.
func appendLevels(b, levels []byte, width int) []byte {
	at, n := len(b), len(levels)
	b = append(b, 0, 0, 0, 0)
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
		for i += 8; i < n && run(i) < 8; i += 8 {
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

// thrift writes Thrift's compact protocol.
type thrift struct {
	out  []byte
	last []int // field ids of the open structs
}

func (t *thrift) begin() { t.last = append(t.last, 0) }

func (t *thrift) end() {
	t.out = append(t.out, 0)
	t.last = t.last[:len(t.last)-1]
}

func (t *thrift) field(id int, kind byte) {
	last := &t.last[len(t.last)-1]
	t.out = append(t.out, byte(id-*last)<<4|kind)
	*last = id
}

func (t *thrift) zigzag(x int64) { t.out = binary.AppendVarint(t.out, x) }

func (t *thrift) bytes(s string) {
	t.out = append(binary.AppendUvarint(t.out, uint64(len(s))), s...)
}

func (t *thrift) i32(id, x int) {
	t.field(id, thriftI32)
	t.zigzag(int64(x))
}

func (t *thrift) i64(id int, x int64) {
	t.field(id, thriftI64)
	t.zigzag(x)
}

func (t *thrift) text(id int, s string) {
	t.field(id, thriftBinary)
	t.bytes(s)
}

func (t *thrift) list(id, n int, kind byte) {
	t.field(id, thriftList)
	if n < 15 {
		t.out = append(t.out, byte(n)<<4|kind)
		return
	}
	t.out = binary.AppendUvarint(append(t.out, 15<<4|kind), uint64(n))
}

// union is a union whose only field is an empty struct.
func (t *thrift) union(id, which int) {
	t.field(id, thriftStruct)
	t.begin()
	t.field(which, thriftStruct)
	t.begin()
	t.end()
	t.end()
}
