package explain

import (
	"slices"
	"strings"
	"testing"
)

// Traits tell molecules apart as chemists do.
func TestTraits(t *testing.T) {
	for text, want := range map[string][]string{
		"O=[N+]([O-])c1ccccc1Cl":              {"nitro groups", "halogens", "charged atoms", "one ring"},
		"CCO":                                 {"no ring", "8 atoms and fewer"},
		"CCN.Cl":                              {"halogens", "salts and mixtures", "no ring", "8 atoms and fewer"},
		"OCCCCCCO":                            {"long chains", "no ring", "8 atoms and fewer"},
		"CC(CCCC)C":                           {"long chains", "no ring", "8 atoms and fewer"},
		"CCCCCO":                              {"no ring", "8 atoms and fewer"},
		"CCCOCCC":                             {"no ring", "8 atoms and fewer"},
		"CCC=CCC":                             {"no ring", "8 atoms and fewer"},
		"C1CCCCCC1":                           {"one ring", "8 atoms and fewer"},
		"CNc1ccccc1":                          {"anilines", "one ring", "8 atoms and fewer"},
		"CN(C)c1ccccc1":                       {"one ring"},
		"CC(=O)Nc1ccccc1":                     {"one ring"},
		"C1CCCCC1CS":                          {"sulfur", "one ring", "8 atoms and fewer"},
		"COP(=O)(OC)OC":                       {"phosphorus", "no ring", "8 atoms and fewer"},
		"CC12CCC3C(CCC4=CC(=O)CCC34C)C1CCC2O": {"steroid-like polycycles"},
		"c1ccc2c(c1)ccc1ccccc12":              nil,
		"O=[N+]([O-])OCC(CO[N+](=O)[O-])O[N+](=O)[O-]": {"nitro groups", "charged atoms", "no ring"},
		strings.Repeat("C(=O)N", 17):                   {"no ring", "48 atoms and more"},
	} {
		var got []string
		for _, trait := range Traits {
			if trait.List != "" && trait.Of(parse(t, text)[0]) {
				got = append(got, trait.List)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}
