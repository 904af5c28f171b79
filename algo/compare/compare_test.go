package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"baca/algo/dataset"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/lists"
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

// By hand: of A's molecules 1 and 2 have both fragments, of B's 5 has both and 6 one.
func TestSharedBy(t *testing.T) {
	if got := sharedBy([2][]uint32{{1, 2}, {5}}, [2][]uint32{{1, 2}, {5, 6}}); got != 0.75 {
		t.Errorf("%g, want 0.75", got)
	}
}

// Traits of molecules are those that a chemist counts, and the sizes of their rings.
func TestTraits(t *testing.T) {
	var b strings.Builder
	say := func(about string, g *graph.Graph) {
		fmt.Fprintf(&b, "%s %v\n\t%s\n", about, ringSizes(g), strings.Join(lists.Map(traitsOf(g), func(t trait) string { return t.kind + " " + t.name }), ", "))
	}
	for _, text := range strings.Fields("CCO c1ccc2[nH]ccc2c1 CCCCCCO C[NH3+].[Cl-] C[C@H](N)C(=O)O C1CCCCCCCCCCC1 C1CCCCCCCCCC1 [O-][N+](=O)c1ccccc1Br C[SiH3] C1CC2CCC1C2 C1CCC2(CC1)CCC2 " +
		"C1CC1C1CCCC1 c1ccc2cc3ccccc3cc2c1 C1CC1C1CC1C1CC1C1CC1 C12C3C4C1C5C2C3C45 c1cc2ccc3ccc4ccc5ccc6ccc1c7c2c3c4c5c67") {
		say(text, parse(text).Graph)
	}
	for n, end := range map[int]string{1: "", 2: "C"} {
		g := parse(strings.Repeat("N", 999) + strings.Repeat("C", n)).Graph
		if named := slices.ContainsFunc(traitsOf(g), func(t trait) bool { return t.kind == KindGroup }); named != (g.N() <= 1000) {
			t.Errorf("groups of %d atoms%s are named: %v", g.N(), end, named)
		}
	}
	ring, _ := must.Both(graph.New(5, [][2]int32{{0, 1}, {1, 2}, {2, 0}, {3, 4}}))
	say("a plain triangle and an edge", ring)
	golden.Same(t, "testdata/traits.txt", b.String())
}

// What is said of comparisons is true of their numbers.
func TestWords(t *testing.T) {
	var b strings.Builder
	c := Comparison{A: Side{Counts: Counts{Name: "a.smi"}, Molecules: 50}, B: Side{Counts: Counts{Name: "b.smi"}, Molecules: 8}}
	for _, e := range []Evidence{{Skipped: "too few"}, {AUC: 0.75, P: 0.05}, {AUC: 0.6, P: 0.0501}, {AUC: 0.9, P: 0.0009, Written: 0.95}, {AUC: 0.9, P: 0.001, Single: &Single{KindCount, "number of atoms", 0.8, [2]float64{3, 12}}},
		{AUC: 0.9, P: 0, Single: &Single{KindGroup, "thiol group", 0.8, [2]float64{0.125, 0.5}}}} {
		c.Evidence = e
		fmt.Fprintln(&b, c.Differs())
	}
	for _, plain := range []bool{false, true} {
		c.Plain = plain
		c.Overlap = Overlap{Molecules: 2, ScaffoldsA: 5, ScaffoldsB: 4, Scaffolds: 1, CyclicA: 20, CyclicB: 0, SharingA: 3}
		fmt.Fprintln(&b, c.Names(), c.Shares())
	}
	c.Plain, c.BtoA.Queries, c.BtoA.Quantiles[2], c.AtoA.Quantiles[2] = false, 8, 0.75, 0.5
	for k, verdict := range []string{"easier", "random", "harder", "undecided"} {
		c.Audit.Verdict, c.BtoA.NearDuplicates = verdict, k%2
		fmt.Fprintln(&b, c.TooEasy())
	}
	for _, x := range []Comparison{{}, {Evidence: Evidence{A: 50, B: 7}}, {Evidence: Evidence{A: 49, B: 8}, BtoA: Nearest{Sampled: true}}, {Evidence: Evidence{A: 50, B: 8}, AtoB: Nearest{Sampled: true}},
		{Evidence: Evidence{A: 50, B: 8}, BtoA: Nearest{Sampled: true}}, {Evidence: Evidence{A: 50, B: 8}}, {Evidence: Evidence{A: 1, Skipped: "too few"}}} {
		x.A.Molecules, x.B.Molecules = 50, 8
		fmt.Fprintf(&b, "sampled: %s\n", x.Sampled())
	}
	for _, share := range []float64{0, 0.0009, 0.00095, 0.0994, 0.0995, 1} {
		fmt.Fprintf(&b, "%g is %s\n", share, Percent(share))
	}
	for _, v := range []Value{0.5, Value(math.NaN())} {
		fmt.Fprintf(&b, "in JSON %s\n", must.Have(json.Marshal(v)))
	}
	fmt.Fprintln(&b, Share(0, 0), Share(1, 3), Commoner([]Difference{{Odds: 1}, {Odds: 0.9}, {Odds: 2}}, true), Commoner([]Difference{{Odds: 1}, {Odds: 0.9}}, false))
	golden.Same(t, "testdata/words.txt", b.String())
}

