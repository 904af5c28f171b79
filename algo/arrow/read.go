// Package arrow reads columns of text and whole numbers from Arrow files, which Feather of
// version 2 and the streams of Arrow are, too, and writes flat tables.
//
// It takes nothing in a file on trust. Memory is bounded by a batch of records, of which
// there may be at most [MaxBatch] bytes, and as much for all dictionaries.
package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"

	"baca/algo/internal/lz"
)

// Magic is how an Arrow file begins; Mark is how a stream of Arrow does.
const (
	Magic = "ARROW1"
	Mark  = "\xff\xff\xff\xff"
)

// The limits of what is read.
const (
	MaxBatch    = 512 << 20 // bytes of a batch, and of all dictionaries
	maxMetadata = 64 << 20
	maxNesting  = 32
	maxNodes    = 1 << 16 // of a batch
	// Compressed buffers may expand so many times beyond the first freeExpand bytes.
	maxExpand  = 256
	freeExpand = 16 << 20
)

// A Column is one of the top level of a file.
type Column struct {
	Name string
	Text bool // text
	// Whole says that it holds whole numbers. They are read as text, in decimal digits.
	Whole bool
	// Value says that it holds floating-point numbers or truths. They are read as text, too: the
	// shortest decimal that is the number, true or false.
	Value bool
	What  string // what it holds, for messages

	field field
	// Of its data in a batch.
	node, buffer, views int
}

// A field is that of a schema.
type field struct {
	kind       int
	layout     layout // of what is in a batch
	values     layout // of the dictionary, if there is one
	dictionary bool
	id         int64 // of the dictionary
}

// A layout says how values lie in buffers.
type layout struct {
	form   form
	size   int // of a number, in bytes
	signed bool
}

type form uint8

const (
	other   form = iota
	numbers      // whole ones
	floats       // of 4 or 8 bytes
	truths       // a bit each
	short        // text whose places are in 4 bytes
	long         // text whose places are in 8 bytes
	views        // text in places of 16 bytes
)

// Kinds of types.
const (
	kindNull, kindInt, kindFloat, kindBinary, kindText, kindBool = 1, 2, 3, 4, 5, 6
	kindList, kindStruct, kindUnion                              = 12, 13, 14
	kindFixedList, kindMap, kindLongBinary, kindLongText         = 16, 17, 19, 20
	kindLongList, kindRuns, kindBinaryView, kindTextView         = 21, 22, 23, 24
	kindListView, kindLongListView                               = 25, 26
)

var kindNames = map[int]string{
	kindNull: "nothing", kindFloat: "numbers", kindBinary: "bytes", kindLongBinary: "bytes", kindBinaryView: "bytes", kindBool: "truths",
	kindList: "lists", kindLongList: "lists", kindFixedList: "lists", kindListView: "lists", kindLongListView: "lists",
	kindStruct: "structs", kindMap: "maps", kindUnion: "values of several types", kindRuns: "runs of equal values",
	7: "decimals", 8: "times", 9: "times", 10: "times", 11: "times", 18: "times", 15: "bytes",
}

// A File is an Arrow file whose schema is read.
type File struct {
	r       io.Reader
	zstd    func(io.Reader) (io.Reader, error)
	columns []Column
	nodes   int // of a batch
	batch   int // that is read, from 1

	dictionaries map[int64][][]byte
	kept         int // bytes of dictionaries
}

// Open reads the schema of a file or stream. Zstd decompresses; without it data that are
// compressed so are refused.
func Open(r io.Reader, zstd func(io.Reader) (io.Reader, error)) (*File, error) {
	f := &File{r: r, zstd: zstd, dictionaries: map[int64][][]byte{}}
	var head [8]byte
	if _, err := io.ReadFull(r, head[:4]); err != nil {
		return nil, early(err)
	}
	if string(head[:4]) == Magic[:4] {
		if _, err := io.ReadFull(r, head[:4]); err != nil {
			return nil, early(err)
		}
		if string(head[:2]) != Magic[4:] {
			return nil, errors.New("no Arrow file")
		}
	} else {
		f.r = io.MultiReader(bytes.NewReader(head[:4:4]), r)
	}
	m, err := f.message()
	if err != nil {
		return nil, fmt.Errorf("schema: %w", early(err))
	}
	if m.kind != messageSchema {
		return nil, errors.New("an Arrow file that does not begin with its schema")
	}
	if _, err := io.CopyN(io.Discard, f.r, m.body); err != nil {
		return nil, early(err)
	}
	return f, f.readSchema(&m)
}

