package dictionary_test

import (
	"fmt"

	"baca/algo/dictionary"
)

// The OOD dictionary keeps one known graph for good and the two most OOD-like of
// those offered.
func Example() {
	bank := []dictionary.Entry{{Key: []float32{1, 0}, Score: 0.9, Origin: dictionary.Test}}
	d := dictionary.New(dictionary.OOD, 2, 2, bank)
	for i, score := range []float64{0.5, 0.7, 0.4, 0.6} {
		row := d.Offer(dictionary.Entry{Key: []float32{0, 1}, Score: score, Origin: dictionary.Synthetic, Index: i})
		fmt.Printf("%.1f row %d\n", score, row)
	}
	fmt.Println(d.Len(), "keys, the last of score", d.Entry(d.Len()-1).Score)
	// Output:
	// 0.5 row 1
	// 0.7 row 2
	// 0.4 row -1
	// 0.6 row 1
	// 3 keys, the last of score 0.7
}
