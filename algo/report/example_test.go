package report_test

import (
	"fmt"
	"strings"

	"baca/algo"
	"baca/algo/molecule"
	"baca/algo/report"
)

// A report on three graphs, one of them outside.
func ExampleWrite() {
	r := &report.Report{
		Document: report.Document{Title: "Three graphs"}, Read: 4, Refused: 1, Alpha: 0.25,
		Scores: []float64{0.1, 3.2, -0.4}, P: []float64{0.6, 0.2, 0.8}, Holdout: []float64{-0.5, -0.2, 0.3, 1},
		Rows:     []report.Entry{{ID: "tin", SMILES: "C[Sn](C)(C)C", Place: 2, Row: algo.Row{Score: 3.2, P: 0.2}}},
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

// A sentence about a list as a whole.
func ExampleWhole() {
	fmt.Println(report.Whole("this list", 0.91, 0.0004))
	fmt.Println(report.Whole("this list", 0.52, 0.4))
	// Output:
	// as a whole this list differs from the training set: AUC 0.91, p < 0.001
	// nothing says that this list as a whole differs from the training set (AUC 0.52, p = 0.4)
}

// What was found about the atoms of the canonical form goes back to those of the text.
func ExampleWritten() {
	values := []float64{0.5, 0, -1} // of CCO
	fmt.Println(report.Written("OCC", molecule.Canonical, len(values))(values))
	// Output:
	// [-1 0 0.5]
}

// The command that makes a report again can be pasted into a shell.
func ExampleQuote() {
	fmt.Println("baca report", report.Quote("my molecules.smi"))
	// Output:
	// baca report 'my molecules.smi'
}