// What is counted of two lists is what counting all their molecules and pairs gives. Those of both lists
// RDKit 2022.09 counts, where scaffolds of the same atoms are one.
func TestCompareCounts(t *testing.T) {
	rings := strings.Fields("c1ccccc1 c1ccncc1 C1CCCCC1 C1CCNCC1 c1ccsc1 C1CC1 c1ccc2ccccc2c1 c1ccc(cc1)-c1ccccc1")
	var of [2][]string
	for k, ends := range [2][]string{{"", "C", "O", "CC", "CCO", "OC", "N(C)C"}, {"", "Cl", "C(=O)O", "CCO", "N"}} {
		for n, ring := range rings {
			for m, end := range ends {
				if (n+m)%3 != k {
					of[k] = append(of[k], strings.Replace(ring, "1", "1"+map[bool]string{true: "(" + end + ")"}[end != ""], 1))
				}
			}
		}
	}
	of[0] = append(of[0], "CCCC", "CCCC", "[Na+].[Cl-]", "C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O", "C1=CC=CC=C1C")
	of[1] = append(of[1], "CCCC", "CCCCO", "OCCCC", "C1CCCCCCC1")
	a, b := listOf("a", of[0]...), listOf("bb", of[1]...)
	c := must.Have(Compare(context.Background(), a, b, options()))
	if want := (Overlap{6, 6, 7, 6, 37, 27, 37, 26}); c.Overlap != want {
		t.Errorf("%+v, want %+v", c.Overlap, want)
	}
	equal := func(about string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", about, got, want)
		}
	}
	for k, s := range []Side{c.A, c.B} {
		l := []*List{a, b}[k]
		equal("counts", s.Counts, l.Counts)
		for k, d := range []Distribution{s.Atoms, s.Rings} {
			values := floats([][]int{l.atoms, l.rings}[k])
			counts := make([]int, 1+int(slices.Max(values)))
			for _, v := range values {
				counts[int(v)]++
			}
			equal("distribution", d, Distribution{interpolated(values), stat.Mean(values, nil), counts})
		}
	}
	similarities := func(of, in *List) []float64 {
		list := slices.Repeat([]float64{0}, of.Len())
		for i, p := range of.prints {
			for j, q := range in.prints {
				both := len(slices.DeleteFunc(slices.Clone(p), func(key uint32) bool { return !slices.Contains(q, key) }))
				if of != in || i != j {
					list[i] = max(list[i], float64(both)/float64(len(p)+len(q)-both))
				}
			}
		}
		return list
	}
	for _, x := range []struct {
		n      Nearest
		of, in *List
	}{{c.AtoB, a, b}, {c.BtoA, b, a}, {c.AtoA, a, a}, {c.BtoB, b, b}} {
		list := similarities(x.of, x.in)
		want := Nearest{Queries: len(list), Quantiles: interpolated(list), Mean: x.n.Mean, Coverage: x.n.Coverage, similarities: list}
		for k := range want.Coverage {
			share := 0.0
			for _, s := range list {
				if s >= float64(k)/20 {
					share += 1 / float64(len(list))
				}
				if s >= 0.85 && k == 0 {
					want.NearDuplicates++
				}
				if s == 1 && k == 0 {
					want.Duplicates++
				}
			}
			if math.Abs(share-x.n.Coverage[k]) > 1e-9 || math.Abs(stat.Mean(list, nil)-x.n.Mean) > 1e-9 {
				t.Errorf("a share of %g is as near as %d/20, want %g; the mean is %g", x.n.Coverage[k], k, share, x.n.Mean)
			}
		}
		equal("nearest", x.n, want)
	}
}

