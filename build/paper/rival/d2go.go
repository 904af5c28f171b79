package rival

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"baca/algo/attention"
	"baca/algo/contrast"
	"baca/algo/dictionary"
	"baca/algo/graph"
	"baca/algo/graphon"
	"baca/algo/near"
	"baca/algo/product"
	"baca/build/paper/rival/tape"
)

// d2go calibrates the base score of the test graphs by two dictionaries that it makes of
// them. Graphs of low base score and graphs of high base score are taken for ID and OOD.
// Each side is described by graphons, graphs that are drawn from mixtures of them extend its
// dictionary, and the keys farthest from the boundary stay. The score of a graph is its base
// score plus how much more it is like the OOD dictionary than like the other:
//
//	score = z(S_Pre) + z(mean of the 5 largest cos(q, k), k in the OOD dictionary −
//	        the same in the ID dictionary)
//
// with z the standardisation over the test graphs, and q and k log1p embeddings, standardised
// by the training graphs.
var d2go = &Rival{
	Name: "d2go", Title: "D2GO",
	Cite:   "Hou et al., 2025, which the paper cites as hou2025test and describes in its section on related methods",
	Source: "no figures: the paper's table has no row of it, and its own text was not at hand",
	Differs: "Made from what the paper says of it: two dictionaries of graphons, no attention, and a fixed weight between the two sides. " +
		"Sizes, temperatures and thresholds are those of the paper's method.",
	Batch: true, score: scoreD2GO,
}

func scoreD2GO(r *run) []float64 {
	const size, capacity = 512, 256 // synthetic graphs a side, and those of them that stay
	tested := r.represent(r.Test)
	dim, negatives, terms := tested.Dim(), tested.Negatives(), contrast.PlainTerms(tested)
	base := checked(contrast.BaseScores(r.ctx, r.Workers, tested, negatives, true, terms))
	standard := near.NewStandardizer(r.Model.Bank.Q, dim)
	keys, calibration := standardized(standard, tested), make([]float64, len(base))
	inside, outside := tails(base)
	for side, members := range map[dictionary.Side][]int{dictionary.ID: inside, dictionary.OOD: outside} {
		d := dictionary.New(side, dim, capacity, tabulate(len(members), func(k int) dictionary.Entry {
			return dictionary.Entry{Key: keys.Row(members[k])}
		}))
		graphs := pick(r.Test, members)
		graphons := checked(graphon.Estimate(r.ctx, r.Workers, graphs, graphon.Steps(graphs), graphon.DefaultTheta))
		drawn := r.represent(drawMixed(graphons, graphs, size, stream(r.Seed, uint64(side))))
		rows := standardized(standard, drawn)
		for k, x := range checked(contrast.BaseScores(r.ctx, r.Workers, drawn, negatives, false, terms)) {
			d.Offer(dictionary.Entry{Key: rows.Row(k), Score: x})
		}
		sign := map[dictionary.Side]float64{dictionary.ID: -1, dictionary.OOD: 1}[side]
		for i, x := range likeness(keys, d, members) {
			calibration[i] += sign * x
		}
	}
	scores := make([]float64, len(base))
	addStandard(scores, base, base, 1)
	addStandard(scores, calibration, calibration, 1)
	return scores
}

// standardized returns the log1p embeddings of graphs, standardised.
func standardized(by *near.Standardizer, of *contrast.Representation) tape.Matrix {
	return matrixOf(by.Apply(of.Q), of.Dim())
}

// tails are the graphs of the lowest and of the highest scores, a quarter each and at least
// one, in their order.
func tails(scores []float64) (low, high []int) {
	order := tabulate(len(scores), func(i int) int { return i })
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	n := max(1, int(math.Round(0.25*float64(len(order)))))
	return slices.Sorted(slices.Values(order[:n])), slices.Sorted(slices.Values(order[len(order)-n:]))
}

// drawMixed draws up to n graphs from mixtures of graphons of equal size. Their nodes take
// their features from those of donors.
func drawMixed(graphons []*graphon.Graphon, donors []*graph.Graph, n int, rng *rand.Rand) (drawn []*graph.Graph) {
	mixup, pool := graphon.NewMixup(graphons, graphon.DefaultOptions()), graphon.NewDonors(donors)
	for range n {
		s, ok := mixup.Draw(rng)
		if !ok {
			break
		}
		pool.Fill(s.Graph)
		drawn = append(drawn, s.Graph)
	}
	return drawn
}

// likeness returns the mean cosine of each query with its five nearest keys of the dictionary.
// Row k of the bank is the graph members[k] itself, which is not compared with itself.
func likeness(queries tape.Matrix, d *dictionary.Dictionary, members []int) []float64 {
	cosines, keys := tape.NewMatrix(queries.Rows, d.Len()), matrixOf(d.Keys(), queries.Cols)
	product.NT(cosines.Data, units(queries), units(keys), queries.Rows, queries.Cols, d.Len())
	return tabulate(queries.Rows, func(i int) (mean float64) {
		top := attention.TopK(nil, cosines.Row(i), 5, slices.Index(members, i))
		for _, k := range top {
			mean += float64(cosines.Row(i)[k]) / float64(len(top))
		}
		return mean
	})
}

// units returns rows brought to length 1; rows of zeros stay.
func units(m tape.Matrix) []float32 {
	return slices.Concat(tabulate(m.Rows, func(i int) []float32 {
		row := m.Row(i)
		length := float32(cmp.Or(math.Sqrt(tape.Dot(row, row)), 1))
		return tabulate(m.Cols, func(j int) float32 { return row[j] / length })
	})...)
}
