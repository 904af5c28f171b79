// Package parquet reads columns of Parquet files as text (Open), and writes flat tables (NewWriter).
//
// It is small enough for the page, and trusts nothing in a file: memory is bounded by two pages and a dictionary for
// each column, and by what pages may expand to (ErrBomb). It reads flat columns of all types, encodings and data pages
// that pandas, Polars, Spark, DuckDB and others write; uncompressed or Snappy, gzip, zstd, Brotli or LZ4. A value is
// the text of DuckDB's COPY TO csv. Lists, structs, maps and variants are recognised and not read, and neither are
// columns with a codec or an encoding that is not known. Checksums of pages are verified.
package parquet

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"math"
	"slices"
)

// Magic is how a Parquet file begins and ends.
const Magic = "PAR1"

// Limits.
const (
	maxFooter = 64 << 20 // bytes of metadata
	// MaxPage bounds a page or a dictionary, compressed or not, in bytes. Writers aim at 8 KiB to 1 MiB.
	MaxPage       = 64 << 20
	maxPageHeader = 1 << 20
	maxColumns    = 1 << 16
)

// A Column at the top level of a file.
type Column struct {
	Name string
	Text bool // text
	// Value marks what else is read as text: numbers as the shortest decimal, true or false, dates, UUIDs.
	Value  bool
	Number bool   // a Value that is a number or a truth
	What   string // its content, for messages

	leaf     int // among the leaves
	optional bool
	physical int
	width    int // of a value in bytes, 0 if it varies
	logical  logical
	show     func(c *Column, b, value []byte) []byte // nil for text
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
	unknown   bool // has an encoding that is not known
}

// Codecs decompress what the standard library cannot. A page that needs a nil codec is refused.
type Codecs struct {
	Zstd, Brotli func(io.Reader) (io.Reader, error)
}

// Open reads the metadata of a file of that size. It fails if they are truncated, damaged, encrypted or too large.
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

// Columns returns the columns at the top level, also those that cannot be read.
func (f *File) Columns() []Column { return f.columns }

// Len returns how many rows the file says it has.
func (f *File) Len() int64 { return f.rows }

// readFooter reads the schema, the number of rows and the row groups.
func (f *File) readFooter(footer []byte) error {
	r := &reader{left: footer}
	var schema []element
	rows, size := int64(0), int64(0)
	fail := func(err error) {
		if err != nil {
			r.fail(err) // and read no more
		}
	}
	r.fields(func(id int, kind byte) bool { // of FileMetaData
		switch {
		case id == 2: // schema
			return r.each(kind, func() { schema = append(schema, readElement(r)) })
		case id == 3 && kind == thriftI64: // num_rows
			rows = r.signed()
			return true
		case id == 4: // row_groups
			if f.columns == nil {
				fail(f.setSchema(schema))
			}
			return r.each(kind, func() { fail(f.addGroup(readGroup(r, f.leaves), &size)) })
		}
		return false
	})
	switch {
	case r.err == nil && f.columns == nil:
		return f.setSchema(schema)
	case r.err == nil && rows != f.rows:
		return fmt.Errorf("%d rows, and %d in the row groups", rows, f.rows)
	}
	return r.err
}

// addGroup adds a row group. Columns with data that cannot be read become unreadable. It adds the bytes of readable ones to
// size, and fails if that exceeds the file's: parts that share bytes would take more memory than the file's size allows.
func (f *File) addGroup(g group, size *int64) error {
	f.groups = append(f.groups, g)
	if g.rows < 0 || g.rows > math.MaxInt64-f.rows || len(g.chunks) != f.leaves {
		return fmt.Errorf("row group %d has %d columns and %d rows: want %d columns", len(f.groups), len(g.chunks), g.rows, f.leaves)
	}
	f.rows += g.rows
	for i := range f.columns {
		c := &f.columns[i]
		if !c.Text && !c.Value || g.rows == 0 {
			continue
		}
		k := &g.chunks[c.leaf]
		if what := f.codecs.lack(k); what != "" {
			*c = Column{Name: c.Name, What: what, leaf: c.leaf}
		}
		if !k.elsewhere && k.size > 0 && k.size <= f.size {
			*size += k.size
		}
	}
	if *size > f.size {
		return fmt.Errorf("columns of %d bytes in a file of %d", *size, f.size)
	}
	return nil
}

// An element of a schema.
type element struct {
	name                                  string
	physical, width, repetition, children int64
	logical                               logical
}

// readElement reads an element of the schema. Its physical type is −1 if there is none.
func readElement(r *reader) element {
	e := element{physical: -1}
	var scale, precision int64
	converted := int64(-1)
	r.numbers(map[int]*int64{
		1: &e.physical, 2: &e.width, 3: &e.repetition, 5: &e.children, 6: &converted, 7: &scale, 8: &precision,
	}, func(id int, kind byte) bool {
		switch {
		case id == 4 && kind == thriftBinary:
			e.name = r.text()
		case id == 10 && kind == thriftStruct:
			e.logical = readLogical(r)
		default:
			return false
		}
		return true
	})
	if e.logical.kind == noLogical && converted >= 0 && converted < int64(len(convertedTypes)) {
		e.logical = convertedTypes[converted]
		e.logical.scale, e.logical.precision = scale, precision
	}
	return e
}

