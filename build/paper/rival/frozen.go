package rival

import (
	"cmp"
	"context"
	"math"
	"slices"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/build/paper/rival/tape"
)

// A frozenView is one view of the model's encoder on a tape, whose weights stay as they are.
type frozenView struct {
	view   int
	layers *tape.GIN
	head   *tape.MLP // of graphs
}

func newFrozenView(e *gin.Encoder, view int) *frozenView {
	features := e.Features
	if view == gin.Structure {
		features = graph.EncodingWidth
	}
	params := tape.NewParams(0)
	f := &frozenView{
		view: view, layers: tape.NewGIN(params, features, e.Hidden, e.Layers, false),
		head: tape.NewMLP(params, e.Width(), e.Width(), e.Width()),
	}
	set := func(to *tape.MLP, from gin.MLP) {
		tape.SetLinear(to.First, from.First.W, from.First.B)
		tape.SetLinear(to.Second, from.Second.W, from.Second.B)
	}
	for l, m := range e.GIN[view] {
		set(f.layers.Layers[l], m)
	}
	set(f.head, e.GraphHead[view])
	params.Freeze()
	return f
}

// input returns what the view reads of nodes.
func (f *frozenView) input(b *graph.Batch) tape.Matrix {
	if f.view == gin.Feature {
		return tape.Features(b)
	}
	for _, g := range b.Graphs {
		g.EncodeStructure()
	}
	return tape.Structure(b)
}

// embed returns the embeddings of nodes, N×E, for the input x and weights of edges, which
// may be nil.
func (f *frozenView) embed(t *tape.Tape, b *graph.Batch, x, weights *tape.Value) *tape.Value {
	return t.Concat(f.layers.Forward(t, b, x, weights, false)...)
}

// project returns the projections of graphs, B×E, whose nodes have these embeddings.
func (f *frozenView) project(t *tape.Tape, b *graph.Batch, nodes *tape.Value) *tape.Value {
	return f.head.Forward(t, t.SumNodes(nodes, b))
}

// telling is the view that tells graphs apart by more than their size: atoms where the
// graphs have any, and structure where every node is the same.
func telling(e *gin.Encoder) int {
	if e.Features == 1 {
		return gin.Structure
	}
	return gin.Feature
}

// inCanonicalOrder makes a score that depends on the whole of Test independent of its order:
// the graphs come in the order of hashes of their subtrees, and then of what they are.
func inCanonicalOrder(score func(context.Context, *Problem) ([]float64, error)) func(context.Context, *Problem) ([]float64, error) {
	return func(ctx context.Context, p *Problem) ([]float64, error) {
		prints, err := fingerprint.All(ctx, p.Workers, p.Test, fingerprint.DefaultHeight)
		if err != nil {
			return nil, err
		}
		hashes, order := make([]uint64, len(prints)), make([]int, len(prints))
		for i, f := range prints {
			hashes[i], order[i] = f.Hash(), i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			g, h := p.Test[a], p.Test[b]
			return cmp.Or(cmp.Compare(hashes[a], hashes[b]), slices.Compare(g.Offsets, h.Offsets),
				slices.Compare(g.Neighbors, h.Neighbors), slices.Compare(g.X, h.X))
		})
		sorted := *p
		sorted.Test, sorted.TestSMILES = make([]*graph.Graph, len(order)), nil
		for k, i := range order {
			sorted.Test[k] = p.Test[i]
		}
		mixed, err := score(ctx, &sorted)
		if err != nil {
			return nil, err
		}
		scores := make([]float64, len(mixed))
		for k, i := range order {
			scores[i] = mixed[k]
		}
		return scores, nil
	}
}

// pooled returns the embeddings of both views, summed over nodes, n×2E.
func pooled(r *contrast.Representation) tape.Matrix {
	m := tape.NewMatrix(r.Len(), r.Dim())
	for i, q := range r.Q {
		m.Data[i] = float32(math.Expm1(float64(q)))
	}
	return m
}

// meanAndDeviation leaves out values that are not defined. The deviation is 1 where all
// values are the same.
func meanAndDeviation(values []float64) (mean, deviation float64) {
	n, squares := 0.0, 0.0
	for _, x := range values {
		if !math.IsNaN(x) {
			n++
			mean += x
			squares += x * x
		}
	}
	if n == 0 {
		return 0, 1
	}
	mean /= n
	if deviation = math.Sqrt(max(0, squares/n-mean*mean)); deviation < 1e-9 {
		deviation = 1
	}
	return mean, deviation
}

// addStandard adds weight·(value − mean)/deviation to each score, with mean and deviation of
// what is known. A value that is not defined counts as the mean.
func addStandard(scores, values, known []float64, weight float64) {
	mean, deviation := meanAndDeviation(known)
	for i, x := range values {
		if !math.IsNaN(x) {
			scores[i] += (x - mean) / (deviation / weight)
		}
	}
}
