// Package parquet reads columns of text and integers from Parquet files (Open), and writes flat
// tables (NewWriter).
//
// It is small enough for the page, and trusts nothing in a file: memory is bounded by two pages and
// a dictionary for each column. It reads flat columns of pandas, Polars, Spark and DuckDB: data
// pages of both versions, plain or with a dictionary, as they write by default; uncompressed or
// Snappy, gzip, zstd, Brotli or LZ4. Lists, structs and deltas are recognised and not read.
package parquet

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
)

// Magic is how a Parquet file begins and ends.
const Magic = "PAR1"

// Limits.
const (
	maxFooter = 64 << 20 // bytes of metadata
	// MaxPage bounds a page or a dictionary, compressed or not, in bytes. Writers aim at
	// 8 KiB to 1 MiB.
	MaxPage       = 64 << 20
	maxPageHeader = 1 << 20
)

// A Column at the top level of a file.
type Column struct {
	Name string
	Text bool // text
	// Value marks numbers and truths, read as text: the shortest decimal, true or false.
	Value bool
	What  string // its content, for messages

	leaf     int // among the leaves
	optional bool
	unsigned bool
	physical int
}

// A File is an open Parquet file.
type File struct {
	r       io.ReaderAt
	size    int64
	codecs  Codecs
	columns []Column
	leaves  int
	groups  []group
	rows    int64
}

type group struct {
	rows   int64
	chunks []chunk // of the leaves
}

type chunk struct {
	at, size  int64 // of its pages
	values    int64
	codec     int64
	physical  int64
	elsewhere bool // in another file
}

// Physical types.
const (
	boolean = iota
	int32s
	int64s
	int96s
	floats
	doubles
	byteArray
	fixedArray
)

var physicalNames = []string{"truths", "whole numbers", "whole numbers", "times", "numbers", "numbers", "text", "bytes"}

// Codecs decompress what the standard library does not. Pages that need one that is nil are refused.
type Codecs struct {
	Zstd, Brotli func(io.Reader) (io.Reader, error)
}

