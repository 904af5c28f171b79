package job

import (
	"context"
	"iter"
	"math"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/table"
)

// DriftDelta is the usual rate of false alarms of a test for drift.
const DriftDelta = 0.01

// A Drift is a test for drift with its path.
type Drift struct {
	*decide.Drift
	Wealth []float64 // powers of ten, the first for the start
}

// NewDrift returns a test that has seen nothing.
func NewDrift(alone *algo.SingleScorer, seed uint64) *Drift {
	return &Drift{decide.NewDrift(alone.Holdout(), seed), []float64{0}}
}

// Add takes the score of the next graph by itself, and returns its p-value.
func (d *Drift) Add(score float64) float64 {
	p := d.Drift.Add(score)
	d.Wealth = append(d.Wealth, d.LogWealth()/math.Ln10)
	return p
}

// Log is the power of ten that the wealth is now.
func (d *Drift) Log() float64 { return d.Wealth[len(d.Wealth)-1] }

// Watch adds the graphs of records, each by itself, and calls emit for each record behind
// that, with its score and p-value unless it is refused. So many graphs are scored at a time.
func (d *Drift) Watch(ctx context.Context, alone *algo.SingleScorer, piece int, records iter.Seq2[table.Unread, error], emit func(r table.Record, score, p float64) error) error {
	var wait []table.Record
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
		r := next()
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
