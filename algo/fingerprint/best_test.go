package fingerprint

import (
	"fmt"
	"maps"
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

// bestOf is Best by its definition, over all prints and the keys in their order.
func bestOf(prints []Print, p Print, own int) [2]Match {
	holders := map[uint32]int{}
	for _, q := range prints {
		for _, key := range q.Keys {
			holders[key]++
		}
	}
	weight := func(q Print, m int, common func(key uint32) (uint32, bool)) (sum int64) {
		for k, key := range q.Keys {
			n, ok := common(key)
			if !ok {
				continue
			}
			r := int64(math.Round(math.Ldexp(1+math.Log(float64(len(prints)+1)/float64(holders[key]+1)), 36)))
			if m == 0 {
				sum += r
			} else {
				sum += r * int64(min(n, q.Counts[k]))
			}
		}
		return sum
	}
	all := func(uint32) (uint32, bool) { return math.MaxUint32, true }
	best := [2]Match{{Print: -1}, {Print: -1}}
	for i, q := range prints {
		if i == own {
			continue
		}
		equal := slices.Equal(p.Keys, q.Keys) && slices.Equal(p.Counts, q.Counts)
		for m := range best {
			similarity := 1.0
			if !equal {
				common := weight(p, m, func(key uint32) (uint32, bool) {
					at, ok := slices.BinarySearch(q.Keys, key)
					if !ok {
						return 0, false
					}
					return q.Counts[at], true
				})
				similarity = min(1, float64(common)/(0.7*float64(weight(p, m, all))+float64(0.3*float64(weight(q, m, all)))))
			}
			b := &best[m]
			if b.Print < 0 || equal && !b.Equal || !b.Equal && similarity > b.Similarity {
				*b = Match{similarity, i, equal}
			}
		}
	}
	return best
}

// checkBest compares Best with its definition, bit by bit, without rows and with them.
func checkBest(t *testing.T, name string, prints []Print, x *Index, p Print, own int) {
	t.Helper()
	defer func(before bool) { useRows = before }(useRows)
	want := bestOf(prints, p, own)
	for _, useRows = range []bool{false, true} {
		if got := x.Best(p, own); got != want {
			t.Errorf("%s, rows %t: %+v, want %+v", name, useRows, got, want)
		}
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

// What keys are called, and so the order of sums over them, changes no bit of a similarity.
func TestOrderOfKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 9))
	prints := library(rng, 400, 60, 0.05)
	renamed := func(p Print) (q Print) {
		to := map[uint32]uint32{}
		for i, key := range p.Keys {
			to[key*0x9e37_79b1] = p.Counts[i]
		}
		for _, key := range slices.Sorted(maps.Keys(to)) {
			q.Keys, q.Counts = append(q.Keys, key), append(q.Counts, to[key])
		}
		return q
	}
	others := make([]Print, len(prints))
	for i, p := range prints {
		others[i] = renamed(p)
	}
	x, y := NewIndex(prints), NewIndex(others)
	for i := range 200 {
		p := changed(rng, prints[i])
		q := renamed(p)
		if got, want := y.Best(q, -1), x.Best(p, -1); got != want {
			t.Errorf("print %d: the best is %v, want %v", i, got, want)
		}
		_, sets, counts := x.Closest(p, -1)
		if _, s, c := y.Closest(q, -1); s != sets || c != counts {
			t.Errorf("print %d: closest %v and %v, want %v and %v", i, s, c, sets, counts)
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
