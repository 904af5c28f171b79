package message

// MostSuggested bounds a [Suggest].
const MostSuggested = 100_000

// MostPicks bounds the picks of a [Suggested]; its File has all.
const MostPicks = 100

// Suggested ends a Suggest.
type Suggested struct {
	Sentences []string // of `baca suggest`, lower case, without full stops
	Refusals  []string // of the first refused records
	Total     int      // picks
	Picks     []Pick   // the best first
	// Far is the mean excess distance of records from the training set, in standard deviations, at
	// first and after each pick; FarRandom for random picks, FarTop for the highest scores.
	Far, FarRandom, FarTop Floats
	Command                string // that repeats it
	File                   []byte // CSV, that of `baca suggest --spreadsheet-safe`
}

// A Pick is a record to measure.
type Pick struct {
	Record   int     // from 0
	P, Price float64 // NaN where there is none
	Verdict  string
	// Gain is the decrease of Suggested.Far. Nearer counts the records that come nearer by half a
	// deviation or more, Inside those that were outside and no longer are.
	Gain           float64
	Nearer, Inside int
	Similarity     float64 // of the nearest training graph
}

func (*Suggested) reply() {}
