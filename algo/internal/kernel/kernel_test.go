package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"baca/algo/internal/must"
)

func random(rng *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return v
}

// matrix is random, with padding between rows that must not be touched.
func matrix(rng *rand.Rand, rows, cols, padding int) Matrix {
	return Matrix{random(rng, rows*(cols+padding)), rows, cols, cols + padding}
}

func row(m Matrix, i int) []float32 { return m.Data[i*m.Stride:][:m.Cols] }

func general(m Matrix) blas64.General {
	g := blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: max(1, m.Cols), Data: make([]float64, m.Rows*m.Cols)}
	for i := range m.Rows {
		for j, x := range row(m, i) {
			g.Data[i*m.Cols+j] = float64(x)
		}
	}
	return g
}

var shapes = [][3]int{ // m, n, k
	{1, 1, 1}, {2, 4, 3}, {3, 5, 7}, {7, 16, 9}, {16, 16, 16}, {33, 80, 32}, {5, 80, 80}, {24, 24, 80},
	{6, 3, 0}, {0, 4, 4}, {4, 0, 4}, {17, 6, 31}, {11, 33, 161}, {9, 70, 330}, {3, 160, 160}, {13, 47, 5},
}

// The products of float32 values computed by gonum in float64 are the oracle;
// k terms of size one may each be off by half a unit in the last place.
func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	bias := random(rng, 200)
	linear := func(relu bool) func(dst, x, w Matrix) {
		return func(dst, x, w Matrix) { Linear(dst, x, w, bias[:w.Rows], relu) }
	}
	for _, p := range []struct {
		name        string
		mul         func(dst, a, b Matrix)
		ta, tb      blas.Transpose
		beta        float64
		biased, cut bool
	}{
		{"MulNT", MulNT, blas.NoTrans, blas.Trans, 0, false, false},
		{"MulNN", MulNN, blas.NoTrans, blas.NoTrans, 0, false, false},
		{"AddTN", AddTN, blas.Trans, blas.NoTrans, 1, false, false},
		{"Linear", linear(false), blas.NoTrans, blas.Trans, 0, true, false},
		{"ReLU", linear(true), blas.NoTrans, blas.Trans, 0, true, true},
	} {
		t.Run(p.name, func(t *testing.T) {
			for _, s := range shapes {
				m, n, k := s[0], s[1], s[2]
				a, b, dst := matrix(rng, m, k, 1), matrix(rng, k, n, 2), matrix(rng, m, n, n%3)
				if p.ta == blas.Trans {
					a = matrix(rng, k, m, 1)
				}
				if p.tb == blas.Trans {
					b = matrix(rng, n, k, 2)
				}
				want := general(dst)
				if m > 0 && n > 0 && k > 0 {
					blas64.Gemm(p.ta, p.tb, 1, general(a), general(b), p.beta, want)
				} else if p.beta == 0 {
					clear(want.Data)
				}
				for i := range want.Data {
					if p.biased {
						want.Data[i] += float64(bias[i%n])
					}
					if p.cut {
						want.Data[i] = max(want.Data[i], 0)
					}
				}
				before := slices.Clone(dst.Data)
				p.mul(dst, a, b)
				compare(t, dst, want, before, 4e-6*float64(k+1))
			}
		})
	}
}

// compare also checks that the padding did not change.
func compare(t *testing.T, got Matrix, want blas64.General, before []float32, tolerance float64) {
	t.Helper()
	for i, x := range got.Data {
		r, c := i/max(1, got.Stride), i%max(1, got.Stride)
		if c >= got.Cols {
			if x != before[i] {
				t.Fatalf("padding of row %d is %g, was %g", r, x, before[i])
			}
			continue
		}
		if w := want.Data[r*want.Stride+c]; math.Abs(float64(x)-w) > tolerance {
			t.Fatalf("row %d, column %d: got %g, want %g", r, c, x, w)
		}
	}
}

// A product with packed rows has the bits of MulNT, also after Set.
func TestMulPacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, s := range shapes {
		m, n, k := s[0], s[1], s[2]
		a, b := matrix(rng, m, k, 1), matrix(rng, n, k, 2)
		p := Pack(b)
		for range n / 2 {
			i := rng.IntN(n)
			copy(row(b, i), random(rng, k))
			p.Set(i, row(b, i))
		}
		for lo := 0; lo <= n; lo += blockCols {
			hi := lo + rng.IntN(n-lo+1)
			want, got := matrix(rng, m, hi-lo, 3), matrix(rng, m, hi-lo, 3)
			copy(got.Data, want.Data)
			MulNT(want, a, b.RowRange(lo, hi))
			MulPacked(got, a, p, lo, hi)
			same(t, &sample{m: m, n: hi, k: k}, got.Data, want.Data)
		}
	}
}

// Double precision against gonum, of all remainders.
func TestDouble(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	values := func(n int) []float64 { return general(matrix(rng, 1, n, 0)).Data }
	vector := func(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }
	for rows := 1; rows <= 9; rows++ {
		for _, cols := range []int{1, 2, 3, 17, 64, 257} {
			x, byRow, byColumn := values(rows*cols), values(rows), values(cols)
			down, across := make([]float64, rows), slices.Clone(byColumn)
			Products(down, x, byColumn)
			AddProducts(across, byRow, x)
			m, wantDown, wantAcross := blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: x}, make([]float64, rows), slices.Clone(byColumn)
			blas64.Gemv(blas.NoTrans, 1, m, vector(byColumn), 0, vector(wantDown))
			blas64.Gemv(blas.Trans, 1, m, vector(byRow), 1, vector(wantAcross))
			if !floats.EqualApprox(down, wantDown, 1e-12) || !floats.EqualApprox(across, wantAcross, 1e-12) {
				t.Fatalf("%d×%d: rows have %g, want %g; columns have %g, want %g", rows, cols, down, wantDown, across, wantAcross)
			}
		}
	}
}

