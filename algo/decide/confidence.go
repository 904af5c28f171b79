package decide

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// A p-value from a holdout is right on average over the holdouts that one might have had.
// The holdout at hand may be a lucky draw, and then more than a fraction alpha of all further
// in-distribution graphs has p ≤ alpha. With n held-out graphs, the fraction with p ≤ (1+k)/(1+n)
// is distributed over the holdouts as Beta(k+1, n−k) (Vovk, "Conditional validity of
// inductive conformal predictors", 2012).

// Confident returns the largest rate, at most alpha, whose verdicts have at most a fraction alpha
// of false alarms with the given confidence over the choice of the holdout. It replaces alpha in
// Judge, and is 0 if the holdout is too small.
func Confident(alpha, confidence float64, holdout int) float64 {
	rate := 0.0
	for k := range holdout {
		next := float64(1+k) / float64(1+holdout)
		if next > alpha || mathext.RegIncBeta(float64(k+1), float64(holdout-k), alpha) < confidence {
			break
		}
		rate = next
	}
	return rate
}

// MostFalse bounds, with the given confidence, how many of the called graphs with p-values up to p
// are in-distribution, among total graphs with p-values from a holdout. It holds for all p at once,
// so one may choose the best of many thresholds. It is the smaller of two bounds, each at half of
// the error δ = 1 − confidence, that hold as p-values of in-distribution graphs are exchangeable
// with the holdout:
//
//	fewer than total·p/(δ/2)                    (Simes, for dependence of this kind)
//	at most total·(p + λ), with λ the least with (1 + 2√(2π)·λτ/√(n+total))·e^(−2τλ²) ≤ δ/2
//
// where τ = n·total/(n+total) (Gazin, Blanchard and Roquain, "Transductive conformal inference with
// adaptive scores", 2024).
func MostFalse(called, total, holdout int, p, confidence float64) int {
	if called == 0 || total == 0 || holdout == 0 {
		return called
	}
	half, m, n := (1-confidence)/2, float64(total), float64(holdout)
	simes := int(math.Ceil(m*p/half)) - 1
	tau := n * m / (n + m)
	tail := func(lambda float64) float64 {
		return (1 + 2*math.Sqrt(2*math.Pi)*lambda*tau/math.Sqrt(n+m)) * math.Exp(-2*tau*lambda*lambda)
	}
	_, high := bisect(50, func(x float64) bool { return tail(x) > half })
	band := called
	if tail(high) <= half { // else no λ up to 1 will do
		band = int(math.Floor(m * (p + high)))
	}
	return max(0, min(called, simes, band))
}
