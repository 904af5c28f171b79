package dataset

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Table describes the columns of a text, judged by its head.
type Table struct {
	Columns []string // names of the header, or "column 1" and so on
	First   []string // the first row, header or not
	SMILES  int      // the column with the SMILES, -1 if unknown or ambiguous
	ID      int      // the column with the ids, or -1
	Header  bool     // the first row names the columns
	Guessed bool     // SMILES was found by content, not by name

	twins *twins // an ambiguous column of SMILES or ids
}

// A layout is how the head of a text is divided into rows and columns.
type layout struct {
	Table
	separator byte
	title     int        // rows before the table
	rows      [][]string // the first rows of the table
}

var separators = []byte{',', ';', '\t', '|'}

// layoutOf returns the layout of a text. It tries each separator of CSV. It prefers the one that makes a column of the
// wanted name, then the one with a column of most molecules, then the one that makes most columns of the first row.
func layoutOf(head []byte, format Format, column string) layout {
	if format == TSV {
		return layoutBy(head, '\t', column)
	}
	best, most := layoutBy(head, separators[0], column), support{}
	for _, c := range separators {
		l := layoutBy(head, c, column)
		if len(l.First) < 2 {
			continue
		}
		if slices.Contains(columnNamesOf(l.First), columnName(orSMILES(column))) {
			return l
		}
		if s := supportOf(l.rows, l.SMILES); s.beats(most) || most.read == 0 && len(l.First) > len(best.First) {
			best, most = l, s
		}
	}
	return best
}

// layoutBy returns the layout of a table that begins with head and has this separator. Without a row it has no rows and
// an empty Table. column is the column asked for, or "".
func layoutBy(head []byte, separator byte, column string) layout {
	l := layout{separator: separator}
	rows := sample(head, separator, MaxRecord+1)
	if len(rows) > 0 {
		l.title = titleRows(rows)
		l.rows = rows[l.title:]
		l.Table = tableOf(l.rows[0], func() [][]string { return l.rows }, column)
	}
	return l
}

// maxTitle bounds the rows before a header.
const maxTitle = 20

// titleRows returns how many rows precede the header: comments, and titles with at most half as many names as the header.
// It looks at no row from the first molecule on.
func titleRows(rows [][]string) int {
	header, most := 0, 0
	for i, row := range rows[:min(len(rows), maxTitle)] {
		n := namesIn(row)
		if n < 0 {
			break
		}
		if n > 0 && n >= 2*most {
			header, most = i, n
		}
	}
	return header
}

// namesIn counts the cells that may be names of columns: texts other than numbers. A comment has none. The count is
// maxColumns if a cell names SMILES, which titles do not, and −1 if a cell is a molecule of more than one atom.
func namesIn(row []string) (n int) {
	for _, cell := range row {
		_, err := strconv.ParseFloat(cell, 64)
		switch {
		case slices.Contains(smilesNames, columnName(cell)):
			return maxColumns
		case atoms(cell) > 1:
			return -1
		case cell != "" && err != nil:
			n++
		}
	}
	if strings.HasPrefix(row[0], "#") {
		return 0
	}
	return n
}

// sample returns the first records of a table, a header and headRows more, their fields trimmed. It leaves out records
// that are malformed or longer than limit bytes.
func sample(head []byte, separator byte, limit int) (rows [][]string) {
	if len(head) == 0 {
		return nil
	}
	t := table{scanner: &scanner{window: newWindow(bytes.NewReader(head), len(head), limit)}, separator: separator, columns: maxColumns}
	for len(rows) <= headRows {
		size, next, err := t.nextRow()
		if err == errEnd {
			break
		}
		if err == nil { // refused text is consumed
			rows = append(rows, t.texts())
			t.consume(size, next)
		}
	}
	return rows
}

// Table describes the columns of a delimited text. column is [Options.Column]. It returns false for other formats and for
// a head without a row.
func (t *Text) Table(format Format, column string) (Table, bool) {
	if format != CSV && format != TSV {
		return Table{}, false
	}
	l := layoutOf(t.head(), format, column)
	if l.rows == nil {
		return Table{}, false
	}
	if l.twins != nil && !l.twins.ids { // two columns match
		l.SMILES = -1
	}
	l.Columns = ownNames(l.Columns)
	return l.Table, true
}

// ownNames returns columns with "column 1" and so on, by place, for each name that occurs several times.
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

// tableOf describes a table whose first row is front. It finds the columns of SMILES and ids by name, or else by the
// content of the rows that sample returns, front among them. column is Options.Column.
func tableOf(front []string, sample func() [][]string, column string) Table {
	t := Table{Columns: front, First: front, Header: true}
	place, twins := columnOrPlace(front, orSMILES(column))
	byPlace := place >= 0 && columnName(front[place]) != columnName(strings.TrimSpace(orSMILES(column)))
	t.SMILES, t.twins = place, twins
	if byPlace || place < 0 && wantsSMILES(column) {
		t.guess(sample)
	}
	if byPlace { // guess was only asked whether there is a header
		t.SMILES, t.Guessed, t.twins = place, false, nil
	}
	t.findID(sample)
	return t
}

// guess sets the column of SMILES, found by a part of its name or else by content, and whether there is a header. It calls
// columns without a name "column 1" and so on.
func (t *Table) guess(sample func() [][]string) {
	if t.SMILES, t.Guessed = namedColumn(columnNamesOf(t.First), sample); t.SMILES >= 0 {
		_, t.twins = columnCalled(t.First, t.First[t.SMILES])
	} else {
		t.SMILES, t.Guessed = columnByContent(t.First, sample()), true
		t.Header = t.SMILES < 0 || !isData(t.First[t.SMILES])
	}
	t.Columns = make([]string, len(t.First))
	for i, name := range t.First {
		if t.Columns[i] = name; !t.Header || name == "" {
			t.Columns[i] = fmt.Sprintf("column %d", i+1)
		}
	}
}

