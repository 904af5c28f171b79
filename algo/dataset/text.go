package dataset

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// A Text is decompressed, in UTF-8 without a byte order mark, and its lines end in line
// feeds alone, whatever they ended in before: line feeds, carriage returns, or both.
type Text struct{ *bufio.Reader }

// NewText returns the text of r, which may be compressed by gzip or zstd and, if it begins
// with a byte order mark, be in UTF-16. A *Text it returns as it is.
func NewText(r io.Reader, u Unpack) (*Text, error) {
	if t, ok := r.(*Text); ok {
		return t, nil
	}
	unpacked, err := u.text(r)
	if err != nil {
		return nil, err
	}
	plain, err := decode(unpacked)
	if err != nil {
		return nil, err
	}
	return &Text{bufio.NewReaderSize(&lineFeeds{r: plain}, headSize)}, nil
}

// isZip tells whether t is no text but a zip archive.
func (t *Text) isZip() bool {
	head, _ := t.Peek(len(zipMagic))
	return bytes.Equal(head, zipMagic)
}

// decode returns r in UTF-8, without a byte order mark.
func decode(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, gzipMagic), isZstd(head):
		// Not at its beginning, so it was compressed to begin with.
		return nil, errTwice
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		b.Discard(2)
		return &utf16Text{r: b, order: binary.LittleEndian}, nil
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		b.Discard(2)
		return &utf16Text{r: b, order: binary.BigEndian}, nil
	case bytes.HasPrefix(head, byteOrderMark):
		b.Discard(len(byteOrderMark))
	}
	return b, nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// A utf16Text reads UTF-16 as UTF-8. Halves of surrogate pairs become U+FFFD.
type utf16Text struct {
	r     io.Reader
	order binary.ByteOrder
	in    [4 << 10]byte
	have  int    // bytes of in, not yet decoded
	out   []byte // what rest is a part of
	rest  []byte // decoded, and not yet taken
	err   error  // behind rest
}

func (u *utf16Text) Read(p []byte) (int, error) {
	if len(u.rest) == 0 && u.err == nil {
		var n int
		n, u.err = u.r.Read(u.in[u.have:])
		u.have += n
		u.decode()
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	if len(u.rest) == 0 {
		return n, u.err
	}
	return n, nil
}

// decode makes rest of the whole characters of in.
func (u *utf16Text) decode() {
	u.out = u.out[:0]
	i := 0
	for i+2 <= u.have {
		c := rune(u.order.Uint16(u.in[i:]))
		if utf16.IsSurrogate(c) {
			second := utf8.RuneError
			if i+4 <= u.have {
				second = rune(u.order.Uint16(u.in[i+2:]))
			} else if u.err == nil {
				break // it is still to come
			}
			if c = utf16.DecodeRune(c, second); c != utf8.RuneError {
				i += 2
			}
		}
		u.out = utf8.AppendRune(u.out, c)
		i += 2
	}
	u.rest = u.out
	u.have = copy(u.in[:], u.in[i:u.have])
	if u.err == io.EOF && u.have > 0 {
		u.err = fmt.Errorf("text in UTF-16 ends within a character, the file looks truncated: %w", io.ErrUnexpectedEOF)
	}
}

// lineFeeds makes a line feed of each line end. Since it drops only the second byte of
// one, places in the text keep their lines and columns.
type lineFeeds struct {
	r        io.Reader
	returned bool  // the last byte was a carriage return
	err      error // of r, for good
}

func (l *lineFeeds) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(p)
	l.err = err
	return l.convert(p[:n]), err
}

// convert changes p and returns how much of it is left.
func (l *lineFeeds) convert(p []byte) int {
	n, rest := 0, p
	for len(rest) > 0 {
		if l.returned && rest[0] == '\n' {
			rest = rest[1:]
		}
		i := bytes.IndexByte(rest, '\r')
		if l.returned = i >= 0; !l.returned {
			if n+len(rest) == len(p) {
				return len(p) // most texts: nothing has moved
			}
			return n + copy(p[n:], rest)
		}
		n += copy(p[n:], rest[:i])
		p[n] = '\n'
		n++
		rest = rest[i+1:]
	}
	return n
}
