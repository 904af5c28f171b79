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