// interpolated are the quantiles of values, linear between two.
func interpolated(values []float64) (q [5]float64) {
	sorted := slices.Sorted(slices.Values(values))
	for k, level := range []float64{0.05, 0.25, 0.5, 0.75, 0.95} {
		at, part := math.Modf(level * float64(len(sorted)-1))
		q[k] = sorted[int(at)]
		if part > 0 {
			q[k] += part * (sorted[int(at)+1] - sorted[int(at)])
		}
	}
	return q
}

// An audit's AUC counts pairs. Its verdict needs 0.05 and two standard errors.
func TestAudit(t *testing.T) {
	steps := func(n int, from, by float64) (list []float64) {
		for k := range n {
			list = append(list, from+by*float64(k))
		}
		return list
	}
	for _, c := range []struct {
		test, within []float64
		want         Audit
	}{
		{steps(400, 0, 1), steps(400, 0, 1), Audit{0.5, "random"}},
		{steps(400, 24, 1), steps(400, 0, 1), Audit{0.558, "easier"}},
		{steps(400, 19, 1), steps(400, 0, 1), Audit{0.546, "random"}},
		{steps(400, 0, 1), steps(400, 24, 1), Audit{0.442, "harder"}},
		{steps(400, 0, 1), steps(400, 19, 1), Audit{0.454, "random"}},
		{steps(10, 9, 1), steps(10, 0, 1), Audit{0.995, "undecided"}},
		{steps(12, 11, 1), steps(12, 0, 1), Audit{0.997, "easier"}},
	} {
		got := audit(c.test, c.within)
		if math.Abs(got.AUC-c.want.AUC) > 0.001 || got.Verdict != c.want.Verdict {
			t.Errorf("%+v, want %+v", got, c.want)
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

// Alcohols and amines with as many acids differ in their ends, and in nothing else.
func TestCompareFindsWhatDiffers(t *testing.T) {
	a := listOf("a", append(series(1, 40, "O"), series(1, 20, "C(=O)O")...)...)
	b := listOf("bb", append(series(1, 40, "N"), series(1, 20, "C(=O)O")...)...)
	c := must.Have(Compare(context.Background(), a, b, options()))
	if !(c.Evidence.AUC > 0.7 && c.Evidence.P < 0.01) {
		t.Errorf("AUC %g, p %g: want lists that are told apart", c.Evidence.AUC, c.Evidence.P)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d names and %d fragments\n", c.NamedTested, c.FragmentsTested)
	for _, d := range slices.Concat(c.Named, c.Fragments) {
		fmt.Fprintf(&text, "%s %s: %d of A, %d of B, odds %.3g (%.3g to %.3g), p %.2g, q %.2g, in %s %v\n", d.Kind, d.Name, d.InA, d.InB, d.Odds, d.Low, d.High, d.P, d.Q, d.Example, d.Atoms)
	}
	golden.Same(t, "testdata/found.txt", text.String())
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
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compare(ctx, a, b, options()); err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
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
