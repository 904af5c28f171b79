package dataset

import (
	"bytes"
	"io"
)

// A window shows a stretch of a text at a time. buf[pos:end] is read but not
// consumed; it holds one line or record at least, and never grows beyond max.
type window struct {
	r        io.Reader
	buf      []byte
	pos, end int
	max      int
	line     int   // the number of the line at pos, if pos begins one
	err      error // from r, io.EOF included; none is asked for more after it
}

func newWindow(r io.Reader, size, limit int) *window {
	return &window{r: r, buf: make([]byte, min(size, limit)), max: limit, line: 1}
}

// more appends to what is not consumed. It is false if r has nothing more, and
// then err is set, or if what is not consumed fills max bytes.
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
	// A reader may return nothing without an error, but not for ever.
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

// lineEnd returns the distance from pos to the first line feed at least from
// bytes away, or to the end of the text if there is none. It is false if there
// is none: the text ended or broke (err is set), or the line is too long.
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

// buffered is how much of the text behind pos is in the buffer.
func (w *window) buffered() int { return w.end - w.pos }

// reach reads until the byte i bytes from pos is in the buffer. It is false if the text has
// none within max.
func (w *window) reach(i int) bool {
	for i >= w.buffered() {
		if !w.more() {
			return false
		}
	}
	return true
}

// at returns the byte i bytes from pos, which is in the buffer.
func (w *window) at(i int) byte { return w.buf[w.pos+i] }

// bytes returns what lies from to to bytes from pos.
func (w *window) bytes(from, to int) []byte { return w.buf[w.pos+from : w.pos+to] }

// consume moves pos by n bytes and to the given line.
func (w *window) consume(n, line int) {
	w.pos += n
	w.line = line
}

// skipLine consumes the rest of a line of any length, which begins from bytes
// from pos, and makes the line after it number line.
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

// broken returns the error that ended the text early, if one did.
func (w *window) broken() error {
	if w.err == io.EOF {
		return nil
	}
	return w.err
}

// Read consumes bytes, for readers that keep a window of their own.
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
