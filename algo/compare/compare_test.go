package compare

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/dataset"
	"baca/algo/fingerprint"
	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

func TestFisher(t *testing.T) {
	// By scipy.stats.fisher_exact of SciPy 1.10.
	for _, c := range []struct {
		a, n, b, m int
		p          float64
	}{
		{8, 10, 1, 6, 0.034965034965034975},
		{3, 200, 17, 180, 0.0007791806357402181},
		{0, 50, 0, 60, 1.0},
		{50, 50, 0, 60, 1.5934266519932086e-32},
		{1000, 100000, 1200, 90000, 1.249907279715411e-11},
		{4000, 4200, 960, 1100, 7.248217559403528e-19},
		{5, 10, 5, 10, 1.0},
		{900, 2039, 100, 1513, 4.076889082025219e-151},
		{1, 40000, 30, 1000, 8.158020633319606e-48},
	} {
		if p := fisher(c.a, c.n, c.b, c.m); !(math.Abs(p/c.p-1) < 1e-6) {
			t.Errorf("%d of %d and %d of %d: p = %g, want %g", c.a, c.n, c.b, c.m, p, c.p)
		}
	}
}

// The sum over all tables is the oracle.
func TestFisherSumsAllTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n, m := 1+rng.IntN(30), 1+rng.IntN(30)
		a, b := rng.IntN(n+1), rng.IntN(m+1)
		p := func(x int) float64 {
			return math.Exp(choose(n, x) + choose(m, a+b-x) - choose(n+m, a+b))
		}
		want := 0.0
		for x := max(0, a+b-m); x <= min(a+b, n); x++ {
			if p(x) <= p(a)*(1+1e-7) {
				want += p(x)
			}
		}
		if got := fisher(a, n, b, m); !(math.Abs(got-want) <= 1e-9*want) {
			t.Fatalf("%d of %d and %d of %d: p = %g, want %g", a, n, b, m, got, want)
		}
	}
}

func TestOddsRatio(t *testing.T) {
	// (6.5·12.5)/(1.5·10.5) by hand, and its interval e^(ln OR ± 1.96·√(1/6.5+1/12.5+1/1.5+1/10.5)).
	odds, low, high := oddsRatio(10, 22, 6, 7)
	want := 6.5 * 12.5 / (1.5 * 10.5)
	half := 1.959964 * math.Sqrt(1/6.5+1/12.5+1/1.5+1/10.5)
	if math.Abs(odds-want) > 1e-12 || math.Abs(math.Log(high/odds)-half) > 1e-12 || math.Abs(math.Log(odds/low)-half) > 1e-12 {
		t.Errorf("odds ratio %g (%g to %g), want %g and half a width of %g", odds, low, high, want, half)
	}
}

// The nearest of random sets are those that comparing all pairs finds.
func TestNearestIsThatOfAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func(n, keys int) [][]uint32 {
		var sets [][]uint32
		for range n {
			var s []uint32
			for range rng.IntN(30) {
				// Some keys are common, most are rare.
				s = append(s, uint32(float64(keys)*math.Pow(rng.Float64(), 3)))
			}
			slices.Sort(s)
			sets = append(sets, slices.Compact(s))
		}
		return sets
	}
	for _, size := range []int{1, 2, 30, 400} {
		sets := draw(size, 300)
		queries := append(draw(200, 400), sets...)
		x := newIndex(sets)
		s := newSearch(x)
		for q, keys := range queries {
			for _, skip := range []int{-1, q - 200} {
				if skip < -1 {
					continue
				}
				want := -1.0
				for i, other := range sets {
					if i != skip {
						want = max(want, fingerprint.Tanimoto(shared(keys, other), len(keys), len(other)))
					}
				}
				if got := s.nearest(keys, skip); got != want {
					t.Fatalf("%d sets, query %v but %d: %g, want %g", size, keys, skip, got, want)
				}
			}
		}
	}
}

func parse(text string) dataset.Record {
	g, _ := must.Both(smiles.ParseIn(text, molecule.Canonical))
	return dataset.Record{SMILES: text, Graph: g}
}

