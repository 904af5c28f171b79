package message

// Trust judges predictions for the open input by the held-out errors that the model knows, as
// `baca trust` does, and with observed values says how well that held, as `baca
// trust` does. Events: [Progress] of the stage StageTrust. Reply: [Trusted], or after [Pause] a
// Failed with [CodeCancelled].
type Trust struct {
	Predicted string // column of the input
	Observed  string // the same, empty for none
	// Coverage is the share of observed values that intervals shall hold, 0 for the usual one.
	Coverage float64
	// Scores are those of all records, each by itself, in their order, as Rows had them; NaN for
	// refused ones. They come along so that none is scored again.
	Scores Floats
}

// Trusted ends a Trust.
type Trusted struct {
	Rows Columns // of what to expect of the prediction for each record
	// Sentences say what that rests on, as the command writes them.
	Sentences []string
	Coverage  float64 // share of observed values that intervals hold
	Classes   bool    // observed values are 0 or 1: there are no intervals
	Order     string  // what errors are compared by, in words: for classes another than the score
	Tolerance float64 // errors above it are large
	Stated    []Large // of held-out molecules, by verdict, the best first; shares do not fall
	Problems  []string
	Audit     *Audit // nil without Observed, or where no molecule has both values
}

// Large is how many of N molecules with a verdict had a large error. Verdicts that held-out molecules do
// not tell apart are counted together.
type Large struct {
	Verdicts  Strings
	Large, N  int
	Low, High float64 // of the share, an interval of 95 %; NaN where N is 0
}

// An Audit says how well it held.
type Audit struct {
	Sentences  []string // as the command writes them
	UnderRisk  string   // a sentence on Risk
	N          int      // molecules with both values
	Verdicts   []Large  // of each verdict, the best first
	MeanErrors Floats   // of each verdict, NaN for none
	// Risk is the mean absolute error of the k+1 molecules of the lowest scores, k from 0, Scores
	// the highest of these, by Order, and Best the Risk of an order by the errors themselves.
	Risk, Best, Scores Floats
	MeanError          float64 // of all
}

func (*Trust) request() {}
func (*Trusted) reply() {}
