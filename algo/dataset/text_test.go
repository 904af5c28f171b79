package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"baca/algo/internal/must"
)

// naiveText is what NewText makes of a text that is not compressed. It is false for what
// is, or breaks off within a character.
func naiveText(text string) (string, bool) {
	if strings.HasPrefix(text, string(gzipMagic)) || len(text) >= 4 && compressionOf([]byte(text[:4])) != nil {
		return "", false
	}
	var order binary.ByteOrder
	switch {
	case strings.HasPrefix(text, "\xff\xfe"):
		order = binary.LittleEndian
	case strings.HasPrefix(text, "\xfe\xff"):
		order = binary.BigEndian
	}
	if order == nil {
		text = strings.TrimPrefix(text, string(byteOrderMark))
	} else {
		if len(text)%2 > 0 {
			return "", false
		}
		units := make([]uint16, len(text)/2)
		for i := range units {
			units[i] = order.Uint16([]byte(text[2*i:]))
		}
		text = string(utf16.Decode(units[1:]))
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), true
}

// inUTF16 is text behind a byte order mark.
func inUTF16(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// Records come with the same places, whatever ends the lines and however characters are written.
func TestTextsAlike(t *testing.T) {
	for _, test := range []struct {
		name, text string
	}{
		{"f.smi", "C methane\nN\U0001f600 \u00e4\n\nC1CC ring\nO\n"},
		{"f.csv", "id,smiles\n1,C\n\n\"2\n3\",N\n4,\"O\"\n5,\"S\"x\n\"\n6,(\n7"},
		{"f.sdf", molBlock("a", "C") + "> <id>\n7\n\n$$$$\n" + molBlock("b", "Xx") + "$$$$\n" + molBlock("c", "N")},
	} {
		want := list(strings.NewReader(test.text), Options{Name: test.name})
		if len(want) < 3 {
			t.Fatalf("%s: %q", test.name, want)
		}
		mixed := strings.Split(test.text, "\n")
		for i := range mixed[1:] { // no LF behind a CR, which would be one end
			mixed[i] += []string{"\n", "\r", "\r\n"}[(i/2)%3]
		}
		for how, text := range map[string]string{
			"CR": strings.ReplaceAll(test.text, "\n", "\r"), "CRLF": strings.ReplaceAll(test.text, "\n", "\r\n"), "LF, CR, CRLF": strings.Join(mixed, ""),
			"UTF-8 mark": "\ufeff" + test.text, "UTF-16LE": inUTF16(test.text, binary.LittleEndian),
			"UTF-16BE, CRLF": inUTF16(strings.ReplaceAll(test.text, "\n", "\r\n"), binary.BigEndian),
		} {
			for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), bytes.NewReader(zipped(t, text))} {
				if got := list(r, Options{Name: test.name}); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s:\n got %q\nwant %q", test.name, how, got, want)
				}
			}
		}
	}
}

// expand is a compression: each byte stands for 10 000.
func expand(r io.Reader) (io.Reader, error) {
	return &expanding{r: r}, nil
}

type expanding struct {
	r    io.Reader
	rest []byte
}

func (e *expanding) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		var one [1]byte
		if _, err := io.ReadFull(e.r, one[:]); err != nil {
			return 0, err
		}
		e.rest = bytes.Repeat([]byte("1\n"), 5000)
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// Bombs are refused before the first byte of their text, whatever contains them, and a higher
// limit lets them pass. What is short may be as uniform as it likes.
func TestBombs(t *testing.T) {
	const size = 8 << 20
	ones := strings.Repeat("1\n", size/2)
	archive := zipOf(t, packedFile{"T_A.txt", ""}, packedFile{"T_graph_indicator.txt", "1" + strings.Repeat("\n", size)})
	copied := func(data []byte) func(Unpack) (int64, error) {
		return func(u Unpack) (int64, error) {
			text, err := NewText(bytes.NewReader(data), u)
			if err != nil {
				return 0, err
			}
			return io.Copy(io.Discard, text)
		}
	}
	for name, read := range map[string]func(Unpack) (int64, error){
		"gzip":  copied(zipped(t, ones)),
		"zstd":  copied(append(zstdMagic, make([]byte, size/10_000)...)),
		"bzip2": copied(bytes.Repeat(bzipped, 50)),
		"zip": func(u Unpack) (int64, error) {
			_, err := ReadTUZip(bytes.NewReader(archive), int64(len(archive)), "", u)
			return 0, err
		},
	} {
		n, err := read(Unpack{Zstd: expand})
		var tooMuch *ExpandError
		if !errors.As(err, &tooMuch) || n > 0 {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
	}
	for name, data := range map[string][]byte{"gzip": zipped(t, ones[:freeExpand]), "bzip2": append(bzipped, bzipped...)} {
		if n, err := copied(data)(Unpack{}); n != freeExpand || err != nil {
			t.Errorf("%s of a short text: %d bytes, %v", name, n, err)
		}
	}
}

// bzipped is 512 KiB of "1\n".
var bzipped = []byte("BZh91AY&SY\xbd\x93P\xac\x03\xff\xff\xc8\x00\x00\x10 \x00 \x000\x80*i\x00\x00\x10\x00\x01\xc5\xdc\x91N\x14$/d\xd4+\x00")

// Characters of UTF-16 that need four bytes are read however little room is left for them.
func TestLongCharacters(t *testing.T) {
	want := strings.Repeat("x\U0001F9EA", 3000)
	text := must.Have(NewText(strings.NewReader(inUTF16(want, binary.LittleEndian)), Unpack{}))
	var got []byte
	for {
		head, _ := text.Peek(headSize)
		got = append(got, head[:min(len(head), 4093)]...)
		if n, err := text.Discard(4093); err != nil || n == 0 {
			break
		}
	}
	if string(got) != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}
