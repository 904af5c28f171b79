package rival

import (
	"math"

	"baca/algo/graph"
	"baca/build/research/rival/tape"
)

// aagod leaves the encoder as it is and learns an amplifier: a weight for each edge, from
// the embeddings of its ends. With these weights training graphs shall lie near their mean,
// by Mahalanobis distance, and with what the weights take away they shall lie far from it.
// The score is the distance of the amplified test graph from the amplified training graphs:
//
//	w_ij = σ(MLP(h_i, h_j)),  D(w) = Mahalanobis distance² of f(X, w⊙A), per dimension
//	loss = mean D(w) + 10/mean D(w − 1) + mean (w − 1)²,  score = D(w)
//
// with h the embeddings of nodes and f the projection of the graph by the frozen encoder. In
// training, mean and covariance are those of the training graphs as they are; the score has
// those of the amplified ones.
var aagod = &Rival{
	Name: "aagod", Title: "AAGOD",
	Cite:      "Guo, Yang, Chen, Liu, Shi and Du, A Data-centric Framework to Endow Graph Neural Networks with Out-Of-Distribution Detection Ability, KDD 2023",
	Published: []float64{76.75, 0, 0, 66.22, 59.00, 64.26, 0, 67.80, 0, 0}, Source: "the paper's table 1, AAGOD-GIN_S+",
	Differs: "The published scripts try 735 settings for a pair, of the rate, two weights and a ratio; ours has one. Its encoder is the one of all columns, " +
		"where theirs is GraphCL's; covariances are shrunk, and edge weights are not perturbed by noise.",
	score: scoreAAGOD,
}

// distanceFrom returns what gives the squared Mahalanobis distance of each row from some rows,
// divided by the number of columns d, rows×1. It is the squared length in coordinates in which
// these have mean 0 and covariance 1, after shrinking.
func distanceFrom(rows tape.Matrix) func(t *tape.Tape, x *tape.Value) *tape.Value {
	d := rows.Cols
	mean, covariance := ledoitWolf(wideRows(rows))
	values, vectors := eigen(covariance)
	middle, root := tape.NewMatrix(1, d), tape.NewMatrix(d, d)
	for k, value := range values {
		middle.Data[k] = float32(mean[k])
		for j := range d {
			root.Row(j)[k] = float32(vectors.At(j, k) / math.Sqrt(max(value, 1e-9)))
		}
	}
	return func(t *tape.Tape, x *tape.Value) *tape.Value {
		white := t.MatMul(t.Sub(x, tape.Constant(middle)), tape.Constant(root))
		return t.Scale(t.SumRows(t.Square(white)), 1/float32(d))
	}
}

func scoreAAGOD(r *run) []float64 {
	const rate, epochs, steps = 2e-2, 30, 1500
	t, f, width := r.t, informativeView(r.Model.Encoder), r.Model.Encoder.Width()
	mlp := tape.NewMLP(r.params, 2*width, 64, 1)
	// weights returns σ(MLP(h_i, h_j)) for each edge from i to j of b, 2m×1.
	weights := func(b *graph.Batch) *tape.Value {
		h := f.layers(t, b, f.input(b), nil)
		return t.Sigmoid(mlp(t, t.Concat(t.Gather(h, tape.Ends(b)), t.Gather(h, b.Neighbors))))
	}
	amplified := func(b *graph.Batch, weights *tape.Value) *tape.Value { return f.project(t, b, f.input(b), weights) }
	distance := distanceFrom(r.alone(r.Train, func(b *graph.Batch) *tape.Value { return amplified(b, nil) }))
	r.train(tape.NewAdam(r.params, rate), r.Train, epochs, steps, func(_ []int, b *graph.Batch) *tape.Value {
		w := weights(b)
		taken := t.Shift(w, -1)
		near, far := t.Mean(distance(t, amplified(b, w))), t.Mean(distance(t, amplified(b, taken)))
		inverse := t.Exp(t.Scale(t.Log(t.Shift(far, tiny)), -1))
		return t.Add(near, t.Add(t.Scale(inverse, 10), t.Mean(t.Square(taken))))
	})
	distance = distanceFrom(r.alone(r.Train, func(b *graph.Batch) *tape.Value { return amplified(b, weights(b)) }))
	return widened(r.alone(r.Test, func(b *graph.Batch) *tape.Value { return distance(t, amplified(b, weights(b))) }).Data)
}
