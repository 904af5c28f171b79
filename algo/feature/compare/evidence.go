package compare

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"baca/algo/background"
	"baca/algo/fingerprint"
	"baca/algo/internal/lists"
	"baca/algo/metric"
)

// Evidence says whether B differs from A as a whole.
type Evidence struct {
	AUC Value `json:"auc"` // cross-validated AUC of telling B from A: ½ if nothing separates them; NaN if there are too few
	P   Value `json:"p"`   // upper bound on how often lists of the same kind would be separated as well
	// Written is the AUC if what reading sets aside counts too. It is 0 if the lists do not differ in that.
	Written float64 `json:"auc_as_written,omitempty"`
	// A and B are the numbers of molecules used. Longer lists give an even sample.
	A       int    `json:"a"`
	B       int    `json:"b"`
	Skipped string `json:"skipped,omitempty"` // why there is no evidence
	// Single is the one thing that separates the lists best. It is nil if nothing does.
	Single *Single `json:"single,omitempty"`
}

// A Single is one thing that separates B from A.
type Single struct {
	Kind string     `json:"kind"`
	Name string     `json:"name"`
	AUC  float64    `json:"auc"` // at least ½
	Of   [2]float64 `json:"of"`  // the share of A and of B that has it, or the medians of a count
}

// fewest is the smallest number of molecules on each side for which there is evidence.
const fewest = 10

// evidence computes c.Evidence, except Single, from the subtrees of the samples, up to two bonds wide. With too few molecules
// it only sets Skipped.
func (c *Comparison) evidence(ctx context.Context, workers int, a, b *List) (err error) {
	a.trim()
	b.trim()
	e := &c.Evidence
	e.AUC, e.P, e.A, e.B = Value(math.NaN()), Value(math.NaN()), len(a.sample), len(b.sample)
	if min(e.A, e.B) < fewest {
		e.Skipped = fmt.Sprintf("there are %d of A and %d of B, and it takes %d of each", e.A, e.B, fewest)
		return nil
	}
	auc, p, err := separate(ctx, workers, a.separable(false), b.separable(false))
	e.AUC, e.P = Value(auc), Value(p)
	if err == nil && slices.ContainsFunc(c.Named, func(d Difference) bool { return d.Kind == KindWritten }) {
		e.Written, _, err = separate(ctx, workers, a.separable(true), b.separable(true))
	}
	return err
}

// separate returns the cross-validated AUC with which heads tell b from a, and the p-value of that AUC.
func separate(ctx context.Context, workers int, a, b *background.Sample) (auc, p float64, err error) {
	ofA, ofB, err := background.Unseen(ctx, workers, a, b)
	if err != nil {
		return 0, 0, err
	}
	var folds [background.Folds][2][]float64
	for i, f := range a.Folds {
		folds[f][0] = append(folds[f][0], ofA[i])
	}
	for i, f := range b.Folds {
		folds[f][1] = append(folds[f][1], ofB[i])
	}
	auc, p = foldedAUC(folds[:])
	return auc, p, nil
}

// foldedAUC returns the share of pairs within a fold whose second score is higher, and its p-value by the rank-sum test.
// Without pairs both are ½. The heads of different folds learn from mostly the same molecules, so their errors may agree. The
// error of the mean is at most the mean of the errors, which the test uses.
func foldedAUC(folds [][2][]float64) (auc, p float64) {
	sum, errors, pairs := 0.0, 0.0, 0.0
	for _, f := range folds {
		n, m := float64(len(f[0])), float64(len(f[1]))
		if n*m == 0 {
			continue
		}
		sum += float64(n * m * metric.Above(f[1], f[0]))
		errors += float64(n * m * standardError(n, m))
		pairs += n * m
	}
	if pairs == 0 {
		return 0.5, 0.5
	}
	return sum / pairs, math.Erfc((sum-pairs/2)/errors/math.Sqrt2) / 2
}

// standardError returns the standard error of the AUC of n values against m from the same distribution.
func standardError(n, m float64) float64 { return math.Sqrt((n + m + 1) / (12 * n * m)) }

// separable returns the list's sample in the form that background classifiers read. With written, prints include how
// molecules were written.
func (l *List) separable(written bool) *background.Sample {
	s := &background.Sample{}
	for _, x := range l.sample {
		s.Folds = append(s.Folds, background.Fold(x.print.Hash()))
		if written {
			x.print = withTraits(x.print, x.written)
		}
		s.Prints = append(s.Prints, x.print)
	}
	return s
}

// withTraits returns a copy of a print with one more key for each trait, the hash of its name. These keys follow the
// others and are not in order.
func withTraits(p fingerprint.Print, traits []trait) fingerprint.Print {
	p.Keys, p.Counts = slices.Clone(p.Keys), slices.Clone(p.Counts)
	for _, t := range traits {
		h := fnv.New32a()
		h.Write([]byte(t.name))
		p.Keys, p.Counts = append(p.Keys, h.Sum32()), append(p.Counts, 1)
	}
	return p
}

// surely is how many standard errors the AUC of a count must be away from ½ to be named.
const surely = 4

// single returns the named difference or the count that separates the lists best, or nil if none does. A count needs an AUC
// that is surely not ½.
func (c *Comparison) single(a, b *List) (best *Single) {
	offer := func(s Single) {
		if best == nil || s.AUC > best.AUC {
			best = &s
		}
	}
	for _, d := range c.Named {
		of := [2]float64{float64(d.InA) / float64(a.Len()), float64(d.InB) / float64(b.Len())}
		offer(Single{d.Kind, d.Name, 0.5 + math.Abs(of[1]-of[0])/2, of})
	}
	least := 0.5 + surely*standardError(float64(a.Len()), float64(b.Len()))
	for _, count := range []struct {
		name string
		of   [2][]int
		side [2]*Distribution
	}{
		{"number of atoms", [2][]int{a.atoms, b.atoms}, [2]*Distribution{&c.A.Atoms, &c.B.Atoms}},
		{"number of rings", [2][]int{a.rings, b.rings}, [2]*Distribution{&c.A.Rings, &c.B.Rings}},
	} {
		auc := metric.Above(floats(count.of[1]), floats(count.of[0]))
		if auc = max(auc, 1-auc); auc > least {
			offer(Single{KindCount, count.name, auc, [2]float64{count.side[0].Quantiles[2], count.side[1].Quantiles[2]}})
		}
	}
	return best
}

// floats returns counts as float64.
func floats(counts []int) []float64 {
	return lists.Map(counts, func(n int) float64 { return float64(n) })
}
