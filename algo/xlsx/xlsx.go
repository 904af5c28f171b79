// Package xlsx reads the sheets of an Excel workbook as CSV (ECMA-376, part 1, chapter 18):
//
//	book, err := xlsx.Open(archive, 1<<20, spend)
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
	"io/fs"
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
	spend    func(bytes int) error // see Open; nil for sheets that were checked
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

// Is reports whether an archive is a workbook. For one of the binary kind, which is not read, it also returns an error.
func Is(archive *zip.Reader) (bool, error) {
	if _, err := fs.Stat(archive, "xl/workbook.bin"); err == nil {
		return true, errors.New("this is a binary Excel workbook (.xlsb): save it as .xlsx or CSV and give that")
	}
	_, err := fs.Stat(archive, mainPart)
	return err == nil, nil
}

// Open opens a workbook. It reads what sheets share: their list, styles and texts. It fails for more than so many bytes of
// texts. Open and Check call spend with the number of bytes that they unpack or write as CSV, as few bytes of an archive
// can stand for many. An error of spend ends them.
func Open(archive *zip.Reader, texts int64, spend func(bytes int) error) (*Book, error) {
	b := &Book{archive: archive, spend: spend, formats: builtIn()}
	if err := b.read(mainPart, b.addElement); err != nil {
		return nil, err
	}
	parts := map[string]string{"sharedStrings": "", "styles": ""} // files, by id or type of relation
	for _, s := range b.Sheets {
		parts[s.part] = ""
	}
	err := b.read("xl/_rels/workbook.xml.rels", func(x *xmlReader) error { addPart(parts, x); return nil })
	if err != nil {
		return nil, err
	}
	for i, s := range b.Sheets {
		b.Sheets[i].part = parts[s.part]
	}
	b.texts.most = int(min(maxTexts, texts))
	if err := b.read(parts["styles"], b.addLook); err != nil {
		return nil, err
	}
	return b, b.read(parts["sharedStrings"], b.texts.add)
}

// read calls tag for each tag of a part, and reads to its end, where the checksum is compared. No part, "", has no tags.
func (b *Book) read(part string, tag func(*xmlReader) error) error {
	if part == "" {
		return nil // a workbook may have no styles and no shared texts
	}
	file, err := b.archive.Open(part)
	if err != nil {
		return fmt.Errorf("workbook: %w", err)
	}
	defer file.Close()
	x := newXML(&metered{file, b})
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

// addElement notes a tag of the workbook part: workbookPr tells the first day of dates, sheet is a sheet. It fails for too
// many sheets.
func (b *Book) addElement(x *xmlReader) error {
	if x.starts("workbookPr") && isTrue(x.attr("date1904")) {
		b.firstDay = days1904
	}
	if x.starts("sheet") {
		state := x.attr("state")
		b.Sheets = append(b.Sheets, Sheet{x.attr("name"), state == "hidden" || state == "veryHidden", x.attr(":id")})
	}
	if len(b.Sheets) > maxSheets {
		return fmt.Errorf("more than %d sheets: want less", maxSheets)
	}
	return nil
}

// addPart notes in parts the file of a relation, under its id and under its type if these are keys there.
func addPart(parts map[string]string, x *xmlReader) {
	if !x.starts("Relationship") {
		return
	}
	name, absolute := strings.CutPrefix(x.attr("Target"), "/")
	if !absolute {
		name = path.Join("xl", name)
	}
	for _, key := range []string{x.attr("Id"), path.Base(x.attr("Type"))} {
		if _, ok := parts[key]; ok {
			parts[key] = path.Clean(name)
		}
	}
}

// take spends n bytes, unless a sheet is read that was checked.
func (b *Book) take(n int) error {
	if b.spend == nil {
		return nil
	}
	return b.spend(n)
}

// A metered reader takes what it reads from the book's bound.
type metered struct {
	io.Reader
	book *Book
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if large := m.book.take(n); large != nil {
		return 0, large
	}
	return n, err
}
