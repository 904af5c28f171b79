package molecule_test

import (
	"testing"

	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

func TestBeginsChain(t *testing.T) {
	for text, want := range map[string]bool{
		"CCCCC": false, "CCCCCC": true, "OCCCCCCO": true, "CCCOCCC": false, "CCC=CCC": false, "C1CCCCCC1": false, "CC(CCCC)C": true,
	} {
		g, err := smiles.ParseGraph(text)
		if err != nil {
			t.Fatal(err)
		}
		a := molecule.Atoms{Graph: g}
		got := a.Some(a.BeginsChain)
		if got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
