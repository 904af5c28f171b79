// Package gin is the two-view graph isomorphism network: Encoder.Forward computes node and graph
// embeddings with projections, Encoder.Backward their gradients.
package gin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"baca/algo/graph"
	"baca/algo/internal/kernel"
)

// The views of a graph, as indices.
const (
	Feature   = 0 // x, the node features
	Structure = 1 // x_s, random walks and degrees
	Views     = 2
)

// A Config is the shape of an encoder.
type Config struct {
	Features int // width of the feature view's input
	Hidden   int
	Layers   int
}

// Default is the paper's shape.
func Default(features int) Config { return Config{Features: features, Hidden: 16, Layers: 5} }

// Width is E = L·d, the width of an embedding of one view.
func (c Config) Width() int { return c.Hidden * c.Layers }

// Validate rejects impossible shapes. Its limits bound what a hostile model file can allocate.
func (c Config) Validate() error {
	for _, f := range []struct {
		name   string
		v, max int
	}{{"features", c.Features, 4096}, {"hidden width", c.Hidden, 1024}, {"layers", c.Layers, 32}} {
		if f.v < 1 || f.v > f.max {
			return fmt.Errorf("encoder with %s %d: want 1 to %d", f.name, f.v, f.max)
		}
	}
	if c.Width() > 4096 {
		return fmt.Errorf("encoder with embedding width %d (layers × hidden width): want at most 4096", c.Width())
	}
	return nil
}

// A Linear layer computes y = x·Wᵀ + b, with W stored Out×In.
type Linear struct {
	In, Out int
	W, B    []float32

	packed *kernel.Packed // W of a fixed encoder
}

// An MLP is two linear layers with a ReLU between them.
type MLP struct{ First, Second Linear }

// An Encoder is one set of parameters, or of gradients. All tensors are parts of Params, in the
// order of Tensors.
type Encoder struct {
	Config
	GIN       [Views][]MLP // Layers each, every one followed by a ReLU
	GraphHead [Views]MLP
	NodeHead  [Views]MLP
	Params    []float32

	// Device runs the encoder, nil for the processor.
	Device Device

	fixed bool
}

// Fixed returns an encoder with the current weights whose Forward is faster and smaller. It cannot
// train.
func (e *Encoder) Fixed() *Encoder {
	f := *e
	f.fixed = true
	for v := range Views {
		f.GIN[v] = slices.Clone(f.GIN[v])
	}
	f.linears(func(_ string, l *Linear) { l.packed = kernel.Pack(l.weights()) })
	return &f
}

// A Tensor is a named part of an encoder's parameters.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

// Zero returns an encoder with zero parameters, for gradients. It panics on an invalid shape.
func Zero(c Config) *Encoder {
	if err := c.Validate(); err != nil {
		panic("gin: " + err.Error())
	}
	e := &Encoder{Config: c}
	for v, in := range [Views]int{c.Features, graph.EncodingWidth} {
		for range c.Layers {
			e.GIN[v] = append(e.GIN[v], mlp(in, c.Hidden, c.Hidden))
			in = c.Hidden
		}
		e.GraphHead[v] = mlp(c.Width(), c.Width(), c.Width())
		e.NodeHead[v] = mlp(c.Width(), c.Width(), c.Width())
	}
	total := 0
	e.linears(func(_ string, l *Linear) { total += l.Out*l.In + l.Out })
	e.Params = make([]float32, total)
	rest := e.Params
	e.linears(func(_ string, l *Linear) {
		n := l.Out * l.In
		l.W, l.B, rest = rest[:n:n], rest[n:n+l.Out:n+l.Out], rest[n+l.Out:]
	})
	return e
}

// New returns an encoder with Xavier-uniform weights and zero biases.
func New(c Config, rng *rand.Rand) *Encoder {
	e := Zero(c)
	e.linears(func(_ string, l *Linear) {
		bound := math.Sqrt(6 / float64(l.In+l.Out))
		for i := range l.W {
			l.W[i] = float32((2*rng.Float64() - 1) * bound)
		}
	})
	return e
}

// mlp returns two linear layers of these widths, without parameters.
func mlp(in, hidden, out int) MLP {
	return MLP{First: Linear{In: in, Out: hidden}, Second: Linear{In: hidden, Out: out}}
}

// linears visits every linear layer with its name, in the order of Params.
func (e *Encoder) linears(visit func(name string, l *Linear)) {
	pair := func(name string, m *MLP) {
		visit(name+".first", &m.First)
		visit(name+".second", &m.Second)
	}
	for v, view := range [Views]string{"feature", "structure"} {
		for l := range e.GIN[v] {
			pair(fmt.Sprintf("%s.gin.%d", view, l), &e.GIN[v][l])
		}
		pair(view+".graph_head", &e.GraphHead[v])
		pair(view+".node_head", &e.NodeHead[v])
	}
}

// Tensors lists every parameter, in the order of Params.
func (e *Encoder) Tensors() []Tensor {
	var ts []Tensor
	e.linears(func(name string, l *Linear) {
		ts = append(ts,
			Tensor{Name: name + ".weight", Shape: []int{l.Out, l.In}, Data: l.W},
			Tensor{Name: name + ".bias", Shape: []int{l.Out}, Data: l.B})
	})
	return ts
}
