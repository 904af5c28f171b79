package paper

import (
	"fmt"
	"math"
	"strings"

	"baca/algo"
	"baca/algo/metric"
)

// The grid protocol searches the parameters of the paper's sensitivity analysis, the fixed setting
// included, one coordinate at a time. Attention: first 𝕂, with λ over its range, then bands of λ
// with the best 𝕂: 11 runs for each seed instead of 36. All β are tried, as they only weigh two
// known scores. Density ratio: the penalty of one head, then of the other, and without the gate.
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
	Ungated  bool        `json:"ungated,omitempty"`
	Searched string      `json:"searched"`
}

func (c *gridChoice) String() string {
	switch {
	case c.Lambda != nil:
		return fmt.Sprintf("K = %d, λ in [%g, %g], β = %g", c.TopK, c.Lambda[0], c.Lambda[1], c.Beta)
	case c.C != 0:
		gate := ""
		if c.Ungated {
			gate = ", no gate"
		}
		return fmt.Sprintf("C = %g and %g%s", c.C, c.PrintC, gate)
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

// gridRuns is the number of runs of the grid protocol.
func gridRuns(column string) int {
	o := algo.DefaultOptions()
	switch column {
	case columnAttention, columnBetter:
		return len(with(o.Attention.TopK, gridTopK)) + len(gridBands)
	case columnRatio, columnBatch:
		return len(gridC) + len(gridPrint) - 1
	}
	return 1
}

// A gridSearcher maximises the mean AUROC over batches.
type gridSearcher struct {
	column  string
	batches []*testBatch
	score   func(algo.Options) ([]*outcome, error)

	best    []*outcome
	choice  gridChoice
	highest float64 // mean AUROC of the best
}

// gridSearch scores the batches with every setting of the grid and returns the outcomes with the
// best mean AUROC. Labels choose here, and nowhere in the fixed protocol.
func gridSearch(o algo.Options, column string, batches []*testBatch, score func(algo.Options) ([]*outcome, error)) ([]*outcome, *gridChoice, error) {
	for _, b := range batches {
		if len(b.graphs) == b.nID {
			return nil, nil, fmt.Errorf("seed %d: no OOD graphs in the test batch, so there is no AUROC by which the grid protocol could pick", b.seed)
		}
	}
	s := &gridSearcher{column: column, batches: batches, score: score}
	search := s.single
	switch column {
	case columnAttention, columnBetter:
		search = s.attention
	case columnRatio, columnBatch:
		search = s.ratio
	}
	err := search(o)
	return s.best, &s.choice, err
}

// consider keeps better outcomes.
func (s *gridSearcher) consider(out []*outcome, c gridChoice) {
	mean := 0.0
	for i, b := range s.batches {
		mean += metric.AUROC(out[i].scores, b.ood) / float64(len(s.batches))
	}
	if s.best == nil || math.IsNaN(s.highest) || mean > s.highest {
		s.best, s.choice, s.highest = out, c, mean
	}
}

func (s *gridSearcher) single(o algo.Options) error {
	out, err := s.score(o)
	if err != nil {
		return err
	}
	s.consider(out, gridChoice{})
	s.choice.Searched = "one setting, as this score has none to choose"
	return nil
}

func (s *gridSearcher) attention(o algo.Options) error {
	run := func(topK int, band [2]float64) error {
		tried := o
		tried.Attention.TopK = topK
		tried.Attention.Mixup.LambdaLow, tried.Attention.Mixup.LambdaHigh = band[0], band[1]
		out, err := s.score(tried)
		if err != nil {
			return err
		}
		for _, beta := range with(o.Beta, gridBetas) {
			s.consider(weighted(out, beta, s.column), gridChoice{TopK: topK, Lambda: &band, Beta: beta})
		}
		return nil
	}
	whole := [2]float64{o.Attention.Mixup.LambdaLow, o.Attention.Mixup.LambdaHigh}
	tops := with(o.Attention.TopK, gridTopK)
	for _, topK := range tops {
		if err := run(topK, whole); err != nil {
			return err
		}
	}
	topK := s.choice.TopK
	for _, band := range gridBands {
		if err := run(topK, band); err != nil {
			return err
		}
	}
	bands := mapped(gridBands, func(band [2]float64) string { return fmt.Sprintf("%g to %g", band[0], band[1]) })
	s.choice.Searched = fmt.Sprintf("K of %s with λ from %g to %g; then, with the best K, λ from %s; each with β of %s",
		listed(tops), whole[0], whole[1], strings.Join(bands, ", "), listed(gridBetas))
	return nil
}

// listed are values with commas between them.
func listed[T any](values []T) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(values), "[]")), ", ")
}

func (s *gridSearcher) ratio(o algo.Options) error {
	run := func() error {
		out, err := s.score(o)
		if err != nil {
			return err
		}
		c := gridChoice{C: o.Ratio.C, PrintC: o.Ratio.PrintC}
		s.consider(out, c)
		if c.Ungated = true; s.column == columnBatch {
			s.consider(rescored(out, func(rows []algo.Row) []float64 { return columnScores(columnRatio, rows) }), c)
		}
		return nil
	}
	for _, o.Ratio.C = range with(o.Ratio.C, gridC) {
		if err := run(); err != nil {
			return err
		}
	}
	o.Ratio.C = s.choice.C
	for _, o.Ratio.PrintC = range with(o.Ratio.PrintC, gridPrint)[1:] {
		if err := run(); err != nil {
			return err
		}
	}
	gates := ""
	if s.column == columnBatch {
		gates = ", each with and without the gate"
	}
	s.choice.Searched = fmt.Sprintf("C of the embeddings of %s, then that of the subtrees of %s%s", listed(gridC), listed(gridPrint), gates)
	return nil
}

// rescored returns outcomes with other scores of the same rows.
func rescored(out []*outcome, scores func([]algo.Row) []float64) []*outcome {
	return mapped(out, func(o *outcome) *outcome {
		other := *o
		other.scores = scores(o.rows)
		return &other
	})
}

// weighted returns outcomes whose scores are S_BaCa of a column with another β.
func weighted(out []*outcome, beta float64, column string) []*outcome {
	base := columnPre
	if column == columnBetter {
		base = columnBatch
	}
	return rescored(out, func(rows []algo.Row) []float64 {
		attn := mapped(rows, func(r algo.Row) float64 { return r.Attn })
		scores := columnScores(base, rows)
		return algo.Add(beta, scores, attn).Of(scores, attn)
	})
}
