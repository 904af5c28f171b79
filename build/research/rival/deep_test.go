package rival

import (
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
	closeTo(t, "ℓ_b", float64(p.loss(tp, b, []int{1}).Data[0]), 0.1711007)
	closeTo(t, "the score", p.score(tp, b)[0], 1.8221188)
}

// By hand: log(e + e² + e⁻¹) = 2.3490122, from which 2 goes; and with noise of 0, 0 and 3 the positive
// numbers are 1, 2 and 2: (1·(0 − 1 + 2.3490122) + 2·(log 2 − 2 + 2.3490122) + 2·(log 2 + 1 + 2.3490122))/3.
func TestBottleneck(t *testing.T) {
	tp, z := new(tape.Tape), tape.Matrix{Rows: 1, Cols: 3, Data: []float32{1, 2, -1}}
	entropy, information := bottleneck(tp, tape.Constant(z), tape.Matrix{Rows: 1, Cols: 3, Data: []float32{0, 1, 0}}, []float32{0, 0, 3})
	closeTo(t, "the cross entropy", float64(entropy.Data[0]), 0.3490122)
	closeTo(t, "the information", float64(information.Data[0]), (1.3490122+2*(math.Ln2+0.3490122)+2*(math.Ln2+3.3490122))/3)
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

// The feature view on a tape gives what the encoder gives.
func TestFeatureView(t *testing.T) {
	p := easyPair()
	var b graph.Batch
	b.Reset(p.Train[:5])
	var act gin.Activations
	p.Model.Encoder.Forward(&b, &act)
	got := featureView(p.Model.Encoder)(new(tape.Tape), &b, tape.Features(&b))
	alike(t, "projection", widened(got.Data), widened(act.GraphProjection[gin.Feature]), 1e-3)
}

// Of the cosines 0.6, 1, 0 and −1 of a row, the second largest is 0.6.
func TestCosine(t *testing.T) {
	keys := tape.Matrix{Rows: 4, Cols: 2, Data: []float32{3, 4, 2, 0, 0, 7, -1, 0}}
	closeTo(t, "a cosine", cosine(tape.Matrix{Rows: 1, Cols: 2, Data: []float32{5, 0}}, keys, 2)[0], 0.6)
}
