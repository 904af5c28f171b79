package molecule

import (
	"fmt"
	"strings"
)

// A SyntaxError says where and why a SMILES or molfile does not describe a molecule. Impossible chemistry, such
// as too many bonds or an aromatic ring without a Kekulé form, is reported like wrong syntax.
type SyntaxError struct {
	Line   int    // of the molfile, from 1; 0 in a SMILES
	Column int    // first byte of Piece in that line or in the SMILES, from 1
	Piece  string // the offending piece; empty at the end of the text
	Reason string // what is wrong with it

	line string // the line of the molfile without its first cut bytes
	cut  int
}

// Error says where the text is wrong, and why.
func (e *SyntaxError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
	}
	return fmt.Sprintf("column %d: %s", e.Column, e.Reason)
}

// caretWidth bounds the text that Caret shows.
const caretWidth = 76

// Caret returns two lines: text, which was parsed, cut around the offending piece, and carets below that piece. For a
// molfile it shows the line of the error instead of text. Bytes that are not printable ASCII become '?', so that
// carets stay in place.
func (e *SyntaxError) Caret(text string) string {
	if e.Line > 0 {
		text = strings.TrimSuffix(e.line, "\r")
	}
	at := min(max(e.Column-1-e.cut, 0), len(text))
	lo, hi := 0, len(text) // the part to show: at most caretWidth bytes, with at in the middle if possible
	if hi > caretWidth {
		lo = max(0, at-caretWidth/2)
		hi = min(len(text), lo+caretWidth)
		lo = max(0, hi-caretWidth)
	}
	var b strings.Builder
	for _, c := range []byte(text[lo:hi]) {
		if c < ' ' || c > '~' {
			c = '?'
		}
		b.WriteByte(c)
	}
	b.WriteByte('\n')
	b.WriteString(strings.Repeat(" ", at-lo))
	b.WriteString(strings.Repeat("^", max(1, min(len(e.Piece), hi-at))))
	return b.String()
}

// Locate converts an offset in a molfile to line and column: Column counts from the start of block before, and from the
// start of the line after.
func (e *SyntaxError) Locate(block string) {
	at := min(e.Column-1, len(block))
	begin := 1 + strings.LastIndexByte(block[:at], '\n')
	line, _, _ := strings.Cut(block[begin:], "\n")
	e.Line = 1 + strings.Count(block[:at], "\n")
	e.Column = at - begin + 1
	e.cut = max(0, at-begin-caretWidth)
	e.line = strings.Clone(line[e.cut:min(len(line), at-begin+caretWidth)])
}

// ErrorAt returns a SyntaxError about the n bytes at offset at of the text.
func (p *Draft) ErrorAt(at, n int, format string, args ...any) error {
	at = min(at, len(p.Text))
	piece := p.Text[at:min(len(p.Text), at+n)]
	return &SyntaxError{
		Column: at + 1,
		Piece:  strings.Clone(piece[:min(len(piece), caretWidth)]),
		Reason: fmt.Sprintf(format, args...),
	}
}

// ErrorAtom returns a SyntaxError about atom i.
func (p *Draft) ErrorAtom(i int32, format string, args ...any) error {
	a := &p.Atoms[i]
	return p.ErrorAt(int(a.At), int(a.Size), format, args...)
}

// describe names an atom: "carbon", "nitrogen with charge +1".
func (a *DraftAtom) describe() string {
	if a.Charge == 0 {
		return elements[a.Element].name
	}
	return fmt.Sprintf("%s with charge %+d", elements[a.Element].name, a.Charge)
}

// countBonds returns "1 bond" or "2 bonds".
func countBonds(n int32) string {
	if n == 1 {
		return "1 bond"
	}
	return fmt.Sprintf("%d bonds", n)
}
