package xlsx

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// texts holds the shared strings, which cells refer to by number.
type texts struct {
	all  []byte
	ends []uint32
	most int // bytes
}

// add reads the text at a tag si, and ignores other tags. It fails if the texts and ends have more than most bytes.
func (t *texts) add(x *xmlReader) (err error) {
	if x.starts("si") {
		t.all, err = appendText(t.all, x, t.most-4*len(t.ends))
		t.ends = append(t.ends, uint32(len(t.all)))
	}
	return err
}

// at returns the text with a number, written in decimals. It fails if there is none.
func (t *texts) at(number []byte) ([]byte, error) {
	i, err := strconv.Atoi(string(number))
	if err != nil || i < 0 || i >= len(t.ends) {
		return nil, fmt.Errorf("text %q of %d shared ones", number, len(t.ends))
	}
	from := uint32(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	return t.all[from:t.ends[i]], nil
}

// appendText appends the text of the element that x is at, plain or in runs of different looks, and moves x to its end. It
// leaves out how the text is pronounced (rPh), and fails if the result has more than most bytes.
func appendText(text []byte, x *xmlReader, most int) ([]byte, error) {
	pronounced := false
	for depth := x.depth; x.depth >= depth; {
		if err := x.next(); err != nil {
			return text, err
		}
		if string(x.name) == "rPh" {
			pronounced = !x.end
		}
		if x.ends("t") && !pronounced {
			text = append(text, unescapeUnits(x.text)...)
		}
		if len(text) > most {
			return text, errors.New("too much text for a workbook of its size: save it as CSV and give that")
		}
	}
	return text, nil
}

// unescapeUnits replaces, in place, _x000D_ and the like: units of UTF-16 that XML cannot hold (ST_Xstring).
func unescapeUnits(text []byte) []byte {
	const size = len("_x000D_")
	out := text[:0]
	for i := 0; i < len(text); i++ {
		if c := text[i:]; c[0] == '_' && len(c) >= size && c[1] == 'x' && c[size-1] == '_' {
			if unit, err := strconv.ParseUint(string(c[2:size-1]), 16, 16); err == nil {
				out = utf8.AppendRune(out, rune(unit))
				i += size - 1
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
}
