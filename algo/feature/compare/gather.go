package compare

import (
	"context"
	"fmt"
	"iter"

	"baca/algo/dataset"
)

// refusalsNamed is how many refused records are named. The rest is counted.
const refusalsNamed = 3

// Gather adds parsed records to a list, piece records at a time on so many goroutines, and calls added after each piece.
// It returns sentences on refused records. The list depends neither on piece nor on workers.
func Gather(ctx context.Context, l *List, workers, piece int, records iter.Seq2[dataset.Record, error], added func()) (refused []string, err error) {
	for some, err := range dataset.Pieces(records, piece) {
		if err == nil {
			err = l.Add(ctx, workers, some)
		}
		if err != nil {
			return refused, err
		}
		for _, r := range some {
			if r.Err != nil && len(refused) < refusalsNamed {
				refused = append(refused, "refused: "+r.Err.Error())
			}
		}
		added()
	}
	if n := l.Refused - refusalsNamed; n > 0 {
		refused = append(refused, fmt.Sprintf("refused: %d more of %s", n, l.Name))
	}
	return refused, nil
}
