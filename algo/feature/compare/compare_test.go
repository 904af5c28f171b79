package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"baca/algo/dataset"
	"baca/algo/explain"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
	"baca/algo/internal/sample"
	"baca/algo/metric"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/tanimoto"
)

// SciPy wrote the p-values, see testdata/fisher.py.
func TestFisher(t *testing.T) {
	golden.Reference(t, "testdata/fisher.txt", 4, func(f []string) string {
		n := lists.Map(f, func(text string) int { return must.Have(strconv.Atoi(text)) })
		odds, low, high := oddsRatio(n[0], n[1], n[2], n[3])
		return fmt.Sprintf("%.5e %.5e %.5e %.5e", fisher(n[0], n[1], n[2], n[3]), odds, low, high)
	})
}

func parse(text string) dataset.Record {
	g, _ := must.Both(smiles.ParseIn(text, molecule.Canonical))
	return dataset.Record{Entry: dataset.Entry{SMILES: text}, Graph: g}
}

func listOf(name string, texts ...string) *List {
	l := NewList(name, 1, len(name)%2)
	must.Do(l.Add(context.Background(), 2, lists.Map(texts, parse)))
	return l
}

// Traits of molecules are those that a chemist counts, and the sizes of their rings.
func TestTraits(t *testing.T) {
	say := func(g *graph.Graph) string {
		traits := lists.Map(traitsOf(g), func(t trait) string { return t.kind + " " + t.name })
		return fmt.Sprint(ringSizes(explain.Rings(g)), "\n\t", strings.Join(traits, ", "))
	}
	golden.Table(t, "testdata/traits.txt", 1, func(f []string) string { return say(parse(f[0]).Graph) })
	for n := range 2 {
		g := parse(strings.Repeat("N", 1000) + strings.Repeat("C", n)).Graph
		if named := slices.ContainsFunc(traitsOf(g), func(t trait) bool { return t.kind == KindGroup }); named != (n == 0) {
			t.Errorf("groups of %d atoms are named: %v", g.N(), named)
		}
	}
	if got := say(sample.Shape("ring", 3)); got != "[3]\n\tring one ring, ring ring of 3" {
		t.Errorf("a plain triangle is %q", got)
	}
}

// What is said of a comparison is true of its numbers. Those that are not given are of lists of 50 and 8 molecules.
func TestWords(t *testing.T) {
	golden.Table(t, "testdata/words.txt", 1, func(f []string) string {
		c := Comparison{A: Side{Counts: Counts{Name: "a.smi"}, Molecules: 50}, B: Side{Counts: Counts{Name: "b.smi"}, Molecules: 8}}
		must.Do(json.Unmarshal([]byte(f[0]), &c))
		return strings.Join([]string{c.Names(), c.Differs(), c.Shares(), c.TooEasy(), c.Sampled()}, " | ")
	})
	for share, want := range map[float64]string{0: "0 %", 0.0009: "< 0.1 %", 0.00095: "0.1 %", 0.0994: "9.9 %", 0.0995: "10 %", 1: "100 %"} {
		if got := Percent(share); got != want {
			t.Errorf("%g is %s, want %s", share, got, want)
		}
	}
	if list := []Difference{{Odds: 1}, {Odds: 0.9}}; len(Commoner(list, true)) != 1 || Commoner(list, false)[0].Odds != 0.9 {
		t.Error("an odds ratio of 1 counts as commoner in B")
	}
	if got := string(must.Have(json.Marshal([]Value{0.5, Value(math.NaN())}))); got != "[0.5,null]" {
		t.Errorf("a half and what is unknown are %s", got)
	}
}

// Compare agrees with a brute-force count over all molecules and pairs. Those of both lists
// RDKit 2022.09 counts: distinct canonical SMILES, and of MurckoScaffold distinct ones, where scaffolds of the same
// atoms are one.
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
			equal("distribution", d, Distribution{percentiles(values), stat.Mean(values, nil), counts})
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
		want := Nearest{Queries: len(list), Quantiles: percentiles(list), Mean: x.n.Mean, Coverage: x.n.Coverage, similarities: list}
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

