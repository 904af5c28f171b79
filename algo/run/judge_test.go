package run_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/feature/trust"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/model"
	"baca/algo/run"
	"baca/algo/table"
	"baca/algo/training"
	"baca/algo/training/trainingtest"
)

// Predictions are judged one by one as together, those with a score and all that it takes.
func TestJudging(t *testing.T) {
	alone := must.Have(alone.New(t.Context(), trainingtest.Model(), 1))
	for name, judged := range map[string]string{"score": "f n c p s", "": "f n c s"} {
		j := must.Have(trust.Learn(t.Context(), alone, trust.Options{}, name))
		c := j.Calibration
		list := must.Have(run.SampleOf(t.Context(), trainingtest.RecordsOf(trainingtest.Table()), 1, 2))
		must.Do(j.Compare(t.Context(), list.Graphs, list.Sample))
		if len(list.Graphs) != 81 || list.Sample || j.Shift == nil || len(j.Sentences()) != len(c.Sentences())+len(j.Shift.Sentences()) {
			t.Errorf("%d graphs, %t, give %v", len(list.Graphs), list.Sample, j.Shift)
		}
		labels := &training.Labels{ValueColumns: model.ValueColumns{Predicted: "yhat", Uncertainty: "u"}}
		scoring := must.Have(run.New(t.Context(), run.Plan{Model: trainingtest.Model(), Options: batch.DefaultOptions()}))
		rows := must.Have(scoring.Each(t.Context(), trainingtest.RowsOf(trainingtest.Strangers, "yhat", "u")))
		var outcomes []trust.Outcome
		p := &run.Predictions{Judging: j, Values: labels.Of, Outcome: func(o trust.Outcome) { outcomes = append(outcomes, o) }}
		must.Do(p.Judge(t.Context(), rows))
		var ids []string
		for _, row := range rows {
			r, read := row.(*table.Scored)
			if !read || math.IsNaN(r.Trust.Predicted) {
				continue
			}
			v := labels.Of(&r.Entry)
			place := must.Have(trust.Places(t.Context(), alone, []*graph.Graph{r.Graph}, []float64{r.Scores.Alone}))[0]
			p := trust.Prediction{Place: place, Value: v.Predicted, Uncertainty: v.Uncertainty}
			want := c.JudgePrediction(p)
			j.Shift.Judge(p, c.Doubt(p), &want)
			if o := outcomes[len(ids)]; fmt.Sprint(r.Trust, o.Judgement) != fmt.Sprint(want, want) || o.Score != c.Doubt(p) {
				t.Errorf("%s: %+v, want %+v", r.ID, r.Trust, want)
			}
			ids = append(ids, r.ID)
		}
		if got := strings.Join(ids, " "); got != judged {
			t.Errorf("judged by %q: %s, want %s", name, got, judged)
		}
	}
	if f := must.Have(run.SampleOf(t.Context(), trainingtest.RecordsOf("smiles\n"+strings.Repeat("CC\n", run.MaxGraphs+1)), 1, 2)); !f.Sample || len(f.Graphs) != run.MaxGraphs {
		t.Errorf("%d graphs, %t, of a longer list", len(f.Graphs), f.Sample)
	}
	low := slices.Repeat([]trust.Prediction{{Place: trust.Place{Distance: 1, Atoms: 5, Score: -1}}}, 30)
	j := &trust.Judging{Calibration: must.Have(trust.Calibrate(trust.OrderNeighbors, low, make([]float64, 30), trust.Options{})), Alone: alone}
	trained := slices.DeleteFunc(trainingtest.Training().Graphs, func(g *graph.Graph) bool { return !alone.Duplicate(g) })
	if must.Do(j.Compare(t.Context(), trained, true)); len(trained) < trust.MinList || j.Shift.Farther || !j.Shift.Sample {
		t.Errorf("%d training graphs lie farther than held-out ones", len(trained))
	}
}
