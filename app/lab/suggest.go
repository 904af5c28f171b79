package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"baca/algo/job"
	"baca/app/words"
	"baca/wasm/message"
)

// A Wish is the form of the suggestions.
type Wish struct {
	Most, Budget   string // empty for defaults
	Price, Exclude string // columns, or empty
}

// UsuallySuggested is the default number.
const UsuallySuggested = 20

// request makes a request for an input with these columns, or says what is wrong. Columns of
// another input are ignored.
func (w *Wish) request(columns []string) (r *message.Suggest, wrong string) {
	r = &message.Suggest{Most: UsuallySuggested}
	var err error
	if most := strings.TrimSpace(w.Most); most != "" {
		if r.Most, err = strconv.Atoi(most); err != nil || r.Most < 1 || r.Most > job.MaxSuggested {
			return nil, fmt.Sprintf("Not a number: %s. Give a whole number from 1 to %s.", most, words.Count(job.MaxSuggested))
		}
	}
	if slices.Contains(columns, w.Price) {
		r.Price = w.Price
	}
	if slices.Contains(columns, w.Exclude) {
		r.Exclude = w.Exclude
	}
	if budget := strings.TrimSpace(w.Budget); budget != "" && r.Price != "" {
		if r.Budget, err = strconv.ParseFloat(budget, 64); err != nil || !(r.Budget > 0) {
			return nil, fmt.Sprintf("Not a budget: %s. Give a number above 0, without a currency, or nothing.", budget)
		}
	}
	return r, ""
}

// Suggest starts suggestions. Earlier ones stay until then.
func (l *Lab) Suggest() {
	s := l.session
	s.Rev.State++
	r, wrong := l.Wish.request(s.ValueColumns())
	if wrong != "" {
		l.Found(message.StageChoose).Failure = &message.Failed{Code: message.CodeBadOption, Text: wrong}
		return
	}
	r.Alpha = s.Alpha
	l.ask(message.StageChoose, "Suggestion", r)
}
