package gin

import (
	"fmt"

	"baca/algo/graph"
	"baca/algo/internal/kernel"
)

// An Activations holds what a forward pass computes. The exported slices are
// results; the rest is kept for the backward pass. It may be used for one batch
// after another and then allocates only when a batch is larger than any before.
type Activations struct {
	// Node and Graph are embeddings: the outputs of all layers, concatenated
	// (N×E), and their sum over the nodes of each graph (B×E).
	Node, Graph [Views][]float32
	// NodeProjection (N×E) and GraphProjection (B×E) are what the losses see.
	NodeProjection, GraphProjection [Views][]float32

	// sum[v][l] is h + A·h, the input of layer l's MLP; mid its hidden layer;
	// out its output after ReLU.
	sum, mid, out           [Views][][]float32
	nodeHidden, graphHidden [Views][]float32

	// Scratch of the backward pass.
	dHidden, dNode, dGraph, dOut, dMid, dSum []float32
}

// grow returns a slice of n values whose contents are not specified.
func grow(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

// Forward encodes the graphs of b,
// h^{l+1} = ReLU(W₂ ReLU(W₁ (h^l + A·h^l) + b₁) + b₂), in both views.
func (e *Encoder) Forward(b *graph.Batch, a *Activations) {
	if b.Features != e.Features {
		panic(fmt.Sprintf("gin: encoder of %d features got a batch of %d", e.Features, b.Features))
	}
	n, graphs, d, width := b.N(), b.Len(), e.Hidden, e.Width()
	for v := range Views {
		if a.sum[v] == nil {
			a.sum[v], a.mid[v], a.out[v] = make([][]float32, e.Layers), make([][]float32, e.Layers), make([][]float32, e.Layers)
		}
		a.Node[v] = grow(a.Node[v], n*width)
		in, h := b.X, b.Features
		if v == Structure {
			in, h = b.XS, graph.EncodingWidth
		}
		for l := range e.Layers {
			m := &e.GIN[v][l]
			a.sum[v][l] = grow(a.sum[v][l], n*h)
			a.mid[v][l] = grow(a.mid[v][l], n*d)
			a.out[v][l] = grow(a.out[v][l], n*d)
			addNeighbours(a.sum[v][l], in, b, h)
			m.First.forward(a.mid[v][l], a.sum[v][l], n)
			relu(a.mid[v][l])
			m.Second.forward(a.out[v][l], a.mid[v][l], n)
			relu(a.out[v][l])
			for i := range n {
				copy(a.Node[v][i*width+l*d:][:d], a.out[v][l][i*d:(i+1)*d])
			}
			in, h = a.out[v][l], d
		}
		a.Graph[v] = grow(a.Graph[v], graphs*width)
		clear(a.Graph[v])
		for k := range graphs {
			sum := a.Graph[v][k*width : (k+1)*width]
			for i := int(b.Graphs[k]); i < int(b.Graphs[k+1]); i++ {
				kernel.Add(sum, a.Node[v][i*width:(i+1)*width])
			}
		}
		a.NodeProjection[v], a.nodeHidden[v] = e.NodeHead[v].forward(a.NodeProjection[v], a.nodeHidden[v], a.Node[v], n)
		a.GraphProjection[v], a.graphHidden[v] = e.GraphHead[v].forward(a.GraphProjection[v], a.graphHidden[v], a.Graph[v], graphs)
	}
}

// ProjectGraphs applies the graph head of a view to n graph embeddings.
func (e *Encoder) ProjectGraphs(view int, embeddings []float32) []float32 {
	out, _ := e.GraphHead[view].forward(nil, nil, embeddings, len(embeddings)/e.Width())
	return out
}

// addNeighbours computes dst = h + A·h for n rows of the given width.
func addNeighbours(dst, h []float32, b *graph.Batch, width int) {
	copy(dst, h)
	for i := range b.N() {
		d := dst[i*width : (i+1)*width]
		for _, j := range b.Neighbors[b.Offsets[i]:b.Offsets[i+1]] {
			kernel.Add(d, h[int(j)*width:][:width])
		}
	}
}

func (l *Linear) forward(dst, x []float32, rows int) {
	kernel.MulNT(dst, x, l.W, rows, l.Out, l.In)
	for i := range rows {
		kernel.Add(dst[i*l.Out:(i+1)*l.Out], l.B)
	}
}

// forward returns the output and the hidden layer, in the given slices where
// they are large enough.
func (m *MLP) forward(out, hidden, x []float32, rows int) (_, _ []float32) {
	hidden = grow(hidden, rows*m.First.Out)
	m.First.forward(hidden, x, rows)
	relu(hidden)
	out = grow(out, rows*m.Second.Out)
	m.Second.forward(out, hidden, rows)
	return out, hidden
}

func relu(x []float32) {
	for i, v := range x {
		x[i] = max(v, 0)
	}
}