const (
	optional = 1
	repeated = 2
)

// setSchema sets f.columns to the top level of a schema, a tree listed depth first after its root, and counts all leaves.
func (f *File) setSchema(schema []element) error {
	if len(schema) == 0 {
		return errors.New("no schema")
	}
	for at := 1; at < len(schema); {
		e := schema[at]
		if e.repetition < 0 || e.repetition > repeated {
			return errThrift
		}
		c := Column{Name: e.name, leaf: f.leaves, optional: e.repetition == optional}
		// Skip e and the elements below it, of which below are still to come.
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
		switch {
		case e.repetition == repeated || e.children > 0 && e.logical.kind == listType:
			c.What = "lists"
		case e.children > 0:
			c.What = cmp.Or(map[int]string{mapType: "maps", variantType: "variants"}[e.logical.kind], "structs")
		case e.physical < 0 || e.physical > fixedArray || e.physical == fixedArray && (e.width <= 0 || e.width > MaxPage):
			return errThrift
		default:
			c.setForm(e)
		}
		if f.columns = append(f.columns, c); len(f.columns) > maxColumns {
			return fmt.Errorf("more than %d columns", maxColumns)
		}
	}
	return nil
}

// readGroup reads a row group of a file with so many columns.
func readGroup(r *reader, leaves int) (g group) {
	r.fields(func(id int, kind byte) bool {
		switch {
		case id == 1: // columns
			g.chunks = slices.Grow(g.chunks, min(leaves, len(r.left)))
			return r.each(kind, func() { g.chunks = append(g.chunks, readChunk(r)) })
		case id == 3 && kind == thriftI64: // num_rows
			g.rows = r.signed()
			return true
		}
		return false
	})
	return g
}

