package attention

import (
	"fmt"
	"math"

	"baca/algo/internal/kernel"
)

// Keys is the key matrix of one dictionary, kept together with its rows brought
// to length 1, so that similarities are one matrix product. A Keys may be read by
// several goroutines at once.
type Keys struct {
	dim       int
	raw, unit []float32
	packed    kernel.Packed // unit
}

// NewKeys copies a row-major matrix of rows of dim values, such as
// dictionary.Dictionary.Keys. It panics if dim is not positive or does not divide
// the length.
func NewKeys(dim int, rows []float32) *Keys {
	if dim <= 0 || len(rows)%dim != 0 {
		panic(fmt.Sprintf("attention: %d values are not rows of dim %d", len(rows), dim))
	}
	k := &Keys{dim: dim, packed: kernel.Packed{Terms: dim}}
	for i := range len(rows) / dim {
		k.Set(i, rows[i*dim:(i+1)*dim])
	}
	return k
}

// Dim returns the number of values in a key.
func (k *Keys) Dim() int { return k.dim }

// Len returns the number of keys.
func (k *Keys) Len() int { return len(k.raw) / k.dim }

// Row returns key i, to be read only.
func (k *Keys) Row(i int) []float32 { return k.raw[i*k.dim : (i+1)*k.dim : (i+1)*k.dim] }

func (k *Keys) unitRow(i int) []float32 { return k.unit[i*k.dim : (i+1)*k.dim : (i+1)*k.dim] }

// Set makes a copy of row key i, appending it where i is Len(). With the Index of
// a dictionary.Placement it keeps up with a dictionary. It panics if i is larger
// or the row has another width.
func (k *Keys) Set(i int, row []float32) {
	if len(row) != k.dim || i < 0 || i > k.Len() {
		panic(fmt.Sprintf("attention: setting key %d of %d, dim %d, to a row of %d values", i, k.Len(), k.dim, len(row)))
	}
	if i == k.Len() {
		k.raw = append(k.raw, row...)
		k.unit = append(k.unit, row...)
	} else {
		copy(k.Row(i), row)
	}
	normalize(k.unitRow(i), k.Row(i))
	k.packed.Set(i, k.unitRow(i))
}

// normalize sets dst to src/‖src‖, or to 0 where src has no direction: where it is
// 0 or not finite.
func normalize(dst, src []float32) {
	sum := 0.0
	for _, x := range src {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		clear(dst)
		return
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range src {
		dst[i] = float32(float64(x) * scale)
	}
}

// similarities fills dst, m × Len(), with the cosines of m unit rows and all keys.
func (k *Keys) similarities(dst, units []float32, m int) {
	kernel.MulPacked(kernel.Dense(dst, m, k.Len()), kernel.Dense(units, m, k.dim), &k.packed, 0, k.Len())
}

// TopK writes to dst, from its start, the indices of the k largest similarities,
// largest first, and returns what it wrote. Of equals the lower index comes first.
// The index exclude (−1 for none) and NaN are left out, so there may be fewer than
// k. It takes O(n) where the order of the similarities is random and O(n·log k) at
// worst, and allocates only where dst has no room for the result.
func TopK(dst []int32, similarities []float32, k, exclude int) []int32 {
	dst = dst[:0]
	if k <= 0 {
		return dst
	}
	i := 0
	for ; i < len(similarities) && len(dst) < k; i++ {
		if s := similarities[i]; i != exclude && s == s {
			dst = append(dst, int32(i))
		}
	}
	// The heap has the worst of the chosen at its root. What comes later has a
	// higher index, so it must be strictly larger than the root to replace it.
	for j := len(dst)/2 - 1; j >= 0; j-- {
		sink(dst, similarities, j)
	}
	if len(dst) == k {
		for least := similarities[dst[0]]; i < len(similarities); i++ {
			if similarities[i] > least && i != exclude {
				dst[0] = int32(i)
				sink(dst, similarities, 0)
				least = similarities[dst[0]]
			}
		}
	}
	for end := len(dst) - 1; end > 0; end-- {
		dst[0], dst[end] = dst[end], dst[0]
		sink(dst[:end], similarities, 0)
	}
	return dst
}

func sink(heap []int32, s []float32, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && worse(s, heap[child+1], heap[child]) {
			child++
		}
		if !worse(s, heap[child], heap[i]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

func worse(s []float32, a, b int32) bool {
	return s[a] < s[b] || s[a] == s[b] && a > b
}
