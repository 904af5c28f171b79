package rare

import (
	"slices"
	"sync"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule"
)

// Kinds of parts.
const (
	bonds = iota
	centres
	strangers
	runs
	Kinds
)

// lengths of runs: one of seven atoms is of 2, 3, 4 and 6.
var lengths = [...]int{2, 3, 4, 6, 8, 12, 16}

// A part is some atoms of a molecule.
type part struct {
	key      uint32
	kind     int
	from, to int // in worker.atoms
}

// A worker lists the parts of one molecule at a time.
type worker struct {
	parts []part
	atoms []int32
	keys  []uint32
	seen  []bool // in a run
	// By atom: its element and charge; the same with its hybridisation, or that it is aromatic; the same
	// with its hydrogens unless it is carbon; and the second with the first of its neighbours.
	plain, bound, full, centre []uint64
	aromatic                   []bool
}

var spare = sync.Pool{New: func() any { return new(worker) }}

// carbon is the code of carbon, aromatic that of an aromatic atom in the place of its hybridisation.
const carbon, aromatic = 5, 99

// read lists the parts of a molecule. Aromatic bonds are none: rings vary too much.
func (w *worker) read(g *graph.Graph) {
	w.parts, w.atoms = w.parts[:0], w.atoms[:0]
	w.plain, w.bound, w.full, w.centre, w.aromatic = w.plain[:0], w.bound[:0], w.full[:0], w.centre[:0], w.aromatic[:0]
	for i := range g.N() {
		w.describe(g.X[i*molecule.Features:][:molecule.Features])
	}
	for i := range g.N() {
		around := g.Row(i)
		for _, j := range around {
			if int(j) > i && !(w.aromatic[i] && w.aromatic[j]) {
				w.add(bonds, fingerprint.Mix(bonds, w.full[i]+w.full[j]), int32(i), j)
			}
		}
		w.centre = append(w.centre, surround(w.bound[i], around, w.plain))
		w.add(centres, w.centre[i], int32(i))
		w.add(strangers, surround(w.bound[i], around, w.bound), int32(i))
	}
	w.addRuns(g)
}

// describe adds an atom by its features.
func (w *worker) describe(x []float32) {
	hybrid, hydrogens, ring := x[molecule.ColumnHybridization], x[molecule.ColumnHydrogens], x[molecule.ColumnAromatic] == 1
	if ring {
		hybrid = aromatic
	}
	if x[molecule.ColumnElement] == carbon {
		hydrogens = 0
	}
	plain := fingerprint.Mix(uint64(x[molecule.ColumnElement]), uint64(x[molecule.ColumnCharge]))
	bound := fingerprint.Mix(plain, uint64(hybrid))
	w.plain, w.bound, w.full = append(w.plain, plain), append(w.bound, bound), append(w.full, fingerprint.Mix(bound, uint64(hydrogens)))
	w.aromatic = append(w.aromatic, ring)
}

// surround hashes an atom with its neighbours in any order.
func surround(own uint64, around []int32, of []uint64) uint64 {
	sum := uint64(0)
	for _, j := range around {
		sum += of[j]
	}
	return fingerprint.Mix(own, sum)
}

func (w *worker) add(kind int, hash uint64, atoms ...int32) {
	from := len(w.atoms)
	w.atoms = append(w.atoms, atoms...)
	w.parts = append(w.parts, part{uint32(hash), kind, from, len(w.atoms)})
}

// addRuns adds runs of atoms with the same centre.
func (w *worker) addRuns(g *graph.Graph) {
	w.seen = slices.Grow(w.seen[:0], g.N())[:g.N()]
	clear(w.seen)
	for i := range g.N() {
		if w.seen[i] {
			continue
		}
		from := len(w.atoms)
		w.atoms, w.seen[i] = append(w.atoms, int32(i)), true
		for k := from; k < len(w.atoms); k++ {
			for _, j := range g.Row(int(w.atoms[k])) {
				if !w.seen[j] && w.centre[j] == w.centre[i] {
					w.atoms, w.seen[j] = append(w.atoms, j), true
				}
			}
		}
		for _, n := range lengths {
			if len(w.atoms)-from < n {
				break
			}
			w.parts = append(w.parts, part{uint32(fingerprint.Mix(w.centre[i], uint64(n))), runs, from, len(w.atoms)})
		}
	}
}

// distinct returns the keys of the parts, each once.
func (w *worker) distinct() []uint32 {
	w.keys = w.keys[:0]
	for _, p := range w.parts {
		w.keys = append(w.keys, p.key)
	}
	slices.Sort(w.keys)
	return slices.Compact(w.keys)
}

// ranks are by how many training molecules have each part, less own.
func (w *worker) ranks(counts map[uint32]uint32, own int) [Kinds]int {
	ranks := [Kinds]int{bonds: Ranks, centres: Ranks, runs: Ranks}
	for _, p := range w.parts {
		have := int(counts[p.key]) - own
		switch {
		case p.kind != strangers:
			ranks[p.kind] = min(ranks[p.kind], have)
		case have == 0:
			ranks[strangers] = min(Ranks-1, ranks[strangers]+1)
		}
	}
	return ranks
}
