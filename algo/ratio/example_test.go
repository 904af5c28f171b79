package ratio_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/near"
	"baca/algo/ratio"
)

// Graphs with embeddings around 1 are the bank. Half of the batch lies around 2: the ratio
// tells these from the others without labels.
func Example() {
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func(n int, around float64) *contrast.Representation {
		const width = 2
		r := &contrast.Representation{Width: width, NodeScore: make([]float64, n)}
		for range n {
			for range 2 * width {
				r.Q = append(r.Q, float32(around+rng.NormFloat64()/4))
			}
			r.Prints = append(r.Prints, fingerprint.Print{Keys: []uint32{rng.Uint32()}, Counts: []uint32{1}})
		}
		return r
	}
	ctx := context.Background()
	known, err := near.NewBank(ctx, 1, draw(200, 1), nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	bank := ratio.NewBank(known)
	batch, others := draw(30, 1), draw(30, 2)
	batch.Q, batch.NodeScore, batch.Prints = append(batch.Q, others.Q...), append(batch.NodeScore, others.NodeScore...), append(batch.Prints, others.Prints...)
	test, err := bank.Measure(ctx, 1, batch)
	if err != nil {
		fmt.Println(err)
		return
	}
	holdout, err := bank.Measure(ctx, 1, draw(40, 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := bank.Estimate(ctx, 1, ratio.DefaultOptions(), test, holdout)
	if err != nil {
		fmt.Println(err)
		return
	}
	mean := func(scores []float64) (sum float64) {
		for _, s := range scores {
			sum += s / float64(len(scores))
		}
		return sum
	}
	fmt.Printf("the batch differs, p = %.2g: ID graphs %.1f, others %.1f\n", e.P, mean(e.Test[:30]), mean(e.Test[30:]))
	// Output:
	// the batch differs, p = 0.00019: ID graphs -0.6, others 0.6
}
