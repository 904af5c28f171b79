package rival

import (
	"slices"

	"baca/algo/graph"
	"baca/build/research/rival/tape"
)

// sigood adds a prompt to the embeddings of the nodes of a test graph, and sees how the energy of
// each node answers. The encoder is frozen. Where the energy rises, a node counts as OOD, and where
// it falls, as ID; what generates the prompts is trained on the unlabelled test graphs to set the
// two apart, and the graphs with their prompts take the place of the graphs for the next round.
//
// With the energy E(v) = −log Σ_k e^{f_k(v)} of two logits f, and the means of E(v; prompted)/E(v)
// over the nodes of a graph that count as OOD and as ID, the loss of a graph is
//
//	−log σ(m),  m = β·log mean_OOD − β·log mean_ID
//
// and the score is −m at the end, which ranks as the loss does and never rounds to 0.
var sigood = &Rival{
	Name: "sigood", Title: "SIGOOD",
	Cite:      "Wang and others, From Subtle to Significant: Prompt-Driven Self-Improving Optimization in Test-Time Graph OOD Detection, AAAI 2026",
	Published: []float64{87.36, 85.70, 97.38, 67.88, 0, 69.97, 0, 0, 71.33, 87.72}, Source: "its table 1",
	Differs: "The text leaves open how the logits are trained, how the logarithm of an energy below 0 is taken, and how many steps a round has; no code is published. " +
		"Ours has fixed random logits, softplus of the energy, 5 rounds of 40 steps where the text has up to 10 000 iterations, and β = 80 for all pairs. " +
		"The text takes the loss for the score, and also says that OOD graphs answer more, which makes their loss lower; ours follows the first.",
	Batch: true, score: scoreSIGOOD,
}

const tiny = 1e-6 // keeps an energy of 0 from having no logarithm

// scoreSIGOOD has a network of its own for the prompts of each round.
func scoreSIGOOD(r *run) []float64 {
	const rounds, epochs, rate = 5, 40, 0.001
	t, view, width := r.t, informativeView(r.Model.Encoder), r.Model.Encoder.Width()
	logits := tape.NewLinear(r.params, width, 2)
	r.params.Freeze()
	r.rng = stream(r.Seed, 0x5160)
	// energies are those of nodes, brought above 0 by softplus, N×1.
	energies := func(v *tape.Value) *tape.Value {
		return t.Softplus(t.Scale(t.LogSumExp(logits(t, v)), -1))
	}
	// The nodes of each graph as they are in a round.
	nodes := tabulate(len(r.Test), func(i int) []float32 {
		return r.alone(r.Test[i:i+1], func(b *graph.Batch) *tape.Value { return view.layers(t, b, view.input(b), nil) }).Data
	})
	scores := make([]float64, len(r.Test))
	for round := range rounds {
		own := tape.NewParams(r.Seed + uint64(round))
		prompter := tape.Sequence(tape.NewLinear(own, width, width), tape.ReLU, tape.NewLinear(own, width, width), tape.ReLU,
			tape.NewNorm(own, width), tape.NewLinear(own, width, width))
		// prompt returns nodes with their prompts, and −m of each graph.
		prompt := func(b *graph.Batch, rows []float32) (prompted, margins *tape.Value) {
			v := tape.Constant(matrixOf(rows, width))
			prompted = t.Add(v, prompter(t, v))
			return prompted, answers(t, b, energies(prompted), energies(v))
		}
		r.train(tape.NewAdam(own, rate), r.Test, epochs, epochs, func(index []int, b *graph.Batch) *tape.Value {
			_, margins := prompt(b, slices.Concat(pick(nodes, index)...))
			return t.Mean(t.Softplus(margins))
		})
		for i := range nodes {
			nodes[i] = r.alone(r.Test[i:i+1], func(b *graph.Batch) *tape.Value {
				prompted, margins := prompt(b, nodes[i])
				scores[i] = margins.Float()
				return prompted
			}).Data
		}
	}
	return scores
}

// answers returns −m of each graph, B×1, from the energies of the nodes with and without
// prompts. Where all nodes of a graph count as the same, the mean over the others is 1.
func answers(t *tape.Tape, b *graph.Batch, prompted, energy *tape.Value) *tape.Value {
	const beta = 80
	change := t.Sub(t.Log(t.Shift(prompted, tiny)), t.Log(t.Shift(energy, tiny)))
	ratio := t.Exp(change)
	logMean := func(rising bool) *tape.Value {
		weights, none := tape.NewMatrix(b.N(), 1), tape.NewMatrix(len(b.Graphs), 1)
		for k := range b.Graphs {
			var those []int
			for i, hi := b.Nodes(k); i < hi; i++ {
				if x := change.Data[i]; x != 0 && (x > 0) == rising {
					those = append(those, i)
				}
			}
			for _, i := range those {
				weights.Data[i] = 1 / float32(len(those))
			}
			if len(those) == 0 {
				none.Data[k] = 1
			}
		}
		return t.Log(t.Add(t.SumNodes(t.Mul(ratio, tape.Constant(weights)), b), tape.Constant(none)))
	}
	return t.Scale(t.Sub(logMean(true), logMean(false)), -beta)
}
