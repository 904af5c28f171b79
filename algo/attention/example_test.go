package attention_test

import (
	"fmt"

	"baca/algo/attention"
	"baca/algo/dictionary"
)

// Two graphs against two small dictionaries: the first resembles the ID keys, the
// second the OOD keys.
func Example() {
	in := dictionary.New(dictionary.ID, 3, 8, nil)
	out := dictionary.New(dictionary.OOD, 3, 8, nil)
	for i, key := range [][]float32{{4, 1, 0}, {5, 1, 1}, {4, 0, 1}} {
		in.Offer(dictionary.Entry{Key: key, Score: -1, Index: i})
	}
	for i, key := range [][]float32{{0, 4, 1}, {1, 5, 1}} {
		out.Offer(dictionary.Entry{Key: key, Score: 1, Index: i})
	}
	inKeys := attention.NewKeys(3, in.Keys())
	outKeys := attention.NewKeys(3, out.Keys())

	head := attention.NewHead(3, 3)
	var work attention.Workspace
	queries := []float32{5, 1, 0, 1, 4, 0}
	scores := make([]attention.Score, 2)
	head.Scores(&work, scores, queries, nil, inKeys, outKeys, 2)
	for _, s := range scores {
		fmt.Printf("ATTN_in %.2f, ATTN_out %.2f, S_Attn %+.2f\n", s.In, s.Out, s.Attn())
	}
	best := head.Explain(&work, queries[3:], [2]int32{-1, -1}, inKeys, outKeys, 2).OutKeys[0]
	fmt.Printf("most like OOD graph %d, weight %.2f\n", out.Entry(best.Key).Index, best.Weight)
	// Output:
	// ATTN_in 0.98, ATTN_out 0.37, S_Attn -0.61
	// ATTN_in 0.44, ATTN_out 0.98, S_Attn +0.54
	// most like OOD graph 1, weight 0.95
}