func percentiles(values []float64) (q [5]float64) {
	for k, level := range []float64{5, 25, 50, 75, 95} {
		q[k] = metric.Percentile(values, level)
	}
	return q
}

// What is just as sure as the rate of false discoveries asks is kept.
func TestJudge(t *testing.T) {
	c := Comparison{FDR: fisher(8, 10, 1, 6)}
	if got := c.judge([]Difference{{InA: 8, InB: 1}}, 10, 6); len(got) != 1 || got[0].Q != c.FDR {
		t.Errorf("at a rate of %g %+v", c.FDR, got)
	}
}

// An audit's AUC counts pairs. Its verdict needs 0.05 and two standard errors.
func TestAudit(t *testing.T) {
	for _, c := range []struct {
		n, shift int
		want     Audit
	}{
		{400, 0, Audit{0.5, "random"}}, {400, 24, Audit{0.558, "easier"}}, {400, 19, Audit{0.546, "random"}}, {400, -24, Audit{0.442, "harder"}},
		{400, -19, Audit{0.454, "random"}}, {11, 10, Audit{0.996, "undecided"}}, {12, 11, Audit{0.997, "easier"}},
	} {
		var test, within []float64
		for k := range c.n {
			test, within = append(test, float64(k+c.shift)), append(within, float64(k))
		}
		if got := audit(test, within); math.Abs(got.AUC-c.want.AUC) > 0.001 || got.Verdict != c.want.Verdict {
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
			must.Do(l.Add(context.Background(), 1, []dataset.Record{{Entry: dataset.Entry{SMILES: text, Aside: aside}, Graph: g}}))
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

// Alcohols with ten thiols differ from amines in their ends, not in the acids of both, with any number of workers and in any order.
func TestCompareFindsWhatDiffers(t *testing.T) {
	alcohols := slices.Concat(series(1, 40, "O"), series(1, 20, "C(=O)O"), series(1, 11, "S"))
	amines := append(lists.Map(series(0, 39, ""), func(s string) string { return "C(N)" + s }), series(1, 20, "C(=O)O")...)
	var first string
	for round := range 3 {
		o := options()
		if o.Workers = round + 1; round == 2 {
			slices.Reverse(alcohols)
			slices.Reverse(amines)
		}
		c := must.Have(Compare(context.Background(), listOf("a", alcohols...), listOf("bb", amines...), o))
		var text strings.Builder
		fmt.Fprintf(&text, "%d names and %d fragments\n", c.NamedTested, c.FragmentsTested)
		for _, d := range slices.Concat(c.Named, c.Fragments) {
			fmt.Fprintf(&text, "%s %s: %d of A, %d of B, odds %.3g (%.3g to %.3g), p %.2g, q %.2g, in %s %v\n",
				d.Kind, d.Name, d.InA, d.InB, d.Odds, d.Low, d.High, d.P, d.Q, d.Example, d.Atoms)
		}
		golden.Same(t, "testdata/found.txt", text.String())
		if all := string(must.Have(json.Marshal(c))); round == 0 {
			first = all
		} else if all != first || !(c.Evidence.AUC > 0.7 && c.Evidence.P < 0.01) {
			t.Errorf("round %d:\n%s\nfirst:\n%s", round, all, first)
		}
	}
}

// The surroundings of the first atom, one bond wide, are shown in up to 40 atoms; the atom alone is not.
func TestShow(t *testing.T) {
	for text, want := range map[string]bool{"CCO": true, chain(40): true, chain(41): false} {
		l, g, d := listOf("a", text), parse(text).Graph, new(Difference)
		keys := fingerprint.Nodes(g, fingerprint.DefaultHeight)
		if d.show(keys[0], l, []uint32{0}) || d.show(keys[g.N()], l, []uint32{0}) != want || want && len(d.Atoms) != 2 {
			t.Errorf("%s: %+v", text, d)
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
	x := tanimoto.New([][]uint32{{0}, {1}, {2}, {3}, {4, 5}})
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
	l.same, l.prints = l.same[:maxQueries], l.prints[:maxQueries]
	if n := must.Have(nearest(context.Background(), 2, l, x, false)); n.Sampled || n.Queries != maxQueries {
		t.Errorf("%d queries of as many molecules are a sample", n.Queries)
	}
}
