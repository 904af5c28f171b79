package rival

import (
	"math"
	"math/rand/v2"
	"slices"

	"baca/build/paper/rival/tape"
)

// kMeans divides rows into k clusters by 20 rounds of Lloyd's algorithm, from first centres
// that are drawn as k-means++ does (Arthur and Vassilvitskii 2007). It returns the centres,
// k×cols, and the cluster of each row and its distance from the centre of that. With fewer
// rows than k, each is a centre and k is their number.
func kMeans(rows tape.Matrix, k int, rng *rand.Rand) (centres tape.Matrix, cluster []int, distance []float64) {
	k = min(k, rows.Rows)
	cluster, distance = make([]int, rows.Rows), slices.Repeat([]float64{1}, rows.Rows)
	for range k {
		centres = matrixOf(append(centres.Data, rows.Row(drawSquare(distance, rng))...), rows.Cols)
		assign(centres, rows, cluster, distance)
	}
	for range 20 {
		counts, sums := make([]float32, k), tape.NewMatrix(k, rows.Cols)
		for i, c := range cluster {
			counts[c]++
			for j, x := range rows.Row(i) {
				sums.Row(c)[j] += x
			}
		}
		for i, x := range sums.Data {
			if n := counts[i/rows.Cols]; n > 0 { // an empty cluster keeps its centre
				centres.Data[i] = x / n
			}
		}
		assign(centres, rows, cluster, distance)
	}
	return centres, cluster, distance
}

// drawSquare returns an index with a probability in proportion to the square of its value.
func drawSquare(values []float64, rng *rand.Rand) int {
	total := 0.0
	for _, x := range values {
		total += x * x
	}
	left := rng.Float64() * total
	for i, x := range values {
		if left -= x * x; left < 0 {
			return i
		}
	}
	return len(values) - 1
}

// assign finds the nearest centre of each row, the first of several.
func assign(centres, rows tape.Matrix, cluster []int, distance []float64) {
	for i := range rows.Rows {
		nearest := math.Inf(1)
		for c := range centres.Rows {
			sum, centre := float32(0), centres.Row(c)
			for j, x := range rows.Row(i) {
				sum += (x - centre[j]) * (x - centre[j])
			}
			if d := math.Sqrt(float64(sum)); d < nearest {
				nearest, cluster[i], distance[i] = d, c, d
			}
		}
	}
}
