package run_test

import (
	"fmt"
	"reflect"
	"testing"

	"baca/algo/batch"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/model"
	"baca/algo/run"
	"baca/algo/table"
	"baca/algo/training/trainingtest"
	"baca/weights"
)

// Each record has the rows of all models, as if each had scored it alone.
func TestOtherModels(t *testing.T) {
	first, second := must.Have(weights.Open("bbbp")), trainingtest.Model()
	score := func(m *model.Model, others ...*model.Model) (rows []table.Row) {
		r := must.Have(run.New(t.Context(), run.Plan{
			Model: m, Options: batch.DefaultOptions(), Others: others, Input: run.Input{Records: trainingtest.RecordsOf(trainingtest.Strangers)},
			Rows: func(some []table.Row) error { rows = append(rows, some...); return nil },
		}))
		must.Do(r.Do(t.Context()))
		return rows
	}
	both, one, two := score(first, second, first), score(first), score(second)
	for i, row := range both {
		r, read := row.(*table.Scored)
		if read && fmt.Sprint(r.Scores, r.Others) != fmt.Sprint(one[i].(*table.Scored).Scores, []batch.Row{two[i].(*table.Scored).Scores, one[i].(*table.Scored).Scores}) {
			t.Errorf("%s: %+v", r.ID, r.Others)
		}
	}
	const whole, guard = "as a whole this list differs from the training set: AUC 0.75, p < 0.001",
		"note: outside by the batch also needs p <= 0.05 by itself, or that hardly any training graph is as much like this list (batch_foreign)"
	for _, c := range []struct {
		f    *run.Fit
		by   string
		both bool
		want []string
	}{
		{nil, batch.ByBatch, true, nil}, {&run.Fit{}, batch.ByBatch, true, nil},
		{&run.Fit{Report: &batch.Report{Few: true}}, batch.ByBatch, true, nil},
		{&run.Fit{Report: &batch.Report{Few: true}}, batch.ByAlone, true,
			[]string{"note: fewer than 20 graphs are no batch, so there is no second answer"}},
		{&run.Fit{Report: &batch.Report{Evidence: 0.75}}, batch.ByBatch, false, []string{whole, guard}},
		{&run.Fit{Report: &batch.Report{Evidence: 0.75, Differences: []string{"More", "rings"}}, Graphs: make([]*graph.Graph, 3), Sample: true},
			batch.ByAlone, true,
			[]string{whole, "what makes the difference: More; rings", "note: an even sample of 3 graphs forms the batch", guard}},
		{&run.Fit{Report: &batch.Report{Evidence: 0.75}, Graphs: make([]*graph.Graph, 3), Sample: true, First: true}, batch.ByAlone, false,
			[]string{whole, "note: the first 3 graphs form the batch; from a file, a sample of all forms it instead"}},
	} {
		if got := c.f.Sentences(c.by, c.both, 0.05); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
