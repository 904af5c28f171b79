package app

import (
	"math"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/explain"
	column "baca/algo/table"
	"baca/app/run"
	"baca/wasm/message"
)

// knowing says of the second record that it was trained on.
func knowing(say func(any)) func(any) {
	return func(m any) {
		if m, ok := m.(*message.Rows); ok && column.Rows(m.Rows) > 1 {
			m.Known = make([]byte, column.Rows(m.Rows))
			m.Known[1] = 1
		}
		say(m)
	}
}

// answerTasks has a worker answer what is asked beside scores.
func answerTasks(f *fake) {
	on(f, func(_ *message.Drift, say func(any)) {
		say(&message.Progress{Stage: message.StageDrift, Done: 1, Total: 3})
		say(&message.Found{HTML: "<p>The input drifts</p>", Short: "moved"})
	})
	on(f, func(_ *message.Report, say func(any)) {
		say(&message.Progress{Stage: message.StageExplain, Done: 1, Total: 2})
		say(&message.Exported{Name: "report.html", Type: "text/html", Data: []byte("<p>")})
	})
	on(f, func(r *message.Reasons, say func(any)) {
		say(&message.Explained{Rows: message.Columns{column.TextColumn("counted", make([]string, len(r.Record)))}})
	})
	on(f, func(r *message.Domain, say func(any)) {
		say(&message.Progress{Stage: message.StageExplain, Done: 1, Total: 2})
		say(&message.Exported{Name: r.Form + "." + r.Format})
	})
	on(f, func(r *message.Detail, say func(any)) { say(detailed(r.Record)) })
}

// decided is a session with a scored input, whose worker also answers tasks.
func decided(t *testing.T, text string) (*desk, *fake, *[]func()) {
	t.Helper()
	s, f, later := newTest(t)
	on(f, func(r *message.Score, say func(any)) { answerScore(text, r, knowing(say)) })
	answerTasks(f)
	s.Input.Type(text)
	f.settle()
	pass(later)
	if s.Phase != run.Done {
		t.Fatalf("phase %v", s.Phase)
	}
	s.Models.Used.Value.Knows, s.Models.Used.Value.FalseMatches = true, 0.01
	return s, f, later
}

// detailed is a molecule of three atoms.
func detailed(record int) *message.Detailed {
	return &message.Detailed{
		Record: record, Drawing: message.Drawing{Atoms: []string{"C", "O", "N"}},
		Explanation: algo.Explanation{Contributions: []float64{1, -1, math.NaN()}, Reasons: []explain.Reason{
			{Text: "more rings"}, {Text: "the element O, which no training graph has", About: "its O atom", Nodes: []int{1}, Weight: explain.Unseen}, {Text: "seldom N", Nodes: []int{2}},
		}},
	}
}

// Eight rows with p = 1/length: of twelve letters and less.
const lengths = "CCCCCCCCCCCC\nCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC\nCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC\nCC\nCCO\nx"

// q-values are saved and told. While another input is scored, α decides, and the page says so.
func TestRateOfFalseDiscoveries(t *testing.T) {
	s, f, later := decided(t, lengths)
	s.SetFDR(0.2)
	c := s.Table.Columns([]int32{0, 5}, s.Models.Used.Value)
	if q := c.Numbers("q_value"); len(q) != 2 || math.Abs(q[0]-5.0/36) > 1e-12 || !math.IsNaN(q[1]) || c.Texts("verdict")[0] != "outside" || c.Numbers("fdr")[0] != s.FDR {
		t.Errorf("columns %+v", c)
	}
	what, by, about := headline(s), decidedBy(s), howToRead(s)
	if !strings.Contains(what, "3 of 5") || by != "Each by itself, at most 20\u00a0% false discoveries" || !strings.Contains(about, "at most 20\u00a0%") {
		t.Errorf("the headline is %q, %q, %q", what, by, about)
	}
	f.scores("CCO\nCCCCCC")
	s.Input.Give(run.Given{Text: "CCO\nCCCCCC"})
	pass(later)
	f.next(5) // all but the end
	pass(later)
	if about := howToRead(s); !strings.Contains(about, "needs the p-values of all") {
		t.Errorf("the page says %q", about)
	}
}

