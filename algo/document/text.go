package document

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns a text with control characters escaped as in JSON, such as \u001b, so that it is a single line that
// does not command a terminal. Tabs stay, and so do bytes of older encodings.
func Printable(s string) string {
	return escaped(s, func(r rune) bool { return unicode.IsControl(r) && r != '\t' })
}

// Visible is Printable for messages of several lines: line feeds stay. It also escapes other line ends and changes of
// writing direction.
func Visible(s string) string {
	return escaped(s, func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' && r != '\n' || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
	})
}

// escaped returns s with bad characters as \uXXXX. An invalid byte counts as a character of Latin-1, and stays unless bad.
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

// isPlain reports whether s is printable ASCII, the usual case.
func isPlain(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// Escape makes text safe in HTML, between tags and in quoted attributes.
func Escape(text string) string {
	return escaper.Replace(Visible(strings.ToValidUTF8(text, "\uFFFD")))
}

// Number formats a value with so many decimals. A value that is not finite is a dash.
func Number(x float64, digits int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	return strings.Replace(strconv.FormatFloat(x, 'f', digits, 64), "-", "−", 1)
}

// PValue formats a p-value, q-value or rate with three digits.
func PValue(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// Percent formats a share as a percentage with so many digits, in HTML.
func Percent(x float64, digits int) string { return fmt.Sprintf("%.*g&nbsp;%%", digits, 100*x) }

// Similarity formats a similarity with two decimals. Only 1 itself is written as 1.00.
func Similarity(x float64) string {
	if x < 1 {
		x = min(x, 0.99)
	}
	return Number(x, 2)
}

// Prose escapes text for HTML, and keeps numbers together with their percent signs.
func Prose(text string) string { return strings.ReplaceAll(Escape(text), " %", "&nbsp;%") }

// Capital returns a text with its first letter capital, and "" for "".
func Capital(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + text[size:]
}

// Say returns a text about molecules, or the same text about graphs if plain is set.
func Say(plain bool, text string) string {
	if plain {
		return graphWords.Replace(text)
	}
	return text
}

var graphWords = strings.NewReplacer("molecule", "graph", "Molecule", "Graph", "atoms but hydrogen", "nodes", "an atom", "a node", "atom", "node", "Atom", "Node")
