// Package rare measures how rare the rarest parts of a molecule are among training molecules: New, then
// Table.Level and Raise. Distances and ratios are means over a molecule, so one strange group on a
// familiar body hardly moves them.
//
// Parts are of four kinds: a bond with both atoms; three atoms in a row; an atom with its neighbours;
// and a run of bonded atoms with the same neighbours. The surprise of a molecule is
//
//	S = ln 1/(b + ½) + ½ ln 1/(p + ½) + 0.7 ln 1/(r + ½) + 1.5 c
//
// where b, p and r are how many training molecules have its rarest bond, path and run, and c is the number
// of different surroundings of its atoms that none has. The weights were chosen on groups planted on
// held-out molecules. S is compared with that of training molecules, each left out in turn.
package rare

import (
	"maps"
	"math"
	"slices"
	"sort"

	"baca/algo/fingerprint"
	"baca/algo/graph"
)

// A Table knows the parts of a training set. It is read-only; goroutines may share it.
type Table struct {
	// Keys are hashes of parts, ascending. Counts has how many training molecules have each, at most Common.
	Keys, Counts []uint32
	// Levels are ascending surprises. A molecule is of level k if its own exceeds k of them.
	Levels []uint32
	// Bank has the level of each graph of the model's bank, left out of the training set.
	Bank []byte

	find *fingerprint.Finder
}

// Common is how many training molecules have a part that surprises nobody.
const Common = 64

// surprises are those of a kind's rarest part, by how many training molecules have it.
var surprises = func() (list [kinds][Common + 1]uint32) {
	for kind, weight := range [kinds]float64{bonds: 1, paths: 0.5, runs: 0.7} {
		for have := range Common {
			list[kind][have] = uint32(math.Round(weight * unit * math.Log((Common+0.5)/(float64(have)+0.5))))
		}
	}
	return list
}()

// unit is the reciprocal of that of a surprise; strange is the surprise of surroundings that no training
// molecule has.
const unit, strange = 64, 96

// Level k begins where the normal deviate of a surprise exceeds first + k·step: one training molecule in 25
// is of level 1 or above. Each level adds raise to a score, four times the deviate: a strange part of a usual
// molecule must make it outside. Molecules that have one share the rate of false alarms with all others,
// so a steeper slope finds fewer foreign ones.
const (
	MaxLevels = 48
	first     = 1.7
	step      = 0.05
	raise     = 0.2
)

// Raise is what a level adds to a score.
func Raise(level int) float64 { return raise * float64(level) }

// New counts the parts of training molecules, then measures how surprising each molecule is among the others, and sets the
// levels by that. bank are the indices of the molecules in the model's bank.
func New(training []*graph.Graph, bank []int) *Table {
	var w worker
	counts := map[uint32]uint32{}
	for _, g := range training {
		w.read(g)
		for _, key := range w.distinct() {
			counts[key]++
		}
	}
	t := &Table{Keys: slices.Sorted(maps.Keys(counts))}
	for _, key := range t.Keys {
		t.Counts = append(t.Counts, counts[key])
	}
	t.Open()
	sums := make([]uint32, len(training))
	for i, g := range training {
		w.read(g)
		sums[i] = t.surprise(&w, 1).sum // without itself, which counts once
	}
	for k, have := range t.Counts { // exact until here
		t.Counts[k] = min(have, Common)
	}
	t.setLevels(sums)
	for _, i := range bank {
		t.Bank = append(t.Bank, byte(t.levelOf(sums[i])))
	}
	return t
}

// Open prepares a table that was read.
func (t *Table) Open() *Table {
	t.find = fingerprint.NewFinder(t.Keys)
	return t
}

