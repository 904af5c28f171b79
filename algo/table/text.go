package table

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text says how text of the input is written to cells of CSV.
type Text struct {
	// SpreadsheetSafe puts an apostrophe before what a spreadsheet would run as a
	// formula: text that begins with =, +, -, @, a tab or a carriage return.
	SpreadsheetSafe bool `json:"spreadsheet_safe"`
}

// Cell returns a text as it is written: printable, and safe if that is wanted.
func (t Text) Cell(s string) string {
	if t.runs(s) {
		return "'" + Printable(s)
	}
	return Printable(s)
}

// append appends Cell.
func (t Text) append(b []byte, s string) []byte {
	if t.runs(s) {
		b = append(b, '\'')
	}
	return append(b, Printable(s)...)
}

// runs tells a text that is to be made safe.
func (t Text) runs(s string) bool {
	return t.SpreadsheetSafe && s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0
}

// Printable returns a text with its control characters written as JSON writes them,
// \u001b for escape. So it is a single line, and none of it commands a terminal. Tabs
// stay, and so do bytes that are no UTF-8 but letters of older encodings.
func Printable(s string) string {
	if isPlain(s) || strings.IndexFunc(s, suspect) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			r = rune(s[i])
		}
		if unicode.IsControl(r) && r != '\t' {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// isPlain tells a text of letters, digits and other printed characters of ASCII alone, which
// most are.
func isPlain(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// suspect tells whether a text with this may have control characters: one, or a byte
// that is no UTF-8.
func suspect(r rune) bool { return unicode.IsControl(r) && r != '\t' || r == utf8.RuneError }
