package job

import (
	"cmp"
	"context"
	"iter"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/molecule"
)

// Sources reads a data set's graphs in a form, with each molecule's SMILES, and counts refused
// records. values, if not nil, returns a record's values; several goroutines call it.
func Sources(ctx context.Context, workers int, records iter.Seq2[dataset.Record, error], form molecule.Form, values func(*dataset.Record) *algo.Values) (list []algo.Source, refused int, err error) {
	read := func(r dataset.Record) *algo.Source {
		r = r.Parsed(form)
		if r.Err != nil {
			return nil
		}
		from := &algo.Source{Graph: r.Graph, SMILES: cmp.Or(r.SMILES, r.Written), Name: r.ID}
		if values != nil {
			from.Values = values(&r)
		}
		return from
	}
	for s, err := range dataset.Ordered(ctx, workers, records, read) {
		switch {
		case err != nil:
			return nil, refused, err
		case s == nil:
			refused++
		default:
			list = append(list, *s)
		}
	}
	return list, refused, nil
}
