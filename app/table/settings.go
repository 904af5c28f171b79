package table

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"

	"baca/app/words"
)

// Settings are the user's.
type Settings struct {
	Alpha float64 // the rate of false alarms
	FDR   float64 // the deciding false-discovery rate, 0 for α
	By    Decider // see Table.Deciding
}

// A Decider determines verdicts, as message.Score.By.
type Decider uint8

const (
	EachAlone Decider = iota // the record by itself
	TheBatch                 // the record and its list
	ThePaper                 // S_BaCa
	Deciders                 // number of deciders
)

// DeciderWords has each decider's key, name, description and the name of its axis.
func DeciderWords() [Deciders]struct{ Key, Name, About, Axis string } {
	return [Deciders]struct{ Key, Name, About, Axis string }{
		{"alone", "Each molecule alone", "Each molecule is judged by itself: nothing else in the list can change its verdict.", "score"},
		{"batch", "The batch", "Each molecule is judged by itself and by where the list as a whole differs from " +
			"the training set.", "score in the batch"},
		{"attention", "The paper's method",
			"Each molecule is judged by S_BaCa, the score of the paper, which learns from the list: a verdict about this list.",
			"p of S_BaCa"},
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

// Read sets what get returns for the names of settings, as in an address. A wrong value changes nothing.
func (s *Settings) Read(get func(string) string) {
	for _, name := range []string{"alpha", "fdr", "by"} {
		if next := *s; next.Set(name, get(name)) == nil {
			*s = next
		}
	}
}

// Set sets a setting of an address, a link or a frame.
func (s *Settings) Set(name, value string) (err error) {
	said := words.Shorten(value, 20)
	switch name {
	case "alpha":
		if s.Alpha, err = strconv.ParseFloat(value, 64); err != nil || !(s.Alpha > 0 && s.Alpha <= mostAlpha) {
			return fmt.Errorf("α is %q, want a number above 0 and up to %g", said, mostAlpha)
		}
	case "fdr":
		if s.FDR, err = strconv.ParseFloat(value, 64); err != nil || !slices.Contains(Rates(), s.FDR) {
			return fmt.Errorf("the false-discovery rate is %q, want one of %v", said, Rates())
		}
	case "by":
		s.By = DeciderOf(value)
		if DeciderWords()[s.By].Key != value {
			return fmt.Errorf("what decides is %q, want alone, batch or attention", said)
		}
	default:
		return fmt.Errorf("it has %q, which this page does not know", words.Shorten(name, 20))
	}
	return nil
}

// Values are the settings for an address or a link, with a model's key unless empty.
func (s *Settings) Values(model string) url.Values {
	v := url.Values{"alpha": {strconv.FormatFloat(s.Alpha, 'g', 3, 64)}}
	if model != "" {
		v.Set("model", model)
	}
	if s.FDR > 0 {
		v.Set("fdr", strconv.FormatFloat(s.FDR, 'g', 3, 64))
	}
	if s.By != EachAlone {
		v.Set("by", DeciderWords()[s.By].Key)
	}
	return v
}

// Rates are the false-discovery rates on offer.
func Rates() []float64 { return []float64{0.01, 0.05, 0.1, 0.2, 0.3} }

// Defaults of α and of the rate.
const (
	UsualAlpha = 0.05
	UsualRate  = 0.1
)

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
