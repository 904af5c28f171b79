package fingerprint

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// copied returns arrays in memory of their own, each shifted by some bytes.
func copied(t testing.TB, x *Index, shift int) []Array {
	t.Helper()
	list, err := x.Arrays()
	if err != nil {
		t.Fatal(err)
	}
	list = slices.Clone(list)
	for i, a := range list {
		list[i].Bytes = append(make([]byte, shift, shift+len(a.Bytes)), a.Bytes...)[shift:]
	}
	return list
}

// An index answers from the bytes of its arrays, wherever they are, as it does itself, and
// that is what a comparison with all prints finds.
func TestOpenIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 2))
	prints := library(rng, 700, 40, 0.1)
	x := NewIndex(prints)
	for _, shift := range []int{0, 1, 4} {
		y, err := OpenIndex(copied(t, x, shift), []byte("seal"))
		if err != nil {
			t.Fatal(err)
		}
		if y.Len() != len(prints) || string(y.Seal()) != "seal" || x.Seal() != nil {
			t.Errorf("shift %d: %d prints, sealed %q and %q", shift, y.Len(), y.Seal(), x.Seal())
		}
		var all sync.WaitGroup
		for worker := range 4 {
			all.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(worker), 3))
				for range 60 {
					p := changed(rng, prints[rng.IntN(len(prints))])
					if best := y.Best(p, -1); best != x.Best(p, -1) {
						t.Errorf("shift %d: the best is %v, from memory %v", shift, best, x.Best(p, -1))
					} else if _, sets, counts := x.Closest(p, -1); !best[Sets].Equal && (best[Sets].Similarity != sets[0] || best[Counts].Similarity != counts[0]) {
						t.Errorf("shift %d: the best is %v, of all it is %v and %v", shift, best, sets[0], counts[0])
					}
					if a, b := y.Known(p), x.Known(p); a != b {
						t.Errorf("known %g, want %g", a, b)
					}
				}
			})
		}
		all.Wait()
		for i, p := range prints {
			if !y.Print(i).Equal(p) {
				t.Errorf("shift %d: print %d differs", shift, i)
			}
		}
		if err := y.Err(); err != nil {
			t.Error(err)
		}
		again, err := y.Arrays()
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range copied(t, x, 0) {
			if !bytes.Equal(a.Bytes, again[i].Bytes) {
				t.Errorf("shift %d: %s has other bytes", shift, a.Name)
			}
		}
	}
}

// Arrays of lengths that do not fit together are refused.
func TestOpenIndexOfOtherLengths(t *testing.T) {
	x := NewIndex(library(rand.New(rand.NewPCG(21, 4)), 100, 20, 0.3))
	for i, a := range copied(t, x, 0) {
		for _, cut := range []int{1, a.Unit} {
			list := copied(t, x, 0)
			list[i].Bytes = list[i].Bytes[:max(0, len(a.Bytes)-cut)]
			if y, err := OpenIndex(list, nil); err == nil && (a.Name != "many" || len(y.many)%3 == 0) {
				t.Errorf("%s of %d bytes is taken for one of %d", a.Name, len(list[i].Bytes), len(a.Bytes))
			}
		}
		list := copied(t, x, 0)
		list[i].Name += "s"
		if _, err := OpenIndex(list, nil); err == nil {
			t.Errorf("%s is taken for %s", list[i].Name, a.Name)
		}
		list[i].Name, list[i].Unit = a.Name, a.Unit+1
		if _, err := OpenIndex(list, nil); err == nil {
			t.Errorf("%s of %d bytes an element is taken", a.Name, list[i].Unit)
		}
	}
	if _, err := OpenIndex(copied(t, x, 0)[1:], nil); err == nil {
		t.Error("an array less is taken")
	}
}

// Whatever is in the arrays, methods return, and a fault is reported.
func TestDamagedIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 5))
	prints := library(rng, 300, 30, 0.2)
	x := NewIndex(prints)
	faults, same := 0, 0
	for round := range 400 {
		list := copied(t, x, 0)
		a := list[round%len(list)].Bytes
		if len(a) == 0 {
			continue
		}
		for range 1 + rng.IntN(40) {
			at := rng.IntN(len(a))
			a[at] ^= byte(1 + rng.IntN(255))
		}
		y, err := OpenIndex(list, nil)
		if err != nil {
			t.Fatal(err) // lengths are as they were
		}
		for range 5 {
			p := changed(rng, prints[rng.IntN(len(prints))])
			if y.Best(p, 1) == x.Best(p, 1) {
				same++
			}
			y.Closest(p, -1)
			y.Lacks(p, Sets)
			y.Known(p)
			y.Nearest(Counts, p, 3)
			y.Print(rng.IntN(len(prints)))
		}
		if y.Err() != nil {
			faults++
		}
	}
	if faults < 50 || same == 0 {
		t.Errorf("%d of 400 indexes have a fault, %d answers were right: the test says nothing", faults, same)
	}
	if p := prints[3]; x.Best(p, -1)[Sets].Similarity != 1 {
		t.Error("what other indexes left behind shows")
	}
}
