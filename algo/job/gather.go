package job

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"baca/algo/compare"
	"baca/algo/dataset"
)

const refusalsNamed = 3

// inChunks calls add with what check makes of parsed records, of up to size records at a time, and
// refuse with the other records and their errors.
func inChunks[T any](
	ctx context.Context, size int, records iter.Seq2[dataset.Record, error],
	check func(dataset.Record) (T, error), refuse func(dataset.Record, error), add func([]T) error,
) error {
	for some, err := range inPieces(records, size) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		var chunk []T
		for _, r := range some {
			var value T
			if err = r.Err; err == nil {
				value, err = check(r)
			}
			if err != nil {
				refuse(r, err)
			} else {
				chunk = append(chunk, value)
			}
		}
		if err := add(chunk); err != nil {
			return err
		}
	}
	return nil
}

// Gather reads parsed records into a list, piece records at a time on that many goroutines, and
// returns what was refused. It calls added with the number of graphs each time. The list depends on
// neither number.
func Gather(ctx context.Context, l *compare.List, workers, piece int, records iter.Seq2[dataset.Record, error], added func(graphs int)) (refused []string, err error) {
	source := func(r dataset.Record) (compare.Source, error) {
		return compare.Source{SMILES: cmp.Or(r.SMILES, r.Written), Graph: r.Graph, Aside: r.Aside}, nil
	}
	refuse := func(_ dataset.Record, err error) {
		if l.Refuse(1); l.Refused <= refusalsNamed {
			refused = append(refused, "refused: "+err.Error())
		}
	}
	err = inChunks(ctx, piece, records, source, refuse, func(chunk []compare.Source) error {
		err := l.Add(ctx, workers, chunk)
		if err == nil {
			added(len(chunk))
		}
		return err
	})
	if n := l.Refused - refusalsNamed; n > 0 && err == nil {
		refused = append(refused, fmt.Sprintf("refused: %d more of %s", n, l.Name))
	}
	return refused, err
}