func early(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("the Arrow data end early, the file looks truncated")
	}
	return err
}

// Columns are those of the top level.
func (f *File) Columns() []Column { return f.columns }

// A message is a part of a stream.
type message struct {
	flat
	kind  int
	table int   // its header
	body  int64 // bytes behind it
}

const (
	messageSchema     = 1
	messageDictionary = 2
	messageBatch      = 3
)

// message reads the next one. io.EOF is the end of the stream.
func (f *File) message() (m message, err error) {
	var size [4]byte
	if _, err := io.ReadFull(f.r, size[:]); err != nil {
		return m, err
	}
	if string(size[:]) == Mark {
		if _, err := io.ReadFull(f.r, size[:]); err != nil {
			return m, early(err)
		}
	}
	n := int32(binary.LittleEndian.Uint32(size[:]))
	if n == 0 {
		return m, io.EOF
	}
	if n < 0 || n > maxMetadata {
		return m, fmt.Errorf("metadata of %d bytes: want at most %d", uint32(n), maxMetadata)
	}
	if m.data, err = take(f.r, int64(n)); err != nil {
		return m, err
	}
	root := m.root()
	m.kind, m.table, m.body = int(m.number(root, 1, 1)), m.ref(root, 2), m.number(root, 3, 8)
	if m.bad || m.table == 0 || m.body < 0 {
		return m, errDamaged
	}
	return m, nil
}

// take reads so many bytes, and grows with what there is.
func take(r io.Reader, n int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(n, 1<<20)))
	if _, err := io.CopyN(&b, r, n); err != nil {
		return nil, early(err)
	}
	return b.Bytes(), nil
}

func (f *File) readSchema(m *message) error {
	if m.number(m.table, 0, 2) != 0 {
		return errors.New("numbers with the high byte first, which are not read")
	}
	at, n := m.vector(m.table, 1, 4)
	buffers, views, names := 0, 0, 0
	for i := range n {
		table := at + 4*i + m.i32(at+4*i)
		c := Column{Name: m.text(table, 0), field: m.field2(table), node: f.nodes, buffer: buffers, views: views}
		m.count(table, &f.nodes, &buffers, &views, 0)
		l := c.field.layout
		if c.field.dictionary {
			l = c.field.values
		}
		switch c.Text, c.Whole = l.form >= short, l.form == numbers; {
		case c.Text:
			c.What = "text"
		case c.Whole:
			c.What = "whole numbers"
		default:
			c.Value = l.form == floats || l.form == truths
			if c.What = kindNames[c.field.kind]; c.What == "" {
				c.What = fmt.Sprintf("values of type %d", c.field.kind)
			}
		}
		names += len(c.Name)
		if f.columns = append(f.columns, c); m.bad || names > len(m.data) {
			m.bad = true
			break
		}
	}
	if m.bad {
		return fmt.Errorf("schema: %w", errDamaged)
	}
	return nil
}

// field2 is the field of a table of the schema.
func (m *message) field2(table int) field {
	x := field{kind: int(m.number(table, 2, 1))}
	x.layout = m.layout(x.kind, m.ref(table, 3))
	if d := m.ref(table, 4); d != 0 {
		x.dictionary, x.id, x.values = true, m.number(d, 0, 8), x.layout
		x.layout = layout{numbers, 4, true}
		if t := m.ref(d, 1); t != 0 {
			x.layout = m.layout(kindInt, t)
		}
	}
	return x
}

