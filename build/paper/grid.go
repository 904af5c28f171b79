package paper

import (
	"fmt"
	"math"
	"strings"

	"baca/algo"
	"baca/algo/batch"
	"baca/algo/metric"
	"baca/build/internal/try"
)

// The grid protocol searches the parameters of the paper's sensitivity analysis, the fixed setting
// included, one coordinate at a time. Attention: first 𝕂, with λ over its range, then bands of λ
// with the best 𝕂: 11 runs for each seed instead of 36. All β are tried, as they only weigh two
// known scores. Density ratio: the penalty of one head, then of the other.
// Single graphs have nothing to pick.
var (
	gridTopK  = []int{4, 8, 16, 32, 64}
	gridBands = [][2]float64{{0.01, 0.2}, {0.2, 0.4}, {0.4, 0.6}, {0.6, 0.8}, {0.8, 1}}
	gridBetas = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}
	gridC     = []float64{0.001, 0.01, 0.1, 1}
	gridPrint = []float64{0.0001, 0.001, 0.01, 0.1}
)

type gridChoice struct {
	TopK     int         `json:"top_k,omitempty"`
	Lambda   *[2]float64 `json:"lambda,omitempty"`
	Beta     float64     `json:"beta,omitempty"`
	C        float64     `json:"c,omitempty"`
	PrintC   float64     `json:"print_c,omitempty"`
	Searched string      `json:"searched"`
}

func (c *gridChoice) String() string {
	switch {
	case c.Lambda != nil:
		return fmt.Sprintf("K = %d, λ in [%g, %g], β = %g", c.TopK, c.Lambda[0], c.Lambda[1], c.Beta)
	case c.C != 0:
		return fmt.Sprintf("C = %g and %g", c.C, c.PrintC)
	}
	return "nothing to pick"
}

// with returns values with first in front, which wins ties.
func with[T comparable](first T, values []T) []T {
	list := []T{first}
	for _, v := range values {
		if v != first {
			list = append(list, v)
		}
	}
	return list
}

// gridSteps are the coordinates that a column is searched along, each with changes to the best options so far, and
// what was searched in words.
func gridSteps(o algo.Options, column string) (steps [][]func(*algo.Options), searched string) {
	switch column {
	case columnAttention:
		whole := o.Attention.Mixup
		bands := mapped(gridBands, func(band [2]float64) string { return fmt.Sprintf("%g to %g", band[0], band[1]) })
		return [][]func(*algo.Options){changing(o.Attention.TopK, gridTopK, setTopK), changing([2]float64{}, gridBands, setBand)},
			fmt.Sprintf("K of %s with λ from %g to %g; then, with the best K, λ from %s; each with β of %s",
				listed(with(o.Attention.TopK, gridTopK)), whole.LambdaLow, whole.LambdaHigh, strings.Join(bands, ", "), listed(gridBetas))
	case columnRatio, columnBatch:
		return [][]func(*algo.Options){
				changing(o.Ratio.C, gridC, func(o *algo.Options, c float64) { o.Ratio.C = c }),
				changing(o.Ratio.PrintC, gridPrint, func(o *algo.Options, c float64) { o.Ratio.PrintC = c }),
			},
			fmt.Sprintf("C of the embeddings of %s, then that of the subtrees of %s", listed(gridC), listed(gridPrint))
	}
	return nil, "one setting, as this score has none to choose"
}

func setTopK(o *algo.Options, k int) { o.Attention.TopK = k }

func setBand(o *algo.Options, band [2]float64) {
	o.Attention.Mixup.LambdaLow, o.Attention.Mixup.LambdaHigh = band[0], band[1]
}

// changing are the changes to values other than the first.
func changing[T comparable](first T, values []T, set func(*algo.Options, T)) []func(*algo.Options) {
	return mapped(with(first, values)[1:], func(v T) func(*algo.Options) {
		return func(o *algo.Options) { set(o, v) }
	})
}

// gridSearch scores the batches with the settings of the grid and returns the outcomes with the
// best mean AUROC. Labels choose here, and nowhere in the fixed protocol.
func gridSearch(o algo.Options, column string, batches []*testBatch, score func(algo.Options) []*outcome) (best []*outcome, choice *gridChoice) {
	for _, b := range batches {
		if len(b.graphs) == b.nID {
			try.Check(fmt.Errorf("seed %d: no OOD graphs in the test batch, so there is no AUROC by which the grid protocol could pick", b.seed))
		}
	}
	highest, chosen := math.NaN(), o
	consider := func(o algo.Options, out []*outcome, c gridChoice) {
		mean := 0.0
		for i, b := range batches {
			mean += metric.AUROC(out[i].scores, b.ood) / float64(len(batches))
		}
		if best == nil || math.IsNaN(highest) || mean > highest {
			best, choice, highest, chosen = out, &c, mean, o
		}
	}
	run := func(o algo.Options) {
		out := score(o)
		switch column {
		case columnAttention:
			m := o.Attention.Mixup
			for _, beta := range with(o.Beta, gridBetas) {
				consider(o, mapped(out, func(x *outcome) *outcome { return x.weighted(beta) }), gridChoice{TopK: o.Attention.TopK, Lambda: &[2]float64{m.LambdaLow, m.LambdaHigh}, Beta: beta})
			}
		case columnRatio, columnBatch:
			consider(o, out, gridChoice{C: o.Ratio.C, PrintC: o.Ratio.PrintC})
		default:
			consider(o, out, gridChoice{})
		}
	}
	run(o)
	steps, searched := gridSteps(o, column)
	for _, step := range steps {
		from := chosen
		for _, change := range step {
			tried := from
			change(&tried)
			run(tried)
		}
	}
	choice.Searched = searched
	return best, choice
}

// listed are values with commas between them.
func listed[T any](values []T) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(values), "[]")), ", ")
}

// weighted is the outcome whose scores are S_BaCa with another β.
func (o *outcome) weighted(beta float64) *outcome {
	other := *o
	pre, attn := columnScores(columnPre, o.rows), mapped(o.rows, func(r algo.Row) float64 { return r.Attn })
	other.scores = batch.Add(beta, pre, attn).Of(pre, attn)
	return &other
}
