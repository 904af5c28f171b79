package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"baca/algo/molecule"
)

// encoding/csv is not used here: it collects a field without a bound (one
// missing quote reads the rest of the file into memory), it cannot go on at a
// line of our choice after a bad record, and its strict mode refuses a quote
// inside an unquoted field, as in 5'-O-(2"-methyl), which is common in names.
// Where it accepts a text without such quotes, the fields are the same; a fuzz
// test compares them.

// maxColumns bounds the header.
const maxColumns = 1 << 16

// A field is a part of the record at window.pos, quotes not included.
type field struct {
	start, end   int
	line, column int  // of the first character
	quoted       bool // had quotes around it
	escaped      bool // has doubled quotes or carriage returns inside
}

// A table reads records of fields.
type table struct {
	*scanner
	separator byte
	columns   int // in the header; as many fields are kept for each record
	smiles    int // a column
	id        int // a column, -1 if there is none

	fields  []field
	beyond  *field // the first field beyond columns that is not empty
	count   int    // of fields, kept or not
	surplus field  // what beyond points to
	scratch [2][]byte
}

// read passes all records to emit. The error says that there is no column of
// SMILES; errors of the reader are in the window.
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
			t.refuse(line, err.(*SyntaxError))
		case t.blank():
		default:
			t.emitRow(line)
		}
		if err == nil {
			t.consume(size, next)
		}
	}
	return nil
}

// begin finds the separator and the columns, and consumes the header.
func (t *table) begin(column string, format Format) error {
	if columnName([]byte(column)) == "smiles" {
		column = ""
	}
	t.columns = maxColumns
	t.separator = '\t'
	for {
		n, ok := t.lineEnd(0)
		first := t.bytes(0, n)
		if len(bytes.TrimSpace(first)) == 0 && ok {
			t.consume(n+1, t.line+1)
			continue
		}
		if format == CSV {
			t.separator = ','
			if bytes.Count(first, []byte{';'}) > bytes.Count(first, []byte{','}) {
				t.separator = ';'
			}
		}
		break
	}
	size, next, err := t.next()
	if err == errEnd {
		return nil // nothing to read
	}
	if err != nil {
		err.(*SyntaxError).File = t.file
		return fmt.Errorf("header: %w", err)
	}
	if t.count > maxColumns {
		return fmt.Errorf("header of %d columns: want at most %d", t.count, maxColumns)
	}
	names := make([]string, t.count)
	for i := range names {
		names[i] = columnName(t.text(i, 0))
	}
	t.columns = len(names)
	t.smiles, t.id = smilesColumn(names, column), idColumn(names)
	if t.smiles >= 0 {
		t.consume(size, next)
		return nil
	}
	// Without a header the first row must show where the SMILES are.
	if column == "" {
		for i := range names {
			text := t.text(i, 0)
			if len(text) == 0 || len(text) > MaxField {
				continue
			}
			if _, err := molecule.Parse(string(text)); err == nil {
				t.smiles, t.id = i, -1
				return nil
			}
		}
		column = "smiles"
	}
	shown := make([]string, 0, 2*maxNamed)
	for i := range min(len(names), cap(shown)) {
		shown = append(shown, clip(t.text(i, 0)))
	}
	if len(names) > len(shown) {
		shown = append(shown, fmt.Sprintf("and %d more", len(names)-len(shown)))
	}
	return fmt.Errorf("no column %q: want its name to be one of the header, which has %s", column, strings.Join(shown, ", "))
}

// columnName makes spellings of a name equal.
func columnName(text []byte) string {
	return columnNames.Replace(strings.ToLower(string(text)))
}

var columnNames = strings.NewReplacer(" ", "_", "-", "_")

func smilesColumn(names []string, column string) int {
	wanted := columnName([]byte(strings.TrimSpace(column)))
	if column == "" {
		wanted = "smiles"
	}
	only := -1
	for i, name := range names {
		if name == wanted {
			return i
		}
		if strings.Contains(name, "smiles") {
			if only >= 0 {
				only = len(names) // more than one
			} else {
				only = i
			}
		}
	}
	if column != "" || only == len(names) {
		return -1
	}
	return only
}

// idNames are the names of ids, the best first.
var idNames = []string{"id", "mol_id", "molecule_id", "compound_id", "cid", "chembl_id", "cmpd_chemblid", "name", "title", "iupac"}

func idColumn(names []string) int {
	for _, wanted := range idNames {
		for i, name := range names {
			if name == wanted {
				return i
			}
		}
	}
	return -1
}

// emitRow emits the record whose fields next has found.
func (t *table) emitRow(line int) {
	if t.beyond != nil {
		t.refuse(line, &SyntaxError{"", t.beyond.line, t.beyond.column,
			fmt.Errorf("field %d: want %d as in the first row, put quotes around a field with %q in it", t.columns+1, t.columns, t.separator)})
		return
	}
	if t.smiles >= t.count {
		last := t.fields[len(t.fields)-1]
		t.refuse(line, &SyntaxError{"", last.line, last.column, fmt.Errorf("only %d fields: want the SMILES in field %d", t.count, t.smiles+1)})
		return
	}
	var id []byte
	if t.id >= 0 && t.id < t.count && t.id != t.smiles {
		id = t.text(t.id, 1)
	}
	f := t.fields[t.smiles]
	smiles := t.text(t.smiles, 0)
	column := f.column
	if !f.escaped {
		raw := t.bytes(f.start, f.end)
		column += len(raw) - len(bytes.TrimLeft(raw, " \t\r\n\v\f"))
	}
	t.record(line, id, smiles, f.line, column)
}

