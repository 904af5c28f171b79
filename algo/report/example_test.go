package report_test

import (
	"fmt"
	"strings"

	"baca/algo/batch"
	"baca/algo/document"
	"baca/algo/report"
)

// A report on three graphs, one of them outside.
func ExampleWrite() {
	r := &report.Report{
		About: document.About{Title: "Three graphs"}, Read: 4, Refused: 1, Alpha: 0.25,
		Scores: []float64{0.1, 3.2, -0.4}, P: []float64{0.6, 0.2, 0.8}, Holdout: []float64{-0.5, -0.2, 0.3, 1},
		Rows:     []report.Entry{{ID: "tin", SMILES: "C[Sn](C)(C)C", Place: 2, Row: batch.Row{Score: 3.2, P: 0.2}}},
		Refusals: []string{"line 4: ring bond 1 is never closed"},
	}
	r.Judge()
	fmt.Println(r.Outside, "outside,", r.Inside, "inside;", r.Rows[0].ID, "is", r.Rows[0].Row.Verdict)

	var page strings.Builder
	if err := report.Write(&page, r); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Count(page.String(), "<svg"), "charts,", strings.Count(page.String(), "<script"), "scripts")
	// Output:
	// 1 outside, 2 inside; tin is outside
	// 2 charts, 0 scripts
}
