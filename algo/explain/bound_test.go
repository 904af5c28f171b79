package explain

import (
	"slices"
	"testing"
)

// What a group is bound to is told from one of its atoms, by how rings are joined and where.
func TestBeside(t *testing.T) {
	for _, c := range []struct {
		about, smiles, name string // of the group
		atom, bonds         int
		want                string
	}{
		{"4-phenylpyridine", "c1cc(ccn1)-c1ccccc1", "pyridine ring", 2, 1, "joined at its 4-position by a single bond to a benzene ring"},
		{"2-chloropyridine", "c1ccnc(Cl)c1", "pyridine ring", 4, 1, "bound at its 2-position to an aryl chloride"},
		{"4-nitrotoluene", "Cc1ccc(cc1)[N+](=O)[O-]", "benzene ring", 1, 1, "bound to a methyl group para to a nitro group"},
		{"salicylic acid", "OC(=O)c1ccccc1O", "benzene ring", 3, 1, "bound to a carboxylic acid group ortho to a phenol group"},
		{"3-cresol", "Cc1cccc(O)c1", "benzene ring", 1, 1, "bound to a methyl group meta to a phenol group"},
		{"a spiro compound", "C1CCC2(CC1)CNCCO2", "cyclohexane ring", 3, 1, "spiro to a morpholine ring"},
		{"a fused one", "C1CNC2CSCC2C1", "piperidine ring", 3, 1, "fused to a tetrahydrothiophene ring"},
		{"a bridged one", "C1CNC2CCCC1S2", "six-membered ring", 3, 1, "bridged with a thiane ring"},
		{"RDX", "C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]", "nitramine group", 1, 1, "bound to a 1,3,5-triazinane ring"},
		{"the same from its middle", "C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]", "nitramine group", 6, 1, "bound to a 1,3,5-triazinane ring"},
		{"two bonds", "CCC(=O)NCc1ccccc1", "amide group", 4, 2, "within two bonds of a benzene ring, a CH₂ group and an alkyl chain"},
		{"more than three", "CC(=O)N(CC#N)C(F)(F)C1CC1", "amide group", 3, 2, "within two bonds of a CF₂ group, a cyclopropane ring and others"},
		{"all of it", "O", "water molecule", 0, 1, ""},
	} {
		g := parse(t, c.smiles)[0]
		list := groups(g)
		k := slices.IndexFunc(list, func(q group) bool { return q.name == c.name && slices.Contains(q.nodes, c.atom) })
		if k < 0 {
			t.Errorf("%s: atom %d is in no %s: %v", c.about, c.atom, c.name, list)
			continue
		}
		if got := beside(g, list, k, c.atom, c.bonds); got != c.want {
			t.Errorf("%s: %q, want %q", c.about, got, c.want)
		}
	}
}

// Names have articles and plurals.
func TestSome(t *testing.T) {
	for _, c := range []struct {
		n    int
		name string
		want string
	}{
		{1, "nitro group", "a nitro group"}, {1, "azide group", "an azide group"}, {1, "urea group", "a urea group"}, {1, "N-oxide group", "an N-oxide group"}, {1, "NH₄⁺", "an NH₄⁺"}, {1, "Na⁺ ion", "a Na⁺ ion"}, {1, "CH₂ group", "a CH₂ group"}, {1, "SH", "an SH"},
		{2, "macrocycle of 14", "2 macrocycles of 14"}, {3, "pyranose ring (sugar)", "3 pyranose rings (sugar)"}, {2, "amino group on a heteroaromatic ring", "2 amino groups on a heteroaromatic ring"},
	} {
		if got := some(c.n, c.name); got != c.want {
			t.Errorf("%d %s: %q, want %q", c.n, c.name, got, c.want)
		}
	}
}
