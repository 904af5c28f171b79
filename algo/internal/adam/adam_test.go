package adam

import (
	"math"
	"testing"
)

// Worked by hand for lr 0.1, start 1, gradients 1, −2, 0.5.
//
//	step 1: m = 0.1, v = 0.001; m̂ = 1, v̂ = 1; 1 − 0.1·1 = 0.9
//	step 2: m = 0.09 − 0.2 = −0.11, v = 0.000999 + 0.004 = 0.004999;
//	        m̂ = −0.11/0.19 = −0.578947…, v̂ = 0.004999/0.001999 = 2.500750…;
//	        0.9 + 0.1·0.578947/1.581376 = 0.936610…
//	step 3: m = −0.099 + 0.05 = −0.049, v = 0.004994001 + 0.00025 = 0.005244001;
//	        m̂ = −0.049/0.271 = −0.180811…, v̂ = 0.005244001/0.002997001 = 1.749749…;
//	        0.936610 + 0.1·0.180811/1.322781 = 0.950279…
func TestUpdate(t *testing.T) {
	a := New(0.1)
	params := []float32{1, 5}
	for i, c := range []struct{ grad, want, m, v float64 }{
		{1, 0.9, 0.1, 0.001},
		{-2, 0.93661035, -0.11, 0.004999},
		{0.5, 0.95027945, -0.049, 0.005244001},
	} {
		a.Update(params, []float32{float32(c.grad), 0})
		for name, pair := range map[string][2]float64{
			"parameter": {float64(params[0]), c.want},
			"M":         {float64(a.M[0]), c.m},
			"V":         {float64(a.V[0]), c.v},
		} {
			if !(math.Abs(pair[0]-pair[1]) <= 2e-7) {
				t.Errorf("step %d: %s is %.8f, want %.8f", i+1, name, pair[0], pair[1])
			}
		}
		if params[1] != 5 {
			t.Errorf("step %d: a parameter without gradient moved to %g", i+1, params[1])
		}
	}
	if a.Step != 3 {
		t.Errorf("Step is %d, want 3", a.Step)
	}
}

func TestResume(t *testing.T) {
	whole, first := New(0.01), New(0.01)
	a, b := []float32{1, -1}, []float32{1, -1}
	grad := func(p []float32) []float32 { return []float32{2 * p[0], 3*p[1] + 1} }
	for range 20 {
		whole.Update(a, grad(a))
	}
	for range 10 {
		first.Update(b, grad(b))
	}
	second := New(0.01)
	second.Step, second.M, second.V = first.Step, first.M, first.V
	for range 10 {
		second.Update(b, grad(b))
	}
	if a[0] != b[0] || a[1] != b[1] {
		t.Errorf("resumed run ends at %v, uninterrupted at %v", b, a)
	}
}

func TestPanics(t *testing.T) {
	used := New(0.1)
	used.Update(make([]float32, 2), make([]float32, 2))
	for name, f := range map[string]func(){
		"gradients":  func() { New(0.1).Update(make([]float32, 2), make([]float32, 3)) },
		"parameters": func() { used.Update(make([]float32, 3), make([]float32, 3)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("other number of %s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func BenchmarkUpdate(b *testing.B) {
	params, grads := make([]float32, 30720), make([]float32, 30720)
	for i := range grads {
		grads[i] = float32(i%7) - 3
	}
	a := New(1e-4)
	b.SetBytes(int64(4 * len(params)))
	for b.Loop() {
		a.Update(params, grads)
	}
}
