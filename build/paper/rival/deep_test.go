package rival

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"baca/algo/gin"
	"baca/algo/graph"
	"baca/build/paper/rival/tape"
)

func TestGOODD(t *testing.T) { checkRival(t, goodD, 0.8) }
func TestAAGOD(t *testing.T) { checkRival(t, aagod, 0.7) }

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-5*max(1, math.Abs(want))) {
		t.Errorf("%s is %.7g, want %.7g", name, got, want)
	}
}

// The golden values are those of the published formula, computed apart from this package.
func TestConcentrations(t *testing.T) {
	phi := concentrations([]int{0, 0, 0, 1, 1, 2}, []float64{1, 2, 3, 1, 1, 5}, 3)
	for c, want := range []float64{1.5689698, 1.3620619, 1.5689698} {
		near(t, "a concentration", phi[c], want)
	}
	for _, phi := range concentrations([]int{0, 1, 1}, []float64{0, 0, 0}, 2) {
		near(t, "a concentration of equal graphs", phi, 1.5)
	}
}

func TestPrototypes(t *testing.T) {
	p := &prototypes{scaled: tape.Matrix{Rows: 3, Cols: 2, Data: []float32{1, 0, 0, 2, 1, 1}}, cluster: []int{0, 1}}
	tp := new(tape.Tape)
	b := tp.Constant(tape.Matrix{Rows: 1, Cols: 2, Data: []float32{3, 4}})
	near(t, "ℓ_b", p.loss(tp, b, []int{1}).Float(), 0.1711007)
	near(t, "the score", p.score(tp, b)[0], 1.8221188)
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
	got := 0.0
	for _, d := range distance {
		got += d * d
	}
	near(t, "the sum of squares", got, 2+0.5+0.5) // by hand: {0 1 2} {9 10} {30 31}
	if centres, _, _ := kMeans(small, 9, rng); centres.Rows != 7 {
		t.Errorf("%d centres of 7 points", centres.Rows)
	}
}

// The distances are those of the inverse covariance, computed by gonum.
func TestWhitening(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n, d = 50, 4
	rows := tape.NewMatrix(n, d)
	for i := range rows.Data {
		rows.Data[i] = rng.Float32()*float32(i%d+1) + rows.Data[max(0, i-1)]
	}
	w := newWhitening(rows)
	dense, centre := mat.NewDense(n, d, nil), make([]float64, d)
	for i, x := range rows.Data {
		dense.Set(i/d, i%d, float64(x))
		centre[i%d] += float64(x) / n
	}
	covariance := mat.NewSymDense(d, nil)
	for a := range d {
		for b := a; b < d; b++ {
			for i := range n {
				covariance.SetSym(a, b, covariance.At(a, b)+(dense.At(i, a)-centre[a])*(dense.At(i, b)-centre[b])/(n-1))
			}
		}
	}
	trace := mat.Trace(covariance)
	covariance.ScaleSym(0.9, covariance)
	for a := range d {
		covariance.SetSym(a, a, covariance.At(a, a)+0.1*trace/d)
	}
	var inverse mat.Dense
	if err := inverse.Inverse(covariance); err != nil {
		t.Fatal(err)
	}
	tp := new(tape.Tape)
	for i, got := range w.distance(tp, tp.Constant(rows)).Data {
		v := mat.NewVecDense(d, nil)
		for j := range d {
			v.SetVec(j, dense.At(i, j)-centre[j])
		}
		want := mat.Inner(v, &inverse, v) / d
		if math.Abs(float64(got)-want) > 1e-4*max(1, want) {
			t.Fatalf("row %d has distance %g, want %g", i, got, want)
		}
	}
}

// A frozen view gives what the encoder gives, and less where edges lose weight.
func TestFrozenView(t *testing.T) {
	p := easyPair()
	var b graph.Batch
	b.Reset(p.Train[:5])
	var act gin.Activations
	p.Model.Encoder.Forward(&b, &act)
	for view := range gin.Views {
		f, tp := newFrozenView(p.Model.Encoder, view), new(tape.Tape)
		x := tp.Constant(f.input(&b))
		got := f.project(tp, &b, f.embed(tp, &b, x, nil))
		for i, want := range act.GraphProjection[view] {
			if math.Abs(float64(got.Data[i]-want)) > 1e-3*max(1, math.Abs(float64(want))) {
				t.Fatalf("view %d: value %d is %g, want %g", view, i, got.Data[i], want)
			}
		}
		ones := tape.NewMatrix(len(b.Neighbors), 1)
		for i := range ones.Data {
			ones.Data[i] = 1
		}
		if !slices.Equal(f.project(tp, &b, f.embed(tp, &b, x, tp.Constant(ones))).Data, got.Data) {
			t.Errorf("view %d: edges of weight 1 change the projections", view)
		}
	}
}
