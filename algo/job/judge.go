package job

import (
	"context"
	"math"

	"baca/algo"
	"baca/algo/table"
	"baca/algo/trust"
)

// Judge sets the judgement of rows with a score and a prediction. by is the order that c was
// calibrated in; predicted returns a row's prediction, NaN for none.
func Judge(ctx context.Context, alone *algo.SingleScorer, c *trust.Calibration, by trust.Order, rows []table.Scored, predicted func(i int) float64) error {
	var list []algo.Prediction
	var of []int
	for i, r := range rows {
		if r.Scores == nil || math.IsNaN(r.Scores.Alone) {
			continue
		}
		if y := predicted(i); !math.IsNaN(y) && !math.IsInf(y, 0) {
			list, of = append(list, algo.Prediction{Graph: r.Graph, Score: r.Scores.Alone, Predicted: y}), append(of, i)
		}
	}
	doubts, err := alone.Doubts(ctx, by, list)
	if err != nil {
		return err
	}
	for k, i := range of {
		j := c.Judge(doubts[k], list[k].Predicted)
		rows[i].Trust = &j
	}
	return nil
}
