//go:build js && wasm && !noasm

package kernel

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

func init() {
	simd := vector
	portably = func(f func()) {
		old := vector
		vector = false
		f()
		vector = old
	}
	variants = []variant{{"portable Go", func() { vector = false }}}
	if simd {
		variants = append(variants, variant{"WebAssembly SIMD", func() { vector = true }})
	}
}

// The kernel must be there, unless BACA_KERNEL=none says that it is not. In a browser the
// variable is given by the runner too.
func TestKernelIsThere(t *testing.T) {
	if want := os.Getenv("BACA_KERNEL") != "none"; vector != want {
		t.Errorf("the kernel is there: %t, want %t", vector, want)
	}
}

// When the memory of the program grows, a view of it that JavaScript keeps is
// detached. The kernel must reach the new part, and the old one.
func TestMemoryGrowth(t *testing.T) {
	if testing.Short() || !vector {
		t.Skip("takes 600 MB and the SIMD kernel")
	}
	before := random(rand.New(rand.NewPCG(3, 4)), 80*80)
	var kept [][]float32
	for i := range 3 {
		block := make([]float32, 50<<20)
		kept = append(kept, block)
		tail := block[len(block)-80*80:]
		MulNT(Dense(tail, 80, 80), Dense(before, 80, 80), Dense(before, 80, 80))
		want := make([]float32, 80*80)
		columns := make([]float32, 80*80)
		transposeGo(columns, before, 80, 80, 80)
		gemmGo(want, 80, before, 80, 1, columns, 80, 80, 80, 80, nil, 0)
		if !slices.Equal(tail, want) {
			t.Fatalf("after %d MB more, a product in the last of it is wrong", (i+1)*200)
		}
		for _, l := range loops {
			s := &sample{rng: rand.New(rand.NewPCG(uint64(i), 5)), m: 9, n: 47, k: 30 + i, padding: i}
			s.check(t, l.call)
		}
	}
	for i, block := range kept {
		if slices.IndexFunc(block, func(v float32) bool { return v != 0 }) != len(block)-80*80 {
			t.Errorf("block %d was written outside its end", i)
		}
	}
}
