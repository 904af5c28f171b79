// Package rare measures how rare the rarest parts of a molecule are among training molecules: New, then
// Table.Level and Raise. Distances and ratios are means over a molecule, so one strange group on a
// familiar body hardly moves them.
//
// Parts are of four kinds: a bond with both atoms; an atom with its neighbours; atoms whose neighbours
// no training molecule arranges so, which are counted; and a run of bonded atoms with the same
// neighbours. Of each kind the rarest part counts. Its surprise is −log of the share of training
// molecules, each left out in turn, that have one as rare. The sum of the four is compared with the
// sums of training molecules, again left out.
package rare

import (
	"math"
	"slices"
	"sort"

	"baca/algo/graph"
)

// A Table knows the parts of a training set. It is read-only; goroutines may share it.
type Table struct {
	// Keys are hashes of parts, ascending. Counts has how many training molecules have each, at most Ranks.
	Keys, Counts []uint32
	// Surprises has those of each kind by rank, in units of 1/64.
	Surprises [Kinds][Ranks]uint32
	// Levels are ascending. A molecule is of level k if the sum of its surprises exceeds k of them.
	Levels []uint32
	// Bank has the level of each graph of the model's bank, left out of the training set.
	Bank []byte

	counts map[uint32]uint32
}

// Ranks is the number of ranks. The rank of a molecule by a kind is how many training molecules have its
// rarest part, so a low one is rare, or for strangers their number.
const Ranks = 64

// unit is that of a surprise.
const unit = 64

// Level k begins where a normal deviate exceeds firstDeviate + k·step: of level 1 and above is one
// training molecule in fifty. A lower first level finds more strange groups and, since they share the rate
// of false alarms, less of foreign molecules without any. No set has MaxLevels.
const (
	MaxLevels    = 100
	firstDeviate = 2
	step         = 0.05
)

// Raise is what a level adds to a score, which is also in deviations of training molecules: a molecule is
// about as strange as its rarest parts. A tenth of the difference stays, so that molecules of one level
// keep their order.
func Raise(level int, score float64) float64 {
	if level == 0 {
		return 0
	}
	return float64(0.9 * max(0, firstDeviate+float64(step*float64(level))-score)) // not fused with a sum
}

// New describes training molecules. bank are the indices of those of the model's bank.
func New(training []*graph.Graph, bank []int) *Table {
	t := &Table{counts: map[uint32]uint32{}}
	var w worker
	for _, g := range training {
		w.read(g)
		for _, key := range w.distinct() {
			t.counts[key]++
		}
	}
	ranks := make([][Kinds]int, len(training))
	for i, g := range training {
		w.read(g)
		ranks[i] = w.ranks(t.counts, 1)
	}
	for k := range Kinds {
		t.surprise(k, ranks)
	}
	sums := make([]uint32, len(training))
	for i, r := range ranks {
		sums[i] = t.sum(r)
	}
	t.setLevels(sums)
	for _, i := range bank {
		t.Bank = append(t.Bank, byte(t.levelOf(sums[i])))
	}
	for key := range t.counts {
		t.Keys = append(t.Keys, key)
	}
	slices.Sort(t.Keys)
	for _, key := range t.Keys {
		t.Counts = append(t.Counts, min(t.counts[key], Ranks))
	}
	return t
}

// Open prepares a table that was read.
func (t *Table) Open() *Table {
	t.counts = make(map[uint32]uint32, len(t.Keys))
	for k, key := range t.Keys {
		t.counts[key] = t.Counts[k]
	}
	return t
}

// surprise sets the surprises of a kind: −log of the share of training molecules that rank as rare.
func (t *Table) surprise(kind int, ranks [][Kinds]int) {
	var have [Ranks + 1]int
	for _, r := range ranks {
		have[r[kind]]++
	}
	n, as := len(ranks), 0
	for k := range Ranks {
		rank := k
		if kind == strangers { // many are rare
			rank = Ranks - 1 - k
		}
		as += have[rank]
		t.Surprises[kind][rank] = uint32(math.Round(unit * math.Log(float64(n+1)/float64(min(n, as)+1))))
	}
}

func (t *Table) sum(ranks [Kinds]int) (sum uint32) {
	for kind, rank := range ranks {
		if rank < Ranks {
			sum += t.Surprises[kind][rank]
		}
	}
	return sum
}

// setLevels sets the levels by the sums of training molecules. Few molecules tell of no rare ones.
func (t *Table) setLevels(sums []uint32) {
	descending := slices.Sorted(slices.Values(sums))
	slices.Reverse(descending)
	for len(t.Levels) < MaxLevels {
		deviate := firstDeviate + step*float64(len(t.Levels)+1)
		share := math.Erfc(deviate/math.Sqrt2) / 2
		exceed := int(share*float64(len(sums)+1)) - 1 // one more is the molecule itself
		if exceed < 0 {
			return
		}
		t.Levels = append(t.Levels, descending[exceed])
	}
}

func (t *Table) levelOf(sum uint32) int {
	return sort.Search(len(t.Levels), func(k int) bool { return t.Levels[k] >= sum })
}

// Level returns the level of a molecule that was not trained on, 0 without a table.
func (t *Table) Level(g *graph.Graph) int {
	if t == nil {
		return 0
	}
	w := spare.Get().(*worker)
	defer spare.Put(w)
	w.read(g)
	return t.levelOf(t.sum(w.ranks(t.counts, 0)))
}

// Shares splits what rare parts add to the score of a molecule among its atoms: by kind in proportion to
// the surprises, then evenly among the rarest parts of the kind, and among the atoms of each.
func (t *Table) Shares(g *graph.Graph, raise float64) []float64 {
	var w worker
	w.read(g)
	ranks, shares := w.ranks(t.counts, 0), make([]float64, g.N())
	for kind, rank := range ranks {
		if rank == Ranks || t.Surprises[kind][rank] == 0 {
			continue
		}
		if kind == strangers {
			rank = 0
		}
		rarest := slices.DeleteFunc(slices.Clone(w.parts), func(p part) bool { return p.kind != kind || int(t.counts[p.key]) != rank })
		all := raise * float64(t.Surprises[kind][ranks[kind]]) / float64(t.sum(ranks))
		for _, p := range rarest {
			for _, i := range w.atoms[p.from:p.to] {
				shares[i] += all / float64(len(rarest)*(p.to-p.from))
			}
		}
	}
	return shares
}
