package rival

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"baca/algo/contrast"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/build/paper/rival/tape"
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

// A failure is an error on its way to the caller of this package.
type failure struct{ error }

// check ends a run at an error.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func checked[T any](x T, err error) T {
	check(err)
	return x
}

// caught is deferred, and sets the error that a run ended at.
func caught(err *error) {
	switch x := recover().(type) {
	case nil:
	case failure:
		*err = x.error
	default:
		panic(x)
	}
}

// represent encodes graphs.
func (r *run) represent(gs []*graph.Graph) *contrast.Representation {
	return checked(contrast.Represent(r.ctx, r.Workers, r.Model.Encoder, gs))
}

// losses returns the contrast of the rows of f and s, each with the others as negatives.
func (r *run) losses(f, s []float32, width int) []float64 {
	return checked(contrast.NewNegatives(f, s, width).Scores(r.ctx, r.Workers, f, s, true))
}

// trainingBatch is the number of graphs to a step.
const trainingBatch = 128

// step makes a step of adam down a loss. A loss of nil makes none.
func (r *run) step(adam *tape.Adam, loss func() *tape.Value) {
	check(r.ctx.Err())
	r.t.Reset()
	if l := loss(); l != nil {
		r.t.Backward(l)
		adam.Step()
	}
}

// A batchLoss is the loss of a batch of graphs with these numbers, or nil.
type batchLoss func(index []int, b *graph.Batch) *tape.Value

// train makes a step for each batch of graphs, so many epochs long or, in a large set, until
// there were enough steps. The order of the graphs in an epoch is drawn. No batch has one graph
// alone, unless there is only one.
func (r *run) train(adam *tape.Adam, gs []*graph.Graph, epochs, steps int, loss batchLoss) {
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

// alone returns the rows that of gives for each graph by itself, so that none depends on the
// others, one below the other.
func (r *run) alone(gs []*graph.Graph, of func(b *graph.Batch) *tape.Value) tape.Matrix {
	var batch graph.Batch
	var all tape.Matrix
	for i := range gs {
		check(r.ctx.Err())
		r.t.Reset()
		batch.Reset(gs[i : i+1])
		rows := of(&batch)
		all = matrixOf(append(all.Data, rows.Data...), rows.Cols)
	}
	return all
}

// tabulate returns f(0) to f(n−1).
func tabulate[T any](n int, f func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = f(i)
	}
	return list
}

// pick returns some of a list.
func pick[T any](list []T, index []int) []T {
	return tabulate(len(index), func(k int) T { return list[index[k]] })
}

// pickRows copies some rows of a matrix.
func pickRows(m tape.Matrix, index []int) tape.Matrix {
	return matrixOf(slices.Concat(tabulate(len(index), func(k int) []float32 { return m.Row(index[k]) })...), m.Cols)
}

// matrixOf returns rows of a width.
func matrixOf(data []float32, width int) tape.Matrix {
	return tape.Matrix{Rows: len(data) / width, Cols: width, Data: data}
}

// length returns the Euclidean length of a row.
func length(row []float32) float64 {
	squares := 0.0
	for _, x := range row {
		squares += float64(x) * float64(x)
	}
	return math.Sqrt(squares)
}

// widened returns numbers as float64.
func widened(list []float32) []float64 {
	return tabulate(len(list), func(i int) float64 { return float64(list[i]) })
}

// wideRows returns the rows of a matrix as float64.
func wideRows(m tape.Matrix) [][]float64 {
	return tabulate(m.Rows, func(i int) []float64 { return widened(m.Row(i)) })
}

// nodeInput is what networks that are trained here read of nodes: the features of atoms, or
// where a graph has none, the degree.
func nodeInput(b *graph.Batch) tape.Matrix {
	if b.Features == molecule.Features {
		return tape.Features(b)
	}
	return degrees(b, graph.DegreeClasses)
}

// nodeWidth is the width of nodeInput.
func nodeWidth(gs []*graph.Graph) int {
	var b graph.Batch
	b.Reset(gs[:1])
	return nodeInput(&b).Cols
}

// degrees are those of nodes, one-hot, with the highest of all classes for those above, too.
func degrees(b *graph.Batch, classes int) tape.Matrix {
	return oneHot(tabulate(b.N(), func(i int) int { return min(int(b.Offsets[i+1]-b.Offsets[i]), classes-1) }), classes)
}

// oneHot returns rows of zeros with 1 in the columns that are given.
func oneHot(columns []int, width int) tape.Matrix {
	m := tape.NewMatrix(len(columns), width)
	for i, j := range columns {
		m.Row(i)[j] = 1
	}
	return m
}
