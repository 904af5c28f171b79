package tape

import (
	"fmt"

	"baca/algo/graph"
)

// Neighbors returns Σ_j w_ij·h_j over the neighbours j of each node i of b. The weights
// (2m×1) are in the order of b.Neighbors; nil makes all of them 1.
func (t *Tape) Neighbors(h *Value, b *graph.Batch, weights *Value) *Value {
	if h.Rows != b.N() || weights != nil && (weights.Rows != len(b.Neighbors) || weights.Cols != 1) {
		panic(fmt.Sprintf("tape: %d rows for %d nodes, or other than %d weights", h.Rows, b.N(), len(b.Neighbors)))
	}
	operands := []*Value{h}
	if weights != nil {
		operands = append(operands, weights)
	}
	weight := func(e int32) float32 {
		if weights == nil {
			return 1
		}
		return weights.Data[e]
	}
	out := t.value(h.Rows, h.Cols, operands...)
	for i := range h.Rows {
		row := out.Row(i)
		for e := b.Offsets[i]; e < b.Offsets[i+1]; e++ {
			addScaled(row, weight(e), h.Row(int(b.Neighbors[e])))
		}
	}
	out.back = func() {
		for i := range h.Rows {
			d := out.gradient().Row(i)
			for e := b.Offsets[i]; e < b.Offsets[i+1]; e++ {
				j := int(b.Neighbors[e])
				if h.grad != nil {
					addScaled(h.gradient().Row(j), weight(e), d)
				}
				if weights != nil && weights.grad != nil {
					weights.grad[e] += float32(dot(d, h.Row(j)))
				}
			}
		}
	}
	return out
}

// Owners returns the graph of each node of b: the places at which [Tape.Scatter] sums nodes
// to graphs, and [Tape.Gather] gives nodes what their graph has.
func Owners(b *graph.Batch) []int32 {
	owners := make([]int32, 0, b.N())
	for k := range b.Graphs {
		for lo, hi := b.Nodes(k); lo < hi; lo++ {
			owners = append(owners, int32(k))
		}
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
	out := t.value(len(b.Graphs), h.Cols, h)
	from := make([]int, len(out.Data)) // the element of h that is the largest
	for k := range b.Graphs {
		lo, hi := b.Nodes(k)
		for j := range h.Cols {
			at := lo*h.Cols + j
			for i := at; i < hi*h.Cols; i += h.Cols {
				if h.Data[i] > h.Data[at] {
					at = i
				}
			}
			from[k*h.Cols+j] = at
			if lo < hi {
				out.Data[k*h.Cols+j] = h.Data[at]
			}
		}
	}
	out.back = func() {
		for k, g := range b.Graphs {
			for j := k * h.Cols; j < (k+1)*h.Cols && g.N() > 0; j++ {
				h.grad[from[j]] += out.grad[j]
			}
		}
	}
	return out
}

// Features returns the feature view of the nodes of b, N×Features.
func Features(b *graph.Batch) Matrix {
	m := Matrix{Rows: b.N(), Cols: b.Features, Data: make([]float32, 0, b.N()*b.Features)}
	for _, g := range b.Graphs {
		m.Data = append(m.Data, g.X...)
	}
	return m
}

// Structure returns the structure view of the nodes of b, N×graph.EncodingWidth. The
// encodings must be there.
func Structure(b *graph.Batch) Matrix {
	m := Matrix{Rows: b.N(), Cols: graph.EncodingWidth, Data: make([]float32, 0, b.N()*graph.EncodingWidth)}
	for _, g := range b.Graphs {
		m.Data = append(m.Data, g.XS...)
	}
	if len(m.Data) != m.Rows*m.Cols {
		panic(fmt.Sprintf("tape: %d values of structural encodings for %d nodes", len(m.Data), m.Rows))
	}
	return m
}

// A GIN is a graph isomorphism network (Xu et al. 2019), ε = 0:
// h^{l+1} = ReLU(MLP(h^l + A·h^l)), with a normalisation before the ReLU where it has one.
type GIN struct {
	Layers []*MLP
	Norms  []*Norm // of each layer, or nil
}

// NewGIN returns one of so many layers, each of the given width, for nodes with so many
// features.
func NewGIN(p *Params, features, width, layers int, norm bool) *GIN {
	g := &GIN{}
	for l := range layers {
		in := width
		if l == 0 {
			in = features
		}
		g.Layers = append(g.Layers, NewMLP(p, in, width, width))
		if norm {
			g.Norms = append(g.Norms, NewNorm(p, width))
		}
	}
	return g
}

// Forward returns the output of each layer for nodes with the features x (N×features), each
// N×width. Weights are those of edges as in [Tape.Neighbors]. Training is what [Norm.Forward]
// needs.
func (g *GIN) Forward(t *Tape, b *graph.Batch, x, weights *Value, training bool) []*Value {
	outputs := make([]*Value, len(g.Layers))
	for l, layer := range g.Layers {
		x = layer.Forward(t, t.Add(x, t.Neighbors(x, b, weights)))
		if g.Norms != nil {
			x = g.Norms[l].Forward(t, x, training)
		}
		x = t.ReLU(x)
		outputs[l] = x
	}
	return outputs
}
