package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// The second halves of the PCG seeds, so that the three draws of one run are
// independent although they share its seed.
const (
	splitStream = 0x5eed_0001
	takeStream  = 0x5eed_0002
	thinStream  = 0x5eed_0003
)

func perm(n int, seed, stream uint64) []int {
	return rand.New(rand.NewPCG(seed, stream)).Perm(n)
}

// Split divides the graphs 0…n-1 of an in-distribution set as GOOD-D does:
// ⌊0.9·n⌋ of them, drawn by seed, train, and the rest test. Both lists
// ascend. So 188 graphs give 169 and 19, and one graph gives 0 and 1.
func Split(n int, seed uint64) (train, test []int) {
	if n < 0 {
		panic(fmt.Sprintf("dataset: split of %d graphs", n))
	}
	// GOOD-D computes int(n*0.9) in double precision, which is this integer:
	// the double next to 0.9 lies above it, by less than could carry a
	// fraction of at most 0.9 over the next integer.
	k := 9 * (n / 10)
	k += 9 * (n % 10) / 10
	return Part(n, k, seed)
}

// Held is how many graphs Hold keeps of a set of HoldFrom graphs and more: with them
// p-values go down to 0.001.
const Held, HoldFrom = 999, 5000

// Hold divides the graphs 0…n-1 of a set that a model is to be made of, by seed, into
// those to train on and those to take p-values from: as Split does, or of a large set
// Held graphs, which cost it a fifth at most. Both lists ascend.
func Hold(n int, seed uint64) (train, holdout []int) {
	if n < HoldFrom {
		return Split(n, seed)
	}
	return Part(n, n-Held, seed)
}

// Part draws k of n graphs by seed, as Split does. Both lists ascend.
func Part(n, k int, seed uint64) (drawn, rest []int) {
	p := perm(n, seed, splitStream)
	drawn, rest = p[:k:k], p[k:]
	slices.Sort(drawn)
	slices.Sort(rest)
	return drawn, rest
}

// An Order says which graphs of an out-of-distribution set are taken.
type Order int

const (
	First  Order = iota // the first ones, as the published protocol has it
	Random              // a random draw
)

// TakeOOD returns the indices, ascending, of want of the n graphs of an
// out-of-distribution set: the first ones, or a draw by seed. If the set is
// smaller than that it returns all n.
func TakeOOD(n, want int, order Order, seed uint64) []int {
	if n < 0 || want < 0 {
		panic(fmt.Sprintf("dataset: taking %d of %d graphs", want, n))
	}
	want = min(want, n)
	if order == Random {
		p := perm(n, seed, takeStream)[:want]
		slices.Sort(p)
		return p
	}
	p := make([]int, want)
	for i := range p {
		p[i] = i
	}
	return p
}

// Thin draws by seed round(share·nID) of the indices ood, or all if there are
// no more, and returns them in the order they have in ood. It makes a test
// batch whose out-of-distribution part is the given share of its nID
// in-distribution graphs. With one seed a smaller share is part of a larger
// one. The share must be a finite number, 0 or more.
func Thin(ood []int, nID int, share float64, seed uint64) ([]int, error) {
	if nID < 0 {
		panic(fmt.Sprintf("dataset: thinning for %d graphs", nID))
	}
	if math.IsNaN(share) || math.IsInf(share, 0) || share < 0 {
		return nil, fmt.Errorf("contamination %v: want a number from 0, such as 0.05 or 1", share)
	}
	k := len(ood)
	if want := math.Round(share * float64(nID)); want < float64(k) {
		k = int(want)
	}
	p := perm(len(ood), seed, thinStream)[:k]
	slices.Sort(p)
	for i, at := range p {
		p[i] = ood[at]
	}
	return p, nil
}
