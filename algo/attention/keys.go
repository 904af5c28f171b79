package attention

import (
	"math"
	"slices"

	"baca/algo/internal/kernel"
)

// Keys is the key matrix of one dictionary, together with its rows brought to length 1, so that
// similarities are one matrix product. Several goroutines may read a Keys at once.
type Keys struct {
	dim       int
	shared    *Keys         // the first keys, nil for none; others share them, so they stay
	raw, unit []float32     // of the keys after them
	packed    kernel.Packed // unit
}

// NewKeys copies a row-major matrix of rows of dim values, such as
// dictionary.Dictionary.Keys.
func NewKeys(dim int, rows []float32) *Keys {
	k := &Keys{dim: dim, raw: slices.Clone(rows), unit: make([]float32, len(rows))}
	for i := range k.Len() {
		normalize(k.Unit(i), k.Row(i))
	}
	k.packed = *kernel.Pack(kernel.Dense(k.unit, k.Len(), dim))
	return k
}

// sharing returns keys that begin with those of k, which no longer change.
func (k *Keys) sharing() *Keys {
	return &Keys{dim: k.dim, shared: k, packed: kernel.Packed{Terms: k.dim}}
}

// from returns the number of shared keys.
func (k *Keys) from() int {
	if k.shared == nil {
		return 0
	}
	return k.shared.Len()
}

// Len returns the number of keys.
func (k *Keys) Len() int { return k.from() + len(k.raw)/k.dim }

// Row returns key i, to be read only.
func (k *Keys) Row(i int) []float32 {
	if from := k.from(); i >= from {
		return part(k.raw, i-from, k.dim)
	}
	return k.shared.Row(i)
}

// Unit returns key i brought to length 1, to be read only.
func (k *Keys) Unit(i int) []float32 {
	if from := k.from(); i >= from {
		return part(k.unit, i-from, k.dim)
	}
	return k.shared.Unit(i)
}

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
	k.packed.Set(i-k.from(), k.Unit(i))
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

// similarities fills dst, m × (Len() − from), with the cosines of m unit rows and all keys from a key on: the first one or
// the first that is not shared.
func (k *Keys) similarities(dst, units []float32, m, from int) {
	to, rows, own := kernel.Dense(dst, m, k.Len()-from), kernel.Dense(units, m, k.dim), k.packed.Rows()
	kernel.MulPacked(to.Columns(to.Cols-own, to.Cols), rows, &k.packed, 0, own)
	if own < to.Cols {
		kernel.MulPacked(to.Columns(0, to.Cols-own), rows, &k.shared.packed, 0, to.Cols-own)
	}
}

// A ranking has the shared keys most similar to a query, without the query itself, and their cosines.
type ranking struct {
	keys    []int32
	cosines []float32
}

// rank returns the k shared keys with the largest cosines, without the key exclude (−1 for none).
func rank(cosines []float32, k, exclude int) (r ranking) {
	r.keys = TopK(nil, cosines, k, exclude)
	for _, key := range r.keys {
		r.cosines = append(r.cosines, cosines[key])
	}
	return r
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