func TestTasks(t *testing.T) {
	s, f, _ := decided(t, lengths)
	var saved []string
	save := func(e *message.Exported) { saved = append(saved, e.Name+" "+string(e.Data)) }
	s.SetFDR(0.1)
	s.Report(save)
	s.ExplainRows("csv", save) // one at a time
	f.next(1)
	if got := s.Task.Words(); got != "Report: why, 1 of 2" {
		t.Errorf("the page says %q", got)
	}
	f.next(-1)
	r := f.asked[len(f.asked)-1].(*message.Report)
	if r.FDR != 0.1 || r.Alpha != 0.05 || r.Fitted != nil || r.By != "alone" || len(r.Holdout) != 99 || len(r.P) != 6 || len(r.Warnings) != 0 ||
		!slices.Equal(r.Record, message.Ints{2, 1, 0, 4, 3}) || !slices.Equal(r.Rows.Texts("id"), []string{"idc", "idb", "ida", "ide", "idd"}) ||
		!slices.Equal(r.Refused, message.Ints{5}) || !slices.Equal(r.Refusals, []string{"no element"}) {
		t.Errorf("a report was asked for by %+v", r)
	}
	s.ToggleVerdict(decide.Outside)
	s.ExplainRows("csv", save)
	f.next(-1)
	x := f.asked[len(f.asked)-1].(*message.Reasons)
	if !slices.Equal(x.Record, message.Ints{2, 1}) {
		t.Errorf("reasons were asked for by %+v", x)
	}
	if len(saved) != 2 || saved[0] != "report.html <p>" || !strings.HasPrefix(saved[1], "reasons.csv id,smiles,score,p_value,verdict,error,set_aside,q_value,counted,model,model_sha256,by,alpha,fdr,program\nidc,") || s.Task != nil || !strings.Contains(s.Saved, "2 rows saved") {
		t.Errorf("saved %q, %q", saved, s.Saved)
	}
	for code, want := range map[string]string{message.CodeCancelled: "Cancelled", message.CodeMemory: "Not saved: no room"} {
		on(f, func(_ *message.Report, say func(any)) { say(&message.Failed{Code: code, Text: "no room"}) })
		s.Report(save)
		f.next(-1)
		if s.Saved != want {
			t.Errorf("a report that fails says %q, want %q", s.Saved, want)
		}
	}
}

func TestTasksAreEnded(t *testing.T) {
	s, f, _ := decided(t, lengths)
	on(f, func(_ *message.Drift, say func(any)) {
		say(&message.Progress{Stage: message.StageDrift, Done: 1, Total: 6})
	})
	s.Lab.Open(message.StageDrift)
	f.next(-1)
	number := uint32(len(f.asked)) // of the request under way
	s.EndTask()
	s.EndTask()
	f.next(-1)
	if _, ok := f.asked[len(f.asked)-1].(*message.Pause); !ok || int(number) != len(f.asked)-1 || !s.Task.Ending {
		t.Fatalf("asked %T after %d requests, task %+v", f.asked[len(f.asked)-1], len(f.asked), s.Task)
	}
	data, err := message.Encode(number, &message.Failed{Code: message.CodeCancelled, Text: "cancelled"})
	if err != nil {
		t.Fatal(err)
	}
	f.receive(data)
	if s.Task != nil || s.Lab.Found(message.StageDrift).Failure == nil || s.Phase != run.Done || s.Rows.Counts.Outside != 2 || f.ended != 0 {
		t.Errorf("task %+v, trouble %v, phase %v, %d workers ended", s.Task, s.Lab.Found(message.StageDrift).Failure, s.Phase, f.ended)
	}
	// Another input ends it with the worker.
	s.Lab.WatchDrift()
	f.next(-1)
	s.Input.Give(run.Given{Text: "CCO"})
	if s.Task != nil || f.ended != 1 {
		t.Errorf("task %+v, %d workers ended, want none and 1", s.Task, f.ended)
	}
	f.settle()
	if s.Lab.Found(message.StageDrift).Failure != nil {
		t.Errorf("the new input has the trouble of the one before: %v", s.Lab.Found(message.StageDrift).Failure)
	}
}

// All that is said about decisions is drawn.
func TestDecisionsRender(t *testing.T) {
	s, f, _ := decided(t, lengths)
	s.SetFDR(0.2)
	s.Inspector.Show(1)
	f.next(-1)
	s.Lab.Open(message.StageDrift)
	f.next(-1)
	shows(t, s, "q-value", "Among all: q", "Likely trained on.", "likely trained on", "more rings", "the element O, which no training graph has", "orange pushes it outside",
		"Drift · moved", "<p>The input drifts</p>", "What not to conclude", `data-save="report"`, "by subtrees with counts", "False-discovery rate", "Each molecule alone")
	s.SetFDR(0.01)
	shows(t, s, "None can be called outside at a false-discovery rate of 1 %")
	s.SetFDR(0)
	shows(t, s, "!q-value", "What matters most: its O atom.")
	s.Inspector.Show(3)
	f.next(-1)
	shows(t, s, "!What matters most")
}
