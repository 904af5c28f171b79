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
