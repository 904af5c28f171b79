package job

import (
	"context"
	"fmt"
	"iter"

	"baca/algo/compare"
	"baca/algo/table"
)

const refusalsNamed = 3

// Gather reads parsed records into a list, piece graphs at a time on that many goroutines, and
// returns what was refused. It calls added with the number of graphs each time. The list depends on
// neither number.
func Gather(ctx context.Context, l *compare.List, workers, piece int, records iter.Seq2[table.Record, error], added func(graphs int)) (refused []string, err error) {
	var chunk []compare.Source
	flush := func() error {
		if err := l.Add(ctx, workers, chunk); err != nil {
			return err
		}
		added(len(chunk))
		chunk = chunk[:0]
		return ctx.Err()
	}
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		if r.Err != nil {
			if l.Refuse(1); l.Refused <= refusalsNamed {
				refused = append(refused, "refused: "+r.Err.Error())
			}
			continue
		}
		if chunk = append(chunk, compare.Source{ID: r.ID, SMILES: r.SMILES, Graph: r.Graph}); len(chunk) == piece {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	if n := l.Refused - refusalsNamed; n > 0 {
		refused = append(refused, fmt.Sprintf("refused: %d more of %s", n, l.Name))
	}
	return refused, nil
}
