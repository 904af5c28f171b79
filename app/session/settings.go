package session

import (
	"math"
	"net/url"
	"slices"
	"strconv"

	"baca/app/words"
	"baca/wasm/message"
)

// Settings are the user's.
type Settings struct {
	Alpha float64 // the rate of false alarms
	FDR   float64 // the deciding false-discovery rate, 0 for α
	By    Decider // see Result.Deciding
}

// A Decider determines verdicts, as message.Score.By.
type Decider uint8

const (
	EachAlone Decider = iota // the record by itself
	TheBatch                 // the record and its list
	ThePaper                 // S_BaCa
	Deciders                 // number of deciders
)

// DeciderWords has each decider's key, name, description and score name.
func DeciderWords() [Deciders]struct{ Key, Name, About, Score string } {
	return [Deciders]struct{ Key, Name, About, Score string }{
		{"alone", "Each molecule alone", "Each molecule is judged by itself: nothing else in the list can change its verdict.", "score"},
		{"batch", "The batch", "Each molecule is judged by itself and by where the list as a whole differs from the training set.", "score in the batch"},
		{"attention", "The paper's method", "Each molecule is judged by S_BaCa, the score of the paper, which learns from the list as a whole.", "S_BaCa"},
	}
}

// DeciderOf parses a key, by default EachAlone.
func DeciderOf(key string) Decider {
	for d, w := range DeciderWords() {
		if w.Key == key {
			return Decider(d)
		}
	}
	return EachAlone
}

// Read reads the settings of an address.
func (s *Settings) Read(get func(string) string) {
	if a, err := strconv.ParseFloat(get("alpha"), 64); err == nil && a > 0 && a <= mostAlpha {
		s.Alpha = a
	}
	if rate, err := strconv.ParseFloat(get("fdr"), 64); err == nil && slices.Contains(Rates(), rate) {
		s.FDR = rate
	}
	s.By = DeciderOf(get("by"))
}

// Query writes the settings for an address, with a model unless nil.
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

// Rates are the false-discovery rates on offer.
func Rates() []float64 { return []float64{0.01, 0.05, 0.1, 0.2, 0.3} }

// UsualRate is the default.
const UsualRate = 0.1

// α's slider is logarithmic from 0.1 % to 30 %.
const (
	leastAlpha, mostAlpha = 0.001, 0.3
	AlphaSteps            = 100
)

// AlphaOf is a step's α, with two digits.
func AlphaOf(step int) float64 {
	return words.Round(leastAlpha*math.Pow(mostAlpha/leastAlpha, float64(step)/AlphaSteps), 2)
}

// StepOf is the step nearest to an α.
func StepOf(alpha float64) int {
	x := math.Log(alpha/leastAlpha) / math.Log(mostAlpha/leastAlpha)
	return min(max(int(math.Round(x*AlphaSteps)), 0), AlphaSteps)
}
