package job

import (
	"context"
	"iter"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

// Sources reads a data set's molecules in a form, with the record's SMILES, or a canonical one. It
// skips refused records. values, if not nil, returns a record's values; several goroutines call it.
func Sources(ctx context.Context, workers int, records iter.Seq2[dataset.Record, error], form molecule.Form, values func(*dataset.Record) *algo.Values) ([]algo.Source, error) {
	var list []algo.Source
	read := func(r dataset.Record) *algo.Source {
		m, err := r.Parse()
		if err != nil {
			return nil
		}
		text := r.SMILES
		if text == "" {
			c, _, _ := smiles.Canonical(m)
			text = smiles.Write(c)
		}
		m, _, _ = smiles.In(m, form)
		from := &algo.Source{Graph: m.Graph(), SMILES: text, Name: r.ID}
		if values != nil {
			from.Values = values(&r)
		}
		return from
	}
	for s, err := range dataset.Ordered(ctx, workers, records, read) {
		if err != nil {
			return nil, err
		}
		if s != nil {
			list = append(list, *s)
		}
	}
	return list, nil
}
