package message

import "baca/algo/job"

// MostPicks bounds the rows of a [Suggested]; its File has all.
const MostPicks = 100

// Suggested ends a Suggest.
type Suggested struct {
	Sentences []string           // of `baca suggest`, lower case, without full stops
	Refusals  []string           // of the first refused records
	Total     int                // picks
	Picks     []job.SuggestedRow // the best first
	// Far is the mean excess distance of records from the training set, in standard deviations, at
	// first and after each pick; FarRandom for random picks, FarTop for the highest scores.
	Far, FarRandom, FarTop Floats
	Command                string // that repeats it
	File                   []byte // CSV, that of `baca suggest --spreadsheet-safe`
}

func (*Suggested) reply() {}
