package smiles

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"baca/algo/molecule"
)

// A rank orders the components of a record: those of the lowest rank are set aside first.
type rank uint8

const (
	metalIon rank = iota // or a bare proton
	mineral              // without carbon: never a drug, as the next three
	mineralBase
	solvent // or excipient
	acid
	base
	drugSolvent // the same, also drugs
	drugAcid
	drugBase
	unlisted
)

// A component is a fragment with its charges settled.
type component struct {
	m       *molecule.Molecule // in canonical order
	written *molecule.Molecule // before its charges were settled
	text    string
	rank    rank
	atoms   int // number of atoms other than hydrogen
	changed bool
}

//go:embed components.tsv
var componentTable string

// listed has the ranks of components.tsv by canonical text.
var listed = sync.OnceValue(func() map[string]rank {
	ranks := map[string]rank{}
	kinds := map[string]rank{"solvent": solvent, "acid": acid, "base": base}
	for line := range strings.Lines(componentTable) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		kind, ok := kinds[cells[0]]
		if !ok {
			continue // a comment, or the header
		}
		m, err := Parse(cells[2])
		if err != nil {
			panic(err)
		}
		if cells[1] == "drug" {
			kind += drugSolvent - solvent // the ranks of drugs are in the same order
		}
		m, _ = settleCharges(canonicalClasses(flat(m)))
		if !slices.ContainsFunc(m.Atoms, func(a molecule.Atom) bool { return a.Element == carbon }) {
			kind = map[rank]rank{acid: mineral, solvent: mineral, base: mineralBase}[kind]
		}
		ranks[bareText(m)] = kind
	}
	return ranks
})

// choose returns the component of m that is its parent, and whether its charges changed. It records the others in
// aside. The parent is of the highest rank, then the largest, then the first by canonical text. Inseparable components
// are the parent together.
func choose(m *molecule.Molecule, aside *molecule.Aside) (best *molecule.Molecule, changed bool) {
	parent, trees := join(nil, m, func(*molecule.Bond) bool { return true })
	if trees == 1 {
		return settleCharges(m)
	}
	var list []component
	for _, p := range split(m, parent, trees) {
		list = append(list, componentOf(p.m))
	}
	slices.SortStableFunc(list, func(x, y component) int {
		return cmp.Or(cmp.Compare(y.rank, x.rank), cmp.Compare(y.atoms, x.atoms), strings.Compare(x.text, y.text))
	})
	first := &list[0]
	if inseparable(list) {
		return withoutSolvents(list, aside), false
	}
	for k := range list[1:] {
		list[1+k].count(first.text, aside)
	}
	return first.m, first.changed
}

// componentOf returns a component with its settled charges, its canonical text and its rank among salts and solvents.
func componentOf(m *molecule.Molecule) component {
	c := component{written: m, rank: unlisted}
	c.m, c.changed = settleCharges(canonicalClasses(m))
	c.text = bareText(c.m)
	for i := range c.m.Atoms {
		c.atoms += int(asBit(c.m.Atoms[i].Element != 1))
	}
	a := &c.m.Atoms[0]
	if kind, ok := listed()[c.text]; ok {
		c.rank = kind
	} else if len(c.m.Atoms) == 1 && (isMetal(a.Element) || a.Charge > 0 && a.Hydrogens == 0 || a.Element == 1) {
		c.rank = metalIon
	}
	return c
}

// count records in aside that c is set aside. parent is the text of the parent.
func (c *component) count(parent string, aside *molecule.Aside) {
	salt := c.rank == metalIon && (!c.isHeavy() || slices.Contains(saline, c.m.Atoms[0].Element))
	switch {
	case c.text == parent:
		aside.Repeats++
	case c.isSolvent():
		aside.Solvents++
	case c.rank > metalIon && c.rank < unlisted || salt:
		aside.Ions++
	default:
		if aside.Others++; aside.Other == "" {
			aside.Other = c.text
		}
	}
}

// isSolvent reports whether c is a solvent, such as water, or an excipient. Ions of one are not.
func (c *component) isSolvent() bool {
	return !c.changed && (c.rank == solvent || c.rank == drugSolvent || c.text == "O")
}

// isHeavy reports whether c is an atom or ion of a metal that is not alkaline.
func (c *component) isHeavy() bool {
	return c.rank == metalIon && c.m.Atoms[0].Element > 1 && !slices.Contains(alkaline, c.m.Atoms[0].Element)
}

// inseparable reports whether components, the parent first, make one compound. They do in a salt of a heavy metal
// without an organic ion, and with an organometallic compound.
func inseparable(list []component) bool {
	metal, carbanion, heavy, organic := false, false, false, false
	for k := range list {
		c := &list[k]
		heavy, metal = heavy || c.isHeavy(), metal || c.rank == metalIon
		organic = organic || c.rank > mineralBase && c.text != "C#N" && !c.isSolvent() && IsOrganic(c.m)
		d := link(c.m)
		for i, a := range c.m.Atoms {
			carbanion = carbanion || a.Element == carbon && a.Charge < 0 && (a.Degree > 1 || a.Hydrogens > 0) && !d.opposed(int32(i))
		}
	}
	return heavy && !organic || metal && carbanion
}

// withoutSolvents joins all components but solvents, and records the solvents in aside.
func withoutSolvents(list []component, aside *molecule.Aside) *molecule.Molecule {
	w := &molecule.Molecule{}
	for k := range list {
		c := &list[k]
		if c.isSolvent() {
			aside.Solvents++
			continue
		}
		n := int32(len(w.Atoms))
		w.Atoms = append(w.Atoms, c.written.Atoms...)
		for _, b := range c.written.Bonds {
			b.From, b.To = b.From+n, b.To+n
			w.Bonds = append(w.Bonds, b)
		}
	}
	return w
}
