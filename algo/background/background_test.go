package background_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"baca/algo/background"
	"baca/algo/fingerprint"
	"baca/algo/internal/must"
	"baca/algo/metric"
)

var ctx = context.Background()

// draw returns graphs with most of the ten keys from low on, and some below 40.
func draw(rng *rand.Rand, n int, low uint32) *background.Sample {
	s := &background.Sample{}
	for range n {
		var p fingerprint.Print
		for key := range uint32(60) {
			share := 0.02
			if key < 40 {
				share = 0.3
			}
			if key >= low && key < low+10 {
				share = 0.7
			}
			if rng.Float64() < share {
				p.Keys, p.Counts = append(p.Keys, key), append(p.Counts, 1+rng.Uint32N(3))
			}
		}
		s.Prints, s.Folds = append(s.Prints, p), append(s.Folds, background.Fold(p.Hash()))
	}
	return s
}

func fit(inside, outside *background.Sample, workers int) (*background.Head, []float64) {
	h, scores := must.Both(background.Fit(ctx, workers, inside, outside))
	return h, scores
}

func TestTellsApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	inside, outside := draw(rng, 300, 0), draw(rng, 400, 45)
	h, scores := fit(inside, outside, 1)
	if many, others := fit(inside, outside, 7); !reflect.DeepEqual(h, many) || !slices.Equal(scores, others) {
		t.Error("one worker and seven give different heads")
	}
	if h.AUC < 0.95 {
		t.Errorf("AUC %g of sets that differ", h.AUC)
	}
	mean, deviation := metric.MeanStd(scores)
	if math.Abs(mean) > 1e-9 || math.Abs(deviation-1) > 1e-9 {
		t.Errorf("training graphs have mean %g and deviation %g, want 0 and 1", mean, deviation)
	}
	var unseen []float64
	var isOutside []bool
	for k, s := range []*background.Sample{draw(rng, 200, 0), draw(rng, 200, 45)} {
		for i, p := range s.Prints {
			unseen, isOutside = append(unseen, h.Score(p, s.Folds[i])), append(isOutside, k == 1)
		}
	}
	if auc := metric.AUROC(unseen, isOutside); auc < 0.95 {
		t.Errorf("AUC %g of new graphs", auc)
	}
	// The same set on both sides is nothing to tell apart, and weighs nothing.
	both := draw(rng, 600, 10)
	half := &background.Sample{Prints: both.Prints[:300], Folds: both.Folds[:300]}
	rest := &background.Sample{Prints: both.Prints[300:], Folds: both.Folds[300:]}
	if h, _ := fit(half, rest, 1); h.Weight() != 0 || math.Abs(h.AUC-0.5) > 0.05 {
		t.Errorf("of one set the head has AUC %g and weight %g", h.AUC, h.Weight())
	}
}

// The weights minimise what they are said to: the loss, on a dense matrix, changes in no direction.
// It is strictly convex.
func TestMinimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	inside, outside := draw(rng, 80, 0), draw(rng, 120, 45)
	h, _ := fit(inside, outside, 2)
	for fold := range background.Folds {
		var rows [2][][]float64 // of the training set and of the background
		for _, p := range inside.Prints {
			rows[0] = append(rows[0], dense(p))
		}
		for i, p := range outside.Prints {
			if outside.Folds[i] != fold {
				rows[1] = append(rows[1], dense(p))
			}
		}
		more, v := make([]float64, width), make([]float64, width+1)
		for k := range more {
			var share [2]float64
			for class := range rows {
				share[class] = 1
				for _, row := range rows[class] {
					share[class] += row[k]
				}
				share[class] /= float64(len(rows[class]) + 2)
			}
			more[k] = math.Log(share[1] / share[0])
			v[k] = float64(h.Weights[fold][place(k)]) / more[k]
		}
		v[width] = float64(h.Weights[fold][background.Buckets])
		loss := func() float64 {
			sum := floats.Dot(v[:width], v[:width]) / 2
			for class, y := range []float64{-1, 1} {
				s := 0.03 * float64(len(rows[0])+len(rows[1])) / 2 / float64(len(rows[class]))
				for _, row := range rows[class] {
					f := v[width]
					for k, x := range row {
						f += more[k] * v[k] * x
					}
					sum += s * math.Log(1+math.Exp(-y*f))
				}
			}
			return sum
		}
		for k, x := range v {
			const step = 1e-4
			v[k] = x + step
			up := loss()
			v[k] = x - step
			slope := (up - loss()) / (2 * step)
			if v[k] = x; math.Abs(slope) > 1e-3 {
				t.Errorf("fold %d: the loss changes along weight %d, %g, by %g", fold, k, x, slope)
			}
		}
	}
}

