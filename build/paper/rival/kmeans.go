package rival

import (
	"math"
	"math/rand/v2"
	"slices"

	"baca/build/paper/rival/tape"
)

// kMeans divides rows into k clusters by 20 rounds of Lloyd's algorithm, from first centres
// that are drawn as k-means++ does (Arthur and Vassilvitskii 2007): each with a probability in
// proportion to the square of its distance from those before. It returns the centres, k×cols,
// and the cluster of each row and its distance from the centre of that. With fewer rows than
// k, each is a centre and k is their number.
func kMeans(rows tape.Matrix, k int, rng *rand.Rand) (centres tape.Matrix, cluster []int, distance []float64) {
	k = min(k, rows.Rows)
	cluster, distance = make([]int, rows.Rows), slices.Repeat([]float64{1}, rows.Rows)
	for range k {
		total := 0.0
		for _, d := range distance {
			total += d * d
		}
		drawn, left := rows.Rows-1, rng.Float64()*total
		for i, d := range distance {
			if left -= d * d; left < 0 {
				drawn = i
				break
			}
		}
		centres = matrixOf(append(centres.Data, rows.Row(drawn)...), rows.Cols)
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

// assign finds the nearest centre of each row, the first of several.
func assign(centres, rows tape.Matrix, cluster []int, distance []float64) {
	for i := range rows.Rows {
		distance[i] = math.Inf(1)
		for c := range centres.Rows {
			sum, centre := float32(0), centres.Row(c)
			for j, x := range rows.Row(i) {
				sum += (x - centre[j]) * (x - centre[j])
			}
			if d := math.Sqrt(float64(sum)); d < distance[i] {
				cluster[i], distance[i] = c, d
			}
		}
	}
}
