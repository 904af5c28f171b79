package near

import (
	"fmt"
	"math"

	"baca/algo/contrast"
	"baca/algo/fingerprint"
)

// A Crowd is a set of graphs that are compared with further ones as if these were in the
// bank: it says how much nearer the bank would be with one more graph. The rarities of
// subtrees and the units of parts stay those of the bank. A Crowd is read-only, and several
// goroutines may use it at once.
type Crowd struct {
	bank  *Bank
	keys  []float32 // the embeddings, standardised
	pairs *fingerprint.Pairs
	rest  []float64          // ByRest, as it is
	novel []float64          // how many subtrees of each no training graph has
	lack  map[uint32][]int32 // which graphs have such a subtree
}

// Crowd prepares graphs.
func (b *Bank) Crowd(graphs *contrast.Outline) *Crowd {
	n := len(graphs.Prints)
	c := &Crowd{
		bank: b, keys: make([]float32, len(graphs.Q)), pairs: b.Subtrees.Pairs(graphs.Prints),
		rest: make([]float64, n), novel: make([]float64, n), lack: map[uint32][]int32{},
	}
	b.Standard.apply(c.keys, graphs.Q, b.dim)
	for i, p := range graphs.Prints {
		c.rest[i] = b.rest(graphs, i, -1)
		for _, key := range p.Keys {
			if graphs.NodeScore == nil && b.Subtrees.Holders(key) == 0 {
				c.lack[key] = append(c.lack[key], int32(i))
				c.novel[i]++
			}
		}
	}
	return c
}

// To writes how far each graph of the crowd is from graph j of some, part by part as in
// [Distances.Part]: dst[k] has part k. Of ByRest that is what is left of the subtrees that no
// training graph has, or ℓ_n, which is of a graph alone.
func (c *Crowd) To(graphs *contrast.Outline, j int, dst *[Parts][]float64) {
	dim := c.bank.dim
	n := len(c.keys) / dim
	if len(dst[0]) != n {
		panic(fmt.Sprintf("near: %d values for a crowd of %d", len(dst[0]), n))
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
		if left[i] = math.Log1p(n); c.novel[i] == 0 {
			left[i] = c.rest[i]
		}
	}
	q := make([]float32, dim)
	c.bank.Standard.apply(q, graphs.Row(j), dim)
	for i := range n {
		dst[ByEmbedding][i] = math.Sqrt(squaredFloat32(c.keys[i*dim:][:dim], q))
	}
}

// squaredFloat32 is SquaredDistance with four sums, which is four times as fast and good to
// a part of 10⁻⁵: no score is made of it.
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

// Part returns part k of the distances of each graph, as it was measured. It must not be
// changed.
func (d *Distances) Part(k int) []float64 { return d.parts[k] }

// Unit returns what a part adds to the score for each one that it is larger, and what it is
// for graphs of the bank on average.
func (b *Bank) Unit(k int) (unit, typical float64) {
	return b.unit(k), b.scales.Parts[k].Mean
}
