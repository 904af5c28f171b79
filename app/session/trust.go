package session

import (
	"math"
	"slices"
	"strings"

	"baca/app/words"
	"baca/wasm/message"
)

// Trust judges predictions in a column of the input by the model's held-out errors. Without both it
// shows nothing.
type Trust struct {
	session *Session

	Predicted, Observed string // columns, or empty
	chosen              bool   // the user chose Predicted
	asked               trustKey
	Failure             *message.Failed
	Holds               float64 // coverage of intervals
}

// A trustKey identifies judgements.
type trustKey struct {
	run                 int
	predicted, observed string
	holds               float64
}

// Shares are the coverages on offer.
func Shares() []float64 { return []float64{0.8, usualShare, 0.95} }

const usualShare = 0.9

const judging = "Predictions"

// Columns may hold values: those of a table except SMILES, keys of JSON lines, data of SDF.
func (r *Result) Columns() (list []string) {
	var all []string
	smiles := ""
	switch {
	case r.Header != nil:
		all, smiles = r.Header.Columns, r.Header.Column
	case r.Opened != nil && r.Opened.Molecules:
		all = r.Opened.Columns
	}
	for _, name := range all {
		if name != "" && name != smiles && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// Offered reports whether predictions can be chosen. A choice stays visible with other models.
func (t *Trust) Offered() bool {
	m := t.session.Models.Used
	return m != nil && (m.Residuals > 0 || t.Predicted != "") && len(t.session.Columns()) > 0
}

// Choose judges another column's predictions, or none.
func (t *Trust) Choose(predicted string) {
	t.Predicted, t.chosen = predicted, true
	if t.Observed == predicted {
		t.Observed = ""
	}
	t.asked = trustKey{}
	t.refresh()
}

// Observe compares with a column, or with none.
func (t *Trust) Observe(observed string) {
	t.Observed, t.asked = observed, trustKey{}
	t.refresh()
}

// Hold changes the coverage.
func (t *Trust) Hold(share float64) {
	t.Holds, t.asked = share, trustKey{}
	t.refresh()
}

func (t *Trust) forget() { *t = Trust{session: t.session, Holds: usualShare} }

// refresh requests missing judgements, first for the column named like that of the model's errors.
func (t *Trust) refresh() {
	s := t.session
	s.Rev.State++
	if m := s.Models.Used; m != nil && m.Residuals > 0 && !t.chosen && slices.Contains(s.Columns(), m.Predicted) {
		t.Predicted = m.Predicted
	}
	if t.Predicted == "" {
		t.show(nil)
		return
	}
	key := trustKey{s.Run, t.Predicted, t.Observed, t.Holds}
	if key == t.asked || s.Phase != Done || s.Task != nil || s.Training.On || s.Graphs() == 0 {
		return
	}
	t.asked, t.Failure = key, nil
	s.beginTask(judging, &message.Trust{Predicted: t.Predicted, Observed: t.Observed, Coverage: t.Holds, Scores: s.Rows.Alone}, func(r message.Reply) {
		if key != t.asked {
			return // another column was chosen meanwhile
		}
		if judged, ok := r.(*message.Trusted); ok {
			t.show(judged)
			return
		}
		t.Failure = failureOf(r)
		t.show(nil)
		s.Rev.All()
	})
}

// Again retries after a failure.
func (t *Trust) Again() {
	t.asked = trustKey{}
	t.refresh()
}

// show replaces the judgements.
func (t *Trust) show(judged *message.Trusted) {
	s := t.session
	if s.Rows.Trust == judged {
		return
	}
	s.Rows.Trust = judged
	s.arrange()
	s.Rev.All()
}

// A TrustVerdict of a prediction; 0 for none.
type TrustVerdict uint8

const (
	NoPrediction TrustVerdict = iota
	TrustIt
	CheckIt
	DoNotUseIt
)

var trustNames = [...]string{"", "trust", "check", "do-not-use"}

// Word is the page's word.
func (v TrustVerdict) Word() string { return strings.ReplaceAll(trustNames[v], "-", " ") }

// Like is the verdict with the same colour and shape.
func (v TrustVerdict) Like() Verdict { return [...]Verdict{Unscored, Inside, Borderline, Outside}[v] }

func trustOf(name string) TrustVerdict {
	return TrustVerdict(max(slices.Index(trustNames[:], name), 0))
}

func (r *Rows) TrustOf(record int) TrustVerdict {
	if r.Trust == nil {
		return NoPrediction
	}
	return trustOf(r.Trust.Rows.Texts("trust")[record])
}

// trustRanks sorts by verdict, the best first.
func (r *Rows) trustRanks() []float64 {
	ranks := missing(r.Len())
	for i := range ranks {
		if v := r.TrustOf(i); v != NoPrediction {
			ranks[i] = float64(v)
		}
	}
	return ranks
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
	if r.TrustOf(record) == NoPrediction {
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

// TrustFailure says why there are no judgements.
func TrustFailure(f *message.Failed) string {
	if f.Code == message.CodeBadModel {
		return words.Capital(f.Text) + ". A model that you train on predictions that were held out knows them."
	}
	_, what := FailureWords(f)
	return what
}
