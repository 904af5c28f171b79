package report_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"baca/algo/alone"
	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/dictionary"
	"baca/algo/document"
	"baca/algo/feature/drift"
	"baca/algo/graph"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/report"
	"baca/algo/run"
	"baca/algo/table"
	"baca/algo/training/trainingtest"
)

// Rows of a batch are explained by it, and a report judges them.
func TestBatchAndReport(t *testing.T) {
	alone := must.Have(alone.New(t.Context(), trainingtest.Model(), 1))
	rows := trainingtest.Table() + strings.Repeat(strings.TrimPrefix(trainingtest.Strangers, trainingtest.Header), 5)
	for _, by := range []string{batch.ByAlone, batch.ByBatch, batch.ByAttention} {
		o := batch.DefaultOptions()
		o.Attention.Steps, o.Attention.Draws, o.Attention.Synthetic, o.Attention.TopK, o.By, o.Seed = 10, 8, 8, 6, by, 4
		o.Workers = 2
		m := trainingtest.Model()
		m.Card.Epochs = 300 // as the paper's method needs
		r := report.New(alone, o, 0.2, drift.New(alone, 4))
		var all []table.Row
		scoring := must.Have(run.New(t.Context(), run.Plan{
			Model: m, Options: o, Batch: true, Columns: table.Usual | table.OfReasons | table.OfNeighbors | table.OfStructure, Neighbors: 3,
			Input: run.Input{Records: trainingtest.RecordsOf(rows)}, Fitted: func(f *run.Fit) error { r.Fitted(f.Report); return nil },
			Rows: func(some []table.Row) error { all = append(all, some...); r.Add(some); return nil },
		}))
		must.Do(scoring.Do(t.Context()))
		fit, scorer := scoring.Fit, scoring.Scorer
		named := 0
		path := drift.New(alone, 4)
		var scores []float64
		var refused []string
		for i, row := range all {
			s, read := row.(*table.Scored)
			if !read {
				refused = append(refused, row.Input().Err.Error())
				continue
			}
			scores = append(scores, s.Scores.Score)
			path.Add(s.Scores.Alone)
			own, _ := slices.BinarySearch(fit.Records, i)
			var want []float64
			for _, k := range scorer.Attention().Explain(must.Have(alone.Embedding(t.Context(), s.Graph)), own).OutKeys {
				entry := scorer.Attention().Dictionary(dictionary.OOD).Entry(k.Key)
				if entry.Origin == dictionary.Test {
					want = append(want, float64(all[fit.Records[entry.Index]].Input().Row))
				}
			}
			named = max(named, len(want))
			if want = want[:min(3, len(want))]; !slices.Equal(s.Why.LikeOutside, want) {
				t.Errorf("%s is like %v, want %v", s.ID, s.Why.LikeOutside, want)
			}
			if math.Abs(s.Why.Score-s.Scores.Alone) > 1e-9 || len(s.Nearest) != len(alone.Nearest(s.Graph, 3)) || len(s.Why.Atoms) < s.Graph.N() {
				t.Errorf("%s scores %g, %g if explained, with %d neighbours", s.ID, s.Scores.Alone, s.Why.Score, len(s.Nearest))
			}
		}
		last := all[len(all)-1].(*table.Scored)
		if x := last.Why; last.Structure != "O=CO" || len(x.Atoms) != 4 || !math.IsNaN(x.Atoms[0]) || x.Atoms[2] != x.Contributions[1] {
			t.Errorf("sodium formate is read as %s, with %v of %v", last.Structure, last.Why.Atoms, last.Why.Contributions)
		}
		if by != batch.ByAlone && named < 4 {
			t.Errorf("%d records are the most that one is like", named)
		}
		var asked []int
		must.Do(r.Finish(t.Context(), molecule.Parent, func(places []int) ([]*graph.Graph, error) {
			asked = places
			return lists.Map(places, func(p int) *graph.Graph { return all[p-1].(*table.Scored).Graph }), nil
		}))
		order := slices.Sorted(slices.Values(scores))
		slices.Reverse(order)
		got := lists.Map(r.Rows, func(e report.Entry) float64 { return e.Row.Score })
		if r.Read != len(all) || r.Refused != 6 || !slices.Equal(r.Refusals, refused) || !slices.Equal(got, order) ||
			!slices.Equal(r.Scores, scores) || !slices.Equal(r.Parts[0].(*drift.Drift).Wealth, path.Wealth) {
			t.Errorf("%s: %d read, %d refused, %q, %v", by, r.Read, r.Refused, r.Refusals, got)
		}
		if len(r.Top) != report.MaxTop || len(asked) != report.MaxTop || asked[3] != r.Rows[3].Place || r.Top[3].Why == nil ||
			r.Top[9].Place != asked[9] {
			t.Errorf("%s: %d on top, %v asked", by, len(r.Top), asked)
		}
		holdout := map[string][]float64{
			batch.ByAlone: alone.Holdout(), batch.ByBatch: lists.Map(fit.Holdout, func(row batch.Row) float64 { return row.Batch }),
			batch.ByAttention: lists.Map(fit.Holdout, func(row batch.Row) float64 { return row.BaCa }),
		}[by]
		if !slices.Equal(r.Holdout, holdout) || len(r.Alone) > 0 != (by != batch.ByAlone) ||
			r.Whole != batch.Whole("this list", fit.Evidence, fit.P) || !slices.Equal(r.Differences, fit.Differences) {
			t.Errorf("%s: a holdout of %d, %d p-values alone, %q", by, len(r.Holdout), len(r.Alone), r.Whole)
		}
		var page strings.Builder
		must.Do(report.Write(&page, r))
		if strings.Contains(page.String(), "Distribution of scores") == (by == batch.ByAttention) {
			t.Errorf("%s: S_BaCa, whose p-values have a scale for each fold, is the only score without a chart", by)
		}
	}
	plain := []table.Row{&table.Scored{Record: dataset.Record{Graph: &graph.Graph{Offsets: []int32{0, 0}, X: []float32{1}, Features: 1}}}}
	if err := (&run.Explainer{Alone: alone}).Explain(t.Context(), 1, plain); err == nil {
		t.Error("a plain graph is explained by a model of molecules")
	}
	for batch, want := range map[int]int{2: 0, 5: 1, 9: 2, 1: -1, 6: -1, 10: -1} {
		if got := run.InBatch([]int{2, 5, 9}, batch); got != want {
			t.Errorf("record %d is %d of the batch, want %d", batch, got, want)
		}
	}
}