func listOf(name string, texts ...string) *List {
	var sources []dataset.Record
	for _, text := range texts {
		sources = append(sources, parse(text))
	}
	l := NewList(name, 1, len(name)%2)
	must.Do(l.Add(context.Background(), 2, sources))
	return l
}

func TestListCountsAMoleculeOnce(t *testing.T) {
	l := listOf("list", "OCC", "CCO", "C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O", "c1ccccc1", "C1=CC=CC=C1")
	if l.Len() != 3 || l.Copies != 3 || l.Read != 6 || len(l.scaffolds) != 1 {
		t.Errorf("%d molecules of %d scaffolds and %d copies of %d, want 3 of 1, 3 and 6", l.Len(), len(l.scaffolds), l.Copies, l.Read)
	}
}

// By hand: of A's molecules 1 and 2 have both fragments, of B's 5 has both and 6 one.
func TestSharedBy(t *testing.T) {
	if got := sharedBy([2][]uint32{{1, 2}, {5}}, [2][]uint32{{1, 2}, {5, 6}}); got != 0.75 {
		t.Errorf("%g, want 0.75", got)
	}
}

func TestTraits(t *testing.T) {
	for text, want := range map[string][]string{
		"c1ccc2[nH]ccc2c1":       {"2 rings", "ring of 5", "ring of 6", "indole ring", "C", "N"},
		"CCCCCCO":                {"no ring", "primary alcohol group", "alkyl chain", "C", "O", "chain of six saturated carbons"},
		"C[NH3+].[Cl-]":          {"no ring", "salt or mixture", "ammonium group", "chloride ion", "methyl group", "C", "N", "Cl", "charged atom"},
		"C[C@H](N)C(=O)O":        {"no ring", "primary amine group", "carboxylic acid group", "alkyl chain", "C", "N", "O", "stereocentre that is written"},
		"C1CCCCCCCCCCCCC1":       {"one ring", "macrocycle, 12 atoms or more", "C"},
		"[O-][N+](=O)c1ccccc1Br": {"one ring", "ring of 6", "benzene ring", "aryl bromide", "nitro group", "C", "N", "O", "Br", "charged atom"},
	} {
		var got []string
		for _, tr := range traitsOf(parse(text).Graph) {
			got = append(got, tr.name)
		}
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("%s: no %q among %q", text, name, got)
			}
		}
	}
}

// Ring sizes of molecules, by hand.
func TestRingSizes(t *testing.T) {
	for text, want := range map[string][]int{
		"CCO": nil, "C1CC1": {3}, "c1ccc2[nH]ccc2c1": {5, 6}, "C1CC2CCC1C2": {5}, "C1CCC2(CC1)CCC2": {4, 6}, "C1CC1C1CCCC1": {3, 5}, "C12C3C4C1C5C2C3C45": {4},
	} {
		if got := ringSizes(parse(text).Graph); !slices.Equal(got, want) {
			t.Errorf("%s: rings of %v, want %v", text, got, want)
		}
	}
}

func options() Options { return Options{FDR: 0.05, Workers: 2} }

// series are chains of carbon with an end.
func series(from, to int, end string) (texts []string) {
	for n := from; n < to; n++ {
		texts = append(texts, chain(n)+end)
	}
	return texts
}

func chain(n int) string { return strings.Repeat("C", n) }

// By hand: three of four pairs of the first fold, the only one of the second, and no pair of the third. If
// the folds' errors agree, that of the mean is (4·√(5/48) + 1·½)/5.
func TestFoldedAUC(t *testing.T) {
	auc, p := foldedAUC([][2][]float64{{{1, 3}, {2, 4}}, {{0}, {5}}, {{9}, nil}})
	error := (4*math.Sqrt(5.0/48) + 0.5) / 5
	if want := math.Erfc(0.3/error/math.Sqrt2) / 2; auc != 0.8 || math.Abs(p-want) > 1e-12 {
		t.Errorf("AUC %g, p %g, want 0.8 and %g", auc, p, want)
	}
	if auc, p := foldedAUC([][2][]float64{{{1}, nil}}); auc != 0.5 || p != 0.5 {
		t.Errorf("of no pair AUC %g, p %g", auc, p)
	}
}

