package weights

import (
	"math"
	"math/rand/v2"
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
		if math.Float64bits(float64(got)) != math.Float64bits(want) || toHalf(got) != h {
			t.Fatalf("%#04x is %g and back %#04x, want %g", h, got, toHalf(got), want)
		}
	}
}

// TestHalfRounding tries, between all neighbours, the middle, its neighbours in float32, and any number on either side.
func TestHalfRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for h := range uint16(0x7c00 - 1) {
		low, high := float32(halfOracle(h)), float32(halfOracle(h+1))
		middle := (low + high) / 2 // exact: one more bit
		for _, c := range []struct {
			f    float32
			want uint16
		}{
			{math.Nextafter32(middle, 0), h}, {middle, h + h&1}, {math.Nextafter32(middle, math.MaxFloat32), h + 1},
			{low + (middle-low)*rng.Float32()*0.999, h}, {high - (high-middle)*rng.Float32()*0.999, h + 1},
		} {
			if got := toHalf(c.f); got != c.want {
				t.Fatalf("%g is %#04x, want %#04x", c.f, got, c.want)
			}
			if got := toHalf(-c.f); got != c.want|0x8000 {
				t.Fatalf("%g is %#04x, want %#04x", -c.f, got, c.want|0x8000)
			}
		}
	}
}
