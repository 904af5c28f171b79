package message

import "baca/algo/compare"

// MostDifferences bounds each list's differences of a kind in a [Compared].
const MostDifferences = 30

// Compared ends a Compare. Of Named and Fragments it has the surest, NamedTested and NamedDiffering
// count all.
type Compared struct {
	compare.Comparison
	NamedDiffering int
	// Sentences describe the difference, the overlap, B as a test set for A, and sampling.
	Sentences []string
	Warnings  []string
	Report    []byte // the file of `baca compare --html`
}

func (*Compared) reply() {}
