// Package background asks of a graph: is this more like the training set, or more like
// graphs of its kind at large? A logistic head on the subtrees of graphs (see package
// fingerprint) tells the training set from a background, such as a sample of drug-like
// chemistry, and its logit is the logarithm of a likelihood ratio. It needs no batch, it
// is a sum over the subtrees of the graph, so the part of each is exact, and it costs a
// look at a table for each subtree.
//
// Nearest neighbours ask another question, how far the graph is from the training set,
// and know the answer also where the background holds nothing alike. Neither replaces
// the other.
package background

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"baca/algo/fingerprint"
	"baca/algo/internal/parallel"
	"baca/algo/metric"
)

// Buckets is the number of weights for subtrees, see Bucket.
//
// On the validation pairs 2048 find 0.6 points of AUROC less.
const Buckets = 8192

// Most is how many of the same subtree count. The second has a weight of its own, and so on: of
// a chain it matters how long it is.
const Most = 4

// Bucket returns the place of the weight of a subtree with a key: of the first, number 0, of
// those in a graph, or of the next ones up to Most−1.
func Bucket(key, number uint32) uint32 { return (key + number*apart) % Buckets }

// apart is 2³² divided by the golden ratio.
const apart = 0x9e37_79b1

// Folds is how many heads there are. Each has seen all of the training set, and the
// background but for one fold. A graph is scored by the one that saw no graph of the
// background equal to it: else one that happens to be in the background would look
// outside for that alone, and would not be exchangeable with held-out graphs, which
// p-values are taken from.
const Folds = 3

// MinGraphs is the smallest training set and the smallest background to learn from.
const MinGraphs = 50

// strength is C, the inverse strength of the L2 penalty. It was chosen on the validation
// pairs of the benchmark, where values from 0.01 to 0.3 do as well.
const strength = 0.03

// A Head is what is learned from a training set and a background.
type Head struct {
	// Weights has for each fold Buckets weights and the intercept.
	Weights [Folds][]float32
	// Mean and Deviation are those of the logits of training graphs under heads that
	// have not seen them.
	Mean, Deviation float64
	// AUC is how well such heads tell the training set from the background. It says
	// what the head is worth, see Weight.
	AUC float64
}

// Weight is what the head counts for in a score, from 0 to 1. A background that cannot be
// told from the training set says nothing about it, and one that never meets it, so that
// everything tells them apart, says nothing about what lies between.
func (h *Head) Weight() float64 {
	low := (h.AUC - lowAUC) / (fullAUC - lowAUC)
	high := (emptyAUC - h.AUC) / (emptyAUC - nearAUC)
	return max(0, min(1, low, high))
}

// The AUC at which a head begins to count, counts in full, begins to count less and
// counts nothing.
const lowAUC, fullAUC, nearAUC, emptyAUC = 0.55, 0.65, 0.99, 0.999

// Fold returns the fold, and so the head, of graphs whose subtrees, salts and
// stereochemistry aside, have a hash.
func Fold(hash uint64) int { return int(hash % Folds) }

// Score returns how much more like the background than like the training set a graph is,
// in standard deviations of training graphs, 0 being their mean. The fold is that of the
// graph, see Fold.
func (h *Head) Score(p fingerprint.Print, fold int) float64 {
	return (logit(h.Weights[fold], p) - h.Mean) / h.Deviation
}

// Shares returns what each subtree of a graph, in the order of the keys of its print, adds
// to Score, and what is left: Score is their sum.
func (h *Head) Shares(p fingerprint.Print, fold int) (shares []float64, rest float64) {
	w := h.Weights[fold]
	shares = make([]float64, len(p.Keys))
	for i, k := range p.Keys {
		for c := range min(p.Counts[i], Most) {
			shares[i] += float64(w[Bucket(k, c)]) / h.Deviation
		}
	}
	return shares, (float64(w[Buckets]) - h.Mean) / h.Deviation
}

func logit(w []float32, p fingerprint.Print) float64 {
	sum := float64(w[Buckets])
	for i, k := range p.Keys {
		for c := range min(p.Counts[i], Most) {
			sum += float64(w[Bucket(k, c)])
		}
	}
	return sum
}

// A Sample is a set of graphs, by their subtrees, and the fold of each.
type Sample struct {
	Prints []fingerprint.Print
	Folds  []int
}

// Len returns the number of graphs.
func (s *Sample) Len() int { return len(s.Prints) }

