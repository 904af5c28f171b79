// Package xlsx reads the sheets of an Excel workbook as CSV (ECMA-376, part 1, chapter 18):
//
//	book, err := xlsx.Open(archive, most)
//	head, rows, err := book.Check(book.Sheets[0], 1024)
//	text, err := book.CSV(book.Sheets[0])
//
// Line n is row n of the sheet. Cells have their values, as written by the program that saved them:
// a formula its last result, a date its day as 2026-01-31. Line ends inside cells become blanks.
package xlsx

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

const (
	maxRows    = 1 << 20 // of a sheet, as in Excel
	maxColumns = 1 << 14
	maxRow     = 16 << 20  // bytes of CSV
	maxTexts   = 128 << 20 // bytes of the texts that cells share
	maxSheets  = 1 << 10
	maxLooks   = 1 << 16 // formats and styles of cells, as in Excel
)

// A Book is an open workbook.
type Book struct {
	Sheets []Sheet // in the order of their tabs

	archive  *zip.Reader
	meter    meter
	texts    texts
	formats  map[string]kind // of numbers, the workbook's own
	looks    []kind          // of numbers, by the style of a cell
	inLooks  bool            // they are being read
	firstDay int
}

// A Sheet is one of a workbook's.
type Sheet struct {
	Name   string
	Hidden bool
	part   string // its file, before that the id of its relation
}

const mainPart = "xl/workbook.xml"

// Is reports whether an archive is a workbook. The error is for one of another kind.
func Is(archive *zip.Reader) (bool, error) {
	if f, err := archive.Open("xl/workbook.bin"); err == nil {
		f.Close()
		return true, errors.New("this is a binary Excel workbook (.xlsb): save it as .xlsx or CSV and give that")
	}
	f, err := archive.Open(mainPart)
	if err == nil {
		f.Close()
	}
	return err == nil, nil
}

// Open reads what the sheets of a workbook share. To open and to check it takes at most so many bytes of
// XML and CSV: few bytes of an archive can stand for many.
func Open(archive *zip.Reader, most int64) (*Book, error) {
	b := &Book{archive: archive, meter: meter{most, most}, formats: map[string]kind{}}
	if err := b.read(mainPart, b.addSheet); err != nil {
		return nil, err
	}
	parts := map[string]string{"sharedStrings": "", "styles": ""}
	for _, s := range b.Sheets {
		parts[s.part] = ""
	}
	if err := b.read("xl/_rels/workbook.xml.rels", func(x *xmlReader) error { return addPart(parts, x) }); err != nil {
		return nil, err
	}
	for i, s := range b.Sheets {
		b.Sheets[i].part = parts[s.part]
	}
	b.texts.most = int(min(maxTexts, most/4))
	if err := b.readAny(parts["styles"], b.addLook); err != nil {
		return nil, err
	}
	return b, b.readAny(parts["sharedStrings"], b.texts.add)
}

// readAny reads a part that a workbook may lack.
func (b *Book) readAny(part string, tag func(*xmlReader) error) error {
	if part == "" {
		return nil
	}
	return b.read(part, tag)
}

// read gives each tag of a part of the workbook, which is read to its end: its checksum is compared there.
func (b *Book) read(part string, tag func(*xmlReader) error) error {
	file, err := b.archive.Open(part)
	if err != nil {
		return fmt.Errorf("workbook: %w", err)
	}
	defer file.Close()
	x := newXML(&metered{file, &b.meter})
	for err == nil {
		if err = x.next(); err == nil {
			err = tag(x)
		}
	}
	if err != io.EOF {
		return fmt.Errorf("workbook: %s: %w", part, err)
	}
	return nil
}

func (b *Book) addSheet(x *xmlReader) error {
	switch {
	case x.starts("workbookPr"):
		for x.attr() {
			if string(x.key) == "date1904" && isTrue(x.value) {
				b.firstDay = days1904
			}
		}
	case x.starts("sheet"):
		var s Sheet
		for x.attr() {
			switch string(x.key) {
			case "name":
				s.Name = string(x.value)
			case "id":
				s.part = string(x.value)
			case "state":
				s.Hidden = string(x.value) != "visible"
			}
		}
		b.Sheets = append(b.Sheets, s)
		if len(b.Sheets) > maxSheets {
			return fmt.Errorf("more than %d sheets: want less", maxSheets)
		}
	}
	return nil
}

// addPart notes the file of a relation whose id or type is among the parts.
func addPart(parts map[string]string, x *xmlReader) error {
	if !x.starts("Relationship") {
		return nil
	}
	var id, kind, target string
	for x.attr() {
		switch string(x.key) {
		case "Id":
			id = string(x.value)
		case "Type":
			kind = path.Base(string(x.value))
		case "Target":
			target = string(x.value)
		}
	}
	name, absolute := strings.CutPrefix(target, "/")
	if !absolute {
		name = path.Join("xl", target)
	}
	for _, key := range []string{id, kind} {
		if _, ok := parts[key]; ok {
			parts[key] = path.Clean(name)
		}
	}
	return nil
}

// A meter counts down the bytes that a workbook may still take.
type meter struct{ left, most int64 }

func (m *meter) add(n int) error {
	if m.left -= int64(n); m.left < 0 {
		return fmt.Errorf("more than %d bytes of XML and CSV, too many for a workbook of its size: delete cells far to the right, or save it as CSV and give that", m.most)
	}
	return nil
}

type metered struct {
	io.Reader
	*meter
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if large := m.add(n); large != nil {
		return 0, large
	}
	return n, err
}
