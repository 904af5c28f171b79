package smiles

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"baca/algo/internal/golden"
	"baca/algo/molecule"
	"baca/algo/molecule/internal/check"
)

// What features and bonds do not show; TestCases compares these with RDKit's.
func TestParse(t *testing.T) {
	for _, c := range []struct{ smiles, want string }{
		{" CCO\tethanol  here ", "CH3 CH2 OH1 | 0-1 1-2"},
		{"C$C", "C C | 0$1"},
		{"C~C", "CH4 CH4 | 0~1"},
		{"[13CH4]", "13CH4 |"},
		{"[CH3:7]C", "CH3:7 CH3 | 0-1"},
		{"[H]C([H])[2H]", "CH3 2H | 0-1"},
		{"N->[Cu]", "NH3 Cu· | 0>1"},
		{"[Cu]<-N", "Cu· NH3 | 1>0"},
	} {
		m := read(t, c.smiles)
		if got := check.Sketch(m); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.smiles, got, c.want)
		}
	}
}

func TestName(t *testing.T) {
	m, err := Parse(" CCO\tethanol  here \r\n")
	if err != nil || m.Name != "ethanol  here" || m.Atoms[0].Column != 2 {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestErrors(t *testing.T) {
	type errorCase struct{ SMILES, Piece, Want string }
	for _, c := range golden.Cases(t, "errors.jsonl",
		errorCase{strings.Repeat("C", MaxLength+1), "", "column 1: SMILES of 65537 bytes, at most 65536 are read"},
	) {
		_, err := Parse(c.SMILES)
		var s *molecule.SyntaxError
		if !errors.As(err, &s) {
			t.Errorf("%.100q: got %v, want %s", c.SMILES, err, c.Want)
			continue
		}
		if s.Error() != c.Want || s.Piece != c.Piece {
			t.Errorf("%.100q:\n got %v (%q)\nwant %s (%q)", c.SMILES, s, s.Piece, c.Want, c.Piece)
		}
	}
}

func TestCaret(t *testing.T) {
	long := strings.Repeat("C", 100) + "é[Xx]" + strings.Repeat("C", 100)
	for _, c := range []struct{ smiles, want string }{
		{"CC%12C", "CC%12C\n  ^^^"},
		{"C", "C\n^"},
		{long, strings.Repeat("C", 38) + "??[Xx]" + strings.Repeat("C", 32) + "\n" + strings.Repeat(" ", 38) + "^"},
	} {
		_, err := Parse(c.smiles)
		s, ok := err.(*molecule.SyntaxError)
		if !ok {
			s = &molecule.SyntaxError{Column: 1}
		}
		if got := s.Caret(c.smiles); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.smiles, got, c.want)
		}
	}
	// Any column and text are safe.
	for _, col := range []int{-3, 0, 1, 5, math.MaxInt} {
		if got := (&molecule.SyntaxError{Column: col}).Caret("abc"); !strings.Contains(got, "^") {
			t.Errorf("column %d: %q", col, got)
		}
	}
}

// hostile are generators of texts of about n bytes that are bad for careless readers.
var hostile = map[string]func(n int) string{
	"open":       func(n int) string { return strings.Repeat("C(", n/2) },
	"nested":     func(n int) string { return strings.Repeat("C(", n/3) + "C" + strings.Repeat(")", n/3) },
	"brackets":   func(n int) string { return strings.Repeat("[", n) },
	"digits":     func(n int) string { return "C" + strings.Repeat("1", n) },
	"pairs":      func(n int) string { return strings.Repeat("C1C1", n/4) },
	"self":       func(n int) string { return "C" + strings.Repeat("12", n/2) },
	"opened":     func(n int) string { return strings.Repeat("C%(99999)", n/9) },
	"chain":      func(n int) string { return strings.Repeat("C", n) },
	"chiral":     func(n int) string { return strings.Repeat("C", n/2) + "[C@H](F)" + strings.Repeat("C", n/2) },
	"chirals":    func(n int) string { return strings.Repeat("[C@H](F)", n/8) + "C" },
	"macrocycle": func(n int) string { return "C1" + strings.Repeat("C", n) + "1" },
	"polyene":    func(n int) string { return "c1" + strings.Repeat("c", n) + "1" },
	"ladder": func(n int) string {
		// Cyclobutanes fused in a row: each pair of atoms closes a ring with the pair before.
		var b strings.Builder
		b.WriteString("C1C2")
		for range n / 8 {
			b.WriteString("C2C1C1C2")
		}
		b.WriteString("C2C1")
		return b.String()
	},
	"acenes": func(n int) string {
		var b strings.Builder
		b.WriteString("c1ccc2")
		for range n / 12 {
			b.WriteString("cc3cc2")
		}
		b.WriteString("C")
		return b.String()
	},
	"spiro": func(n int) string { return "C1CC1" + strings.Repeat("C1CC1", n/5) },
	"rings": func(n int) string { return strings.Repeat("c1ccc(cc1)", n/10) + "C" },
	"star":  func(n int) string { return "[U]" + strings.Repeat("(C)", n/3) },
	"theta": func(n int) string {
		// Many bridges between two metals.
		var b strings.Builder
		b.WriteString("[U]9")
		m := n / 16
		for k := range m {
			fmt.Fprintf(&b, "(CC%%(%d))", 100+k)
		}
		b.WriteString(".[U]9")
		for k := range m {
			fmt.Fprintf(&b, "%%(%d)", 100+k)
		}
		return b.String()
	},
	"wildcards":  func(n int) string { return "*1" + strings.Repeat("*", n) + "c1" },
	"dots":       func(n int) string { return strings.Repeat("C.", n/2) + "C" },
	"hydrogens":  func(n int) string { return "[U]" + strings.Repeat("([H])", n/5) },
	"chiralstar": func(n int) string { return "[U@]" + strings.Repeat("(C)", n/3) },
	"cubic": func(n int) string {
		// A random-looking graph of degree three: no small rings, no atom with two bonds.
		m := n / 12
		var b strings.Builder
		for k := range 2 * m {
			j := k
			if k >= m {
				j = (k*7919 + 13) % m
			}
			fmt.Fprintf(&b, "C%%(%d)", 100+j%99000)
		}
		return b.String()
	},
}

