package trust_test

import (
	"fmt"

	"baca/algo/feature/trust"
)

// Errors of held-out molecules that grow with the score.
func Example() {
	var pairs []trust.Pair
	for i := range 100 {
		score := float64(i) / 20
		pairs = append(pairs, trust.Pair{Score: score, Error: score * float64(i%5-2) / 2})
	}
	c, err := trust.New(pairs, trust.Options{Coverage: 0.8, Tolerance: 2})
	if err != nil {
		panic(err)
	}
	for _, score := range []float64{0.5, 4.5, 6} {
		j := c.Judge(score, 10)
		fmt.Printf("score %.1f: 10 ± %.1f, interval %.1f to %.1f, %s\n", score, j.Error, j.Low, j.High, j.Verdict)
	}
	// Output:
	// score 0.5: 10 ± 0.4, interval 9.2 to 10.8, trust
	// score 4.5: 10 ± 2.6, interval 5.8 to 14.2, do-not-use
	// score 6.0: 10 ± NaN, interval NaN to NaN, do-not-use
}
