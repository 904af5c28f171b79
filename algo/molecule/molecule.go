// Package molecule reads SMILES and molfiles into molecules, and molecules into
// graphs.
//
// It follows the default reading and sanitisation of RDKit 2022.09: the same
// texts are molecules, with the same atoms in the same order, the same bonds,
// hydrogens, charges, radicals, aromaticity, rings, hybridisation and chirality
// tags. The graph of a molecule carries the nine atom features of the Open Graph
// Benchmark (OGB).
//
// It differs from RDKit on purpose in a few things. An empty text is refused, not an
// empty molecule. What follows a blank is a name; RDKit's extensions in |…| are not
// read. Charges beyond ±127, isotopes beyond 65535 and more than 255 hydrogens are
// refused, where RDKit keeps the lower bits. SMILES of more than [MaxLength] bytes and
// ring systems that RDKit would search for minutes are refused, so that reading
// takes time in proportion to the length of the text, up to a logarithm.
//
// The stages, in order: parse.go (text to atoms and bonds), stereo.go (chirality
// tags relative to the order of bonds), hydrogen.go (explicit hydrogens folded
// into their neighbours, nitro groups and the like normalised), valence.go, ring.go,
// kekule.go, aromatic.go, hybrid.go, chirality.go (tags of atoms that are no
// stereocentres removed) and features.go. Molfiles come in by molfile.go,
// molfile3000.go and sgroup.go, and with wedge.go in the place of stereo.go. write.go
// writes SMILES, and canonical.go finds the order of atoms that does not depend on how
// a molecule was written.
package molecule

import (
	"strings"
	"sync"

	"baca/algo/graph"
)

// MaxLength is the longest SMILES accepted, in bytes: enough for a protein of some
// four thousand residues. Reading would bear more, but not all that follows does: the
// structural encoding of a graph takes time in proportion to the square of the number
// of neighbours that an atom has.
const MaxLength = 1 << 16

// A Molecule is a sanitised molecular graph.
type Molecule struct {
	// Atoms in the order of the text. Ordinary hydrogens are not among them,
	// they are counted by their neighbour's Hydrogens.
	Atoms []Atom

	// Bonds in RDKit's order: those along the chain as written, then those
	// closed by ring-bond numbers, by ascending number; that of a molfile.
	Bonds []Bond

	// Name is what follows the SMILES after a blank or tab, or the first line of a
	// molfile.
	Name string
}

// An Atom is a node of a molecule.
type Atom struct {
	Element       uint8 // atomic number; 0 is the wildcard
	Charge        int8
	Hydrogens     uint8 // hydrogens that are not atoms of their own
	Radicals      uint8 // unpaired electrons
	Hybridization Hybridization
	Chirality     Chirality
	Aromatic      bool
	InRing        bool
	Isotope       uint16 // mass number, or 0
	Degree        int32  // neighbours among Atoms
	Map           int32  // atom class, the number after a colon, or -1
	Column        int32  // where the atom begins in the text, in bytes from 1
}

// A Bond joins atoms From and To.
type Bond struct {
	From, To int32
	Order    Order
	Aromatic bool
	InRing   bool

	// stereo of a double bond is about the first other bonds, by their place in
	// Bonds, of From and To: Z if their far ends lie on the same side.
	stereo bondStereo
}

// Order is the order of a bond.
type Order uint8

// The orders of bonds. An Any bond, written "~", counts for nothing in a
// valence. A Dative bond counts only at its To end.
const (
	Any Order = iota
	Single
	Double
	Triple
	Quadruple
	Aromatic
	Dative
)

// Hybridization is the hybridisation of an atom.
type Hybridization uint8

// The hybridisations. Unhybridized stands for wildcards and for atoms to which
// no hybridisation can be given.
const (
	Unhybridized Hybridization = iota
	S
	SP
	SP2
	SP3
	SP2D
	SP3D
	SP3D2
)

// Chirality is the chirality tag of an atom. Clockwise and CounterClockwise are
// relative to the order of the atom's bonds in Bonds, a hydrogen that is not an
// atom coming first (RDKit's convention).
type Chirality uint8

// The chirality tags.
const (
	Achiral Chirality = iota
	Clockwise
	CounterClockwise
	Tetrahedral // not resolved to a direction
	Allene
	SquarePlanar
	TrigonalBipyramidal
	Octahedral
)

var parsers = sync.Pool{New: func() any { return new(Parser) }}

// Parse reads one SMILES. Surrounding blanks are ignored, and what follows the
// first blank or tab is the name. The error is a *[SyntaxError].
//
// It may be called from several goroutines at once.
func Parse(smiles string) (*Molecule, error) {
	p := parsers.Get().(*Parser)
	m, err := p.Parse(smiles)
	p.giveBack()
	return m, err
}

// ParseGraph is Parse followed by [Molecule.Graph], but makes no molecule on the way,
// which saves a sixth of the time.
//
// It may be called from several goroutines at once.
func ParseGraph(smiles string) (*graph.Graph, error) {
	p := parsers.Get().(*Parser)
	g, err := p.ParseGraph(smiles)
	p.giveBack()
	return g, err
}

