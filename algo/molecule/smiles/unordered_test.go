package smiles

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"baca/algo/fingerprint"
	"baca/algo/molecule"
)

// An unordered graph is the canonical one where tags, atom classes or fragments need that, and elsewhere the one as
// written, which is isomorphic to it, as subtrees can tell. A molecule that was read gives the same one as its text.
func TestParseUnordered(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 4))
	canonical, written := 0, 0
	for _, text := range append(smilesOf(t, "bbbp"), "C[C@H](F)Cl", "CC.CC", "C1.C1", "[CH3:1]C", "O[CH2:0]C", "F/C=C/F", "[H]C", "[H][H]", "C") {
		m, err := Parse(text)
		if err != nil {
			continue
		}
		for _, text := range []string{text, Write(m), Write(shuffled(m, random))} {
			g, _, err := ParseIn(text, molecule.Unordered)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			want, _, err := ParseIn(text, molecule.Canonical)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			g.Reading, want.Reading = 0, 0 // which molecules' graphs do not have
			read, _ := Parse(text)
			if same, _, _ := In(read, molecule.Unordered); !reflect.DeepEqual(same.Graph(), g) {
				t.Errorf("%s: another graph from the molecule than from the text", text)
			}
			tag := func(a molecule.Atom) bool { return a.Map >= 0 || a.Chirality.Handed() }
			if fragments(read) > 1 || slices.ContainsFunc(read.Atoms, tag) {
				canonical++
				if !reflect.DeepEqual(g, want) {
					t.Errorf("%s: not the canonical graph", text)
				}
				continue
			}
			written++
			height := fingerprint.MaxHeight
			if !fingerprint.New(g, height).Equal(fingerprint.New(want, height)) || !reflect.DeepEqual(g, read.Graph()) {
				t.Errorf("%s: not the graph of the canonical form, or not as written", text)
			}
		}
	}
	if min(canonical, written) < 1000 {
		t.Errorf("%d texts read in canonical form and %d as written: too few of one", canonical, written)
	}
}
