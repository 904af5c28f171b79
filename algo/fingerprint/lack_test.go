package fingerprint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// What is lacking is one minus the similarity to the closest print, key by key.
func TestLacks(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 4))
	var prints []Print
	for range 40 {
		prints = append(prints, New(random(rng), DefaultHeight))
	}
	x := NewIndex(prints)
	for trial := range 60 {
		p := New(random(rng), DefaultHeight)
		equal, sets, counts := x.Closest(p, -1)
		for m, closest := range []Ranking{sets, counts} {
			parts, fractions, rest := x.Lacks(p, Measure(m))
			if equal > 0 {
				if parts != nil || fractions != nil || rest != 0 {
					t.Errorf("trial %d: %v and %g lack in an equal print", trial, parts, rest)
				}
				continue
			}
			sum := rest
			for k, part := range parts {
				sum += part
				held := 0 // by any print
				for _, q := range prints {
					if _, ok := slices.BinarySearch(q.Keys, p.Keys[k]); ok {
						held++
					}
				}
				if part < 0 || fractions[k] < 0 || fractions[k] > 1 || (part == 0) != (fractions[k] == 0) || held == 0 && fractions[k] != 1 {
					t.Errorf("trial %d, measure %d: key %d, which %d prints hold, lacks %g, a fraction of %g", trial, m, k, held, part, fractions[k])
				}
			}
			if math.Abs(sum-(1-closest[0])) > 1e-12 {
				t.Errorf("trial %d, measure %d: %g lack, want %g", trial, m, sum, 1-closest[0])
			}
		}
	}
	if parts, _, rest := NewIndex(nil).Lacks(prints[0], Sets); parts != nil || rest != 0 {
		t.Errorf("%v and %g lack in nothing", parts, rest)
	}
}
