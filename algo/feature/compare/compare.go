// Package compare describes how two lists of molecules differ (Compare): whether one can be told
// from the other, what is commoner in which, sizes, the overlap, and the nearest molecules.
package compare

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"baca/algo/decide"
	"baca/algo/internal/parallel"
	"baca/algo/metric"
	"baca/algo/tanimoto"
)

// nearDuplicate is the lowest similarity of near duplicates.
const nearDuplicate = 0.85

// coverageSteps is the number of similarities at which coverage is given: 0, 0.05, …, 1.
const coverageSteps = 21

// maxQueries bounds the molecules whose nearest ones are searched. From a longer list an even sample is drawn, whose
// shares are within ± 0.6 percentage points of the list's (95 %).
const maxQueries = 25_000

// A Comparison of a list A with a list B. Counts are of different molecules.
type Comparison struct {
	A Side `json:"a"`
	B Side `json:"b"`
	// Plain marks lists of plain graphs.
	Plain bool `json:"plain_graphs,omitempty"`

	Evidence Evidence `json:"evidence"`
	Overlap  Overlap  `json:"overlap"`
	// AtoB has the similarity of each molecule of A to the nearest one of B, and so on. AtoA leaves the molecule itself out.
	AtoB  Nearest `json:"a_to_b"`
	BtoA  Nearest `json:"b_to_a"`
	AtoA  Nearest `json:"a_to_a"`
	BtoB  Nearest `json:"b_to_b"`
	Audit Audit   `json:"audit"`

	// Named has the named traits that differ at the false-discovery rate FDR, and Fragments the surroundings of atoms, up
	// to two bonds wide. The surest difference comes first. Tested is the number of comparisons made.
	Named           []Difference `json:"named"`
	Fragments       []Difference `json:"fragments"`
	NamedTested     int          `json:"named_tested"`
	FragmentsTested int          `json:"fragments_tested"`
	FDR             float64      `json:"fdr"`
}

// Counts says how many records a list has, how many of them are no molecules, and how many equal an earlier one. All
// other numbers count each molecule once.
type Counts struct {
	Name    string `json:"name"`
	Read    int    `json:"read"`
	Refused int    `json:"refused"`
	Copies  int    `json:"copies"`
}

type Side struct {
	Counts
	Molecules int          `json:"molecules"`
	Atoms     Distribution `json:"atoms"`
	Rings     Distribution `json:"rings"`
}

// A Distribution describes a count over molecules.
type Distribution struct {
	Quantiles [5]float64 `json:"quantiles"` // at 5, 25, 50, 75 and 95 %
	Mean      float64    `json:"mean"`
	Counts    []int      `json:"counts"` // number of molecules with 0, 1, …; the last includes larger counts
}

// A Value is a number that is null in JSON if it is NaN.
type Value float64

// MarshalJSON writes null for NaN, which JSON lacks.
func (v Value) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(v)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

// An Overlap counts what both lists have.
type Overlap struct {
	Molecules int `json:"molecules"` // molecules in both lists, whatever their stereochemistry
	// Scaffolds are rings with their linkers. These are the numbers in A, in B and in both.
	ScaffoldsA int `json:"scaffolds_a"`
	ScaffoldsB int `json:"scaffolds_b"`
	Scaffolds  int `json:"scaffolds"`
	// Cyclic counts molecules with rings, Sharing those of them whose scaffold the other list has.
	CyclicA  int `json:"cyclic_a"`
	CyclicB  int `json:"cyclic_b"`
	SharingA int `json:"sharing_scaffold_a"`
	SharingB int `json:"sharing_scaffold_b"`
}

// Nearest describes the similarities of molecules to their nearest ones: Tanimoto's, of counted subtrees up to two bonds.
type Nearest struct {
	Queries        int                    `json:"queries"`
	Sampled        bool                   `json:"sampled"`
	Quantiles      [5]float64             `json:"quantiles"` // at 5, 25, 50, 75 and 95 %
	Mean           float64                `json:"mean"`
	Coverage       [coverageSteps]float64 `json:"coverage"`        // for each of Steps, the share of molecules whose nearest is at least so similar
	Duplicates     int                    `json:"duplicates"`      // molecules whose nearest has similarity 1
	NearDuplicates int                    `json:"near_duplicates"` // those with at least nearDuplicate, duplicates included
	similarities   []float64
}

// Steps returns the similarities at which Nearest.Coverage is given.
func Steps() []float64 {
	list := make([]float64, coverageSteps)
	for k := range list {
		list[k] = float64(k) / (coverageSteps - 1)
	}
	return list
}

