package rival

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/build/internal/try"
	"baca/build/research/rival/tape"
)

// A run is a detector at work on a problem.
type run struct {
	*Problem
	ctx    context.Context
	t      *tape.Tape
	params *tape.Params // that it trains
	rng    *rand.Rand
}

func newRun(ctx context.Context, p *Problem) *run {
	return &run{p, ctx, new(tape.Tape), tape.NewParams(p.Seed), stream(p.Seed, 1)}
}

// stream returns what random numbers of a seed are drawn from, of which there are many streams.
func stream(seed, number uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, number)) }

func (r *run) represent(gs []*graph.Graph) *contrast.Representation {
	return try.To(contrast.Represent(r.ctx, r.Workers, r.Model.Encoder, gs))
}

// losses returns the contrast of the rows of f and s, each with the others as negatives.
func (r *run) losses(f, s []float32, width int) []float64 {
	return try.To(contrast.NewNegatives(f, s, width).Scores(r.ctx, r.Workers, f, s, true))
}

// trainingBatch is the number of graphs to a step.
const trainingBatch = 128

// step makes a step of adam down a loss. A loss of nil makes none.
func (r *run) step(adam *tape.Adam, loss func() *tape.Value) {
	try.Check(r.ctx.Err())
	r.t.Reset()
	r.t.Training = true
	if l := loss(); l != nil {
		r.t.Backward(l)
		adam.Step()
	}
	r.t.Training = false
}

// train makes a step for each batch of graphs, in an order that each epoch draws, until there were enough epochs or steps.
// No batch has one graph alone, unless there is only one. loss gets the numbers of a batch's graphs, and may return nil.
func (r *run) train(
	adam *tape.Adam, gs []*graph.Graph, epochs, steps int, loss func(index []int, b *graph.Batch) *tape.Value,
) {
	var batch graph.Batch
	for range epochs {
		for order := r.rng.Perm(len(gs)); len(order) > 0 && steps > 0; steps-- {
			n := min(trainingBatch, len(order))
			if len(order)-n == 1 {
				n++
			}
			batch.Reset(pick(gs, order[:n]))
			r.step(adam, func() *tape.Value { return loss(order[:n], &batch) })
			order = order[n:]
		}
	}
}

// inCanonicalOrder makes a score that depends on the whole of Test independent of its order:
// the graphs come in the order of hashes of their subtrees, and then of what they are.
func (r *run) inCanonicalOrder(score func(*run) []float64) []float64 {
	prints := try.To(fingerprint.All(r.ctx, r.Workers, r.Test, fingerprint.DefaultHeight))
	order := tabulate(len(prints), func(i int) int { return i })
	slices.SortStableFunc(order, func(a, b int) int {
		g, h := r.Test[a], r.Test[b]
		return cmp.Or(cmp.Compare(prints[a].Hash(), prints[b].Hash()), slices.Compare(g.Offsets, h.Offsets),
			slices.Compare(g.Neighbors, h.Neighbors), slices.Compare(g.X, h.X))
	})
	p, scores := *r.Problem, make([]float64, len(order))
	p.Test, p.TestSMILES = pick(r.Test, order), nil
	for k, x := range score(newRun(r.ctx, &p)) {
		scores[order[k]] = x
	}
	return scores
}

// addStandard adds (value − mean)/deviation to each score, with mean and deviation of what
// is known, 1 where all of that is the same. A value that is not defined counts as the mean.
func addStandard(scores, values, known []float64) {
	known = slices.DeleteFunc(slices.Clone(known), math.IsNaN)
	n, sum, squares := float64(max(1, len(known))), 0.0, 0.0
	for _, x := range known {
		sum, squares = sum+x, squares+x*x
	}
	mean := sum / n
	deviation := math.Sqrt(max(0, squares/n-mean*mean))
	if deviation < 1e-9 {
		deviation = 1
	}
	for i, x := range values {
		if !math.IsNaN(x) {
			scores[i] += (x - mean) / deviation
		}
	}
}

// degrees are those of nodes, one-hot, with the highest of all classes for those above, too.
func degrees(b *graph.Batch, classes int) *tape.Value {
	list := tabulate(b.N(), func(i int) int { return min(int(b.Offsets[i+1]-b.Offsets[i]), classes-1) })
	return tape.Constant(oneHot(list, classes))
}

// oneHot returns rows of zeros with 1 in the columns that are given.
func oneHot(columns []int, width int) tape.Matrix {
	m := tape.NewMatrix(len(columns), width)
	for i, j := range columns {
		m.Row(i)[j] = 1
	}
	return m
}

// tabulate returns f(0) to f(n−1).
func tabulate[T any](n int, f func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = f(i)
	}
	return list
}

func pick[T any](list []T, index []int) []T {
	return tabulate(len(index), func(k int) T { return list[index[k]] })
}

func pickRows(m tape.Matrix, index []int) tape.Matrix {
	return matrixOf(slices.Concat(tabulate(len(index), func(k int) []float32 { return m.Row(index[k]) })...), m.Cols)
}

// matrixOf returns rows of a width.
func matrixOf(data []float32, width int) tape.Matrix {
	return tape.Matrix{Rows: len(data) / width, Cols: width, Data: data}
}

func widened(list []float32) []float64 {
	return tabulate(len(list), func(i int) float64 { return float64(list[i]) })
}
