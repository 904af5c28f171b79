package attention

import (
	"math"

	"baca/algo/internal/kernel"
)

// Keys is the key matrix of one dictionary, together with its rows brought to length 1, so that
// similarities are one matrix product. Several goroutines may read a Keys at once.
type Keys struct {
	dim       int
	raw, unit []float32
	packed    kernel.Packed // unit
}

// NewKeys copies a row-major matrix of rows of dim values, such as
// dictionary.Dictionary.Keys.
func NewKeys(dim int, rows []float32) *Keys {
	k := &Keys{dim: dim, packed: kernel.Packed{Terms: dim}}
	for i := range len(rows) / dim {
		k.Set(i, rows[i*dim:(i+1)*dim])
	}
	return k
}

// Len returns the number of keys.
func (k *Keys) Len() int { return len(k.raw) / k.dim }

// Row returns key i, to be read only.
func (k *Keys) Row(i int) []float32 { return k.raw[i*k.dim : (i+1)*k.dim : (i+1)*k.dim] }

// Unit returns key i brought to length 1, to be read only.
func (k *Keys) Unit(i int) []float32 { return k.unit[i*k.dim : (i+1)*k.dim : (i+1)*k.dim] }

// Set copies row to key i, or appends it if i is Len(). Setting the row that
// dictionary.Dictionary.Offer returns keeps Keys equal to the dictionary.
func (k *Keys) Set(i int, row []float32) {
	if i == k.Len() {
		k.raw = append(k.raw, row...)
		k.unit = append(k.unit, row...)
	} else {
		copy(k.Row(i), row)
	}
	normalize(k.Unit(i), k.Row(i))
	k.packed.Set(i, k.Unit(i))
}

// normalize sets dst to src/‖src‖, or to 0 if src is 0 or not finite.
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

// TopK returns the indices of the k largest similarities, largest first and the lower index first of
// equal ones. It leaves out NaN and the index exclude (−1 for none), so the result may have fewer
// than k. The result overwrites dst, and allocates only if dst has no room. TopK is meant for
// a small k: it takes O(n) for similarities in random order and O(n·k) at worst.
func TopK(dst []int32, similarities []float32, k, exclude int) []int32 {
	dst = dst[:0]
	if k <= 0 {
		return dst
	}
	least := float32(math.Inf(-1)) // what the next one must exceed
	for i, s := range similarities {
		full := len(dst) == k
		if full && !(s > least) || i == exclude || s != s {
			continue
		}
		if !full {
			dst = append(dst, 0)
		}
		at := len(dst) - 1 // the place of i: less similar ones move down, the last one out
		for ; at > 0 && s > similarities[dst[at-1]]; at-- {
			dst[at] = dst[at-1]
		}
		dst[at] = int32(i)
		least = similarities[dst[len(dst)-1]]
	}
	return dst
}
