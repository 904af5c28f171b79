package dataset

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"baca/algo/molecule/smiles"
)

// What is guessed of a text is guessed from its head, so that the guess holds for all of it
// and does not depend on how the text arrives.
const (
	headSize = 64 << 10 // as much of a text as is looked at, in bytes
	headRows = 50       // as many of its rows, a header not counted
)

// head returns the first lines of t, none of them cut short: more than headRows if they fit
// into headSize. Errors of reading come again when the text is read.
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

// behindHint returns text without a first line that tells a spreadsheet the separator.
func behindHint(text []byte) []byte {
	if line, rest, _ := bytes.Cut(text, []byte("\n")); isHint(line) {
		return rest
	}
	return text
}

// isHint tells a line such as "sep=;". The lines below show what separates their fields.
func isHint(line []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.ToLower(bytes.Trim(line, "\" \t\r")), []byte("sep="))
	return ok && len(rest) <= 1
}

// A support counts the rows that have a molecule in one place.
type support struct {
	cells int // that are not empty
	read  int // molecules
	large int // of more than one atom: words such as "I" and "Co" may be taken for an atom
}

// add counts one more cell.
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

// beats tells whether s is better than t.
func (s support) beats(t support) bool {
	if s.large != t.large {
		return s.large > t.large
	}
	return s.read > t.read
}

// fits tells whether most cells are molecules; one more may be a header.
func (s support) fits() bool { return s.read > 0 && 2*s.read >= s.cells-1 }

// atoms counts those of a SMILES, 0 for any other text.
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

// A place says which word of each line of SMI is the SMILES, from 0, or that the last one is.
type place int

const (
	last   place = iota - 1 // name, which may hold blanks, SMILES
	first                   // SMILES, name
	second                  // name, SMILES, more: the name is one word, or a number that is left out
	// From here on the name is the first word.
	third
	maxPlace = third + 13
)

const blanks = " \t\v\f"

// cut cuts a line without blanks around it into SMILES and id, and tells where the SMILES
// begins. It has no SMILES if the line has too few words.
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

// firstWord cuts a text in front of its first blanks and behind them.
func firstWord(text []byte) (word, rest []byte) {
	for i, c := range text {
		if (c <= ' ' || c >= utf8.RuneSelf) && spaceAt(text, i) > 0 {
			return text[:i], bytes.TrimLeftFunc(text[i:], isSpace)
		}
	}
	return text, text[len(text):]
}

// lastWord returns what stands behind the last blank.
func lastWord(text []byte) []byte {
	i := bytes.LastIndexFunc(text, isSpace)
	if i < 0 {
		return text
	}
	return text[i+spaceAt(text, i):]
}

// An extension of CXSMILES stands between bars behind the SMILES: labels, coordinates, groups
// of stereocentres, and radicals, which the atoms in brackets show by themselves. None of it
// is in a graph.
const bar = '|'

// behindExtension returns what stands behind the extension that text begins with, if it does.
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

// withoutExtension returns the SMILES of a cell that holds CXSMILES.
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

// isNumbering tells the beginning of an item of a list, such as "12." or "-".
func isNumbering(word []byte) bool {
	return len(bytes.Trim(word, "0123456789.:()-*•")) == 0
}

// linesOf yields the lines of SMI in a text that ends in a line feed or has none, and where they
// begin: form feeds, vertical tabs, NEL and the separators of Unicode end one, too.
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

// lines yields the lines of SMI that are records or the header.
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

// placeOf tells where the lines of a text have their SMILES. That is in front, unless most
// lines have it elsewhere.
func placeOf(head []byte) (place, support) {
	var s [maxPlace + 2]support // that of last is the first
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
		// With two words on each line second and last are the same, but for a number. Further
		// words must be molecules on as good as every line: others may follow a name with blanks.
		if p != first && s[p+1].large > 2*s[first+1].read && s[p+1].fits() && (p < third || 2*s[p+1].cells > n) &&
			(s[p+1].beats(s[best+1]) || p == second && s[p+1] == s[best+1]) {
			best = p
		}
	}
	if p := headedPlace(head); p >= third && s[p+1].fits() && !s[best+1].beats(s[p+1]) {
		best = p // and the name is not all that is in front
	}
	return best, s[best+1]
}

