// Package xlsx reads the first visible sheet of an Excel workbook as CSV (ECMA-376, part 1, chapter 18):
//
//	text, err := xlsx.CSV(archive)
//
// Line n is row n of the sheet. Cells have their values, as written by the program that saved them:
// a formula its last result, a date its day as 2026-01-31. Line ends inside cells become blanks.
package xlsx

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"baca/algo/internal/lists"
)

const (
	maxRows    = 1 << 20 // of a sheet, as in Excel
	maxColumns = 1 << 14
	maxStrings = 128 << 20 // bytes of XML with the workbook's shared texts
	maxPart    = 16 << 20  // and of other parts but the sheet
	maxRow     = 1 << 20   // bytes of XML between two rows
)

// CSV returns the first visible sheet of a workbook. An error of its text names the row. The caller
// bounds how far the archive expands.
func CSV(archive *zip.Reader) (io.Reader, error) {
	var book struct {
		Properties struct {
			Date1904 bool `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			State string `xml:"state,attr"`
			ID    string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := decode(archive, "xl/workbook.xml", maxPart, &book); err != nil {
		return nil, err
	}
	s := &sheet{}
	s.csv = csv.NewWriter(&s.text)
	if book.Properties.Date1904 {
		s.firstDay = days1904
	}
	for _, of := range book.Sheets {
		if of.State == "hidden" || of.State == "veryHidden" {
			continue
		}
		name, err := target(archive, of.ID)
		if err != nil {
			return nil, err
		}
		if s.strings, err = sharedStrings(archive); err != nil {
			return nil, err
		}
		if s.dates, err = dateStyles(archive); err != nil {
			return nil, err
		}
		file, err := archive.Open(name)
		if err != nil {
			return nil, fmt.Errorf("workbook: %w", err)
		}
		s.xml = xml.NewDecoder(&s.limit)
		s.limit.r = file
		return s, nil
	}
	return nil, errors.New("a workbook without a visible sheet: want one with molecules")
}

// decode reads a part of the workbook of at most so many bytes.
func decode(archive *zip.Reader, name string, most int64, into any) error {
	file, err := archive.Open(name)
	if err != nil {
		return fmt.Errorf("workbook: %w", err)
	}
	defer file.Close()
	if err := xml.NewDecoder(io.LimitReader(file, most)).Decode(into); err != nil {
		return fmt.Errorf("workbook: %s: %w", name, err)
	}
	return nil
}

// target returns the file that a relationship of the workbook names.
func target(archive *zip.Reader, id string) (string, error) {
	var list struct {
		Relationship []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		}
	}
	if err := decode(archive, "xl/_rels/workbook.xml.rels", maxPart, &list); err != nil {
		return "", err
	}
	for _, r := range list.Relationship {
		if r.ID == id {
			if name, ok := strings.CutPrefix(r.Target, "/"); ok {
				return path.Clean(name), nil
			}
			return path.Join("xl", r.Target), nil
		}
	}
	return "", fmt.Errorf("workbook: no file for its first sheet (%q)", id)
}

// rich is a text, plain or in runs of different looks.
type rich struct {
	Text string `xml:"t"`
	Runs []struct {
		Text string `xml:"t"`
	} `xml:"r"`
}

func (r rich) String() string {
	text := r.Text
	for _, run := range r.Runs {
		text += run.Text
	}
	return text
}

// sharedStrings reads the texts that cells refer to by number; a workbook may have none.
func sharedStrings(archive *zip.Reader) ([]string, error) {
	var list struct {
		Texts []rich `xml:"si"`
	}
	if err := decode(archive, "xl/sharedStrings.xml", maxStrings, &list); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return lists.Map(list.Texts, rich.String), nil
}

// A sheet turns rows into CSV while it is read.
type sheet struct {
	limit    rowReader
	xml      *xml.Decoder
	strings  []string
	dates    []bool // styles that show a number as a date
	firstDay int
	csv      *csv.Writer
	text     bytes.Buffer // not read yet
	row      int          // the last one written, from 1
	cells    []string
	err      error
}

// A rowReader ends where one row is too long, before it fills the memory.
type rowReader struct {
	r    io.Reader
	read int // since the last row began
}

func (r *rowReader) Read(p []byte) (int, error) {
	if r.read > maxRow {
		return 0, fmt.Errorf("more than %d bytes of XML: want a shorter row", maxRow)
	}
	n, err := r.r.Read(p)
	r.read += n
	return n, err
}

func (s *sheet) Read(p []byte) (int, error) {
	for s.text.Len() == 0 && s.err == nil {
		s.text.Reset()
		if s.err = s.next(); s.err != nil && s.err != io.EOF {
			s.err = fmt.Errorf("after row %d of the sheet: %w", s.row, s.err)
		}
		s.csv.Flush()
	}
	if s.text.Len() == 0 {
		return 0, s.err
	}
	return s.text.Read(p)
}

// next writes the next row, and blank lines in place of rows that the file leaves out.
func (s *sheet) next() error {
	s.limit.read = 0
	for {
		token, err := s.xml.Token()
		if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "row" {
			continue
		}
		var row struct {
			Number int    `xml:"r,attr"`
			Cells  []cell `xml:"c"`
		}
		if err := s.xml.DecodeElement(&row, &start); err != nil {
			return err
		}
		if row.Number == 0 {
			row.Number = s.row + 1
		}
		if row.Number <= s.row || row.Number > maxRows {
			return fmt.Errorf("a row with number %d: want a larger one, at most %d", row.Number, maxRows)
		}
		for ; s.row < row.Number-1; s.row++ {
			s.text.WriteByte('\n')
		}
		s.row = row.Number
		if err := s.collect(row.Cells); err != nil {
			return err
		}
		return s.csv.Write(s.cells)
	}
}

// collect places the cells of a row in their columns.
func (s *sheet) collect(cells []cell) error {
	s.cells = s.cells[:0]
	at := 0
	for _, c := range cells {
		if c.Place != "" {
			at = columnOf(c.Place)
		}
		if at < len(s.cells) || at >= maxColumns {
			return fmt.Errorf("cell %q: want columns in order, at most %d", c.Place, maxColumns)
		}
		text, err := s.value(&c)
		if err != nil {
			return fmt.Errorf("cell %q: %w", c.Place, err)
		}
		if text != "" {
			for len(s.cells) < at {
				s.cells = append(s.cells, "")
			}
			s.cells = append(s.cells, text)
		}
		at++
	}
	return nil
}

// columnOf returns the column of a reference such as AB12, from 0.
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

type cell struct {
	Place  string `xml:"r,attr"`
	Kind   string `xml:"t,attr"`
	Style  int    `xml:"s,attr"`
	Value  string `xml:"v"`
	Inline rich   `xml:"is"`
}

// value returns the text of a cell.
func (s *sheet) value(c *cell) (string, error) {
	text := c.Value
	switch c.Kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || i < 0 || i >= len(s.strings) {
			return "", fmt.Errorf("text %q of %d shared ones", text, len(s.strings))
		}
		text = s.strings[i]
	case "inlineStr":
		text = c.Inline.String()
	case "b":
		text = map[string]string{"0": "FALSE", "1": "TRUE"}[text]
	case "", "n":
		if c.Style > 0 && c.Style < len(s.dates) && s.dates[c.Style] {
			return s.date(text), nil
		}
	}
	return lineEnds.Replace(text), nil
}

var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")
