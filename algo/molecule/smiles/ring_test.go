package smiles

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/neighbor"
	"baca/algo/molecule/internal/rings"
)

// sameRings compares the rings and the aromaticity that the short cuts find with those of the plain search,
// which uses none. fast and slow are used again and again.
func sameRings(t *testing.T, fast, slow *parser, text string) {
	t.Helper()
	slow.Rings.Plain = true
	_, err := fast.parse(text)
	_, want := slow.parse(text)
	if fmt.Sprint(err) != fmt.Sprint(want) {
		if want != nil && strings.Contains(want.Error(), "too tangled") {
			return // the plain search takes more steps
		}
		t.Fatalf("%s: error %v, want %v", text, err, want)
	}
	compareRings(t, &fast.Rings, &slow.Rings, text)
	if !slices.Equal(fast.Atoms, slow.Atoms) || !slices.Equal(fast.Bonds, slow.Bonds) {
		t.Fatalf("%s: %+v, %+v, want %+v, %+v", text, fast.Atoms, fast.Bonds, slow.Atoms, slow.Bonds)
	}
	if err == nil {
		checkRings(t, fast, text)
	}
}

// checkRings checks that each bond of a ring joins its atom to the next.
func checkRings(t *testing.T, p *parser, text string) {
	t.Helper()
	for q := range p.Rings.Len() {
		ring := p.Rings.Ring(q)
		for k, bond := range p.Rings.Bonds(q) {
			x, y, b := ring[k], ring[(k+1)%len(ring)], p.Bonds[bond]
			if min(x, y) != min(b.From, b.To) || max(x, y) != max(b.From, b.To) {
				t.Fatalf("%s: bond %d joins %d and %d, not %d and %d of ring %v", text, bond, b.From, b.To, x, y, ring)
			}
		}
	}
}

func compareRings(t *testing.T, a, b *rings.Finder, text string) {
	t.Helper()
	if a.Len() != b.Len() {
		t.Fatalf("%s: %d rings, want %d", text, a.Len(), b.Len())
	}
	for q := range a.Len() {
		if !slices.Equal(a.Ring(q), b.Ring(q)) || !slices.Equal(a.Bonds(q), b.Bonds(q)) {
			t.Fatalf("%s: ring %d of %v, %v, want %v, %v", text, q, a.Ring(q), a.Bonds(q), b.Ring(q), b.Bonds(q))
		}
	}
}

// skeleton writes a random carbon skeleton of n atoms in which most rings are small.
func skeleton(random *rand.Rand, n int) string {
	degree, closures := make([]int, n), make([]string, n)
	parent, children := make([]int, n), make([][]int, n)
	join := func(i, j int) { degree[i]++; degree[j]++ }
	dots := random.IntN(4) == 0
	for j := 1; j < n; j++ {
		i := j - 1
		if random.IntN(4) == 0 {
			i = max(0, i-random.IntN(6))
		}
		for degree[i] > 3 {
			i++
		}
		if parent[j] = i; dots && random.IntN(9) == 0 {
			parent[j] = -1
			continue
		}
		join(i, j)
		children[i] = append(children[i], j)
	}
	number := 0
	for range random.IntN(1 + n/3) {
		i := random.IntN(n)
		j := i + 2 + random.IntN(5)
		if random.IntN(8) == 0 {
			j = random.IntN(n)
		}
		if j >= n || j <= i+1 || degree[i] > 3 || degree[j] > 3 || parent[j] == i || parent[i] == j {
			continue
		}
		join(i, j)
		number++
		closures[i] += fmt.Sprintf("%%(%d)", number)
		closures[j] += fmt.Sprintf("%%(%d)", number)
	}
	var b strings.Builder
	var write func(i int)
	write = func(i int) {
		b.WriteString("C" + closures[i])
		for k, j := range children[i] {
			if k+1 == len(children[i]) {
				write(j)
				break
			}
			b.WriteByte('(')
			write(j)
			b.WriteByte(')')
		}
	}
	write(0)
	for i := 1; i < n; i++ {
		if parent[i] < 0 {
			b.WriteByte('.')
			write(i)
		}
	}
	return b.String()
}

