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

// head returns the first whole lines of t: more than headRows of them, or those that fit into headSize if these are fewer,
// or the whole text if it is shorter. An error of reading comes again when the text is read.
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

// start returns head, or the front of the first line if that is longer than headSize, as a graph in JSON may be.
func (t *Text) start() []byte {
	head := t.head()
	if len(head) == 0 {
		head, _ = t.Peek(headSize)
	}
	return head
}

// behindHint returns text without its first line if that is a hint on the separator.
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

// add counts a cell that is not empty.
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

// fits reports whether at least half of the cells are molecules. One more cell may be a header.
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

// cut splits a trimmed line into the SMILES and the id, which may be empty. at is the offset of the SMILES. A single word
// is the SMILES. Of a longer line with too few words the SMILES is empty. The id is the name, but where a number precedes
// the SMILES it is what follows the SMILES, or else the number.
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
	for range p { // the last of these words is the SMILES
		at = len(line) - len(rest)
		text, rest = firstWord(rest)
	}
	if rest = behindExtension(rest); numbered && len(rest) > 0 {
		id = rest
	}
	return text, id, at
}

// firstWord splits a text at its first blanks, which it drops. Without blanks the rest is empty.
func firstWord(text []byte) (word, rest []byte) {
	for i, c := range text {
		if (c <= ' ' || c >= utf8.RuneSelf) && spaceAt(text, i) > 0 {
			return text[:i], bytes.TrimLeftFunc(text[i:], isSpace)
		}
	}
	return text, text[len(text):]
}

// lastWord returns the text after the last blank, or all of it if there is none.
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

// behindExtension returns the text after a leading CXSMILES extension, or the whole text if it does not begin with one.
func behindExtension(text []byte) []byte {
	if len(text) == 0 || text[0] != bar {
		return text
	}
	n := bytes.IndexByte(text[1:], bar) + 2
	if n < 2 || n < len(text) && spaceAt(text, n) == 0 { // no second bar, or no blank behind it
		return text
	}
	return bytes.TrimLeftFunc(text[n:], isSpace)
}

// withoutExtension returns the first word of a cell if the rest is a CXSMILES extension, and other cells unchanged.
func withoutExtension[T string | []byte](cell T) T {
	n := len(cell)
	if n == 0 || cell[n-1] != bar {
		return cell
	}
	word, rest := firstWord([]byte(cell))
	if len(rest) == 0 || len(behindExtension(rest)) > 0 {
		return cell
	}
	return cell[:len(word)]
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
			if c >= ' ' && c != 0xc2 && c != 0xe2 { // no line end begins with c
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

// lines yields the lines of SMI that are a record or the header, trimmed: neither blank ones nor comments.
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

// placeOf returns the place of the SMILES in the lines of head, and what supports it. The place is the first word, unless
// another one has more than twice as many molecules. The header may name a third or further word: that is the place if no
// other one has more molecules.
func placeOf(head []byte) (place, support) {
	s, n := supportByPlace(head)
	best := first
	for p := last; p <= maxPlace; p++ {
		here := s.of(p)
		if p == first || here.large <= 2*s.of(first).read || !here.fits() {
			continue
		}
		if p >= third && 2*here.cells <= n {
			continue // most lines are shorter: in the others a name has blanks
		}
		// With two words second and last coincide, except for numbers: second is then better.
		if here.beats(s.of(best)) || p == second && here == s.of(best) {
			best = p
		}
	}
	if p := headedPlace(head); p >= third && s.of(p).fits() && !s.of(best).beats(s.of(p)) {
		best = p
	}
	return best, s.of(best)
}

// A placeSupport has the support of place p at index p + 1, since the place last is −1.
type placeSupport [maxPlace + 2]support

func (s *placeSupport) of(p place) support { return s[p+1] }

// supportByPlace counts the molecules at each place in the first lines of head, at most headRows and a header, and
// returns the number n of these lines.
func supportByPlace(head []byte) (s placeSupport, n int) {
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
	return s, n
}

// headedPlace returns the place of the word that names SMILES in the first line, or first if there is none.
func headedPlace(head []byte) place {
	p := first
	for word := range bytes.FieldsSeq(firstLine(head)) {
		if slices.Contains(smilesNames, columnName(word)) && p <= maxPlace {
			return p
		}
		p++
	}
	return first
}

// isHeader reports whether a line is a header: some word names SMILES, or the word at place p names structures. A line
// with a molecule at p is none.
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

// contentFormat decides between SMI, CSV and TSV by which of them finds most molecules in head. A draw goes to TSV with at
// least three columns, else to SMI if its first words are the SMILES. If none finds any, it returns otherwise.
func contentFormat(head []byte, otherwise Format) Format {
	p, plain := placeOf(head)
	if l := layoutBy(head, '\t', ""); len(l.First) > 2 {
		if s := supportOf(l.rows, l.SMILES); s.read >= plain.read && s.read > 0 {
			return TSV // as SMI, all further columns would be the name
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

// check returns an error, in one sentence, for SMI, CSV or TSV whose head has no readable record, if it is long or of a
// recognised notation. Short lists are accepted, so that each mistake is shown, and so are other formats.
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
		if len(cells) > 0 || !p.isHeader(line) { // only before the first cell there is a header
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
