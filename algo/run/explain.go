package run

import (
	"context"
	"slices"

	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/dictionary"
	"baca/algo/internal/parallel"
	"baca/algo/model"
	"baca/algo/molecule"
	"baca/algo/molecule/molfile"
	"baca/algo/molecule/smiles"
	"baca/algo/table"
)

// An Explainer explains scores of single graphs.
type Explainer struct {
	Alone *alone.Scorer
	Alpha float64
	Form  molecule.Form // the model's form of molecules

	// Scorer has calibrated the batch, or is nil without one. Batch has the places of its records in the input, from 0
	// and ascending.
	Scorer *batch.Scorer
	Batch  []int
}

// newExplainer returns an Explainer that works on the processor, since a GPU does not help with single graphs.
func newExplainer(ctx context.Context, m *model.Model, of *alone.Scorer, alpha float64) (*Explainer, error) {
	if m.Encoder.Device != nil { // make a copy of the model without it
		here, encoder := *m, *m.Encoder
		here.Encoder, encoder.Device = &encoder, nil
		var err error
		if of, err = alone.New(ctx, &here, 1); err != nil {
			return nil, err
		}
	}
	return &Explainer{Alone: of, Alpha: alpha, Form: m.Form()}, nil
}

// each calls do with each scored row, on so many goroutines (0: one for each core), and returns the first error.
func each(ctx context.Context, workers int, rows []table.Row, do func(*table.Scored) error) error {
	errs := make([]error, len(rows))
	err := parallel.For(ctx, workers, len(rows), func(_, i int) {
		if s, scored := rows[i].(*table.Scored); scored {
			errs[i] = do(s)
		}
	})
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); err == nil && i >= 0 {
		return errs[i]
	}
	return err
}

// Explain sets Why of the scored rows.
func (e *Explainer) Explain(ctx context.Context, workers int, rows []table.Row) error {
	return each(ctx, workers, rows, func(s *table.Scored) (err error) {
		s.Why, err = e.Why(ctx, s.Record)
		return err
	})
}

// Nearest sets Nearest of each scored row to the most similar training graphs, count of them.
func (e *Explainer) Nearest(ctx context.Context, workers int, rows []table.Row, count int) error {
	return each(ctx, workers, rows, func(s *table.Scored) error {
		s.Nearest = e.Alone.Nearest(s.Graph, count)
		return nil
	})
}

// structures sets Structure of the scored rows: their SMILES in the form of the model.
func structures(ctx context.Context, workers int, rows []table.Row, form molecule.Form) error {
	return each(ctx, workers, rows, func(s *table.Scored) error {
		s.Structure = written(&s.Entry, form)
		return nil
	})
}

// written returns the molecule of a readable record as SMILES, or "" if the record has none.
func written(e *dataset.Entry, form molecule.Form) string {
	m, err := smiles.Parse(e.SMILES)
	if block := e.Molfile(); block != "" {
		m, err = molfile.Parse(block)
	}
	if err != nil {
		return "" // of a record without a molecule
	}
	read, _, _ := smiles.In(m, form)
	return smiles.Write(read)
}

// Why explains the score of a record that could be read. Values of atoms are in the order of the record's SMILES.
func (e *Explainer) Why(ctx context.Context, r dataset.Record) (table.Why, error) {
	x, err := e.Alone.Explain(ctx, r.Graph, e.Alpha)
	if err != nil {
		return table.Why{}, err
	}
	alike, err := e.likeOutside(ctx, r)
	if err != nil {
		return table.Why{}, err
	}
	order := smiles.Reordered(r.SMILES, e.Form, r.Graph.N())
	return table.Why{Given: true, Explanation: *x, Atoms: order(x.Contributions), AtomsSubtrees: order(x.BySubtrees), AtomsEmbedding: order(x.ByEmbedding), LikeOutside: alike}, nil
}

// mostAlike is how many records likeOutside returns.
const mostAlike = 3

// likeOutside returns the records of the batch that were taken for OOD and get most attention from record r, as places in
// the input from 1, at most mostAlike. Without a batch it returns none.
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

// InBatch returns the index in an ascending batch of the record at a place, or −1 if it is not in the batch.
func InBatch(batch []int, record int) int {
	if i, found := slices.BinarySearch(batch, record); found {
		return i
	}
	return -1
}
