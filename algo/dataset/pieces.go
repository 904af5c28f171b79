package dataset

import "iter"

// MeanSize is the mean size of records, in bytes, that ends a piece early, because many pieces wait at a time.
const MeanSize = 2 << 10

// Pieces yields pieces of most values, and fewer if the values are large. Each piece has memory of its own. An error is
// yielded after the values before it.
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
