package smiles

import (
	"fmt"
	"strings"
	"testing"

	"baca/algo/molecule"
)

// Which atoms keep their tags, and in which sense, is what RDKit 2022.09 says (GetChiralTag).
func TestStereocentres(t *testing.T) {
	for text, want := range map[string]string{
		// The first atom is the later neighbour of a double bond.
		`F1.C/C1=C/[C@H](O)/C=C(/F)C`: "4@", `F1.C/C1=C/[C@H](O)/C=C(\F)C`: "",
		`C1.F/C1=C/[C@H](O)/C=C(/F)C`: "", `C1.F/C1=C/[C@H](O)/C=C(\F)C`: "4@",
		`F[Pt@SP1]Cl`: "1 class 5", `Cl[Co@OH1](Cl)(Cl)(Cl)(Cl)Cl`: "1 class 7", `F[As@TB1](F)(F)(F)F`: "1 class 6",
		`[12CH3][C@H](C)F`: "1@", `[11CH3][C@H]([12CH3])F`: "1@", `[1CH3][C@H]([2CH3])F`: "1@", `[CH3:1][C@H](C)F`: "1@",
		`[CH3:1][C@H]([CH3:2])F`: "1@", `C[C@H](C)F`: "", `C[C@H](CCCCCCCC)CCCCCCC`: "1@", `C[C@H](CCCCCC)CCCCCC`: "",
		`F[C@H](C=C)CC`: "1@", `C[C@H](C=P)CP`: "1@", `C[C@](C=[PH2]C)(CP)F`: "1@", `C[C@H](C=P(C)(C)C)C=P`: "1@",
		`C[C@]1(F)CN1`: "1@", `C[N@]1C[C@H]1F`: "1@ 3@@", `C[N@]1CC1`: "", `C[N@]1CC[C@H]1F`: "4@@",
		`C1C[N@]2CC[C@@H]1C(F)C2`: "2@ 5@", `FC1C[N@@]2CC[C@H]1CC2`: "3@@ 6@@", `C[C@H]1C[N@]2CC[C@@H]1CC2`: "1@@ 3@ 6@",
		`C[N@@H+](CC)CCC`: "1@@", `C[N@+](CC)(CCC)CCCC`: "1@", `C[N@](F)CC`: "", `C[S@](=O)C`: "", `C[S@](=O)CC`: "1@",
		`C[S@+](CC)CCC`: "1@", `C[S@](CC)CCC`: "", `C[Se@](=O)CC`: "1@", `C[Se@+](CC)CCC`: "1@", `C[P@](CC)CCC`: "1@",
		`C[P@H]CC`: "1@", `C[As@H]CC`: "1@", `C[As@](CC)CCC`: "1@", `C[Si@H](F)Cl`: "1@", `C[B@-](F)(Cl)CC`: "1@",
		`C[C@H]1CC[C@H](F)CC1`: "1@@ 4@", `C[C@H]1CC[C@@H](C)CC1`: "1@@ 4@@", `C[C@H]1CCCCC1`: "",
		`C[C@@]1(F)CC[C@](C)(F)CC1`: "1@@ 5@", `CC[C@@]1(CC)CC[C@](C)(F)CC1`: "", `C[C@@H]1CC1`: "", `C[C@H]1C[C@@H]1C`: "1@@ 3@",
		`C[C@H]1C[C@H](C)C1`: "1@@ 3@", `C1CC[C@@H]2CCCC[C@H]2C1`: "3@ 8@@", `C1CC[C@@]2(CC1)CC[C@H](F)CC2`: "",
		`C[C@H]1CC[C@]2(CC1)CC[C@@H](C)CC2`: "1@@ 9@@", `C1C[C@]2(CC1)CC[C@@H](F)C2`: "7@@",
		`C[C@H]1C[C@]2(C1)C[C@@H](C)C2`: "1@@ 6@@", `[C@H]12CC[C@H](CC1)CC2`: "", `F[C@]12CC[C@](Cl)(CC1)CC2`: "1@ 4@",
		`C[C@H]1C[C@@H](C)C[C@H](C)C1`: "1@@ 3@@ 6@", `O[C@H]1[C@H](O)[C@@H](O)[C@H](O)[C@H](O)[C@@H]1O`: "1@@ 2@ 4@@ 6@ 8@ 10@",
		`C[C@H](F)[C@H](Cl)[C@@H](F)C`: "1@ 5@@", `C[C@H](F)[C@H](Cl)[C@H](F)C`: "1@ 3@ 5@", `C/C=C/[C@H](F)/C=C\C`: "3@",
		`C/C=C/[C@H](F)/C=C/C`: "", `C[C@H]1CC[C@@H](C/C=C/F)CC1`: "1@@ 4@@", `C[C@@H]([2H])O`: "1@@", `[2H][C@H](C)O`: "1@",
		`[H][C@@](C)(F)O`: "0@", `C[C@H](~O)F`: "", `N->[C@H](C)F`: "1@", `C[C@@](=O)F`: "", `C[C@H]1CC[N@](C)CC1`: "",
		`C[N@]1CC[C@H](C)CC1`: "", `C[N@@+]1(CC)CC[C@H](C)CC1`: "1@@ 6@", `C[P@]1CC[C@H](C)CC1`: "1@ 4@",
		`C[C@@H]1CC=CC[C@H]1C`: "1@ 6@@", `[C@H]1(F)CCC1`: "", `C[C@](C)(O)F`: "", `F[C@](F)(Cl)Br`: "", `C[C@H]1C2CC1C2`: "",
		`C[C@@H]1[C@H]2C[C@@H]1C2`: "1@ 2@@ 4@", `C[C@]12CC[C@H](CC1)C2`: "1@ 4@", `CC/C=C1/CCC[C@H](F)C1`: "7@",
	} {
		var tags []string
		for i, a := range read(t, text).Atoms {
			switch a.Chirality {
			case molecule.Achiral:
			case molecule.CounterClockwise:
				tags = append(tags, fmt.Sprintf("%d@", i))
			case molecule.Clockwise:
				tags = append(tags, fmt.Sprintf("%d@@", i))
			default:
				tags = append(tags, fmt.Sprintf("%d class %d", i, a.Chirality))
			}
		}
		if got := strings.Join(tags, " "); got != want {
			t.Errorf("%s has the tags %q, want %q", text, got, want)
		}
	}
}