// giveBack keeps p for the next Parse, unless a huge molecule left its buffers large.
func (p *Parser) giveBack() {
	if cap(p.atoms) <= 1<<12 {
		parsers.Put(p)
	}
}

// Fragments returns the number of connected parts.
func (m *Molecule) Fragments() int {
	root := make([]int32, len(m.Atoms))
	for i := range root {
		root[i] = int32(i)
	}
	find := func(i int32) int32 {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	n := len(m.Atoms)
	for _, b := range m.Bonds {
		if x, y := find(b.From), find(b.To); x != y {
			root[max(x, y)] = min(x, y)
			n--
		}
	}
	return n
}

// A Parser reads SMILES with buffers that it uses again and again. The zero
// value is ready. It must not be used by two goroutines at once; what it
// returned stays valid.
type Parser struct {
	text string // the whole input

	atoms []atom
	bonds []bond

	// The bonds of atom i are links[spans[i].lo:spans[i].hi], in the order in which
	// the bonds were made, which is that of bonds.
	spans []span
	links []link

	// The first bonds, as many as chain, are those along the chain as written, by
	// which the atoms that follow a dot or begin the text are roots of trees and
	// parents precede their children. 0 in a molfile.
	chain int

	closures []closure
	order    []int64
	open     []branch

	rings rings
	kek   kekuler
	aro   aromatizer
	cip   ranker

	// budget is what is left of the steps that searches in ring systems may
	// take, so that no input takes more than linear time.
	budget int

	scratch []int32

	// What is left for graphs to be cut from.
	graphs []graph.Graph
	ints   []int32
	floats []float32

	// block is the reader of molfiles, nil until there is one.
	block *molfile
	// brackets: some atoms were written in brackets, or this is a molfile. Without,
	// there are no hydrogen atoms, tags, or atoms that imply no hydrogens.
	// queries: some bonds have a kind.
	// lean: this is a molfile, whose hydrogens are folded in RDKit's other way.
	brackets, queries, lean bool
	// weak: some bonds count at one end only or nowhere.
	// aromatic: some atoms or bonds were read as aromatic.
	weak, aromatic bool
}

// An atom in the making.
type atom struct {
	z          uint8
	chirality  Chirality
	hybrid     Hybridization
	aromatic   bool
	noImplicit bool // no hydrogens beyond the written ones
	start      bool // first atom of the text or after a dot
	hasMap     bool
	removed    bool // a hydrogen that was folded into its neighbour
	cip        uint8
	special    bool // part of a group of ring stereo atoms
	ring       bool
	marks      marks
	charge     int32
	isotope    int32
	class      int32 // atom class
	explicitH  int32 // hydrogens written in brackets or folded
	implicit   int32 // hydrogens that the valence leaves room for, once computed
	valence    int32 // explicit valence, once computed
	radicals   int32
	degree     int32 // while reading: bonds so far, ring bonds not counted
	perm       int32 // number of an @TH, @SP … class
	closure    int32 // its first ring-bond number, or -1
	last       int32 // its last one
	at, size   int32 // its text
}

// marks are what only molfiles say about an atom.
type marks uint8

const (
	isQuery marks = 1 << iota // stands for several atoms
	isKept                    // a hydrogen that is not to be folded
)

// A bond in the making.
type bond struct {
	a, b     int32
	order    Order
	aromatic bool
	ring     bool
	dir      direction
	stereo   bondStereo
	kind     bondKind
}

// bondKind is what only molfiles say about a bond.
type bondKind uint8

const (
	plainBond    bondKind = iota
	typedBond             // a query that names one order: no part of a Kekulé form
	choiceBond            // a query that names several: its atoms imply no hydrogens
	hydrogenBond          // an Any bond that counts for chirality
	zeroBond              // an Any bond that is in no ring and takes no orbital
)

// direction is that of a bond written "/" or "\", from a to b.
type direction uint8

const (
	level direction = iota
	up
	down
)

func (d direction) flip() direction {
	switch d {
	case up:
		return down
	case down:
		return up
	}
	return d
}

type bondStereo uint8

const (
	stereoNone bondStereo = iota
	stereoZ
	stereoE
	stereoAny // said to be unknown
)

func (s bondStereo) flip() bondStereo {
	switch s {
	case stereoZ:
		return stereoE
	case stereoE:
		return stereoZ
	}
	return s
}

// A span is a part of a slice, from lo to hi-1.
type span struct{ lo, hi int32 }

// A link leads from an atom over a bond to a neighbour.
type link struct{ atom, bond int32 }

// A closure is one ring-bond number at one atom.
type closure struct {
	number    int32
	atom      int32
	order     Order
	specified bool // its order was written
	reverse   bool // a dative bond written "<-"
	dir       direction
	bond      int32 // the bond it became
	next      int32 // the next closure of the same atom, or -1
	at, size  int32
}

// A branch is an open parenthesis.
type branch struct {
	atom int32
	at   int32
}

func (p *Parser) neighbors(i int32) []link {
	s := p.spans[i]
	return p.links[s.lo:s.hi]
}

// degree is the number of neighbours of atom i.
func (p *Parser) degree(i int32) int32 { return p.spans[i].hi - p.spans[i].lo }

// halves is what a bond adds to a valence, in half bonds. No index can be out of range.
var halves = [256]int32{Any: 0, Single: 2, Aromatic: 3, Double: 4, Triple: 6, Quadruple: 8, Dative: 2}

// twice is twice what bond k adds to the valence of atom i.
func (p *Parser) twice(k, i int32) int32 {
	b := &p.bonds[k]
	if b.order == Dative && b.a == i {
		return 0
	}
	return halves[b.order]
}

// between returns the bond between two atoms, or -1.
func (p *Parser) between(i, j int32) int32 {
	if p.degree(i) > p.degree(j) {
		i, j = j, i
	}
	for _, l := range p.neighbors(i) {
		if l.atom == j {
			return l.bond
		}
	}
	return -1
}

// spend takes steps from the budget and reports whether it lasted.
func (p *Parser) spend(steps int) bool {
	p.budget -= steps
	return p.budget >= 0
}

func (p *Parser) errorBudget() error {
	return p.errorAt(0, len(p.text), "ring system is too large or too tangled")
}

// Parse is the function [Parse] with the buffers of p.
func (p *Parser) Parse(smiles string) (*Molecule, error) {
	name, err := p.parse(smiles)
	p.text = ""
	if err != nil {
		return nil, err
	}
	return p.finish(strings.Clone(name)), nil
}

// ParseGraph is the function [ParseGraph] with the buffers of p.
func (p *Parser) ParseGraph(smiles string) (*graph.Graph, error) {
	_, err := p.parse(smiles)
	p.text = ""
	if err != nil {
		return nil, err
	}
	return p.graph(), nil
}

// parse runs all stages and returns the name, which is a part of the text.
func (p *Parser) parse(smiles string) (name string, err error) {
	p.text, p.brackets, p.queries, p.lean = smiles, false, false, false
	lo := 0
	for lo < len(smiles) && blank(smiles[lo]) {
		lo++
	}
	hi := len(smiles)
	for _, c := range []byte(blanks) {
		if k := strings.IndexByte(smiles[lo:hi], c); k >= 0 {
			hi = lo + k
		}
	}
	if hi == lo {
		return "", p.errorAt(lo, 0, "no SMILES in an empty text")
	}
	if hi-lo > MaxLength {
		return "", p.errorAt(lo, 0, "SMILES of %d bytes, at most %d are read", hi-lo, MaxLength)
	}
	if err := p.read(lo, hi); err != nil {
		return "", err
	}
	if err := p.sanitize(); err != nil {
		return "", err
	}
	return strings.TrimSpace(smiles[hi:]), nil
}

// blanks end the SMILES.
const blanks = " \t\n\r"

func blank(c byte) bool { return strings.IndexByte(blanks, c) >= 0 }

// sanitize runs the stages after reading.
func (p *Parser) sanitize() error {
	if p.brackets {
		p.orientTags()
		p.foldHydrogens()
	}
	if err := p.perceive(); err != nil {
		return err
	}
	if p.brackets {
		p.cleanTags()
	}
	return nil
}

// perceive runs the stages between folding hydrogens and cleaning tags.
func (p *Parser) perceive() error {
	p.budget = 2_000_000 + 1000*len(p.atoms)
	sums := p.sumBonds()
	if p.normalize(sums) {
		sums = p.sumBonds()
	}
	if err := p.checkValences(sums); err != nil {
		return err
	}
	if err := p.findRings(); err != nil {
		return err
	}
	if err := p.kekulize(); err != nil {
		return err
	}
	if p.brackets {
		p.countRadicals()
	}
	if err := p.aromatize(); err != nil {
		return err
	}
	p.hybridize()
	p.settleHydrogens()
	return nil
}

// finish copies what was found into a Molecule.
func (p *Parser) finish(name string) *Molecule {
	atoms, bonds := p.atoms, p.bonds
	m := &Molecule{Atoms: make([]Atom, len(atoms)), Bonds: make([]Bond, len(bonds)), Name: name}
	// In place: an Atom or Bond put together elsewhere takes longer to copy.
	for i := range m.Atoms {
		a, o := &atoms[i], &m.Atoms[i]
		o.Element = a.z
		o.Charge = int8(a.charge)
		o.Hydrogens = uint8(a.hydrogens())
		o.Radicals = uint8(a.radicals)
		o.Hybridization = a.hybrid
		o.Chirality = a.chirality
		o.Aromatic = a.aromatic
		o.InRing = a.ring
		o.Isotope = uint16(a.isotope)
		o.Degree = p.degree(int32(i))
		o.Map = -1
		if a.hasMap {
			o.Map = a.class
		}
		o.Column = a.at + 1
	}
	directed := false
	for k := range m.Bonds {
		b, o := &bonds[k], &m.Bonds[k]
		o.From, o.To = b.a, b.b
		o.Order, o.Aromatic, o.InRing = b.order, b.aromatic, b.ring
		directed = directed || b.dir != level
	}
	if directed {
		for k := range p.bonds {
			m.Bonds[k].stereo = p.geometry(int32(k))
		}
	}
	return m
}