// Fit learns to tell a training set from a background, and returns the head with the
// scores that the training graphs get from heads that have not seen them. It is an error
// if there are fewer than MinGraphs of either. The result does not depend on the number
// of workers (0: one for each core).
func Fit(ctx context.Context, workers int, inside, outside *Sample) (*Head, []float64, error) {
	if inside.Len() < MinGraphs || outside.Len() < MinGraphs {
		return nil, nil, fmt.Errorf("%d training graphs and %d of a background: want %d of each", inside.Len(), outside.Len(), MinGraphs)
	}
	h := &Head{}
	var unseen [Folds][]float32
	err := parallel.For(ctx, workers, 2*Folds, func(_, k int) {
		f := k / 2
		if k%2 == 0 {
			h.Weights[f] = fit(inside, outside, -1, f)
		} else {
			unseen[f] = fit(inside, outside, f, f)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	logits := make([]float64, 0, inside.Len()+outside.Len())
	isOutside := make([]bool, cap(logits))
	for k, s := range []*Sample{inside, outside} {
		for i, p := range s.Prints {
			isOutside[len(logits)] = k == 1
			logits = append(logits, logit(unseen[s.Folds[i]], p))
		}
	}
	h.AUC = metric.AUROC(logits, isOutside)
	scores := logits[:inside.Len()]
	h.Mean, h.Deviation = metric.MeanStd(scores)
	if !(h.Deviation > minDeviation) {
		h.Deviation = minDeviation
	}
	for i := range scores {
		scores[i] = (scores[i] - h.Mean) / h.Deviation
	}
	return h, scores, nil
}

// minDeviation stands for that of logits that hardly differ.
const minDeviation = 1e-3

// rows are the buckets of the graphs of a sample outside a fold, −1 for all graphs.
func rows(s *Sample, without int) [][]int32 {
	var list [][]int32
	for i, p := range s.Prints {
		if s.Folds[i] == without {
			continue
		}
		var row []int32
		for k, key := range p.Keys {
			for c := range min(p.Counts[k], Most) {
				row = append(row, int32(Bucket(key, c)))
			}
		}
		list = append(list, row)
	}
	return list
}

// fit returns the weights w = r·v of buckets, v being those that minimise
//
//	½|v|² + Σ s·log(1 + exp(−y·(w·x + b)))
//
// over the graphs outside the given folds, with y = 1 for the background and −1 for the
// training set, s balanced so that both weigh alike and C on average, x the number
// of subtrees in each bucket, and r how much more the background has of that bucket, as a logarithm:
// where both have the same, nothing is to be learned (Wang and Manning, ACL 2012). On the
// validation pairs r adds 0.2 points of AUROC and takes 0.2 of what is found.
func fit(inside, outside *Sample, withoutInside, withoutOutside int) []float32 {
	in, out := rows(inside, withoutInside), rows(outside, withoutOutside)
	all := append(in, out...)
	half := strength * float64(len(all)) / 2
	sIn, sOut := half/float64(max(1, len(in))), half/float64(max(1, len(out)))
	at, slope, w, more := make([]float64, Buckets+1), make([]float64, Buckets+1), make([]float64, Buckets+1), ratios(in, out)
	at[0] = math.NaN()
	value := 0.0
	visit := func(v []float64) {
		if slices.Equal(at, v) {
			return
		}
		copy(at, v)
		clear(slope)
		value = 0
		for b, r := range more {
			w[b] = float64(r * v[b])
			value += float64(v[b]*v[b]) / 2
		}
		w[Buckets] = v[Buckets]
		for i, row := range all {
			f := w[Buckets]
			for _, b := range row {
				f += w[b]
			}
			s, y := sOut, 1.0
			if i < len(in) {
				s, y = sIn, -1
			}
			// log(1 + e^−m) and 1/(1 + e^m) without overflow.
			margin := y * f
			e := math.Exp(-math.Abs(margin))
			value += float64(s * (math.Log1p(e) + max(0, -margin)))
			if margin > 0 {
				e = e / (1 + e)
			} else {
				e = 1 / (1 + e)
			}
			d := -float64(y * s * e)
			for _, b := range row {
				slope[b] += d
			}
			slope[Buckets] += d
		}
		for b, r := range more {
			slope[b] = float64(r*slope[b]) + v[b]
		}
	}
	problem := optimize.Problem{
		Func: func(v []float64) float64 { visit(v); return value },
		Grad: func(grad, v []float64) { visit(v); copy(grad, slope) },
	}
	// An optimiser that stops early for lack of progress has still returned the best
	// point it saw.
	result, err := optimize.Minimize(problem, make([]float64, Buckets+1), &optimize.Settings{GradientThreshold: 1e-4, MajorIterations: 200}, &optimize.LBFGS{})
	if result == nil {
		panic(fmt.Sprintf("background: logistic head: %v", err))
	}
	visit(result.X)
	weights := make([]float32, Buckets+1)
	for b, x := range w {
		weights[b] = float32(x)
	}
	return weights
}

// ratios returns for each bucket the logarithm of how much more the second graphs have of it than
// the first, one added to both.
func ratios(first, second [][]int32) []float64 {
	var counts [2][Buckets]float64
	for k, rows := range [][][]int32{first, second} {
		for _, row := range rows {
			for _, b := range row {
				counts[k][b]++
			}
		}
	}
	list := make([]float64, Buckets)
	for b := range list {
		list[b] = math.Log((counts[1][b] + 1) / float64(len(second)+2) * float64(len(first)+2) / (counts[0][b] + 1))
	}
	return list
}