// An Audit judges B as a test set for A.
type Audit struct {
	// AUC is the chance that a molecule of B is more similar to A than a molecule of A is to the others of A. Ties
	// count half. A random split gives about ½.
	AUC     float64 `json:"auc"`
	Verdict string  `json:"verdict"` // "easier", "random", "harder", or "undecided" if there are too few molecules
}

// A Difference is a trait or fragment that is commoner in one list.
type Difference struct {
	Kind string  `json:"kind"`
	Name string  `json:"name"`
	InA  int     `json:"in_a"` // number of molecules of A that have it
	InB  int     `json:"in_b"`
	Odds float64 `json:"odds_ratio"` // odds of having it in B relative to A
	Low  float64 `json:"low"`        // lower end of the 95 % interval of Odds
	High float64 `json:"high"`
	P    float64 `json:"p"`
	Q    float64 `json:"q"`
	// Example is a molecule that has the fragment, and Atoms are the fragment's atoms in it, from 0.
	Example string `json:"example,omitempty"`
	Atoms   []int  `json:"atoms,omitempty"`
}

// Commoner returns the differences that are commoner in B if inB is set, else those commoner in A.
func Commoner(list []Difference, inB bool) []Difference {
	return slices.DeleteFunc(slices.Clone(list), func(d Difference) bool { return d.Odds >= 1 != inB })
}

type Options struct {
	FDR     float64
	Workers int
	// Stage, if not nil, is called at each stage.
	Stage func(name string)
}

// Compare compares two lists. The order of molecules matters only where a list is sampled. A list without molecules and a
// rate out of range give an error.
func Compare(ctx context.Context, a, b *List, o Options) (*Comparison, error) {
	if err := decide.CheckFDR(o.FDR); err != nil {
		return nil, err
	}
	for _, l := range []*List{a, b} {
		if l.Len() == 0 {
			return nil, fmt.Errorf("%s: a list without molecules", l.Name)
		}
	}
	stage := func(name string) {
		if o.Stage != nil {
			o.Stage(name)
		}
	}
	c := &Comparison{A: a.side(), B: b.side(), Plain: a.plain, FDR: o.FDR}
	stage("evidence")
	c.named(a, b)
	err := c.evidence(ctx, o.Workers, a, b)
	if err != nil {
		return nil, err
	}
	c.Evidence.Single = c.single(a, b)
	c.Overlap = overlap(a, b)
	stage("substructures")
	xa, xb := tanimoto.New(a.prints), tanimoto.New(b.prints)
	c.fragments(a, b, xa, xb)
	for _, n := range []struct {
		to    *Nearest
		of    *List
		in    *tanimoto.Index
		self  bool
		stage string
	}{
		{to: &c.BtoA, of: b, in: xa, stage: "neighbours of B in A"},
		{to: &c.AtoA, of: a, in: xa, self: true, stage: "neighbours of A in A"},
		{to: &c.AtoB, of: a, in: xb, stage: "neighbours of A in B"},
		{to: &c.BtoB, of: b, in: xb, self: true, stage: "neighbours of B in B"},
	} {
		stage(n.stage)
		if *n.to, err = nearest(ctx, o.Workers, n.of, n.in, n.self); err != nil {
			return nil, err
		}
	}
	c.Audit = audit(c.BtoA.similarities, c.AtoA.similarities)
	return c, nil
}

// side describes a list by itself.
func (l *List) side() Side {
	return Side{l.Counts, l.Len(), distribution(l.atoms), distribution(l.rings)}
}

// levels of quantiles, in percent.
var levels = [5]float64{5, 25, 50, 75, 95}

// quantiles returns the quantiles of values at levels, and their mean.
func quantiles(values []float64) (q [5]float64, mean float64) {
	sorted := slices.Sorted(slices.Values(values))
	for k, level := range levels {
		q[k] = metric.Percentile(sorted, level)
	}
	for _, v := range sorted {
		mean += v
	}
	return q, mean / float64(len(values))
}

// maxCount is the last index of Distribution.Counts, which includes larger counts.
const maxCount = 100

// distribution returns how often each count occurs, and their quantiles and mean. Counts above maxCount count as maxCount.
func distribution(counts []int) Distribution {
	d := Distribution{Counts: make([]int, min(maxCount, slices.Max(counts))+1)}
	for _, n := range counts {
		d.Counts[min(n, maxCount)]++
	}
	d.Quantiles, d.Mean = quantiles(floats(counts))
	return d
}

