package message

// MostDifferences bounds each list's differences of a kind in a [Compared].
const MostDifferences = 30

// Compared ends a Compare. It counts different molecules.
type Compared struct {
	A, B Listed
	// Sentences describe the difference, the overlap, B as a test set for A, and sampling.
	Sentences []string
	// Similarities are the coverage's columns: shares of molecules whose nearest is at least so
	// similar. AtoB is of A's molecules in B. AtoA leaves each itself out.
	Similarities           Floats
	AtoB, BtoA, AtoA, BtoB Floats
	// Named differences have names, Fragments are surroundings of atoms, the surest at the
	// false-discovery rate FDR. Tested and Differing count all.
	Named, Fragments               []Difference
	NamedTested, FragmentsTested   int
	NamedDiffering, FragmentsFound int
	FDR                            float64
	Warnings                       []string
	Report                         []byte // the file of `baca compare --html`
}

type Listed struct {
	Name                             string
	Read, Refused, Copies, Molecules int
	// Atoms and Rings are quantiles at 5, 25, 50, 75 and 95 %; AtomShares and RingShares are shares
	// of molecules with 0, 1, …, the last open-ended.
	Atoms, Rings           Floats
	AtomShares, RingShares Floats
}

// A Difference is commoner in one list.
type Difference struct {
	Kind, Name      string
	InA, InB        float64 // shares of molecules
	Odds, Low, High float64 // odds in B relative to A, with a 95 % interval
	Q               float64
	// Example is a molecule with the fragment at Atoms.
	Example string
	Atoms   Ints
}

func (*Compared) reply() {}
