package cover_test

import (
	"context"
	"fmt"
	"math"

	"baca/algo/cover"
)

// The first well is best for three villages, the second for the two far away.
func ExampleGreedy() {
	villages, wells := []float64{1, 2, 3, 20, 21}, []float64{2, 10, 20.5}
	picks, err := cover.Greedy(context.Background(), 1, cover.Problem{
		Now:        []float64{30, 30, 30, 30, 30}, // what fetching water costs without a well
		Candidates: len(wells),
		Costs: func(_, well int, dst []float64) {
			for i, v := range villages {
				dst[i] = math.Abs(v - wells[well])
			}
		},
		Most: 2,
	})
	fmt.Println(picks, err)
	// Output: [{0 111} {2 36}] <nil>
}
