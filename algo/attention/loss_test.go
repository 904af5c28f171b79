package attention

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/dictionary"
)

// The loss against that of the oracle, the gradient against its central differences.
func TestGradient(t *testing.T) {
	for _, c := range testCases {
		h, in, out, all := c.build()
		parts := [][]Draw{all}
		if c.name == "usual" { // also one side's draws alone, and none
			n := slices.IndexFunc(all, func(d Draw) bool { return d.Side == dictionary.OOD })
			parts = append(parts, all[:n], all[n:], nil)
		}
		for _, draws := range parts {
			var w Workspace
			var g [3][]float32
			o := oracleOf(h)
			loss := o.loss(draws, in, out, c.topK)
			if got := h.Gradient(&w, &g, draws, in, out); !within(got, loss, 1e-5*(1+loss)) {
				t.Errorf("%s, %d draws: loss is %.8f, want %.8f", c.name, len(draws), got, loss)
			}
			var want [3][]float64
			largest := 0.0
			for m, params := range [][]float64{o.wq, o.wk, o.wv} {
				for i, old := range params {
					const step = 1e-6
					params[i] = old + step
					up := o.loss(draws, in, out, c.topK)
					params[i] = old - step
					down := o.loss(draws, in, out, c.topK)
					params[i] = old
					want[m] = append(want[m], (up-down)/(2*step))
					largest = max(largest, math.Abs(want[m][i]))
				}
			}
			for m, matrix := range g {
				for i, got := range matrix {
					if !within(float64(got), want[m][i], 1e-4*largest+1e-7) {
						t.Fatalf("%s: matrix %d, weight %d: gradient %g, differences %g", c.name, m, i, got, want[m][i])
					}
				}
			}
			if len(w.terms) > 0 && c.nIn+c.nOut > 2 && largest < 1e-3 {
				t.Errorf("%s: the largest gradient is %g, so this compared nothing", c.name, largest)
			}
		}
	}
}

// separable returns two clusters that cosines do not separate: training has to find the coordinate.
func separable(n, dim int) (in, out *Keys, draws []Draw) {
	rng := rand.New(rand.NewPCG(21, 1))
	rows := [2][]float32{}
	for side := range rows {
		rows[side] = make([]float32, n*dim)
		for i := range n {
			for j := range dim {
				rows[side][i*dim+j] = float32(rng.NormFloat64())
			}
			rows[side][i*dim] = float32(2*side-1) * 1.5
			draws = append(draws, Draw{Side: dictionary.Side(side), Key: i})
		}
	}
	return NewKeys(dim, rows[0]), NewKeys(dim, rows[1]), draws
}

func TestTraining(t *testing.T) {
	in, out, draws := separable(60, 12)
	run := func() (*Head, []float64) {
		h := NewHead(12, 8)
		trainer := NewTrainer(h, 1e-2)
		var w Workspace
		w.FillTop(draws, in, out, 5)
		var losses []float64
		for range 100 {
			losses = append(losses, trainer.Step(draws, in, out))
		}
		return h, losses
	}
	h, losses := run()
	first, last := losses[0], losses[len(losses)-1]
	if !(last < first/2) {
		t.Errorf("loss went from %g to %g, want less than half", first, last)
	}
	again, repeated := run()
	if !slices.Equal(losses, repeated) || !slices.Equal(h.W[2], again.W[2]) {
		t.Error("the same training twice gave two results")
	}
}

func TestStepRefusesNaN(t *testing.T) {
	in, out := NewKeys(2, []float32{1, 0, float32(math.NaN()), 1}), NewKeys(2, []float32{0, 1})
	trainer := NewTrainer(NewHead(2, 2), 1e-2)
	loss := trainer.Step([]Draw{{Key: 0, Top: [2][]int32{{1}, {0}}}}, in, out)
	if !math.IsNaN(loss) || !slices.Equal(trainer.Head.W[2], NewHead(2, 2).W[2]) || trainer.adam[0].Step != 0 {
		t.Errorf("a step of loss %g changed the head to %v", loss, trainer.Head.W[2])
	}
}

func TestNoAllocations(t *testing.T) {
	in, out, draws := separable(200, 16)
	trainer := NewTrainer(NewHead(16, 8), 1e-3)
	var w Workspace
	queries, dst := randomRows(rand.New(rand.NewPCG(1, 1)), 50, 16), make([]Score, 50)
	if n := testing.AllocsPerRun(5, func() {
		w.FillTop(draws, in, out, 5)
		trainer.Step(draws, in, out)
		trainer.Head.Scores(&w, dst, queries, nil, in, out, 5)
	}); n > 0 {
		t.Errorf("%g allocations per warm step, want 0", n)
	}
}
