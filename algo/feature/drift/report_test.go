package drift

import (
	"fmt"
	"strings"
	"testing"

	"baca/algo/document"
	"baca/algo/internal/golden"
)

// A report says what is true of short paths.
func TestReportSaysWhatIsThere(t *testing.T) {
	var s golden.Pages
	s.Page(t, "drift", HTML(false, []float64{0, 2, 5.63}, 0.01, func(n int) string { return fmt.Sprint("<", n, ">") }))
	s.Page(t, "no drift", HTML(true, []float64{0, -2, 0.3}, 1e-6, nil))
	var report document.Page
	(&Drift{Wealth: []float64{0}}).Write(&report)
	(&Drift{Wealth: []float64{0, -1.5, 1, 2, 7, 7, 3}}).Write(&report)
	s.Page(t, "parts of reports", report.String())
	fmt.Fprintln(&s, "a file:", strings.Count(SVG([]float64{0, 1}, 0.01), `<svg xmlns="http://www.w3.org/2000/svg"`))
	golden.Same(t, "testdata/report.txt", s.String())
}
