package trust

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

// No curve crosses the legend.
func TestRiskLegendIsAboveCurves(t *testing.T) {
	for _, risk := range [][]float64{{9, 5, 4, 3}, {0, 0, 0, 1}, {1}, {2, 2, 2, 2}} {
		n := len(risk)
		svg := (&Audit{N: n, Risk: risk, Best: risk, MeanError: risk[n-1]}).RiskSVG("score")
		legend := must.Have(strconv.ParseFloat(regexp.MustCompile(`y="([\d.]+)">by `).FindStringSubmatch(svg)[1], 64))
		curves := regexp.MustCompile(`d="(M[^h"]*)" fill="none"`).FindAllStringSubmatch(svg, -1)
		if len(curves) != 3 {
			t.Fatalf("%d curves, a legend at %g: %s", len(curves), legend, svg)
		}
		for _, c := range curves {
			for _, m := range regexp.MustCompile(` ([\d.]+)`).FindAllStringSubmatch(c[1], -1) {
				if y, err := strconv.ParseFloat(m[1], 64); err != nil || y < legend {
					t.Errorf("risk %v: a curve goes up to %g, the legend down to %g", risk, y, legend)
				}
			}
		}
	}
}

// A report says what is true of small lists.
func TestReportSaysWhatIsThere(t *testing.T) {
	var s golden.Pages
	var pairs []Pair
	for k := range 40 {
		pairs = append(pairs, Pair{Score: float64(k), Error: float64(k) / 10})
	}
	judged := must.Have(New(pairs, Options{Tolerance: 2, Rate: 0.2}))
	var outcomes []Outcome
	for k := range 25 {
		outcomes = append(outcomes, Outcome{Score: float64(k), Observed: float64(k) / 8, Judgement: judged.Judge(float64(k), 0)})
	}
	judged.HeldOut = map[Verdict]Rate{
		Trust: {N: 10, Large: 5, Share: 0.5}, Check: {N: 5, Large: 1, Share: 0.2}, DoNotUse: {N: 4, Large: 4, Share: 1, Low: 0.5, High: 1},
	}
	s.Page(t, "trust", HTML([]string{"it rests on this"}, judged, NewAudit(outcomes, judged), []string{"a problem"}))
	s.Page(t, "trust without values", HTML(nil, judged, nil, nil))
	s.Page(t, "trust of three", golden.Between(HTML(nil, judged, NewAudit(outcomes[:3], judged), nil), "How many", "<figure"))
	fmt.Fprintln(&s, "a file:", strings.Count(NewAudit(outcomes, judged).RiskSVG("score"), `<svg xmlns="http://www.w3.org/2000/svg"`))
	golden.Same(t, "testdata/report.txt", s.String())
}
