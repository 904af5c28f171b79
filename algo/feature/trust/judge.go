package trust

import (
	"context"
	"math"
	"slices"

	"baca/algo/alone"
	"baca/algo/graph"
	"baca/algo/model"
)

// A Judging judges predictions by the errors that a model knows.
type Judging struct {
	*Calibration
	Alone *alone.Scorer
	Shift *Shift // of the list, nil for none
}

// Compare compares the list that will be judged, or a sample of it, with the held-out graphs, and sets j.Shift: nil for a
// list of fewer than MinList.
func (j *Judging) Compare(ctx context.Context, list []*graph.Graph, sample bool) error {
	scores, err := j.Alone.Scores(ctx, list)
	if err != nil {
		return err
	}
	for i, g := range list {
		if j.Alone.Duplicate(g) {
			scores[i] = math.NaN() // known graphs score 0, above many held-out ones
		}
	}
	places, err := Places(ctx, j.Alone, list, scores)
	if j.Shift = j.NewShift(places); j.Shift != nil {
		j.Shift.Sample = sample
	}
	return err
}

// Sentences describe what judgements rest on.
func (j *Judging) Sentences() []string {
	return slices.Concat(j.Calibration.Sentences(), j.Shift.Sentences())
}

// JudgeAll judges the prediction values[k] of each graph k with its score. Judges must hold for all values.
func (j *Judging) JudgeAll(ctx context.Context, graphs []*graph.Graph, scores []float64, values []*model.Values) ([]Outcome, error) {
	places, err := Places(ctx, j.Alone, graphs, scores)
	if err != nil {
		return nil, err
	}
	list := make([]Outcome, len(values))
	for k, v := range values {
		p := Prediction{Place: places[k], Value: v.Predicted, Uncertainty: v.Uncertainty}
		judged := j.JudgePrediction(p)
		doubt := j.Doubt(p)
		j.Shift.Judge(p, doubt, &judged)
		list[k] = Outcome{Score: doubt, Observed: v.Observed, Judgement: judged}
	}
	return list, nil
}

// Judges tells whether values are enough for a judgement: a prediction and, if the order reads it, its uncertainty.
func (j *Judging) Judges(v *model.Values) bool {
	return finite(v.Predicted) && (!j.By.ReadsUncertainty() || finite(v.Uncertainty))
}