// sameDrawn compares the rings of a molecule whose order says nothing, as in a molfile.
func sameDrawn(t *testing.T, fast, slow *rings.Finder, m *molecule.Molecule, text string) {
	t.Helper()
	var near neighbor.Table
	molecule.LinkUp(&near, len(m.Atoms), m.Bonds)
	ends := make([][2]int32, len(m.Bonds))
	for k, b := range m.Bonds {
		ends[k] = [2]int32{b.From, b.To}
	}
	fast.Budget, slow.Budget, slow.Plain = 1<<40, 1<<40, true
	if err := errors.Join(fast.Find(&near, ends, -1), slow.Find(&near, ends, -1)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	compareRings(t, fast, slow, text)
}

// TestRings compares the short cuts in finding rings, and which of them are aromatic, with the search that they stand for.
func TestRings(t *testing.T) {
	var fast, slow parser
	var fastDrawn, slowDrawn rings.Finder
	for _, smiles := range []string{
		"C1CC1", "C1CCC1", "C1CC1C1CCC1", "C1CC1CC(C1CC1)C1CCC1", // alone, in a row, around an atom
		"C1CC2CCC1CC2", "C1CC2CC1CC2", "C1CC2CC2C1", "C12CC1C2", // bridged, fused
		"C1CCC2(CC1)CCCC2", "C1CC12CC2", // spiro
		"c1ccc2ccccc2c1", "c1ccc2cc3ccccc3cc2c1", "c1cc2cccc3c2c(c1)ccc3", "c1ccc2c(c1)c1ccccc1c1ccccc21", // two, three, four
		"C1CC2(C1)CC2", "C12(C3C1C32)C", "C12C3C4C1C5C2C3C45", "C1CC23CC2CC13", "C12CC1CC2", "C12CC2C1", // cages, triangles
		"C(c1ccccc1)(c1ccc(C2CC2)cc1)c1c(CC)c(C)c(C3CC3)c(C)c1C", "C1(C2CC2)C(C2CC2)C(C2CC2)C(C2CC2)C(C2CC2)C1C2CC2", // on all atoms
		"C1CCC1.C1CC1", "C1CC.CC1", "C1CC2.C2CC1", "[H]C1CC1.[H]2.C2", "[2H]C1CC1([H])C1CC1", "C1CC~C1",
		"CN=c1[nH]c(C)nC(=NC)[nH]1C", // loses a hydrogen and is aromatic
	} {
		sameRings(t, &fast, &slow, smiles)
	}
	// With four ring bonds at each atom the rings depend on the order of the text.
	for _, smiles := range []string{"[U]123[U]45[U]16[U]24[U]356", "[U]123[U]45[U]16[U]47[U]26[U]357", "C1CC1.[U]123[U]45[U]16[U]47[U]26[U]357"} {
		if _, err := fast.parse(smiles); err != nil {
			t.Fatalf("%s: %v", smiles, err)
		}
		checkRings(t, &fast, smiles)
		if want := len(fast.Bonds) - fast.Chain; fast.Rings.Len() != want {
			t.Errorf("%s: %d rings, want %d", smiles, fast.Rings.Len(), want)
		}
	}
	// Aromatic rings that stay as they are, that get other bonds, and that have no Kekulé form.
	parts := []string{"c2ccccc2", "c2ccc(o2)", "c2nc(no2)", "c2ccc([nH]2)", "c2n(ccc2)", "n2ccc(c2)", "c2c(=O)cccn2", "c2c(=O)ccc[nH]2",
		"c2c(=O)ccnc2", "c2cc3c(c2)[nH]cc3", "c2ccc3c(c2)[nH]cc3", "c2c(cc3c(c2)cco3)", "c2c3c([nH]cc3)ccc2", "c2nc3c(s2)CCCC3",
		"c2c3c(=O)n(C)cnc3sc2", "c2c3c(csc3)cs2", "c2cnc3n2cccc3", "c2cc3ccccc3c2", "c2cc3cccc3c2", "c2cc3c(cc2)C(=O)NC3=O",
		"C2=CC=CC=C2", "[cH-]2cccc2", "c2[n+](C)cccc2", "c2cc[nH]n2", "s2(=O)ccccc2"}
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		var b strings.Builder
		b.WriteString("C%11")
		for range 1 + random.IntN(4) {
			b.WriteString(parts[random.IntN(len(parts))] + []string{"C", "-", "", "C(=O)", "C3CC3"}[random.IntN(5)])
		}
		b.WriteString("CC%11")
		sameRings(t, &fast, &slow, b.String())
	}
	for range 4000 {
		smiles := skeleton(random, 4+random.IntN(40))
		sameRings(t, &fast, &slow, smiles)
		if m, err := fast.molecule(smiles); err == nil {
			sameDrawn(t, &fastDrawn, &slowDrawn, m, smiles)
		}
	}
}
