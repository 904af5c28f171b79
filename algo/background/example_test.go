package background_test

import (
	"context"
	"fmt"

	"baca/algo/background"
	"baca/algo/fingerprint"
)

// The training set has subtrees 1 to 40, molecules at large 30 to 90.
func Example() {
	sample := func(from, to uint32) *background.Sample {
		s := &background.Sample{}
		for i := range uint32(90) {
			first := from + i%(to-from-5)
			p := fingerprint.Print{Keys: []uint32{first, first + 2, first + 5}, Counts: []uint32{1, 1, 1}}
			s.Prints, s.Folds = append(s.Prints, p), append(s.Folds, background.Fold(p.Hash()))
		}
		return s
	}
	head, _, err := background.Fit(context.Background(), 1, sample(1, 40), sample(30, 90))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, keys := range [][]uint32{{5, 7, 10}, {60, 62, 65}} {
		p := fingerprint.Print{Keys: keys, Counts: []uint32{1, 1, 1}}
		fmt.Printf("%v: %.1f\n", keys, head.Score(p, background.Fold(p.Hash())))
	}
	// Output:
	// [5 7 10]: -2.9
	// [60 62 65]: 3.3
}