// headedPlace is the word of the first line that is the name of SMILES, first without one.
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

// isHeader tells a first line that names what the others have. No molecule is lost by that.
func (p place) isHeader(line []byte) bool {
	text, _, _ := p.cut(line)
	named := slices.Contains(structureNames, columnName(text))
	for word := range bytes.FieldsSeq(line) {
		named = named || slices.Contains(smilesNames, columnName(word))
	}
	return named && atoms(text) == 0
}

// structureNames are further names of columns with SMILES. Other things have them, too.
var structureNames = []string{"structure", "structures", "molecule", "molecules", "mol", "compound", "compounds"}

// sample returns the first records of a table, each of them trimmed fields.
func sample(head []byte, separator byte, limit int) [][]string {
	if len(head) == 0 {
		return nil
	}
	t := table{scanner: &scanner{window: newWindow(bytes.NewReader(head), len(head), limit)}, separator: separator, columns: maxColumns}
	var rows [][]string
	for len(rows) <= headRows {
		size, next, err := t.next()
		if err == errEnd {
			break
		}
		if err != nil {
			continue // what is refused is consumed
		}
		if !t.blank() {
			row := make([]string, len(t.fields))
			for i := range row {
				row[i] = nameOf(t.text(i, 0))
			}
			rows = append(rows, row)
		}
		t.consume(size, next)
	}
	return rows
}

// supportOf is that of one column, of none if it is negative.
func supportOf(rows [][]string, column int) (s support) {
	for _, row := range rows {
		if column >= 0 && column < len(row) {
			s.add([]byte(row[column]))
		}
	}
	return s
}

// A Table says what columns a text has, as far as its head shows that.
type Table struct {
	Columns []string // the names of the header, or "column 1" and so on for those without one of their own
	First   []string // the first row, header or not
	SMILES  int      // the column with the SMILES, -1 if none is known, or several are called so
	ID      int      // the column with the ids, -1 if there is none
	Header  bool     // the first row names the columns
	Guessed bool     // no name told where the SMILES are: the text did

	twins *twins // of the column with the SMILES or that with the ids, nil for none
}

// Table tells the columns of a text in a format of fields; column is [Options.Column]. It is
// false for other formats, and where no row lies in the head.
func (t *Text) Table(format Format, column string) (Table, bool) {
	if format != CSV && format != TSV {
		return Table{}, false
	}
	head := t.head()
	rows := sample(head, separatorIn(head, format, column), MaxRecord+1)
	if len(rows) == 0 {
		return Table{}, false
	}
	table := tableOf(rows[0], func() [][]string { return rows }, column)
	if table.twins != nil && !table.twins.ids {
		table.SMILES = -1
	}
	table.Columns = ownNames(table.Columns)
	return table, true
}

// ownNames are names that each stand for one column.
func ownNames(columns []string) []string {
	times := map[string]int{}
	for _, name := range columns {
		times[name]++
	}
	names := slices.Clone(columns)
	for i, name := range columns {
		if times[name] > 1 {
			names[i] = fmt.Sprintf("column %d", i+1)
		}
	}
	return names
}