// TestParseGraph compares the graphs made without molecules, by a parser that is used again and
// again, with those of molecules.
func TestParseGraph(t *testing.T) {
	var p parser
	compare := func(smiles string, f molecule.Form) {
		t.Helper()
		m, want := new(parser).molecule(smiles)
		g, _, err := p.graph(smiles, f)
		if fmt.Sprint(err) != fmt.Sprint(want) {
			t.Fatalf("%s: error %v in form %d, want %v", smiles, err, f, want)
		}
		if err != nil {
			return
		}
		if m, _, _ = In(m, f); !reflect.DeepEqual(g, m.Graph()) {
			t.Fatalf("%s: graph %v in form %d, want %v", smiles, g, f, m.Graph())
		}
	}
	texts := []string{
		"", "C(", "C", "[H][H]", "[2H]C([H])C", "OC1CC2CC1N2", "C1.C2.C1.C2 name", "[Fe+2]<-[OH2]", "N->[Cu]",
		"F[C@](Cl)(Br)I", "[*:3]c1cc[nH]c1", "O=N(=O)c1ccccc1/C=C/C#N", strings.Repeat("C", MaxLength), "[UH255]([H])",
		"C1CCC", "[C@H](F)(Cl)Br", "C.c1cccc1", "F/C=C/F", "CC(C)(C)(C)C", "[Fe]", "*1cccc*1", "N[C@@H](C)C(=O)O",
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		texts = append(texts, skeleton(random, 4+random.IntN(40)))
	}
	for _, smiles := range texts {
		compare(smiles, molecule.AsWritten)
		compare(smiles, molecule.Canonical)
	}
	g, _, _ := p.graph("CCO", molecule.AsWritten)
	x, neighbors := slices.Clone(g.X), slices.Clone(g.Neighbors)
	for range 1000 {
		p.graph("c1ccncc1", molecule.AsWritten)
	}
	if !slices.Equal(g.X, x) || !slices.Equal(g.Neighbors, neighbors) {
		t.Errorf("a graph changed when more were read: %v", g)
	}
}

// Texts that tempt a reader into more than linear work are read or refused; one
// that cost the square of its length would run into go test's limit.
func TestHostile(t *testing.T) {
	for name, gen := range hostile {
		t.Run(name, func(t *testing.T) {
			text := gen(60_000)
			if _, err := Parse(text); err != nil && len(err.Error()) > 400 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"C(", "COc(c1)cccc1C#", "C1C1", "c1ccccc1", "[C@@H](N)(C)C(=O)O", "F/C=C\\F", "C%(12345)C%(12345)",
		"[H][C@]1(F)CC[C@@H]1[H]", "*1c*cc*1", "C1C2C3C4C5C6C7C8C9C%10C%11C1C2C3C4C5C6C7C8C9C%10C%11",
		"[Fe@OH3]1(OC(=O)C(=O)O1)1(OC(=O)C(=O)O1)1OC(=O)C(=O)O1", "N->[Cu]<-N", "C12C3C4C1C5C2C3C45", "[U]1234C1C2C3C4 name",
		strings.Repeat("C(", 300), "C" + strings.Repeat("1", 300), strings.Repeat("C1C2", 50), "[13CH3-:4]~$=#", "\xff\x00[é]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sameRings(t, new(parser), new(parser), text)
		m, err := Parse(text)
		if err != nil {
			s, ok := err.(*molecule.SyntaxError)
			if !ok {
				t.Fatalf("%T: %v", err, err)
			}
			if s.Column < 1 || s.Column > len(text)+1 || !strings.HasPrefix(text[s.Column-1:], s.Piece) {
				t.Fatalf("column %d, piece %q of %q", s.Column, s.Piece, text)
			}
			if !utf8.ValidString(s.Caret(text)) {
				t.Fatalf("caret %q", s.Caret(text))
			}
			return
		}
		if len(m.Atoms) == 0 || len(m.Atoms) > len(text) {
			t.Fatalf("%d atoms from %d bytes", len(m.Atoms), len(text))
		}
		g := m.Graph() // panics where the bonds are no simple graph
		if g.N() != len(m.Atoms) || g.M() != len(m.Bonds) {
			t.Fatalf("%d atoms, %d bonds, but %d nodes, %d edges", len(m.Atoms), len(m.Bonds), g.N(), g.M())
		}
		if n := fragments(m); n < 1 || n > len(m.Atoms) || n < len(m.Atoms)-len(m.Bonds) {
			t.Fatalf("%d fragments", n)
		}
	})
}
