package explain

import (
	"testing"

	"baca/algo/internal/must"
	"baca/algo/molecule/smiles"
)

func TestChain(t *testing.T) {
	chain := Trait{some: beginsChain}
	for text, want := range map[string]bool{
		"CCCCC": false, "CCCCCC": true, "OCCCCCCO": true, "CCCOCCC": false, "CCC=CCC": false, "C1CCCCCC1": false, "CC(CCCC)C": true,
	} {
		g := must.Have(smiles.ParseGraph(text))
		if got := chain.Of(g); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
