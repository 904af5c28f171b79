package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// PCG streams. The three draws of one run are independent although they share its seed.
const (
	splitStream = 0x5eed_0001
	takeStream  = 0x5eed_0002
	thinStream  = 0x5eed_0003
)

// perm returns a random permutation of the numbers 0…n-1.
func perm(n int, seed, stream uint64) []int {
	return rand.New(rand.NewPCG(seed, stream)).Perm(n)
}

// Split divides the graphs 0…n-1 of an in-distribution set as GOOD-D does: ⌊0.9·n⌋ graphs, drawn by seed, train, the rest
// test. Both lists ascend.
func Split(n int, seed uint64) (train, test []int) {
	// GOOD-D's int(n*0.9) in double precision is this integer.
	k := 9 * (n / 10)
	k += 9 * (n % 10) / 10
	return Part(n, k, seed)
}

// Held is how many graphs Hold keeps of at least HoldFrom graphs. The lowest p-value is then 0.001.
const Held, HoldFrom = 999, 5000

// Hold divides a model's graphs 0…n-1 by seed into a training set and a holdout. The holdout has Held graphs if n is at
// least HoldFrom, and otherwise as many as Split's test. Both lists ascend.
func Hold(n int, seed uint64) (train, holdout []int) {
	if n < HoldFrom {
		return Split(n, seed)
	}
	return Part(n, n-Held, seed)
}

// Part draws k of the numbers 0…n-1 by seed. Both lists ascend.
func Part(n, k int, seed uint64) (drawn, rest []int) {
	p := perm(n, seed, splitStream)
	drawn, rest = p[:k:k], p[k:]
	slices.Sort(drawn)
	slices.Sort(rest)
	return drawn, rest
}

// An Order says which graphs of an out-of-distribution set are used.
type Order int

const (
	First  Order = iota // the first ones, as in the published protocol
	Random              // a random draw
)

// TakeOOD returns the indices, ascending, of want graphs of n out-of-distribution graphs: the first ones or a random draw
// by seed. It returns all n if want is larger.
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

// Thin draws so many of the indices ood by seed that they are the given share of nID, the number of in-distribution
// graphs. It returns all of ood if there are fewer. The order stays. A smaller share gives a subset of a larger one. The
// share must be finite and at least 0.
func Thin(ood []int, nID int, share float64, seed uint64) ([]int, error) {
	if math.IsNaN(share) || math.IsInf(share, 0) || share < 0 {
		return nil, fmt.Errorf("contamination %v: want a number from 0, such as 0.05 or 1", share)
	}
	k := len(ood)
	if want := math.Round(share * float64(nID)); want < float64(k) {
		k = int(want)
	}
	p := perm(len(ood), seed, thinStream)[:k]
	slices.Sort(p)
	for i, place := range p {
		p[i] = ood[place]
	}
	return p, nil
}
