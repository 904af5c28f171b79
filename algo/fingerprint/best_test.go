package fingerprint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// skewed draws a print of keys that are the rarer the larger they are, with few or many
// counts above what an entry has room for.
func skewed(rng *rand.Rand, keys int, large float64) Print {
	counts := map[uint32]uint32{}
	for range rng.IntN(2 * keys) {
		key := uint32(math.Exp(rng.Float64()*12)) * spread
		counts[key] += 1 + uint32(rng.IntN(3))
		if rng.Float64() < large {
			counts[key] += 250 + uint32(rng.IntN(10))
		}
	}
	var p Print
	for key := range counts {
		p.Keys = append(p.Keys, key)
	}
	slices.Sort(p.Keys)
	for _, key := range p.Keys {
		p.Counts = append(p.Counts, counts[key])
	}
	return p
}

// changed returns a print that shares most keys with p.
func changed(rng *rand.Rand, p Print) Print {
	var q Print
	for k, key := range p.Keys {
		if rng.IntN(6) > 0 {
			q.Keys, q.Counts = append(q.Keys, key), append(q.Counts, p.Counts[k]+uint32(rng.IntN(8)/7))
		}
	}
	return q
}

// library draws prints of which some are alike, some equal, and some empty.
func library(rng *rand.Rand, n, keys int, large float64) []Print {
	prints := make([]Print, n)
	for i := range prints {
		switch {
		case i > 0 && rng.IntN(2) == 0:
			prints[i] = changed(rng, prints[rng.IntN(i)])
		case i > 0 && rng.IntN(20) == 0:
			prints[i] = prints[rng.IntN(i)]
		default:
			prints[i] = skewed(rng, keys, large)
		}
	}
	return prints
}

// similarities are those of Closest to all prints, by its definition, and 2 to equal ones.
func similarities(prints []Print, m Measure, p Print) []float64 {
	holders := map[uint32]int{}
	for _, q := range prints {
		for _, key := range q.Keys {
			holders[key]++
		}
	}
	weight := func(key, times uint32) int64 {
		r := int64(math.Round(math.Ldexp(1+math.Log(float64(len(prints)+1)/float64(holders[key]+1)), 36)))
		return r * int64([]uint32{1, times}[m])
	}
	whole := func(p Print) float64 {
		sum := int64(0)
		for k, key := range p.Keys {
			sum += weight(key, p.Counts[k])
		}
		return float64(sum)
	}
	all, own := make([]float64, len(prints)), whole(p)
	for i, q := range prints {
		if all[i] = 2; slices.Equal(p.Keys, q.Keys) && slices.Equal(p.Counts, q.Counts) {
			continue
		}
		common := int64(0)
		for k, key := range p.Keys {
			if at, ok := slices.BinarySearch(q.Keys, key); ok {
				common += weight(key, min(p.Counts[k], q.Counts[at]))
			}
		}
		all[i] = min(1, float64(common)/(0.7*own+float64(0.3*whole(q))))
	}
	return all
}

// bestOf is Best by its definition.
func bestOf(prints []Print, p Print, own int) (best [2]Match) {
	for m := range best {
		b := &best[m]
		b.Print = -1
		for i, s := range similarities(prints, Measure(m), p) {
			if i != own && (b.Print < 0 || s > b.Similarity) {
				*b = Match{s, i, s == 2}
			}
		}
		b.Similarity = min(1, b.Similarity)
	}
	return best
}

// checkBest compares Best with its definition, bit by bit, without rows and with them, and the first rank of Closest.
func checkBest(t *testing.T, name string, prints []Print, x *Index, p Print, own int) {
	t.Helper()
	defer func(before bool) { useRows = before }(useRows)
	want := bestOf(prints, p, own)
	for _, useRows = range []bool{false, true} {
		if got := x.Best(p, own); got != want {
			t.Errorf("%s, rows %t: %+v, want %+v", name, useRows, got, want)
		}
	}
	if equal, sets, counts := x.Closest(p, own); equal == 0 && [2]float64{sets[0], counts[0]} != [2]float64{want[0].Similarity, want[1].Similarity} {
		t.Errorf("%s: closest %v and %v, want %+v", name, sets[0], counts[0], want)
	}
}

func TestBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	for trial := range 40 {
		large := float64(trial%3) * 0.05
		prints := library(rng, 1+rng.IntN(150), 1+rng.IntN(30), large)
		x := NewIndex(prints)
		for i := range min(len(prints), 20) {
			name := fmt.Sprintf("trial %d, print %d", trial, i)
			checkBest(t, name, prints, x, prints[i], i)
			checkBest(t, name+" with itself", prints, x, prints[i], -1)
			checkBest(t, name+" changed", prints, x, changed(rng, prints[i]), -1)
			checkBest(t, name+" anew", prints, x, skewed(rng, 30, large), rng.IntN(len(prints)))
		}
	}
}

func TestBestOfFew(t *testing.T) {
	a := Print{Keys: []uint32{3, 1 << 31}, Counts: []uint32{2, 300}}
	b := Print{Keys: []uint32{3, 4}, Counts: []uint32{2, 1}}
	unknown := Print{Keys: []uint32{7, math.MaxUint32}, Counts: []uint32{1, 9}}
	huge := Print{Keys: []uint32{3, 4}, Counts: []uint32{maxTimes - 1, 1}}
	large := Print{Keys: []uint32{3, 4, 1 << 31}, Counts: []uint32{1 << 21, 1 << 17, 3}}
	long, longest := Print{}, Print{} // of keys that fit into cells, and of too many
	for k := range uint32(9000) {
		longest.Keys, longest.Counts = append(longest.Keys, k), append(longest.Counts, 1+k%300)
	}
	long.Keys, long.Counts = longest.Keys[:3000], longest.Counts[:3000]
	same, ask := slices.Repeat([]Print{a}, 50), []Print{a, b, {}, unknown, huge, large, long, {Keys: a.Keys, Counts: []uint32{2, 298}}}
	for _, c := range []struct {
		name   string
		prints []Print
	}{
		{"nothing", nil}, {"one", []Print{a}}, {"empty", []Print{{}}}, {"two", []Print{b, a}}, {"empty among others", []Print{a, {}, b, {}}},
		{"all equal", same}, {"all equal but one", append(slices.Clone(same), b)}, {"huge counts", []Print{a, huge, b, large}}, {"a long print", []Print{a, long, b, changed(rand.New(rand.NewPCG(1, 1)), long)}},
		{"longer prints", []Print{a, changed(rand.New(rand.NewPCG(1, 1)), longest), longest}},
		{"sets equal", []Print{{Keys: a.Keys, Counts: []uint32{2, 299}}, a, {Keys: a.Keys, Counts: []uint32{2, 301}}}},
	} {
		x := NewIndex(c.prints)
		for own := -1; own < min(3, len(c.prints)); own++ {
			for i, p := range slices.Concat(ask, c.prints[len(c.prints)/3*2:]) {
				checkBest(t, fmt.Sprintf("%s, print %d but %d", c.name, i, own), c.prints, x, p, own)
			}
		}
	}
}
