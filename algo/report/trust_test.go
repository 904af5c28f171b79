package report

import (
	"regexp"
	"strconv"
	"testing"

	"baca/algo/feature/trust"
	"baca/algo/internal/must"
)

// No curve crosses the legend.
func TestRiskLegendIsAboveCurves(t *testing.T) {
	for _, risk := range [][]float64{{9, 5, 4, 3}, {0, 0, 0, 1}, {1}, {2, 2, 2, 2}} {
		n := len(risk)
		svg := RiskSVG(&trust.Audit{N: n, Risk: risk, Best: risk, MeanError: risk[n-1]}, "score")
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