// overlap counts the molecules and scaffolds that both lists have.
func overlap(a, b *List) Overlap {
	var o Overlap
	for _, id := range b.same {
		if a.known[id] {
			o.Molecules++
		}
	}
	o.ScaffoldsA, o.ScaffoldsB = len(a.scaffolds), len(b.scaffolds)
	for s, n := range a.scaffolds {
		o.CyclicA += n
		if m := b.scaffolds[s]; m > 0 {
			o.Scaffolds, o.SharingA, o.SharingB = o.Scaffolds+1, o.SharingA+n, o.SharingB+m
		}
	}
	for _, n := range b.scaffolds {
		o.CyclicB += n
	}
	return o
}

// chunk is how many queries a worker searches for at a time.
const chunk = 64

// nearest describes the similarity of each molecule of a list, or of an even sample, to the most similar molecule of in. With
// self, in is the list itself, and a molecule is not compared with itself.
func nearest(ctx context.Context, workers int, of *List, in *tanimoto.Index, self bool) (Nearest, error) {
	queries := make([]int, of.Len())
	for i := range queries {
		queries[i] = i
	}
	n := Nearest{Sampled: len(queries) > maxQueries}
	if n.Sampled { // by random ranks, so that the order of the list does not matter
		slices.SortFunc(queries, func(i, j int) int {
			return cmp.Or(cmp.Compare(rank(of.same[i], of.salt), rank(of.same[j], of.salt)), cmp.Compare(i, j))
		})
		queries = queries[:maxQueries]
	}
	n.Queries, n.similarities = len(queries), make([]float64, len(queries))
	searches := make([]*tanimoto.Search, parallel.Workers(workers))
	err := parallel.For(ctx, workers, (len(queries)+chunk-1)/chunk, func(worker, piece int) {
		if searches[worker] == nil {
			searches[worker] = tanimoto.NewSearch(in)
		}
		for k := piece * chunk; k < min(len(queries), (piece+1)*chunk); k++ {
			skip := -1
			if self {
				skip = queries[k]
			}
			n.similarities[k] = max(0, searches[worker].Nearest(of.prints[queries[k]], skip)) // a list of one has no other
		}
	})
	if err != nil {
		return n, err
	}
	n.Quantiles, n.Mean = quantiles(n.similarities)
	steps := Steps()
	for _, s := range n.similarities {
		for k, step := range steps {
			if s >= step {
				n.Coverage[k] += 1 / float64(len(queries))
			}
		}
		if s == 1 {
			n.Duplicates++
		}
		if s >= nearDuplicate {
			n.NearDuplicates++
		}
	}
	return n, nil
}

// auditSlack is the least difference of an AUC from ½ for a verdict. Two standard errors of the rank-sum test are also
// needed.
const auditSlack = 0.05

// audit judges a test set: test has the similarities of its molecules to the training list, within those inside that list.
func audit(test, within []float64) Audit {
	n, m := float64(len(test)), float64(len(within))
	a := Audit{AUC: metric.Above(test, within)}
	slack := max(auditSlack, 2*standardError(n, m))
	switch {
	case slack >= 0.25: // too few molecules
		a.Verdict = "undecided"
	case a.AUC > 0.5+slack:
		a.Verdict = "easier"
	case a.AUC < 0.5-slack:
		a.Verdict = "harder"
	default:
		a.Verdict = "random"
	}
	return a
}

// named sets c.Named and c.NamedTested by the traits of both lists.
func (c *Comparison) named(a, b *List) {
	all := map[trait]bool{}
	for _, l := range []*List{a, b} {
		for t := range l.with {
			all[t] = true
		}
	}
	var list []Difference
	for t := range all {
		list = append(list, Difference{Kind: t.kind, Name: t.name, InA: a.with[t], InB: b.with[t]})
	}
	c.NamedTested = len(list)
	c.Named = c.judge(list, a.Len(), b.Len())
}

// judge returns the differences that are significant at c.FDR, the surest first, of equally sure ones that with the more
// extreme odds. The lists have n and m molecules. It fills in the statistics of list.
func (c *Comparison) judge(list []Difference, n, m int) []Difference {
	p := make([]float64, len(list))
	for i := range list {
		d := &list[i]
		d.P = fisher(d.InA, n, d.InB, m)
		d.Odds, d.Low, d.High = oddsRatio(d.InA, n, d.InB, m)
		p[i] = d.P
	}
	for i, q := range decide.QValues(p) {
		list[i].Q = q
	}
	list = slices.DeleteFunc(list, func(d Difference) bool { return d.Q > c.FDR })
	slices.SortFunc(list, func(x, y Difference) int {
		return cmp.Or(cmp.Compare(x.P, y.P), -cmp.Compare(math.Abs(math.Log(x.Odds)), math.Abs(math.Log(y.Odds))),
			cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Name, y.Name))
	})
	return list
}
