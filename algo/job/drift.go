package job

import (
	"context"
	"iter"
	"math"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/graph"
)

// DriftDelta is the default rate of false alarms for drift.
const DriftDelta = 0.01

// A Drift is a drift test with its path.
type Drift struct {
	*decide.Drift
	Wealth []float64 // powers of ten, from the start
}

// NewDrift returns a new test.
func NewDrift(alone *algo.SingleScorer, seed uint64) *Drift {
	return &Drift{decide.NewDrift(alone.Holdout(), seed), []float64{0}}
}

// Add returns the p-value of the next graph's score.
func (d *Drift) Add(score float64) float64 {
	p := d.Drift.Add(score)
	d.Wealth = append(d.Wealth, d.LogWealth()/math.Ln10)
	return p
}

// Log is the wealth as a power of ten.
func (d *Drift) Log() float64 { return d.Wealth[len(d.Wealth)-1] }

// Watch adds the graphs of records, piece graphs at a time, and calls emit for each record with its
// score and p-value, without them if refused.
func (d *Drift) Watch(ctx context.Context, alone *algo.SingleScorer, piece int, records iter.Seq2[dataset.Record, error], emit func(r dataset.Record, score, p float64) error) error {
	var wait []dataset.Record
	var graphs []*graph.Graph
	flush := func() error {
		var scores []float64
		var err error
		if len(graphs) > 0 {
			if scores, err = alone.Scores(ctx, graphs); err != nil {
				return err
			}
		}
		for _, r := range wait {
			score, p := math.NaN(), math.NaN()
			if r.Err == nil {
				score, scores = scores[0], scores[1:]
				p = d.Add(score)
			}
			if err := emit(r, score, p); err != nil {
				return err
			}
		}
		wait, graphs = wait[:0], graphs[:0]
		return nil
	}
	for next, err := range records {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		r := next.Parsed()
		if wait = append(wait, r); r.Err == nil {
			graphs = append(graphs, r.Graph)
		}
		if len(graphs) == piece || len(wait) >= 32*piece || len(graphs) == 0 {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}
