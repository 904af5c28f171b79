package dataset

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"baca/algo/molecule/smiles"
)

// Guesses use only the head of a text, so that they do not depend on how the text arrives.
const (
	headSize = 64 << 10 // bytes inspected
	headRows = 50       // rows inspected, without a header
)

// head returns the first whole lines of t. They are more than headRows if so many fit into headSize. An error of reading
// comes again when the text is read.
func (t *Text) head() []byte {
	for size := headSize / 16; ; size *= 4 {
		head, err := t.Peek(size)
		if err == io.EOF {
			return behindHint(head)
		}
		if err != nil || size == headSize || bytes.Count(head, []byte("\n")) > headRows+1 {
			return behindHint(head[:bytes.LastIndexByte(head, '\n')+1])
		}
	}
}

// start returns head, or the front of the first line if that is longer, such as that of a graph.
func (t *Text) start() []byte {
	head := t.head()
	if len(head) == 0 {
		head, _ = t.Peek(headSize)
	}
	return head
}

// behindHint returns text without a hint on the separator in its first line.
func behindHint(text []byte) []byte {
	if line, rest, _ := bytes.Cut(text, []byte("\n")); isHint(line) {
		return rest
	}
	return text
}

// isHint recognises a spreadsheet's hint on the separator, such as "sep=;".
func isHint(line []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.ToLower(bytes.Trim(line, "\" \t\r")), []byte("sep="))
	return ok && len(rest) <= 1
}

// A support counts the molecules in one column or place.
type support struct {
	cells int // nonempty cells
	read  int // molecules
	large int // molecules of more than one atom: words such as "I" and "Co" read as an atom
}

// add counts a cell.
func (s *support) add(cell []byte) {
	if len(cell) == 0 {
		return
	}
	s.cells++
	if n := atoms(cell); n > 0 {
		s.read++
		if n > 1 {
			s.large++
		}
	}
}

// beats reports whether s has more molecules than t: large ones first, then any.
func (s support) beats(t support) bool {
	if s.large != t.large {
		return s.large > t.large
	}
	return s.read > t.read
}

// fits reports whether at least half of the cells are molecules, not counting a header.
func (s support) fits() bool { return s.read > 0 && 2*s.read >= s.cells-1 }

// atoms returns the number of atoms of a SMILES, or 0 for another text.
func atoms[T string | []byte](text T) int {
	text = withoutExtension(text)
	if len(text) == 0 || len(text) > MaxField || isSELFIES(text) {
		return 0
	}
	g, err := smiles.ParseGraph(string(text))
	if err != nil {
		return 0
	}
	return g.N()
}

// A place tells which word of each line of SMI is the SMILES.
type place int

const (
	last   place = iota - 1 // the last word, after a name that may have blanks
	first                   // the first word, then a name
	second                  // the second word, after a name or a number, which is ignored
	// From third on the first word is the name.
	third
	maxPlace = third + 13
)

const blanks = " \t\v\f"

// cut splits a trimmed line into the SMILES and the id. at is the offset of the SMILES. The SMILES is empty if the line
// has too few words.
func (p place) cut(line []byte) (text, id []byte, at int) {
	word, rest := firstWord(line)
	if p == first || len(rest) == 0 {
		return word, behindExtension(rest), 0
	}
	if p == last {
		at = len(line) - len(lastWord(line))
		return line[at:], bytes.TrimRightFunc(line[:at], func(r rune) bool { return isSpace(r) || strings.ContainsRune(",;:", r) }), at
	}
	id = bytes.TrimRight(word, ",;:")
	numbered := p == second && isNumbering(word)
	if numbered {
		id = bytes.Trim(word, ".:()")
	}
	for range p {
		at = len(line) - len(rest)
		text, rest = firstWord(rest)
	}
	if rest = behindExtension(rest); numbered && len(rest) > 0 {
		id = rest
	}
	return text, id, at
}

// firstWord splits a text at its first blanks.
func firstWord(text []byte) (word, rest []byte) {
	for i, c := range text {
		if (c <= ' ' || c >= utf8.RuneSelf) && spaceAt(text, i) > 0 {
			return text[:i], bytes.TrimLeftFunc(text[i:], isSpace)
		}
	}
	return text, text[len(text):]
}

// lastWord returns the text after the last blank.
func lastWord(text []byte) []byte {
	i := bytes.LastIndexFunc(text, isSpace)
	if i < 0 {
		return text
	}
	return text[i+spaceAt(text, i):]
}

// bar encloses a CXSMILES extension, which follows the SMILES. Graphs need nothing of it: labels, coordinates, stereo
// groups, and radicals, which atoms in brackets show.
const bar = '|'

// behindExtension returns the text after a leading extension.
func behindExtension(text []byte) []byte {
	if len(text) == 0 || text[0] != bar {
		return text
	}
	n := bytes.IndexByte(text[1:], bar) + 2
	if n < 2 || n < len(text) && spaceAt(text, n) == 0 {
		return text
	}
	return bytes.TrimLeftFunc(text[n:], isSpace)
}

// withoutExtension returns the SMILES of a CXSMILES cell.
func withoutExtension[T string | []byte](cell T) T {
	n := len(cell)
	if n == 0 || cell[n-1] != bar {
		return cell
	}
	for i := range n {
		if spaceAt(cell, i) > 0 {
			word, rest := firstWord([]byte(cell))
			if len(behindExtension(rest)) == 0 {
				return cell[:len(word)]
			}
			return cell
		}
	}
	return cell
}

// isNumbering recognises the number or dash of a list item.
func isNumbering(word []byte) bool {
	return len(bytes.Trim(word, "0123456789.:()-*•")) == 0
}

