package job

import (
	"cmp"
	"context"
	"iter"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/molecule"
	"baca/algo/table"
)

// Sources reads a data set's graphs in a form, with each molecule's SMILES and values, and calls refuse for unreadable records.
func Sources(ctx context.Context, workers int, records iter.Seq2[dataset.Record, error], form molecule.Form, values *Labels, refuse func(error)) (list []algo.Source, err error) {
	read := func(r dataset.Record) dataset.Record { return r.Parsed(form) }
	for r, err := range dataset.Ordered(ctx, workers, records, read) {
		switch {
		case err != nil:
			return nil, err
		case r.Err != nil:
			refuse(r.Err)
		default:
			v := values.Of(r.Row, &table.Cells{Texts: r.Cells, Fail: r.FailCell})
			list = append(list, algo.Source{Graph: r.Graph, SMILES: cmp.Or(r.SMILES, r.Written), Name: r.ID, Values: v})
		}
	}
	return list, nil
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