// tableOf tells the columns from the first row of a table and, where its names do not, from
// its first rows, that one included.
func tableOf(front []string, sample func() [][]string, column string) Table {
	t := Table{Columns: front, First: front, Header: true}
	id, ids := idColumn(front)
	place, smiles := columnOrPlace(front, orSMILES(column))
	t.ID, t.twins = id, cmp.Or(smiles, ids)
	if !wantsSMILES(column) {
		if t.SMILES = place; place >= 0 && columnName(front[place]) != columnName(strings.TrimSpace(column)) {
			t = tableOf(front, sample, "") // named by its place, perhaps in a table without a header
			if t.SMILES, t.Guessed, t.twins = place, false, nil; t.Header {
				t.twins = ids
			}
		}
		return t
	}
	if t.SMILES = place; place >= 0 {
		return t
	}
	if t.SMILES, t.Guessed = namedColumn(columnNamesOf(front), sample); t.SMILES >= 0 {
		_, smiles = columnCalled(front, front[t.SMILES])
		t.twins = cmp.Or(smiles, ids)
	} else {
		t.SMILES, t.Guessed = columnByContent(front, sample()), true
		t.Header = t.SMILES < 0 || !isData(front[t.SMILES])
	}
	if !t.Header {
		t.ID, t.twins = idByContent(sample(), t.SMILES), nil
	}
	t.Columns = make([]string, len(front))
	for i := range front {
		if t.Columns[i] = front[i]; !t.Header || front[i] == "" {
			t.Columns[i] = fmt.Sprintf("column %d", i+1)
		}
	}
	return t
}

// What stands for the parts of a record in [Text.Line].
const (
	LineSMILES = "{SMILES}"
	LineName   = "{name}"
)

// Line returns how one more record is written behind those of t, with LineSMILES and LineName
// for its parts. It is empty where that takes more than a line.
func (t *Text) Line(format Format, column string) string {
	if format == SMI {
		if p, _ := placeOf(t.head()); p != first {
			return LineName + strings.Repeat(" -", max(int(p-second), 0)) + " " + LineSMILES
		}
		return LineSMILES + " " + LineName
	}
	columns, ok := t.Table(format, column)
	if !ok || columns.SMILES < 0 {
		return ""
	}
	cells := make([]string, len(columns.Columns))
	if columns.ID >= 0 {
		cells[columns.ID] = LineName
	}
	cells[columns.SMILES] = LineSMILES
	return strings.Join(cells, string(separatorIn(t.head(), format, column)))
}

// numberedColumn reads "column_2".
func numberedColumn(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, "column_")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0
}

// columnByContent returns the column whose cells are molecules, −1 without one. A header
// whose columns hold single letters only is no sign of molecules.
func columnByContent(front []string, rows [][]string) int {
	best, most := -1, support{}
	for i := range front {
		if s := supportOf(rows, i); s.fits() && (s.large > 0 || isData(front[i])) && s.beats(most) {
			best, most = i, s
		}
	}
	return best
}

// isData tells whether a cell of the first row is a molecule, or meant to be one, and no
// name of a column: names have other letters.
func isData(cell string) bool {
	if atoms(cell) > 0 {
		return true
	}
	return cell != "" && (strings.ContainsAny(cell, "[]()=#@/\\") || strings.Trim(cell, "BCNOPSFIHclrbnops0123456789-+.%:") == "")
}

// namedColumn returns the column that has the word smiles in its name: the only one, or of
// several the one that the rows bear out, and then it is guessed. It is −1 if there is none.
func namedColumn(names []string, sample func() [][]string) (column int, guessed bool) {
	var named []int
	for _, name := range smilesNames {
		if i := slices.Index(names, name); i >= 0 {
			named = append(named, i)
		}
	}
	for i, name := range names {
		if strings.Contains(name, smilesNames[0]) && !slices.Contains(named, i) {
			named = append(named, i)
		}
	}
	if len(named) == 1 {
		return named[0], false
	}
	for _, i := range named {
		if supportOf(sample(), i).fits() {
			return i, true
		}
	}
	return -1, false
}

// smilesNames are the names of columns with SMILES, the best first. Of the structures of
// PubChem those with stereo come first.
var smilesNames = []string{"smiles", "isomeric_smiles", "isosmiles", "canonical_smiles", "canonicalsmiles", "smile", "cxsmiles", "structure_smiles", "smi"}

