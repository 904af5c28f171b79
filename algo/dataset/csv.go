package dataset

import (
	"bytes"
	"errors"
	"fmt"
)

// Package encoding/csv does not serve here. It reads a field of any length into memory, as after a missing quote. It
// cannot resume at a chosen line. In strict mode it refuses quotes inside an unquoted field, as in the name
// 5'-O-(2"-methyl). For texts without such quotes a fuzz test compares both.

// maxColumns bounds the columns of a header.
const maxColumns = 1 << 16

// A field is a part of the record at window.pos, without its quotes.
type field struct {
	start, end   int
	line, column int  // of the first character
	quoted       bool // had quotes
	escaped      bool // contains doubled quotes
}

// A table reads delimited records.
type table struct {
	*scanner
	separator byte
	columns   int // number of columns of the header; further fields are not kept

	fields  []field
	beyond  field // the first nonempty field after columns; line is 0 if there is none
	count   int   // number of fields, kept or not
	scratch [2][]byte
}

// readFields returns a function that reads a delimited format. The function returns an error if there is no column of
// SMILES. Errors of the reader are in the window.
func readFields(format Format) func(s *scanner, column string) error {
	return func(s *scanner, column string) error {
		t := table{scanner: s}
		return t.read(column, format)
	}
}

// read emits all records, also those that it refuses. It fails only where begin does.
func (t *table) read(column string, format Format) error {
	if err := t.begin(column, format); err != nil || t.stopped {
		return err
	}
	for !t.stopped {
		line := t.line
		size, next, err := t.next()
		switch {
		case err == errEnd:
			return nil
		case err != nil:
			t.refuse(line, err)
		case t.blank():
		default:
			t.emitRow(line)
		}
		if err == nil {
			t.consume(size, next)
		}
		t.spend(unitsOfLine + unitsOfCell*t.count)
	}
	return nil
}

// begin finds the separator and the columns, and consumes the header and everything before it. It fails if the header
// cannot be read, or if a column that is wanted does not exist or is ambiguous.
func (t *table) begin(column string, format Format) error {
	l := layoutOf(t.head, format, column)
	t.columns, t.separator = maxColumns, l.separator
	t.skipBlankLines()
	size, next, err := t.nextRow()
	for skip := l.title; skip > 0 && err != errEnd; size, next, err = t.nextRow() {
		if err == nil { // else it is consumed, and was no row of the sample either
			t.consume(size, next)
			skip--
		}
	}
	if err == errEnd {
		return nil // nothing to read
	}
	if err != nil {
		bad := err.(*SyntaxError)
		return syntaxError(bad.Line, bad.Column, fmt.Errorf("header: %w", bad.Err))
	}
	if t.count > maxColumns {
		return fmt.Errorf("header of %d columns: want at most %d", t.count, maxColumns)
	}
	if l.rows == nil { // the first row is longer than the head
		l.Table = tableOf(t.texts(), func() [][]string { return nil }, column)
	}
	if err := t.choose(l.Table, column); err != nil {
		if twins, ok := err.(*twins); ok { // the second one is where the mistake is
			f := t.fields[twins.second]
			return syntaxError(f.line, f.column, err)
		}
		return err
	}
	if l.Header {
		t.columns = t.count
		t.consume(size, next)
	}
	return nil
}

// nextRow is next, but consumes blank rows before it.
func (t *table) nextRow() (size, nextLine int, err error) {
	size, nextLine, err = t.next()
	for err == nil && t.blank() && t.count <= maxColumns {
		t.consume(size, nextLine)
		size, nextLine, err = t.next()
	}
	return size, nextLine, err
}

// texts returns the texts of all fields of a row, which are the names of columns.
func (t *table) texts() []string {
	row := make([]string, len(t.fields))
	for i := range row {
		row[i] = nameOf(t.text(i, 0))
	}
	return row
}

// skipBlankLines consumes leading blank lines and a spreadsheet's hint on the separator.
func (t *table) skipBlankLines() {
	for {
		n, ok := t.lineEnd(0)
		if line := t.bytes(0, n); !ok || len(bytes.TrimSpace(line)) > 0 && !(t.line == 1 && isHint(line)) {
			return
		}
		t.consume(n+1, t.line+1)
	}
}

