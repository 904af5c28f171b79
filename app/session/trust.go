package session

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo/trust"
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
	Coverage            int     // percent of molecules kept by the marker
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

func (t *Trust) forget() { *t = Trust{session: t.session, Coverage: usualCoverage, Holds: usualShare} }

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

// usualCoverage is the marker's default.
const usualCoverage = 80

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

// Cover moves the marker to a percentage of molecules, the most reliable first.
func (t *Trust) Cover(percent int) {
	t.Coverage = min(max(percent, 1), 100)
	t.session.Lab.Frame++
}

// Kept is the number of kept molecules, at least one.
func (t *Trust) Kept(a *message.Audit) int {
	return max(int(math.Round(float64(t.Coverage)/100*float64(a.N))), 1)
}

func (t *Trust) KeepLine(a *message.Audit) string {
	n, judged := t.Kept(a), t.session.Rows.Trust
	which := "nearest"
	if judged.Classes {
		which = "surest"
	}
	return fmt.Sprintf("Keep the %s %s of %s: mean error %s; %s up to %s.",
		words.Count(n), which, words.Count(a.N), words.Number(a.Risk[n-1]), judged.Order, words.Number(a.Scores[n-1]))
}

// curvePoints bounds a risk curve's points.
const curvePoints = 400

// RiskCurves are mean errors by the kept share in percent: in order of scores, and of errors.
func RiskCurves(a *message.Audit) (share, risk, best []float64) {
	n := min(a.N, curvePoints)
	for i := range n {
		k := (i+1)*a.N/n - 1
		share, risk, best = append(share, ShareOf(k+1, a)), append(risk, a.Risk[k]), append(best, a.Best[k])
	}
	return share, risk, best
}

func ShareOf(n int, a *message.Audit) float64 { return 100 * float64(n) / float64(a.N) }

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
func StatedLine(t *message.Trusted) string {
	var parts []string
	for _, l := range t.Stated {
		parts = append(parts, fmt.Sprintf("%s %s of %s", VerdictWords(l), words.Percent(float64(l.Large)/float64(l.N)), words.Count(l.N)))
	}
	return "Large errors, above " + words.Number(t.Tolerance) + ", of held-out molecules: " + strings.Join(parts, ", ") + "."
}

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

// VerdictWords name the verdicts that a rate is of.
func VerdictWords(l trust.Statement) string {
	names := make([]string, len(l.Verdicts))
	for k, name := range l.Verdicts {
		names[k] = trustOf(string(name)).Word()
	}
	switch len(names) {
	case 1:
		return names[0]
	case int(DoNotUseIt):
		return "all verdicts together"
	}
	return "“" + strings.Join(names, "” and “") + "” together" // else a command
}

// StatedWords are the rate that was stated for the first verdict of l, and with which others.
func StatedWords(t *message.Trusted, l trust.Statement) string {
	for _, s := range t.Stated {
		if !slices.Contains(s.Verdicts, l.Verdicts[0]) {
			continue
		}
		share, interval := LargeWords(s)
		text := share + " of " + words.Count(s.N) + interval
		if len(s.Verdicts) > len(l.Verdicts) {
			text += ", " + VerdictWords(s)
		}
		return text
	}
	return words.None
}

// LargeWords are a share of large errors and behind it its interval.
func LargeWords(l trust.Statement) (share, interval string) {
	if l.N == 0 {
		return words.None, ""
	}
	return words.Percent(float64(l.Large) / float64(l.N)), fmt.Sprintf(" (%.0f–%.0f\u00a0%%)", 100*l.Low, 100*l.High)
}
