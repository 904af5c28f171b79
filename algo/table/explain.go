package table

import (
	"math"

	"baca/algo"
	"baca/algo/dictionary"
)

// ExplainColumns are the columns that say why, in the order of Explained.
var ExplainColumns = []string{"duplicate", "reasons", "distances", "nearest", "nearest_distances", "like_ood", "atoms", "atoms_gradient", "distance", "ratio"}

// Explained returns the values of ExplainColumns, for a writer. Like is what
// LikeOutside returns, and order puts values of nodes in the order in which the record
// has its atoms.
func Explained(x *algo.Explanation, like []float64, order func([]float64) []float64) []any {
	reasons := make([]string, len(x.Reasons))
	for i, reason := range x.Reasons {
		reasons[i] = reason.Text
	}
	var rows, distances []float64
	for _, n := range x.Nearest {
		row := math.NaN()
		if n.Row >= 0 {
			row = float64(n.Row + 1)
		}
		rows, distances = append(rows, row), append(distances, n.Distance)
	}
	return []any{
		x.Duplicate, reasons, []float64{x.Embedding, x.Subtrees, x.Counts, x.Nodes}, rows, distances, like,
		order(x.Occlusion), order(x.Gradient), x.Distance, x.Ratio,
	}
}

// likeShown is how many records of the OOD dictionary are named.
const likeShown = 3

// LikeOutside returns the records, from 1, that the OOD dictionary of a scorer holds
// after a batch and that its attention looks at most for the embedding q. own is the
// place of the graph in the batch, −1 for others; records are those of the batch,
// from 0.
func LikeOutside(s *algo.Scorer, q []float32, own int, records []int) []float64 {
	list := []float64{}
	a := s.Attention()
	for _, k := range a.Explain(q, own).OutKeys {
		entry := a.Dictionary(dictionary.OOD).Entry(k.Key)
		if entry.Origin == dictionary.Test && len(list) < likeShown {
			list = append(list, float64(records[entry.Index]+1))
		}
	}
	return list
}
