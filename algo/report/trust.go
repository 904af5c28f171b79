package report

import (
	"baca/algo/chart"
	"baca/algo/trust"
)

// RiskSVG draws the mean error of the kept molecules by their share: in order of scores, named by,
// at random, and in the best order.
func RiskSVG(a *trust.Audit, by string) string {
	c := &chart.Chart{Title: "Risk and coverage", XAxis: "molecules kept, surest first, %", YAxis: "mean error", High: 100, Top: 1e-9}
	for _, x := range a.Risk {
		c.Top = max(c.Top, 1.2*x) // room for the legend
	}
	shares := make([]float64, a.N)
	for k := range shares {
		shares[k] = 100 * float64(k+1) / float64(a.N)
	}
	curve(c, shares, a.Risk, chart.Outside, false)
	curve(c, shares, a.Best, chart.Inside, false)
	curve(c, []float64{0, 100}, []float64{a.MeanError, a.MeanError}, chart.Ink, true)
	x, y := c.X(0)+14, c.Y(c.Top)+10
	legendAt(c, x, y, chart.Outside, false, "by "+by)
	legendAt(c, x+130, y, chart.Ink, true, "by chance")
	legendAt(c, x+250, y, chart.Inside, false, "by the errors themselves")
	return standalone(c.SVG())
}
