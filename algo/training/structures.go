// Package training trains models, for the command, the page and other programs. Callers open files, show progress and
// store results.
package training

import (
	"cmp"
	"context"
	"iter"

	"baca/algo/dataset"
	"baca/algo/model"
)

// Sources reads a data set's graphs, each with its SMILES, its name, which is empty without an id in the input, and its
// values, which are nil if values is nil. It leaves out unreadable records, and calls refuse, if not nil, with their errors.
func Sources(ctx context.Context, workers int, records iter.Seq2[dataset.Record, error], values *Labels, refuse func(error)) (list []model.Source, err error) {
	read := func(r dataset.Record) dataset.Record {
		name := r.ID
		r = r.Parsed() // which sets a missing id to the row
		r.ID = name
		return r
	}
	for r, err := range dataset.Ordered(ctx, workers, records, read) {
		switch {
		case err != nil:
			return nil, err
		case r.Err != nil && refuse != nil:
			refuse(r.Err)
		case r.Err == nil:
			list = append(list, model.Source{Graph: r.Graph, SMILES: cmp.Or(r.SMILES, r.Written), Name: r.ID, Values: values.Of(&r.Entry)})
		}
	}
	return list, nil
}

// Take takes the graphs of a set, and for the model to keep also their values and molecules if these are set.
func (t *Training) Take(set []model.Source, values, structures bool) {
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
