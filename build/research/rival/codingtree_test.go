package rival

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

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

func randomMatrix(rows, cols int, rng *rand.Rand) tape.Matrix {
	m := tape.NewMatrix(rows, cols)
	for i := range m.Data {
		m.Data[i] = float32(rng.NormFloat64())
	}
	return m
}

// cosineOf is the cosine of two rows, and inner their product.
func cosineOf(a, b []float32) float64 { return inner(a, b) / math.Sqrt(inner(a, a)*inner(b, b)) }

func inner(a, b []float32) float64 { return floats.Dot(widened(a), widened(b)) }
