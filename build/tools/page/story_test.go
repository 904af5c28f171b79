package main

import (
	"slices"
	"testing"

	"baca/algo"
	"baca/algo/batch"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/run"
	page "baca/app/run"
	"baca/build/internal/try"
	"baca/web"
	"baca/weights"
)

// The story of an example is of the molecule for which the paper's method gains most: by itself and by S_BaCa it is
// outside, and of all such molecules S_Pre takes it most of all for one of the training set.
func TestStory(t *testing.T) {
	model := try.To(weights.Open(weights.Default))
	o := algo.DefaultOptions()
	o.By = algo.ByAttention
	scoring := try.To(run.New(t.Context(), run.Plan{Model: model, Options: o, Batch: true}))
	told := 0
	for _, e := range page.Examples() {
		records := try.To(recordsOf(e.Molecules(web.Examples()), scoring.Form()))
		if len(records) == 0 {
			continue
		}
		var graphs []*graph.Graph
		for _, r := range records {
			graphs = append(graphs, r.Graph)
		}
		report := try.To(try.To(batch.NewScorer(t.Context(), model, o)).Batch(t.Context(), graphs))
		pre := func(rows []batch.Row) (list []float64) {
			for _, r := range rows {
				list = append(list, r.Pre)
			}
			return list
		}
		best, name := o.Alpha, ""
		for i, p := range decide.PValues(pre(report.Rows), pre(report.Holdout)) {
			if r := report.Rows[i]; p > best && r.Verdict == decide.Outside && r.AloneP <= o.Alpha {
				best, name = p, records[i].ID
			}
		}
		if name != e.Story {
			t.Errorf("the story of %q is of %q, want %q, p %.3f by S_Pre", e.Name, e.Story, name, best)
		}
		told++
	}
	if told != 2 || slices.ContainsFunc(page.Examples(), func(e page.Example) bool { return e.Story == "" && e.Molecules(web.Examples()) != "" }) {
		t.Errorf("%d examples have a story", told)
	}
}
