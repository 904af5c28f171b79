package store

import (
	"fmt"
	"strings"
	"testing"
)

func TestHostileLinksAreRefused(t *testing.T) {
	for _, text := range hostileLinks {
		if l, err := ParseLink(text); err == nil {
			t.Errorf("%.40q is read as %+v", text, l)
		}
	}
}

func FuzzLink(f *testing.F) {
	for _, text := range append(hostileLinks, "model=bbbp&alpha=0.1&by=batch&fdr=0.1&row=1&smiles=CCO+a%0AC") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLink(text)
		if err != nil {
			return
		}
		again, err := ParseLink(l.Text())
		if err == nil && (fmt.Sprint(again.Lines) != fmt.Sprint(l.Lines) || again.By != l.By || again.Model != l.Model || again.Row != l.Row) {
			t.Errorf("%q is %+v, and written again %+v", text, l, again)
		}
		if len(l.Lines) > MostLink || l.Row >= len(l.Lines) || !(l.Alpha > 0 && l.Alpha <= 0.3) {
			t.Errorf("%q is %+v", text, l)
		}
	})
}

// hostileLinks are refused as a whole.
var hostileLinks = []string{
	strings.Repeat("a=b&", 3000), "smiles=%zz", "smiles=%ff", "smiles=C&smiles=C", "alpha=0&smiles=C", "alpha=NaN", "alpha=1e999", "alpha=0.31", "fdr=0.07", "by=each", "row=0&smiles=C", "row=2&smiles=C",
	"row=99999999999999999999&smiles=C", "cookie=1", ";", "alpha=0.1;fdr=0.1",
}

func TestFilesGoWhereTheyBelong(t *testing.T) {
	for _, test := range []struct {
		name string
		size int
		want FileKind
	}{
		{"a.smi", 100, ShortText},
		{"A.TXT", mostText, ShortText},
		{"a.smi", mostText + 1, InputFile},
		{"b.csv", 10, InputFile},
		{"b.smi.gz", 10, InputFile},
		{"c.msgpack", 1000, ModelFile},
		{"c.msgpack", mostModel + 1, InputFile},
	} {
		if got := (&File{Name: test.name, Size: test.size}).Kind(); got != test.want {
			t.Errorf("%s of %d bytes is of kind %d, want %d", test.name, test.size, got, test.want)
		}
	}
}
