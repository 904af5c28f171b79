package suite

import "testing"

// kept is the end of the loop below, so that no compiler leaves it out.
var kept uint32

// BenchmarkYardstick is a million steps of a congruential generator, each of which needs the one before: no vector, no
// memory, the same work on any machine. Times of two machines compare by what they are beside it.
func BenchmarkYardstick(b *testing.B) {
	x := uint32(1)
	for b.Loop() {
		for range 1_000_000 {
			x = x*1664525 + 1013904223
		}
	}
	kept = x
}
