package molecule

import (
	"baca/algo/graph"
	"baca/algo/molecule/internal/buffer"
	"baca/algo/molecule/internal/neighbor"
	"baca/algo/molecule/internal/rings"
)

// A Draft is a molecule being read, with reusable buffers. A reader fills the exported fields and
// calls Link, then FoldHydrogens, Perceive, SetGeometry and CleanTags. The zero value is ready. A Draft is
// not safe for concurrent use. What Molecule and Graph return stays valid when the Draft is used again.
type Draft struct {
	Text string // the whole input

	Atoms []DraftAtom
	Bonds []Bond
	Dirs  []Direction // of the bonds

	near  neighbor.Table
	spare neighbor.Table // of GraphOf
	ends  [][2]int32     // atoms of each bond, for the ring search

	// The first Chain bonds follow the chain as written: parents precede children, and roots begin
	// the text or follow a dot. -1 in a molfile.
	Chain int

	Rings rings.Finder // rings, once perceived
	kept  keeper
	kek   kekuler
	aro   aromatizer
	tags  centres

	budget int // steps left for searches in ring systems, see bounded

	scratch []int32

	// Memory for graphs.
	graphs []graph.Graph
	ints   []int32
	floats []float32

	// Brackets is set if some atoms were in brackets or for a molfile. Otherwise there are no hydrogen atoms, tags, or
	// atoms without implicit hydrogens.
	Brackets bool
	Lean     bool // for a molfile: RDKit folds its hydrogens differently
	weak     bool // see Weak
	wild     bool // some atoms are wildcards
	redrawn  bool // the last Perceive changed what is aromatic, or which bonds are double
	aromatic int  // how many atoms and bonds were read as aromatic
}

// A DraftAtom is an atom of a Draft.
type DraftAtom struct {
	Element    uint8
	Chirality  Chirality
	hybrid     Hybridization
	Aromatic   bool
	NoImplicit bool // the atom has only the hydrogens that were written
	HasMap     bool
	removed    bool // folded into its neighbour
	centre     bool // a stereocentre: all neighbours differ
	special    bool // a stereo atom together with others in its ring system
	ring       bool
	Kept       bool // a hydrogen that FoldHydrogens must not remove
	Charge     int32
	Isotope    int32
	Map        int32 // atom class
	Explicit   int32 // hydrogens written in brackets or folded
	implicit   int32 // by valence, once computed
	valence    int32 // explicit valence, once computed
	Radicals   int32
	At, Size   int32 // offset and length in Text
}

// Direction of a bond written "/" or "\".
type Direction uint8

const (
	Level Direction = iota
	Up
	Down
)

// Flip exchanges Up and Down. Level stays.
func (d Direction) Flip() Direction { return [...]Direction{Level, Down, Up}[d] }

func (p *Draft) Neighbors(i int32) []neighbor.Link { return p.near.Of(i) }

func (p *Draft) Degree(i int32) int32 { return p.near.Degree(i) }

// twice returns what bond k adds to the valence of atom i, in half bonds.
func (p *Draft) twice(k, i int32) int32 {
	b := &p.Bonds[k]
	if b.Order == Dative && b.From == i {
		return 0 // a dative bond adds only to its To end
	}
	return halves[b.Order]
}

// bounded runs a search with a new budget in proportion to the molecule, so that every input takes linear time. It returns
// the search's error, or a SyntaxError about the whole text if the search spends its budget.
func (p *Draft) bounded(search func() error) error {
	p.budget = 2_000_000 + 1000*len(p.Atoms)
	err := func() (err error) {
		defer rings.Recover(&err) // of the panic by spend
		return search()
	}()
	if err == rings.ErrTangled {
		return p.ErrorAt(0, len(p.Text), "%v", err)
	}
	return err
}

// spend takes steps from the budget. If they are not left it panics, which bounded turns into an error.
func (p *Draft) spend(steps int) {
	if p.budget -= steps; p.budget < 0 {
		panic(rings.ErrTangled)
	}
}

// Repeat returns the first bond that joins the same atoms as an earlier one, or -1. Bonds of the chain never do.
func (p *Draft) Repeat() int32 {
	for k := max(p.Chain, 0); k < len(p.Bonds); k++ {
		if b := &p.Bonds[k]; p.near.Between(b.From, b.To) != int32(k) { // Between returns the first
			return int32(k)
		}
	}
	return -1
}

// Perceive finds valences, rings, aromaticity and hybridisation. It returns a SyntaxError for impossible chemistry.
func (p *Draft) Perceive() error { return p.bounded(p.perceive) }

// PerceiveAgain repeats Perceive after a change of hydrogens, charges and bond orders. It keeps the rings.
func (p *Draft) PerceiveAgain() error { return p.bounded(p.perceiveBonds) }

