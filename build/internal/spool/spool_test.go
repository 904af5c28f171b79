package spool

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

// What is written comes back, in memory and beyond, from any place, and no file is left behind.
func TestSpool(t *testing.T) {
	for _, pieces := range [][]string{nil, {"abc"}, {"abcdefgh"}, {"abcdefghi"}, {"abcd", "", "efgh"}, {"abcd", "efghi", "j"}, {strings.Repeat("x", 100), "y"}} {
		s := &Spool{Memory: 8, Folder: t.TempDir()}
		for _, text := range pieces {
			if n, err := io.WriteString(s, text); n != len(text) || err != nil {
				t.Fatalf("%q: %d bytes, %v", pieces, n, err)
			}
		}
		want := strings.Join(pieces, "")
		got, err := io.ReadAll(s.Reader())
		if string(got) != want || err != nil || s.Size() != int64(len(want)) || (s.file != nil) != (len(want) > 8) {
			t.Errorf("%q: %q of %d bytes, %v; file %v", pieces, got, s.Size(), err, s.file)
		}
		if len(want) > 2 {
			b := make([]byte, 2)
			if n, err := s.ReadAt(b, int64(len(want)-2)); n != 2 || err != nil && err != io.EOF || !bytes.HasSuffix(got, b) {
				t.Errorf("%q: the end is %q, %v", pieces, b, err)
			}
		}
		s.Close()
		if left, err := os.ReadDir(s.Folder); err != nil || len(left) > 0 {
			t.Errorf("%q: %v is left behind, %v", pieces, left, err)
		}
	}
	if _, err := (&Spool{Folder: "/nothere"}).Write([]byte("x")); err == nil {
		t.Error("no folder for the file: no error")
	}
}
