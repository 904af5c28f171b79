package message

// Trust judges predictions for the open input by the model's held-out errors, and with observed
// values how they held, as `baca trust` does. Events: [Progress] of the stage StageTrust. Reply:
// [Trusted], or after [Pause] a Failed with [CodeCancelled].
type Trust struct {
	Predicted string // column of the input; empty for intervals around predictions yet to be made, of numbers only
	Observed  string // the same, empty for none
	// Coverage of intervals, 0 for the default.
	Coverage float64
	// Scores of all records by themselves, from Rows; NaN for refused ones.
	Scores Floats
}

// Trusted ends a Trust.
type Trusted struct {
	Rows      Columns  // judgements of each record's prediction
	Sentences []string // on held-out errors, large errors by verdict, and intervals; as in the command
	Coverage  float64  // share of observed values that intervals hold
	Classes   bool     // observed values are 0 or 1: there are no intervals
	Bare      bool     // there are no predictions: intervals are around 0
	Held      string   // how well that held, in a sentence, of observed values; empty without
	Problems  []string
	HTML      string // what all of it comes to, see Found
}

func (*Trust) request() {}
func (*Trusted) reply() {}
