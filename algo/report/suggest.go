package report

import (
	"baca/algo/chart"
	"baca/algo/suggest"
)

// SuggestionSVG draws how far a library of things is from the training set after each pick, for the
// suggestion, random picks and the highest scores.
func SuggestionSVG(s *suggest.Suggestion, things string) string {
	c := &chart.Chart{
		Title: "What picks gain", XAxis: things + " measured", YAxis: "deviations away",
		High: float64(max(1, len(s.Far)-1)), Top: 1.08 * max(s.Far[0], 1e-9),
	}
	for k, line := range []struct {
		far    []float64
		colour string
		dashed bool
		label  string
	}{{s.Far, chart.Outside, false, "suggested"}, {s.FarRandom, chart.Inside, false, "random"}, {s.FarTop, chart.Ink, true, "highest scores"}} {
		x := make([]float64, len(line.far))
		for i := range x {
			x[i] = float64(i)
		}
		curve(c, x, line.far, line.colour, line.dashed)
		legendAt(c, c.X(0)+14, c.Y(0)-56+16*float64(k), line.colour, line.dashed, line.label)
	}
	return standalone(c.SVG())
}
