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
	paths
	centres
	runs
	kinds
)

// lengths of runs: one of seven atoms is of 4 and 6.
var lengths = [...]int{4, 6, 8, 12, 16, 24}

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
	// By atom: element, charge and hybridisation, or that it is aromatic; the same with its hydrogens
	// unless it is carbon; and the first with that of its neighbours.
	bound, full, centre []uint64
	// known has what table has of the parts looked up last: a key above its count plus one, at the first bits of the key. Most
	// parts occur again in a molecule or in the next one.
	table *Table
	known [1 << knownBits]uint64
}

const knownBits = 9

var spare = sync.Pool{New: func() any { return new(worker) }}

// carbon is the code of carbon, aromatic that of an aromatic atom in the place of its hybridisation.
const carbon, aromatic = 5, 15

// read lists the parts of a molecule: its bonds, its paths of three atoms, its atoms with their neighbours (centres),
// and runs of atoms with equal centres. The key of a part hashes what its atoms are.
func (w *worker) read(g *graph.Graph) {
	w.parts, w.atoms = w.parts[:0], w.atoms[:0]
	w.bound, w.full, w.centre = w.bound[:0], w.full[:0], w.centre[:0]
	for i := range g.N() {
		w.describe(g.X[i*molecule.Features:][:molecule.Features])
	}
	for i := range g.N() {
		around, sum := g.Row(i), uint64(0)
		for k, j := range around {
			if int(j) > i {
				w.add(bonds, fingerprint.Mix(bonds, w.full[i]+w.full[j]), int32(i), j)
			}
			sum += w.bound[j]
			for _, l := range around[:k] {
				w.add(paths, fingerprint.Mix(w.full[i], w.full[j]+w.full[l]), int32(i), j, l)
			}
		}
		w.centre = append(w.centre, fingerprint.Mix(w.bound[i], sum))
		w.add(centres, w.centre[i], int32(i))
	}
	w.addRuns(g)
}

// describe appends the hashes of an atom to bound and full. Aromatic takes the place of the hybridisation, and the
// hydrogens of carbon do not count.
func (w *worker) describe(x []float32) {
	hybrid, hydrogens := x[molecule.ColumnHybridization], x[molecule.ColumnHydrogens]
	if x[molecule.ColumnAromatic] == 1 {
		hybrid = aromatic
	}
	if x[molecule.ColumnElement] == carbon {
		hydrogens = 0
	}
	packed := uint64(x[molecule.ColumnElement])<<16 | uint64(x[molecule.ColumnCharge])<<8 | uint64(hybrid)
	w.bound, w.full = append(w.bound, fingerprint.Mix(1, packed)), append(w.full, fingerprint.Mix(2+uint64(hydrogens), packed))
}

// add adds a part of a kind. Its key is the lower half of the hash.
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
