package rival

import (
	"math"
	"slices"

	"baca/algo/graph"
	"baca/build/research/rival/tape"
)

// glocalKD is random distillation: a network, the student, learns what another one, the
// teacher, which is random and stays so, gives for the nodes and the graphs of the training
// set. Where it fails, a graph is unlike these.
//
//	h^{l+1} = unit((h^l + A·h^l)·W + b), and between layers ReLU, then mean 0 and variance 1
//	g = the largest h³ among the nodes, in each coordinate
//	score = loss = Σ over nodes of |h³ − ĥ³|²/(d·M) + |g − ĝ|²/d
//
// with hats for the teacher, whose weights are drawn as the student's are, uniform within
// ±√(6/in), and M the most nodes that a training graph has: the published code fills all
// graphs up to as many, so that what a graph loses grows with its size.
var glocalKD = &Rival{
	Name: "glocalkd", Title: "GLocalKD",
	Cite:      "Ma, Pang, Chen and van den Hengel, Deep Graph-level Anomaly Detection by Glocal Knowledge Distillation, WSDM 2022",
	Published: []float64{75.75, 70.63, 93.67, 57.18, 78.25, 66.28, 64.82, 73.15, 55.71, 86.83}, Source: "the paper's table 1",
	Differs: "Ours is 64 and 32 wide where theirs is 512 and 256, trains in batches of 128 instead of 300 for 500 steps, after which the published schedule has a thousandth of its rate, and normalises each node by itself, " +
		"where the published code normalises nodes of the same number in a batch together, and those of a single graph alone when it tests. The rows with which the code fills small graphs up are left out. " +
		"Plain graphs have 1 at each node, as in the published benchmark, so that all that the score sees of them is their number of nodes.",
	NoModel: true, score: scoreGLocalKD,
}

// newGLocal returns what gives h³ and g.
func newGLocal(p *tape.Params, in int) func(t *tape.Tape, b *graph.Batch) (nodes, graphs *tape.Value) {
	var layers []tape.Layer
	for _, out := range [...]int{64, 64, 32} {
		w := p.Xavier(in, out)
		for i := range w.Data { // from Xavier's bounds to those of He, ±√(6/in)
			w.Data[i] *= float32(math.Sqrt(float64(in+out) / float64(in)))
		}
		layers, in = append(layers, tape.Linear(w, p.Zeros(1, out))), out
	}
	return func(t *tape.Tape, b *graph.Batch) (nodes, graphs *tape.Value) {
		x := tape.Features(b)
		for l, layer := range layers {
			if l > 0 {
				x = t.StandardizeRows(t.ReLU(x))
			}
			x = t.Unit(layer(t, t.Add(x, t.Neighbors(x, b, nil))))
		}
		return x, t.MaxNodes(x, b)
	}
}

func scoreGLocalKD(r *run) []float64 {
	const rate, epochs, steps = 1e-4, 150, 500
	t, fixed, step := r.t, tape.NewParams(r.Seed+1<<32), 0
	teacher, student := newGLocal(fixed, r.Train[0].Features), newGLocal(r.params, r.Train[0].Features)
	fixed.Freeze()
	most := slices.Max(tabulate(len(r.Train), func(i int) int { return r.Train[i].N() }))
	miss := func(a, b *tape.Value) *tape.Value {
		return t.Scale(t.SumRows(t.Square(t.Sub(a, b))), 1/float32(a.Cols))
	}
	loss := func(b *graph.Batch) *tape.Value {
		wantNodes, wantGraphs := teacher(t, b)
		nodes, graphs := student(t, b)
		return t.Add(t.Scale(t.SumNodes(miss(nodes, wantNodes), b), 1/float32(most)), miss(graphs, wantGraphs))
	}
	adam := tape.NewAdam(r.params, rate)
	r.train(adam, r.Train, epochs, steps, func(_ []int, b *graph.Batch) *tape.Value {
		if step++; step > 50 { // each 50 steps
			step, adam.Rate = 1, adam.Rate/2
		}
		return t.Mean(loss(b))
	})
	return widened(r.alone(r.Test, loss).Data)
}
