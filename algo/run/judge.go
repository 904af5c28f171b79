package run

import (
	"context"
	"math"

	"baca/algo/dataset"
	"baca/algo/feature/trust"
	"baca/algo/graph"
	"baca/algo/model"
	"baca/algo/table"
)

// Predictions say how records with predicted values are judged.
type Predictions struct {
	*trust.Judging                                    // nil if the model knows no errors; Values is then called only to report mistakes
	Values         func(*dataset.Entry) *model.Values // returns the values of a record with a score
	Outcome        func(trust.Outcome)                // if not nil, is called with each result
}

// Judge sets Trust of the rows that have a score and a prediction. If errors are compared by uncertainty, rows need that
// too. It calls Values for each scored row, even if it judges none.
func (p *Predictions) Judge(ctx context.Context, rows []table.Row) error {
	var graphs []*graph.Graph
	var scores []float64
	var judged []*table.Scored
	var values []*model.Values
	for _, r := range rows {
		s, scored := r.(*table.Scored)
		if !scored {
			continue
		}
		v := p.Values(&s.Entry)
		if p.Judging != nil && !math.IsNaN(s.Scores.Alone) && p.Judges(v) {
			graphs, scores, judged, values = append(graphs, s.Graph), append(scores, s.Scores.Alone), append(judged, s), append(values, v)
		}
	}
	if p.Judging == nil {
		return nil
	}
	outcomes, err := p.JudgeAll(ctx, graphs, scores, values)
	for k, o := range outcomes {
		if judged[k].Trust = o.Judgement; p.Outcome != nil {
			p.Outcome(o)
		}
	}
	return err
}
