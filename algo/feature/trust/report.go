package trust

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"baca/algo/chart"
	"baca/algo/document"
)

// HTML returns what the page shows of judged predictions, with the sentences basis on what they rest on. The audit is nil
// without observed values.
func HTML(basis []string, c *Calibration, a *Audit, problems []string) string {
	p := new(document.Page)
	if a != nil {
		for _, text := range a.Sentences(c) {
			p.Add("<p class=\"lead\">%s</p>\n", document.Prose(text))
		}
	}
	p.Warnings(problems)
	writeVerdicts(p, c, a)
	if a != nil {
		p.Add("<h2>How many to keep</h2>\n")
		writeKept(p, a, c.By.Words())
		p.Figure(a.risks(c.By.Words()).SVG(), a.UnderCurve())
	}
	p.Add("<h2>What this rests on</h2>\n")
	for _, text := range basis {
		p.Add("<p>%s.</p>\n", document.Prose(document.Capital(text)))
	}
	return p.String()
}

// writeVerdicts writes a table of large errors, found and stated.
func writeVerdicts(p *document.Page, c *Calibration, a *Audit) {
	heads := []string{"verdict"}
	if a != nil {
		heads = append(heads, "#molecules", "#mean error", "#above "+document.PValue(c.Tolerance)+" (95&nbsp;% interval)")
	}
	p.Table(append(heads, "#stated for held-out molecules")...)
	stated := map[Verdict]string{}
	for _, s := range c.Statements() {
		text := large(s.Rate)
		if len(s.Verdicts) > 1 {
			text += ", " + document.Escape(s.Words())
		}
		for _, v := range s.Verdicts {
			stated[v] = text
		}
	}
	for _, v := range Verdicts() {
		p.Add("<tr><td>%s</td>", strings.ReplaceAll(string(v), "-", " "))
		if a != nil {
			n := a.Verdicts[v]
			p.Add("<td class=\"n\">%d</td><td class=\"n\">%s</td><td class=\"n\">%s</td>", n.N, document.Number(n.MeanError, 3), large(n.Rate))
		}
		p.Add("<td class=\"n\">%s</td></tr>\n", cmp.Or(stated[v], "–"))
	}
	p.Add("</tbody>\n</table></div>\n")
}

// large is a share of large errors with its interval.
func large(r Rate) string {
	if r.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%s of %d (%.0f–%.0f&nbsp;%%)", document.Percent(r.Share, 3), r.N, 100*r.Low, 100*r.High)
}

// writeKept writes a table of the mean error by how many molecules are kept, from 10 to 100 %. by names the scores.
func writeKept(p *document.Page, a *Audit, by string) {
	p.Table("#kept", "#molecules", "#mean error", "#"+document.Escape(by)+" up to")
	for share := 10; share <= 100; share += 10 {
		n := max(int(math.Round(float64(share*a.N)/100)), 1)
		p.Add("<tr>")
		p.Numbers(fmt.Sprintf("%d&nbsp;%%", share), strconv.Itoa(n), document.Number(a.Risk[n-1], 3), document.Number(a.Scores[n-1], 3))
		p.Add("</tr>\n")
	}
	p.EndTable()
}

// RiskSVG draws the mean error of the kept molecules by their share: in order of scores, named by,
// at random, and in the best order.
func (a *Audit) RiskSVG(by string) string { return a.risks(by).File() }

// risks returns the chart that RiskSVG draws.
func (a *Audit) risks(by string) *chart.Chart {
	c := &chart.Chart{Title: "Risk and coverage", XAxis: "molecules kept, surest first, %", YAxis: "mean error", High: 100, Top: 1e-9}
	for _, x := range a.Risk {
		c.Top = max(c.Top, 1.2*x) // room for the legend
	}
	shares := make([]float64, a.N)
	for k := range shares {
		shares[k] = 100 * float64(k+1) / float64(a.N)
	}
	x, y := c.X(0)+14, c.Y(c.Top)+10              // the legend
	behind := x + max(130, 50+6*float64(len(by))) // its first entry
	for _, l := range []struct {
		chart.Curve
		at float64
	}{
		{chart.Curve{X: shares, Y: a.Risk, Colour: chart.Outside, Label: "by " + by}, x},
		{chart.Curve{X: shares, Y: a.Best, Colour: chart.Inside, Label: "by the errors themselves"}, behind + 120},
		{chart.Curve{X: []float64{0, 100}, Y: []float64{a.MeanError, a.MeanError}, Colour: chart.Ink, Dashed: true, Label: "by chance"}, behind},
	} {
		c.Curve(l.Curve)
		c.Legend(l.Curve, l.at, y)
	}
	return c
}
