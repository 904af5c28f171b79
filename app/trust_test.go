package app

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	column "baca/algo/table"
	"baca/app/run"
	"baca/app/store"
	"baca/app/table"
	"baca/wasm/message"
)

// predicting makes the worker open a table and judge predictions.
func (f *fake) predicting() {
	on(f, func(r *message.Open, say func(any)) {
		say(&message.Header{Key: "k", Columns: []string{"smiles", "y", "yhat", "other"}, Column: "smiles"})
		f.open(r, say)
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
			Held: map[string]string{"y": "of 2 measured values"}[r.Observed], Coverage: 0.9, Sentences: []string{"errors of 6", "large errors by verdict: trust 25 % of 4", "intervals"}, HTML: "<p>observed: " + r.Observed + "</p>",
		})
	})
}

// The example of predictions comes with its model and is judged at once: nothing is asked about its columns.
func TestExampleOfPredictions(t *testing.T) {
	s := newStage(t)
	s.f.predicting()
	on(s.f, func(r *message.LoadModel, say func(any)) {
		say(&message.Model{Name: r.Name, Molecules: true, Residuals: 5, Predicted: "yhat", Observed: "y"})
	})
	s.Models.Welcome.Models = append(s.Models.Welcome.Models, message.Model{Name: message.Solubility})
	s.Models.Welcome.Predictions = "new.csv"
	s.f.site = "CCO\nCC\nxx"
	for _, e := range run.Examples() {
		if e.Molecules(nil) == "" && e.Story == "" {
			s.Input.UseExample(e)
		}
	}
	for range 3 {
		s.settle()
	}
	if got := fmt.Sprintf("%s %q %q", s.Models.Used.Value.Name, s.Trust.Predicted, s.Trust.Observed); got != `solubility "yhat" "y"` {
		t.Errorf("judged by %s", got)
	}
	near := &message.Detailed{}
	near.Nearest = []algo.TrainingGraph{{Name: "butanol", Values: &algo.Values{Observed: -1.25, Predicted: math.NaN()}}, {Name: "unmeasured"}}
	on(s.f, func(r *message.Detail, say func(any)) { say(near) })
	s.Glances.Want([]int32{0})
	s.settle()
	s.shows(">Of 2 measured values.<", `!id="predicted"`, "Nearest measured", "butanol", ">−1.25<", "!unmeasured", `class="bar-picture interval"`, "1.00 to 2.00", "do not use")
	s.Lab.Open(message.StageTrust)
	s.settle()
	s.shows("observed: y", `!id="observed"`)
}

func TestPredictionsAreJudged(t *testing.T) {
	s := newStage(t)
	f := s.f
	f.predicting()
	give := func() { s.Input.Give(run.Given{File: store.NewFile("new.csv", []byte("CCO\nCC\nxx"))}) }
	for _, c := range []struct {
		name string
		do   func()
		// What is chosen, whether rows are judged, whether that failed, and whether it is offered.
		want string
	}{
		{"a model that knows no errors", give, ` "" "" false false false`},
		{"the column of that name is taken", func() { s.Models.Load("errors", nil) }, ` "yhat" "" true false true`},
		{"other intervals", func() { s.Trust.Hold(0.8) }, ` "yhat" "" true false true`},
		{"an audit", func() { s.Lab.Open(message.StageTrust); s.Trust.Observe("y") }, ` "yhat" "y" true false true`},
		{"a column without numbers", func() { s.Trust.Choose("other") }, ` "other" "y" false true true`},
		{"the observed column", func() { s.Trust.Choose("y") }, ` "y" "" true false true`},
		{"none", func() { s.Trust.Choose("") }, ` "" "" false false true`},
		{"another input", give, ` "yhat" "" true false true`},
		{"the choice stays with a model that knows none", func() { s.Models.Load("bbbp", nil) }, ` "yhat" "" true false true`},
	} {
		c.do()
		for range 3 {
			f.next(-1)
			s.pass()
		}
		got := fmt.Sprintf(" %q %q %v %v %v", s.Trust.Predicted, s.Trust.Observed, s.Rows.Trust != nil, s.Trust.Failure != nil, s.Trust.Offered())
		if got != c.want || s.Phase != run.Done {
			t.Errorf("%s: %s, phase %v, want %s", c.name, got, s.Phase, c.want)
		}
		switch asked, _ := f.last().(*message.Trust); c.name {
		case "the column of that name is taken":
			if asked == nil || len(asked.Scores) != 3 || !math.IsNaN(asked.Scores[2]) || asked.Scores[0] != s.Rows.Alone[0] || asked.Coverage != 0.9 {
				t.Errorf("asked with %+v", asked)
			}
			judged(t, s.desk)
		case "other intervals":
			if asked == nil || asked.Coverage != 0.8 || asked.Predicted != "yhat" {
				t.Errorf("asked with %+v", asked)
			}
		case "an audit":
			if n := len(s.Lab.Tools()); n != 4 || s.Lab.HTML() != "<p>observed: y</p>" {
				t.Errorf("%d tools, and the audit is %q", n, s.Lab.HTML())
			}
		}
	}
}

// judged checks columns, words and order of judgements.
func judged(t *testing.T, s *desk) {
	t.Helper()
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
	if s.SortBy("trust"); !slices.Equal(s.Order, []int32{1, 0, 2}) {
		t.Errorf("order %v, want the one not to be used first", s.Order)
	}
	classes := *s.Rows.Trust
	defer func(was *message.Trusted) { s.Rows.Trust = was }(s.Rows.Trust)
	classes.Classes, s.Rows.Trust = true, &classes
	if got := s.Rows.PredictionWords(1); !strings.Contains(got, "this unsure") {
		t.Errorf("of classes %q", got)
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
