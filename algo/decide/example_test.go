package decide_test

import (
	"fmt"

	"baca/algo/decide"
)

// Scores become p-values and verdicts by comparison with held-out graphs.
func Example() {
	var holdout []float64
	for i := range 99 {
		holdout = append(holdout, float64(i)/100)
	}
	const alpha = 0.05
	for _, p := range decide.PValues([]float64{0.3, 0.92, 2}, holdout) {
		fmt.Printf("p = %.2f: %s\n", p, decide.Judge(p, alpha, len(holdout)))
	}
	// Output:
	// p = 0.70: inside
	// p = 0.08: borderline
	// p = 0.01: outside
}
