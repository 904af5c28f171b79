package fingerprint

import "baca/algo/graph"

// Nodes returns the keys that New counts, by the node that each belongs to: that of
// node i at height h is at h·n + i.
func Nodes(g *graph.Graph, height int) []uint32 {
	return new(workspace).subtrees(g, height)
}

// Holders returns how many prints of the index have a key.
func (x *Index) Holders(key uint32) int { return len(x.with[key].list) }
