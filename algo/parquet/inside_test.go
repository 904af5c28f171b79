package parquet

import (
	"errors"
	"testing"
)

// Blocks of Snappy by hand: a letter, and its copy, in each of three forms, at the very end.
func TestSnappyByHand(t *testing.T) {
	for block, want := range map[string]error{
		"\x08\x00a\x0d\x01": nil, "\x08\x00a\x1a\x01\x00": nil, "\x08\x00a\x1b\x01\x00\x00\x00": nil, "\x08\x1caaaaaaaa": nil, // a copy of 7, or all
		"\x08\x00a\x0d": errCorrupt, "\x08\x00a\x1a\x01": errCorrupt, "\x08\x00a\x1b\x01\x00\x00": errCorrupt, // cut
		"\x08\x00a\x0d\x00": errCorrupt, "\x08\x00a\x0d\x02": errCorrupt, // from nowhere
		"\x08\x00a\x09\x01": errCorrupt, "\x08\x00a\x11\x01": errCorrupt, "\x09\x00a\x0d\x01": errCorrupt, "\x08\x20aaaaaaaa": errCorrupt, // of another size
	} {
		dst := make([]byte, 8)
		if err := unsnappy(dst, []byte(block)); !errors.Is(err, want) || err == nil && string(dst) != "aaaaaaaa" {
			t.Errorf("%q gives %q, %v, want %v", block, dst, err, want)
		}
	}
}

// Packed truths end with their bytes, whatever number the page says.
func TestTruthsEnd(t *testing.T) {
	packed := &truths{packed: []byte{0b101}}
	for i := range 9 {
		if value, err := packed.next(); (err == errValues) != (i == 8) || err == nil && value[0] != 0b101>>i&1 {
			t.Errorf("truth %d is %v, %v", i, value, err)
		}
	}
}

// UINT_8 to UINT_64 are the converted types 11 to 14 of the format.
func TestUnsigned(t *testing.T) {
	for converted := range 20 {
		e := readElement(&reader{left: record{{4, "a"}, {6, converted}}.append(nil)})
		if want := converted >= 11 && converted < 15; e.unsigned != want {
			t.Errorf("type %d is unsigned: %t, want %t", converted, e.unsigned, want)
		}
	}
}
