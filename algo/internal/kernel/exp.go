package kernel

import "math"

// Exp returns e^x in float32 with a relative error below 2e-7 for |x| ≤ 87;
// beyond, x is clipped to that range. It is the Cephes scheme: split off the
// nearest multiple of ln 2, then a polynomial of degree five. It gives the same
// bits on every platform whose compiler does not fuse multiply and add, which
// math.Exp does not promise, and costs a third.
func Exp(x float32) float32 {
	const (
		log2e = 1.44269504088896341
		// ln 2 in two parts, so that n·ln2hi is exact.
		ln2hi = 0.693359375
		ln2lo = -2.12194440e-4
	)
	x = max(-87, min(87, x))
	// Adding and taking away 1.5·2²³ rounds to the nearest integer.
	n := (float32(x*log2e) + 12582912) - 12582912
	r := float32(x-float32(n*ln2hi)) - float32(n*ln2lo)
	p := float32(1.9875691500e-4)
	p = float32(p*r) + 1.3981999507e-3
	p = float32(p*r) + 8.3334519073e-3
	p = float32(p*r) + 4.1665795894e-2
	p = float32(p*r) + 1.6666665459e-1
	p = float32(p*r) + 5.0000001201e-1
	p = float32(float32(p*r)*r) + r + 1
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}