// What separates the lists best is named with its own AUC: a trait, a count, or what reading set aside.
func TestSingle(t *testing.T) {
	charged := func(name string, texts []string) *List {
		l := NewList(name, 1, len(name)%2)
		for _, text := range texts {
			g, aside := must.Both(smiles.ParseIn(text, molecule.Parent))
			must.Do(l.Add(context.Background(), 1, []dataset.Record{{SMILES: text, Graph: g, Aside: aside}}))
		}
		return l
	}
	for _, c := range []struct {
		a, b *List
		want string
	}{
		{listOf("a", series(1, 40, "O")...), listOf("bb", append(series(1, 10, "O"), series(2, 32, "N")...)...),
			"One thing alone has an AUC of 0.88: N, in 77 % of B and 0 % of A."},
		{listOf("a", series(1, 40, "O")...), listOf("bb", series(40, 70, "O")...), "The number of atoms alone has an AUC of 1.00: the median is 55.5 in B, 21 in A."},
		{charged("a", series(1, 40, "C(=O)O")), charged("bb", series(10, 49, "C(=O)[O-].[Na+]")),
			"With what reading sets aside, which may only be how they are written, the AUC is 1.00. One thing alone has an AUC of 1.00: charge set aside, in 100 % of B and 0 % of A."},
		{listOf("a", series(1, 40, "O")...), listOf("bb", series(1, 41, "O")...), ""},
	} {
		x := must.Have(Compare(context.Background(), c.a, c.b, options()))
		if _, got, _ := strings.Cut(x.Differs(), ")."); strings.TrimSpace(got) != c.want {
			t.Errorf("%q, want %q at its end", x.Differs(), c.want)
		}
	}
}

func TestCompareFindsWhatDiffers(t *testing.T) {
	a := listOf("a", append(series(1, 40, "O"), series(1, 20, "C(=O)O")...)...)
	b := listOf("bb", append(series(1, 40, "N"), series(1, 20, "C(=O)O")...)...)
	c := must.Have(Compare(context.Background(), a, b, options()))
	if c.Overlap.Molecules != 19 {
		t.Errorf("%d molecules in both, want 19", c.Overlap.Molecules)
	}
	if !(c.Evidence.AUC > 0.7 && c.Evidence.P < 0.01) {
		t.Errorf("AUC %g, p %g: want lists that are told apart", c.Evidence.AUC, c.Evidence.P)
	}
	find := func(name string) Difference {
		for _, d := range c.Named {
			if d.Name == name {
				return d
			}
		}
		t.Fatalf("no %q among %+v", name, c.Named)
		return Difference{}
	}
	if d := find("primary amine group"); d.InA != 0 || d.InB != 39 || d.Odds < 100 || d.Low < 1 {
		t.Errorf("amine groups: %+v", d)
	}
	if d := find("primary alcohol group"); d.InA != 38 || d.InB != 0 || d.Odds > 0.01 || d.High > 1 {
		t.Errorf("hydroxyl groups: %+v", d)
	}
	for _, d := range c.Named {
		if d.Name == "carboxylic acid group" {
			t.Errorf("acids, which both lists have: %+v", d)
		}
	}
	if !slices.ContainsFunc(c.Fragments, func(d Difference) bool { return d.Name == "C(N)*" && d.InB == 38 && d.Odds > 1 }) {
		t.Errorf("no C(N)* among %+v", c.Fragments)
	}
	for _, d := range c.Fragments {
		if _, err := smiles.Parse(d.Name); err != nil {
			t.Errorf("fragment %s: %v", d.Name, err)
		}
	}
}

