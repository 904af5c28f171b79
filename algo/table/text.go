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
	return escaped(s, func(r rune) bool { return unicode.IsControl(r) && r != '\t' })
}

// Visible is Printable for messages, which may have several lines. What turns the direction of
// writing, or ends a line but for a line feed, is written out, too: a reader sees what there is, in
// its order.
func Visible(s string) string {
	return escaped(s, func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' && r != '\n' || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
	})
}

// escaped writes out what is bad.
func escaped(s string, bad func(rune) bool) string {
	if isPlain(s) || strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError || bad(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			r = rune(s[i])
		}
		if bad(r) {
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
