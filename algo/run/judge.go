package run

import (
	"context"
	"iter"
	"math"
	"slices"

	"baca/algo/alone"
	"baca/algo/dataset"
	"baca/algo/feature/trust"
	"baca/algo/graph"
	"baca/algo/model"
	"baca/algo/table"
)

// A Judging judges predictions by the errors that a model knows.
type Judging struct {
	*trust.Calibration
	Alone *alone.Scorer
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
// record's. It calls outcome, if not nil, for each of them.
func (j *Judging) Rows(ctx context.Context, rows []table.Row, values func(*dataset.Entry) *model.Values, outcome func(trust.Outcome)) error {
	var graphs []*graph.Graph
	var scores []float64
	var of []*table.Scored
	var known []*model.Values
	for _, r := range rows {
		s, scored := r.(*table.Scored)
		if !scored {
			continue
		}
		if v := values(&s.Entry); !math.IsNaN(s.Scores.Alone) && j.judges(v) {
			graphs, scores, of, known = append(graphs, s.Graph), append(scores, s.Scores.Alone), append(of, s), append(known, v)
		}
	}
	places, err := j.Alone.Places(ctx, graphs, scores)
	if err != nil {
		return err
	}
	for k, s := range of {
		v := known[k]
		p := trust.Prediction{Place: places[k], Value: v.Predicted, Uncertainty: v.Uncertainty}
		s.Trust = j.JudgePrediction(p)
		if j.Shift.Judge(places[k], &s.Trust); outcome != nil {
			outcome(trust.Outcome{Score: j.Doubt(p), Observed: v.Observed, Judgement: s.Trust})
		}
	}
	return nil
}

// Predictions are values of records that are judged.
type Predictions struct {
	*Judging                                    // nil for a model that knows no errors: values are read all the same, to report mistakes
	Values   func(*dataset.Entry) *model.Values // of a record with a score
	Outcome  func(trust.Outcome)                // if not nil, gets what was judged
}

func (p *Predictions) judge(ctx context.Context, rows []table.Row) error {
	if p.Judging != nil {
		return p.Rows(ctx, rows, p.Values, p.Outcome)
	}
	for _, r := range rows {
		if s, scored := r.(*table.Scored); scored {
			p.Values(&s.Entry)
		}
	}
	return nil
}

// judges tells whether values are enough for a judgement.
func (j *Judging) judges(v *model.Values) bool {
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
