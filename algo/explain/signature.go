package explain

import (
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule"
)

// Signature is the Weisfeiler–Lehman signature of a graph up to eight steps, see
// fingerprint.Signature, without chirality, which depends on the order of writing.
func Signature(g *graph.Graph) [2]uint64 {
	if g.Features == molecule.Features {
		return fingerprint.Signature(g, molecule.ColumnChirality)
	}
	return fingerprint.Signature(g, -1)
}
