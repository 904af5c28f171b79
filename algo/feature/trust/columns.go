package trust

// A Column of judgements. One of the functions computes its value; NaN and "" are no value.
type Column struct {
	Name, Doc string // Doc is for help
	Number    func(*Judgement) float64
	Text      func(*Judgement) string
}

// Columns are those that judgements add to rows of scores.
var Columns = []Column{
	{Name: "predicted", Number: func(j *Judgement) float64 { return j.Predicted },
		Doc: "from the column of --predicted"},
	{Name: "expected_error", Number: func(j *Judgement) float64 { return j.Error },
		Doc: "mean absolute error of held-out molecules with a similar --errors-by value (fitted to be monotone), or in proportion to their uncertainty; empty beyond the last of them"},
	{Name: "interval_low", Number: func(j *Judgement) float64 { return j.Low },
		Doc: "conformal interval of the observed value, from the errors of these molecules; empty for classes, beyond the last of them, and for a score above all that were held out"},
	{Name: "interval_high", Number: func(j *Judgement) float64 { return j.High },
		Doc: "its other end"},
	{Name: "trust", Text: func(j *Judgement) string { return string(j.Verdict) },
		Doc: "trust, check or do-not-use, by the share of large errors among these molecules; standard error states it for each verdict"},

	{Name: "interval_batch_low", Number: func(j *Judgement) float64 { return j.BatchLow },
		Doc: "the same for this list: the more common molecules of its distance and size are in the list, the more an error weighs; empty for lists of fewer than 50, and where too few errors are known"},
	{Name: "interval_batch_high", Number: func(j *Judgement) float64 { return j.BatchHigh },
		Doc: "its other end"},
	{Name: "trust_batch", Text: func(j *Judgement) string { return string(j.BatchVerdict) },
		Doc: "trust, by errors that are weighed in this way where the list lies farther from the training set than held-out molecules; empty for lists of fewer than 50"},
}
