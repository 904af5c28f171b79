package message

// MostDifferences is how many differences of a kind a [Compared] has at most for each list.
const MostDifferences = 30

// Compared ends a Compare. What it counts are different molecules.
type Compared struct {
	A, B Listed
	// Sentences say whether B differs from A, what both have, what B is worth as a test set for
	// A, and what was not looked at as a whole.
	Sentences []string
	// Similarities are those of the columns of coverage: the shares of molecules whose nearest is
	// at least so similar. AtoB is of A's molecules in B. AtoA leaves each molecule itself out.
	Similarities           Floats
	AtoB, BtoA, AtoA, BtoB Floats
	// Named are differences that have a name, and Fragments surroundings of atoms; both are the
	// surest ones at a rate of false discoveries of FDR. Tested and Differing count all.
	Named, Fragments               []Difference
	NamedTested, FragmentsTested   int
	NamedDiffering, FragmentsFound int
	FDR                            float64
	Warnings                       []string
	Report                         []byte // the file of `baca compare --html`
}

// A Listed is one of two lists.
type Listed struct {
	Name                             string
	Read, Refused, Copies, Molecules int
	// Atoms and Rings are quantiles at 5, 25, 50, 75 and 95 %, and AtomShares and RingShares the
	// shares of molecules with 0, 1, … of them, the last with more, too.
	Atoms, Rings           Floats
	AtomShares, RingShares Floats
}

// A Difference is something that is commoner in one list.
type Difference struct {
	Kind, Name      string
	InA, InB        float64 // shares of molecules
	Odds, Low, High float64 // by how much its odds are larger in B, with an interval of 95 %
	Q               float64
	// Example is a molecule with a fragment, and Atoms which of its atoms that is.
	Example string
	Atoms   Ints
}

func (*Compared) reply() {}
