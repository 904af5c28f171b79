package rival

import (
	"math"
	"math/rand/v2"
	"testing"

	"baca/algo/graph"
	"baca/build/research/rival/tape"
)

// TestTreeBatch checks that a tree has the same embedding by itself and among others, and
// that it does not depend on the order of the nodes.
func TestTreeBatch(t *testing.T) {
	gs := easyGraphs(5, true, rand.New(rand.NewPCG(4, 4)))
	net := newTreeNet(tape.NewParams(1), 1, 8)
	embed := func(lo, hi int) tape.Matrix {
		var b graph.Batch
		b.Reset(gs[lo:hi])
		return net(new(tape.Tape), &b, codingTrees(gs[lo:hi])).Matrix
	}
	all := embed(0, len(gs))
	if all.Rows != len(gs) || all.Cols != 8 {
		t.Fatalf("embeddings are %d×%d, want %d×8", all.Rows, all.Cols, len(gs))
	}
	for k := range gs {
		alike(t, "embedding", widened(all.Row(k)), widened(embed(k, k+1).Data), 1e-4)
	}
}

// TestRedOUTLoss compares the loss with the published formula, written out in loops.
func TestRedOUTLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	const n, width = 7, 3
	z, tree := randomMatrix(n, width, rng), randomMatrix(n, width, rng)
	tp := new(tape.Tape)
	got := redOUTLoss(tp, tape.Constant(tree), tape.Constant(z))
	y, yTree, agree := largest(z, width), largest(tree, width), 0
	want := make([]float64, n)
	for i := range n {
		row, column, labelled := 0.0, 0.0, 0.0
		for j := range n {
			if j != i {
				row += math.Exp(cosineOf(tree.Row(i), z.Row(j)) / 0.2)
				column += math.Exp(cosineOf(tree.Row(j), z.Row(i)) / 0.2)
			}
			if y[j] == yTree[i] || j == i {
				labelled += math.Exp(cosineOf(z.Row(i), tree.Row(j)))
			}
		}
		same := cosineOf(tree.Row(i), z.Row(i))
		want[i] = (math.Log(row)+math.Log(column))/2 - same/0.2
		if y[i] == yTree[i] {
			agree++
			want[i] += 0.1 * (same - math.Log(labelled))
		}
	}
	alike(t, "loss", widened(got.Data), want, 3e-5)
	if agree == 0 || agree == n {
		t.Errorf("labels agree %d times of %d: the test is to see both", agree, n)
	}
}

// TestSIGOODAnswers compares −m with the formula, written out in loops: of a graph whose
// nodes answer both ways, of one whose energies only rise, and of one where nothing changes.
func TestSIGOODAnswers(t *testing.T) {
	b := new(graph.Batch)
	b.Reset(easyGraphs(3, true, rand.New(rand.NewPCG(3, 3))))
	energy, prompted := tape.NewMatrix(b.N(), 1), tape.NewMatrix(b.N(), 1)
	for i := range energy.Data {
		energy.Data[i], prompted.Data[i] = 0.5+0.01*float32(i%5), 0.5+0.012*float32(i%4)
	}
	lo, hi := b.Nodes(1)
	for i := lo; i < hi; i++ {
		prompted.Data[i] = energy.Data[i] * 1.01
	}
	lo, hi = b.Nodes(2)
	copy(prompted.Data[lo:hi], energy.Data[lo:hi])
	tp := new(tape.Tape)
	got := answers(tp, b, tape.Constant(prompted), tape.Constant(energy))
	var want []float64
	for k := range b.Graphs {
		sum, count := [2]float64{}, [2]float64{} // of nodes whose energy falls and rises
		lo, hi := b.Nodes(k)
		for i := lo; i < hi; i++ {
			r := float64(prompted.Data[i]) / float64(energy.Data[i])
			if r == 1 {
				continue
			}
			side := 0
			if r > 1 {
				side = 1
			}
			sum[side] += r
			count[side]++
		}
		change := [2]float64{}
		for side := range change {
			if count[side] > 0 {
				change[side] = 80 * math.Log(sum[side]/count[side])
			}
		}
		want = append(want, change[0]-change[1])
	}
	alike(t, "−m", widened(got.Data), want, 2e-3)
}
