package weights

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
)

// halfOracle is the definition of binary16.
func halfOracle(h uint16) float64 {
	sign := 1.0
	if h>>15 == 1 {
		sign = -1
	}
	e, f := int(h>>10&31), float64(h&1023)
	switch {
	case e == 31 && f == 0:
		return math.Inf(int(sign))
	case e == 31:
		return math.NaN()
	case e == 0:
		return math.Copysign(math.Ldexp(f, -24), sign)
	}
	return sign * math.Ldexp(1024+f, e-25)
}

func TestEveryHalf(t *testing.T) {
	for h := range 1 << 16 {
		h := uint16(h)
		got, want := fromHalf(h), halfOracle(h)
		if math.IsNaN(want) {
			if !math.IsNaN(float64(got)) || toHalf(got) != h&0x8000|0x7e00 {
				t.Fatalf("%#04x is %g and back %#04x, want NaN", h, got, toHalf(got))
			}
			continue
		}
		if float64(got) != want || math.Signbit(float64(got)) != math.Signbit(want) {
			t.Fatalf("%#04x is %g, want %g", h, got, want)
		}
		if back := toHalf(got); back != h {
			t.Fatalf("%#04x is %g and back %#04x", h, got, back)
		}
	}
}

// TestHalfRounding tries every boundary between neighbours and its neighbours in
// float32, and numbers from all over against a search.
func TestHalfRounding(t *testing.T) {
	var all []float64 // of the finite numbers from 0, the index is the bits
	for h := range uint16(0x7c00) {
		all = append(all, halfOracle(h))
	}
	for h := range len(all) - 1 {
		middle := float32((all[h] + all[h+1]) / 2) // exact: one more bit
		even := uint16(h + h&1)
		for _, c := range []struct {
			f    float32
			want uint16
		}{{math.Nextafter32(middle, 0), uint16(h)}, {middle, even}, {math.Nextafter32(middle, math.MaxFloat32), uint16(h + 1)}} {
			if got := toHalf(c.f); got != c.want {
				t.Fatalf("%g is %#04x, want %#04x", c.f, got, c.want)
			}
			if got := toHalf(-c.f); got != c.want|0x8000 {
				t.Fatalf("%g is %#04x, want %#04x", -c.f, got, c.want|0x8000)
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100000 {
		f := math.Float32frombits(rng.Uint32() &^ (1 << 31))
		if !(f < 65504) {
			continue
		}
		x := float64(f)
		above := sort.SearchFloat64s(all, x)
		want := above
		if above > 0 && (x-all[above-1] < all[above]-x || x-all[above-1] == all[above]-x && above%2 == 1) {
			want--
		}
		if got := toHalf(f); int(got) != want {
			t.Fatalf("%g is %#04x, want %#04x", f, got, want)
		}
	}
}
