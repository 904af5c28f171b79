package pretrain

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/contrast"
	"baca/algo/gin"
	"baca/algo/internal/must"
)

var _ gin.Device = CPU{}

// What goes through the seam of devices is what goes past it, to the bit.
func TestCPUAsADevice(t *testing.T) {
	gs := trees(50, 2)
	e := gin.New(gin.Config{Features: 2, Hidden: 8, Layers: 3}, rand.New(rand.NewPCG(1, 2)))
	score := func(d gin.Device) (*contrast.Representation, [2][]float64) {
		e.Device = d
		r := must.Have(contrast.Represent(context.Background(), 1, e, gs))
		var scores [2][]float64
		bank := r.Select([]int{1, 2, 3, 4}).Negatives()
		for k, negatives := range []*contrast.Negatives{r.Negatives(), bank} {
			scores[k] = must.Have(contrast.BaseScores(context.Background(), 1, r, negatives, k == 0, contrast.Terms{Graph: 1, Node: 1, Typical: 1}))
		}
		return r, scores
	}
	want, wantScores := score(nil)
	got, gotScores := score(NewCPU(2))
	if !slices.Equal(got.Q, want.Q) || !slices.Equal(got.ZF(), want.ZF()) || !slices.Equal(got.ZS(), want.ZS()) {
		t.Error("other embeddings through the seam")
	}
	for i := range want.NodeScore {
		if a, b := got.NodeScore[i], want.NodeScore[i]; a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
			t.Errorf("graph %d: ℓ_n %g through the seam, want %g", i, a, b)
		}
	}
	// The unit rows of a bank are brought to length 1 once more.
	for k := range wantScores {
		for i, w := range wantScores[k] {
			if math.Abs(gotScores[k][i]-w) > 1e-6 {
				t.Errorf("graph %d: S_Pre %g through the seam, want %g", i, gotScores[k][i], w)
			}
		}
	}
}

// A trainer with a device trains on it, to the bits of one without.
func TestTrainerTakesADevice(t *testing.T) {
	gs, o := trees(60, 2), options()
	want, _ := train(gs, o, nil, 2)
	o.Device = NewCPU(2)
	got, _ := train(gs, o, nil, 2)
	if !slices.Equal(got.State().Params, want.State().Params) {
		t.Error("other parameters through the seam")
	}
	if got.Encoder().Device != o.Device {
		t.Error("the encoder does not know its device")
	}
}
