package session

import (
	"math"
	"net/url"
	"slices"
	"strconv"

	"baca/app/words"
	"baca/wasm/message"
)

// Settings are what the user has chosen to judge by.
type Settings struct {
	Alpha float64 // the rate of false alarms
	FDR   float64 // the rate of false discoveries that decides, 0 for α
	By    Decider // see Result.Deciding
}

// A Decider is what verdicts follow from, as message.Score.By.
type Decider uint8

const (
	EachAlone Decider = iota // the record by itself
	TheBatch                 // that and what the list is like as a whole
	ThePaper                 // S_BaCa
	Deciders                 // how many there are
)

// DeciderWords name each decider for addresses and files, on the page, and in one
// sentence, and say what its scores are called.
func DeciderWords() [Deciders]struct{ Key, Name, About, Score string } {
	return [Deciders]struct{ Key, Name, About, Score string }{
		{"alone", "Each molecule alone", "Each molecule is judged by itself: nothing else in the list can change its verdict.", "score"},
		{"batch", "The batch", "Each molecule is judged by itself and by where the list as a whole differs from the training set.", "score in the batch"},
		{"attention", "The paper's method", "Each molecule is judged by S_BaCa, the score of the paper, which learns from the list as a whole.", "S_BaCa"},
	}
}

// DeciderOf reads the key of a decider, EachAlone for any other text.
func DeciderOf(key string) Decider {
	for d, w := range DeciderWords() {
		if w.Key == key {
			return Decider(d)
		}
	}
	return EachAlone
}

// Read takes the settings that an address has, by their names.
func (s *Settings) Read(get func(string) string) {
	if a, err := strconv.ParseFloat(get("alpha"), 64); err == nil && a > 0 && a <= mostAlpha {
		s.Alpha = a
	}
	if rate, err := strconv.ParseFloat(get("fdr"), 64); err == nil && slices.Contains(Rates(), rate) {
		s.FDR = rate
	}
	s.By = DeciderOf(get("by"))
}

// Query has the settings as an address has them, with a model unless it is nil.
func (s *Settings) Query(model *message.Model) string {
	query := "?"
	if model != nil {
		query += "model=" + url.QueryEscape(Key(model)) + "&"
	}
	query += "alpha=" + strconv.FormatFloat(s.Alpha, 'g', 3, 64)
	if s.FDR > 0 {
		query += "&fdr=" + strconv.FormatFloat(s.FDR, 'g', 3, 64)
	}
	if s.By != EachAlone {
		query += "&by=" + DeciderWords()[s.By].Key
	}
	return query
}

// Rates are the rates of false discoveries to choose from.
func Rates() []float64 { return []float64{0.01, 0.05, 0.1, 0.2, 0.3} }

// UsualRate is the one to begin with.
const UsualRate = 0.1

// The slider of α goes from 0.1 % to 30 % in logarithmic steps.
const (
	leastAlpha, mostAlpha = 0.001, 0.3
	AlphaSteps            = 100
)

// AlphaOf gives the α of a step of the slider, with two digits.
func AlphaOf(step int) float64 {
	return words.Round(leastAlpha*math.Pow(mostAlpha/leastAlpha, float64(step)/AlphaSteps), 2)
}

// StepOf gives the step nearest to an α.
func StepOf(alpha float64) int {
	x := math.Log(alpha/leastAlpha) / math.Log(mostAlpha/leastAlpha)
	return min(max(int(math.Round(x*AlphaSteps)), 0), AlphaSteps)
}
