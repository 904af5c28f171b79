package decide_test

import (
	"fmt"
	"math/rand/v2"

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

// A stream that moves away from the holdout.
func ExampleDrift() {
	rng := rand.New(rand.NewPCG(1, 1))
	var holdout []float64
	for range 200 {
		holdout = append(holdout, rng.NormFloat64())
	}
	d := decide.NewDrift(holdout, 1)
	for range 60 {
		d.Add(rng.NormFloat64())
	}
	fmt.Println("moved:", d.Moved(0.01))
	for range 60 {
		d.Add(1.5 + rng.NormFloat64())
	}
	fmt.Println("moved:", d.Moved(0.01))
	// Output:
	// moved: false
	// moved: true
}
