package run

import (
	"regexp"
	"slices"
	"strings"

	"baca/wasm/message"
)

// Trust judges predictions in a column of the input by the model's held-out errors. Without both it shows nothing.
type Trust struct {
	session *Session

	Predicted, Observed string // columns, or empty
	chosen              bool   // the user chose one of them
	asked               trustKey
	Failure             *message.Failed
	Holds               float64 // coverage of intervals
}

type trustKey struct {
	run                 int
	predicted, observed string
	holds               float64
}

// Shares are the coverages on offer.
func Shares() []float64 { return []float64{0.8, usualShare, 0.95} }

const usualShare = 0.9

// Offered reports whether predictions can be chosen. A choice stays visible with other models.
func (t *Trust) Offered() bool {
	m := t.session.Models.Used.Value
	return m != nil && (m.Residuals > 0 || t.Predicted != "") && len(t.session.ValueColumns()) > 0
}

// Choose judges another column's predictions, or none.
func (t *Trust) Choose(predicted string) {
	t.Predicted, t.chosen = predicted, true
	if t.Observed == predicted {
		t.Observed = ""
	}
	t.refresh()
}

// Observe compares with a column, or with none.
func (t *Trust) Observe(observed string) {
	t.Observed, t.chosen = observed, true
	t.refresh()
}

func (t *Trust) Hold(share float64) {
	t.Holds = share
	t.refresh()
}

func (t *Trust) forget() { *t = Trust{session: t.session, Holds: usualShare} }

// refresh requests the judgements of the chosen columns, unless they were requested already or something else is
// done. Until the user chooses columns, it takes those named like the model's, or like predictions and observed
// values. Without such columns it requests intervals around predictions yet to be made, or for classes removes the
// judgements.
func (t *Trust) refresh() {
	s := t.session
	s.Rev.State++
	if m := s.Models.Used.Value; m != nil && m.Residuals > 0 && !t.chosen {
		columns := s.ValueColumns()
		t.Predicted, t.Observed = valuesIn(columns, m.Predicted)
		if slices.Contains(columns, m.Observed) && t.Predicted != "" {
			t.Observed = m.Observed
		}
	}
	if m := s.Models.Used.Value; t.Predicted == "" && (t.chosen || m == nil || m.Residuals == 0 || m.Classes) {
		t.show(nil)
		return
	}
	key := trustKey{s.Run, t.Predicted, t.Observed, t.Holds}
	if key == t.asked || s.Phase != Done || s.Task != nil || s.Training.On || s.Graphs() == 0 {
		return
	}
	t.asked, t.Failure = key, nil
	s.Do("Predictions", &message.Trust{Predicted: t.Predicted, Observed: t.Observed, Coverage: t.Holds,
		Scores: s.Rows.Alone}, func(r message.Reply) {
		if key != t.asked {
			return // another column was chosen meanwhile
		}
		var found message.Answer[message.Trusted]
		found.Take(r)
		t.Failure = found.Failure
		t.show(found.Value)
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
	s.Arrange()
	s.Rev.All()
}

// Names of columns that hold what a model predicted, and what was measured.
var (
	likePredicted = regexp.MustCompile(`(?i)(^|[^a-z])(pred|predicted|predictions?|y_?hat)([^a-z]|$)`)
	likeObserved  = regexp.MustCompile(`(?i)(^|[^a-z])(obs|observed|meas|measured|exp|expt|experimental|y_?true)([^a-z]|$)`)
)

// valuesIn finds the column wanted, or by its name one of predictions, and that of their observed
// values; empty for none.
func valuesIn(columns []string, wanted string) (predicted, observed string) {
	named := func(like func(string) bool) string {
		if i := slices.IndexFunc(columns, like); i >= 0 {
			return columns[i]
		}
		return ""
	}
	predicted = wanted
	if !slices.Contains(columns, wanted) {
		predicted = named(likePredicted.MatchString)
	}
	if predicted == "" {
		return "", ""
	}
	bare := strings.Trim(likePredicted.ReplaceAllString(predicted, "$1$3"), " _-.")
	if bare != predicted && slices.Contains(columns, bare) {
		return predicted, bare // logS beside logS_pred
	}
	return predicted, named(func(name string) bool { return name != predicted && likeObserved.MatchString(name) })
}
