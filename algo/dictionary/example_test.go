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
		p := d.Offer(dictionary.Entry{Key: []float32{0, 1}, Score: score, Origin: dictionary.Synthetic, Index: i})
		fmt.Printf("%.1f entered=%v evicted=%v row=%d\n", score, p.Entered, p.Evicted, p.Index)
	}
	fmt.Println("front:", d.Queue().Entry(d.Queue().Front()).Score)
	// Output:
	// 0.5 entered=true evicted=false row=1
	// 0.7 entered=true evicted=false row=2
	// 0.4 entered=false evicted=false row=-1
	// 0.6 entered=true evicted=true row=1
	// front: 0.6
}