func (m *message) layout(kind, table int) layout {
	switch kind {
	case kindInt:
		switch bits := m.number(table, 0, 4); bits {
		case 8, 16, 32, 64:
			return layout{numbers, int(bits / 8), m.number(table, 1, 1) != 0}
		}
	case kindFloat:
		if precision := m.number(table, 0, 2); precision == 1 || precision == 2 {
			return layout{form: floats, size: int(4 * precision)}
		}
	case kindBool:
		return layout{form: truths, size: 1}
	case kindText:
		return layout{form: short}
	case kindLongText:
		return layout{form: long}
	case kindTextView:
		return layout{form: views}
	}
	return layout{}
}

// count counts what the data of a field have in a batch.
func (m *message) count(table int, nodes, buffers, views *int, depth int) {
	// References may meet, and then there are more nodes than data.
	if depth > maxNesting || *nodes > maxNodes {
		m.bad = true
	}
	if m.bad {
		return
	}
	*nodes++
	if m.ref(table, 4) != 0 {
		*buffers += 2
		return
	}
	switch kind := int(m.number(table, 2, 1)); kind {
	case kindNull, kindRuns:
	case kindStruct, kindFixedList:
		*buffers++
	case kindUnion:
		*buffers += 1 + int(min(1, m.number(m.ref(table, 3), 0, 2)))
	case kindText, kindBinary, kindLongText, kindLongBinary, kindListView, kindLongListView:
		*buffers += 3
	case kindTextView, kindBinaryView:
		*buffers += 2
		*views++
	default:
		*buffers += 2
	}
	at, n := m.vector(table, 5, 4)
	for i := range n {
		m.count(at+4*i+m.i32(at+4*i), nodes, buffers, views, depth+1)
	}
}

// Rows yields the cells of some columns, by their places in Columns, for each row. A cell is
// nil where it is null. Cells are valid until the next row. An error is the last that is
// yielded. Rows can be gone through once.
func (f *File) Rows(columns ...int) iter.Seq2[[][]byte, error] {
	return func(yield func([][]byte, error) bool) {
		err := f.rows(columns, func(cells [][]byte) bool { return yield(cells, nil) })
		if err != nil {
			yield(nil, err)
		}
	}
}

func (f *File) rows(columns []int, yield func([][]byte) bool) error {
	for _, i := range columns {
		if c := f.columns[i]; !c.Text && !c.Whole && !c.Value {
			return fmt.Errorf("column %q holds %s: want text or numbers", c.Name, c.What)
		}
	}
	cells, digits := make([][]byte, len(columns)), make([][]byte, len(columns))
	for {
		m, err := f.message()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("behind batch %d: %w", f.batch, err)
		}
		if m.body > MaxBatch {
			return fmt.Errorf("batch %d of %d bytes: want at most %d, write smaller batches", f.batch+1, m.body, MaxBatch)
		}
		body, err := take(f.r, m.body)
		if err != nil {
			return err
		}
		switch m.kind {
		case messageDictionary:
			if err := f.readDictionary(&m, body, columns); err != nil {
				return fmt.Errorf("dictionary: %w", err)
			}
			continue
		case messageBatch:
		default:
			continue
		}
		f.batch++
		data := make([]array, len(columns))
		rows := m.number(m.table, 0, 8)
		for k, i := range columns {
			c := &f.columns[i]
			a, err := f.array(&m, m.table, body, c.field.layout, c.node, c.buffer, c.views, f.nodes)
			if err == nil && a.n != rows {
				err = errDamaged
			}
			if err != nil {
				return fmt.Errorf("batch %d: column %q: %w", f.batch, c.Name, err)
			}
			if c.field.dictionary {
				a.words = f.dictionaries[c.field.id]
				a.encoded = true
			}
			data[k] = a
		}
		if len(columns) == 0 {
			continue
		}
		for row := range rows {
			for k := range data {
				cells[k], err = data[k].cell(row, &digits[k])
				if err != nil {
					return fmt.Errorf("batch %d: column %q, row %d of it: %w", f.batch, f.columns[columns[k]].Name, row+1, err)
				}
			}
			if !yield(cells) {
				return nil
			}
		}
	}
}

