package fingerprint

import (
	"fmt"
	"slices"

	"baca/algo/graph"
)

// Nodes returns the keys that New counts, by the node that each belongs to: that of
// node i at height h is at h·n + i.
func Nodes(g *graph.Graph, height int) []uint32 {
	if height < 0 || height > MaxHeight {
		panic(fmt.Sprintf("fingerprint: height %d, want 0 to %d", height, MaxHeight))
	}
	n := g.N()
	now, next := make([]uint64, n), make([]uint64, n)
	keys := make([]uint32, 0, (height+1)*n)
	for i := range n {
		now[i] = root(g, i)
		keys = append(keys, fold(now[i]))
	}
	var around []uint64
	for range height {
		for i := range n {
			around = around[:0]
			for _, j := range g.Row(i) {
				around = append(around, now[j])
			}
			slices.Sort(around)
			next[i] = grown(now[i], around)
			keys = append(keys, fold(next[i]))
		}
		now, next = next, now
	}
	return keys
}

// Holders returns how many prints of the index have a key.
func (x *Index) Holders(key uint32) int { return len(x.with[key]) }
