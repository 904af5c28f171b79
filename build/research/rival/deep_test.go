package rival

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"baca/algo/gin"
	"baca/algo/graph"
	"baca/build/research/rival/tape"
)

// A single node has no loss of nodes, and a score all the same.
func TestD2GOOfASingleNode(t *testing.T) {
	p := *easyPair() // which other tests share
	p.Test = append(slices.Clone(p.Test), graphOf(1, nil))
	scores(t, d2go, &p)
}

func closeTo(t *testing.T, name string, got, want float64) {
	t.Helper()
	alike(t, name, []float64{got}, []float64{want}, 1e-5)
}

// The golden values are those of the published formula, computed apart from this package.
func TestConcentrations(t *testing.T) {
	phi := concentrations([]int{0, 0, 0, 1, 1, 2}, []float64{1, 2, 3, 1, 1, 5}, 3)
	alike(t, "concentration", phi, []float64{1.5689698, 1.3620619, 1.5689698}, 1e-5)
	equal := concentrations([]int{0, 1, 1}, []float64{0, 0, 0}, 2)
	alike(t, "concentration of equal graphs", equal, []float64{1.5, 1.5}, 1e-5)
}

func TestPrototypes(t *testing.T) {
	p := &prototypes{scaled: tape.Matrix{Rows: 3, Cols: 2, Data: []float32{1, 0, 0, 2, 1, 1}}, cluster: []int{0, 1}}
	tp := new(tape.Tape)
	b := tape.Constant(tape.Matrix{Rows: 1, Cols: 2, Data: []float32{3, 4}})
	closeTo(t, "ℓ_b", p.loss(tp, b, []int{1}).Float(), 0.1711007)
	closeTo(t, "the score", p.score(tp, b)[0], 1.8221188)
}

// By hand: log(e + e² + e⁻¹) = 2.3490122, from which 2 goes; and with noise of 0, 0 and 3 the positive
// numbers are 1, 2 and 2: (1·(0 − 1 + 2.3490122) + 2·(log 2 − 2 + 2.3490122) + 2·(log 2 + 1 + 2.3490122))/3.
func TestBottleneck(t *testing.T) {
	tp, z := new(tape.Tape), tape.Matrix{Rows: 1, Cols: 3, Data: []float32{1, 2, -1}}
	entropy, information := bottleneck(tp, tape.Constant(z), tape.Matrix{Rows: 1, Cols: 3, Data: []float32{0, 1, 0}}, []float32{0, 0, 3})
	closeTo(t, "the cross entropy", entropy.Float(), 0.3490122)
	closeTo(t, "the information", information.Float(), (1.3490122+2*(math.Ln2+0.3490122)+2*(math.Ln2+3.3490122))/3)
}

// Three clusters that are far apart are found, and none can be better than the best of all
// divisions of a few points.
func TestKMeans(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	rows := tape.NewMatrix(30, 2)
	for i := range 30 {
		rows.Row(i)[0] = float32(i%3)*10 + rng.Float32()
		rows.Row(i)[1] = rng.Float32()
	}
	_, cluster, distance := kMeans(rows, 3, rng)
	for i := range 30 {
		if cluster[i] != cluster[i%3] || distance[i] > 1.5 {
			t.Fatalf("point %d is in cluster %d at %.2f", i, cluster[i], distance[i])
		}
	}
	small := tape.Matrix{Rows: 7, Cols: 1, Data: []float32{0, 1, 2, 9, 10, 30, 31}}
	_, _, distance = kMeans(small, 3, rng)
	closeTo(t, "the sum of squares", floats.Dot(distance, distance), 2+0.5+0.5) // by hand: {0 1 2} {9 10} {30 31}
	if centres, _, _ := kMeans(small, 9, rng); centres.Rows != 7 {
		t.Errorf("%d centres of 7 points", centres.Rows)
	}
}

// The distances are those of the detector of Mahalanobis, divided by the number of columns.
func TestDistanceFrom(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	rows, wide := tape.NewMatrix(50, 4), make([][]float64, 50)
	for i := range rows.Data {
		rows.Data[i] = rng.Float32()*float32(i%4+1) + rows.Data[max(0, i-1)]
		wide[i/4] = append(wide[i/4], float64(rows.Data[i]))
	}
	want := mahalanobis(&embedded{wide, wide}, 0)
	floats.Scale(0.25, want)
	got := distanceFrom(rows)(new(tape.Tape), tape.Constant(rows)).Data
	alike(t, "distance", widened(got), want, 1e-4)
}

// A frozen view gives what the encoder gives, and less where edges lose weight.
func TestFrozenView(t *testing.T) {
	p := *easyPair() // which other tests share
	var b graph.Batch
	b.Reset(p.Train[:5])
	var act gin.Activations
	p.Model.Encoder.Forward(&b, &act)
	for view := range gin.Views {
		f, tp := newFrozenView(p.Model.Encoder, view), new(tape.Tape)
		x := f.input(&b)
		got := f.project(tp, &b, x, nil)
		alike(t, fmt.Sprint("projection by view ", view), widened(got.Data), widened(act.GraphProjection[view]), 1e-3)
		ones := tape.NewMatrix(len(b.Neighbors), 1)
		for i := range ones.Data {
			ones.Data[i] = 1
		}
		if !slices.Equal(f.project(tp, &b, x, tape.Constant(ones)).Data, got.Data) {
			t.Errorf("view %d: edges of weight 1 change the projections", view)
		}
	}
}

// Of the cosines 0.6, 1, 0 and −1 of a row, the second largest is 0.6.
func TestCosine(t *testing.T) {
	keys := tape.Matrix{Rows: 4, Cols: 2, Data: []float32{3, 4, 2, 0, 0, 7, -1, 0}}
	closeTo(t, "a cosine", cosine(tape.Matrix{Rows: 1, Cols: 2, Data: []float32{5, 0}}, keys, 2)[0], 0.6)
}

// Outliers in the middle count, those that are plain or hopeless do not; by hand from the
// formula for logits 0 and 2.
func TestBoundaryLoss(t *testing.T) {
	tp := new(tape.Tape)
	loss := boundaryLoss(tp, tape.Constant(tape.Matrix{Rows: 2, Cols: 1, Data: []float32{0, 2}}))
	p := 1 / (1 + math.Exp(-2))
	closeTo(t, "the loss", loss.Float(), (math.Ln2-4*p*(1-p)*math.Log(p))/2)
	closeTo(t, "the loss of outliers deep inside", boundaryLoss(tp, tape.Constant(tape.Matrix{Rows: 1, Cols: 1, Data: []float32{-20}})).Float(), 0)
}

// A moved graph has the nodes and about two thirds of the edges of the other.
func TestMoved(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	kept, all := 0, 0
	for _, g := range easyGraphs(50, true, rng) {
		h := moved(g, rng)
		if h.N() != g.N() || h.M() > g.M() {
			t.Fatalf("%d nodes and %d edges of %d and %d", h.N(), h.M(), g.N(), g.M())
		}
		for i := range g.N() {
			for _, j := range g.Row(i) {
				all++
				if slices.Contains(h.Row(i), j) {
					kept++
				}
			}
		}
	}
	if share := float64(kept) / float64(all); share < 0.6 || share > 0.8 {
		t.Errorf("%.2f of the edges stay, want about 0.7", share)
	}
}
