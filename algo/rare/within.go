package rare

import (
	"slices"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule"
)

// A Count says how many training molecules have something, Common for as many and more.
type Count struct{ Bonds, Runs int }

// Within returns, for each of n groups of atoms, how many training molecules have its rarest bond or path, and how many have
// its longest run. of has the group of each atom. Hydrogens count. A count is Common without a table, and for what a group lacks.
func (t *Table) Within(g *graph.Graph, of []int, n int) []Count {
	list := slices.Repeat([]Count{{Common, Common}}, n)
	if t == nil {
		return list
	}
	w := spare.Get().(*worker)
	defer spare.Put(w)
	w.read(g)
	for _, p := range w.parts {
		atoms := w.atoms[p.from:p.to]
		own := of[atoms[0]]
		if p.kind == centres || slices.ContainsFunc(atoms, func(i int32) bool { return of[i] != own }) {
			continue
		}
		least := &list[own].Bonds
		if p.kind == runs {
			least = &list[own].Runs
		}
		*least = min(*least, int(t.have(p.key)))
	}
	return list
}

// AtMost returns the largest number of training molecules that can have these atoms bonded like this, whatever hydrogens
// and conjugation other atoms than carbon have: those that have the rarest bond or path. Without a table it is Common.
func (t *Table) AtMost(g *graph.Graph, atoms []int) int {
	least := Common
	if t == nil {
		return least
	}
	forms := map[int32][]uint64{}
	for _, i := range atoms {
		forms[int32(i)] = formsOf(g.X[i*molecule.Features:][:molecule.Features])
	}
	for _, i := range atoms {
		around := g.Row(i)
		for k, j := range around {
			least = min(least, t.sum(bonds, forms[int32(i)], forms[j], []uint64{0}))
			for _, l := range around[:k] {
				least = min(least, t.sum(paths, forms[j], forms[l], forms[int32(i)]))
			}
		}
	}
	return least
}

// sum counts the training molecules that have a bond or a path in any of the forms of its atoms, Common if it has an atom
// of no form.
func (t *Table) sum(kind int, one, other, middle []uint64) (n int) {
	if len(one)*len(other)*len(middle) == 0 {
		return Common
	}
	for _, a := range one {
		for _, b := range other {
			for _, m := range middle {
				if kind == bonds { // which have no middle, see worker.read
					m = bonds
				}
				n += int(t.have(uint32(fingerprint.Mix(m, a+b))))
			}
		}
	}
	return n
}

// formsOf returns an atom's hashes, one for each number of hydrogens and hybridisation that a group's name leaves open: any of
// 0 to 3 hydrogens on N, O, P and S, and sp² as well as sp³ unless they are aromatic.
func formsOf(x []float32) (list []uint64) {
	var w worker
	open := slices.Clone(x)
	hybrids, hydrogens := []float32{x[molecule.ColumnHybridization]}, 1
	switch x[molecule.ColumnElement] + 1 {
	case 7, 8, 15, 16:
		hydrogens = 4
		if x[molecule.ColumnAromatic] == 0 && (hybrids[0] == 1 || hybrids[0] == 2) {
			hybrids = []float32{1, 2}
		}
	}
	for _, hybrid := range hybrids {
		for h := range hydrogens {
			open[molecule.ColumnHybridization] = hybrid
			if hydrogens > 1 {
				open[molecule.ColumnHydrogens] = float32(h)
			}
			w.describe(open)
		}
	}
	return w.full
}
