package suite

import (
	"math/rand/v2"
	"testing"

	"baca/algo"
	"baca/algo/attention"
	"baca/algo/contrast"
	"baca/algo/dictionary"
	"baca/algo/graph"
	"baca/algo/graphon"
	"baca/algo/near"
	"baca/algo/ratio"
)

var bothSides = [2]dictionary.Side{dictionary.ID, dictionary.OOD}

// A stage has what the stages of a calibration of the largest batch work on, as they
// find it after a whole run.
type stage struct {
	*batch
	options   attention.Options
	input     *attention.Batch
	attention *attention.Calibrator
	test      []float32 // standardised queries
	keys      [2]*attention.Keys
	members   [2][]*graph.Graph
}

var staged *stage

func stages(b *testing.B) *stage {
	b.Helper()
	if staged != nil {
		return staged
	}
	s := &stage{batch: largest(b), options: attention.DefaultOptions()}
	test, err := contrast.Describe(ctx, 1, s.model.Encoder, s.graphs)
	must(b, err)
	base, terms, err := contrast.BatchScores(ctx, 1, test, test.Negatives(), s.model.Bank.MeanNodeScore())
	must(b, err)
	s.input = &attention.Batch{
		Encoder: s.model.Encoder, Graphs: s.graphs, Test: test, Terms: terms, Base: base, Part: base, Bank: s.model.Bank, Workers: 1,
	}
	s.attention, err = attention.New(s.options, 1)
	must(b, err)
	_, err = s.attention.Calibrate(ctx, s.input)
	must(b, err)
	s.test = near.NewStandardizer(s.model.Bank.Q, test.Dim()).Apply(test.Q)
	for k, side := range bothSides {
		s.keys[k] = attention.NewKeys(test.Dim(), s.attention.Dictionary(side).Keys())
		index, _ := s.attention.Members(side)
		for _, i := range index {
			s.members[k] = append(s.members[k], s.graphs[i])
		}
	}
	staged = s
	return s
}