// blank tells a record of nothing but white space, without quotes, on a line.
func (t *table) blank() bool {
	f := t.fields[0]
	return t.count == 1 && !f.quoted && len(t.text(0, 0)) == 0
}

// text returns field i of the record, trimmed; it is valid until the next call
// with the same slot.
func (t *table) text(i, slot int) []byte {
	f := t.fields[i]
	text := t.bytes(f.start, f.end)
	if f.escaped {
		text = append(t.scratch[slot][:0], text...)
		text = bytes.ReplaceAll(text, []byte(`""`), []byte(`"`))
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
		t.scratch[slot] = text
	}
	return bytes.TrimSpace(text)
}

var errEnd = errors.New("no more records")

// next finds the fields of the record at pos and returns its size, line end
// included, and the number of the line behind it. It does not consume a
// record, but if it returns a *SyntaxError it has consumed what is refused:
// the line with the quote that is never closed or has something behind it, so
// that the lines that it would swallow are read as records of their own.
// errEnd is the end of the text or of what can be read.
func (t *table) next() (size, nextLine int, err error) {
	t.fields = t.fields[:0]
	t.beyond = nil
	t.count = 0
	line, lineStart := t.line, 0
	lineFeed, hasFeed := -1, false // the end of this line, once known
	for i := 0; ; {
		f := field{start: i, line: line, column: i - lineStart + 1}
		var c byte
		ok := t.pos+i < t.end
		if ok {
			c = t.buf[t.pos+i]
		} else {
			c, ok = t.at(i)
		}
		last := false
		if ok && c == '"' {
			open, openLine := i, line
			f.quoted = true
			f.start, f.column = i+1, f.column+1
			i++
			for {
				at := bytes.IndexByte(t.window.bytes(i, t.end-t.pos), '"')
				if at < 0 {
					i = t.end - t.pos
					if !t.more() {
						if t.broken() != nil {
							return 0, 0, errEnd
						}
						e := errors.New("quote is never closed")
						if t.err == nil {
							e = fmt.Errorf("quote is not closed within %d bytes of its record", t.max-1)
						}
						return 0, 0, t.recover(open, openLine, &SyntaxError{"", openLine, f.column - 1, e})
					}
					continue
				}
				i += at + 1
				if c, ok := t.at(i); !ok || c != '"' {
					break
				}
				f.escaped = true
				i++
			}
			f.end = i - 1
			inside := t.bytes(f.start, f.end)
			if feeds := bytes.Count(inside, []byte{'\n'}); feeds > 0 {
				line += feeds
				lineStart = f.start + bytes.LastIndexByte(inside, '\n') + 1
				lineFeed = -1
				f.escaped = f.escaped || bytes.IndexByte(inside, '\r') >= 0
			}
			c, ok := t.at(i)
			if ok && c == '\r' {
				if d, more := t.at(i + 1); !more || d == '\n' {
					i++
					c, ok = d, more
				}
			}
			switch {
			case !ok && t.broken() != nil:
				return 0, 0, errEnd
			case !ok && t.err == nil:
				e := &SyntaxError{"", line, 1, t.tooLong()}
				t.skipLine(i, line+1)
				return 0, 0, e
			case !ok:
				size, last = i, true
			case c == '\n':
				size, last = i+1, true
			case c != t.separator:
				e := &SyntaxError{"", line, i - lineStart + 1,
					fmt.Errorf("found %s behind a closing quote: want %q or the end of the line, write a quote inside quotes twice", clip([]byte{c}), t.separator)}
				if line > openLine {
					e = &SyntaxError{"", openLine, f.column - 1,
						fmt.Errorf("this quote is closed on line %d with %s behind it: want it closed here", line, clip([]byte{c}))}
				}
				return 0, 0, t.recover(open, openLine, e)
			}
		} else {
			if lineFeed < i {
				lineFeed, hasFeed = t.lineEnd(i)
				if !hasFeed {
					switch {
					case t.broken() != nil:
						return 0, 0, errEnd
					case t.err == nil:
						e := &SyntaxError{"", line, 1, t.tooLong()}
						t.skipLine(lineFeed, line+1)
						return 0, 0, e
					case lineFeed == 0:
						return 0, 0, errEnd
					}
				}
			}
			// Fields are short: a loop beats calls of bytes.IndexByte.
			text := t.bytes(i, lineFeed)
			n := 0
			for n < len(text) && text[n] != t.separator {
				n++
			}
			f.end = i + n
			if i += n; n == len(text) {
				size, last = lineFeed, true
				if hasFeed {
					size++
				}
				if n > 0 && text[n-1] == '\r' {
					f.end--
				}
			}
		}
		if t.count < t.columns {
			t.fields = append(t.fields, f)
		} else if t.beyond == nil && f.end > f.start && len(bytes.TrimSpace(t.bytes(f.start, f.end))) > 0 {
			t.surplus = f
			t.beyond = &t.surplus
		}
		t.count++
		if last {
			return size, line + 1, nil
		}
		i++
	}
}

// recover consumes the rest of the line on which the quote at distance open
// was opened. In what it gives back no quote can be open at a line's end
// again, before the place where the reading of this record stopped: there
// quotes come in even runs only. So no text is read more than twice.
func (t *table) recover(open, line int, err *SyntaxError) error {
	t.skipLine(open, line+1)
	return err
}
