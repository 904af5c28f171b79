package dataset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// eachInDocument calls visit for each object of a document, which begins at a column. It refuses a damaged object and
// continues at the next one. Other damage is returned as an error after everything is read.
func (s *scanner) eachInDocument(column int, visit visitor) error {
	depth := 0             // of lists
	var stray, first error // damage since the last object, and the first damage of the document
	for !s.stopped && s.has(0) {
		size, sound := 1, true // bytes to consume below; passDamage consumes what is not sound
		switch c := s.at(0); c {
		case '{':
			first, stray = cmp.Or(first, stray), nil
			if size, sound = s.objectSize(); !sound {
				column, depth = s.passDamage(size, column, depth, nil)
				break
			}
			object := s.bytes(0, size)
			at, err := visit(object, column)
			if err != nil && repeats(object) > 0 { // further records are within: a bracket is missing
				lines, place := locate(object, column, at)
				column, depth = s.passDamage(at, column, depth, syntaxError(s.line+lines, place, err))
				sound = false
			} else if err != nil {
				s.refuseAt(object, column, at, err)
			}
		case '[':
			depth++
		case ',', ' ', '\t', '\n':
		default:
			if c == ']' && depth > 0 {
				depth--
				break
			}
			stray = cmp.Or(stray, error(syntaxError(s.line, column, fmt.Errorf("found %s: want an object in a list", clip([]byte{c})))))
			if sound = c != '"'; !sound { // the rest of an object
				column, depth = s.passDamage(0, column, depth, stray)
				stray = nil
			}
		}
		if sound {
			lines, next := locate(s.bytes(0, size), column, size)
			column = next
			s.consume(size, s.line+lines)
		}
	}
	if first = cmp.Or(first, stray); first == nil && depth > 0 && !s.stopped && s.broken() == nil {
		return syntaxError(s.line, column, errors.New("the document ends early, the file looks truncated"))
	}
	return first
}

// passDamage refuses the object at hand, which is damaged at offset at, and moves to the next object. reason is the
// refusal's error; if it is nil, package json finds it. passDamage returns the column and the depth at which reading
// resumes. The depth is 0 if the text ends after the end of a list. It does not refuse an object that the end of the
// text cuts off: the depth is then one more, so that the caller reports that the document ends early.
func (s *scanner) passDamage(at, column, depth int, reason error) (int, int) {
	begin, from := s.line, 1
	bad := s.has(at) // not only cut off by the end of the text
	refusal, _ := reason.(*SyntaxError)
	switch {
	case !bad && s.err == nil: // the window is full
		bad, from, refusal = true, at, s.tooLong(begin)
	case refusal == nil:
		from = max(s.texts, 1) // the text before the damage may hold the next object's beginning
		offset, err := jsonError(json.Unmarshal(s.bytes(0, min(at+1, s.end-s.pos)), new(json.RawMessage)))
		lines, place := locate(s.bytes(0, s.end-s.pos), column, min(offset, at))
		refusal = syntaxError(begin+lines, place, err)
	}
	column, within, last, resumed := s.resume(from, column)
	if resumed {
		refusal.Err = fmt.Errorf("%w; reading resumes on line %d, column %d", refusal.Err, s.line, column)
	} else if s.broken() != nil || !bad {
		return column, depth + 1
	} else if last == ']' {
		depth = 0
	}
	if within > 0 {
		refusal.Err = fmt.Errorf("%w; about %d objects are within the damage", refusal.Err, within)
	}
	s.refuse(begin, refusal)
	return column, depth
}

// resume consumes the text after a damaged object up to the place where the next object seems to begin. There is a {
// with a first key. It must not be the value of a key, unless it is on a line of its own. It must be at the depth of
// the damaged object, or have the first key of that object or of the first objects of the text. It must also be at
// least from bytes away, or be on a line of its own with the first key of the damaged object.
//
// resume returns the column there, the number of objects that it passed, the last character before that place or
// before the end, and whether it found an object.
func (s *scanner) resume(from, column int) (at, within int, last byte, resumed bool) {
	own, level := s.firstKey(), 0 // of the damaged object, and how deep the text is below its start
	indent := false               // only blanks precede on the line
	for n := 0; s.has(0); n++ {
		c, line := s.at(0), s.line
		if c == '{' && n > 0 && (last != ':' || indent) {
			key := s.firstKey()
			unknown := own == "" && len(s.firsts) == 0 // nothing tells how objects begin
			alike := level <= 0 || s.firsts[key] || key == own || unknown
			if key != "" && alike && (n >= from || indent && key == own) {
				return column, within, last, true
			}
			within++
		}
		switch c {
		case '{', '[':
			level++
		case '}', ']':
			level--
		}
		switch column++; c {
		case '\n':
			line, column, indent = line+1, 1, true
		case ' ', '\t':
		default:
			last, indent = c, false
		}
		s.consume(1, line)
	}
	return column, within, last, false
}

