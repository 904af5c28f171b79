package kernel

import "math"

// Exp64 is e^x to within a unit in the last place, by FreeBSD's e_exp.c. Unlike math.Exp, which is
// assembly on some processors, it has the same bits everywhere.
func Exp64(x float64) float64 {
	const (
		ln2High, ln2Low = 6.93147180369123816490e-01, 1.90821492927058770002e-10
		most, least     = 7.09782712893383973096e+02, -7.45133219101941108420e+02
	)
	switch {
	case x > most:
		return math.Inf(1)
	case x < least:
		return 0
	case math.IsNaN(x):
		return x
	}
	k := math.Floor(float64(math.Log2E*x) + 0.5)
	high, low := x-float64(k*ln2High), float64(k*ln2Low)
	r := high - low
	// r·(e^r + 1)/(e^r − 1) = 2 + c is even in r.
	t := float64(r * r)
	p := 4.13813679705723846039e-08
	for _, next := range [...]float64{-1.65339022054652515390e-06, 6.61375632143793436117e-05,
		-2.77777777770155933842e-03, 1.66666666666666657415e-01} {
		p = next + float64(t*p)
	}
	c := r - float64(t*p)
	return math.Ldexp(1-((low-float64(r*c)/(2-c))-high), int(k))
}
