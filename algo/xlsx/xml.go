package xlsx

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
)

// An xmlReader splits XML into tags and the text between them. encoding/xml takes several times as long,
// which is most of the time of reading a workbook.
type xmlReader struct {
	in    *bufio.Reader
	depth int    // open elements
	open  []byte // their names, one after the other, each behind a blank
	text  []byte // between the tag and the one before it
	tag   []byte
	name  []byte // of its element, without prefix
	attrs []byte // of the tag
	end   bool   // the tag ends its element
	empty bool   // so does the next one, which is not written
}

const (
	maxText  = 1 << 20 // bytes of a text or a tag
	maxDepth = 1 << 8
)

func newXML(r io.Reader) *xmlReader { return &xmlReader{in: bufio.NewReaderSize(r, 64<<10)} }

// starts and ends report whether the tag starts or ends an element of that name.
func (x *xmlReader) starts(name string) bool { return !x.end && string(x.name) == name }
func (x *xmlReader) ends(name string) bool   { return x.end && string(x.name) == name }

// next moves to the next tag and leaves the text before it in x.text. After the last tag it returns io.EOF. For an element
// that is written as one tag, such as <v/>, the next call moves to its end.
func (x *xmlReader) next() (err error) {
	x.text = x.text[:0]
	if x.empty {
		x.empty, x.end = false, true
		x.depth--
		return nil
	}
	for {
		from := len(x.text)
		if x.text, err = x.until(x.text, '<'); err == io.EOF && x.depth == 0 {
			return io.EOF
		}
		if err == nil { // drop the bracket
			x.text = x.text[:from+copy(x.text[from:], unescape(x.text[from:len(x.text)-1]))]
			err = x.readTag()
		}
		switch {
		case err == io.EOF:
			return errors.New("the XML ends early, the file looks truncated")
		case err != nil:
			return err
		case bytes.HasPrefix(x.tag, cdata): // a part of the text
			x.text = append(x.text, x.tag[len(cdata):len(x.tag)-2]...)
		case x.tag[0] != '!' && x.tag[0] != '?': // no comment or instruction
			return x.split()
		}
	}
}

var cdata, comment = []byte("![CDATA["), []byte("!--")

// readTag reads a tag, without its brackets. Brackets may also be in quotes, in comments and in texts.
func (x *xmlReader) readTag() (err error) {
	x.tag = x.tag[:0]
	quote := byte(0)
	for whole := false; !whole; {
		from := len(x.tag)
		if x.tag, err = x.until(x.tag, '>'); err != nil {
			return err
		}
		tag := x.tag[:len(x.tag)-1]
		switch {
		case bytes.HasPrefix(tag, cdata):
			whole = bytes.HasSuffix(tag, []byte("]]"))
		case bytes.HasPrefix(tag, comment):
			whole = bytes.HasSuffix(tag[len(comment):], []byte("--"))
		case bytes.HasPrefix(tag, []byte("?")):
			whole = bytes.HasSuffix(tag[1:], []byte("?"))
		default:
			quote = quoteAfter(quote, tag[from:])
			whole = quote == 0
		}
	}
	if x.tag = x.tag[:len(x.tag)-1]; len(x.tag) == 0 {
		return errors.New("XML with <>: want a name")
	}
	return nil
}

// quoteAfter returns the quote that is open behind a part of a tag, or 0. quote is the one that is open before it, or 0.
func quoteAfter(quote byte, part []byte) byte {
	for _, c := range part {
		if quote == 0 && (c == '"' || c == '\'') {
			quote = c
		} else if c == quote {
			quote = 0
		}
	}
	return quote
}

// until reads up to the next byte c, and returns text with what it read, c included. At the end err is io.EOF. It fails if
// the result has more than maxText bytes.
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

// split sets name, attrs, end and empty from x.tag, and notes which elements are open. It fails for a tag without a name,
// for the end of an element that is not the innermost, and for too deep nesting.
func (x *xmlReader) split() error {
	tag, end := bytes.CutPrefix(x.tag, []byte("/"))
	tag, x.empty = bytes.CutSuffix(tag, []byte("/"))
	n := 0
	for n < len(tag) && tag[n] > ' ' {
		n++
	}
	x.name, x.attrs, x.end = tag[bytes.IndexByte(tag[:n], ':')+1:n], tag[n:], end
	if n == 0 || bytes.ContainsAny(tag[:n], "=<\"'/&+") || tag[0] < 'A' {
		return fmt.Errorf("XML with <%.20s>: want a name", x.tag)
	}
	if !end {
		if x.depth++; x.depth > maxDepth {
			return fmt.Errorf("XML more than %d elements deep: want less", maxDepth)
		}
		if !x.empty {
			x.open = append(append(x.open, ' '), tag[:n]...)
		}
		return nil
	}
	last := bytes.LastIndexByte(x.open, ' ')
	if x.empty || last < 0 || !bytes.Equal(x.open[last+1:], tag[:n]) {
		return fmt.Errorf("XML with <%.20s>, which ends nothing", x.tag)
	}
	x.depth, x.open = x.depth-1, x.open[:last]
	return nil
}

// attr returns an attribute of the tag, or "" if there is none. A name that begins with a colon matches any prefix.
func (x *xmlReader) attr(name string) string {
	for rest := x.attrs; ; {
		key, after, _ := bytes.Cut(rest, []byte("="))
		after = bytes.TrimSpace(after)
		if len(after) == 0 {
			return ""
		}
		var value []byte
		value, rest, _ = bytes.Cut(after[1:], after[:1]) // between two quotes
		key = bytes.TrimSpace(key)
		if string(key) == name || name[0] == ':' && bytes.HasSuffix(key, []byte(name)) {
			return string(unescape(value))
		}
	}
}

// unescape replaces references to characters, such as &amp;.
func unescape(text []byte) []byte {
	if bytes.IndexByte(text, '&') < 0 {
		return text
	}
	return []byte(html.UnescapeString(string(text)))
}