// BenchmarkStage is each stage of the calibration of the largest batch, on one
// thread.
func BenchmarkStage(b *testing.B) {
	s := stages(b)
	dim := s.input.Test.Dim()
	rng := rand.New(rand.NewPCG(1, 1))
	head := attention.NewHead(dim, min(s.options.Width, dim))
	allKeys := s.keys[0].Len() + s.keys[1].Len()
	var w attention.Workspace

	b.Run("graphons", func(b *testing.B) {
		var u graphon.USVT
		measure(b, cost{}, func() {
			for k, side := range bothSides {
				_, estimated := s.attention.Members(side)
				for _, g := range s.members[k] {
					u.Threshold(graphon.Align(g, estimated[0].N), s.options.Theta)
				}
			}
		}, rate{float64(len(s.members[0]) + len(s.members[1])), "graphs/s"})
	})
	_, estimated := s.attention.Members(dictionary.ID)
	mixup := graphon.NewMixup(estimated, s.options.Mixup)
	b.Run("mixup", func(b *testing.B) {
		measure(b, cost{}, func() { mixup.Draw(rng) }, rate{1, "graphs/s"})
	})
	b.Run("donors", func(b *testing.B) {
		measure(b, cost{}, func() { graphon.NewDonors(s.members[0]) }, rate{float64(nodes(s.members[0])), "nodes/s"})
	})
	b.Run("fill", func(b *testing.B) {
		donors := graphon.NewDonors(s.members[0])
		var drawn []*graph.Graph
		for len(drawn) < s.options.Synthetic {
			if d, ok := mixup.Draw(rng); ok {
				drawn = append(drawn, d.Graph)
			}
		}
		measure(b, cost{}, func() {
			for _, g := range drawn {
				donors.Fill(g)
			}
		}, rate{float64(len(drawn)), "graphs/s"})
	})
	b.Run("dictionary", func(b *testing.B) {
		q := dictionary.New(dictionary.OOD, dim, s.options.Capacity, nil)
		keys := attention.NewKeys(dim, nil)
		first := 0.0
		measure(b, cost{}, func() {
			first++ // scores above all earlier ones, so that every offer enters
			for i := range s.graphs {
				key := s.test[i*dim : (i+1)*dim]
				if row := q.Offer(dictionary.Entry{Key: key, Score: first + rng.Float64(), Origin: dictionary.Synthetic}); row >= 0 {
					keys.Set(row, key)
				}
			}
		}, rate{float64(len(s.graphs)), "offers/s"})
	})
	rng = rand.New(rand.NewPCG(2, 2)) // the same draws, however long the others ran
	var draws []attention.Draw
	for k, side := range bothSides {
		for range s.options.Draws {
			draws = append(draws, attention.Draw{Side: side, Key: rng.IntN(s.keys[k].Len())})
		}
	}
	b.Run("lookup", func(b *testing.B) {
		measure(b, product(len(draws), allKeys, dim), func() { w.FillTop(draws, s.keys[0], s.keys[1], s.options.TopK) },
			rate{float64(len(draws)), "draws/s"})
	})
	b.Run("step", func(b *testing.B) {
		w.FillTop(draws, s.keys[0], s.keys[1], s.options.TopK)
		t := attention.NewTrainer(attention.NewHead(dim, head.Width), s.options.LearningRate)
		// Each draw projects itself by W_Q and W_V and, if no other draw has the same,
		// 𝕂 keys of each side by W_K and W_V; the gradients take as many products.
		used := map[[2]int]bool{}
		for _, d := range draws {
			used[[2]int{int(d.Side), d.Key}] = true
			for _, i := range d.In {
				used[[2]int{0, int(i)}] = true
			}
			for _, i := range d.Out {
				used[[2]int{1, int(i)}] = true
			}
		}
		var c cost
		for range 2 {
			c.add(product(len(draws), head.Width, dim))
			c.add(product(len(used), head.Width, dim))
			c.add(product(len(used), head.Width, dim))
		}
		measure(b, c, func() { t.Step(draws, s.keys[0], s.keys[1]) }, rate{1, "steps/s"})
	})
	b.Run("scores", func(b *testing.B) {
		dst := make([]attention.Score, len(s.graphs))
		measure(b, product(len(dst), allKeys, dim), func() { head.Scores(&w, dst, s.test, nil, s.keys[0], s.keys[1], s.options.TopK) },
			rate{float64(len(dst)), "graphs/s"})
	})
	b.Run("attention", func(b *testing.B) {
		measure(b, cost{}, func() {
			a, err := attention.New(s.options, 1)
			must(b, err)
			_, err = a.Calibrate(ctx, s.input)
			must(b, err)
		}, rate{float64(len(s.graphs)), "graphs/s"})
	})
	b.Run("ratio", func(b *testing.B) {
		known, err := near.NewBank(ctx, 1, s.model.Bank, s.model.Subtrees, nil)
		must(b, err)
		bank := ratio.NewBank(known)
		holdout, err := bank.Measure(ctx, 1, s.model.Holdout)
		must(b, err)
		measure(b, cost{}, func() {
			test, err := bank.Measure(ctx, 1, s.input.Test)
			must(b, err)
			_, err = bank.Estimate(ctx, 1, ratio.DefaultOptions(), test, holdout)
			must(b, err)
		}, rate{float64(len(s.graphs)), "graphs/s"})
	})
}

// BenchmarkBatch is the full run on a test batch, from graphs as a reader makes them
// to scores: structure view, encoder, S_Pre, both calibrators with all their steps. It
// uses all cores that it is given.
func BenchmarkBatch(b *testing.B) {
	for _, open := range []func() *batch{
		func() *batch { return largest(b) },
		func() *batch { return halves(b, "PTC_MR", "MUTAG") },
		func() *batch { return halves(b, "BZR", "COX2") },
	} {
		t := open()
		b.Run(t.name, func(b *testing.B) {
			measure(b, cost{}, func() {
				s, err := algo.NewScorer(ctx, t.model, algo.DefaultOptions())
				must(b, err)
				_, err = s.Batch(ctx, bare(t.graphs))
				must(b, err)
			}, rate{float64(len(t.graphs)), "graphs/s"})
		})
	}
}
