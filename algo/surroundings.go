package algo

import (
	"baca/algo/fingerprint"
	"baca/algo/graph"
)

// Surroundings counts the neighbourhoods of g that are up to two edges wide, three for each
// node, and those of them that no training graph has which the model holds.
func (s *SingleScorer) Surroundings(g *graph.Graph) (unmet, all int) {
	keys := fingerprint.Nodes(g, fingerprint.DefaultHeight)
	for _, key := range keys {
		if s.near.Subtrees.Holders(key) == 0 {
			unmet++
		}
	}
	return unmet, len(keys)
}
