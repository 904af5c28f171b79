package rival

import (
	"cmp"
	"math"
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/build/paper/rival/tape"
)

// A frozenView is one view of the model's encoder on a tape, whose weights stay as they are.
type frozenView struct {
	input  func(b *graph.Batch) tape.Matrix // what it reads of nodes
	layers tape.GIN
	head   tape.Layer // of graphs
}

func newFrozenView(e *gin.Encoder, view int) *frozenView {
	f, features, params := &frozenView{input: tape.Features}, e.Features, tape.NewParams(0)
	if view == gin.Structure {
		f.input, features = tape.Structure, graph.EncodingWidth
	}
	f.layers = tape.NewGIN(params, features, e.Hidden, e.Layers, false)
	f.head = tape.NewMLP(params, e.Width(), e.Width(), e.Width())
	params.Load(slices.Concat(e.GIN[view], e.GraphHead[view:view+1])...)
	params.Freeze()
	return f
}

// telling is the view that tells graphs apart by more than their size: atoms where the
// graphs have any, and structure where every node is the same.
func telling(e *gin.Encoder) *frozenView {
	if e.Features == 1 {
		return newFrozenView(e, gin.Structure)
	}
	return newFrozenView(e, gin.Feature)
}

// project returns the projections of graphs, B×E, for the input x and weights of edges, which
// may be nil.
func (f *frozenView) project(t *tape.Tape, b *graph.Batch, x, weights *tape.Value) *tape.Value {
	return f.head(t, t.SumNodes(f.layers(t, b, x, weights, false), b), false)
}

// inCanonicalOrder makes a score that depends on the whole of Test independent of its order:
// the graphs come in the order of hashes of their subtrees, and then of what they are.
func (r *run) inCanonicalOrder(score func(*run) []float64) []float64 {
	prints := checked(fingerprint.All(r.ctx, r.Workers, r.Test, fingerprint.DefaultHeight))
	order := sorted(len(prints), func(a, b int) int {
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

// sorted returns the numbers below n in an order, equals as they are.
func sorted(n int, compare func(a, b int) int) []int {
	order := tabulate(n, func(i int) int { return i })
	slices.SortStableFunc(order, compare)
	return order
}

// addStandard adds weight·(value − mean)/deviation to each score, with mean and deviation of
// what is known; the deviation is 1 where all of that is the same. A value that is not defined
// counts as the mean.
func addStandard(scores, values, known []float64, weight float64) {
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
			scores[i] += (x - mean) / (deviation / weight)
		}
	}
}
