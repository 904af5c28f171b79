package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/algo/decide"
	"baca/app/lab"
	"baca/app/run"
	"baca/app/table"
	"baca/wasm/message"
)

// batches counts the batches that a worker was asked for, and scores all that it was asked
// to score.
func (f *fake) batches() (batches, scores int) {
	for _, r := range f.asked {
		if r, ok := r.(*message.Score); ok {
			scores++
			if r.Batch {
				batches++
			}
		}
	}
	return batches, scores
}

// What decides has scores, p-values, columns and words of its own, and verdicts are not the batch's before its rows are there.
func TestWhatDecides(t *testing.T) {
	s, f, _ := decided(t, lengths)
	alone := slices.Clone(s.Rows.Verdict)
	if s.Calibrated() || s.Whole() != "" {
		t.Fatalf("without a batch it says %q", s.Whole())
	}
	shows(t, s, `id="paper"`, `!data-by="s_attn"`)
	s.DecideBy(table.TheBatch)
	f.next(5) // Reference, Progress, Parted, Iteration, Fitted
	if s.Deciding() != table.EachAlone || !slices.Equal(s.Rows.Verdict, alone) || len(s.Iterations) != 1 {
		t.Errorf("the batch decides before its rows are there: %v", s.Rows.Verdict)
	}
	f.settle()
	want := []decide.Verdict{decide.Outside, decide.Outside, decide.Outside, decide.Inside, decide.Inside, decide.Refused}
	if !slices.Equal(s.Rows.Verdict, want) || s.Rows.Score[0] != 24 || s.AUC() != 0.8 {
		t.Errorf("the batch says %v, want %v; score %g, AUC %g", s.Rows.Verdict, want, s.Rows.Score[0], s.AUC())
	}
	if got := s.Whole(); !strings.HasPrefix(strings.ReplaceAll(got, "\u00a0", " "), "As a whole this list differs from the training set: AUC 0.93, p < 0.001.") {
		t.Errorf("of the list as a whole it says %q", got)
	}
	s.SetAlpha(0.3)
	s.Inspector.Show(3)
	f.next(-1)
	shows(t, s, "outside by the batch needs p of at most 0.100 by itself, too", "The batch decides; outside also needs")
	s.SetAlpha(0.05)
	s.DecideBy(table.ThePaper)
	// By itself the first record has p = 1/12, below which the paper's p-value never is.
	if s.Rows.Score[0] != 120 || s.Rows.P[0] != 1.0/12 || s.Rows.P[3] != 0.81 || s.AUC() != 0.9 {
		t.Errorf("the paper's method has score %g, p %g and %g", s.Rows.Score[0], s.Rows.P[0], s.Rows.P[3])
	}
	c := s.Table.Columns([]int32{0, 3, 5}, s.Models.Used.Value)
	if !slices.Equal(c.Texts("verdict"), []string{"borderline", "inside", ""}) || !slices.Equal(c.Texts("batch_verdict"), []string{"outside", "inside", ""}) ||
		c.Numbers("score")[0] != 120 || c.Numbers("alone")[0] != 12 || c.Numbers("batch")[0] != 24 || c.Numbers("s_baca")[0] != 120 || c.Numbers("alone_p")[1] != 0.5 || c.Texts("by")[0] != "attention" {
		t.Errorf("columns %+v", c)
	}
	shows(t, s, `class="scroller by-paper"`, `data-by="s_attn"`, `!id="paper"`)
	s.DecideBy(table.EachAlone)
	if !slices.Equal(s.Rows.Verdict, alone) || s.Whole() == "" {
		t.Errorf("alone it is %v again, want %v; of the list %q", s.Rows.Verdict, alone, s.Whole())
	}
}

// shows checks that the page shows some texts, and none of those that begin with !.
func shows(t *testing.T, s *desk, texts ...string) {
	t.Helper()
	html := htmlOf(t, s)
	for _, text := range texts {
		if want, not := strings.CutPrefix(text, "!"); strings.Contains(html, want) == not {
			t.Errorf("the page shows %q: %v", want, not)
		}
	}
}

// htmlOf draws the page.
func htmlOf(t *testing.T, s *desk) string {
	t.Helper()
	p := &page{s: s}
	if err := app.NewTestEngine().Load(p); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(app.HTMLString(p), "\u00a0", " ")
}

// Where no batch can be, each record decides for itself and the page says why.
func TestBatchesThatCannotBe(t *testing.T) {
	s, f, _ := decided(t, "CCO\nCCCCCCCC\nx")
	s.DecideBy(table.TheBatch)
	s.Lab.Open(lab.SceneMixup)
	if b, _ := f.batches(); b != 0 || s.Phase != run.Done || s.Deciding() != table.EachAlone {
		t.Errorf("%d batches of two molecules", b)
	}
	shows(t, s, "A batch needs at least 3 molecules", "!baca-mixture", `!id="compare"`, `!id="paper"`)
	s, f, _ = decided(t, lengths)
	s.Models.Used.Value.Shared = 5
	s.DecideBy(table.ThePaper)
	if b, _ := f.batches(); b != 0 {
		t.Errorf("%d batches by a model for sharing", b)
	}
	shows(t, s, "made for sharing")
}

// With too few to compare with nothing is called inside.
func TestUndecided(t *testing.T) {
	s, _, _ := decided(t, lengths)
	s.SetAlpha(0.005) // 99 are held
	if n := s.Rows.Counts; n.Undecided != 5 || n.Inside != 0 {
		t.Fatalf("verdicts %v, want five undecided", n)
	}
	shows(t, s, "Undecided at α = 0.5 %", "with 99, p is 0.0100 at least", "is-undecided")
	if what := headline(s); what != "All 5 are undecided" {
		t.Errorf("the headline is %q", what)
	}
}

func TestTheListAsAWhole(t *testing.T) {
	s := newDesk(nil)
	s.Rows.Batch = message.Columns{}
	s.Fitted = &message.Fitted{Whole: []string{"as a whole this list differs from the training set: AUC 0.93, p < 0.001", "What makes the difference: 62 % of them have more rings"}}
	if got, want := s.Whole(), "As a whole this list differs from the training set: AUC 0.93, p < 0.001. What makes the difference: 62\u00a0% of them have more rings."; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	for d, w := range table.DeciderWords() {
		if table.DeciderOf(w.Key) != table.Decider(d) {
			t.Errorf("%s is read as %d", w.Key, table.DeciderOf(w.Key))
		}
	}
	if table.DeciderOf("magic") != table.EachAlone {
		t.Error("what is not known does not stand for each alone")
	}
}