// readChunk reads where the data of a column in a row group are, and how they are stored.
func readChunk(r *reader) (c chunk) {
	var data, dictionary int64
	r.fields(func(id int, kind byte) bool {
		c.elsewhere = c.elsewhere || id == 1 && kind == thriftBinary // file_path
		if id != 3 || kind != thriftStruct {                         // meta_data
			return false
		}
		places := map[int]*int64{1: &c.physical, 4: &c.codec, 5: &c.values, 7: &c.size, 9: &data, 11: &dictionary}
		r.numbers(places, func(id int, kind byte) bool {
			if id != 2 || kind != thriftList {
				return false
			}
			n, _ := r.list() // encodings, which are whole numbers
			for range n {
				c.unknown = r.signed() > streamSplit || c.unknown
			}
			return true
		})
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
		unpacking := &unpacking{}
		for g := range f.groups {
			if f.groups[g].rows == 0 {
				continue // such groups need no data offset
			}
			cursors := make([]*cursor, len(columns))
			for k, i := range columns {
				c, err := f.cursor(g, i, unpacking)
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
			for _, c := range cursors {
				if err := c.finish(); err != nil {
					yield(nil, fmt.Errorf("row group %d: column %q: page at byte %d: %w", g+1, c.column.Name, c.page, err))
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
	text     []byte // the last value shown

	*unpacking
}

// cursor returns a cursor on a column of row group g. It fails for columns that are not read and for data that do not
// fit the schema or the file.
func (f *File) cursor(g, column int, unpacking *unpacking) (*cursor, error) {
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
	// Empty text is not nil, which is null.
	return &cursor{file: f, column: c, chunk: k, at: k.at, end: k.at + k.size, text: []byte{}, unpacking: unpacking}, nil
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

// finish reads pages without values behind the last row. It fails if there are further values.
func (c *cursor) finish() error {
	for c.left == 0 && c.at < c.end {
		c.page = c.at
		if err := c.readPage(); err != nil {
			return err
		}
	}
	if c.left > 0 {
		return fmt.Errorf("%d more values than its row group has rows", c.left)
	}
	return nil
}

// shown returns a value as text, valid until the next one. Values of a dictionary are text already.
func (c *cursor) shown(value []byte) (text []byte, err error) {
	if c.column.show == nil || c.words != nil && c.values == values(c.words) {
		return value, nil
	}
	c.text, err = c.column.append(c.text[:0], value)
	return c.text, err
}

// append appends a value as text. It fails for a decimal of too many bytes.
func (c *Column) append(b, value []byte) ([]byte, error) {
	if c.What == "decimals" && len(value) > maxDecimal {
		return nil, fmt.Errorf("a decimal of %d bytes: want at most %d", len(value), maxDecimal)
	}
	if c.show == nil {
		return append(b, value...), nil
	}
	return c.show(c, b, value), nil
}

// A header is that of a page.
type header struct {
	kind                     int64
	compressed, uncompressed int64
	values, encoding         int64
	checksum                 int64 // noChecksum if there is none
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
	deltaBinary     = 5
	deltaLength     = 6
	deltaArray      = 7
	dictionary      = 8
	streamSplit     = 9 // the last one known
)

const noChecksum = math.MinInt64

// readHeader reads the header of a page.
func readHeader(r *reader) (h header) {
	h.encoding, h.checksum = -1, noChecksum
	r.numbers(map[int]*int64{1: &h.kind, 2: &h.uncompressed, 3: &h.compressed, 4: &h.checksum}, func(id int, kind byte) bool {
		places, known := map[int]map[int]*int64{
			5: {1: &h.values, 2: &h.encoding, 3: &h.levels},                               // of a data page, version 1
			7: {1: &h.values, 2: &h.encoding},                                             // of a dictionary
			8: {1: &h.values, 4: &h.encoding, 5: &h.definitionSize, 6: &h.repetitionSize}, // of a data page, version 2
		}[id]
		if !known || kind != thriftStruct {
			return false
		}
		r.numbers(places, func(field int, kind byte) bool {
			h.plain = h.plain || id == 8 && field == 7 && kind == thriftFalse // is_compressed
			return false                                                      // a truth has no bytes
		})
		return true
	})
	return h
}

// header reads the header at c.at and moves to its data. As its size is not known, it reads ever more bytes.
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

// readPage reads the page at c.at and moves behind it. After a data page c.left is how many values it has, which may be 0.
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
	if h.checksum != noChecksum && crc32.ChecksumIEEE(c.raw) != uint32(h.checksum) {
		return errors.New("its checksum is wrong: the file is damaged")
	}
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

// readDictionary reads the dictionary page into c.words, as text.
func (c *cursor) readDictionary(h header) error {
	if c.words != nil {
		return errors.New("a second dictionary")
	}
	if h.encoding != plainValues && h.encoding != plainDictionary {
		return fmt.Errorf("a dictionary of encoding %d: want plain", h.encoding)
	}
	body, err := c.decompress(c.raw, h.uncompressed)
	if err != nil {
		return err
	}
	if c.column.physical == boolean {
		return errors.New("a dictionary of truths")
	}
	if h.values > int64(len(body)/cmp.Or(c.column.width, 4)) {
		return fmt.Errorf("a dictionary of %d values in %d bytes", h.values, len(body))
	}
	if err := c.unpack(4 * int(h.values)); err != nil {
		return err
	}
	c.words = &words{texts: []byte{}, ends: make([]uint32, 0, h.values)}
	in := c.plain(body)
	for range h.values {
		value, err := in.next()
		if err != nil {
			return err
		}
		before := len(c.words.texts)
		if c.words.texts, err = c.column.append(c.words.texts, value); err != nil {
			return err
		}
		size := len(c.words.texts)
		if err := c.unpack(size - before); err != nil || size > 8*MaxPage {
			return cmp.Or(err, ErrBomb)
		}
		c.words.ends = append(c.words.ends, uint32(size))
	}
	return nil
}

// readData reads a data page of version 1. Definition levels precede the values of an optional column.
func (c *cursor) readData(h header) error {
	body, err := c.decompress(c.raw, h.uncompressed)
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

// readData2 reads a data page of version 2, whose levels precede the compressed values.
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
		if body, err = c.decompress(body, h.uncompressed-levels); err != nil {
			return err
		}
	}
	return c.setValues(h, body)
}

// setValues makes body the page's values, to be decoded by c.values. It fails for an encoding that the column cannot have.
func (c *cursor) setValues(h header, body []byte) (err error) {
	c.left = int(h.values)
	physical, width := c.column.physical, c.column.width
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
			if body[0] > 32 { // the width of indices in bits
				return fmt.Errorf("places in a dictionary of %d bits: want at most 32", body[0])
			}
			c.words.indices = hybrid{left: body[1:], width: int(body[0])}
		}
		c.values = c.words
	case e == runLengths && physical == boolean:
		if len(body) < 4 {
			return errShort
		}
		c.values = &truths{hybrid: hybrid{left: body[4:], width: 1}}
	case e == deltaBinary && (physical == int32s || physical == int64s):
		body, err = c.deltaNumbers(body)
		c.values = c.plain(body)
	case e == deltaLength && physical == byteArray || e == deltaArray && (physical == byteArray || physical == fixedArray):
		body, err = c.deltaTexts(body, e == deltaArray)
		c.values = c.plain(body)
	case e == streamSplit && width > 0 && len(body)%width == 0:
		c.values = c.plain(joinStreams(body, width))
	default:
		return fmt.Errorf("values of encoding %d in a column of %s", e, c.column.What)
	}
	return err
}

// plain returns the values of a body in plain encoding.
func (c *cursor) plain(body []byte) values {
	switch {
	case c.column.width > 0:
		return &plainNumbers{body, c.column.width}
	case c.column.physical == boolean:
		return &truths{packed: body}
	}
	return &plainTexts{body}
}