// readDictionary keeps a dictionary that one of the columns has.
func (f *File) readDictionary(m *message, body []byte, columns []int) error {
	id, table := m.number(m.table, 0, 8), m.ref(m.table, 1)
	delta := m.number(m.table, 2, 1) != 0
	var c *Column
	for _, i := range columns {
		if x := &f.columns[i]; x.field.dictionary && x.field.id == id {
			c = x
		}
	}
	if c == nil {
		return nil
	}
	a, err := f.array(m, table, body, c.field.values, 0, 0, 0, 1)
	if err != nil {
		return err
	}
	list := f.dictionaries[id]
	if !delta {
		list = nil
	}
	var digits []byte
	for i := range a.n {
		value, err := a.cell(i, &digits)
		if err != nil {
			return err
		}
		if value != nil {
			value = append(make([]byte, 0, len(value)), value...)
		}
		list = append(list, value)
		if f.kept += len(value) + 24; f.kept > MaxBatch {
			return fmt.Errorf("more than %d bytes of dictionaries", MaxBatch)
		}
	}
	f.dictionaries[id] = list
	return nil
}

// An array is a column of a batch.
type array struct {
	layout
	n       int64
	valid   []byte // bits, nil where no value is null
	places  []byte // or numbers
	data    [][]byte
	encoded bool // the numbers are places in words
	words   [][]byte
}

