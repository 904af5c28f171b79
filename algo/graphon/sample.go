package graphon

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"baca/algo/graph"
)

// Positions says which steps of an N×N graphon the r nodes of a synthetic graph
// stand on.
type Positions int

const (
	// Leading takes the first r steps, which are the nodes of highest degree.
	// The default: its graphs look most like those that the graphons came
	// from, with fewer components and fewer hubs than latent positions give.
	Leading Positions = iota
	// Latent draws r positions uniformly from [0, 1], with replacement: the
	// paper's equation 2. Only this way is t(F, W), of which theorem 1 speaks,
	// the chance of finding motif F. Nodes on the same step are twins, and
	// sparse graphons fall to pieces.
	Latent
)

// Options configures [NewMixup].
type Options struct {
	// λ is uniform on [LambdaLow, LambdaHigh], within [0, 1].
	LambdaLow, LambdaHigh float64

	// The size r is uniform on [2, N], or on [N/2, N] with HalfSize.
	HalfSize bool

	Positions Positions

	// Tries bounds the attempts for one synthetic graph; each draws λ, pair,
	// size and edges afresh.
	Tries int
}

// DefaultOptions returns λ in [0.01, 1], sizes in [2, N], leading positions and
// 32 tries.
func DefaultOptions() Options {
	return Options{LambdaLow: 0.01, LambdaHigh: 1, Tries: 32}
}

// Check returns an error that names the first option out of its range.
func (o Options) Check() error {
	switch {
	case !(0 <= o.LambdaLow && o.LambdaLow <= o.LambdaHigh && o.LambdaHigh <= 1):
		return fmt.Errorf("mixing weights from %v to %v: want 0 ≤ low ≤ high ≤ 1", o.LambdaLow, o.LambdaHigh)
	case o.Tries < 1 || o.Tries > 1e6:
		return fmt.Errorf("%d tries for a synthetic graph: want 1 to 1000000", o.Tries)
	case o.Positions != Leading && o.Positions != Latent:
		return fmt.Errorf("positions %d: want %d (leading) or %d (latent)", o.Positions, Leading, Latent)
	}
	return nil
}

// Warning is something a user should hear about a subgroup; empty means nothing.
type Warning string

const (
	// Empty: the subgroup has no graphon with an edge. Draw finds nothing.
	Empty Warning = "no graphon of this subgroup has an edge, so there are no synthetic graphs; a lower threshold may keep some"
	// Single: there is no second graphon, so the only one is mixed with itself.
	Single Warning = "only one graphon of this subgroup has an edge, so it is mixed with itself"
)

// A Mixup draws synthetic graphs from mixtures of the graphons of one subgroup.
// It is not safe for concurrent use.
type Mixup struct {
	graphons []*Graphon
	usable   []int // indices of the graphons that are not zero
	options  Options
	mixed    *Graphon
	cells    []int
}

// A Synthetic is a graph drawn from λ·W_I + (1−λ)·W_J. Its structure view is
// computed; its feature view is the constant 1 until [Donors.Fill].
type Synthetic struct {
	Graph  *graph.Graph
	I, J   int // places in the slice given to NewMixup
	Lambda float64
}

// NewMixup prepares to mix the graphons of one subgroup, which must have the
// same number of steps. Those that USVT erased take no part, see [Mixup.Erased]
// and [Mixup.Warning]. It is an error if an option is out of range.
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
	if len(m.usable) > 0 {
		m.mixed = New(graphons[0].N)
	}
	return m, nil
}

// Erased returns the number of graphons without an edge.
func (m *Mixup) Erased() int { return len(m.graphons) - len(m.usable) }

// Warning says what the subgroup lacks, if anything.
func (m *Mixup) Warning() Warning {
	switch len(m.usable) {
	case 0:
		return Empty
	case 1:
		return Single
	}
	return ""
}

// Draw mixes a random pair of different graphons and draws a graph of random
// size from the mixture. It is false if none of the tries gave an edge.
func (m *Mixup) Draw(rng *rand.Rand) (Synthetic, bool) {
	if len(m.usable) == 0 {
		return Synthetic{}, false
	}
	n := m.mixed.N
	low := 2
	if m.options.HalfSize {
		low = max(2, n/2)
	}
	for range m.options.Tries {
		lambda := m.options.LambdaLow + float64((m.options.LambdaHigh-m.options.LambdaLow)*rng.Float64())
		a, b := 0, 0
		if len(m.usable) > 1 {
			a, b = rng.IntN(len(m.usable)), rng.IntN(len(m.usable)-1)
			if b >= a {
				b++
			}
		}
		i, j := m.usable[a], m.usable[b]
		mixInto(m.mixed, lambda, m.graphons[i], m.graphons[j])
		r := low + rng.IntN(n-low+1)
		m.cells = positions(rng, m.cells, n, r, m.options.Positions)
		if g := sampleAt(rng, m.mixed, m.cells); g != nil {
			return Synthetic{Graph: g, I: i, J: j, Lambda: lambda}, true
		}
	}
	return Synthetic{}, false
}

// Sample draws a graph of at most r nodes from w: an edge i < j is there with
// the probability that w has for their positions, and nodes left without an
// edge are dropped. The structure view is computed, the feature view is the
// constant 1. It is nil if there is no edge. With Leading positions, r is at
// most w.N.
func Sample(rng *rand.Rand, w *Graphon, r int, p Positions) *graph.Graph {
	if r < 0 || p == Leading && r > w.N {
		panic(fmt.Sprintf("graphon: sample of %d nodes from %d×%d steps", r, w.N, w.N))
	}
	if w.N == 0 {
		return nil
	}
	return sampleAt(rng, w, positions(rng, nil, w.N, r, p))
}

// positions returns the steps of r nodes, ascending.
func positions(rng *rand.Rand, cells []int, n, r int, p Positions) []int {
	cells = cells[:0]
	for k := range r {
		if p == Latent {
			k = rng.IntN(n)
		}
		cells = append(cells, k)
	}
	slices.Sort(cells)
	return cells
}

func sampleAt(rng *rand.Rand, w *Graphon, cells []int) *graph.Graph {
	var edges [][2]int32
	number := make([]int32, len(cells)) // 1 for a node with an edge, then its number
	for i, a := range cells {
		for j, b := range cells[i+1:] {
			// One draw for each pair, whatever its probability: rounding
			// must not shift the random numbers of the pairs that follow.
			if rng.Float64() < w.W[a*w.N+b] {
				edges = append(edges, [2]int32{int32(i), int32(i + 1 + j)})
				number[i], number[i+1+j] = 1, 1
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
