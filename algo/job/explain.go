// Package job has what command and page share: scoring (Score), explaining, drift, reports and
// training. Callers open files, show progress and store results.
package job

import (
	"context"
	"slices"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/dictionary"
	"baca/algo/internal/parallel"
	"baca/algo/molecule"
	"baca/algo/report"
	"baca/algo/table"
)

// An Explainer explains scores of single graphs.
type Explainer struct {
	Alone *algo.SingleScorer
	Alpha float64
	Form  molecule.Form // the model's form of molecules

	// Scorer has calibrated a batch of these records, from 0 and ascending; nil without a batch.
	Scorer *algo.Scorer
	Batch  []int
}

// Explain sets Why of rows with scores, on that many goroutines (0: one for each core).
func (e *Explainer) Explain(ctx context.Context, workers int, rows []table.Scored) error {
	errs := make([]error, len(rows))
	err := parallel.For(ctx, workers, len(rows), func(_, i int) {
		if rows[i].Scores != nil {
			rows[i].Why, errs[i] = e.Why(ctx, rows[i].Record)
		}
	})
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); err == nil && i >= 0 {
		return errs[i]
	}
	return err
}

// Nearest sets Nearest of rows with scores.
func (e *Explainer) Nearest(ctx context.Context, workers int, rows []table.Scored, count int) error {
	return parallel.For(ctx, workers, len(rows), func(_, i int) {
		if rows[i].Scores != nil {
			rows[i].Nearest = e.Alone.Nearest(rows[i].Graph, count)
		}
	})
}

// Why explains a readable record.
func (e *Explainer) Why(ctx context.Context, r dataset.Record) (*table.Why, error) {
	x, err := e.Alone.Explain(ctx, r.Graph, e.Alpha)
	if err != nil {
		return nil, err
	}
	alike, err := e.likeOutside(ctx, r)
	if err != nil {
		return nil, err
	}
	order := report.Written(r.SMILES, e.Form, r.Graph.N())
	return &table.Why{Explanation: x, Atoms: order(x.Contributions), AtomsSubtrees: order(x.BySubtrees), AtomsEmbedding: order(x.ByEmbedding), LikeOutside: alike}, nil
}

// mostAlike is how many records of the OOD dictionary are named.
const mostAlike = 3

// likeOutside returns the records, from 1, of the OOD dictionary with the most attention for this
// one.
func (e *Explainer) likeOutside(ctx context.Context, r dataset.Record) ([]float64, error) {
	if e.Scorer == nil {
		return nil, nil
	}
	q, err := e.Alone.Embedding(ctx, r.Graph)
	if err != nil {
		return nil, err
	}
	var list []float64
	a := e.Scorer.Attention()
	for _, k := range a.Explain(q, InBatch(e.Batch, r.Row-1)).OutKeys {
		entry := a.Dictionary(dictionary.OOD).Entry(k.Key)
		if entry.Origin == dictionary.Test && len(list) < mostAlike {
			list = append(list, float64(e.Batch[entry.Index]+1))
		}
	}
	return list, nil
}

// InBatch returns the index of a record in an ascending batch, or −1.
func InBatch(batch []int, record int) int {
	if i, found := slices.BinarySearch(batch, record); found {
		return i
	}
	return -1
}
