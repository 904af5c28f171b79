package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"baca/algo/internal/lists"
	"baca/algo/parquet"
)

// A Text is decompressed UTF-8 without a byte order mark. All line ends are line feeds. Parquet stays as it is.
type Text struct {
	*bufio.Reader
	parquet bool
	meter   *meter
	file    string                // its name in an archive
	more    func() (*Text, error) // the next file of the archive; nil without an archive
}

// NewText returns the text of r, which may be compressed by gzip, bzip2, zstd or xz, and be in UTF-16. For a zip or tar
// archive it returns the first file of molecules or graphs, but a TUDataset archive stays as it is. It returns an error
// for other files that it recognises, such as pictures. If r is a *Text, it returns r.
func NewText(r io.Reader, u Unpack) (*Text, error) {
	if t, ok := r.(*Text); ok {
		return t, nil
	}
	if u.meter == nil {
		u.meter = &meter{stop: u.stop}
		r = &counter{r, u.meter}
	}
	unpacked, packed, err := u.text(r)
	if err != nil {
		return nil, err
	}
	front := bufio.NewReader(&steady{r: unpacked})
	head, _ := front.Peek(512)
	switch {
	case u.sheet != "" && !beginsZip(head):
		return nil, fmt.Errorf("sheet %s of what is no Excel workbook: name none", clip(u.sheet))
	case beginsZip(head) && (packed || u.archive), beginsTar(head) && u.archive:
		return nil, errTwice
	case beginsTar(head):
		return openTar(front, &u).text(u)
	case beginsZip(head):
		return u.zipText(front)
	}
	return u.plainText(front)
}

// zipText is NewText of a zip archive, see openZip.
func (u Unpack) zipText(r *bufio.Reader) (*Text, error) {
	list, plain, err := openZip(r, &u)
	switch {
	case list != nil:
		return list.text(u)
	case plain == nil:
		return nil, err
	}
	t, foreign := u.plainText(bufio.NewReader(&steady{r: plain}))
	return t, cmp.Or(foreign, err)
}

// plainText is NewText for uncompressed text and Parquet.
func (u Unpack) plainText(front *bufio.Reader) (*Text, error) {
	if head, _ := front.Peek(len(parquet.Magic)); beginsParquet(head) {
		return &Text{Reader: bufio.NewReaderSize(front, headSize), meter: u.meter, parquet: true}, nil
	}
	plain, err := decode(front)
	if err != nil {
		return nil, err
	}
	t := &Text{Reader: bufio.NewReaderSize(&lineFeeds{r: plain}, headSize), meter: u.meter}
	return t, foreign(t)
}

// decode returns r without a byte order mark, and UTF-16 as UTF-8. It fails for compressed data.
func decode(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(longestMagic)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case compressionOf(head) != nil:
		return nil, errTwice // Unpack.text has removed one layer already
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		b.Discard(2)
		return bufio.NewReader(&utf16Text{b, binary.LittleEndian}), nil
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		b.Discard(2)
		return bufio.NewReader(&utf16Text{b, binary.BigEndian}), nil
	case bytes.HasPrefix(head, byteOrderMark):
		b.Discard(len(byteOrderMark))
	}
	return b, nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// A steady reader repeats its error, so that looking ahead does not hide it from later reads.
type steady struct {
	r   io.Reader
	err error
}

// Read reads from r. After an error, every further call returns the error again.
func (s *steady) Read(p []byte) (n int, err error) {
	if s.err == nil {
		n, s.err = s.r.Read(p)
	}
	return n, s.err
}

// nameOf returns a name or a cell in UTF-8. Other bytes are read as Windows-1252, which includes Latin-1.
func nameOf(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	return string(lists.Map(text, func(c byte) rune {
		if 0x80 <= c && c < 0xa0 {
			return windows1252[c-0x80]
		}
		return rune(c)
	}))
}

// windows1252 has the characters from 0x80 to 0x9f.
var windows1252 = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

// A utf16Text reads UTF-16 as UTF-8. Lone surrogates become U+FFFD.
type utf16Text struct {
	r     *bufio.Reader
	order binary.ByteOrder
}

// Read reads at least one character, and further ones while p has room and they are in the buffer. p must have room for
// one, as a bufio.Reader's buffer has.
func (u *utf16Text) Read(p []byte) (n int, err error) {
	for {
		c, err := u.char()
		if err != nil {
			return n, err
		}
		n += utf8.EncodeRune(p[n:], c)
		if n+utf8.UTFMax > len(p) || u.r.Buffered() < 2 {
			return n, nil
		}
	}
}

// char returns the next character. Half of a surrogate pair becomes utf8.RuneError.
func (u *utf16Text) char() (rune, error) {
	var b [2]byte
	if _, err := io.ReadFull(u.r, b[:]); err == io.ErrUnexpectedEOF {
		return 0, fmt.Errorf("text in UTF-16 ends within a character, the file looks truncated: %w", err)
	} else if err != nil {
		return 0, err
	}
	c := rune(u.order.Uint16(b[:]))
	if !utf16.IsSurrogate(c) {
		return c, nil
	}
	second := utf8.RuneError
	if next, _ := u.r.Peek(2); len(next) == 2 {
		second = rune(u.order.Uint16(next))
	}
	if c = utf16.DecodeRune(c, second); c != utf8.RuneError {
		u.r.Discard(2)
	}
	return c, nil
}

// lineFeeds turns every line end into a line feed. It drops only the second byte of one, so lines and columns stay.
type lineFeeds struct {
	r        io.Reader
	returned bool  // the last byte was a carriage return
	err      error // of r, permanent
}

// Read reads text, with a line feed for every line end.
func (l *lineFeeds) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(p)
	l.err = err
	return l.convert(p[:n]), err
}

// convert replaces each carriage return in p, with a line feed after it or without, by a line feed, and returns the new
// length. l.returned keeps whether p ended in a carriage return, whose line feed may come in the next call.
func (l *lineFeeds) convert(p []byte) int {
	n, rest := 0, p
	for len(rest) > 0 {
		if l.returned && rest[0] == '\n' {
			rest = rest[1:]
		}
		i := bytes.IndexByte(rest, '\r')
		if l.returned = i >= 0; !l.returned {
			if n+len(rest) == len(p) {
				return len(p) // most texts: unchanged
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
