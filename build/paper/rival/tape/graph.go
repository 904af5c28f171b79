package tape

import (
	"slices"

	"baca/algo/graph"
)

// Neighbors returns Σ_j w_ij·h_j over the neighbours j of each node i of b. The weights
// (2m×1) are in the order of b.Neighbors; nil makes all of them 1.
func (t *Tape) Neighbors(h *Value, b *graph.Batch, weights *Value) *Value {
	must(h.Rows == b.N() && (weights == nil || len(weights.Data) == len(b.Neighbors)), "%d rows for %d nodes, or other than %d weights", h.Rows, b.N(), len(b.Neighbors))
	return t.move(h, weights, b.Neighbors, Ends(b), h.Rows)
}

// Ends returns the node of which each of b.Neighbors is a neighbour.
func Ends(b *graph.Batch) (ends []int32) {
	for i := range b.N() {
		ends = append(ends, slices.Repeat([]int32{int32(i)}, int(b.Offsets[i+1]-b.Offsets[i]))...)
	}
	return ends
}

// Owners returns the graph of each node of b: the places at which [Tape.Scatter] sums nodes
// to graphs, and [Tape.Gather] gives nodes what their graph has.
func Owners(b *graph.Batch) (owners []int32) {
	for k, g := range b.Graphs {
		owners = append(owners, slices.Repeat([]int32{int32(k)}, g.N())...)
	}
	return owners
}

// SumNodes returns the sum of the rows of each graph's nodes, graphs×cols.
func (t *Tape) SumNodes(h *Value, b *graph.Batch) *Value {
	return t.Scatter(h, Owners(b), len(b.Graphs))
}

// MaxNodes returns the largest value in each column among a graph's nodes, graphs×cols;
// zeros for a graph without nodes.
func (t *Tape) MaxNodes(h *Value, b *graph.Batch) *Value {
	var from, to []int32 // elements
	for k := range b.Graphs {
		lo, hi := b.Nodes(k)
		for j := 0; j < h.Cols && lo < hi; j++ {
			at := lo*h.Cols + j
			for i := at; i < hi*h.Cols; i += h.Cols {
				if h.Data[i] > h.Data[at] {
					at = i
				}
			}
			from, to = append(from, int32(at)), append(to, int32(k*h.Cols+j))
		}
	}
	elements := t.move(h.shaped(len(h.Data), 1), nil, from, to, len(b.Graphs)*h.Cols)
	return elements.shaped(len(b.Graphs), h.Cols)
}

// Features returns the feature view of the nodes of b, N×Features.
func Features(b *graph.Batch) Matrix {
	m := Matrix{Rows: b.N(), Cols: b.Features}
	for _, g := range b.Graphs {
		m.Data = append(m.Data, g.X...)
	}
	return m
}

// Structure returns the structure view of the nodes of b, N×graph.EncodingWidth.
func Structure(b *graph.Batch) Matrix {
	m := Matrix{Rows: b.N(), Cols: graph.EncodingWidth}
	for _, g := range b.Graphs {
		g.EncodeStructure()
		m.Data = append(m.Data, g.XS...)
	}
	return m
}

// A GIN is a graph isomorphism network (Xu et al. 2019), ε = 0:
// h^{l+1} = ReLU(MLP(h^l + A·h^l)), with a normalisation before the ReLU where it has one. It
// returns the outputs of all layers, side by side, for nodes with the features x (N×features).
// Weights are those of edges as in [Tape.Neighbors].
type GIN func(t *Tape, b *graph.Batch, x, weights *Value, training bool) *Value

// NewGIN returns one of so many layers, each of the given width, for nodes with so many
// features.
func NewGIN(p *Params, features, width, layers int, norm bool) GIN {
	var list []Layer
	for range layers {
		layer := NewMLP(p, features, width, width)
		if norm {
			layer = Sequence(layer, NewNorm(p, width))
		}
		list, features = append(list, Sequence(layer, ReLU)), width
	}
	return func(t *Tape, b *graph.Batch, x, weights *Value, training bool) *Value {
		var outputs []*Value
		for _, layer := range list {
			x = layer(t, t.Add(x, t.Neighbors(x, b, weights)), training)
			outputs = append(outputs, x)
		}
		return t.Concat(outputs...)
	}
}
