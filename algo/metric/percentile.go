package metric

import (
	"maps"
	"math"
	"slices"
)

// Percentile returns the p-th percentile of values, 0 ≤ p ≤ 100, by linear
// interpolation between the two nearest (numpy's default). Values are not
// changed. It is NaN for no values, for a p out of range and where a value is
// NaN.
func Percentile(values []float64, p float64) float64 {
	if len(values) == 0 || slices.ContainsFunc(values, math.IsNaN) {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	return interpolate(len(s), p, func(k int) float64 { return s[k] })
}

// interpolate returns the p-th percentile of n ≥ 1 values, given the k-th
// smallest.
func interpolate(n int, p float64, value func(k int) float64) float64 {
	if !(0 <= p && p <= 100) {
		return math.NaN()
	}
	at := float64(n-1) * (p / 100)
	k := min(int(at), n-1)
	t := at - float64(k)
	a := value(k)
	if t == 0 {
		return a // exactly, also next to an infinite value
	}
	b := value(k + 1)
	if a == b {
		return a
	}
	// From the nearer end, so that the result is monotone in p.
	if t < 0.5 {
		return a + float64((b-a)*t)
	}
	return b - float64((b-a)*(1-t))
}

// A Sketch holds many values in little memory, for percentiles over a stream or
// over several machines. It rounds values to sketchBits binary digits and counts
// equal ones, so sketches of shards merge to exactly the same sketch in any
// order and grouping.
//
// A percentile of a Sketch is that of the rounded values: with x and y the two
// values that [Percentile] interpolates between, it is off by at most
// 2⁻¹⁰·max(|x|, |y|), about 0.1 %. Magnitudes below 2⁻⁶⁴ count as 0 and those
// above 2⁶⁴ as ±2⁶⁴, so a Sketch has at most 131 075 counters; scores take a
// few thousand.
//
// The zero value is an empty sketch. The field is exported for encoding only.
type Sketch struct {
	Counts map[int32]int64 // by key, see sketchKey
}

const (
	sketchBits = 10 // significant binary digits, the leading 1 included
	sketchLow  = -64
	sketchHigh = 64
)

// sketchKey numbers the rounded values in their order, 0 for 0 and −k for the
// negative of k: k−1 is (exponent − sketchLow) · 2⁹ + the nine digits after the
// leading one.
func sketchKey(v float64) int32 {
	a := math.Abs(v)
	if a < math.Ldexp(1, sketchLow) {
		return 0
	}
	a = min(a, math.Ldexp(1, sketchHigh))
	// Add half a unit of the last digit kept and cut: the carry may reach the
	// exponent, which is as it should be.
	const cut = 53 - sketchBits
	bits := (math.Float64bits(a) + 1<<(cut-1)) >> cut
	lowest := math.Float64bits(math.Ldexp(1, sketchLow)) >> cut
	key := int32(bits-lowest) + 1
	if v < 0 {
		return -key
	}
	return key
}

// sketchValue is the rounded value of a key.
func sketchValue(key int32) float64 {
	if key == 0 {
		return 0
	}
	const cut = 53 - sketchBits
	lowest := math.Float64bits(math.Ldexp(1, sketchLow)) >> cut
	// In 64 bits, as the smallest key has no negative among 32.
	steps := max(int64(key), -int64(key)) - 1
	return math.Copysign(math.Float64frombits((uint64(steps)+lowest)<<cut), float64(key))
}

// Add counts a value. NaN is left out, and Add returns false.
func (s *Sketch) Add(v float64) bool {
	if math.IsNaN(v) {
		return false
	}
	if s.Counts == nil {
		s.Counts = make(map[int32]int64)
	}
	s.Counts[sketchKey(v)]++
	return true
}

// Merge adds the values of t.
func (s *Sketch) Merge(t *Sketch) {
	if s.Counts == nil && len(t.Counts) > 0 {
		s.Counts = make(map[int32]int64, len(t.Counts))
	}
	for key, c := range t.Counts {
		s.Counts[key] += c
	}
}

// Len returns how many values were counted.
func (s *Sketch) Len() int {
	n := int64(0)
	for _, c := range s.Counts {
		n += c
	}
	return int(n)
}

// Percentile returns the p-th percentile, 0 ≤ p ≤ 100, within the bound above.
// It is NaN for an empty sketch and for a p out of range.
func (s *Sketch) Percentile(p float64) float64 {
	keys := slices.Sorted(maps.Keys(s.Counts))
	n := s.Len()
	if n < 1 {
		return math.NaN()
	}
	return interpolate(n, p, func(k int) float64 {
		rest := int64(k)
		for _, key := range keys {
			if rest -= s.Counts[key]; rest < 0 {
				return sketchValue(key)
			}
		}
		return sketchValue(keys[len(keys)-1])
	})
}
