package explain

import (
	"testing"

	"baca/algo/internal/must"
	"baca/algo/molecule/smiles"
)

func TestTraits(t *testing.T) {
	chain, aniline := Trait{some: beginsChain}, Trait{some: isAniline}
	for _, c := range []struct {
		trait  Trait
		smiles string
		want   bool
	}{
		{chain, "CCCCC", false}, {chain, "CCCCCC", true}, {chain, "OCCCCCCO", true}, {chain, "CCCOCCC", false}, {chain, "CCC=CCC", false},
		{chain, "C1CCCCCC1", false}, {chain, "CC(CCCC)C", true},
		{aniline, "CNc1ccccc1", true}, {aniline, "CN(C)c1ccccc1", false}, {aniline, "CC(=O)Nc1ccccc1", false}, {aniline, "NCc1ccccc1", false},
	} {
		if got := c.trait.Of(must.Have(smiles.ParseGraph(c.smiles))); got != c.want {
			t.Errorf("%s: %v, want %v", c.smiles, got, c.want)
		}
	}
}