// Open reads the metadata of a file of that size.
func Open(r io.ReaderAt, size int64, codecs Codecs) (*File, error) {
	var tail [8]byte
	if size < int64(len(Magic)+len(tail)) {
		return nil, fmt.Errorf("a Parquet file of %d bytes, it looks truncated", size)
	}
	if _, err := r.ReadAt(tail[:], size-int64(len(tail))); err != nil && err != io.EOF {
		return nil, err
	}
	if string(tail[4:]) == "PARE" {
		return nil, errors.New("an encrypted Parquet file: want one that is not")
	}
	if string(tail[4:]) != Magic {
		return nil, errors.New("a Parquet file without its end, it looks truncated")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > maxFooter || length > size-int64(len(Magic)+len(tail)) {
		return nil, fmt.Errorf("a Parquet file of %d bytes with metadata of %d: want at most %d", size, length, min(maxFooter, size))
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-int64(len(tail))-length); err != nil && err != io.EOF {
		return nil, err
	}
	f := &File{r: r, size: size, codecs: codecs}
	if err := f.readFooter(footer); err != nil {
		return nil, fmt.Errorf("metadata of the Parquet file: %w", err)
	}
	return f, nil
}

func (f *File) Columns() []Column { return f.columns }

func (f *File) readFooter(footer []byte) error {
	r := &reader{left: footer}
	var schema []element
	var bad error
	r.fields(func(id int, kind byte) bool {
		switch {
		case id == 2:
			return r.each(kind, func() { schema = append(schema, readElement(r)) })
		case id == 4:
			if len(f.columns) == 0 && bad == nil {
				bad = f.setSchema(schema)
			}
			return bad == nil && r.each(kind, func() { f.groups = append(f.groups, readGroup(r, f.leaves)) })
		}
		return false
	})
	if bad != nil || r.err != nil {
		return cmp.Or(bad, r.err)
	}
	if f.columns == nil {
		if err := f.setSchema(schema); err != nil {
			return err
		}
	}
	for i, g := range f.groups {
		if g.rows < 0 || len(g.chunks) != f.leaves {
			return fmt.Errorf("row group %d has %d columns and %d rows: want %d columns", i+1, len(g.chunks), g.rows, f.leaves)
		}
		f.rows += g.rows
	}
	return nil
}

// An element of a schema.
type element struct {
	name                                      string
	physical, repetition, children, converted int64
	logical                                   int // the set field of the union LogicalType
	unsigned                                  bool
}

func readElement(r *reader) element {
	e := element{physical: -1, converted: -1}
	r.numbers(map[int]*int64{1: &e.physical, 3: &e.repetition, 5: &e.children, 6: &e.converted}, func(id int, kind byte) bool {
		switch {
		case id == 4 && kind == thriftBinary:
			e.name = r.text()
		case id == 10 && kind == thriftStruct:
			r.fields(func(id int, _ byte) bool {
				e.logical = id
				return false
			})
		default:
			return false
		}
		return true
	})
	e.unsigned = e.converted >= 11 && e.converted <= 14 // UINT_8 to UINT_64
	return e
}

const (
	optional = 1
	repeated = 2

	logicalInteger  = 10
	convertedSigned = 15 // INT_8 to INT_64 are 15 to 18
)

// setSchema finds the columns of a schema, a tree listed depth first.
func (f *File) setSchema(schema []element) error {
	if len(schema) == 0 {
		return errors.New("no schema")
	}
	for at := 1; at < len(schema); {
		e := schema[at]
		c := Column{Name: e.name, leaf: f.leaves, optional: e.repetition == optional, physical: int(e.physical), unsigned: e.unsigned}
		// below counts elements still to come below e.
		for below := 1; below > 0; below-- {
			if at >= len(schema) {
				return errThrift
			}
			if n := int(schema[at].children); n > 0 {
				if n > len(schema) {
					return errThrift
				}
				below += n
			} else {
				f.leaves++
			}
			at++
		}
		plain := e.converted < 0 && e.logical == 0
		whole := plain || e.logical == logicalInteger || e.converted >= 11 && e.converted < convertedSigned+4
		switch {
		case e.repetition == repeated || e.children > 0 && (e.logical == 3 || e.converted == 3):
			c.What = "lists"
		case e.children > 0:
			c.What = "structs"
		case e.physical < 0 || e.physical >= int64(len(physicalNames)):
			return errThrift
		case e.physical == byteArray && (plain || e.logical == 1 || e.logical == 4 || e.logical == 12 || e.converted == 0 || e.converted == 4 || e.converted == 19):
			c.Text, c.What = true, "text"
		case (e.physical == int32s || e.physical == int64s) && whole:
			c.Value, c.What = true, "whole numbers"
		default:
			c.What = physicalNames[e.physical]
			c.Value = plain && (e.physical == floats || e.physical == doubles || e.physical == boolean)
			if e.physical == byteArray || (e.physical == int32s || e.physical == int64s) {
				c.What = "times or decimals"
			}
		}
		f.columns = append(f.columns, c)
	}
	return nil
}

func readGroup(r *reader, leaves int) (g group) {
	g.chunks = make([]chunk, 0, min(leaves, len(r.left)))
	r.fields(func(id int, kind byte) bool {
		switch {
		case id == 1:
			return r.each(kind, func() { g.chunks = append(g.chunks, readChunk(r)) })
		case id == 3 && kind == thriftI64:
			g.rows = r.signed()
			return true
		}
		return false
	})
	return g
}

func readChunk(r *reader) (c chunk) {
	var data, dictionary int64
	r.fields(func(id int, kind byte) bool {
		c.elsewhere = c.elsewhere || id == 1 && kind == thriftBinary
		if id != 3 || kind != thriftStruct {
			return false
		}
		r.numbers(map[int]*int64{1: &c.physical, 4: &c.codec, 5: &c.values, 7: &c.size, 9: &data, 11: &dictionary}, nil)
		return true
	})
	if c.at = data; dictionary > 0 && dictionary < data {
		c.at = dictionary
	}
	return c
}

// Rows yields the cells of some columns, by index in Columns, for each row, nil for null. Cells are
// valid until the next row. An error comes last.
func (f *File) Rows(columns ...int) iter.Seq2[[][]byte, error] {
	return func(yield func([][]byte, error) bool) {
		cells := make([][]byte, len(columns))
		for g := range f.groups {
			if f.groups[g].rows == 0 {
				continue // such groups need no data offset
			}
			cursors := make([]*cursor, len(columns))
			for k, i := range columns {
				c, err := f.cursor(g, i)
				if err != nil {
					yield(nil, fmt.Errorf("row group %d: column %q: %w", g+1, f.columns[i].Name, err))
					return
				}
				cursors[k] = c
			}
			for range f.groups[g].rows {
				for k, c := range cursors {
					var err error
					if cells[k], err = c.next(); err != nil {
						yield(nil, fmt.Errorf("row group %d: column %q: page at byte %d: %w", g+1, c.column.Name, c.page, err))
						return
					}
				}
				if !yield(cells, nil) {
					return
				}
			}
		}
	}
}

// A cursor reads a column of a row group.
type cursor struct {
	file     *File
	column   *Column
	chunk    chunk
	at, end  int64   // the unread range
	page     int64   // start of the page
	left     int     // values left in the page
	levels   *hybrid // nil without nulls
	values   values
	words    *words // the dictionary, or nil
	raw, out []byte // buffers of the page
	digits   []byte
}

func (f *File) cursor(g, column int) (*cursor, error) {
	c := &f.columns[column]
	k := f.groups[g].chunks[c.leaf]
	switch {
	case !c.Text && !c.Value:
		return nil, fmt.Errorf("holds %s: want text or numbers", c.What)
	case k.elsewhere:
		return nil, errors.New("its data are in another file: want one file")
	case k.at < int64(len(Magic)) || k.size < 0 || k.at > f.size || k.size > f.size-k.at:
		return nil, fmt.Errorf("its data are said to be bytes %d to %d of %d, the file looks truncated", k.at, k.at+k.size, f.size)
	case k.values != f.groups[g].rows:
		return nil, fmt.Errorf("%d values in %d rows", k.values, f.groups[g].rows)
	case k.physical != int64(c.physical):
		return nil, errors.New("its type is not that of the schema")
	}
	return &cursor{file: f, column: c, chunk: k, at: k.at, end: k.at + k.size}, nil
}

// next returns the next value, nil for null.
func (c *cursor) next() ([]byte, error) {
	for c.left == 0 {
		if c.page = c.at; c.at >= c.end {
			return nil, errors.New("the column ends before its row group")
		}
		if err := c.readPage(); err != nil {
			return nil, err
		}
	}
	c.left--
	if c.levels != nil {
		level, err := c.levels.next()
		if err != nil || level == 0 {
			return nil, err
		}
	}
	value, err := c.values.next()
	if err != nil {
		return nil, err
	}
	return c.shown(value)
}

// shown is a value as text. Numbers of a dictionary are text already.
func (c *cursor) shown(value []byte) ([]byte, error) {
	if c.column.Text || c.words != nil && c.values == values(c.words) {
		return value, nil
	}
	c.digits = c.column.digits(c.digits[:0], value)
	return c.digits, nil
}

// digits appends a number or truth as text.
func (c *Column) digits(b, value []byte) []byte {
	switch c.physical {
	case boolean:
		return strconv.AppendBool(b, value[0] != 0)
	case floats:
		return strconv.AppendFloat(b, float64(math.Float32frombits(binary.LittleEndian.Uint32(value))), 'g', -1, 32)
	case doubles:
		return strconv.AppendFloat(b, math.Float64frombits(binary.LittleEndian.Uint64(value)), 'g', -1, 64)
	}
	var x int64
	if len(value) == 4 {
		x = int64(int32(binary.LittleEndian.Uint32(value)))
		if c.unsigned {
			x &= 1<<32 - 1
		}
	} else {
		x = int64(binary.LittleEndian.Uint64(value))
	}
	if c.unsigned {
		return strconv.AppendUint(b, uint64(x), 10)
	}
	return strconv.AppendInt(b, x, 10)
}

// A header is that of a page.
type header struct {
	kind                     int64
	compressed, uncompressed int64
	values, encoding         int64
	levels                   int64 // encoding of definition levels, version 1
	// Of version 2.
	repetitionSize, definitionSize int64
	plain                          bool // not compressed
}

// Kinds of pages and encodings.
const (
	dataPage       = 0
	indexPage      = 1
	dictionaryPage = 2
	dataPage2      = 3

	plainValues     = 0
	plainDictionary = 2
	runLengths      = 3
	dictionary      = 8
)

func readHeader(r *reader) (h header) {
	h.encoding = -1
	r.numbers(map[int]*int64{1: &h.kind, 2: &h.uncompressed, 3: &h.compressed}, func(id int, kind byte) bool {
		places, known := map[int]map[int]*int64{
			5: {1: &h.values, 2: &h.encoding, 3: &h.levels},
			7: {1: &h.values, 2: &h.encoding},
			8: {1: &h.values, 4: &h.encoding, 5: &h.definitionSize, 6: &h.repetitionSize},
		}[id]
		if !known || kind != thriftStruct {
			return false
		}
		r.numbers(places, func(field int, kind byte) bool {
			h.plain = h.plain || id == 8 && field == 7 && kind == thriftFalse
			return false // a truth has no bytes
		})
		return true
	})
	return h
}

// header reads the header at c.at and moves to its data.
func (c *cursor) header() (h header, err error) {
	for size := int64(512); ; size *= 8 {
		b := slices.Grow(c.raw[:0], int(min(size, c.end-c.at)))[:min(size, c.end-c.at)]
		c.raw = b
		if _, err := c.file.r.ReadAt(b, c.at); err != nil && err != io.EOF {
			return h, err
		}
		r := &reader{left: b}
		h = readHeader(r)
		if r.err == errShort && size < maxPageHeader && size < c.end-c.at {
			continue
		}
		c.at += int64(len(b) - len(r.left))
		return h, r.err
	}
}

// readPage reads the page at c.at. A page without values leaves none.
func (c *cursor) readPage() error {
	h, err := c.header()
	if err != nil {
		return err
	}
	switch {
	case h.compressed < 0 || h.uncompressed < 0 || h.compressed > c.end-c.at || h.values < 0:
		return fmt.Errorf("%d bytes and %d values where the column has %d more bytes", h.compressed, h.values, c.end-c.at)
	case h.compressed > MaxPage || h.uncompressed > MaxPage:
		return fmt.Errorf("%d bytes, %d uncompressed: want at most %d, write smaller pages", h.compressed, h.uncompressed, MaxPage)
	}
	c.raw = slices.Grow(c.raw[:0], int(h.compressed))[:h.compressed]
	if _, err := c.file.r.ReadAt(c.raw, c.at); err != nil && err != io.EOF {
		return err
	}
	c.at += h.compressed
	switch h.kind {
	case indexPage:
		return nil
	case dictionaryPage:
		return c.readDictionary(h)
	case dataPage:
		return c.readData(h)
	case dataPage2:
		return c.readData2(h)
	}
	return fmt.Errorf("a page of kind %d: want a newer BaCa, or data pages of version 1 or 2", h.kind)
}

func (c *cursor) readDictionary(h header) error {
	if c.words != nil {
		return errors.New("a second dictionary")
	}
	if h.encoding != plainValues && h.encoding != plainDictionary {
		return fmt.Errorf("a dictionary of encoding %d: want plain", h.encoding)
	}
	body, err := c.decompress(nil, c.raw, h.uncompressed)
	if err != nil {
		return err
	}
	c.words = &words{}
	in := c.plain(slices.Clone(body))
	if c.column.physical == boolean {
		return errors.New("a dictionary of truths")
	}
	if h.values > int64(len(body)/c.column.size()) {
		return fmt.Errorf("a dictionary of %d values in %d bytes", h.values, len(body))
	}
	for range h.values {
		value, err := in.next()
		if err != nil {
			return err
		}
		if !c.column.Text {
			value = c.column.digits(nil, value)
		}
		c.words.list = append(c.words.list, value)
	}
	return nil
}

func (c *cursor) readData(h header) error {
	body, err := c.decompress(c.out, c.raw, h.uncompressed)
	if err != nil {
		return err
	}
	c.levels = nil
	if c.column.optional {
		if h.levels != runLengths {
			return fmt.Errorf("definition levels of encoding %d: want %d", h.levels, runLengths)
		}
		if len(body) < 4 {
			return errShort
		}
		n := binary.LittleEndian.Uint32(body)
		if body = body[4:]; uint64(n) > uint64(len(body)) {
			return errShort
		}
		c.levels = &hybrid{left: body[:n], width: 1}
		body = body[n:]
	}
	return c.setValues(h, body)
}

func (c *cursor) readData2(h header) error {
	levels := h.repetitionSize + h.definitionSize
	if h.repetitionSize < 0 || h.definitionSize < 0 || levels > h.compressed || levels > h.uncompressed {
		return errors.New("levels are longer than the page")
	}
	// The levels stay in c.raw, which is unchanged until the next page.
	c.levels = nil
	if c.column.optional {
		c.levels = &hybrid{left: c.raw[h.repetitionSize:levels], width: 1}
	}
	body := c.raw[levels:]
	if !h.plain {
		var err error
		if body, err = c.decompress(c.out, body, h.uncompressed-levels); err != nil {
			return err
		}
	}
	return c.setValues(h, body)
}

// setValues decodes body as the page's values.
func (c *cursor) setValues(h header, body []byte) error {
	c.left = int(h.values)
	switch e := h.encoding; {
	case e == plainValues:
		c.values = c.plain(body)
	case e == plainDictionary || e == dictionary:
		if c.words == nil {
			return errors.New("no dictionary in front of it")
		}
		if len(body) == 0 {
			// All values are null.
			c.words.indices = hybrid{}
		} else {
			if body[0] > 32 {
				return fmt.Errorf("places in a dictionary of %d bits: want at most 32", body[0])
			}
			c.words.indices = hybrid{left: body[1:], width: int(body[0])}
		}
		c.values = c.words
	case e == runLengths && c.column.physical == boolean:
		if len(body) < 4 {
			return errShort
		}
		c.values = &truths{hybrid: hybrid{left: body[4:], width: 1}}
	default:
		return fmt.Errorf("values of encoding %d: want plain ones or a dictionary", e)
	}
	return nil
}

func (c *cursor) plain(body []byte) values {
	switch {
	case c.column.Text:
		return &plainTexts{body}
	case c.column.physical == boolean:
		return &truths{packed: body}
	}
	return &plainNumbers{body, c.column.size()}
}

// size is a value's width; for text, its minimum.
func (c *Column) size() int {
	if c.physical == int64s || c.physical == doubles {
		return 8
	}
	return 4
}