// width is that of dense rows: keys by how many of a subtree there are, up to three.
const width = 3 * 60

func place(k int) uint32 { return background.Bucket(uint32(k/3), uint32(k%3)) }

func dense(p fingerprint.Print) []float64 {
	row := make([]float64, width)
	for i, k := range p.Keys {
		for c := range p.Counts[i] {
			row[3*k+c]++
		}
	}
	return row
}

// A graph's score is the same whether or not the graph is in the background.
func TestOneInTheBackground(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	inside, outside := draw(rng, 200, 0), draw(rng, 200, 45)
	without, _ := fit(inside, outside, 1)
	for range 20 {
		g := draw(rng, 1, 20)
		with, _ := fit(inside, &background.Sample{
			Prints: append(slices.Clone(outside.Prints), g.Prints[0]), Folds: append(slices.Clone(outside.Folds), g.Folds[0]),
		}, 1)
		f := g.Folds[0]
		if !slices.Equal(with.Weights[f], without.Weights[f]) {
			t.Fatal("the head of a graph has seen it")
		}
		if slices.Equal(with.Weights[(f+1)%background.Folds], without.Weights[(f+1)%background.Folds]) {
			t.Fatal("no head has seen it")
		}
	}
}

func TestTooFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	few, many := draw(rng, background.MinGraphs-1, 0), draw(rng, 100, 45)
	least := draw(rng, background.MinGraphs, 0)
	if _, _, err := background.Fit(ctx, 1, least, draw(rng, background.MinGraphs, 45)); err != nil {
		t.Errorf("the least number: %v", err)
	}
	if in, out, err := background.Unseen(ctx, 1, least, many); err != nil || len(in) != background.MinGraphs || len(out) != 100 {
		t.Errorf("%d and %d graphs have logits, %v", len(in), len(out), err)
	}
	for _, s := range [][2]*background.Sample{{few, many}, {many, few}} {
		if _, _, err := background.Fit(ctx, 1, s[0], s[1]); err == nil {
			t.Errorf("%d and %d graphs are enough", s[0].Len(), s[1].Len())
		}
	}
}

func TestWeight(t *testing.T) {
	for _, w := range []struct{ auc, want float64 }{{0, 0}, {0.5, 0}, {0.55, 0}, {0.6, 0.5}, {0.65, 1}, {0.9, 1}, {0.99, 1}, {0.9945, 0.5}, {0.999, 0}, {1, 0}} {
		if got := (&background.Head{AUC: w.auc}).Weight(); math.Abs(got-w.want) > 1e-9 {
			t.Errorf("AUC %g weighs %g, want %g", w.auc, got, w.want)
		}
	}
}

// The score is the sum of what each subtree adds, exactly.
func TestSharesAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	inside, outside := draw(rng, 120, 0), draw(rng, 120, 45)
	h, _ := fit(inside, outside, 1)
	outside.Prints[3].Counts[0] = 1000 // four count
	for i, p := range outside.Prints {
		shares, sum := h.Shares(p, outside.Folds[i])
		for _, x := range shares {
			sum += x
		}
		if want := h.Score(p, outside.Folds[i]); math.Abs(sum-want) > 1e-9 {
			t.Errorf("graph %d: its subtrees add up to %g, its score is %g", i, sum, want)
		}
	}
}