// e^x over all of its range and a little beyond, with the same bits in every variant.
func TestExp(t *testing.T) {
	x := []float32{0, -1e30, float32(math.Inf(-1)), 1e30, float32(math.Inf(1))}
	for v := float32(-89); v <= 89; v += 0.0009 {
		x = append(x, v)
	}
	want := slices.Clone(x)
	expGo(want, 1)
	worst := 0.0
	for i, y := range want {
		e := math.Exp(max(-87, min(87, float64(x[i]))))
		worst = max(worst, math.Abs(float64(y)-e)/e)
	}
	if worst > 2e-7 || want[0] != 1 {
		t.Errorf("relative error %g, want at most 2e-7; e^0 = %g", worst, want[0])
	}
	each(t, func(t *testing.T) {
		got := slices.Clone(x)
		Exp(got, 1)
		same(t, &sample{n: len(x)}, got, want)
	})
}

// Its bits are the same where math.Exp has others, see TestSameBitsNativelyAndInWebAssembly of algo.
func TestExp64(t *testing.T) {
	for x := -745.0; x < 709.7; x += 0.00731 {
		want := math.Exp(x)
		if got := Exp64(x); math.Abs(got-want) > 5e-16*want+5e-324 {
			t.Fatalf("e^%g = %g, want %g", x, got, want)
		}
	}
	for x, want := range map[float64]float64{0: 1, 1: math.E, 1e-300: 1, -800: 0, math.Inf(-1): 0, 800: math.Inf(1), math.Inf(1): math.Inf(1)} {
		if got := Exp64(x); got != want {
			t.Errorf("e^%g = %g, want %g", x, got, want)
		}
	}
	if got := Exp64(math.NaN()); got == got {
		t.Errorf("e^NaN = %g", got)
	}
}

// A view that reaches beyond its data, or a graph that is none, panics before vector code reads elsewhere.
func TestShapesAreChecked(t *testing.T) {
	small, big := Matrix{make([]float32, 5), 2, 3, 3}, Dense(make([]float32, 6), 2, 3)
	square := Dense(make([]float32, 4), 2, 2)
	neighbors := func(offsets, list []int32) func() {
		return func() { AddNeighbors(Dense(make([]float32, 6), 2, 3), Dense(make([]float32, 6), 2, 3), offsets, list) }
	}
	calls := map[string]func(){
		"Dense":        func() { Dense(make([]float32, 5), 2, 3) },
		"MulNT":        func() { MulNT(square, small, big) },
		"MulNN":        func() { MulNN(square, big, big) },
		"AddTN":        func() { AddTN(Dense(make([]float32, 9), 3, 3), big, small) },
		"Linear":       func() { Linear(square, big, big, make([]float32, 3), true) },
		"Add":          func() { Add(big, small) },
		"AddNeighbors": func() { AddNeighbors(big, big, []int32{0, 1, 2}, []int32{1}) },
		"ReLUGradient": func() { ReLUGradient(big, small) },
		"Sums":         func() { Sums(make([]float64, 2), make([]float64, 2), make([]float32, 5)) },
		"Weight":       func() { Weight(make([]float32, 5), make([]float32, 2), make([]float32, 2)) },
		"Normalize":    func() { Normalize(make([]float32, 5), make([]float32, 2), make([]float32, 5)) },
		"Dot":          func() { Dot(make([]float32, 5), make([]float32, 4)) },
		"Axpy":         func() { Axpy(make([]float32, 5), 1, make([]float32, 4)) },
		"gradients":    func() { Adam(square.Data, big.Data, square.Data, square.Data, AdamStep{}) },
		"means":        func() { Adam(square.Data, square.Data, big.Data, square.Data, AdamStep{}) },
		"squares":      func() { Adam(square.Data, square.Data, square.Data, big.Data, AdamStep{}) },
		"MulPacked":    func() { MulPacked(Dense(make([]float32, 2), 2, 1), big, Pack(big), 1, 2) },
		"Set":          func() { Pack(big).Set(3, make([]float32, 3)) },
		"strips":       func() { AddWhere(make([]uint32, 64), make([]uint32, 4), make([]uint64, 1), nil, nil, 0) },
		"halves":       func() { AddWhere(make([]uint32, Strip), make([]uint32, Strip/Top), make([]uint64, 2), nil, nil, 1) },
		"tops":         func() { AddWhere(make([]uint32, Strip), make([]uint32, 7), make([]uint64, 2), nil, nil, 0) },
		"rows of bits": func() {
			AddWhere(make([]uint32, Strip), make([]uint32, Strip/Top), make([]uint64, 2), []uint32{1}, []uint32{1}, 0)
		},
		"one row":                    func() { MulNN(Matrix{make([]float32, 2), 2, 2, 0}, square, square) },
		"neighbour beyond the rows":  neighbors([]int32{0, 1, 2}, []int32{1, 2}),
		"neighbour below 0":          neighbors([]int32{0, 1, 2}, []int32{1, -1}),
		"offset beyond the list":     neighbors([]int32{0, 9, 2}, []int32{1, 0}),
		"offset below 0":             neighbors([]int32{-1, 1, 2}, []int32{1, 0}),
		"offsets in the wrong order": neighbors([]int32{2, 1, 2}, []int32{1, 0}),
	}
	each(t, func(t *testing.T) {
		for name, f := range calls {
			must.Panic(t, name, f)
		}
	})
}
