package dataset

import (
	"bytes"
	"io"
)

// A window shows part of a text. buf[pos:end] is read but not consumed. It grows to hold a line or record, up to max
// bytes.
type window struct {
	r        io.Reader
	buf      []byte
	pos, end int
	max      int
	line     int   // the number of the line that begins at pos
	err      error // final error of r, which may be io.EOF
}

// newWindow returns a window on r whose buffer grows from size to at most limit bytes.
func newWindow(r io.Reader, size, limit int) *window {
	return &window{r: r, buf: make([]byte, min(size, limit)), max: limit, line: 1}
}

// more appends to the unconsumed text. It returns false if r has ended, so that err is set, or if max bytes are unconsumed.
func (w *window) more() bool {
	if w.err != nil {
		return false
	}
	if w.end == len(w.buf) {
		switch {
		case w.pos > 0:
			w.end = copy(w.buf, w.buf[w.pos:w.end])
			w.pos = 0
		case len(w.buf) < w.max:
			grown := make([]byte, min(2*len(w.buf), w.max))
			copy(grown, w.buf)
			w.buf = grown
		default:
			return false
		}
	}
	// Bounds empty reads without an error.
	for range 100 {
		n, err := w.r.Read(w.buf[w.end:])
		w.end += n
		w.err = err
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	w.err = io.ErrNoProgress
	return false
}

// lineEnd returns the distance from pos to the first line feed that is at least from bytes away. If there is none, it
// returns the distance to the end of the text and false: err is set, or the line is too long.
func (w *window) lineEnd(from int) (int, bool) {
	for {
		if i := bytes.IndexByte(w.buf[w.pos+from:w.end], '\n'); i >= 0 {
			return from + i, true
		}
		from = w.end - w.pos
		if !w.more() {
			return from, false
		}
	}
}

// eachLine calls visit with each line, without its line feed, until visit returns false. For a line that is too long,
// visit gets the beginning, and whole is false.
func (w *window) eachLine(visit func(line []byte, whole bool) bool) {
	for again := true; again; {
		n, ended := w.lineEnd(0)
		whole := ended || w.err != nil
		// Text before an error may be an incomplete line.
		if !ended && whole && (w.broken() != nil || n == 0) {
			return
		}
		again = visit(w.bytes(0, n), whole)
		switch {
		case !whole:
			w.skipLine(n, w.line+1)
		case ended:
			w.consume(n+1, w.line+1)
		default:
			w.consume(n, w.line)
		}
	}
}

// has reports whether there is a byte i bytes after pos. If not, err is set, or i is beyond max.
func (w *window) has(i int) bool {
	for w.pos+i >= w.end {
		if !w.more() {
			return false
		}
	}
	return true
}

// at returns the byte i bytes after pos, which must exist.
func (w *window) at(i int) byte { return w.buf[w.pos+i] }

// bytes returns a range of the text, relative to pos. It is valid until more text is read.
func (w *window) bytes(from, to int) []byte { return w.buf[w.pos+from : w.pos+to] }

// consume moves pos by n bytes. line is the number of the line there.
func (w *window) consume(n, line int) {
	w.pos += n
	w.line = line
}

// skipLine consumes the text up to the first line feed that is at least from bytes after pos, however far that is, or all
// text if there is none. line is the number of the next line.
func (w *window) skipLine(from, line int) {
	w.pos += from
	for {
		if i := bytes.IndexByte(w.buf[w.pos:w.end], '\n'); i >= 0 {
			w.consume(i+1, line)
			return
		}
		w.pos = w.end
		if !w.more() {
			return
		}
	}
}

// broken returns the error that ended the text early, if any.
func (w *window) broken() error {
	if w.err == io.EOF {
		return nil
	}
	return w.err
}

// Read reads the rest of the buffer, then what follows it.
func (w *window) Read(p []byte) (int, error) {
	if w.pos == w.end {
		if w.err != nil {
			return 0, w.err
		}
		n, err := w.r.Read(p)
		w.err = err
		return n, err
	}
	n := copy(p, w.buf[w.pos:w.end])
	w.pos += n
	return n, nil
}
