package report

import (
	"fmt"
	"math"
	"strings"

	"baca/algo/chart"
	"baca/algo/feature/trust"
)

// TrustHTML is what the page shows of judged predictions, with sentences on what they rest on. The audit is nil without
// observed values.
func TrustHTML(basis []string, c *trust.Calibration, a *trust.Audit, problems []string) string {
	p := new(page)
	if a != nil {
		for _, text := range a.Sentences(c) {
			p.add("<p class=\"lead\">%s</p>\n", words(text))
		}
	}
	p.warnings(problems)
	p.verdicts(c, a)
	if a != nil {
		p.add("<h2>How many to keep</h2>\n")
		p.kept(a, c.By.Words())
		p.figure(riskChart(a, c.By.Words()), a.UnderCurve())
	}
	p.add("<h2>What this rests on</h2>\n")
	for _, text := range basis {
		p.add("<p>%s.</p>\n", words(capital(text)))
	}
	return p.String()
}

// verdicts is a table of large errors, found and stated.
func (p *page) verdicts(c *trust.Calibration, a *trust.Audit) {
	p.add("<div class=\"wide\"><table>\n<thead><tr><th>verdict</th>")
	if a != nil {
		p.add("<th class=\"n\">molecules</th><th class=\"n\">mean error</th><th class=\"n\">above %s (95&nbsp;%% interval)</th>", pValue(c.Tolerance))
	}
	p.add("<th class=\"n\">stated for held-out molecules</th></tr></thead>\n<tbody>\n")
	stated := map[trust.Verdict]string{}
	for _, s := range c.Statements() {
		text := large(s.Rate)
		if len(s.Verdicts) > 1 {
			text += ", " + escape(s.Words())
		}
		for _, v := range s.Verdicts {
			stated[v] = text
		}
	}
	for _, v := range trust.Verdicts() {
		p.add("<tr><td>%s</td>", strings.ReplaceAll(string(v), "-", " "))
		if a != nil {
			n := a.Verdicts[v]
			p.add("<td class=\"n\">%d</td><td class=\"n\">%s</td><td class=\"n\">%s</td>", n.N, number(n.MeanError, 3), large(n.Rate))
		}
		text, found := stated[v]
		if !found {
			text = "–"
		}
		p.add("<td class=\"n\">%s</td></tr>\n", text)
	}
	p.add("</tbody>\n</table></div>\n")
}

// large is a share of large errors with its interval.
func large(r trust.Rate) string {
	if r.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%s of %d (%.0f–%.0f&nbsp;%%)", percent3(r.Share), r.N, 100*r.Low, 100*r.High)
}

// kept is a table of the mean error by how many molecules are kept.
func (p *page) kept(a *trust.Audit, by string) {
	p.add("<div class=\"wide\"><table>\n<thead><tr><th class=\"n\">kept</th><th class=\"n\">molecules</th><th class=\"n\">mean error</th><th class=\"n\">%s up to</th></tr></thead>\n<tbody>\n", escape(by))
	for share := 10; share <= 100; share += 10 {
		n := max(int(math.Round(float64(share*a.N)/100)), 1)
		p.add("<tr><td class=\"n\">%d&nbsp;%%</td><td class=\"n\">%d</td><td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n", share, n, number(a.Risk[n-1], 3), number(a.Scores[n-1], 3))
	}
	p.add("</tbody>\n</table></div>\n")
}

// RiskSVG draws the mean error of the kept molecules by their share: in order of scores, named by,
// at random, and in the best order.
func RiskSVG(a *trust.Audit, by string) string { return standalone(riskChart(a, by)) }

func riskChart(a *trust.Audit, by string) string {
	c := &chart.Chart{Title: "Risk and coverage", XAxis: "molecules kept, surest first, %", YAxis: "mean error", High: 100, Top: 1e-9}
	for _, x := range a.Risk {
		c.Top = max(c.Top, 1.2*x) // room for the legend
	}
	shares := make([]float64, a.N)
	for k := range shares {
		shares[k] = 100 * float64(k+1) / float64(a.N)
	}
	x, y := c.X(0)+14, c.Y(c.Top)+10
	behind := x + max(130, 50+6*float64(len(by)))
	for _, l := range []struct {
		curve
		at float64
	}{
		{curve{shares, a.Risk, chart.Outside, false, "by " + by}, x},
		{curve{shares, a.Best, chart.Inside, false, "by the errors themselves"}, behind + 120},
		{curve{[]float64{0, 100}, []float64{a.MeanError, a.MeanError}, chart.Ink, true, "by chance"}, behind},
	} {
		l.draw(c)
		l.legend(c, l.at, y)
	}
	return c.SVG()
}
