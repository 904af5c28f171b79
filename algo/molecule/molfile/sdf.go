package molfile

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"strings"

	"baca/algo/molecule"
)

// MaxRecord is the longest accepted SDF record in bytes: a molfile of at most [MaxLength] and its data.
const MaxRecord = 16 << 20

// A Record of an SDF file is a molfile and its data.
type Record struct {
	Line int    // the line on which it begins, from 1
	Text string // without the line $$$$; empty if refused

	// Err, a *SyntaxError, says why the record is refused before it is parsed.
	Err error
}

// SDF yields the records of r in order. It does not parse them, so that several goroutines can call [Parse]. A record
// ends at a line that begins with $$$$ or at the end of the text. A record above [MaxRecord] has Record.Err, and reading
// continues. Memory is bounded. The sequence can be used once. If r fails, the last pair has the error.
func SDF(r io.Reader) iter.Seq2[Record, error] { return splitSDF(r, MaxRecord) }

// separator is how the last line of a record begins.
const separator = "$$$$"

// splitSDF is SDF with a limit on the bytes of a record.
func splitSDF(r io.Reader, limit int) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		s := splitter{limit: limit, line: 1}
		for {
			part, err := in.ReadSlice('\n')
			if s.add(part, err == bufio.ErrBufferFull) && !yield(s.record(), nil) {
				return
			}
			if err == nil || err == bufio.ErrBufferFull {
				continue
			}
			// The text ended. Before an error of r the record may be incomplete and is lost, unless it is too long already.
			if s.long || err == io.EOF && len(bytes.TrimSpace(s.text)) > 0 {
				if !yield(s.record(), nil) {
					return
				}
			}
			if err != io.EOF { // at the line on which the lost record begins, or else at the current line
				yield(Record{}, fmt.Errorf("line %d: %w", cmp.Or(s.begin, s.line), err))
			}
			return
		}
	}
}

// A splitter assembles records.
type splitter struct {
	limit int
	text  []byte // of the record so far
	long  bool   // longer than limit
	begin int    // its first line, or 0 before it begins
	line  int    // the current line

	within, skipped bool // a line was begun; it is a separator
}

// add adds part of a line, with more of the line to come if more is set. It reports whether the record ends, which is at
// the beginning of a separator. It skips separators.
func (s *splitter) add(part []byte, more bool) (ends bool) {
	ends = !s.within && bytes.HasPrefix(part, []byte(separator))
	s.skipped = ends || s.within && s.skipped // also in later parts of a separator
	s.within = more
	if s.begin == 0 && (ends || !s.skipped) { // an empty record begins at its separator
		s.begin = s.line
	}
	if !s.skipped && !s.long {
		size := len(s.text) + len(part)
		if s.long = size > s.limit; !s.long {
			if size > cap(s.text) { // append would leave more garbage on the way to a long record
				s.text = append(make([]byte, 0, min(max(size, 2*cap(s.text)), s.limit)), s.text...)
			}
			s.text = append(s.text, part...)
		}
	}
	if bytes.HasSuffix(part, []byte("\n")) {
		s.line++
	}
	return ends
}

// record returns the record that was assembled and begins another.
func (s *splitter) record() Record {
	rec := Record{Line: s.begin}
	if s.long {
		rec.Err = &molecule.SyntaxError{Line: rec.Line, Column: 1,
			Reason: fmt.Sprintf("record of more than %d bytes: want a shorter one, is a line %s missing?", s.limit,
				separator)}
	} else {
		rec.Text = string(s.text)
	}
	s.text, s.long, s.begin = s.text[:0], false, 0
	return rec
}

// molfileEnd returns the length of the molfile at the start of text, with its line M  END. Without such a line it returns
// the length of text and false.
func molfileEnd(text string) (n int, ok bool) {
	const end = "\nM  END"
	n = strings.Index(text, end)
	if n < 0 {
		return len(text), false
	}
	n += len(end)
	if i := strings.IndexByte(text[n:], '\n'); i >= 0 {
		return n + i + 1, true
	}
	return len(text), true
}

// Molfile returns the record without data.
func (r *Record) Molfile() string {
	n, _ := molfileEnd(r.Text)
	return r.Text[:n]
}

// Name returns the first line.
func (r *Record) Name() string {
	name, _, _ := strings.Cut(r.Text, "\n")
	return strings.TrimSpace(name)
}

// Fields yields the names and values of the data in order. A name is the text between < and > on a line that
// begins with >. Its value are the lines below, up to an empty line. A line of blanks ends the value only before the
// next name, as in RDKit. Fields skips data without a name and stray lines.
func (r *Record) Fields() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		n, ok := molfileEnd(r.Text)
		if !ok {
			// Some data may be there nevertheless.
			if n = strings.Index(r.Text, "\n>"); n < 0 {
				return
			}
			n++
		}
		for rest := r.Text[n:]; rest != ""; {
			var line, value string
			line, rest, _ = strings.Cut(rest, "\n")
			head, isHead := strings.CutPrefix(strings.TrimLeft(line, " \t"), ">")
			if !isHead {
				continue
			}
			_, name, _ := strings.Cut(head, "<")
			name, _, named := strings.Cut(name, ">")
			value, rest = cutValue(rest)
			if named && name != "" && !yield(name, value) {
				return
			}
		}
	}
}

// cutValue returns the value at the start of text, its lines joined by line feeds, and the rest after the line that ends
// it: an empty line, or a line of blanks before the next name. Blank lines at the end do not belong to the value.
func cutValue(text string) (value, rest string) {
	size := 0 // of the value
	for rest = text; rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		line = strings.TrimSuffix(line, "\r")
		blank := strings.TrimSpace(line) == ""
		if line == "" || blank && beginsData(rest) {
			break
		}
		if !blank {
			size = len(text) - len(rest)
		}
	}
	value = strings.TrimSuffix(strings.TrimSuffix(text[:size], "\n"), "\r")
	return strings.ReplaceAll(value, "\r\n", "\n"), rest
}

// beginsData reports whether text begins with the line that names a data item.
func beginsData(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return strings.HasPrefix(line, ">") && strings.Contains(line, "<")
}