// Halves of one set do not differ, and B is as near to A as A to itself.
func TestCompareOfOneSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	ends := []string{"C", "O", "N", "Cl", "Br", "C(=O)O", "C2CCCC2", "c2ccncc2", "S(=O)(=O)C", "C#C", "C2CC2", "C(F)(F)F", "C(=O)NC", "OC", "C(=O)C"}
	var texts []string
	for _, x := range ends {
		for _, y := range ends {
			for n := range 4 {
				texts = append(texts, "c1c("+chain(n)+x+")ncc("+chain(3-n)+y+")c1")
			}
		}
	}
	rng.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	half := len(texts) / 2
	c := must.Have(Compare(context.Background(), listOf("a", texts[:half]...), listOf("bb", texts[half:]...), options()))
	if len(c.Named)+len(c.Fragments) > 0 || c.Evidence.P < 0.001 || c.Audit.Verdict != "random" {
		t.Errorf("halves of one set: %+v, evidence %+v, audit %+v", c.Named, c.Evidence, c.Audit)
	}
	if c.FragmentsTested < 50 || c.NamedTested < 20 {
		t.Errorf("%d fragments and %d names compared", c.FragmentsTested, c.NamedTested)
	}
}

// Neither the number of workers nor the order of the molecules matters.
func TestCompareIsReproducible(t *testing.T) {
	texts := append(series(1, 30, "O"), series(1, 30, "c1ccccc1")...)
	others := append(series(1, 30, "N"), series(1, 30, "c1ccncc1")...)
	var first string
	for round := range 3 {
		o := options()
		o.Workers = round + 1
		if round == 2 {
			slices.Reverse(texts)
			slices.Reverse(others)
		}
		c := must.Have(Compare(context.Background(), listOf("a", texts...), listOf("bb", others...), o))
		got := string(must.Have(json.Marshal(c)))
		if round == 0 {
			first = got
		} else if got != first {
			t.Errorf("round %d:\n%s\nfirst:\n%s", round, got, first)
		}
	}
}

func TestCompareEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a, b := listOf("a", series(1, 30, "O")...), listOf("bb", series(1, 30, "N")...)
	if _, err := Compare(ctx, a, b, options()); err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestCompareOfFew(t *testing.T) {
	a, b := listOf("a", "CCO"), listOf("bb", "CCN")
	c := must.Have(Compare(context.Background(), a, b, options()))
	if c.Evidence.Skipped == "" || c.Audit.Verdict != "undecided" || len(c.Named) > 0 {
		t.Errorf("one molecule each: %+v", c)
	}
	c = must.Have(Compare(context.Background(), listOf("a", series(1, 30, "O")...), listOf("bb", series(1, 10, "N")...), options()))
	if want := "there are 29 of A and 9 of B, and it takes 10 of each"; c.Evidence.Skipped != want {
		t.Errorf("skipped for %q, want %q", c.Evidence.Skipped, want)
	}
	if _, err := Compare(context.Background(), a, NewList("none", 1, 1), options()); err == nil {
		t.Error("no error about a list without molecules")
	}
}

// A sample of a long list is looked up, the same for any order.
func TestNearestOfALongList(t *testing.T) {
	l := NewList("long", 1, 0)
	for i := range maxQueries + 5000 {
		l.same = append(l.same, identity{uint64(i), 1})
		l.prints = append(l.prints, []uint32{uint32(i % 10)})
	}
	x := newIndex([][]uint32{{0}, {1}, {2}, {3}, {4, 5}})
	n := must.Have(nearest(context.Background(), 2, l, x, false))
	// Four in ten have an equal one, two in ten one of similarity ½.
	if !n.Sampled || n.Queries != maxQueries || math.Abs(n.Coverage[coverageSteps-1]-0.4) > 0.012 || math.Abs(n.Coverage[coverageSteps/2]-0.6) > 0.012 {
		t.Errorf("%d queries, coverage %v", n.Queries, n.Coverage)
	}
	slices.Reverse(l.same)
	slices.Reverse(l.prints)
	if other, err := nearest(context.Background(), 1, l, x, false); err != nil || other.Mean != n.Mean || other.Duplicates != n.Duplicates {
		t.Errorf("in another order %d equal ones, want %d", other.Duplicates, n.Duplicates)
	}
}
