package app

import (
	"math"
	"slices"
	"strings"
	"testing"

	column "baca/algo/table"
	"baca/app/run"
	"baca/app/store"
	"baca/app/table"
	"baca/wasm/message"
)

// predicting makes the worker open a table and judge predictions.
func (f *fake) predicting() {
	f.scores("CCO\nCC\nxx")
	on(f, func(r *message.LoadModel, say func(any)) {
		m := &message.Model{Name: r.Name, Molecules: true, BuiltIn: true, SHA256: r.Name}
		if r.Name == "mine" {
			m.Residuals, m.Observed, m.Predicted = 50, "y", "yhat"
		}
		say(m)
	})
	on(f, func(r *message.Open, say func(any)) {
		say(&message.Header{Key: "k", Columns: []string{"smiles", "y", "yhat", "other"}, Column: "smiles"})
		usual(r, say)
	})
	on(f, func(r *message.Trust, say func(any)) {
		if r.Predicted == "other" {
			say(&message.Failed{Code: message.CodeBadInput, Text: "no"})
			return
		}
		nan := math.NaN()
		say(&message.Trusted{
			Rows: message.Columns{
				column.NumberColumn("predicted", []float64{1.5, 2, nan}), column.NumberColumn("expected_error", []float64{0.5, nan, nan}),
				column.NumberColumn("interval_low", []float64{1, nan, nan}), column.NumberColumn("interval_high", []float64{2, nan, nan}), column.TextColumn("trust", []string{"check", "do-not-use", ""}),
			},
			Coverage: 0.9, Sentences: []string{"errors of 6", "large errors by verdict: trust 25 % of 4", "intervals"}, HTML: "<p>observed: " + r.Observed + "</p>",
		})
	})
}

func TestPredictionsAreJudged(t *testing.T) {
	s, f, later := newTest(t)
	f.predicting()
	settle := func() { f.next(-1); pass(later); f.next(-1); pass(later); f.next(-1) }
	s.Input.Give(run.Given{File: store.NewFile("new.csv", []byte("CCO\nCC\nxx"))})
	settle()
	if s.Trust.Offered() || s.Rows.Trust != nil {
		t.Error("predictions are asked for although the model knows no errors")
	}
	s.Models.Load("mine", nil)
	settle()
	// The column of that name is taken.
	if s.Phase != run.Done || s.Trust.Predicted != "yhat" || s.Trust.Observed != "" || s.Rows.Trust == nil || !slices.Equal(s.ValueColumns(), []string{"y", "yhat", "other"}) {
		t.Fatalf("phase %v, %+v, columns %v", s.Phase, s.Trust, s.ValueColumns())
	}
	asked, ok := f.asked[len(f.asked)-1].(*message.Trust)
	if !ok || len(asked.Scores) != 3 || !math.IsNaN(asked.Scores[2]) || asked.Scores[0] != s.Rows.Alone[0] {
		t.Errorf("asked with %+v", asked)
	}
	if asked.Coverage != 0.9 {
		t.Errorf("intervals are to hold %g", asked.Coverage)
	}
	s.Trust.Hold(0.8)
	settle()
	if again, ok := f.asked[len(f.asked)-1].(*message.Trust); !ok || again.Coverage != 0.8 || again.Predicted != "yhat" {
		t.Errorf("asked with %+v", f.asked[len(f.asked)-1])
	}
	c := s.Table.Columns([]int32{2, 0, 1}, s.Models.Used.Value)
	if got := c.Texts("trust"); !slices.Equal(got, []string{"", "check", "do-not-use"}) || c.Numbers("interval_high")[1] != 2 || c.Numbers("predicted")[2] != 2 {
		t.Errorf("columns %+v", c)
	}
	for record, want := range []string{"The prediction is 1.50, with an expected error of 0.500. The interval 1.00 to 2.00 holds 90\u00a0% of observed values", "nothing is known of its error", "no prediction"} {
		if got := s.Rows.PredictionWords(record); !strings.Contains(got, want) {
			t.Errorf("record %d: %q, want %q", record, got, want)
		}
	}
	if got, want := table.StatedLine(s.Rows.Trust), "Large errors by verdict: trust 25 % of 4."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.SortBy("trust")
	if !slices.Equal(s.Order, []int32{1, 0, 2}) {
		t.Errorf("order %v, want the one not to be used first", s.Order)
	}

	s.Lab.Open(message.StageTrust)
	s.Trust.Observe("y")
	settle()
	if n := len(s.Lab.Tools()); n != 4 || s.Lab.HTML() != "<p>observed: y</p>" {
		t.Errorf("%d tools, and the audit is %q", n, s.Lab.HTML())
	}
	s.Rows.Trust.Classes = true
	if got := s.Rows.PredictionWords(1); !strings.Contains(got, "so unsure") {
		t.Errorf("of classes %q", got)
	}

	// A column without numbers, one that is not looked at, and another input.
	s.Trust.Choose("other")
	settle()
	if s.Rows.Trust != nil || s.Trust.Failure == nil || s.Trust.Observed != "y" {
		t.Errorf("%+v", s.Trust)
	}
	s.Trust.Choose("y")
	settle()
	if s.Rows.Trust == nil || s.Trust.Observed != "" || s.Trust.Failure != nil {
		t.Errorf("%+v", s.Trust)
	}
	s.Trust.Choose("")
	settle()
	if s.Rows.Trust != nil || s.Trust.Predicted != "" || !s.Trust.Offered() {
		t.Errorf("%+v", s.Trust)
	}
	s.Input.Give(run.Given{File: store.NewFile("more.csv", []byte("CCO\nCC\nxx"))})
	settle()
	if s.Trust.Predicted != "yhat" || s.Rows.Trust == nil {
		t.Errorf("another input has %+v", s.Trust)
	}
	// A model that knows nothing of errors: the choice stays to be seen.
	s.Models.Load("bbbp", nil)
	settle()
	if !s.Trust.Offered() || s.Trust.Predicted != "yhat" {
		t.Errorf("%+v", s.Trust)
	}
}

// Whatever has names of its values has columns, and no column is there twice.
func TestColumns(t *testing.T) {
	opened := &message.Opened{Molecules: true, Columns: []string{"smiles", "y", "", "y", "yhat"}}
	for _, c := range []struct {
		of   *run.Session
		want []string
	}{
		{&run.Session{}, nil},
		{&run.Session{Opened: opened}, []string{"smiles", "y", "yhat"}},
		{&run.Session{Opened: &message.Opened{Columns: []string{"y"}}}, nil}, // of plain graphs
		{&run.Session{Opened: opened, Header: &message.Header{Columns: []string{"a", "b", "a", "c"}, Column: "b"}}, []string{"a", "c"}},
	} {
		if got := c.of.ValueColumns(); !slices.Equal(got, c.want) {
			t.Errorf("%+v has columns %q, want %q", c.of.Header, got, c.want)
		}
	}
}
