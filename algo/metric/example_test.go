package metric_test

import (
	"fmt"

	"baca/algo/metric"
)

func Example() {
	score := []float64{0.1, 0.4, 0.35, 0.8}
	ood := []bool{false, false, true, true}
	fmt.Printf("AUROC %.2f, AUPR %.2f, FPR95 %.2f\n", metric.AUROC(score, ood), metric.AUPR(score, ood), metric.FPR95(score, ood))
	// Output: AUROC 0.75, AUPR 0.83, FPR95 0.50
}
