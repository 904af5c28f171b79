package job

import (
	"context"
	"iter"
	"math"
	"slices"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/table"
	"baca/algo/trust"
)

// A Judging judges predictions by the errors that a model knows.
type Judging struct {
	*trust.Calibration
	Alone *algo.SingleScorer
	Shift *trust.Shift // of the list, nil for none
}

// Compare compares the list that will be judged, or a sample of it, with the held-out graphs.
func (j *Judging) Compare(ctx context.Context, list *Fit) error {
	scores, err := j.Alone.Scores(ctx, list.Graphs)
	if err != nil {
		return err
	}
	for i, g := range list.Graphs {
		if j.Alone.Duplicate(g) {
			scores[i] = math.NaN() // known graphs score 0, above many held-out ones
		}
	}
	places, err := j.Alone.Places(ctx, list.Graphs, scores)
	if j.Shift = j.NewShift(places); j.Shift != nil {
		j.Shift.Sample = list.Sample
	}
	return err
}

// Sentences describe what judgements rest on.
func (j *Judging) Sentences() []string {
	return slices.Concat(j.Calibration.Sentences(), j.Shift.Sentences())
}

// Rows sets Trust of rows with a score and a prediction, and with its uncertainty where errors are compared by it; values returns a
// row's. doubts are those of rows with a judgement, else NaN.
func (j *Judging) Rows(ctx context.Context, rows []table.Scored, values func(i int) *algo.Values) (doubts []float64, err error) {
	var graphs []*graph.Graph
	var scores []float64
	var of []int
	doubts = make([]float64, len(rows))
	for i, r := range rows {
		doubts[i] = math.NaN()
		if r.Scores != nil && !math.IsNaN(r.Scores.Alone) && j.judges(values(i)) {
			graphs, scores, of = append(graphs, r.Graph), append(scores, r.Scores.Alone), append(of, i)
		}
	}
	places, err := j.Alone.Places(ctx, graphs, scores)
	if err != nil {
		return nil, err
	}
	for k, i := range of {
		v := values(i)
		p := trust.Prediction{Place: places[k], Value: v.Predicted, Uncertainty: v.Uncertainty}
		judged := j.JudgePrediction(p)
		j.Shift.Judge(places[k], &judged)
		doubts[i], rows[i].Trust = j.Doubt(p), &judged
	}
	return doubts, nil
}

// judges tells whether values are enough for a judgement.
func (j *Judging) judges(v *algo.Values) bool {
	needed := v.Predicted
	if j.By.ReadsUncertainty() {
		needed += v.Uncertainty
	}
	return !math.IsNaN(needed) && !math.IsInf(needed, 0)
}

// SampleOf returns an even sample of the graphs of records, MaxGraphs at most, or all of them if these are no more.
func SampleOf(ctx context.Context, records iter.Seq2[dataset.Record, error], seed uint64, workers int) (*Fit, error) {
	s := newSample(MaxGraphs, seed)
	n, err := s.draw(ctx, workers, inOrder(records, 0, 0), nil)
	if ctx.Err() != nil {
		return nil, err
	}
	f := s.fit(n)
	f.Sample = n > len(f.Graphs) && s.full(len(f.Graphs), s.nodes)
	return f, nil // an error of the input comes again when rows are scored
}
