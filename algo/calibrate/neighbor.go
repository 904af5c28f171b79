package calibrate

import (
	"context"
	"math"

	"baca/algo/internal/parallel"
)

// Nearest returns, for each row of q, the Euclidean distance to the nearest row
// of the bank, both standardised by the bank. It needs no batch: the distance of
// a graph does not depend on what else is scored. Without a bank it is 0
// throughout. The cost is rows × bank rows × dim.
func Nearest(ctx context.Context, workers int, q, bank []float32, dim int) ([]float64, error) {
	s := NewStandardizer(bank, dim)
	q, bank = s.Apply(q), s.Apply(bank)
	distances := make([]float64, len(q)/dim)
	if len(bank) == 0 {
		return distances, ctx.Err()
	}
	err := parallel.For(ctx, workers, len(distances), func(_, i int) {
		row := q[i*dim : (i+1)*dim]
		best := float32(math.Inf(1))
		for j := 0; j < len(bank); j += dim {
			sum := float32(0)
			for k, x := range bank[j : j+dim] {
				d := x - row[k]
				sum += d * d
			}
			best = min(best, sum)
		}
		distances[i] = math.Sqrt(float64(best))
	})
	return distances, err
}
