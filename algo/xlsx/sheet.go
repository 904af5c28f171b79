package xlsx

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
)

// A sheet turns rows into CSV while it is read.
type sheet struct {
	*Book
	name  string
	xml   *xmlReader
	meter *meter
	text  bytes.Buffer // CSV that is not read yet
	row   int          // the last one written, from 1
	full  int          // rows that hold something
	cell  cell         // the last one read
	err   error
}

type cell struct {
	column int // from 0
	place  []byte
	kind   string
	style  int
	value  []byte
}

// Check reads a sheet to its end, and returns the first whole lines of its CSV, at most so many bytes, and
// how many rows hold something.
func (b *Book) Check(of Sheet, most int) (head []byte, rows int, err error) {
	s, err := b.open(of, &b.meter)
	if err != nil {
		return nil, 0, err
	}
	for s.err == nil {
		s.fill()
		if most -= s.text.Len(); most >= 0 {
			head = append(head, s.text.Bytes()...)
		}
		s.text.Reset()
	}
	if s.err != io.EOF {
		return nil, 0, s.err
	}
	return head, s.full, nil
}

// CSV returns the text of a sheet that was checked.
func (b *Book) CSV(of Sheet) (io.Reader, error) {
	s, err := b.open(of, &meter{math.MaxInt64, math.MaxInt64})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (b *Book) open(of Sheet, m *meter) (*sheet, error) {
	file, err := b.archive.Open(of.part)
	if err != nil {
		return nil, fmt.Errorf("workbook: sheet %q: %w", of.Name, err)
	}
	return &sheet{Book: b, name: of.Name, xml: newXML(&metered{file, m}), meter: m}, nil
}

func (s *sheet) Read(p []byte) (int, error) {
	for s.text.Len() == 0 && s.err == nil {
		s.text.Reset()
		s.fill()
	}
	if s.text.Len() == 0 {
		return 0, s.err
	}
	return s.text.Read(p)
}

// fill writes the next row, or notes why there is none.
func (s *sheet) fill() {
	s.err = s.next()
	if s.err == nil {
		s.err = s.meter.add(s.text.Len())
	}
	if s.err != nil && s.err != io.EOF {
		s.text.Reset()
		s.err = fmt.Errorf("at row %d of sheet %q: %w", s.row, s.name, s.err)
	}
}

// next writes the next row, and blank lines in place of rows that the file leaves out.
func (s *sheet) next() error {
	for {
		if err := s.xml.next(); err != nil {
			return err
		}
		switch {
		case s.xml.starts("row"):
			return s.writeRow()
		case s.xml.ends("sheetData"):
			// The checksum is at the end. Other rows are places of pictures.
			if _, err := io.Copy(io.Discard, s.xml.in); err != nil {
				return err
			}
			return io.EOF
		}
	}
}

func (s *sheet) writeRow() error {
	number := s.row + 1
	for s.xml.attr() {
		if string(s.xml.key) == "r" {
			number, _ = strconv.Atoi(string(s.xml.value))
		}
	}
	if number <= s.row || number > maxRows {
		return fmt.Errorf("a row with number %d: want a larger one, at most %d", number, maxRows)
	}
	s.text.Write(bytes.Repeat([]byte("\n"), number-s.row-1))
	s.row = number
	from, fields := s.text.Len(), 0
	for s.cell.column = -1; ; {
		if err := s.xml.next(); err != nil {
			return err
		}
		if s.xml.ends("row") {
			break
		}
		if !s.xml.starts("c") {
			continue
		}
		if err := s.writeCell(&fields); err != nil {
			return fmt.Errorf("cell %q: %w", s.cell.place, err)
		}
		if s.text.Len()-from > maxRow {
			return fmt.Errorf("a row of more than %d bytes of text: want a shorter one", maxRow)
		}
	}
	if fields > 0 {
		s.full++
	}
	return s.text.WriteByte('\n')
}

// writeCell writes the next cell behind so many fields.
func (s *sheet) writeCell(fields *int) error {
	c := &s.cell
	before := c.column
	if err := c.read(s.xml); err != nil {
		return err
	}
	if c.column <= before || c.column >= maxColumns {
		return fmt.Errorf("want columns in order, at most %d", maxColumns)
	}
	text, err := s.valueOf(c)
	if err != nil || len(text) == 0 {
		return err
	}
	separators := c.column
	if *fields > 0 {
		separators -= *fields - 1
	}
	s.text.Write(commas[:separators])
	*fields = c.column + 1
	s.writeField(text)
	return nil
}

var commas = bytes.Repeat([]byte(","), maxColumns)

// read reads a cell up to its end.
func (c *cell) read(x *xmlReader) error {
	*c = cell{column: c.column + 1, place: c.place[:0], value: c.value[:0]}
	for x.attr() {
		switch string(x.key) {
		case "r":
			c.place = append(c.place, x.value...)
			c.column = columnOf(x.value)
		case "t":
			c.kind = string(x.value)
		case "s":
			c.style, _ = strconv.Atoi(string(x.value))
		}
	}
	for {
		if err := x.next(); err != nil {
			return err
		}
		switch {
		case x.ends("c"):
			return nil
		case x.ends("v"):
			c.value = append(c.value, x.text...)
		case x.starts("is"):
			var err error
			if c.value, err = appendText(c.value, x, maxText); err != nil {
				return err
			}
		}
	}
}

// columnOf returns the column of a reference such as AB12, from 0.
func columnOf(place []byte) int {
	n := 0
	for _, c := range place {
		if c < 'A' || c > 'Z' || n > maxColumns {
			break
		}
		n = 26*n + int(c-'A') + 1
	}
	return n - 1
}

// valueOf returns the text of a cell.
func (s *sheet) valueOf(c *cell) ([]byte, error) {
	text := c.value
	if c.kind != "inlineStr" && c.kind != "str" {
		text = bytes.TrimSpace(text)
	}
	if len(text) == 0 {
		return nil, nil
	}
	switch c.kind {
	case "s":
		i, err := strconv.Atoi(string(text))
		if err != nil || i < 0 || i >= len(s.texts.ends) {
			return nil, fmt.Errorf("text %q of %d shared ones", text, len(s.texts.ends))
		}
		return s.texts.at(i), nil
	case "str":
		return unescapeUnits(text), nil
	case "b":
		return truth(text), nil
	case "d":
		return isoDate(text), nil
	case "", "n":
		if c.style >= 0 && c.style < len(s.looks) {
			return s.looks[c.style].show(text, s.firstDay), nil
		}
	}
	return text, nil
}

func truth(text []byte) []byte {
	switch string(text) {
	case "1", "true":
		return []byte("TRUE")
	case "0", "false":
		return []byte("FALSE")
	}
	return text
}

// writeField writes a field of CSV. Line ends become blanks, so that rows are lines.
func (s *sheet) writeField(text []byte) {
	if text[0] > ' ' && !bytes.ContainsAny(text, "\",\r\n") {
		s.text.Write(text)
		return
	}
	s.text.WriteByte('"')
	for i, c := range text {
		switch {
		case c == '"':
			s.text.WriteString(`""`)
		case c == '\n' && i > 0 && text[i-1] == '\r':
		case c == '\n', c == '\r':
			s.text.WriteByte(' ')
		default:
			s.text.WriteByte(c)
		}
	}
	s.text.WriteByte('"')
}
