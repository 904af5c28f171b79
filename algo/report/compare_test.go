package report

import (
	"strings"
	"testing"

	"baca/algo/compare"
	"baca/algo/dataset"
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
	if !strings.Contains(page, "script-src 'sha256-") || !strings.Contains(page, "primary alcohol group") || !strings.Contains(page, `data-marked="`) {
		t.Error("there are no differences, no drawings, or nothing is allowed to draw")
	}
	r.Script, r.Undrawn = nil, "nobody draws"
	page = text(WriteComparison, r)
	if lacks(t, page, "<script"); !strings.Contains(page, "nobody draws") {
		t.Error("it is not said why there are no drawings")
	}
}
