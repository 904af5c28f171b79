// Package explain says why a graph looks as it does to a model: what each node has
// to do with it, and in words how the graph differs from those of the training set.
package explain

import (
	"fmt"
	"math"

	"baca/algo/gin"
	"baca/algo/graph"
)

// Steps are the points at which Gradient takes a derivative.
const Steps = 8

// Gradient returns for each node of g what it adds to a function of the graph's
// embedding, by integrated gradients (Sundararajan and others, 2017): with a weight t
// on every node, which scales what it tells its neighbours in every layer and what it
// adds to the pooled embedding, the mean over t from 0, where there is no graph, to 1,
// of the derivative by the weight of that node. The sum over the nodes is the function
// at the graph less that at nothing, but for the error of Steps points (midpoint
// rule). The derivative at t = 1 alone says little where the function bends, as
// distances do. The features of all nodes and the structural encoding, which also is
// an input of the encoder, are held fast.
//
// by gets an embedding, log1p of both views pooled as in contrast.Representation, and
// returns the derivative of the function by it. The sums are in float64, apart from
// the embedding that by gets.
func Gradient(e *gin.Encoder, g *graph.Graph, by func(q []float32) []float64) []float64 {
	if g.Features != e.Features {
		panic(fmt.Sprintf("explain: graph of %d features, encoder of %d", g.Features, e.Features))
	}
	weight, sum := make([]float64, g.N()), make([]float64, g.N())
	for step := range Steps {
		for i := range weight {
			weight[i] = (float64(step) + 0.5) / Steps
		}
		for i, d := range derivatives(e, g, weight, by) {
			sum[i] += d / Steps
		}
	}
	return sum
}

// derivatives are those by the weight of each node.
func derivatives(e *gin.Encoder, g *graph.Graph, weight []float64, by func(q []float32) []float64) []float64 {
	p := forward(e, g, weight)
	q := make([]float32, gin.Views*e.Width())
	for j, x := range p.pooled {
		q[j] = float32(math.Log1p(x))
	}
	slope := by(q)
	if len(slope) != len(q) {
		panic(fmt.Sprintf("explain: derivative by %d values of an embedding of %d", len(slope), len(q)))
	}
	for j, x := range p.pooled {
		slope[j] /= 1 + x
	}
	return p.backward(e, g, weight, slope)
}

// A pass is what forward computes, by view and layer, row by row.
type pass struct {
	in     [gin.Views][][]float64 // what each layer reads, the last what it makes
	mid    [gin.Views][][]float64 // hidden layer of each MLP
	pooled []float64              // both views
}

// forward encodes a graph whose nodes have weights:
// h^{l+1} = ReLU(W₂ ReLU(W₁ (h^l + A·(w∘h^l)) + b₁) + b₂), pooled by Σ w·h.
func forward(e *gin.Encoder, g *graph.Graph, weight []float64) *pass {
	g.EncodeStructure()
	n, width := g.N(), e.Width()
	p := &pass{pooled: make([]float64, gin.Views*width)}
	for v, x := range [gin.Views][]float32{g.X, g.XS} {
		h := make([]float64, len(x))
		for k := range h {
			h[k] = float64(x[k])
		}
		p.in[v] = [][]float64{h}
		for l := range e.Layers {
			m := &e.GIN[v][l]
			d := m.First.In
			mid, out := make([]float64, n*m.First.Out), make([]float64, n*m.Second.Out)
			sum := make([]float64, d)
			for i := range n {
				copy(sum, h[i*d:(i+1)*d])
				for _, j := range g.Row(i) {
					for k, y := range h[int(j)*d : int(j+1)*d] {
						sum[k] += float64(weight[j] * y)
					}
				}
				linear(&m.First, mid[i*m.First.Out:(i+1)*m.First.Out], sum)
				linear(&m.Second, out[i*m.Second.Out:(i+1)*m.Second.Out], mid[i*m.First.Out:(i+1)*m.First.Out])
				for k, y := range out[i*m.Second.Out : (i+1)*m.Second.Out] {
					p.pooled[v*width+l*e.Hidden+k] += float64(weight[i] * y)
				}
			}
			h = out
			p.mid[v], p.in[v] = append(p.mid[v], mid), append(p.in[v], h)
		}
	}
	return p
}

// linear writes ReLU(W·x + b).
func linear(l *gin.Linear, dst, x []float64) {
	for o := range dst {
		sum := float64(l.B[o])
		for k, y := range x {
			sum += float64(float64(l.W[o*l.In+k]) * y)
		}
		dst[o] = max(0, sum)
	}
}

// back turns the derivative by y = ReLU(W·x + b) into that by x.
func back(l *gin.Linear, dx, dy, y []float64) {
	clear(dx)
	for o, d := range dy {
		if y[o] > 0 {
			for k := range dx {
				dx[k] += float64(float64(l.W[o*l.In+k]) * d)
			}
		}
	}
}

// backward returns the derivatives by the weights, given those by pooled.
func (p *pass) backward(e *gin.Encoder, g *graph.Graph, weight, slope []float64) []float64 {
	n, width := g.N(), e.Width()
	out := make([]float64, n)
	for v := range gin.Views {
		// told is what the layer above makes of what a node tells: the derivative
		// by w·h of each node, and own that by the h that it keeps.
		told, own := make([]float64, n*e.Hidden), make([]float64, n*e.Hidden)
		for l := e.Layers - 1; l >= 0; l-- {
			m := &e.GIN[v][l]
			d, h, mid := m.First.In, p.in[v][l+1], p.mid[v][l]
			pool := slope[v*width+l*e.Hidden:][:e.Hidden]
			dSum := make([]float64, n*d)
			dy, dMid := make([]float64, e.Hidden), make([]float64, m.First.Out)
			for i := range n {
				for k := range dy {
					through := pool[k] + told[i*e.Hidden+k]
					out[i] += float64(through * h[i*e.Hidden+k])
					dy[k] = float64(weight[i]*through) + own[i*e.Hidden+k]
				}
				back(&m.Second, dMid, dy, h[i*e.Hidden:(i+1)*e.Hidden])
				back(&m.First, dSum[i*d:(i+1)*d], dMid, mid[i*m.First.Out:(i+1)*m.First.Out])
			}
			told, own = make([]float64, n*d), dSum
			for i := range n {
				for _, j := range g.Row(i) {
					for k, x := range dSum[i*d : (i+1)*d] {
						told[int(j)*d+k] += x
					}
				}
			}
		}
		// What the features themselves tell.
		for i := range n {
			d := len(told) / n
			for k, x := range p.in[v][0][i*d : (i+1)*d] {
				out[i] += float64(told[i*d+k] * x)
			}
		}
	}
	return out
}
