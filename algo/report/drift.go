package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// DriftHTML is what the page shows of a drift test. name returns the name of the nth molecule, or plain graph, from 0.
func DriftHTML(plain bool, wealth []float64, delta float64, name func(n int) string) string {
	p := &page{plain: plain}
	p.drift(wealth, delta, name)
	p.add("<p>Each record is scored by itself. The order matters: a sorted file drifts. The test says that something has moved, neither what nor that it matters. No alarm means no evidence so far.</p>\n")
	return p.String()
}

// drift says what a drift test found.
func (p *page) drift(wealth []float64, delta float64, name func(n int) string) {
	highest, at := 0.0, 0
	for i, x := range wealth {
		if x > highest {
			highest, at = x, i
		}
	}
	alarm := power(-math.Log10(delta))
	claim := p.say("the claim that each molecule comes from where the training set came from")
	if first := slices.IndexFunc(wealth, func(x float64) bool { return x >= -math.Log10(delta) }); first > 0 {
		called := ""
		if name != nil {
			called = ", " + escape(name(first-1)) + ","
		}
		p.add("<p class=\"lead\">The input drifts: by molecule %d of %d%s the evidence against %s had reached %s to 1. For molecules like the training set, in any order, the chance of ever getting so far is at most %s. The most was %s to 1, at molecule %d.</p>\n",
			first, len(wealth)-1, called, claim, alarm, percent(delta), power(highest), at)
	} else {
		p.add("<p class=\"lead\">Nothing says that the input drifts: the evidence against %s was never more than %s to 1. An alarm, at a false-alarm rate of %s, needs %s to 1.</p>\n",
			claim, power(highest), percent(delta), alarm)
	}
	p.figure(driftChart(wealth, delta), "Evidence of drift in the order of the input, on a scale of powers of ten (a conformal test martingale). The dashed line is where it becomes an alarm.")
}

// power formats a power of ten.
func power(log float64) string {
	if log < 6 {
		x, _ := strconv.ParseFloat(fmt.Sprintf("%.3g", math.Pow(10, log)), 64)
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return fmt.Sprintf("10<sup>%.0f</sup>", log)
}
