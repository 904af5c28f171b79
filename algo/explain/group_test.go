package explain

import (
	"slices"
	"strings"
	"testing"
)

// Parts have the names that a chemist gives them, and each atom is in one.
func TestGroups(t *testing.T) {
	for _, c := range []struct{ smiles, want string }{
		{"C(C(CO[N+](=O)[O-])(CO[N+](=O)[O-])CO[N+](=O)[O-])O[N+](=O)[O-]", "nitrate group ×4, saturated chain"},
		{"C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]", "nitramine group ×3, saturated ring part ×3"},
		{"Cc1ccccc1[N+](=O)[O-]", "benzene ring, methyl group, nitro group"},
		{"CC(=O)Oc1ccccc1C(=O)O", "benzene ring, carboxylic acid group, ester group, methyl group"},
		{"CC(=O)[O-]", "carboxylate group, methyl group"},
		{"NC(=O)N", "urea group"}, {"COC(=O)N", "carbamate group, methyl group"}, {"CNC(C)=O", "amide group, methyl group ×2"},
		{"COC(=O)OC", "carbonate group, methyl group ×2"}, {"CC=O", "aldehyde group, methyl group"}, {"CC(C)=O", "ketone group, methyl group ×2"}, {"CC(=O)Cl", "acyl halide group, methyl group"},
		{"CS(=O)(=O)N", "methyl group, sulfonamide group"}, {"CS(=O)(=O)O", "methyl group, sulfonic acid group"}, {"CS(C)(=O)=O", "methyl group ×2, sulfone group"}, {"CS(C)=O", "methyl group ×2, sulfoxide group"},
		{"COP(=O)(OC)OC", "methyl group ×3, phosphate group"}, {"CP(=O)(O)O", "methyl group, phosphonate group"}, {"CP(C)C", "methyl group ×3, phosphorus group"},
		{"CN=[N+]=[N-]", "azide group, methyl group"}, {"C=[N+]=[N-]", "diazo group"}, {"CN=NC", "azo group, methyl group ×2"}, {"CNNC", "hydrazine group, methyl group ×2"}, {"CC=NN", "hydrazone group, methyl group"},
		{"CN(C)N=O", "methyl group ×2, nitroso group"}, {"C[N+](C)(C)[O-]", "N-oxide group, methyl group ×3"},
		{"CC#N", "methyl group, nitrile group"}, {"CC#CC", "alkyne group, methyl group ×2"}, {"[C-]#[O+]", "carbon monoxide"}, {"O=C=[Ni]", "Ni atom, carbonyl ligand"}, {"C[N+]#[C-]", "isocyanide group, methyl group"}, {"CC=C=CC", "allene group, methyl group ×2"}, {"CC=C=O", "ketene group, methyl group"}, {"O", "water"}, {"C[O-]", "methyl group, oxide"}, {"C[OH+]C", "methyl group ×2, oxonium"}, {"CS", "methyl group, thiol group"}, {"CN=C=O", "isocyanate group, methyl group"}, {"CN=C=S", "isothiocyanate group, methyl group"},
		{"NC(=N)N", "guanidine group"}, {"CC(=N)N", "amidine group, methyl group"}, {"CC(C)=NC", "imine group, methyl group ×3"}, {"NC(=S)N", "thiocarbonyl group"},
		{"FC(F)(F)C(F)(F)C(=O)O", "carboxylic acid group, perfluorinated chain"}, {"FC(F)(F)c1ccccc1", "benzene ring, trifluoromethyl group"}, {"CC(F)F", "CF₂ group, methyl group"}, {"ClC(Cl)Cl", "polyhalogenated carbon"}, {"ClC(Cl)(Cl)C(F)(F)F", "perhalogenated chain"},
		{"COOC", "methyl group ×2, peroxide group"}, {"CSSC", "disulfide group, methyl group ×2"}, {"C1CO1", "epoxide ring"}, {"CC=CC", "C=C double bond, methyl group ×2"},
		{"c1ccc2ccccc2c1", "aromatic ring system"}, {"c1ccncc1", "heteroaromatic ring system"},
		{"CCOC", "ether oxygen, methyl group, saturated chain"}, {"CO", "hydroxyl group, methyl group"}, {"CN", "amine group, methyl group"}, {"C[NH3+]", "ammonium group, methyl group"}, {"CS", "methyl group, thiol group"}, {"CSC", "methyl group ×2, thioether sulfur"}, {"CCl", "Cl atom, methyl group"},
		{"CC[Zn]CC", "Zn atom, saturated chain ×2"}, {"C1CCCC1", "saturated ring part"}, {"C", "saturated carbon"}, {"[H][H]", "H atom ×2"},
	} {
		g := parse(t, c.smiles)[0]
		var names []string
		seen := make([]int, g.N())
		for _, p := range groups(g) {
			names = append(names, p.name)
			for _, i := range p.nodes {
				seen[i]++
			}
		}
		if slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
			t.Errorf("%s: atoms are in %v parts", c.smiles, seen)
		}
		slices.Sort(names)
		var text []string
		for k := 0; k < len(names); {
			n := 1
			for k+n < len(names) && names[k+n] == names[k] {
				n++
			}
			if text = append(text, names[k]); n > 1 {
				text[len(text)-1] += " ×" + string(rune('0'+n))
			}
			k += n
		}
		if got := strings.Join(text, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", c.smiles, got, c.want)
		}
	}
}