// repeats counts the objects within object that begin a line with the same key as object. Where a bracket is missing,
// they are further records.
func repeats(object []byte) (n int) {
	own := firstKey(object)
	for rest := object; own != ""; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			break
		}
		rest = bytes.TrimLeft(rest[i:], blanks+"\n")
		if firstKey(rest) == own {
			n++
		}
	}
	return n
}

// firstKey returns the first key of the object at hand.
func (s *scanner) firstKey() string {
	s.has(longestID)
	return firstKey(s.bytes(0, s.end-s.pos))
}

// firstKey returns the first key of an object, which may lack a quote. It returns "" if there is none.
func firstKey(object []byte) string {
	if key := firstKeys.FindSubmatch(object[:min(len(object), longestID)]); key != nil {
		return string(key[1]) + string(key[2])
	}
	return ""
}

// firstKeys matches { and the first key: one in quotes, or one without one or both quotes.
var firstKeys = regexp.MustCompile(`^\{[ \t\n]*(?:"((?:[^"\\\n]|\\.)+)"|"?([^":\n{}\[\],]+)"?)[ \t\n]*:`)

// objectSize returns the size in bytes of the object that begins here. If sound is false, the object is damaged, too long
// or cut off at offset size. s.texts is then where the last text before that begins, or 0.
func (s *scanner) objectSize() (size int, sound bool) {
	var j syntax
	s.texts = 0
	for size = 0; s.has(size); size++ {
		c := s.at(size)
		if !j.fits(c) {
			return size, false
		}
		before := j.quoted
		switch j.next(c); {
		case j.quoted && !before:
			s.texts = size + 1
		case len(j.open) == 0:
			return size + 1, true
		}
	}
	return size, false
}

// A syntax is what a byte of JSON is enclosed in.
type syntax struct {
	open            []byte // [ for a list, { for an object before a key, : for an object before a value
	last            byte   // the last byte outside of texts other than blanks; 0 at first
	quoted, escaped bool
}

// next takes a byte, and reports whether it is outside of texts. Quotes belong to the text.
func (j *syntax) next(c byte) bool {
	switch {
	case j.escaped:
		j.escaped = false
	case j.quoted:
		j.quoted, j.escaped = c != '"', c == '\\'
	default:
		switch c {
		case ' ', '\t', '\n':
			return true
		case '{', '[':
			j.open = append(j.open, c)
		case '}', ']':
			j.open = j.open[:max(len(j.open)-1, 0)]
		case ':':
			j.turn('{', ':')
		case ',':
			j.turn(':', '{')
		}
		j.last, j.quoted = c, c == '"'
		return !j.quoted
	}
	return false
}

// turn makes the innermost element of open, if it is from, into to.
func (j *syntax) turn(from, to byte) {
	if n := len(j.open); n > 0 && j.open[n-1] == from {
		j.open[n-1] = to
	}
}

// fits reports whether a byte may come next, as far as texts and brackets tell. Soon after a missing quote or
// bracket, a byte does not fit.
func (j *syntax) fits(c byte) bool {
	if j.quoted {
		return c >= ' '
	}
	within := byte('[')
	if n := len(j.open); n > 0 {
		within = j.open[n-1]
	}
	value := strings.IndexByte("{[,:\x00", j.last) < 0 // a value comes before the byte
	switch c {
	case ' ', '\t', '\n':
		return true
	case '"':
		return !value
	case '{', '[':
		return !value && within != '{'
	case '}':
		return value && within == ':' || j.last == '{'
	case ']':
		return (value || j.last == '[') && within == '['
	case ':':
		return j.last == '"' && within == '{'
	case ',':
		return value && within != '{'
	}
	return within != '{' && strings.IndexByte("\"}]", j.last) < 0
}
