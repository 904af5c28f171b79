package metric_test

import (
	"fmt"

	"baca/algo/metric"
)

func Example() {
	score := []float64{0.1, 0.4, 0.35, 0.8}
	ood := []bool{false, false, true, true}
	low, high := metric.Bootstrap(score, ood, metric.AUROC, 1000, 1)
	fmt.Printf("AUROC %.2f [%.2f, %.2f]\n", metric.AUROC(score, ood), low, high)
	fmt.Printf("AUPR %.2f, FPR95 %.2f\n", metric.AUPR(score, ood), metric.FPR95(score, ood))
	// Output:
	// AUROC 0.75 [0.00, 1.00]
	// AUPR 0.83, FPR95 0.50
}

// Percentiles of scores held by two machines.
func ExampleSketch() {
	var first, second metric.Sketch
	for k := range 50 {
		first.Add(float64(k))
		second.Add(float64(k + 50))
	}
	first.Merge(&second)
	fmt.Println(first.Percentile(25), first.Percentile(75))
	// Output: 24.75 74.25
}
