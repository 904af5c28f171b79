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
	Batch: true,
	score: scoreD2GO,
}

const (
	d2goTail     = 0.25 // share of the test graphs on each side
	d2goDrawn    = 512  // synthetic graphs a side
	d2goCapacity = 256  // of them that stay
	d2goNearest  = 5    // keys that a graph is compared with
	d2goWeight   = 1.0  // of the calibration, both parts standardised
)

func scoreD2GO(r *run) []float64 {
	tested := r.represent(r.Test)
	dim, negatives, terms := tested.Dim(), tested.Negatives(), contrast.PlainTerms(tested)
	base := checked(contrast.BaseScores(r.ctx, r.Workers, tested, negatives, true, terms))
	standard := near.NewStandardizer(r.Model.Bank.Q, dim)
	keys, calibration := standard.Apply(tested.Q), make([]float64, len(base))
	inside, outside := tails(base)
	for side, members := range map[dictionary.Side][]int{dictionary.ID: inside, dictionary.OOD: outside} {
		var entries []dictionary.Entry
		for _, i := range members {
			entries = append(entries, dictionary.Entry{Key: keys[i*dim : (i+1)*dim], Score: base[i], Origin: dictionary.Test, Index: i})
		}
		d := dictionary.New(side, dim, d2goCapacity, entries)
		graphs := pick(r.Test, members)
		graphons := checked(graphon.Estimate(r.ctx, r.Workers, graphs, graphon.Steps(graphs), graphon.DefaultTheta))
		drawn := r.represent(drawMixed(graphons, graphs, d2goDrawn, stream(r.Seed, uint64(side))))
		rows := standard.Apply(drawn.Q)
		for k, x := range checked(contrast.BaseScores(r.ctx, r.Workers, drawn, negatives, false, terms)) {
			d.Offer(dictionary.Entry{Key: rows[k*dim : (k+1)*dim], Score: x, Origin: dictionary.Synthetic, Index: k})
		}
		for i, x := range likeness(keys, dim, d, members) {
			if side == dictionary.ID {
				x = -x
			}
			calibration[i] += x
		}
	}
	scores := make([]float64, len(base))
	addStandard(scores, base, base, 1)
	addStandard(scores, calibration, calibration, d2goWeight)
	return scores
}

// tails are the graphs of the lowest and of the highest scores, a quarter each and at least
// one, in their order.
func tails(scores []float64) (low, high []int) {
	order := sorted(len(scores), func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	n := max(1, int(math.Round(d2goTail*float64(len(order)))))
	return slices.Sorted(slices.Values(order[:n])), slices.Sorted(slices.Values(order[len(order)-n:]))
}

// drawMixed draws up to n graphs from mixtures of graphons of equal size. Their nodes take
// their features from those of donors.
func drawMixed(graphons []*graphon.Graphon, donors []*graph.Graph, n int, rng *rand.Rand) []*graph.Graph {
	mixup, pool := checked(graphon.NewMixup(graphons, graphon.DefaultOptions())), graphon.NewDonors(donors)
	var drawn []*graph.Graph
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

// likeness returns the mean cosine of each query with its nearest keys of the dictionary.
// Row k of the bank is the graph members[k] itself, which is not compared with itself.
func likeness(queries []float32, dim int, d *dictionary.Dictionary, members []int) []float64 {
	keys, units := unitRows(d.Keys(), dim), unitRows(queries, dim)
	means, cosines := make([]float64, len(units)), make([]float32, len(keys))
	var top []int32
	for i, query := range units {
		for k, key := range keys {
			cosines[k] = 0
			for j, x := range key {
				cosines[k] += x * query[j]
			}
		}
		top = attention.TopK(top, cosines, d2goNearest, slices.Index(members, i))
		for _, k := range top {
			means[i] += float64(cosines[k]) / float64(len(top))
		}
	}
	return means
}

// unitRows returns rows brought to length 1; rows of zeros stay.
func unitRows(rows []float32, dim int) [][]float32 {
	units := slices.Collect(slices.Chunk(slices.Clone(rows), dim))
	for _, row := range units {
		sum := 0.0
		for _, x := range row {
			sum += float64(x) * float64(x)
		}
		for j := range row {
			row[j] /= float32(math.Sqrt(cmp.Or(sum, 1)))
		}
	}
	return units
}
