package table

import (
	"math"

	"baca/app/words"
	"baca/wasm/message"
)

// TrustOf is the verdict on a record's prediction, empty for none.
func (r *Rows) TrustOf(record int) string {
	if r.Trust == nil {
		return ""
	}
	return r.Trust.Rows.Texts("trust")[record]
}

// Interval is a record's, or empty.
func (r *Rows) Interval(record int) string {
	if r.Trust == nil || math.IsNaN(r.Trust.Rows.Numbers("interval_low")[record]) {
		return ""
	}
	return words.Number(r.Trust.Rows.Numbers("interval_low")[record]) + " to " + words.Number(r.Trust.Rows.Numbers("interval_high")[record])
}

// StatedLine says how often errors were large for held-out molecules, by verdict.
func StatedLine(t *message.Trusted) string { return words.Sentences(t.Sentences[1:2]) }

// PredictionWords say what is known of the prediction for a record.
func (r *Rows) PredictionWords(record int) string {
	t := r.Trust
	if r.TrustOf(record) == "" {
		return "There is no prediction for it in the input."
	}
	said := "The prediction is " + words.Number(t.Rows.Numbers("predicted")[record])
	expected := t.Rows.Numbers("expected_error")[record]
	if math.IsNaN(expected) {
		if t.Classes {
			return said + ". No held-out prediction was so unsure, so nothing is known of its error."
		}
		return said + ". No held-out molecule was so far outside, so nothing is known of its error."
	}
	said += ", with an expected error of " + words.Number(expected) + "."
	if interval := r.Interval(record); interval != "" {
		said += " The interval " + interval + " holds " + words.Percent(t.Coverage) + " of observed values, for molecules like those held out."
	}
	return said
}