// emitRow emits the record that next found on line. It refuses a record with text in a surplus field, or without the
// field of the SMILES.
func (t *table) emitRow(line int) {
	if t.beyond.line > 0 {
		t.refuse(line, syntaxError(t.beyond.line, t.beyond.column,
			fmt.Errorf("field %d: want %d as in the first row, put quotes around a field with %q in it", t.columns+1,
				t.columns, t.separator)))
		return
	}
	if t.smiles >= t.count {
		last := t.fields[len(t.fields)-1]
		t.refuse(line, syntaxError(last.line, last.column,
			fmt.Errorf("the row ends after field %d: want the SMILES in field %d", t.count, t.smiles+1)))
		return
	}
	var id []byte
	if t.id >= 0 && t.id < t.count && t.id != t.smiles {
		id = t.text(t.id, 1)
	}
	f := t.fields[t.smiles]
	rec := Record{Entry: Entry{Line: line, at: SyntaxError{Line: f.line, Column: f.column}}}
	rec.Cells, rec.Own = t.cellsOf(t.cell)
	for _, i := range t.further {
		// A missing cell has the position of the last one.
		g := t.fields[min(i, len(t.fields)-1)]
		rec.cellAt = append(rec.cellAt, [2]int{g.line, g.column})
	}
	t.emitText(rec, id, t.raw(f, 0))
}

// cell returns the trimmed text of field i in memory of its own, or "" if the row has no such field.
func (t *table) cell(i int) string {
	if i >= len(t.fields) {
		return ""
	}
	f := t.fields[i]
	text := t.bytes(f.start, f.end)
	if f.escaped {
		text = bytes.ReplaceAll(text, []byte(`""`), []byte(`"`))
	}
	return cellOf(text)
}

// blank reports whether a record has nothing, not even quotes, but white space and separators. Spreadsheets leave such
// rows at the end.
func (t *table) blank() bool {
	for i, f := range t.fields {
		if f.quoted || len(t.text(i, 0)) > 0 {
			return false
		}
	}
	return t.beyond.line == 0
}

// text returns field i, trimmed. The result is valid until the next call with the same slot.
func (t *table) text(i, slot int) []byte { return bytes.TrimSpace(t.raw(t.fields[i], slot)) }

// raw returns a field, not trimmed. The result is valid until the next call with the same slot, the index of the buffer
// in which doubled quotes become one.
func (t *table) raw(f field, slot int) []byte {
	text := t.bytes(f.start, f.end)
	if f.escaped {
		text = append(t.scratch[slot][:0], text...)
		text = bytes.ReplaceAll(text, []byte(`""`), []byte(`"`))
		t.scratch[slot] = text
	}
	return text
}

var errEnd = errors.New("no more records")

// A cutter is the state of splitting a record into fields. All distances are from window.pos.
type cutter struct {
	at        int  // distance of the next field, and at last of the next record
	line      int  // number of the line there
	lineStart int  // distance of the start of that line
	end       int  // distance of a line feed or of the end of the text; the lines before it are whole
	feed      bool // whether there is a line feed at end
}

// next finds the fields of the record at pos. It returns the record's size including its line end, and the number of the
// line after it. At the end of the text it returns errEnd.
//
// next consumes nothing, unless it returns a *SyntaxError about a quote. Then it consumes the line with that quote, and
// the later lines are read as records of their own. No text is read more than twice: quotes come in even runs, so no
// quote is open at a line end between that line and where reading stopped.
func (t *table) next() (size, nextLine int, err error) {
	t.fields = t.fields[:0]
	t.beyond = field{}
	t.count = 0
	c := cutter{line: t.line}
	switch long := t.addLine(&c, 0); {
	case long:
		t.skipLine(c.end, c.line+1)
		return 0, 0, t.tooLong(c.line)
	case !c.feed && (t.broken() != nil || c.end == 0): // an incomplete line, or none
		return 0, 0, errEnd
	}
	for last := false; !last; {
		if c.at < c.end && t.at(c.at) == '"' {
			last, err = t.quotedField(&c)
		} else {
			last = t.plainFields(&c)
		}
		if err != nil {
			return 0, 0, err
		}
	}
	if c.feed {
		c.at++
	}
	return c.at, c.line + 1, nil
}

