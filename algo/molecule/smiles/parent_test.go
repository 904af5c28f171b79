package smiles

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/rewrite"
)

// A form is a row of testdata/forms.tsv.
type form struct{ text, written, canonical, parent, aside string }

func forms(t testing.TB) (rows []form) {
	t.Helper()
	lines := strings.Split(strings.Trim(string(must.Have(os.ReadFile("testdata/forms.tsv"))), "\n"), "\n")
	for _, line := range lines[1:] {
		c := strings.Split(line, "\t")
		rows = append(rows, form{c[0], c[1], c[2], c[3], c[4]})
	}
	return rows
}

// RDKit reads the first three columns of testdata/forms.tsv as one molecule (equal MolToSmiles), but for the numbers
// of @SP and @OH. The others are this package's and were read.
// A parent is its own, and graphs that are read directly are those of molecules.
func TestForms(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, row := range forms(t) {
		text, m := row.text, read(t, row.text)
		c, _, _ := Canonical(m)
		p, order, aside := Parent(m)
		if got := (form{text, Write(m), Write(c), Write(p), aside.String()}); got != row {
			t.Errorf("got %q,\nwant %q", got, row)
		}
		if err := checkCanonical(m, 20, random); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		for i, from := range order {
			if p.Atoms[i].Element != m.Atoms[from].Element {
				t.Fatalf("%s: atom %d is of element %d, it was %d", text, i, p.Atoms[i].Element, m.Atoms[from].Element)
			}
		}
		again, _, left := Parent(p)
		if Write(again) != row.parent || left != (molecule.Aside{}) {
			t.Errorf("%s: the parent of %s is %s without %q", text, row.parent, Write(again), left)
		}
		g, same, err := ParseIn(text, molecule.UnorderedParent)
		if err != nil || same != aside || !sameGraph(g, p.Graph()) {
			t.Errorf("%s: the unordered form gives another graph than Parent, without %q and not %q: %v", text, same, aside, err)
		}
		h, _, _ := ParseIn(text, molecule.Parent)
		if !slices.Equal(h.X, p.Graph().X) || !slices.Equal(h.Neighbors, p.Graph().Neighbors) {
			t.Errorf("%s: the canonical form gives another graph than Parent", text)
		}
	}
}

// sameGraph tells whether graphs are the same but for the order of nodes.
func sameGraph(g, h *graph.Graph) bool {
	return g.N() == h.N() && fingerprint.Signature(g, -1) == fingerprint.Signature(h, -1)
}

// Every way of writing a compound has one parent, exactly: the molecule with its atoms in another order, without stereo
// marks, with deuterium for hydrogen, as a salt, with protons added and taken, and with other tautomers of azoles.
func TestOneParentOfAllForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for _, set := range []string{"bbbp", "clintox", "esol", "freesolv", "tox21", "sider", "bace", "lipo", "toxcast", "hiv", "muv"} {
		counts, others := map[string]int{}, map[string][]string{}
		n := 1200
		if testing.Short() { // as WebAssembly
			n = 200
		}
		for _, text := range someOf(t, set, n) {
			want, _, err := ParseIn(text, molecule.UnorderedParent)
			if err != nil {
				continue
			}
			m := read(t, text)
			p, atoms, _ := Parent(m)
			if !IsOrganic(p) {
				atoms = nil
			}
			for _, kind := range rewrite.Kinds {
				c := kind.Form(m, atoms, rng)
				if c == nil || kind.Other {
					continue
				}
				form := Write(shuffled(c, rng))
				got, _, err := ParseIn(form, molecule.UnorderedParent)
				if err != nil && kind.Name == rewrite.Azole {
					continue // beside a carbonyl group in the ring
				}
				if counts[kind.Name]++; err != nil {
					t.Errorf("%s: %s, %s of %s: %v", set, form, kind.Name, text, err)
				} else if same := sameGraph(got, want); !same && !slices.ContainsFunc(m.Atoms, func(a molecule.Atom) bool { return a.Charge != 0 || isMetal(a.Element) }) {
					t.Errorf("%s: %s has another parent as %s, %s", set, text, form, kind.Name)
				} else if !same {
					others[kind.Name] = append(others[kind.Name], text+" as "+form)
				}
			}
		}
		// Betaines and mesoionic compounds keep net charge 0, so without a proton they are other compounds; complexes
		// stay whole. Others have one parent.
		for kind, list := range others {
			if len(list) > counts[kind]/200 {
				t.Errorf("%s: %d of %d have another parent, %s: %s", set, len(list), counts[kind], kind, strings.Join(list, "\n"))
			}
		}
		t.Logf("%s: %v", set, counts)
	}
}

// A parent is its own, and that of the molecule with its atoms in another order.
func TestParentIsStable(t *testing.T) {
	sets := []string{"bbbp", "clintox", "esol", "freesolv", "tox21", "sider", "bace", "lipo", "toxcast", "hiv", "muv", "scale-mix"}
	for name := range strings.FieldsSeq("biogen chembl_sample generated_odd herg_chembl mutagenicity protac unpd_natural vdss ace_CHEMBL2047_EC50 " +
		"ace_CHEMBL204_Ki ace_CHEMBL214_Ki ace_CHEMBL234_Ki ace_CHEMBL237_Ki ace_CHEMBL239_EC50 ace_CHEMBL244_Ki ace_CHEMBL4792_Ki") {
		sets = append(sets, "external/"+name)
	}
	for k, set := range sets {
		rng := rand.New(rand.NewPCG(49, uint64(k)))
		n := 0
		for _, text := range someOf(t, set, 300) {
			m, err := Parse(text)
			if err != nil {
				continue
			}
			other := shuffled(m, rng)
			if !readsBack(m, other) {
				continue
			}
			n++
			p, _, _ := Parent(m)
			want := Write(p)
			if again, _, left := Parent(p); Write(again) != want || left != (molecule.Aside{}) {
				t.Errorf("%s: %s has the parent %s, which has %s, without %q", set, text, want, Write(again), left)
			}
			if q, _, _ := Parent(other); Write(q) != want {
				t.Errorf("%s: %s has the parent %s, in another order of atoms %s", set, text, want, Write(q))
			}
		}
		t.Logf("%s: %d molecules", set, n)
	}
}

// readsBack reports whether m is read alike in canonical order and in the order of other. Two generated molecules are not: which of
// their rings are aromatic follows the order of atoms, as in RDKit.
func readsBack(m, other *molecule.Molecule) bool {
	c, _, _ := Canonical(flat(m))
	for _, o := range []*molecule.Molecule{c, flat(other)} {
		if again, err := Parse(Write(o)); err != nil || canonicalText(again) != Write(c) {
			return false
		}
	}
	return true
}

// Molecules that need nothing, ordinary ions and azoles become parents in memory that is used again.
func TestSettleReusesMemory(t *testing.T) {
	p := new(parser)
	for _, text := range []string{"CCO", "CC(=O)[O-]", "C[NH3+]", "C[S+](C)[O-]", "C[N+](C)(C)CCCl", "Cc1c[nH]cn1", "Cc1cnc[nH]1"} {
		p.settle(text, false)
		if n := testing.AllocsPerRun(20, func() { p.settle(text, false) }); n > 0.5 {
			t.Errorf("%s: %g allocations", text, n)
		}
	}
}
