package dataset

import "iter"

// MeanSize is the mean size of records that ends a piece early: many pieces wait.
const MeanSize = 2 << 10

// Pieces yields most values at a time, fewer of large ones, each piece in memory of its own. An error comes
// after the values before it.
func Pieces[T interface{ Size() int }](values iter.Seq2[T, error], most int) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		var w []T
		size := 0
		for v, err := range values {
			if err != nil {
				if len(w) == 0 || yield(w, nil) {
					yield(nil, err)
				}
				return
			}
			if w == nil {
				w, size = make([]T, 0, most), 0
			}
			w, size = append(w, v), size+v.Size()
			if len(w) == most || size >= most*MeanSize {
				if !yield(w, nil) {
					return
				}
				w = nil
			}
		}
		if len(w) > 0 {
			yield(w, nil)
		}
	}
}
