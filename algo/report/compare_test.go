package report

import (
	"strings"
	"testing"

	"baca/algo/compare"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

// Names are escaped, the policy allows the script by its hash alone, and the same comparison gives the
// same bytes.
func TestWriteComparison(t *testing.T) {
	list := func(number int, end string) *compare.List {
		l := compare.NewList(`<script>alert("`+end+`")</script>`, 1, number)
		for n := range 30 {
			text := "C" + strings.Repeat("C", n) + end
			g, _ := must.Both(smiles.ParseIn(text, molecule.Canonical))
			must.Do(l.Add(t.Context(), 1, []dataset.Record{{SMILES: text, Graph: g}}))
		}
		return l
	}
	c := must.Have(compare.Compare(t.Context(), list(0, "O"), list(1, "N"), compare.Options{FDR: 0.05}))
	r := &Comparison{Document{Title: "<i>", Warnings: []string{"<u>"}, Input: []Pair{{"<a>", "<a>"}}, Command: "<p>", Script: []byte("draw()")}, c, nil}
	page := text(WriteComparison, r)
	if page != text(WriteComparison, r) {
		t.Error("two reports of one comparison differ")
	}
	lacks(t, page, "<script>alert", "<i>", "<u>", "<a>", "<b>", "NaN", "%!")
	has(t, page, "&lt;i&gt;", "script-src 'sha256-", "amine group", `data-marked="`, "primary alcohol group")
	r.Script, r.Undrawn = nil, "nobody draws"
	page = text(WriteComparison, r)
	lacks(t, page, "<script")
	has(t, page, "nobody draws")
}

// A report about plain graphs has no molecules and no atoms in it.
func TestWriteComparisonOfPlainGraphs(t *testing.T) {
	list := func(number int) *compare.List {
		l := compare.NewList("trees", 1, number)
		for n := range 30 {
			var edges [][2]int32
			for i := 1; i < n+2; i++ {
				edges = append(edges, [2]int32{int32(i / (number + 1) * number), int32(i)})
			}
			g, _ := must.Both(graph.New(n+2, edges))
			must.Do(l.Add(t.Context(), 1, []dataset.Record{{Graph: g}}))
		}
		return l
	}
	c := must.Have(compare.Compare(t.Context(), list(0), list(1), compare.Options{FDR: 0.05}))
	page := strings.ToLower(text(WriteComparison, &Comparison{Comparison: c}) + CoverageSVG(c) + c.Differs() + c.Shares() + c.TooEasy() + c.Sampled())
	lacks(t, page, "molecule", "atom", "%!")
	has(t, page, "in both: ", "different graphs", "nodes of a graph")
}
