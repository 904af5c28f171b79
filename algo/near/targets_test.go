package near

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/fingerprint"
	"baca/algo/internal/must"
)

// Targets are as far from the nearest graph of the bank as Measure says, part by part.
func TestTargetsAgreeWithMeasure(t *testing.T) {
	b, graphs := bank(rand.New(rand.NewPCG(11, 12)))
	graphs.Prints[0], graphs.Prints[1] = b.Graphs.Prints[3], fingerprint.Print{}
	d := must.Have(b.Measure(ctx, 1, graphs))
	targets, own := b.Targets(graphs), b.Graphs.Outline()
	var to, least [Parts][]float64
	for k := range to {
		to[k], least[k] = make([]float64, graphs.Len()), make([]float64, graphs.Len())
		for i := range least[k] {
			least[k][i] = math.Inf(1)
		}
	}
	for j := range own.Len() {
		targets.To(own, j, &to)
		for k := range to {
			for i, x := range to[k] {
				least[k][i] = min(least[k][i], x)
			}
		}
	}
	// What two graphs of three new subtrees lack, beside the other.
	for i := range 2 {
		p := &graphs.Prints[i]
		*p = fingerprint.Print{Keys: append(slices.Clone(p.Keys), 1000, 1001, 1002+uint32(i)), Counts: append(slices.Clone(p.Counts), 1, 2, 3)}
	}
	for _, j := range []int{1, 5} {
		b.Targets(graphs).To(graphs, j, &to)
		for i, new := range []float64{3, 3, 0} {
			if i < 2 && j == 1 {
				new = float64(1 - i)
			}
			if got := to[ByRest][i]; math.Abs(got-math.Log(1+new)) > 1e-12 {
				t.Errorf("graph %d beside %d: %g for new subtrees, want the logarithm of 1 + %g", i, j, got, new)
			}
		}
	}
	tolerance := [Parts]float64{ByEmbedding: 1e-6, BySubtrees: 1e-12, ByCounts: 1e-12, ByRest: 1e-12}
	for k := range least {
		for i, want := range d.Part(k) {
			if math.Abs(least[k][i]-want) > tolerance[k]*(1+want) {
				t.Errorf("part %d of graph %d: %g, want %g", k, i, least[k][i], want)
			}
		}
	}
	// A unit of a part adds what Unit says to the score, which has a further part here: ℓ_n.
	scores := b.Scores(d)
	for k := range least {
		unit, typical := b.Unit(k)
		if unit <= 0 || !(typical >= 0) {
			t.Errorf("part %d: unit %g, typically %g", k, unit, typical)
		}
		d.parts[k][0] += 2
		if got := b.Scores(d)[0] - scores[0]; math.Abs(got-2*unit) > 1e-9 {
			t.Errorf("part %d: two more add %g, want %g", k, got, 2*unit)
		}
		d.parts[k][0] -= 2
	}
}