// SetHydrogens gives atom i n hydrogens. If it had another number, all n become explicit. An atom that was given none may
// still get implicit ones when it is perceived again.
func (p *Draft) SetHydrogens(i, n int32) {
	if a := &p.Atoms[i]; a.Hydrogens() != n {
		a.Explicit, a.NoImplicit = n, n > 0
	}
}

// perceive finds the rings, then does what perceiveBonds does.
func (p *Draft) perceive() error {
	p.findRings()
	return p.perceiveBonds()
}

// perceiveBonds derives aromaticity, hybridization and hydrogens once the rings are known. It fails at an impossible
// valence, and at aromatic atoms without a Kekulé form.
func (p *Draft) perceiveBonds() error {
	sums := p.sumBonds()
	if p.normalize(sums) {
		sums = p.sumBonds()
	}
	if err := p.checkValences(sums); err != nil {
		return err
	}
	if p.redrawn = !p.keep(sums); p.redrawn {
		if err := p.kekulize(); err != nil {
			return err
		}
	}
	if p.Brackets {
		p.countRadicals()
	}
	p.aromatize()
	p.hybridize()
	if p.redrawn {
		p.settleHydrogens()
	}
	return nil
}

// findRings finds the rings and marks their atoms and bonds. It panics with rings.ErrTangled if the budget is spent.
func (p *Draft) findRings() {
	r := &p.Rings
	if p.Chain == len(p.Bonds) {
		r.Clear()
		return // a forest has no rings
	}
	ends := buffer.Grow(&p.ends, len(p.Bonds))
	for k := range ends {
		ends[k] = [2]int32{p.Bonds[k].From, p.Bonds[k].To}
	}
	r.Budget = p.budget
	if err := r.Find(&p.near, ends, p.Chain); err != nil {
		panic(err)
	}
	p.budget = r.Budget
	for q := range r.Len() {
		for _, i := range r.Ring(q) {
			p.Atoms[i].ring = true
		}
		for _, k := range r.Bonds(q) {
			p.Bonds[k].InRing = true
		}
	}
}

// Molecule returns the molecule that was read.
func (p *Draft) Molecule(name string) *Molecule {
	m := &Molecule{Atoms: make([]Atom, len(p.Atoms)), Bonds: make([]Bond, len(p.Bonds)), Name: name}
	p.Fill(m)
	return m
}

// Fill writes the molecule that was read to m and reuses m's memory. It leaves m's name.
func (p *Draft) Fill(m *Molecule) {
	buffer.Grow(&m.Atoms, len(p.Atoms))
	copy(buffer.Grow(&m.Bonds, len(p.Bonds)), p.Bonds)
	for i := range m.Atoms {
		p.fillAtom(&m.Atoms[i], int32(i))
	}
}

// fillAtom sets o to atom i, field by field: copying a whole Atom takes longer.
func (p *Draft) fillAtom(o *Atom, i int32) {
	a := &p.Atoms[i]
	o.Element = a.Element
	o.Charge = int8(a.Charge)
	o.Hydrogens = uint8(a.Hydrogens())
	o.Radicals = uint8(a.Radicals)
	o.Hybridization = a.hybrid
	o.Chirality = a.Chirality
	o.Aromatic = a.Aromatic
	o.InRing = a.ring
	o.Isotope = uint16(a.Isotope)
	o.Degree = p.Degree(i)
	o.Map = -1
	if a.HasMap {
		o.Map = a.Map
	}
	o.Column = a.At + 1
}

// Link finds the neighbours of atoms.
func (p *Draft) Link() { LinkUp(&p.near, len(p.Atoms), p.Bonds) }

// LinkUp fills t with the neighbours of atoms 0 to atoms−1, those of each atom in the order of bonds.
func LinkUp(t *neighbor.Table, atoms int, bonds []Bond) {
	spans, list := buffer.Zeroed(&t.Spans, atoms), buffer.Grow(&t.Links, 2*len(bonds))
	for k := range bonds {
		spans[bonds[k].From].Hi++ // for now the number of neighbours
		spans[bonds[k].To].Hi++
	}
	end := int32(0)
	for i := range spans {
		s := &spans[i]
		end += s.Hi
		s.Lo, s.Hi = end, end
	}
	// Each span grows downwards from its end, so the last bond comes first.
	for k := len(bonds) - 1; k >= 0; k-- {
		b := &bonds[k]
		x, y := &spans[b.From], &spans[b.To]
		x.Lo--
		list[x.Lo] = neighbor.Link{Atom: b.To, Bond: int32(k)}
		y.Lo--
		list[y.Lo] = neighbor.Link{Atom: b.From, Bond: int32(k)}
	}
}

// Weak reports whether some bond, a dative or Any bond, adds to the valence of one end only, or of none.
func (p *Draft) Weak() bool { return p.weak }
