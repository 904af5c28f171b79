package rival

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"baca/algo/contrast"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/graphon"
	"baca/algo/job"
	"baca/algo/molecule"
	"baca/algo/near"
	"baca/build/internal/try"
	"baca/build/research/rival/tape"
	"baca/weights"
)

// hgoe is outlier exposure: a head learns to tell training graphs from auxiliary outliers.
// External outliers are graphs of another origin; internal ones are drawn from mixtures of
// the graphons of subgroups of the training graphs. The loss of an outlier counts for more
// the nearer it lies to the boundary. The logit of the head is added to the two levels of
// GOOD-D, all standardised by training graphs:
//
//	loss = mean over ID of log(1 + e^a) + mean over outliers of 4p(1−p)·log(1 + e^−a)
//	score = (ℓ_g − μ_g)/σ_g + (ℓ_n − μ_n)/σ_n + ¼·(a − μ_a)/σ_a
//
// with a the logit of an MLP on log1p embeddings and p = σ(a), through which no gradient goes
// where it is a weight. Of 1 and ¼ the latter is better on the validation pairs MUTAG/BZR,
// COX2/DHFR, PTC_MR/AIDS and AIDS/PTC_MR.
var hgoe = &Rival{
	Name: "hgoe", Title: "HGOE",
	Cite:      "He, Xu, Jiang, Wang, Sun and Huang, HGOE: Hybrid External and Internal Graph Outlier Exposure for Graph Out-of-Distribution Detection, MM 2024",
	Published: []float64{0, 0, 99.28, 64.44, 81.74, 68.24, 82.89, 83.46, 70.09, 92.64}, Source: "the paper's table 1, from its authors",
	Differs: "A head on the frozen encoder beside two levels of GOOD-D, where theirs retrains GOOD-D. External outliers are molecules of the built-in background, and for plain graphs the " +
		"training graphs with a third of their edges moved, where theirs are sets of other domains; the weight of an outlier is 4p(1−p), since theirs is not open.",
	Batch: true, score: scoreHGOE,
}

func scoreHGOE(r *run) []float64 {
	const most, width, weight = 1000, 32, 0.25 // outliers of each kind, of the head, of the logit
	r.rng = stream(r.Seed, 3)
	known, tested := r.represent(r.Train), r.represent(r.Test)
	scores := r.twoLevels(known, tested)
	standard := near.NewStandardizer(known.Q, known.Dim())
	inside, n := standardized(standard, known), min(len(r.Train), most)
	outliers := slices.Concat(externalOutliers(r.Train, n, r.rng), internalOutliers(r.Train, inside, n, r.rng))
	head := tape.NewMLP(r.params, known.Dim(), width, 1)
	r.expose(head, inside, standardized(standard, r.represent(outliers)))
	logits := func(rows tape.Matrix) []float64 { return widened(head(r.t, tape.Constant(rows)).Data) }
	addStandard(scores, logits(standardized(standard, tested)), logits(inside), weight)
	return scores
}

// backgroundGraphs are the molecules of the built-in background.
var backgroundGraphs = sync.OnceValues(func() ([]*graph.Graph, error) {
	list, _, err := job.ReadBackground(context.Background(), weights.Background(), dataset.Options{Format: dataset.SMI, Workers: 1}, nil)
	return list, err
})

// externalOutliers are up to n graphs that are not of the training set.
func externalOutliers(train []*graph.Graph, n int, rng *rand.Rand) []*graph.Graph {
	if train[0].Features == molecule.Features {
		background := try.To(backgroundGraphs())
		return pick(background, rng.Perm(len(background))[:n])
	}
	return tabulate(n, func(int) *graph.Graph { return moved(train[rng.IntN(len(train))], rng) })
}

// moved returns a graph of constant features with a third of its edges between other nodes.
func moved(g *graph.Graph, rng *rand.Rand) *graph.Graph {
	edges := g.Edges()
	for k := range edges {
		if rng.Float64() < 1.0/3 {
			edges[k] = [2]int32{rng.Int32N(int32(g.N())), rng.Int32N(int32(g.N()))}
		}
	}
	other, _, err := graph.New(g.N(), edges)
	try.Check(err)
	return other
}

// internalOutliers draws up to n graphs from mixtures of the graphons of five subgroups, which
// are the clusters of the training graphs by the rows of keys.
func internalOutliers(train []*graph.Graph, keys tape.Matrix, n int, rng *rand.Rand) []*graph.Graph {
	var groups [5][]*graph.Graph
	_, cluster, _ := kMeans(keys, len(groups), rng)
	for i, g := range train {
		groups[cluster[i]] = append(groups[cluster[i]], g)
	}
	var graphons []*graphon.Graphon
	for _, group := range groups {
		if len(group) > 0 {
			graphons = append(graphons, graphon.Mean(group, graphon.Steps(train)))
		}
	}
	return drawMixed(graphons, graphon.DefaultOptions(), train, n, rng)
}

// expose trains the head to give training graphs low logits and outliers high ones.
func (r *run) expose(head tape.Layer, inside, outside tape.Matrix) {
	const rate, epochs, batch = 1e-3, 100, 32
	t, adam, steps := r.t, tape.NewAdam(r.params, rate), 3000
	for range epochs {
		for index := range slices.Chunk(r.rng.Perm(inside.Rows), batch) {
			if steps--; steps < 0 {
				return
			}
			other := tabulate(len(index), func(int) int { return r.rng.IntN(outside.Rows) })
			r.step(adam, func() *tape.Value {
				low := head(t, tape.Constant(pickRows(inside, index)))
				high := head(t, tape.Constant(pickRows(outside, other)))
				return t.Add(t.Mean(t.Softplus(low)), boundaryLoss(t, high))
			})
		}
	}
}

// boundaryLoss is the mean of the cross entropies of outliers with these logits, rows×1, each
// weighted by 4p(1−p): little for those plainly outside, and for those far inside.
func boundaryLoss(t *tape.Tape, logits *tape.Value) *tape.Value {
	p := t.Sigmoid(tape.Constant(logits.Matrix))
	weight := t.Scale(t.Mul(p, t.Shift(t.Scale(p, -1), 1)), 4)
	return t.Mean(t.Mul(weight, t.Softplus(t.Scale(logits, -1))))
}

// standardized returns the log1p embeddings of graphs, standardised.
func standardized(by *near.Standardizer, of *contrast.Representation) tape.Matrix {
	return matrixOf(by.Apply(of.Q), of.Dim())
}
