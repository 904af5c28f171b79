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

func ExamplePercentile() {
	fmt.Println(metric.Percentile([]float64{10, 7, 4, 3, 2, 1}, 50))
	// Output: 3.5
}
