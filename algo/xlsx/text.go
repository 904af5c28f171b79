package xlsx

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// texts are those that cells refer to by number, one after the other.
type texts struct {
	all  []byte
	ends []uint32
	most int // bytes
}

func (t *texts) add(x *xmlReader) (err error) {
	if !x.starts("si") {
		return nil
	}
	t.all, err = appendText(t.all, x, t.most-4*len(t.ends))
	t.ends = append(t.ends, uint32(len(t.all)))
	return err
}

// at returns a text.
func (t *texts) at(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	return t.all[from:t.ends[i]]
}

// appendText reads an element's text up to its end, plain or in runs of different looks, without how it
// is pronounced (rPh).
func appendText(text []byte, x *xmlReader, most int) ([]byte, error) {
	for depth := len(x.open); len(x.open) >= depth; {
		if err := x.next(); err != nil {
			return text, err
		}
		switch {
		case len(text) > most:
			return text, fmt.Errorf("more than %d bytes of text: want less", most)
		case x.ends("t"):
			text = append(text, unescapeUnits(x.text)...)
		case x.starts("rPh"):
			if err := x.skip(); err != nil {
				return text, err
			}
		}
	}
	return text, nil
}

// unescapeUnits replaces what XML cannot hold, such as _x000D_, in place (ST_Xstring). Each is a unit of
// UTF-16.
func unescapeUnits(text []byte) []byte {
	out := text[:0]
	for i := 0; i < len(text); i++ {
		unit, ok := unitAt(text[i:])
		if !ok {
			out = append(out, text[i])
			continue
		}
		if i += unitSize - 1; utf16.IsSurrogate(unit) {
			second, ok := unitAt(text[i+1:])
			if unit = utf16.DecodeRune(unit, second); ok && unit != utf8.RuneError {
				i += unitSize
			}
		}
		out = utf8.AppendRune(out, unit)
	}
	return out
}

const unitSize = len("_x000D_")

func unitAt(text []byte) (rune, bool) {
	if len(text) < unitSize || text[0] != '_' || text[1] != 'x' || text[unitSize-1] != '_' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:unitSize-1]), 16, 16)
	return rune(n), err == nil
}
