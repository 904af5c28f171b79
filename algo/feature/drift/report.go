package drift

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"baca/algo/chart"
	"baca/algo/document"
	"baca/algo/report"
)

// HTML returns what the page in the browser shows of a drift test. name returns the name of molecule or graph n, from 0.
func HTML(plain bool, wealth []float64, delta float64, name func(n int) string) string {
	p := &document.Page{Plain: plain}
	section(p, wealth, delta, name)
	p.Add("<p>Each record is scored by itself. The order matters: a sorted file drifts. The test says that something has moved, neither what nor that it matters. No alarm means no evidence so far.</p>\n")
	return p.String()
}

// Take adds the score of the next entry of a report.
func (d *Drift) Take(e *report.Entry) { d.Add(e.Row.Alone) }

// Write adds a section on what the test found, if it has seen anything.
func (d *Drift) Write(p *document.Page) {
	if len(d.Wealth) > 1 {
		p.Add("<h2>Does the input drift?</h2>\n")
		section(p, d.Wealth, Delta, nil)
	}
}

// section adds what a drift test found, from its wealth at the start and after each molecule. name, which may be nil, names
// molecule or graph n.
func section(p *document.Page, wealth []float64, delta float64, name func(n int) string) {
	highest, at := 0.0, 0
	for i, x := range wealth {
		if x > highest {
			highest, at = x, i
		}
	}
	alarm := power(-math.Log10(delta))
	claim := p.Say("the claim that each molecule comes from where the training set came from")
	if first := slices.IndexFunc(wealth, func(x float64) bool { return x >= -math.Log10(delta) }); first > 0 {
		called := ""
		if name != nil {
			called = ", " + document.Escape(name(first-1)) + ","
		}
		p.Add("<p class=\"lead\">The input drifts: by molecule %d of %d%s the evidence against %s had reached %s to 1. For molecules like the training set, in any order, the chance of ever getting so far is at most %s. The most was %s to 1, at molecule %d.</p>\n",
			first, len(wealth)-1, called, claim, alarm, document.Percent(delta, 4), power(highest), at)
	} else {
		p.Add("<p class=\"lead\">Nothing says that the input drifts: the evidence against %s was never more than %s to 1. An alarm, at a false-alarm rate of %s, needs %s to 1.</p>\n",
			claim, power(highest), document.Percent(delta, 4), alarm)
	}
	p.Figure(evidenceChart(wealth, delta).SVG(), "Evidence of drift in the order of the input, on a scale of powers of ten (a conformal test martingale). The dashed line is where it becomes an alarm.")
}

// power formats 10 to a power for HTML.
func power(log float64) string {
	if log < 6 {
		x, _ := strconv.ParseFloat(fmt.Sprintf("%.3g", math.Pow(10, log)), 64)
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return fmt.Sprintf("10<sup>%.0f</sup>", log)
}

// evidenceChart draws the logarithm, to base 10, of the wealth of a drift test after each molecule, from the start on, with a
// line at the alarm, −log10(delta).
func evidenceChart(wealth []float64, delta float64) *chart.Chart {
	level := -math.Log10(delta)
	c := &chart.Chart{Title: "Evidence of drift", XAxis: "molecules so far", YAxis: "powers of ten", Bottom: -1, Top: level * 1.2, High: float64(len(wealth) - 1)}
	for _, x := range wealth {
		c.Bottom, c.Top = min(c.Bottom, x), max(c.Top, 1.05*x)
	}
	c.Level(level)
	c.Path(wealth)
	return c
}

// SVG draws the wealth of a drift test, in powers of ten from the start. delta is its rate of false alarms.
func SVG(wealth []float64, delta float64) string {
	return evidenceChart(wealth, delta).File()
}
