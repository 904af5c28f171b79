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

// tries bounds the attempts for one synthetic graph. Each draws λ, pair, size and
// edges afresh.
const tries = 32

// Check returns an error if an option is out of its range.
func (o Options) Check() error {
	if !(0 <= o.LambdaLow && o.LambdaLow <= o.LambdaHigh && o.LambdaHigh <= 1) {
		return fmt.Errorf("mixing weights from %v to %v: want 0 ≤ low ≤ high ≤ 1", o.LambdaLow, o.LambdaHigh)
	}
	return nil
}

// A Mixup draws synthetic graphs from mixtures of the graphons of one subgroup.
type Mixup struct {
	graphons []*Graphon
	usable   []int // indices of the graphons that are not zero
	options  Options
}

// A Synthetic is a graph drawn from λ·W_I + (1−λ)·W_J. Its structure view is
// computed; its feature view is the constant 1 until [Donors.Fill].
type Synthetic struct {
	Graph  *graph.Graph
	I, J   int // places in the slice given to NewMixup
	Lambda float64
}

// NewMixup prepares to mix the graphons of one subgroup, which must have the
// same number of steps. Those that USVT erased take no part, see [Mixup.Warning]. It
// is an error if an option is out of range.
func NewMixup(graphons []*Graphon, o Options) (*Mixup, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
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
	return m, nil
}

// Warning says what a user should hear about the subgroup, if anything.
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

// Draw mixes a random pair of different graphons and draws a graph of random
// size, 2 to N, from the mixture. It is false if none of the tries gave an edge.
func (m *Mixup) Draw(rng *rand.Rand) (Synthetic, bool) {
	return m.draw(rng, func(steps int) int { return 2 + rng.IntN(steps-1) })
}

// DrawSized is Draw for a graph of a given size, of which as many nodes are drawn as the
// mixture has steps for. Sizes below 2 count as 2.
func (m *Mixup) DrawSized(rng *rand.Rand, size int) (Synthetic, bool) {
	return m.draw(rng, func(steps int) int { return max(2, min(size, steps)) })
}

// draw takes the size of a graph from the number of steps.
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
				b++
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

// sample draws a graph of at most r nodes from w. They stand on the first r steps, which
// are the nodes of highest degree. There is an edge between two of them with the
// probability that w has for their steps, and a node without an edge is dropped. The
// structure view is computed, the feature view is the constant 1. The result is nil
// without an edge.
func sample(rng *rand.Rand, w *Graphon, r int) *graph.Graph {
	var edges [][2]int32
	number := make([]int32, r) // 1 for a node with an edge, then its number
	for i := range r {
		for j := i + 1; j < r; j++ {
			// One draw for each pair, whatever its probability: rounding
			// must not shift the random numbers of the pairs that follow.
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
		panic(err) // the numbers above are in range
	}
	g.EncodeStructure()
	return g
}
