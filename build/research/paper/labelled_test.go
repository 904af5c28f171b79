package paper

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"baca/build/internal/testset"
)

// writeLabelled writes the sets esol and bace: rings with side chains of 300 molecules, whose
// value is their size but for noise, and whose class says that they are large.
func writeLabelled(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	numbers, classes := "smiles,measured log solubility in mols per litre\n", "smiles,Class\n"
	for i := range 300 {
		chain := 1 + i/20
		text := []string{"c1ccccc1", "c1ccncc1", "C1CCCCC1", "C1CCNC1", "O1CCCC1", "C1CC1", "s1cccc1", "C1CCC1", "o1cccc1", ""}[i%10] + strings.Repeat("C", chain) + []string{"", "O"}[i/10%2]
		numbers += fmt.Sprintf("%s,%.3f\n", text, float64(chain)+rng.NormFloat64())
		class := 0
		if chain > 6 != (rng.Float64() < 0.15) {
			class = 1
		}
		classes += fmt.Sprintf("%s,%d\n", text, class)
	}
	testset.Write(t, filepath.Join(folder, "mol", "esol.csv"), numbers)
	testset.Write(t, filepath.Join(folder, "mol", "bace.csv"), classes)
	return folder
}

func TestOpenLabelled(t *testing.T) {
	folder := t.TempDir()
	set := func(text string) *labelledSet {
		testset.Write(t, filepath.Join(folder, "mol", "freesolv.csv"), "iupac,smiles,expt\n"+text)
		return labelled{"freesolv", "expt", false}.open(folder, 100)
	}
	s := set("a,CCO,1.5\nb,OCC,2\nc,CC, 3 \nd,CCC,\ne,C1CC,4\n")
	// CCC has no value, C1CC is no molecule.
	if !slices.Equal(s.smiles, []string{"CCO", "OCC", "CC"}) || !slices.Equal(s.values, []float64{1.5, 2, 3}) {
		t.Errorf("%q with %v: want CCO, OCC and CC with 1.5, 2 and 3", s.smiles, s.values)
	}
	for text, want := range map[string]string{
		"a,CCO,1\nb,CC,soft\n": `freesolv:3:6: expt "soft": want a finite number`,
		"a,CCO,NaN\n":          `freesolv:2:7: expt "NaN": want a finite number`,
	} {
		if err := failure(func() { set(text) }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	testset.Write(t, filepath.Join(folder, "mol", "bbbp.csv"), "p_np,smiles\n2,CCO\n")
	if err := failure(func() { labelled{"bbbp", "p_np", true}.open(folder, 100) }); err == nil || !strings.Contains(err.Error(), `bbbp:2:1: p_np "2": want 0, 1`) {
		t.Errorf("a third class: %v", err)
	}
	l := labelled{"esol", trustSets[0].column, false}
	folder = writeLabelled(t)
	if some := l.open(folder, 100); len(some.graphs) != 100 {
		t.Errorf("%v: want 100 of 300 drawn", some)
	}
}

func TestTrustSplits(t *testing.T) {
	folder := writeLabelled(t)
	s := trustSets[0].open(folder, 1000)
	for _, kind := range intervalKinds {
		train, test := s.split(kind, 1)
		again, _ := s.split(kind, 1)
		other, _ := s.split(kind, 3)
		if !slices.Equal(train, again) || slices.Equal(train, other) {
			t.Errorf("%s: want the same split by one seed and another by the next", kind)
		}
		all := slices.Concat(train, test)
		slices.Sort(all)
		want := len(s.graphs)
		if kind == "size" {
			want -= want / 5
		}
		if len(slices.Compact(slices.Clone(all))) != want || len(all) != want || 5*len(test) > want || len(test) == 0 {
			t.Errorf("%s: %d to train on and %d to test: want %d different ones, a fifth tested", kind, len(train), len(test), want)
		}
		size := func(i int) int { return s.graphs[i].N() }
		if kind == "size" && slices.Max(mapped(train, size)) > slices.Min(mapped(test, size)) {
			t.Error("size: a molecule that is tested is smaller than one of training")
		}
		for _, group := range s.groups[kind] {
			isTested := func(i int) bool { return slices.Contains(test, i) }
			isTrained := func(i int) bool { return slices.Contains(train, i) }
			if slices.ContainsFunc(group, isTested) && slices.ContainsFunc(group, isTrained) {
				t.Errorf("%s: %v is on both sides", kind, group)
			}
		}
	}
}
