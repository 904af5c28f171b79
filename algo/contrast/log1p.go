package contrast

import "math"

// log1p sets dst to log(1+x) to the precision of float32, for each of the x ≥ 0
// that an embedding has. It is the same on every platform, which math.Log need not
// be, and takes half as long as math.Log1p: with 1+x = m·2^k, m around 1 and
// s = (m−1)/(m+1),
//
//	log(1+x) = k·ln 2 + 2·(s + s³/3 + s⁵/5 + …).
func log1p(dst, xs []float32) {
	dst = dst[:len(xs)]
	for i, x := range xs {
		if !(x >= 1e-7 && x <= math.MaxFloat32) {
			if x != 0 {
				// Here 1+x would lose too much of x, or x is no ordinary number.
				x = float32(math.Log1p(float64(x)))
			}
			dst[i] = x
			continue
		}
		// Adding half to the bits moves the border between two exponents from 1
		// to √½, whose bits are root.
		const root = 0x3fe6a09e667f3bcd
		const half = 0x3ff0000000000000 - root
		bits := math.Float64bits(1+float64(x)) + half
		k := float64(int64(bits>>52) - 1023)
		m := math.Float64frombits(bits&(1<<52-1) + root)
		s := (m - 1) / (m + 1)
		q := s * s
		p := float64(q*(1./11)) + 1./9
		p = float64(q*p) + 1./7
		p = float64(q*p) + 1./5
		p = float64(q*p) + 1./3
		p = float64(q*p) + 1
		dst[i] = float32(float64(k*math.Ln2) + float64(2*s*p))
	}
}
