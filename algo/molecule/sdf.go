package molecule

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"
)

// MaxRecord is the longest record of an SDF file accepted, in bytes: a molfile of at
// most [MaxMolfile] and its data.
const MaxRecord = 16 << 20

// A Record is one record of an SDF file: a molfile, and data that belong to it.
type Record struct {
	Line int    // on which it begins, from 1
	Text string // without the line $$$$; empty if the record is refused

	// Err says why the record is refused before it is parsed: a *SyntaxError.
	Err error
}

// SDF yields the records of r in order, not parsed, so that several goroutines can
// call [Record.Parse]. A record ends with a line that begins with $$$$, the last one
// may end with the text. Records that are longer than [MaxRecord] are refused, and
// reading goes on behind them. Memory does not depend on the length of the text.
// The sequence can be used once; if r fails, the last pair has an error instead of a
// record.
func SDF(r io.Reader) iter.Seq2[Record, error] { return splitSDF(r, MaxRecord) }

// separator is how the last line of a record begins.
const separator = "$$$$"

func splitSDF(r io.Reader, limit int) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		s := splitter{r: r, limit: limit, buf: make([]byte, min(64<<10, limit+len(separator)+1)), line: 1}
		for {
			rec, ok := s.next()
			if !ok {
				break
			}
			if !yield(rec, nil) {
				return
			}
		}
		if s.err != io.EOF {
			yield(Record{}, fmt.Errorf("line %d: %w", s.line, s.err))
		}
	}
}

// A splitter holds the part buf[lo:hi] of a text, which begins a line.
type splitter struct {
	r      io.Reader
	limit  int
	buf    []byte
	lo, hi int
	line   int   // of buf[lo]
	err    error // of r, for good
}

// more reads on. It is false where r has nothing more or the buffer is full and as
// large as it may be.
func (s *splitter) more() bool {
	if s.err != nil {
		return false
	}
	if s.hi == len(s.buf) {
		most := s.limit + len(separator) + 1
		switch {
		case s.lo > 0:
			copy(s.buf, s.buf[s.lo:s.hi])
			s.lo, s.hi = 0, s.hi-s.lo
		case len(s.buf) < most:
			grown := make([]byte, min(2*len(s.buf), most))
			copy(grown, s.buf)
			s.buf = grown
		default:
			return false
		}
	}
	for range 100 {
		n, err := s.r.Read(s.buf[s.hi:])
		s.hi += n
		s.err = err
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// find returns the distance from lo to the line that ends the record. It is false if
// the text ends or breaks before, or the record is too long.
func (s *splitter) find() (int, bool) {
	for from := 0; ; {
		if i := bytes.Index(s.buf[s.lo+from:s.hi], []byte(separator)); i >= 0 {
			from += i
			if from == 0 || s.buf[s.lo+from-1] == '\n' {
				return from, from <= s.limit
			}
			from++
			continue
		}
		// The separator may be cut off.
		from = max(from, s.hi-s.lo-len(separator)+1)
		if !s.more() {
			return s.hi - s.lo, false
		}
	}
}

// skip consumes n bytes and the rest of the line behind them.
func (s *splitter) skip(n int) {
	s.line += bytes.Count(s.buf[s.lo:s.lo+n], []byte("\n"))
	s.lo += n
	for {
		if i := bytes.IndexByte(s.buf[s.lo:s.hi], '\n'); i >= 0 {
			s.lo += i + 1
			s.line++
			return
		}
		s.lo = s.hi
		if !s.more() {
			return
		}
	}
}

// next returns the next record.
func (s *splitter) next() (rec Record, ok bool) {
	rec.Line = s.line
	n, found := s.find()
	if found {
		rec.Text = string(s.buf[s.lo : s.lo+n])
		s.skip(n)
		return rec, true
	}
	if n <= s.limit {
		// What lies before an error may be a part of a record.
		if s.err != io.EOF || len(bytes.TrimSpace(s.buf[s.lo:s.hi])) == 0 {
			return rec, false
		}
		rec.Text = string(s.buf[s.lo:s.hi])
		s.lo = s.hi
		return rec, true
	}
	rec.Err = &SyntaxError{Line: rec.Line, Column: 1, Reason: fmt.Sprintf("record of more than %d bytes: want a shorter one, is a line %s missing?", s.limit, separator)}
	// Line after line up to the next separator.
	for s.lo < s.hi || s.more() {
		for s.hi-s.lo < len(separator) && s.more() {
		}
		last := bytes.HasPrefix(s.buf[s.lo:s.hi], []byte(separator))
		s.skip(0)
		if last {
			break
		}
	}
	return rec, true
}

// molfileEnd returns the length of the molfile that text begins with, its line
// M  END included, and the same without one if there is none.
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

// Parse returns the molecule of the record, as [ParseMol] does. The lines of errors
// are counted from the beginning of the SDF file.
func (r *Record) Parse() (*Molecule, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	m, err := ParseMol(r.Text)
	if e, ok := err.(*SyntaxError); ok {
		e.Line += r.Line - 1
	}
	return m, err
}

// Molfile returns the molfile of the record, without the data.
func (r *Record) Molfile() string {
	n, _ := molfileEnd(r.Text)
	return r.Text[:n]
}

// Name returns the first line of the record, which is the name of the molecule.
func (r *Record) Name() string {
	name, _, _ := strings.Cut(r.Text, "\n")
	return strings.TrimSpace(name)
}

// Fields yields the names and values of the data of the record in order: what stands
// between < and > on a line that begins with >, and the lines below it up to an empty
// one, joined by line feeds. Data without a name and lines that are no data are
// skipped.
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
		rest := r.Text[n:]
		next := func() (line string, ok bool) {
			if rest == "" {
				return "", false
			}
			line, rest, _ = strings.Cut(rest, "\n")
			return strings.TrimSuffix(line, "\r"), true
		}
		for line, ok := next(); ok; line, ok = next() {
			head, isHead := strings.CutPrefix(strings.TrimLeft(line, " \t"), ">")
			if !isHead {
				continue
			}
			_, name, _ := strings.Cut(head, "<")
			name, _, named := strings.Cut(name, ">")
			value, size := rest, 0
			for line, ok = next(); ok && (line != "" && (line[0] == ' ' || line[0] == '\t') || trim3000(line) != ""); line, ok = next() {
				size = len(value) - len(rest)
			}
			value = strings.TrimSuffix(value[:size], "\n")
			if named && name != "" && !yield(name, strings.ReplaceAll(strings.TrimSuffix(value, "\r"), "\r\n", "\n")) {
				return
			}
		}
	}
}
