package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"baca/algo/job"
	"baca/app/words"
	"baca/wasm/message"
)

const suggesting = "Suggestion"

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

// SuggestColumns may hold prices or exclusions.
func (s *Session) SuggestColumns() []string {
	if s.Opened == nil || !s.Opened.Molecules {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.Opened.Columns), func(name string) bool {
		return name == "" || s.Header != nil && name == s.Header.Column
	})
}

// Suggest starts suggestions. Earlier ones stay until then.
func (l *Lab) Suggest() {
	s := l.session
	s.Rev.State++
	r, wrong := l.Wish.request(s.SuggestColumns())
	if wrong != "" {
		l.Suggested.Failure = &message.Failed{Code: message.CodeBadOption, Text: wrong}
		return
	}
	l.Suggested.Failure = nil
	r.Alpha = s.Alpha
	s.beginTask(suggesting, r, func(reply message.Reply) {
		s.Rev.All() // drawings are wanted
		l.Suggested.take(reply)
	})
}

func (s *Session) Suggesting() bool { return s.Task != nil && s.Task.name == suggesting }

func suggestingWords(p *message.Progress) string {
	what := "reading and scoring, "
	if p.Stage == message.StageChoose {
		what = "trying each, "
	}
	return what + words.Count(p.Done) + " of " + words.Count(p.Total)
}

// SuggestedWords are sentences on gains, and notes.
func SuggestedWords(m *message.Suggested) (gains []string, notes string) {
	said := m.Sentences
	from := max(len(said)-2, 0) // the last two are gains, if there are picks
	if m.Total == 0 {
		from = max(len(said)-1, 0)
	}
	for _, text := range said[from:] {
		gains = append(gains, words.Capital(text)+".")
	}
	notes = words.Sentences(said[:from])
	if len(m.Refusals) > 0 {
		notes = strings.TrimSpace(notes + " Refused: " + strings.Join(m.Refusals, "; ") + ".")
	}
	return gains, notes
}

func AboutPick(p *job.SuggestedRow) (adds, about string) {
	adds = words.Count(p.Nearer) + " nearer, " + words.Count(p.Inside) + " inside"
	about = "gain " + words.Number(p.Gain) + ", similarity " + words.Number(p.Similarity)
	if p.Price != nil {
		about = "price " + strconv.FormatFloat(*p.Price, 'g', 6, 64) + ", " + about
	}
	return adds, about
}

func (s *Session) SuggestedFile() *message.Exported {
	name := "suggested.csv"
	if s.Opened != nil && s.Opened.Name != "" {
		name = words.Stem(s.Opened.Name) + "-" + name
	}
	return &message.Exported{Name: name, Type: "text/csv", Data: s.Lab.Suggested.Value.File}
}
