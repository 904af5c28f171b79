package smarts

import (
	"encoding/csv"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

func molecules(t testing.TB) (list []*molecule.Molecule) {
	f := must.Have(os.Open("../../property/testdata/rdkit.csv"))
	defer f.Close()
	rows := must.Have(csv.NewReader(f).ReadAll())
	for _, row := range rows[1:] {
		list = append(list, must.Have(smiles.Parse(row[0])))
	}
	return list
}

// RDKit wrote the matches, see testdata/matches.py.
func TestAgainstRDKit(t *testing.T) {
	text := must.Have(os.ReadFile("testdata/matches.csv"))
	list := molecules(t)
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		pattern, digits, _ := strings.Cut(line, "\t")
		t.Run(pattern, func(t *testing.T) {
			p := must.Have(Parse(pattern))
			if len(digits) != (len(list)+3)/4 {
				t.Fatal("rdkit.csv has changed: run testdata/matches.py again")
			}
			for i, m := range list {
				digit := must.Have(strconv.ParseUint(digits[i/4:i/4+1], 16, 4))
				if got, want := p.In(m), digit>>(i%4)&1 == 1; got != want {
					t.Errorf("%s: %t, RDKit says %t", smiles.Write(m), got, want)
				}
			}
		})
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "column 1: want an atom, such as C, c or [#6]",
		"C(":                       "column 3: the branch is never closed",
		"C)":                       "column 2: this parenthesis was not opened",
		"(C)":                      "column 1: want an atom; elements such as Si, and all conditions, stand in brackets",
		"C1CC":                     "column 5: a ring is never closed",
		"C11":                      "column 4: a ring needs two atoms",
		"C%x":                      "column 2: want an atom; elements such as Si, and all conditions, stand in brackets",
		"[C":                       "column 3: the bracket is never closed",
		"[v4]":                     "column 2: want an element or one of * A a # D H h X x R r + - @ $(",
		"[$(C]":                    "column 5: want an atom; elements such as Si, and all conditions, stand in brackets",
		"[$(C":                     "column 5: the pattern in $( is never closed",
		"C-&C":                     `column 4: want a bond: one of - = # : ~ @ $ / \`,
		"-C":                       "column 3: a bond begins at an atom",
		"C=":                       "column 3: want an atom; elements such as Si, and all conditions, stand in brackets",
		"CSi":                      "column 3: want an atom; elements such as Si, and all conditions, stand in brackets",
		strings.Repeat("C", 2001):  "column 1: the pattern has 2001 bytes, want at most 2000",
		strings.Repeat("[$(C", 30): "column 84: want at most 20 patterns inside each other",
	} {
		_, err := Parse(text)
		var syntax *molecule.SyntaxError
		if !errors.As(err, &syntax) || err.Error() != want {
			t.Errorf("%.20s: %v, want %s", text, err, want)
		}
	}
}

// A search that cannot end soon gives up.
func TestSteps(t *testing.T) {
	m := must.Have(smiles.Parse("[U]" + strings.Repeat("(C)", 12)))
	p, err := Parse("[U]" + strings.Repeat("(*)", (MaxLength-5)/3) + "NN") // of just the limit
	if err != nil || p.In(m) {
		t.Errorf("found, or %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"c1ccncc1", "[$([NX3]);!$(NC=O)]", "C%10.[13C@@H;R2]=,#[!n]%10"} {
		f.Add(seed)
	}
	list := molecules(f)[:20]
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		for _, m := range list {
			p.In(m)
		}
	})
}
