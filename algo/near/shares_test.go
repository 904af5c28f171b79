package near

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"baca/algo/fingerprint"
	"baca/algo/internal/must"
)

// The parts add up to the score; coordinates and keys add no more than their part.
func TestShares(t *testing.T) {
	b, r := bank(rand.New(rand.NewPCG(2, 5)))
	last := &r.Prints[r.Len()-1]
	last.Keys, last.Counts = append(last.Keys, 1000, 1001, 1002), append(last.Counts, 1, 2, 3)
	d := must.Have(b.Measure(ctx, 1, r))
	scores := b.Scores(d)
	for i := range r.Len() {
		s := b.Shares(d, i)
		novel := 0.0
		for k, x := range s.Keys[2] {
			if novel += x; (x != 0) != (r.Prints[i].Keys[k] >= 1000) || (x != 0) != (s.Lacks[2][k] == 1) {
				t.Errorf("graph %d: key %d adds %g for being new", i, r.Prints[i].Keys[k], x)
			}
		}
		if want := b.unit(ByRest) * d.parts[ByRest][i]; math.Abs(novel-want) > 1e-9 || (i == r.Len()-1) != (novel > 0) {
			t.Errorf("graph %d: new keys add %g, want %g", i, novel, want)
		}
		rest := b.scales.Sum.Mean / b.scales.Sum.Deviation
		if got := s.Embedding + s.Subtrees - rest; math.Abs(got-scores[i]) > 1e-9 {
			t.Errorf("graph %d: parts add up to %g, its score is %g", i, got, scores[i])
		}
		if least := slices.Min(s.Coordinates); !(least >= 0) {
			t.Errorf("graph %d: a coordinate adds %g", i, least)
		}
		if sum, most := floats.Sum(s.Coordinates), b.unit(ByEmbedding)*d.parts[ByEmbedding][i]; sum > most*(1+1e-6) {
			t.Errorf("graph %d: coordinates add %g to a distance that adds %g", i, sum, most)
		}
		for m, part := range []int{BySubtrees, ByCounts} {
			sum := floats.Sum(s.Keys[m])
			_, _, rest := b.Subtrees.Lacks(r.Prints[i], fingerprint.Measure(m))
			if most := b.unit(part) * d.parts[part][i]; sum > most*(1+1e-9) || sum == 0 && most > 0 && rest == 0 {
				t.Errorf("graph %d: keys add %g to a distance that adds %g", i, sum, most)
			}
		}
	}
}
