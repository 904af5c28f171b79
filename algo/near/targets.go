package near

import (
	"fmt"
	"math"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
)

// Targets are graphs whose distances to the bank are measured again as if further graphs were in it. Rarities of
// subtrees and units stay those of the bank. Targets are read-only; goroutines may share them.
type Targets struct {
	bank      *Bank
	landmarks *landmarks // the embeddings, standardised
	within    []float64  // see Bank.Targets
	pairs     *fingerprint.Pairs
	rest      []float64          // ByRest
	novel     []float64          // how many subtrees of each no training graph has
	lack      map[uint32][]int32 // which targets have such a subtree
}

// Targets prepares graphs. A graph farther from a target than within, by the embedding, counts as
// infinitely far from it, by the embedding.
func (b *Bank) Targets(graphs *contrast.Outline, within []float64) *Targets {
	n := len(graphs.Prints)
	keys := make([]float32, len(graphs.Q))
	b.Standard.apply(keys, graphs.Q, b.dim)
	c := &Targets{
		bank: b, landmarks: newLandmarks(keys, b.dim), within: within, pairs: b.Subtrees.Pairs(graphs.Prints),
		rest: make([]float64, n), novel: make([]float64, n), lack: map[uint32][]int32{},
	}
	for i, p := range graphs.Prints {
		for _, key := range p.Keys {
			if graphs.NodeScore == nil && b.Subtrees.Holders(key) == 0 {
				c.lack[key] = append(c.lack[key], int32(i))
				c.novel[i]++
			}
		}
		c.rest[i] = b.unexplained(graphs, i, int(c.novel[i]))
	}
	return c
}

// To writes the distance of each target to graph j, part by part as [Distances.Part]: dst[k] has part k. For ByRest
// that is the count of new subtrees that j lacks too, or ℓ_n, which does not depend on j.
func (c *Targets) To(graphs *contrast.Outline, j int, dst *[Parts][]float64) {
	if len(dst[0]) != len(c.rest) {
		panic(fmt.Sprintf("near: %d values for %d targets", len(dst[0]), len(c.rest)))
	}
	c.pairs.To(graphs.Prints[j], dst[BySubtrees], dst[ByCounts])
	for _, part := range dst[BySubtrees:ByRest] {
		for i, similarity := range part {
			part[i] = 1 - similarity
		}
	}
	left := dst[ByRest]
	copy(left, c.novel)
	for _, key := range graphs.Prints[j].Keys {
		for _, i := range c.lack[key] {
			left[i]--
		}
	}
	for i, n := range left {
		if left[i] = c.rest[i]; n < c.novel[i] {
			left[i] = math.Log1p(n)
		}
	}
	s := search{landmarks: c.landmarks, queries: make([]float32, c.bank.dim)}
	c.bank.Standard.apply(s.queries, graphs.Row(j), c.bank.dim)
	s.measure()
	for k, i := range s.order {
		dst[ByEmbedding][i] = math.Inf(1)
		if float64(s.squares[k])-s.slack[0] <= 1.01*c.within[i]*c.within[i] {
			dst[ByEmbedding][i] = math.Sqrt(squaredFloat32(s.row(i), s.queries))
		}
	}
}

// squaredFloat32 is SquaredDistance with four float32 sums, four times as fast. No score uses it.
func squaredFloat32(a, b []float32) float64 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	t := 0
	for ; t+3 < len(a); t += 4 {
		d0, d1, d2, d3 := a[t]-b[t], a[t+1]-b[t+1], a[t+2]-b[t+2], a[t+3]-b[t+3]
		s0, s1, s2, s3 = s0+float32(d0*d0), s1+float32(d1*d1), s2+float32(d2*d2), s3+float32(d3*d3)
	}
	for ; t < len(a); t++ {
		d := a[t] - b[t]
		s0 += float32(d * d)
	}
	return float64(s0) + float64(s1) + float64(s2) + float64(s3)
}

// Equal reports whether graph i has the same print as a graph of the bank.
func (d *Distances) Equal(i int) bool { return d.equal[i] }

// Part returns part k of the distances of each graph, which must not be changed.
func (d *Distances) Part(k int) []float64 { return d.parts[k] }

// Unit returns the slope of the score by a part, and the part's mean over the bank.
func (b *Bank) Unit(k int) (unit, typical float64) {
	return b.unit(k), b.scales.Parts[k].Mean
}
