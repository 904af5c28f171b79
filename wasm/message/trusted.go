package message

import "baca/algo/trust"

// Trust judges predictions for the open input by the model's held-out errors, and with observed
// values how they held, as `baca trust` does. Events: [Progress] of the stage StageTrust. Reply:
// [Trusted], or after [Pause] a Failed with [CodeCancelled].
type Trust struct {
	Predicted string // column of the input
	Observed  string // the same, empty for none
	// Coverage of intervals, 0 for the default.
	Coverage float64
	// Scores of all records by themselves, from Rows; NaN for refused ones.
	Scores Floats
}

// Trusted ends a Trust.
type Trusted struct {
	Rows Columns // judgements of each record's prediction
	// Sentences explain the basis, as in the command.
	Sentences []string
	Coverage  float64           // share of observed values that intervals hold
	Classes   bool              // observed values are 0 or 1: there are no intervals
	Order     string            // of errors, in words
	Tolerance float64           // errors above it are large
	Stated    []trust.Statement // of held-out molecules, by verdict, the best first; shares ascend
	Problems  []string
	Audit     *Audit // nil without observed values
}

// An Audit compares with observed values.
type Audit struct {
	Sentences  []string          // as the command writes them
	UnderRisk  string            // a sentence on Risk
	N          int               // molecules with both values
	Verdicts   []trust.Statement // of each verdict, the best first
	MeanErrors Floats            // of each verdict, NaN for none
	// Risk is the mean absolute error of the k+1 molecules of lowest scores, Scores the highest of
	// these, and Best the Risk in the order of errors.
	Risk, Best, Scores Floats
	MeanError          float64 // of all
}

func (*Trust) request() {}
func (*Trusted) reply() {}