// addLine adds the line that begins from bytes after pos to the record: it sets c.end and c.feed. It returns true if the
// line does not fit into the window.
func (t *table) addLine(c *cutter, from int) (long bool) {
	c.end, c.feed = t.lineEnd(from)
	return !c.feed && t.err == nil
}

// plainFields keeps the unquoted fields from c.at on, and reports whether the record ended. If not, c.at is at a quote.
func (t *table) plainFields(c *cutter) (last bool) {
	text := t.bytes(0, c.end)
	for {
		// Fields are short: a loop beats bytes.IndexByte.
		i := c.at
		for i < len(text) && text[i] != t.separator {
			i++
		}
		t.keep(field{start: c.at, end: i, line: c.line, column: c.at - c.lineStart + 1})
		if c.at = i; i == len(text) {
			return true
		}
		if c.at++; c.at < len(text) && text[c.at] == '"' { // a quoted field comes next
			return false
		}
	}
}

// quotedField keeps the quoted field at c.at, and reports whether it ends the record. The field may hold line ends.
func (t *table) quotedField(c *cutter) (last bool, err error) {
	open := *c
	f := field{start: c.at + 1, line: c.line, column: c.at - c.lineStart + 2, quoted: true}
	for c.at = f.start; ; c.at += 2 {
		if err := t.findQuote(c, open); err != nil {
			return false, err
		}
		if c.at+1 == c.end || t.at(c.at+1) != '"' { // not a doubled quote, so it closes the field
			break
		}
		f.escaped = true
	}
	f.end = c.at
	inside := t.bytes(f.start, f.end)
	if feeds := bytes.Count(inside, []byte{'\n'}); feeds > 0 {
		c.line += feeds
		c.lineStart = f.start + bytes.LastIndexByte(inside, '\n') + 1
	}
	if c.at++; c.at < c.end && t.at(c.at) != t.separator {
		return false, t.refuseBehindQuote(open, *c)
	}
	t.keep(f)
	if c.at == c.end {
		return true, nil
	}
	c.at++
	return false, nil
}

// findQuote moves c to the next quote, adding lines to the record until there is one. open is the place of the opening
// quote. If no other follows, findQuote consumes that one's line and returns an error, but errEnd for a broken text.
func (t *table) findQuote(c *cutter, open cutter) error {
	for {
		if i := bytes.IndexByte(t.bytes(c.at, c.end), '"'); i >= 0 {
			c.at += i
			return nil
		}
		err := errors.New("quote is never closed")
		if c.at = c.end; c.feed {
			if long := t.addLine(c, c.end+1); long {
				err = fmt.Errorf("quote is not closed within %d bytes of its record", t.max-1)
			} else {
				continue
			}
		}
		if t.broken() != nil {
			return errEnd
		}
		t.skipLine(open.at, open.line+1)
		return syntaxError(open.line, open.at-open.lineStart+1, err)
	}
}

// refuseBehindQuote returns the error for text at c after a closing quote. It consumes the line of the quote at open.
func (t *table) refuseBehindQuote(open, c cutter) error {
	behind := clip([]byte{t.at(c.at)})
	err := syntaxError(c.line, c.at-c.lineStart+1,
		fmt.Errorf("found %s behind a closing quote: want %q or the end of the line, write a quote inside quotes twice", behind, t.separator))
	if c.line > open.line {
		err = syntaxError(open.line, open.at-open.lineStart+1,
			fmt.Errorf("this quote is closed on line %d with %s behind it: want it closed here", c.line, behind))
	}
	t.skipLine(open.at, open.line+1)
	return err
}

// keep adds a field to the record. Fields after the columns are only counted, see keepSurplus.
func (t *table) keep(f field) {
	if t.count++; t.count > t.columns {
		t.keepSurplus(&f)
	} else {
		t.fields = append(t.fields, f)
	}
}

// keepSurplus remembers the first nonblank field after the columns.
func (t *table) keepSurplus(f *field) {
	if t.beyond.line == 0 && len(bytes.TrimSpace(t.bytes(f.start, f.end))) > 0 {
		t.beyond = *f
	}
}
