// Package drift tests whether an input drifts in its order: Drift.Watch.
package drift

import (
	"cmp"
	"context"
	"iter"
	"math"

	"baca/algo/alone"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/graph"
)

// Delta is the default rate of false alarms for drift.
const Delta = 0.01

// A Drift is a drift test and its path so far.
type Drift struct {
	*decide.Drift
	Wealth []float64 // logarithms to base 10, from the start
}

// New returns a new test that compares scores with those of the holdout.
func New(alone *alone.Scorer, seed uint64) *Drift {
	return &Drift{decide.NewDrift(alone.Holdout(), seed), []float64{0}}
}

// Add adds the score of the next graph and returns its p-value.
func (d *Drift) Add(score float64) float64 {
	p := d.Drift.Add(score)
	d.Wealth = append(d.Wealth, d.LogWealth()/math.Ln10)
	return p
}

// Log returns the present wealth as a logarithm to base 10.
func (d *Drift) Log() float64 { return d.Wealth[len(d.Wealth)-1] }

// Watch adds the graphs of records, piece records at a time. It calls emit for each record with its score and p-value,
// which are NaN for a refused record. It stops at an error of the records, of emit or of ctx.
func (d *Drift) Watch(
	ctx context.Context, alone *alone.Scorer, piece int, records iter.Seq2[dataset.Record, error],
	emit func(r dataset.Record, score, p float64) error,
) error {
	for some, err := range dataset.Pieces(records, piece) {
		if err != nil {
			return err
		}
		var graphs []*graph.Graph
		for i := range some {
			if some[i] = some[i].Parsed(); some[i].Err == nil {
				graphs = append(graphs, some[i].Graph)
			}
		}
		scores, err := alone.Scores(ctx, graphs)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		for _, r := range some {
			score, p := math.NaN(), math.NaN()
			if r.Err == nil {
				score, scores = scores[0], scores[1:]
				p = d.Add(score)
			}
			if err := emit(r, score, p); err != nil {
				return err
			}
		}
	}
	return nil
}
