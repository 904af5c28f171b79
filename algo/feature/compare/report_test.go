package compare

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"baca/algo/document"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

// A report says what is true of small lists, and what the page shows is a part of it.
func TestReportSaysWhatIsThere(t *testing.T) {
	var s golden.Pages
	var c Comparison
	must.Do(json.Unmarshal(must.Have(os.ReadFile("testdata/comparison.json")), &c))
	s.Page(t, "comparison", golden.Text(Write, &Report{document.About{
		Title: golden.Evil, Warnings: []string{golden.Evil}, Input: []document.Pair{{"input", golden.Evil}}, Command: "baca report 'a b.smi'", Script: []byte("draw()"),
	}, &c, []document.Pair{{"seed", "1"}}}))
	c.Named, c.Evidence = c.Named[:31], Evidence{Skipped: "few"}
	s.Page(t, "comparison in the page", golden.Between((&Report{Comparison: &c}).HTML(), "", "<h2>Nearest"))
	page := golden.Text(Write, &Report{document.About{Undrawn: "no script"}, &c, nil})
	s.Page(t, "comparison without drawings", golden.Between(page, "<h2>Frag", "<h2>Nearest"))
	c.Plain, c.Named, c.Fragments = true, nil, nil
	page = golden.Text(Write, &Report{document.About{Script: []byte("x")}, &c, nil})
	golden.Lacks(t, strings.ToLower(page+c.CoverageSVG()), "molecule", "atom")
	s.Page(t, "comparison of plain graphs", golden.Between(page, "", "<h2>Nearest"))
	fmt.Fprintln(&s, "a file:", strings.Count(c.CoverageSVG(), `<svg xmlns="http://www.w3.org/2000/svg"`))
	golden.Same(t, "testdata/report.txt", s.String())
}
