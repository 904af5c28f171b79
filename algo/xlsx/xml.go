package xlsx

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An xmlReader splits XML into tags and the text between them. encoding/xml takes many times as long,
// and it is most of the time of reading a workbook.
type xmlReader struct {
	in   *bufio.Reader
	open []byte // names of the open elements, each behind a slash
	root bool   // it was seen
	bad  error  // an attribute that cannot be read

	text  []byte // between the tag and the one before it
	tag   []byte
	full  []byte // name of the element
	name  []byte // without prefix
	end   bool   // the tag ends its element
	empty bool   // so does the next tag, which is not written

	attrs      []byte // not read yet
	key, value []byte // of an attribute, the name without prefix
}

const (
	maxText = 1 << 20 // bytes of a text or a tag
	maxOpen = 1 << 12 // bytes of the names of open elements
)

func newXML(r io.Reader) *xmlReader { return &xmlReader{in: bufio.NewReaderSize(r, 64<<10)} }

func (x *xmlReader) starts(name string) bool { return !x.end && string(x.name) == name }
func (x *xmlReader) ends(name string) bool   { return x.end && string(x.name) == name }

// next moves to the next tag, io.EOF behind the last one.
func (x *xmlReader) next() error {
	if x.bad != nil {
		return x.bad
	}
	x.text = x.text[:0]
	if x.empty {
		x.empty = false
		return x.close()
	}
	for {
		if err := x.readText(); err != nil {
			return err
		}
		if err := x.readTag(); err != nil {
			return unexpected(err)
		}
		switch {
		case bytes.HasPrefix(x.tag, cdata):
			x.text = append(x.text, x.tag[len(cdata):len(x.tag)-2]...)
		case x.tag[0] == '!' && !bytes.HasPrefix(x.tag, comment):
			return fmt.Errorf("XML with <%.20s: want none of this", x.tag)
		case x.tag[0] != '!' && x.tag[0] != '?':
			return x.split()
		}
	}
}

var cdata, comment = []byte("![CDATA["), []byte("!--")

// readText reads up to the next tag.
func (x *xmlReader) readText() (err error) {
	from := len(x.text)
	x.text, err = x.until(x.text, '<')
	switch {
	case err == io.EOF && len(x.open) == 0 && x.root:
		return io.EOF
	case err != nil:
		return unexpected(err)
	}
	text, err := unescape(x.text[from : len(x.text)-1])
	x.text = x.text[:from+len(text)]
	return err
}

// readTag reads a tag, without its brackets.
func (x *xmlReader) readTag() error {
	x.tag = x.tag[:0]
	for quote := byte(0); ; {
		from := len(x.tag)
		var err error
		if x.tag, err = x.until(x.tag, '>'); err != nil {
			return err
		}
		whole := false
		switch tag := x.tag[:len(x.tag)-1]; {
		case bytes.HasPrefix(tag, comment):
			whole = len(tag) >= 5 && bytes.HasSuffix(tag, []byte("--"))
		case bytes.HasPrefix(tag, cdata):
			whole = bytes.HasSuffix(tag, []byte("]]"))
		default:
			quote = quoteAfter(quote, tag[from:])
			whole = quote == 0
		}
		if whole {
			x.tag = x.tag[:len(x.tag)-1]
			if len(x.tag) == 0 {
				return errors.New("XML with <>: want a name")
			}
			return nil
		}
	}
}

// quoteAfter returns the quote that is open behind a part of a tag, or 0: it may hold a bracket.
func quoteAfter(quote byte, part []byte) byte {
	for _, c := range part {
		switch {
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return quote
}

// until appends what is left up to a byte, and the byte.
func (x *xmlReader) until(text []byte, c byte) ([]byte, error) {
	for {
		part, err := x.in.ReadSlice(c)
		text = append(text, part...)
		if len(text) > maxText {
			return text, fmt.Errorf("more than %d bytes of XML without a tag: want less", maxText)
		}
		if err != bufio.ErrBufferFull {
			return text, err
		}
	}
}

// split finds the name of a tag and checks that elements end in order.
func (x *xmlReader) split() error {
	tag := x.tag
	x.end = tag[0] == '/'
	if x.end {
		tag = tag[1:]
	} else if x.empty = tag[len(tag)-1] == '/'; x.empty {
		tag = tag[:len(tag)-1]
	}
	n := 0
	for n < len(tag) && tag[n] > ' ' {
		n++
	}
	x.full, x.attrs = tag[:n], tag[n:]
	x.name = x.full[bytes.IndexByte(x.full, ':')+1:]
	switch {
	case x.end:
		return x.close()
	case len(x.name) == 0, x.root && len(x.open) == 0, len(x.open) > maxOpen:
		return fmt.Errorf("XML with <%.20s> within %.40q: want one element, not nested as deeply", x.tag, x.open)
	}
	x.root = true
	x.open = append(append(x.open, '/'), x.full...)
	return nil
}

// close ends the element x.full.
func (x *xmlReader) close() error {
	x.end = true
	n := len(x.open) - len(x.full)
	if n < 1 || x.open[n-1] != '/' || !bytes.Equal(x.open[n:], x.full) {
		return fmt.Errorf("XML with </%.20s> within %.40q: want the end of an open element", x.full, x.open)
	}
	x.open = x.open[:n-1]
	return nil
}

// skip moves to the end of an element.
func (x *xmlReader) skip() error {
	for n := len(x.open); len(x.open) >= n; {
		if err := x.next(); err != nil {
			return err
		}
	}
	return nil
}

// attr moves to the next attribute.
func (x *xmlReader) attr() bool {
	rest := bytes.TrimLeft(x.attrs, space)
	if len(rest) == 0 {
		return false
	}
	key, rest, _ := bytes.Cut(rest, []byte("="))
	rest = bytes.TrimLeft(rest, space)
	if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') {
		if n := bytes.IndexByte(rest[1:], rest[0]); n >= 0 {
			x.key = bytes.TrimRight(key[bytes.IndexByte(key, ':')+1:], space)
			x.value, x.bad = unescape(rest[1 : 1+n])
			x.attrs = rest[n+2:]
			return x.bad == nil
		}
	}
	x.bad = fmt.Errorf("XML with attribute %.20s of <%.20s>: want a value in quotes", key, x.full)
	return false
}

const space = " \t\r\n"

// unescape replaces references to characters in place.
func unescape(text []byte) ([]byte, error) {
	from := bytes.IndexByte(text, '&')
	if from < 0 {
		return text, nil
	}
	out, rest := text[:from], text[from:]
	for len(rest) > 0 {
		if rest[0] != '&' {
			out, rest = append(out, rest[0]), rest[1:]
			continue
		}
		name, after, ok := bytes.Cut(rest[1:], []byte(";"))
		c, err := charOf(string(name))
		if !ok || err != nil {
			return nil, fmt.Errorf("XML with %.12q: want a reference to a character", rest)
		}
		out, rest = utf8.AppendRune(out, c), after
	}
	return out, nil
}

func charOf(name string) (rune, error) {
	switch name {
	case "amp":
		return '&', nil
	case "lt":
		return '<', nil
	case "gt":
		return '>', nil
	case "quot":
		return '"', nil
	case "apos":
		return '\'', nil
	}
	digits, decimal := strings.CutPrefix(name, "#")
	base := 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	if !decimal {
		return 0, strconv.ErrSyntax
	}
	n, err := strconv.ParseUint(digits, base, 21)
	return rune(n), err
}

// unexpected reports an end within an element.
func unexpected(err error) error {
	if err == io.EOF {
		return errors.New("the XML ends early, the file looks truncated")
	}
	return err
}
