package xlsx

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A sheet turns rows into CSV while it is read.
type sheet struct {
	*Book
	name string
	xml  *xmlReader
	text bytes.Buffer // CSV that is not read yet
	row  int          // the last one, from 1
	full int          // rows that hold something
	err  error

	// The cell being read.
	column      int    // from 0
	place, kind string // its reference, such as AB12, and its type, see textOf
	style       int
	value       []byte
}

// Check reads a sheet to its end. It returns the first bytes of its CSV, at most so many, and the number of rows with text.
func (b *Book) Check(of Sheet, most int64) (head []byte, rows int, err error) {
	s, err := b.open(of)
	if err != nil {
		return nil, 0, err
	}
	if head, err = io.ReadAll(io.LimitReader(s, most)); err == nil {
		_, err = io.Copy(io.Discard, s)
	}
	return head, s.full, err
}

// CSV returns the text of a sheet that Check has read without an error.
func (b *Book) CSV(of Sheet) (io.Reader, error) {
	b.spend = nil
	s, err := b.open(of)
	if err != nil {
		return nil, err // s would be a reader other than nil
	}
	return s, nil
}

// open returns a reader of a sheet as CSV.
func (b *Book) open(of Sheet) (*sheet, error) {
	file, err := b.archive.Open(of.part)
	if err != nil {
		return nil, fmt.Errorf("workbook: sheet %q: %w", of.Name, err)
	}
	return &sheet{Book: b, name: of.Name, xml: newXML(&metered{file, b})}, nil
}

// Read reads the sheet as CSV, row by row. An error names the sheet and the row.
func (s *sheet) Read(p []byte) (int, error) {
	for s.text.Len() == 0 && s.err == nil {
		s.text.Reset()
		if s.err = s.next(); s.err == nil {
			s.err = s.take(s.text.Len())
		}
		if s.err != nil && s.err != io.EOF {
			s.text.Reset()
			s.err = fmt.Errorf("at row %d of sheet %q: %w", s.row, s.name, s.err)
		}
	}
	if s.text.Len() == 0 {
		return 0, s.err
	}
	return s.text.Read(p)
}

// next writes the next row to s.text, and blank lines in place of rows that the file leaves out. After the last row it
// reads the file to its end and returns io.EOF.
func (s *sheet) next() error {
	for {
		if err := s.xml.next(); err != nil {
			return err
		}
		switch {
		case s.xml.starts("row"):
			return s.writeRow()
		case s.xml.ends("sheetData"):
			// Behind it rows are places of pictures. The checksum is compared at the end.
			_, err := io.Copy(io.Discard, s.xml.in)
			if err == nil {
				err = io.EOF
			}
			return err
		}
	}
}

// writeRow writes the row that begins here, after a blank line for each row that the file left out before it. Rows must
// ascend.
func (s *sheet) writeRow() error {
	row := s.row + 1
	if text := s.xml.attr("r"); text != "" {
		row, _ = strconv.Atoi(text)
	}
	if row <= s.row || row > maxRows {
		return fmt.Errorf("a row with number %d: want a larger one, at most %d", row, maxRows)
	}
	s.text.Write(bytes.Repeat([]byte("\n"), row-s.row-1))
	s.row, s.column = row, -1
	from, written := s.text.Len(), 0
	for {
		if err := s.xml.next(); err != nil {
			return err
		}
		if s.xml.ends("row") {
			break
		}
		if !s.xml.starts("c") {
			continue
		}
		value, err := s.readCell()
		if err != nil {
			return fmt.Errorf("cell %q: %w", s.place, err)
		}
		if len(value) > 0 {
			s.text.Write(commas[:s.column-written]) // also for empty cells before it
			s.writeField(value)
			written = s.column
		}
		if s.text.Len()-from > maxRow {
			return fmt.Errorf("a row of more than %d bytes of text: want a shorter one", maxRow)
		}
	}
	if s.text.Len() > from {
		s.full++
	}
	return s.text.WriteByte('\n')
}

var commas = bytes.Repeat([]byte(","), maxColumns)

// readCell reads a cell up to its end and returns its text. It fails unless the column is right of the cell before.
func (s *sheet) readCell() (text []byte, err error) {
	x, before := s.xml, s.column
	s.column++
	if s.place = x.attr("r"); s.place != "" {
		s.column = columnOf(s.place)
	}
	s.kind = x.attr("t")
	s.style, _ = strconv.Atoi(x.attr("s"))
	s.value = s.value[:0]
	if s.column <= before || s.column >= maxColumns {
		return nil, fmt.Errorf("want columns in order, at most %d", maxColumns)
	}
	for err == nil {
		if err = x.next(); err != nil {
			break
		}
		switch {
		case x.ends("c"):
			return s.textOf(s.value)
		case x.ends("v"):
			s.value = append(s.value, x.text...)
		case x.starts("is"):
			s.value, err = appendText(s.value, x, maxText)
		}
	}
	return nil, err
}

// columnOf returns the column of a reference such as AB12, from 0, or −1 if it does not begin with letters A to Z.
func columnOf(place string) int {
	n := 0
	for _, c := range []byte(place) {
		if c < 'A' || c > 'Z' || n > maxColumns {
			break
		}
		n = 26*n + int(c-'A') + 1
	}
	return n - 1
}

// textOf returns the text that a value of the cell stands for, by the type of the cell. Other types, such as errors, stand
// for themselves. It fails for a shared text that does not exist.
func (s *sheet) textOf(value []byte) ([]byte, error) {
	if len(value) == 0 {
		return nil, nil
	}
	switch s.kind {
	case "s": // the number of a shared text
		return s.texts.at(bytes.TrimSpace(value))
	case "str": // the text that a formula gave
		return unescapeUnits(value), nil
	case "b": // a truth
		if truth, ok := truths[string(value)]; ok {
			value = truth
		}
	case "d": // a date in ISO 8601
		return isoDate(value), nil
	case "", "n": // a number, which may be a date by its style
		if s.style >= 0 && s.style < len(s.looks) {
			return s.looks[s.style].show(value, s.firstDay), nil
		}
	}
	return value, nil
}

var truths = map[string][]byte{"0": []byte("FALSE"), "1": []byte("TRUE"), "false": []byte("FALSE"), "true": []byte("TRUE")}

// writeField writes a field of CSV, in quotes where it needs them. Line ends become blanks, so that rows are lines.
func (s *sheet) writeField(text []byte) {
	if text[0] > ' ' && !bytes.ContainsAny(text, "\",\r\n") {
		s.text.Write(text)
		return
	}
	s.text.WriteByte('"')
	quoted.WriteString(&s.text, string(text))
	s.text.WriteByte('"')
}

var quoted = strings.NewReplacer(`"`, `""`, "\r\n", " ", "\n", " ", "\r", " ")
