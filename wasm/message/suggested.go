package message

// MostSuggested is how many records a [Suggest] may ask for.
const MostSuggested = 100_000

// MostPicks is how many picks a [Suggested] has at most; its File has all.
const MostPicks = 100

// Suggested ends a Suggest.
type Suggested struct {
	Sentences []string // that `baca suggest` says, beginning small and without a full stop
	Refusals  []string // of the first few records that were refused, as with a price that is none
	Total     int      // picks
	Picks     []Pick   // the best first
	// Far is by how much records are farther from the training set than training graphs are from
	// each other, in standard deviations of these, on average: at first, and after each pick.
	// FarRandom is the same for random picks, and FarTop for those of the highest scores.
	Far, FarRandom, FarTop Floats
	Command                string // that suggests the same
	File                   []byte // CSV, that of `baca suggest --spreadsheet-safe`
}

// A Pick is a record to measure.
type Pick struct {
	Record   int     // from 0
	P, Price float64 // NaN where there is none
	Verdict  string
	// Gain is by how much it lowers Suggested.Far. Nearer counts the records that it brings nearer
	// by half a deviation or more, and Inside those of them that were outside and no longer are.
	Gain           float64
	Nearer, Inside int
	Similarity     float64 // of the nearest training graph
}

func (*Suggested) reply() {}
