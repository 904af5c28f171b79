package dataset

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"baca/algo/internal/lists"
	"baca/algo/xlsx"
)

const (
	maxWorkbook = 64 << 20
	// XML of cells shrinks 5- to 30-fold, that of empty ones with a format 100-fold.
	unitsOfXML = 2 // of a byte, and as many of a byte of CSV
	freeTexts  = 16 << 20
	textExpand = 32 // bytes of shared texts of each byte, beyond those

	maxLooked = 16 * headSize // bytes of sheets in which structures are looked for
)

// sheetOf returns a sheet of a workbook as CSV. This is the sheet that was asked for, or else the first visible sheet
// that holds structures, or else the first that holds anything. It calls u.sheets with the names of the visible sheets
// and of this one. size is that of the workbook in bytes.
func (u Unpack) sheetOf(archive *zip.Reader, size int) (io.Reader, error) {
	if size > maxWorkbook {
		return nil, fmt.Errorf("an Excel workbook of more than %d bytes: %s", maxWorkbook, saveAsCSV)
	}
	spend := func(n int) error { return u.meter.spend(unitsOfXML * n) }
	book, err := xlsx.Open(archive, freeTexts+textExpand*int64(size), spend)
	if err != nil {
		return nil, err
	}
	choose := u.chooseSheet
	if u.sheet != "" {
		choose = u.namedSheet
	}
	sheet, err := choose(book)
	if u.sheets != nil && err == nil {
		visible := slices.DeleteFunc(slices.Clone(book.Sheets), func(s xlsx.Sheet) bool { return s.Hidden })
		u.sheets(lists.Map(visible, func(s xlsx.Sheet) string { return s.Name }), sheet.Name)
	}
	if bomb := new(ExpandError); errors.As(err, &bomb) {
		return nil, fmt.Errorf("%w; delete cells far to the right, or %s", err, saveAsCSV)
	} else if err != nil {
		return nil, err
	}
	return book.CSV(sheet)
}

// namedSheet returns the sheet with the name u.sheet, or else one whose name differs in case only. It fails if there is
// none, and if the sheet is damaged.
func (u Unpack) namedSheet(book *xlsx.Book) (xlsx.Sheet, error) {
	i := slices.IndexFunc(book.Sheets, func(s xlsx.Sheet) bool { return s.Name == u.sheet })
	if i < 0 {
		i = slices.IndexFunc(book.Sheets, func(s xlsx.Sheet) bool { return strings.EqualFold(s.Name, u.sheet) })
	}
	if i < 0 {
		names := lists.Map(book.Sheets, func(s xlsx.Sheet) string { return clip(s.Name) })
		return xlsx.Sheet{}, fmt.Errorf("no sheet is called %s: want one of %s", clip(u.sheet), firstNames(names, 4*maxNamed))
	}
	_, _, err := book.Check(book.Sheets[i], 0)
	return book.Sheets[i], err
}

// chooseSheet returns the first visible sheet that holds structures, or else the first that holds anything. It notes which
// sheets are not read. It fails if all are empty or one is damaged.
func (u Unpack) chooseSheet(book *xlsx.Book) (xlsx.Sheet, error) {
	var sheets []xlsx.Sheet // that hold something
	var names []string
	best, looked := -1, 0
	for _, s := range book.Sheets {
		if s.Hidden {
			continue
		}
		head, rows, err := book.Check(s, headSize)
		if err != nil {
			return s, err
		}
		if rows == 0 {
			continue
		}
		if looked += len(head); best < 0 && looked <= maxLooked { // looks for structures
			cells, _ := tableCells(head, CSV, u.column)
			if slices.ContainsFunc(cells, func(cell string) bool { return atoms(cell) > 0 }) {
				best = len(sheets)
			}
		}
		sheets = append(sheets, s)
		names = append(names, fmt.Sprintf("%s (rows: %d)", clip(s.Name), rows))
	}
	if sheets == nil {
		return xlsx.Sheet{}, errors.New("a workbook whose visible sheets are empty: want one with molecules")
	}
	chosen := sheets[max(best, 0)]
	if others := slices.Delete(names, max(best, 0), max(best, 0)+1); len(others) > 0 && u.note != nil {
		u.note(fmt.Sprintf("sheet %s is read, and not %s", clip(chosen.Name), firstNames(others, maxNamed)))
	}
	return chosen, nil
}

// firstNames joins the first names, up to most, and says how many more there are.
func firstNames(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		names = append(names[:most:most], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
