package job

import (
	"cmp"
	"context"
	"iter"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/internal/parallel"
	"baca/algo/molecule"
	"baca/algo/molecule/molfile"
	"baca/algo/molecule/smiles"
	"baca/algo/table"
)

// Sources reads a data set's graphs, with each molecule's SMILES and values, and calls refuse for unreadable records. Only an id of
// the input is a name.
func Sources(ctx context.Context, workers int, records iter.Seq2[dataset.Record, error], values *Labels, refuse func(error)) (list []algo.Source, err error) {
	read := func(r dataset.Record) dataset.Record {
		name := r.ID
		r = r.Parsed()
		r.ID = name
		return r
	}
	for r, err := range dataset.Ordered(ctx, workers, records, read) {
		switch {
		case err != nil:
			return nil, err
		case r.Err != nil:
			refuse(r.Err)
		default:
			list = append(list, algo.Source{Graph: r.Graph, SMILES: cmp.Or(r.SMILES, r.Written), Name: r.ID, Values: values.Of(&r)})
		}
	}
	return list, nil
}

// Structures sets Structure of rows with scores, on that many goroutines: the SMILES of the molecule in the form of the model.
func Structures(ctx context.Context, workers int, rows []table.Scored, form molecule.Form) error {
	return parallel.For(ctx, workers, len(rows), func(_, i int) {
		if r := &rows[i]; r.Scores != nil {
			r.Structure = written(&r.Record, form)
		}
	})
}

// written is a readable record's molecule as SMILES.
func written(r *dataset.Record, form molecule.Form) string {
	m, err := smiles.Parse(r.SMILES)
	if block := r.Molfile(); block != "" {
		m, err = molfile.Parse(block)
	}
	if err != nil {
		return "" // of a record without a molecule
	}
	read, _, _ := smiles.In(m, form)
	return smiles.Write(read)
}

// Take takes the graphs of a set, and also their values and molecules, for the model to keep.
func (t *Training) Take(set []algo.Source, values, structures bool) {
	for _, s := range set {
		t.Graphs = append(t.Graphs, s.Graph)
		if values {
			t.Values = append(t.Values, s.Values)
		}
	}
	if structures {
		t.Structures = set
	}
}