// setLevels sets the levels by the surprises of training molecules. Level k begins at the surprise that a share Q(first
// + k·step) of molecules exceeds, where Q is the upper tail of the normal distribution. Levels end where this share is
// less than one molecule.
func (t *Table) setLevels(sums []uint32) {
	descending := slices.Sorted(slices.Values(sums))
	slices.Reverse(descending)
	for len(t.Levels) < MaxLevels {
		deviate := first + step*float64(len(t.Levels)+1)
		share := math.Erfc(deviate/math.Sqrt2) / 2
		exceed := int(share*float64(len(sums)+1)) - 1 // one more is the molecule itself
		if exceed < 0 {
			return
		}
		t.Levels = append(t.Levels, descending[exceed])
	}
}

// levelOf returns how many levels a surprise exceeds.
func (t *Table) levelOf(sum uint32) int {
	return sort.Search(len(t.Levels), func(k int) bool { return t.Levels[k] >= sum })
}

// A surprise is that of a molecule.
type surprise struct {
	have [kinds]uint32 // how many training molecules have the rarest part of a kind
	of   [kinds]uint32 // what each kind adds
	sum  uint32
}

// surprise returns the surprise of the molecule that w read. own is how often the molecule itself counts in the table: 1 while
// New measures a training molecule, else 0.
func (t *Table) surprise(w *worker, own uint32) surprise {
	s := surprise{have: [kinds]uint32{Common, Common, Common, Common}}
	w.keys = w.keys[:0] // different surroundings that no training molecule has
	if w.table != t {
		clear(w.known[:])
		w.table = t
	}
	for _, p := range w.parts {
		known := &w.known[p.key>>(32-knownBits)]
		if *known>>32 != uint64(p.key) || *known == 0 {
			*known = uint64(p.key)<<32 | uint64(t.have(p.key)+1)
		}
		have := uint32(*known) - 1 - own
		s.have[p.kind] = min(s.have[p.kind], have)
		if p.kind == centres && have == 0 && !slices.Contains(w.keys, p.key) {
			w.keys = append(w.keys, p.key)
		}
	}
	for kind, have := range s.have {
		s.of[kind] = surprises[kind][have]
		if kind == centres {
			s.of[kind] = strange * uint32(len(w.keys))
		}
		s.sum += s.of[kind]
	}
	return s
}

// have returns how many training molecules have the part with this key, 0 if it is unknown.
func (t *Table) have(key uint32) uint32 {
	if k, ok := t.find.Find(key); ok {
		return t.Counts[k]
	}
	return 0
}

// Level returns the level of a molecule that was not trained on, 0 without a table.
func (t *Table) Level(g *graph.Graph) int {
	if t == nil {
		return 0
	}
	w := spare.Get().(*worker)
	defer spare.Put(w)
	w.read(g)
	return t.levelOf(t.surprise(w, 0).sum)
}

// Shares splits what rare parts add to the score of a molecule among its atoms: by kind in proportion to
// the surprises, then evenly among the rarest parts of the kind, and among the atoms of each, by 1 plus
// their rarity. Surroundings have the atoms around, too.
func (t *Table) Shares(g *graph.Graph, raise float64, rarity []float64) []float64 {
	w := spare.Get().(*worker)
	defer spare.Put(w)
	w.read(g)
	s, shares := t.surprise(w, 0), make([]float64, g.N())
	for kind, of := range s.of {
		if of == 0 {
			continue
		}
		rarest := slices.DeleteFunc(slices.Clone(w.parts), func(p part) bool { return p.kind != kind || t.have(p.key) != s.have[kind] })
		each := raise * float64(of) / float64(s.sum) / float64(len(rarest))
		for _, p := range rarest {
			atoms := w.atoms[p.from:p.to]
			switch kind {
			case paths:
				atoms = atoms[:1] // its middle has the surprise
			case centres:
				atoms = append(slices.Clone(g.Row(int(atoms[0]))), atoms[0])
			}
			sum := 0.0
			for _, i := range atoms {
				sum += 1 + rarity[i]
			}
			for _, i := range atoms {
				shares[i] += each * (1 + rarity[i]) / sum
			}
		}
	}
	return shares
}
