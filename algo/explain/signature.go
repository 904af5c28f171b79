package explain

import (
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule"
)

// Signature returns fingerprint.Signature, the Weisfeiler–Lehman signature of a graph after eight steps.
// It ignores the chirality of a molecule, which depends on the order in which its atoms are written.
func Signature(g *graph.Graph) [2]uint64 {
	if g.Features == molecule.Features {
		return fingerprint.Signature(g, molecule.ColumnChirality)
	}
	return fingerprint.Signature(g, -1)
}
