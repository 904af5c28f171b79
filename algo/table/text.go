package table

import (
	"strings"

	"baca/algo/document"
)

// Text says how input text is written to CSV.
type Text struct {
	// SpreadsheetSafe puts an apostrophe before what a spreadsheet would run: text that begins with
	// =, +, -, @, a tab or a carriage return.
	SpreadsheetSafe bool `json:"spreadsheet_safe"`
}

// Cell returns s in printable form, with an apostrophe before it if it has to be made safe.
func (t Text) Cell(s string) string {
	if t.runs(s) {
		return "'" + document.Printable(s)
	}
	return document.Printable(s)
}

// runs reports whether text is to be made safe and s is text that a spreadsheet would run.
func (t Text) runs(s string) bool {
	return t.SpreadsheetSafe && s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0
}