// findID sets the column of ids, found by name or else by content, or −1. It notes two columns that match as twins.
func (t *Table) findID(sample func() [][]string) {
	t.ID = -1
	if t.Header {
		var ids *twins
		t.ID, ids = idColumn(t.First)
		t.twins = cmp.Or(t.twins, ids)
	}
	if t.ID < 0 && t.SMILES >= 0 {
		t.ID = t.idByContent(sample())
	}
}

// Ids found by content are short. In fewer rows than fewestIDs differing cells prove nothing: they may be classes.
const (
	longestID = 64
	fewestIDs = 3
)

// idByContent returns the column that is most likely one of ids, the first of equal ones, or −1. All cells of such a
// column differ. In descending order these are
//
//   - texts under a name of ids,
//   - numbers under a name of ids,
//   - texts without a header, or short texts under another name if there are at least fewestIDs rows,
//   - numbers without a header.
func (t *Table) idByContent(rows [][]string) int {
	const someNumbers, texts, idName = 1, 2, 2 // fit is one of the first two, plus idName under a name of ids
	best, most := -1, 0
	if t.Header && len(rows) > 0 {
		rows = rows[1:]
	}
	for i, name := range t.First {
		fit := 0
		if numbers, all := distinct(rows, i); i != t.SMILES && all {
			fit = texts
			if numbers > 0 {
				fit = someNumbers
			}
		}
		switch {
		case fit == 0 || !t.Header: // without a header there is no name to judge by
		case namesID(name):
			fit += idName
		case fit == someNumbers || len(rows) < fewestIDs || !idLike(rows, i):
			fit = 0 // under another name
		}
		if fit > most {
			best, most = i, fit
		}
	}
	return best
}

// distinct reports whether a column has a cell in every row and all differ, and if so how many of them are numbers.
// Without rows it reports false.
func distinct(rows [][]string, column int) (numbers int, all bool) {
	seen := map[string]bool{}
	for _, row := range rows {
		if column >= len(row) || row[column] == "" || seen[row[column]] {
			return 0, false
		}
		seen[row[column]] = true
		if _, err := strconv.ParseFloat(row[column], 64); err == nil {
			numbers++
		}
	}
	return numbers, len(rows) > 0
}

// idLike reports whether all cells of a column, which no row may lack, are short and fewer than half are structures.
func idLike(rows [][]string, column int) bool {
	for _, row := range rows {
		if len(row[column]) > longestID || strings.HasPrefix(row[column], "InChI=") {
			return false
		}
	}
	return 2*supportOf(rows, column).large < len(rows)
}

// columnByContent returns the column with most molecules, or −1. At least half of its cells must be molecules. If all of
// these have a single atom, front, the first row, must have data there: below a name they may be letters for classes.
func columnByContent(front []string, rows [][]string) int {
	best, most := -1, support{}
	for i := range front {
		if s := supportOf(rows, i); s.fits() && (s.large > 0 || isData(front[i])) && s.beats(most) {
			best, most = i, s
		}
	}
	return best
}

// isData reports whether a cell of the first row is a molecule or meant as one, not a name: it has brackets or bonds, or
// nothing but letters of atoms, digits and signs.
func isData(cell string) bool {
	if atoms(cell) > 0 {
		return true
	}
	return cell != "" && (strings.ContainsAny(cell, "[]()=#@/\\") || strings.Trim(cell, "BCNOPSFIHclrbnops0123456789-+.%:") == "")
}

// namedColumn returns the column with one of smilesNames or the word smiles in its name, or −1. Of several such columns,
// the best names first, it returns the first one whose cells are molecules, and guessed is true.
func namedColumn(names []string, sample func() [][]string) (column int, guessed bool) {
	var named []int
	for _, name := range smilesNames {
		if i := slices.Index(names, name); i >= 0 {
			named = append(named, i)
		}
	}
	for i, name := range names {
		if strings.Contains(name, smilesNames[0]) && !slices.Contains(smilesNames, name) {
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

// Placeholders of [Text.Line].
const (
	LineSMILES = "{SMILES}"
	LineName   = "{name}"
)

// Line returns a template for a further record of t, with LineSMILES and LineName. It is empty if a record needs more
// than one line, as in other formats than SMI, CSV and TSV, or if the column of SMILES is not known.
func (t *Text) Line(format Format, column string) string {
	if format == SMI {
		if p, _ := placeOf(t.head()); p != first {
			return LineName + strings.Repeat(" -", max(int(p-second), 0)) + " " + LineSMILES // a dash for each word between
		}
		return LineSMILES + " " + LineName
	}
	if format != CSV && format != TSV {
		return ""
	}
	l := layoutOf(t.head(), format, column)
	if l.SMILES < 0 || l.rows == nil || l.twins != nil && !l.twins.ids {
		return ""
	}
	cells := make([]string, len(l.Columns))
	if l.ID >= 0 {
		cells[l.ID] = LineName
	}
	cells[l.SMILES] = LineSMILES
	return strings.Join(cells, string(l.separator))
}

// supportOf counts the cells and molecules of a column. For a negative column it counts none.
func supportOf(rows [][]string, column int) (s support) {
	for _, row := range rows {
		if column >= 0 && column < len(row) {
			s.add([]byte(row[column]))
		}
	}
	return s
}
