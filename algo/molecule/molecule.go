// Package molecule says what a molecule is, finds its chemistry, and makes graphs of
// molecules. Package smiles and package molfile, below it, read and write them.
//
// It follows the default sanitisation of RDKit 2022.09: the same hydrogens, charges,
// radicals, aromaticity, rings, hybridisation and chirality tags. The graph of a molecule
// carries the nine atom features of the Open Graph Benchmark (OGB).
//
// It differs from RDKit on purpose in a few things, which AGREEMENT.md lists. Charges beyond
// ±127, isotopes beyond 65535 and more than 255 hydrogens are refused, where RDKit keeps the
// lower bits. So are ring systems that RDKit would search for minutes, so that reading takes
// time in proportion to the length of the text, up to a logarithm.
//
// A reader fills a [Draft]. The stages follow: hydrogen.go (explicit hydrogens folded into
// their neighbours, nitro groups and the like normalised), valence.go, internal/rings,
// kekule.go, aromatic.go, hybrid.go and chirality.go (tags of atoms that are no
// stereocentres removed). Then there is a [Molecule], or a graph, by features.go.
package molecule

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
	Stereo   Stereo
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

// halves is what a bond adds to a valence, in half bonds. No index can be out of range.
var halves = [256]int32{Any: 0, Single: 2, Aromatic: 3, Double: 4, Triple: 6, Quadruple: 8, Dative: 2}

// Halves is what a bond of order o adds to a valence, in half bonds.
func (o Order) Halves() int32 { return halves[o] }

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

// Stereo is the geometry of a double bond about the first other bonds, by their place
// among the bonds, of its ends: Z if their far ends lie on the same side.
type Stereo uint8

// The geometries.
const (
	NoStereo Stereo = iota
	StereoZ
	StereoE
	StereoAny // said to be unknown; not in a Molecule
)

// Flip is the opposite geometry.
func (s Stereo) Flip() Stereo {
	switch s {
	case StereoZ:
		return StereoE
	case StereoE:
		return StereoZ
	}
	return s
}

// Turn is the opposite tag.
func (c Chirality) Turn() Chirality {
	switch c {
	case Clockwise:
		return CounterClockwise
	case CounterClockwise:
		return Clockwise
	}
	return c
}

// A Form says in which form molecules are read, so that what is one substance gets one
// graph.
type Form uint8

const (
	// AsWritten keeps the atoms in the order of the text, which the chirality feature
	// follows.
	AsWritten Form = iota
	// Canonical reads the canonical form, see smiles.Canonical.
	Canonical
	// Unordered reads the graph of Canonical with its nodes in any order, for what does not
	// depend on that, as the score of a graph by itself, see smiles.ParseUnordered.
	Unordered
	// Parent reads the parent of a molecule, which is the same for its salts, isotopes,
	// stereoisomers and charged forms, in canonical order, see smiles.Parent.
	Parent
	// UnorderedParent reads the graph of Parent with its nodes in any order.
	UnorderedParent
)

// Unordered returns the form that reads the same graphs as f, but in any order of the nodes.
func (f Form) Unordered() Form {
	switch f {
	case Canonical:
		return Unordered
	case Parent:
		return UnorderedParent
	}
	return f
}
