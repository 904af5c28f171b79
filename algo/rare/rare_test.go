package rare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
	"baca/algo/molecule/smiles"
)

func parse(list ...string) (gs []*graph.Graph) {
	for _, s := range list {
		gs = append(gs, must.Have(smiles.ParseGraph(s)))
	}
	return gs
}

// esters are n training molecules, each of some length.
func esters(n int) (list []string) {
	for k := range n {
		list = append(list, strings.Repeat("C", 1+k%9)+"C(=O)O"+strings.Repeat("C", 1+k/9%5)+"c1ccc(N)cc1")
	}
	return list
}

// A strange part on a familiar body has a high level, and its atoms the excess.
func TestStrangeParts(t *testing.T) {
	training := parse(esters(400)...)
	table := New(training, []int{0, 7})
	if table.Level(training[3]) != 0 || len(table.Bank) != 2 || table.Bank[0] != 0 {
		t.Errorf("a training molecule is of level %d, the bank of %v", table.Level(training[3]), table.Bank)
	}
	for _, c := range []struct {
		smiles string
		atoms  string // whose shares are positive; "" for a familiar molecule
	}{
		{"CCCC(=O)OCc1ccc(N)cc1", ""}, {"CCCCCC(=O)OCCCCCCc1ccc(N)cc1", ""},
		{"CCCC(=O)OCc1ccc([Hg]C)cc1", "9 10 11 12 13"},
		{"CCCC(=O)OCc1ccc(N=[N+]=[N-])cc1", "10 11 12 13"},
		{"CCCC(=O)OCc1ccc(C#CC#CC#CC)cc1", "9 10 11 12 13 14 15 16 17 18"},
	} {
		g := parse(c.smiles)[0]
		raise, sum, got := Raise(table.Level(g)), 0.0, []string{}
		for i, x := range table.Shares(g, raise, make([]float64, g.N())) {
			if sum += x; x > 0 {
				got = append(got, fmt.Sprint(i))
			}
		}
		if math.Abs(sum-raise) > 1e-12 || (raise > 1.8) != (c.atoms != "") || strings.Join(got, " ") != c.atoms {
			t.Errorf("%s adds %g, its atoms %v add %g, want %q", c.smiles, raise, got, sum, c.atoms)
		}
		var a graph.Arrangement
		a.Arrange(g, lists.Map(rand.New(rand.NewPCG(1, 1)).Perm(g.N()), func(i int) int32 { return int32(i) }))
		if again := table.Level(&a.Graph); again != table.Level(g) {
			t.Errorf("%s is of level %d, written otherwise %d", c.smiles, table.Level(g), again)
		}
	}
	if few := New(training[:20], nil); len(few.Levels) != 0 || few.Level(parse("C[Hg]C")[0]) != 0 {
		t.Errorf("twenty molecules tell levels %v", few.Levels)
	}
	var none *Table
	if none.Level(training[0]) != 0 {
		t.Error("without a table something is rare")
	}
}

// Training molecules, each left out, exceed a level as often as it says; a table that was read is the same.
func TestLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	list := esters(1000)
	for k := range list {
		for _, odd := range []string{"F", "Cl", "Br", "I", "SC", "OC", "P", "[Si](C)C", "C#N", "N=O", "OO"} {
			if rng.IntN(60) == 0 {
				list[k] = strings.Replace(list[k], "(N)", "("+odd+")", 1)
			}
		}
	}
	training := parse(list...)
	var all []int
	for k := range training {
		all = append(all, k)
	}
	table := New(training, all)
	for k := range table.Levels {
		exceed := 0
		for _, level := range table.Bank {
			if int(level) > k {
				exceed++
			}
		}
		if most := 1001*math.Erfc((1.7+0.05*float64(k+1))/math.Sqrt2)/2 - 1; float64(exceed) > most {
			t.Errorf("%d of 1000 exceed level %d, want at most %g", exceed, k, most)
		}
	}
	// Of each that was left out, the level is that by a table of the others, but for the rounding of shares.
	read := (&Table{Keys: table.Keys, Counts: table.Counts, Levels: table.Levels}).Open()
	high := 0
	for k := 0; k < len(training); k += 50 {
		rest := slices.Concat(training[:k], training[k+1:])
		if level := New(rest, nil).Level(training[k]); math.Abs(float64(level)-float64(table.Bank[k])) > 2 {
			t.Errorf("%s is of level %d, by the others %d", list[k], table.Bank[k], level)
		} else if level > 0 {
			high++
		}
		if table.Level(training[k]) != read.Level(training[k]) {
			t.Errorf("%s has another level by the table that was read", list[k])
		}
	}
	if len(table.Levels) == 0 {
		t.Errorf("no levels, %d are high", high)
	}
}

// Atoms of a group are counted by their rarest bond or path and their run, whatever hydrogens other atoms than carbon have.
func TestWithin(t *testing.T) {
	table := New(parse("CCO", "CCO", "CCON", "CCONC", "CCN", "CCCCCCCCC", "C=CCl"), nil)
	for _, c := range []struct {
		smiles string
		atoms  []int
		count  Count
		atMost int
	}{
		{"CCO", []int{1, 2}, Count{2, Common}, 4}, {"CCO", []int{2}, Count{Common, Common}, Common}, {"CCNO", []int{2, 3}, Count{0, Common}, 2},
		{"CCNO", []int{1, 2, 3}, Count{0, Common}, 1}, {"CCCCCCCO", []int{0, 1, 2, 3, 4, 5}, Count{1, 1}, 1}, {"CC(=O)Cl", []int{1, 2, 3}, Count{0, Common}, 0},
	} {
		g := parse(c.smiles)[0]
		of := make([]int, g.N())
		for _, i := range c.atoms {
			of[i] = 1
		}
		if got := table.Within(g, of, 2)[1]; got != c.count {
			t.Errorf("atoms %v of %s are in %v, want %v", c.atoms, c.smiles, got, c.count)
		}
		if got := table.AtMost(g, c.atoms); got != c.atMost {
			t.Errorf("atoms %v of %s are in at most %d, want %d", c.atoms, c.smiles, got, c.atMost)
		}
	}
}
