package smiles

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/rewrite"
)

// The forms of a line have one parent, that of the first, which is written as it is.
var parents = []struct {
	forms string
	aside string // of the second form
}{
	{"CC(=O)O CC(=O)[O-].[Na+] CC(=O)O.O CC(=O)[O-].[K+].O.O [13CH3]C(=O)O [2H]C([2H])([2H])C(=O)O", "1 counter-ion, charge"},
	{"CN C[NH3+].[Cl-] CN.Cl C[NH3+] [2H]C([2H])([2H])N", "1 counter-ion, charge"},
	{"NCC(=O)O [NH3+]CC(=O)[O-]", "charge"},
	{"C[N+](C)(C)CC(=O)O C[N+](C)(C)CC(=O)[O-] C[N+](C)(C)CC(=O)O.[Cl-]", "charge"},
	{"C[N+](C)(C)C C[N+](C)(C)C.[Br-] C[N+](C)(C)C.[OH-]", "1 counter-ion"},
	{"Cc1ccc(cc1)S(=O)(=O)O c1cc[nH+]cc1.Cc1ccc(cc1)S(=O)(=O)[O-]", "1 counter-ion, charge"},
	{"O=[N+]([O-])c1ccccc1 O=N(=O)c1ccccc1", ""},
	{"C[N+](=O)[O-] C[N+](=O)[O-].OS(O)(=O)=O", "1 other component"},
	{"Oc1ccccc1 [O-]c1ccccc1.[K+] [2H]c1c([2H])c([2H])c([2H])c([2H])c1O", "1 counter-ion, charge"},
	{"CCN(CC)CC CC[NH+](CC)CC.F[B-](F)(F)F CCN(CC)CC.O.Cl", "1 counter-ion, charge"},
	{"[O-][n+]1ccccc1 O[n+]1ccccc1.[Cl-]", "1 counter-ion, charge"},
	{"CC(N)C(=O)O C[C@H]([NH3+])C(=O)[O-].Cl C[C@@H](N)C(=O)O C[C@H](N)C(=O)O", "stereo, 1 counter-ion, charge"},
	{"COP(=O)(O)O [O-]P(=O)([O-])OC.[Na+].[Na+]", "2 counter-ions, charge"},
	{"CN1CCCC1c1cccnc1 CN1CCC[C@H]1c1cccnc1.OC(=O)C(O)C(O)C(=O)O", "stereo, 1 other component"},
	{"CC=CC C/C=C/C C/C=C\\C", "stereo"},
	{"CC=N C\\C=N/[H] C/C=N/[H]", "stereo"},
	{"CS(C)=O C[S+](C)[O-]", "charge"},
	{"CC(=O)O.OC(=O)CC OC(=O)CC", ""}, // the larger of two
	{"NC(=O)C(Cl)Cl NC(=O)[C-](Cl)Cl", "charge"},
	{"OC(=O)P(=O)(O)O [Na+].[Na+].[Na+].[O-]C(=O)[P]([O-])([O-])=O", "3 counter-ions, charge"},
	// Tautomers of azoles and amidines.
	{"Cc1cnc[nH]1 Cc1c[nH]cn1 Cc1c[nH]c[nH+]1.[Cl-]", "tautomer"},
	{"Cc1ccc2nc[nH]c2c1 Cc1ccc2[nH]cnc2c1 Cc1ccc2[n-]cnc2c1.[Na+]", "tautomer"},
	{"Cc1nnn[nH]1 Cc1nn[nH]n1 Cc1nnn[n-]1.[K+]", "tautomer"},
	{"Cc1ccn[nH]1 Cc1cc[nH]n1", "tautomer"},
	{"Cc1ncn[nH]1 Cc1nc[nH]n1 Cc1nnc[nH]1", "tautomer"},
	{"CNC(C)=N CN=C(C)N CNC(C)=[NH2+].[Cl-] CN=C(C)N.Cl", "tautomer"},
	{"CN(C)C(=N)NC(=N)N CN(C)C(=N)N=C(N)N CN(C)C(N)=NC(=N)N", "tautomer"},
	{"COc1ccc2[nH]c(nc2c1)S(=O)Cc1ncc(C)c(OC)c1C COc1ccc2nc([nH]c2c1)[S@@](=O)Cc1ncc(C)c(OC)c1C", "stereo, tautomer"},
	// What stays as it is.
	{"[Na+].[Cl-] [Cl-].[Na+]", ""},
	{"[NH4+].[Cl-] [Cl-].[NH4+]", ""},
	{"N.N.Cl[Pt]Cl Cl[Pt]Cl.N.N", ""},
	{"[C-]#[O+].[C-]#[O+].[C-]#[O+].[C-]#[O+].[Ni] [Ni].[C-]#[O+].[C-]#[O+].[C-]#[O+].[C-]#[O+]", ""},
	{"[K+].[C-]#N N#[C-].[K+]", ""},
	{"[CH2-]C.[Li+] [Li+].[CH2-]C", ""},
	{"C[n+]1ccccc1 C[n+]1ccccc1.[I-]", "1 counter-ion"},
	{"[N-]=[N+]=NC C[N]=[N]=[N]", ""},
	{"c1ccccc1 [2H]c1c([2H])c([2H])c([2H])c([2H])c1[2H]", "isotope"},
	{"O [2H]O[2H]", "isotope"},
}

func TestParent(t *testing.T) {
	for _, c := range parents {
		forms := strings.Fields(c.forms)
		want := ""
		for k, text := range forms {
			m, err := Parse(text)
			if err != nil {
				continue // RDKit refuses it, too
			}
			p, order, aside := Parent(m)
			got := Write(p)
			if k == 0 {
				want = got
			}
			if got != want {
				t.Errorf("%s: parent %s, that of %s is %s", text, got, forms[0], want)
			}
			if k == 1 && aside.String() != c.aside {
				t.Errorf("%s: %q is set aside, want %q", text, aside, c.aside)
			}
			for i, from := range order {
				if p.Atoms[i].Element != m.Atoms[from].Element {
					t.Fatalf("%s: atom %d is of element %d, it was %d", text, i, p.Atoms[i].Element, m.Atoms[from].Element)
				}
			}
			again, _, left := Parent(p)
			if Write(again) != got || left != (molecule.Aside{}) {
				t.Errorf("%s: the parent of %s is %s without %q", text, got, Write(again), left)
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
}

// sameGraph tells whether graphs are the same but for the order of nodes.
func sameGraph(g, h *graph.Graph) bool {
	return g.N() == h.N() && fingerprint.Signature(g, -1) == fingerprint.Signature(h, -1)
}

// Every way of writing a compound has one parent, exactly: the molecule with its atoms in
// another order, without stereo marks, with deuterium for hydrogen, as a salt, with protons
// added and taken, and with other tautomers of azoles.
func TestOneParentOfAllForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for _, set := range []string{"bbbp", "clintox", "esol", "freesolv", "tox21", "sider", "bace", "lipo", "toxcast", "hiv", "muv"} {
		counts := map[string]int{}
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
				} else if !sameGraph(got, want) {
					t.Errorf("%s: %s has another parent as %s, %s", set, text, form, kind.Name)
				}
			}
		}
		t.Logf("%s: %v", set, counts)
	}
}