// linesOf yields the lines of SMI with their offsets. Form feeds, vertical tabs, NEL and Unicode separators also end a
// line. The text may end in a line feed but have no other.
func linesOf(text []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		from := 0
		for i, c := range text {
			if c >= ' ' && c != 0xc2 && c != 0xe2 {
				continue
			}
			if size := spaceAt(text, i); size > 0 {
				if r, _ := utf8.DecodeRune(text[i:]); endsLine(r) {
					if !yield(from, text[from:i]) {
						return
					}
					from = i + size
				}
			}
		}
		if from < len(text) {
			yield(from, text[from:])
		}
	}
}

// lines yields the lines of SMI that are a record or the header.
func lines(head []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for line := range bytes.Lines(head) {
			for _, part := range linesOf(line) {
				if part = bytes.TrimFunc(part, isSpace); len(part) > 0 && part[0] != '#' && !yield(part) {
					return
				}
			}
		}
	}
}

// placeOf returns the place of the SMILES in the lines of head, of which it reads headRows, and how many molecules are
// there. The place is the first word, unless others have more than twice as many molecules or the header names another
// one.
func placeOf(head []byte) (place, support) {
	var s [maxPlace + 2]support // by place + 1, since the place last is −1
	n := 0
	for line := range lines(head) {
		words := place(len(bytes.FieldsFunc(line, isSpace)))
		for p := last; p < min(max(words, second), maxPlace+1); p++ {
			if text, id, _ := p.cut(line); p == first || len(id) > 0 {
				s[p+1].add(text)
			}
		}
		if n++; n > headRows {
			break
		}
	}
	best := first
	for p := last; p <= maxPlace; p++ {
		// With two words second and last coincide, except for numbers. Further places need a
		// molecule on nearly every line: a name with blanks may precede others.
		if p != first && s[p+1].large > 2*s[first+1].read && s[p+1].fits() && (p < third || 2*s[p+1].cells > n) &&
			(s[p+1].beats(s[best+1]) || p == second && s[p+1] == s[best+1]) {
			best = p
		}
	}
	if p := headedPlace(head); p >= third && s[p+1].fits() && !s[best+1].beats(s[p+1]) {
		best = p // unless a name is all that precedes
	}
	return best, s[best+1]
}

// headedPlace returns the place of the word that names SMILES in the first line, or first if there is none.
func headedPlace(head []byte) place {
	for line := range lines(head) {
		p := first
		for word := range bytes.FieldsSeq(line) {
			if slices.Contains(smilesNames, columnName(word)) && p <= maxPlace {
				return p
			}
			p++
		}
		break
	}
	return first
}

// isHeader reports whether a line is a header. A molecule is none.
func (p place) isHeader(line []byte) bool {
	text, _, _ := p.cut(line)
	named := slices.Contains(structureNames, columnName(text))
	for word := range bytes.FieldsSeq(line) {
		named = named || slices.Contains(smilesNames, columnName(word))
	}
	return named && atoms(text) == 0
}

// structureNames are less specific names of SMILES columns.
var structureNames = []string{"structure", "structures", "molecule", "molecules", "mol", "compound", "compounds"}

// contentFormat decides between SMI, CSV and TSV by content. If no line can be read, it returns otherwise.
func contentFormat(head []byte, otherwise Format) Format {
	p, plain := placeOf(head)
	if l := layoutBy(head, '\t', ""); len(l.First) > 2 {
		if s := supportOf(l.rows, l.SMILES); s.read >= plain.read && s.read > 0 {
			return TSV // else the rest would be the name
		}
	}
	l := layoutOf(head, CSV, "")
	best := supportOf(l.rows, l.SMILES)
	switch {
	case best.read == 0 && plain.read == 0:
		return otherwise
	case plain.beats(best) || len(l.First) < 2 || p == first && !best.beats(plain):
		return SMI
	case l.separator == '\t':
		return TSV
	}
	return CSV
}

// check returns an error, in one sentence, for a text whose head has no readable record, if it is long or of a recognised
// notation. Short lists are accepted, so that each mistake is shown.
func (t *Text) check(format Format, column string) error {
	var cells, words []string
	switch format {
	case SMI:
		cells, words = smiCells(t.head())
	case CSV, TSV:
		cells, words = tableCells(t.head(), format, column)
	}
	cells = cells[:min(len(cells), headRows)]
	if slices.ContainsFunc(cells, func(cell string) bool { return atoms(cell) > 0 }) {
		return nil
	}
	for _, word := range words {
		switch err := otherwise(word, nil); err {
		case errInChI, errInChIKey, errSELFIES, errHELM:
			return err
		}
	}
	if len(cells) < headRows {
		return nil
	}
	_, err := smiles.Parse(cells[0])
	return fmt.Errorf("none of the first %d lines holds a structure: %s; the first is %s: %w", headRows, wantText,
		clip(cells[0]), otherwise(cells[0], err))
}

// smiCells returns the expected SMILES in the head of SMI, and all words.
func smiCells(head []byte) (cells, words []string) {
	p, _ := placeOf(head)
	for line := range lines(head) {
		if len(cells) > 0 || !p.isHeader(line) {
			text, _, _ := p.cut(line)
			cells = append(cells, string(text))
		}
		words = append(words, strings.Fields(string(line))...)
	}
	return cells, words
}

// tableCells returns the expected SMILES in the head of a table, and all fields.
func tableCells(head []byte, format Format, column string) (cells, words []string) {
	l := layoutOf(head, format, column)
	words = slices.Concat(l.rows...)
	if l.Header && len(l.rows) > 0 {
		l.rows = l.rows[1:]
	}
	for _, row := range l.rows {
		if l.SMILES >= 0 && l.SMILES < len(row) && row[l.SMILES] != "" {
			cells = append(cells, row[l.SMILES])
		}
	}
	return cells, words
}