// array returns the data of a column, whose parts begin at those of a batch.
func (f *File) array(m *message, table int, body []byte, l layout, node, buffer, variadic, nodes int) (a array, err error) {
	a.layout = l
	if l.form == other {
		return a, errDamaged
	}
	at, n := m.vector(table, 1, 16)
	if n != nodes {
		return a, fmt.Errorf("%d parts in the batch, the schema has %d", n, nodes)
	}
	a.n = m.i64(at + 16*node)
	at, count := m.vector(table, 2, 16)
	codec := -1
	if c := m.ref(table, 3); c != 0 {
		codec = int(m.number(c, 0, 1))
	}
	take := func() (b []byte) {
		if err != nil || buffer >= count || m.bad {
			err = cmpErr(err, errDamaged)
			return nil
		}
		from, size := m.i64(at+16*buffer), m.i64(at+16*buffer+8)
		buffer++
		if from < 0 || size < 0 || from > int64(len(body)) || size > int64(len(body))-from {
			err = errDamaged
			return nil
		}
		b, err = f.unpack(body[from:from+size], codec)
		return b
	}
	// Views of fields in front move the place of this one.
	extra := 1
	if m.bad {
		return a, errDamaged
	}
	if vat, vn := m.vector(table, 4, 8); variadic > 0 || l.form == views {
		if variadic >= vn && l.form == views || variadic > vn {
			return a, errDamaged
		}
		for i := range variadic {
			buffer += int(min(max(m.i64(vat+8*i), 0), int64(count)))
		}
		if l.form == views {
			extra = int(min(max(m.i64(vat+8*variadic), 0), int64(count)))
		}
	}
	a.valid, a.places = take(), take()
	if l.form >= short {
		for range extra {
			a.data = append(a.data, take())
		}
	}
	if err != nil || m.bad || a.n < 0 {
		return a, cmpErr(err, errDamaged)
	}
	size := int64(map[form]int{numbers: l.size, floats: l.size, truths: 1, short: 4, long: 8, views: 16}[l.form])
	want := a.n
	switch l.form {
	case short, long:
		want++
	case truths:
		want = a.n/8 + min(1, a.n%8)
	}
	if len(a.valid) == 0 {
		a.valid = nil
	}
	switch {
	case a.n == 0:
	case int64(len(a.places))/size < want:
		return a, fmt.Errorf("%d values in %d bytes", a.n, len(a.places))
	case a.valid != nil && int64(len(a.valid)) < (a.n+7)/8:
		return a, errDamaged
	}
	return a, nil
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

var errPlaces = errors.New("a value that lies beyond its data")

// cell returns the value of a row, nil for null. Whole numbers are written to digits.
func (a *array) cell(i int64, digits *[]byte) ([]byte, error) {
	if a.valid != nil && a.valid[i>>3]>>(i&7)&1 == 0 {
		return nil, nil
	}
	little := binary.LittleEndian
	var from, to int64
	data := a.data
	switch a.form {
	case numbers:
		x := a.number(i)
		if a.encoded {
			if x < 0 || x >= int64(len(a.words)) {
				return nil, errors.New("a value beyond its dictionary")
			}
			return a.words[x], nil
		}
		if *digits = strconv.AppendInt((*digits)[:0], x, 10); !a.signed {
			*digits = strconv.AppendUint((*digits)[:0], uint64(x), 10)
		}
		return *digits, nil
	case floats:
		if a.size == 4 {
			*digits = strconv.AppendFloat((*digits)[:0], float64(math.Float32frombits(little.Uint32(a.places[4*i:]))), 'g', -1, 32)
		} else {
			*digits = strconv.AppendFloat((*digits)[:0], math.Float64frombits(little.Uint64(a.places[8*i:])), 'g', -1, 64)
		}
		return *digits, nil
	case truths:
		*digits = strconv.AppendBool((*digits)[:0], a.places[i>>3]>>(i&7)&1 != 0)
		return *digits, nil
	case short:
		from, to = int64(int32(little.Uint32(a.places[4*i:]))), int64(int32(little.Uint32(a.places[4*i+4:])))
	case long:
		from, to = int64(little.Uint64(a.places[8*i:])), int64(little.Uint64(a.places[8*i+8:]))
	case views:
		view := a.places[16*i : 16*i+16]
		size := int64(int32(little.Uint32(view)))
		if size >= 0 && size <= 12 {
			return view[4 : 4+size : 4+size], nil
		}
		k := int(little.Uint32(view[8:]))
		if from = int64(little.Uint32(view[12:])); k >= len(data) || size < 0 {
			return nil, errPlaces
		}
		data, to = data[k:], from+size
	}
	if from < 0 || to < from || to > int64(len(data[0])) {
		return nil, errPlaces
	}
	return data[0][from:to:to], nil
}

func (a *array) number(i int64) int64 {
	little := binary.LittleEndian
	switch b := a.places[i*int64(a.size):]; a.size {
	case 1:
		if a.signed {
			return int64(int8(b[0]))
		}
		return int64(b[0])
	case 2:
		if a.signed {
			return int64(int16(little.Uint16(b)))
		}
		return int64(little.Uint16(b))
	case 4:
		if a.signed {
			return int64(int32(little.Uint32(b)))
		}
		return int64(little.Uint32(b))
	default:
		return int64(little.Uint64(b))
	}
}

// unpack returns a buffer as it was before it was compressed by a codec; -1 for none.
func (f *File) unpack(b []byte, codec int) ([]byte, error) {
	if codec < 0 || len(b) == 0 {
		return b, nil
	}
	if len(b) < 8 {
		return nil, errDamaged
	}
	size := int64(binary.LittleEndian.Uint64(b))
	if b = b[8:]; size == -1 {
		return b, nil
	}
	if size < 0 || size > MaxBatch || size > freeExpand+maxExpand*int64(len(b)) {
		return nil, fmt.Errorf("%d bytes compressed to %d: refused as a decompression bomb", size, len(b))
	}
	switch codec {
	case 0:
		return lz.Frame(b, int(size))
	case 1:
		if f.zstd == nil {
			return nil, errors.New("compressed by zstd, which is not at hand here: want LZ4 or no compression")
		}
		r, err := f.zstd(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		return take(r, size)
	}
	return nil, fmt.Errorf("compressed by codec %d: want LZ4, zstd or none", codec)
}
