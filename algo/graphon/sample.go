package graphon

import (
	"fmt"
	"math/rand/v2"

	"baca/algo/graph"
)

// Options configures [NewMixup].
type Options struct {
	// λ is uniform on [LambdaLow, LambdaHigh], within [0, 1].
	LambdaLow, LambdaHigh float64
}

// DefaultOptions returns λ in [0.01, 1].
func DefaultOptions() Options { return Options{LambdaLow: 0.01, LambdaHigh: 1} }

// tries bounds the attempts for one synthetic graph, each with new λ, pair, size and edges.
const tries = 32

// Check returns an error for mixing weights out of range.
func (o Options) Check() error {
	if !(0 <= o.LambdaLow && o.LambdaLow <= o.LambdaHigh && o.LambdaHigh <= 1) {
		return fmt.Errorf("mixing weights from %v to %v: want 0 ≤ low ≤ high ≤ 1", o.LambdaLow, o.LambdaHigh)
	}
	return nil
}

// A Mixup draws synthetic graphs from mixtures of the graphons of one subgroup.
type Mixup struct {
	graphons []*Graphon
	usable   []int // indices of the nonzero graphons
	options  Options
}

// A Synthetic is a graph drawn from λ·W_I + (1−λ)·W_J. Its structure view is
// computed; its feature view is the constant 1 until [Donors.Fill].
type Synthetic struct {
	Graph  *graph.Graph
	I, J   int // indices in the slice given to NewMixup
	Lambda float64
}

// NewMixup prepares the graphons of one subgroup, which must have the same number of steps. It
// ignores those that USVT erased, see [Mixup.Warning].
func NewMixup(graphons []*Graphon, o Options) *Mixup {
	m := &Mixup{graphons: graphons, options: o}
	for k, w := range graphons {
		if w.N != graphons[0].N {
			panic(fmt.Sprintf("graphon: subgroup with graphons of %d×%d and %d×%d steps",
				graphons[0].N, graphons[0].N, w.N, w.N))
		}
		if !w.IsZero() {
			m.usable = append(m.usable, k)
		}
	}
	return m
}

// Warning describes a problem of the subgroup, if any.
func (m *Mixup) Warning() string {
	switch len(m.usable) {
	case 0:
		return warnEmpty
	case 1:
		return warnSingle
	}
	return ""
}

const (
	warnEmpty  = "no graphon of this subgroup has an edge, so there are no synthetic graphs; a lower threshold may keep some"
	warnSingle = "only one graphon of this subgroup has an edge, so it is mixed with itself"
)

// Draw mixes a random pair of graphons and draws a graph of random size, 2 to N. It returns false if no try gave an edge.
func (m *Mixup) Draw(rng *rand.Rand) (Synthetic, bool) {
	return m.draw(rng, func(steps int) int { return 2 + rng.IntN(steps-1) })
}

// DrawSized is Draw for a given size, from 2 to the number of steps.
func (m *Mixup) DrawSized(rng *rand.Rand, size int) (Synthetic, bool) {
	return m.draw(rng, func(steps int) int { return max(2, min(size, steps)) })
}

// draw is Draw with a size that depends on the number of steps of the graphons.
func (m *Mixup) draw(rng *rand.Rand, size func(steps int) int) (Synthetic, bool) {
	if len(m.usable) == 0 {
		return Synthetic{}, false
	}
	for range tries {
		lambda := m.options.LambdaLow + float64((m.options.LambdaHigh-m.options.LambdaLow)*rng.Float64())
		a, b := 0, 0
		if len(m.usable) > 1 {
			a, b = rng.IntN(len(m.usable)), rng.IntN(len(m.usable)-1)
			if b >= a {
				b++ // another one than a
			}
		}
		i, j := m.usable[a], m.usable[b]
		mixed := Mix(lambda, m.graphons[i], m.graphons[j])
		if g := sample(rng, mixed, size(mixed.N)); g != nil {
			return Synthetic{Graph: g, I: i, J: j, Lambda: lambda}, true
		}
	}
	return Synthetic{}, false
}

// sample draws a graph of at most r nodes from w, at the first r steps, which have the highest
// degree. Nodes without an edge are dropped. The structure view is computed, the feature view is
// the constant 1. The result is nil without an edge.
func sample(rng *rand.Rand, w *Graphon, r int) *graph.Graph {
	var edges [][2]int32
	number := make([]int32, r) // 1 for a node with an edge, then its number
	for i := range r {
		for j := i + 1; j < r; j++ {
			// One draw for each pair, so that rounding cannot shift later random numbers.
			if rng.Float64() < w.W[i*w.N+j] {
				edges = append(edges, [2]int32{int32(i), int32(j)})
				number[i], number[j] = 1, 1
			}
		}
	}
	if len(edges) == 0 {
		return nil
	}
	n := int32(0)
	for i, kept := range number {
		number[i] = n
		n += kept
	}
	for k, e := range edges {
		edges[k] = [2]int32{number[e[0]], number[e[1]]}
	}
	g, _, err := graph.New(int(n), edges)
	if err != nil {
		panic(err) // the numbers are in range
	}
	g.EncodeStructure()
	return g
}
