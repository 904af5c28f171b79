package dataset

import "iter"

// MeanSize bounds the mean size, in bytes, of the values of a full piece: many pieces wait in memory at a time.
const MeanSize = 2 << 10

// Pieces yields the values in pieces: most values in each, but fewer in the last one and where values have most*MeanSize
// bytes. Each piece has memory of its own. An error is yielded after the values before it, and ends the sequence.
func Pieces[T interface{ Size() int }](values iter.Seq2[T, error], most int) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		var piece []T
		size := 0
		for v, err := range values {
			if err != nil {
				if len(piece) == 0 || yield(piece, nil) {
					yield(nil, err)
				}
				return
			}
			if piece == nil {
				piece, size = make([]T, 0, most), 0
			}
			piece, size = append(piece, v), size+v.Size()
			if len(piece) == most || size >= most*MeanSize {
				if !yield(piece, nil) {
					return
				}
				piece = nil
			}
		}
		if len(piece) > 0 {
			yield(piece, nil)
		}
	}
}
