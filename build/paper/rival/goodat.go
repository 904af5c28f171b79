package rival

import (
	"context"

	"baca/algo/graph"
	"baca/build/paper/rival/tape"
)

// goodat looks for the part of a test graph that is enough to keep what the frozen encoder
// says of the whole, as the graph information bottleneck has it. As in the published code a
// graph has one of two classes, which are coordinates of its projection. Masks of node
// features and edges are learned for each graph, so that the part has the class of the whole
// by little information and the rest has not. How hard that is, is the score:
//
//	part = f(σ(M)⊙X, σ(m)⊙A),  rest = f((1−σ(M))⊙X, (1−σ(m))⊙A)
//	loss = CE(part, y) + α·I(part) − CE(rest, y) − β·I(rest)
//	score = CE(part, y) + α·I(part) after the last step
//
// with f the projection of the graph, y the class of f(X, A), CE the cross entropy of its
// softmax, I(z) = ½·mean z², α = 0.5 and β = 0.01. M has a value for each feature of each
// node, m for each edge in each direction.
var goodat = &Rival{
	Name: "goodat", Title: "GOODAT",
	Cite:      "Wang, He, Zhang, Liu, Wang, Pan, Jin and Chua, GOODAT: Towards Test-time Graph Out-of-Distribution Detection, AAAI 2024",
	Published: inTable([...]float64{82.16, 81.84, 96.43, 66.29, 79.03, 68.92, 68.83, 77.07, 62.46, 85.91}),
	Source:    "the paper's table 1, from its authors",
	Differs: "The published code ships one encoder and one set of options for each pair; ours has the encoder of all columns, one setting and 50 steps, where theirs make up to 450. " +
		"A class is the larger of two coordinates, where theirs comes from a classifier of unknown training; information is ½·mean z², where the code draws noise; its third term is computed without gradients, so it moves nothing and is left out.",
	Score: scoreGOODAT,
}

const (
	goodatRate  = 0.05
	goodatSteps = 100
	goodatPart  = 0.5  // α: weight of information in the part
	goodatRest  = 0.01 // β: in the rest
	goodatFirst = 2    // masks begin at σ(2) = 0.88
)

// A bottleneck is the loss of a part: the cross entropy of a class, and the information that
// the projection z has, KL(N(z, 1) ‖ N(0, 1)) = ½z² averaged over coordinates.
func bottleneck(t *tape.Tape, z *tape.Value, class int) (entropy, information *tape.Value) {
	one := tape.NewMatrix(1, z.Cols)
	one.Data[class] = 1
	entropy = t.Scale(t.Sum(t.Mul(t.LogSoftmax(z), t.Constant(one))), -1)
	return entropy, t.Scale(t.Mean(t.Square(z)), 0.5)
}

// masked returns the projection of a graph whose features and edges are multiplied by masks.
func (f *frozenView) masked(t *tape.Tape, b *graph.Batch, x, features, edges *tape.Value) *tape.Value {
	return f.project(t, b, f.embed(t, b, t.Mul(x, features), edges))
}

// partLoss learns masks of the one graph of b, and returns what the loss of its part is in
// the end.
func (f *frozenView) partLoss(t *tape.Tape, b *graph.Batch) float64 {
	input := f.input(b)
	t.Reset()
	x := t.Constant(input)
	whole := f.project(t, b, f.embed(t, b, x, nil))
	class := 0
	if whole.Data[1] > whole.Data[0] {
		class = 1
	}
	params := tape.NewParams(0)
	features, edges := params.Zeros(input.Rows, input.Cols), params.Zeros(len(b.Neighbors), 1)
	for _, m := range []*tape.Param{features, edges} {
		for i := range m.Data {
			m.Data[i] = goodatFirst
		}
	}
	adam := tape.NewAdam(params, goodatRate)
	for step := 0; ; step++ {
		t.Reset()
		x := t.Constant(input)
		keepX, keepA := t.Sigmoid(t.Use(features)), t.Sigmoid(t.Use(edges))
		entropy, information := bottleneck(t, f.masked(t, b, x, keepX, keepA), class)
		part := t.Add(entropy, t.Scale(information, goodatPart))
		if step == goodatSteps {
			return part.Float()
		}
		dropX, dropA := t.Shift(t.Scale(keepX, -1), 1), t.Shift(t.Scale(keepA, -1), 1)
		entropy, information = bottleneck(t, f.masked(t, b, x, dropX, dropA), class)
		rest := t.Add(entropy, t.Scale(information, goodatRest))
		t.Backward(t.Sub(part, rest))
		adam.Step()
	}
}

func scoreGOODAT(ctx context.Context, p *Problem) ([]float64, error) {
	f, t := newFrozenView(p.Model.Encoder, telling(p.Model.Encoder)), new(tape.Tape)
	return eachAlone(ctx, p.Test, func(b *graph.Batch) float64 { return f.partLoss(t, b) })
}
