// Package molecule defines molecules, perceives their chemistry (Draft) and makes graphs of them
// (Molecule.Graph). Packages smiles and molfile read and write them.
//
// It follows RDKit 2022.09's default sanitisation: the same hydrogens, charges, radicals,
// aromaticity, rings, hybridisation and chirality tags. Graphs carry the nine atom features of the
// Open Graph Benchmark (OGB). AGREEMENT.md lists intended differences, such as limits on charges
// and on tangled ring systems, so that reading takes near-linear time.
//
// A reader fills a [Draft]. The stages follow: hydrogen.go (fold explicit hydrogens, normalise nitro groups and the
// like), valence.go, internal/rings, kept.go, kekule.go, aromatic.go, hybrid.go and chirality.go (remove tags of atoms that are
// no stereocentres). The result is a [Molecule], or a graph, by features.go.
package molecule

// A Molecule is a sanitised molecular graph.
type Molecule struct {
	// Atoms are in text order. Ordinary hydrogens are counted by their neighbour's Hydrogens.
	Atoms []Atom

	// Bonds are in RDKit's order: along the chain as written, then ring bonds by ascending number.
	// Those of a molfile keep the molfile's order.
	Bonds []Bond

	// HydrogenBonds is the number of hydrogen bonds in a molfile. Bonds does not have them.
	HydrogenBonds int

	// Name follows the SMILES after a blank or tab, or is the first line of a molfile.
	Name string
}

// An Atom is a node of a molecule.
type Atom struct {
	Element       uint8 // atomic number; 0 is the wildcard
	Charge        int8
	Hydrogens     uint8 // hydrogens that are not in Atoms
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

// An Any bond, written "~", adds nothing to a valence. A Dative bond adds only to the valence of its To end.
const (
	Any Order = iota
	Single
	Double
	Triple
	Quadruple
	Aromatic
	Dative
)

// halves is what a bond of each order adds to a valence, in half bonds. Its length makes every index valid.
var halves = [256]int32{Any: 0, Single: 2, Aromatic: 3, Double: 4, Triple: 6, Quadruple: 8, Dative: 2}

// Halves returns what a bond of order o adds to a valence, in half bonds.
func (o Order) Halves() int32 { return halves[o] }

// Hybridization is the hybridisation of an atom's orbitals.
type Hybridization uint8

// Unhybridized stands for wildcards and undefined cases.
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

// Chirality is the chirality tag of an atom. Clockwise and CounterClockwise refer to the order of the atom's
// bonds in Bonds. An implicit hydrogen comes last (RDKit's convention).
type Chirality uint8

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

// Stereo is the geometry of a double bond. It is Z if the first other neighbours of its two ends are on
// the same side.
type Stereo uint8

const (
	NoStereo Stereo = iota
	StereoZ
	StereoE
)

// Handed reports whether a tag is relative to the order of bonds.
func (c Chirality) Handed() bool { return c == Clockwise || c == CounterClockwise }

// Flip exchanges Z and E. NoStereo stays.
func (s Stereo) Flip() Stereo { return [...]Stereo{NoStereo, StereoE, StereoZ}[s] }

// Turn returns the mirror image of a tag. Only Clockwise and CounterClockwise have another one.
func (c Chirality) Turn() Chirality {
	if c.Handed() {
		return Clockwise + CounterClockwise - c
	}
	return c
}

// A Form defines in which form molecules are read.
type Form uint8

const (
	// AsWritten keeps the text's order of atoms, on which the chirality feature depends.
	AsWritten Form = iota
	// Canonical reads the canonical form, see smiles.Canonical.
	Canonical
	// Unordered reads the graph of Canonical with nodes in any order, in less than half of the time. Scores
	// of single graphs do not depend on the order. Where the graph itself does, through chirality tags or
	// the choice among equally large fragments, Unordered is Canonical.
	Unordered
	// Parent reads the parent in canonical order, see smiles.Parent. Salts, isotopes, stereoisomers and
	// charged forms of a molecule have the same parent.
	Parent
	// UnorderedParent reads the graph of Parent with nodes in any order.
	UnorderedParent
)

// Reading returns a number from 1 for the graphs that a form gives. Forms of the same graphs share it.
func (f Form) Reading() uint8 { return uint8(f.Unordered()) + 1 }

// Unordered returns the form that reads the same graphs as f with nodes in any order.
func (f Form) Unordered() Form {
	switch f {
	case Canonical:
		return Unordered
	case Parent:
		return UnorderedParent
	}
	return f
}
