package table

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text says how input text is written to CSV.
type Text struct {
	// SpreadsheetSafe puts an apostrophe before what a spreadsheet would run: text that begins with
	// =, +, -, @, a tab or a carriage return.
	SpreadsheetSafe bool `json:"spreadsheet_safe"`
}

// Cell returns a printable text, made safe if wanted.
func (t Text) Cell(s string) string {
	if t.runs(s) {
		return "'" + Printable(s)
	}
	return Printable(s)
}

// runs reports a text to be made safe.
func (t Text) runs(s string) bool {
	return t.SpreadsheetSafe && s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0
}

// Printable returns a text with control characters as in JSON, \u001b for escape: a single line
// that commands no terminal. Tabs stay, and so do bytes of older encodings.
func Printable(s string) string {
	return escaped(s, func(r rune) bool { return unicode.IsControl(r) && r != '\t' })
}

// Visible is Printable for messages of several lines. It also escapes changes of writing direction
// and other line ends.
func Visible(s string) string {
	return escaped(s, func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' && r != '\n' || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
	})
}

// escaped writes bad characters as \uXXXX. An invalid byte counts as Latin-1.
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

// isPlain reports printable ASCII, the usual case.
func isPlain(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
