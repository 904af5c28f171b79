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
	for _, text := range append(hostileLinks, "model=bbbp&alpha=0.1&by=batch&fdr=0.1&row=1&smiles=CCO+a%0AC", "domain=esol") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLink(text)
		if err != nil {
			return
		}
		again, err := ParseLink(l.Text())
		if err == nil && (fmt.Sprint(again.Lines) != fmt.Sprint(l.Lines) || again.By != l.By || again.Model != l.Model || again.Domain != l.Domain || again.Row != l.Row) {
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
		name         string
		size         int
		model, short bool
	}{
		{"a.smi", 100, false, true},
		{"A.TXT", mostText, false, true},
		{"a.smi", mostText + 1, false, false},
		{"b.csv", 10, false, false},
		{"b.smi.gz", 10, false, false},
		{"c.msgpack", 1000, true, false},
		{"c.msgpack", mostModel + 1, false, false},
	} {
		f := &File{Name: test.name, Size: test.size}
		if f.IsModel() != test.model || f.IsShort() != test.short {
			t.Errorf("%s of %d bytes: a model %v, short %v", test.name, test.size, f.IsModel(), f.IsShort())
		}
	}
}