// idByContent returns the column of ids of a table without a header: the first whose cells
// all differ, texts before numbers, −1 without one.
func idByContent(rows [][]string, smiles int) int {
	best := -1
	for i := range rows[0] {
		if i == smiles {
			continue
		}
		seen, numbers := map[string]bool{}, 0
		for _, row := range rows {
			if i >= len(row) || row[i] == "" || seen[row[i]] {
				continue
			}
			seen[row[i]] = true
			if _, err := strconv.ParseFloat(row[i], 64); err == nil {
				numbers++
			}
		}
		if len(seen) < len(rows) {
			continue
		}
		if numbers == 0 {
			return i
		}
		if best < 0 {
			best = i
		}
	}
	return best
}

// separatorIn tells the separator of a text of fields: the one that makes a column of the
// wanted name, or else the one whose columns hold molecules, or else the most frequent one
// in the first line. The comma comes first.
func separatorIn(head []byte, format Format, column string) byte {
	if format == TSV {
		return '\t'
	}
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, blanks+"\n"), []byte("\n"))
	separator, sure := separatorOf(line, columnName(cmp.Or(column, smilesNames[0])))
	if sure {
		return separator
	}
	best := support{}
	for _, c := range separators {
		rows := sample(head, c, MaxRecord+1)
		if len(rows) == 0 || len(rows[0]) < 2 {
			continue
		}
		t := tableOf(rows[0], func() [][]string { return rows }, column)
		if s := supportOf(rows, t.SMILES); s.beats(best) {
			best, separator = s, c
		}
	}
	return separator
}

var separators = []byte{',', ';', '\t'}

// contentFormat tells SMI, CSV and TSV by their lines, where no header does. Lines that no
// format can read are of the format otherwise.
func contentFormat(head []byte, otherwise Format) Format {
	p, plain := placeOf(head)
	best, format := support{}, SMI
	for _, c := range []byte{'\t', ',', ';'} {
		rows := sample(head, c, MaxRecord+1)
		if len(rows) == 0 || len(rows[0]) < 2 {
			continue
		}
		t := tableOf(rows[0], func() [][]string { return rows }, "")
		s := supportOf(rows, t.SMILES)
		if c == '\t' && len(rows[0]) > 2 && s.read >= plain.read && s.read > 0 {
			return TSV // else all but the SMILES would be the name
		}
		if s.beats(best) {
			if best, format = s, CSV; c == '\t' {
				format = TSV
			}
		}
	}
	switch {
	case best.read == 0 && plain.read == 0:
		return otherwise
	case plain.beats(best) || p == first && !best.beats(plain):
		return SMI
	}
	return format
}

// check refuses a text of which nothing in the head can be read, with one sentence: where
// there is much of it, or where it is known what it is. A short list is read, so that each
// mistake is shown.
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
		case errInChI, errInChIKey, errSELFIES:
			return err
		}
	}
	if len(cells) < headRows {
		return nil
	}
	_, err := smiles.Parse(cells[0])
	return fmt.Errorf("none of the first %d lines holds a structure: %s; the first is %s: %w", headRows, plainText, clip(cells[0]), otherwise(cells[0], err))
}

// smiCells returns what should be SMILES in the head of lines of SMI, and all of its words.
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

// tableCells returns what should be SMILES in the head of a table, and all of its fields. Of
// a table without a column of SMILES its reader says more.
func tableCells(head []byte, format Format, column string) (cells, words []string) {
	rows := sample(head, separatorIn(head, format, column), MaxRecord+1)
	if len(rows) == 0 {
		return nil, nil
	}
	words = slices.Concat(rows...)
	t := tableOf(rows[0], func() [][]string { return rows }, column)
	if t.Header {
		rows = rows[1:]
	}
	for _, row := range rows {
		if t.SMILES >= 0 && t.SMILES < len(row) && row[t.SMILES] != "" {
			cells = append(cells, row[t.SMILES])
		}
	}
	return cells, words
}
