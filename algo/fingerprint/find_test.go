package fingerprint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A key is found where it is, by binary search too: of no keys, of few, and of many that begin
// alike.
func TestFind(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 9))
	for n := range 60 {
		var keys []uint32
		for range n {
			keys = append(keys, rng.Uint32()>>(rng.IntN(2)*rng.IntN(24)))
		}
		if n%3 == 1 {
			keys = append(keys, 0, math.MaxUint32)
		}
		slices.Sort(keys)
		keys = slices.Compact(keys)
		x := newFinder(keys)
		ask := []uint32{0, 1, math.MaxUint32 - 1, math.MaxUint32}
		for _, k := range keys {
			ask = append(ask, k-1, k, k+1)
		}
		for _, key := range ask {
			at, found := x.find(key)
			if want, has := slices.BinarySearch(keys, key); at != want || found != has {
				t.Errorf("key %#x of %d is at %d, %t, want %d, %t", key, len(keys), at, found, want, has)
			}
		}
	}
}