// A report keeps the rows furthest outside, the first of equal ones, and names the first refusals.
func TestLongReport(t *testing.T) {
	r := report.New(must.Have(alone.New(t.Context(), trainingtest.Model(), 1)), batch.DefaultOptions(), 0)
	r.Fitted(&batch.Report{Few: true, Warnings: []string{"few"}})
	const most = 4 * report.MaxRows
	for i := range most + 2 {
		if i == most && len(r.Rows) != most || i == most+1 && len(r.Rows) != report.MaxRows {
			t.Errorf("%d rows after %d", len(r.Rows), i)
		}
		r.AddEntry(report.Entry{Row: batch.Row{Score: float64(i % 1000), P: 0.5, Alone: 1}})
		r.Refuse(fmt.Sprint(i))
	}
	if e := r.Rows; e[0].Place != 1999 || e[1].Place != 3999 || e[2].Place != 1997 || e[499].Row.Score != 750 || !math.IsNaN(e[0].Q) {
		t.Errorf("rows %d, %d and %d are on top, %g is the last", e[0].Place, e[1].Place, e[2].Place, e[499].Row.Score)
	}
	if r.Read != 2*most+4 || r.Refused != most+2 || len(r.Refusals) != report.MaxRefused || r.Refusals[19] != "19" || r.Whole != "" ||
		r.Warnings[0] != "few" {
		t.Errorf("%d read, %d refused, %q, %q", r.Read, r.Refused, r.Refusals, r.Warnings)
	}
	m := report.Making{Name: "a.smi", By: batch.ByBatch, Seed: 7, Basis: report.Basis{Alone: true},
		Program: "1", ModelFormat: 3, ModelBytes: 9, ModelSHA256: "ff",
		Flags: []document.Flag{{Name: "--model", Value: "m"}}, Out: "o.html", Input: "a.smi"}
	for fdr, want := range map[float64][2]string{0: {"not asked for", ""}, 0.2: {"0.2", " --fdr 0.2"}} {
		about := &report.Report{Alpha: 0.01, FDR: fdr}
		m.Describe(about, trainingtest.Model())
		if c := "baca report --model m --by batch --alpha 0.01" + want[1] + " --seed 7 --out o.html a.smi"; about.Command != c ||
			about.Title != "Out-of-distribution report: a.smi" || about.Plain {
			t.Errorf("%s: %s, want %s", about.Title, about.Command, c)
		}
		if got := about.Settings[2].Value; got != want[0] || about.Settings[3].Value != "7" || about.Versions[2].Value != "3" ||
			about.Versions[0].Value != "baca 1" {
			t.Errorf("%+v, %+v", about.Settings, about.Versions)
		}
	}
}
