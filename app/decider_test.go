package app

import (
	"math"
	"slices"
	"strings"
	"testing"

	goapp "github.com/maxence-charriere/go-app/v10/pkg/app"

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

// Verdicts are there without a batch, and final. A batch is asked for once, when something
// needs it, and what decides can then be changed without the worker.
func TestWhatDecides(t *testing.T) {
	s, f, later := decided(t, lengths)
	alone := slices.Clone(s.rows.verdict)
	if b, n := f.batches(); b != 0 || n != 1 || s.calibrated() || s.whole() != "" || s.deciding() != eachAlone {
		t.Fatalf("%d of %d scores are of a batch; what it says is %q", b, n, s.whole())
	}
	s.decideBy(theBatch)
	if s.phase != calibrating || !slices.Equal(s.rows.verdict, alone) || !s.busy() {
		t.Fatalf("phase %v, verdicts %v while the batch is calibrated, want %v", s.phase, s.rows.verdict, alone)
	}
	f.next(4) // Reference, Progress, Iteration, Fitted
	if s.deciding() != eachAlone || !slices.Equal(s.rows.verdict, alone) || len(s.iterations) != 1 {
		t.Errorf("the batch decides before its rows are there: %v", s.rows.verdict)
	}
	f.next(-1)
	pass(later)
	// Of 12, 40, 50, 2 and 3 letters p is half of one by that in the batch, and outside only
	// where one by that is at most 0.1.
	want := []verdict{outside, outside, outside, inside, inside, refused}
	if s.phase != done || s.deciding() != theBatch || !slices.Equal(s.rows.verdict, want) || s.rows.score[0] != 24 || s.auc() != 0.8 {
		t.Errorf("the batch says %v in phase %v, want %v; score %g, AUC %g", s.rows.verdict, s.phase, want, s.rows.score[0], s.auc())
	}
	if got := s.whole(); !strings.HasPrefix(strings.ReplaceAll(got, "\u00a0", " "), "As a whole this list differs from the training set: AUC 0.93, p < 0.001.") {
		t.Errorf("of the list as a whole it says %q", got)
	}
	// p of 0.25 is at most α, and not enough by itself: 0.5 and 0.33.
	s.setAlpha(0.3)
	if got := s.rows.verdict[3]; got != borderline {
		t.Errorf("what is ordinary by itself is %s by its batch, want borderline", got.word())
	}
	s.choose(3)
	f.next(-1)
	if text := htmlOf(t, s); !strings.Contains(text, "outside by the batch needs p of at most 0.100 by itself, too") || !strings.Contains(text, "The batch decides; outside also needs") {
		t.Error("the page does not say why it is borderline, or what decides")
	}
	s.setAlpha(0.05)
	_, asked := f.batches()
	s.decideBy(thePaper)
	if s.rows.score[0] != 120 || s.rows.p[0] != 0.01 || s.rows.p[3] != 0.81 || s.auc() != 0.9 {
		t.Errorf("the paper's method has score %g, p %g and %g", s.rows.score[0], s.rows.p[0], s.rows.p[3])
	}
	c := s.rows.columns([]int32{0, 3, 5}, levels{}, s.own(theBatch))
	if !slices.Equal(c.Verdict, message.Strings{"outside", "inside", ""}) || !slices.Equal(c.BatchVerdict, message.Strings{"outside", "inside", ""}) ||
		c.Scores.Score[0] != 120 || c.Scores.Alone[0] != 12 || c.Scores.Batch[0] != 24 || c.Scores.BaCa[0] != 120 || c.Scores.AloneP[1] != 0.5 {
		t.Errorf("columns %+v", c)
	}
	s.decideBy(eachAlone)
	if !slices.Equal(s.rows.verdict, alone) || s.whole() == "" {
		t.Errorf("alone it is %v again, want %v; of the list %q", s.rows.verdict, alone, s.whole())
	}
	if _, n := f.batches(); n != asked {
		t.Errorf("%d scores were asked for to change what decides, want none", n-asked)
	}
	// The rate of false discoveries follows what decides.
	s.setFDR(0.1)
	if got := s.rule().cut; got != 1.0/40 {
		t.Errorf("the rate allows p of %g by itself, want 1/40", got)
	}
	s.decideBy(theBatch)
	if got := s.rule().cut; got != 0.5/12 {
		t.Errorf("the rate allows p of %g in the batch, want 1/24", got)
	}
	// What was chosen holds for the next input, which is calibrated after its first verdicts.
	f.scores("CCO\nCCCC\nCCCCC")
	s.give("CCO\nCCCC\nCCCCC", nil, "before")
	pass(later)
	f.next(-1)
	pass(later)
	if b, n := f.batches(); b != 2 || n != asked+2 || s.deciding() != theBatch {
		t.Errorf("%d of %d scores are of a batch, want 2 of %d; %v decides", b, n, asked+2, s.deciding())
	}
}

// htmlOf draws the page.
func htmlOf(t *testing.T, s *session) string {
	t.Helper()
	p := &page{s: s}
	if err := goapp.NewTestEngine().Load(p); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(goapp.HTMLString(p), "\u00a0", " ")
}

// A stage of the batch that is opened has it calibrated, shows how far that is and then its
// pictures.
func TestLabCalibrates(t *testing.T) {
	s, f, _ := decided(t, lengths)
	answer := f.answer
	f.answer = func(number uint32, r any, say func(any)) {
		if r, ok := r.(*message.Graphons); ok {
			say(&message.GraphonPair{Side: r.Side, Graphs: 3, N: 1, WI: message.Singles{1}, WJ: message.Singles{0}})
			return
		}
		answer(number, r, say)
	}
	s.openLab(message.StageParse)
	if s.phase != done {
		t.Fatalf("phase %v: what was read needs no batch", s.phase)
	}
	if text := htmlOf(t, s); !strings.Contains(text, "baca-alone") || strings.Contains(text, "baca-batch") {
		t.Error("the distributions are not those that there are")
	}
	s.openLab(message.StageEstimate)
	f.next(2)
	if text := htmlOf(t, s); s.phase != calibrating || !strings.Contains(text, "The batch is being calibrated: encoded, 6 / 6") && !strings.Contains(text, "The batch is being calibrated: encoded, 6.") {
		t.Errorf("phase %v, and the lab does not say how far it is", s.phase)
	}
	f.next(-1)
	if s.lab.pair == nil || s.deciding() != eachAlone || s.whole() == "" {
		t.Errorf("the graphons are %v, of the list it says %q", s.lab.pair, s.whole())
	}
	if text := htmlOf(t, s); !strings.Contains(text, "Wᵢ") {
		t.Error("the graphons are not shown")
	}
	s.openLab(message.StageEncode)
	if text := htmlOf(t, s); !strings.Contains(text, "baca-batch") || !strings.Contains(text, "baca-attention") {
		t.Error("the distributions of the batch are not shown")
	}
	if b, _ := f.batches(); b != 1 {
		t.Errorf("%d batches were calibrated, want 1", b)
	}
}

// Whoever cancels a calibration keeps the verdicts, and is not asked again.
func TestCalibrationIsCancelled(t *testing.T) {
	s, f, later := decided(t, lengths)
	answer, alone := f.answer, slices.Clone(s.rows.verdict)
	f.answer = func(number uint32, r any, say func(any)) {
		if r, ok := r.(*message.Score); ok && r.Batch {
			say(&message.Progress{Stage: message.StageAttention, Done: 1, Total: 2})
			return
		}
		answer(number, r, say)
	}
	s.openLab(message.StageAttention)
	f.next(-1)
	var saved []string
	s.report(func(e *message.Exported) { saved = append(saved, e.Name) })
	if s.phase != calibrating || s.task != nil || !strings.Contains(s.exported, "Not now") {
		t.Errorf("phase %v, task %v, %q", s.phase, s.task, s.exported)
	}
	s.cancel()
	f.next(-1)
	pass(later)
	if s.phase != done || !slices.Equal(s.rows.verdict, alone) || s.calibrated() || f.ended != 1 || s.progress[message.StageAttention].Total != 0 {
		t.Errorf("phase %v, verdicts %v, %d workers ended", s.phase, s.rows.verdict, f.ended)
	}
	s.report(func(e *message.Exported) { saved = append(saved, e.Name) })
	f.next(-1)
	if b, _ := f.batches(); b != 1 || len(saved) != 1 || s.phase != done {
		t.Errorf("%d batches, %d reports, phase %v: want one each, and done", b, len(saved), s.phase)
	}
	// Asked for again, it is there, and a worker that dies over it is told.
	s.decideBy(thePaper)
	f.next(-1)
	f.died("out of breath")
	if s.phase != broken || !slices.Equal(s.rows.verdict, alone) {
		t.Errorf("phase %v, verdicts %v", s.phase, s.rows.verdict)
	}
}

// Where no batch can be, each record decides for itself and the page says why.
func TestBatchesThatCannotBe(t *testing.T) {
	s, f, _ := decided(t, "CCO\nCCCCCCCC\nx")
	s.decideBy(theBatch)
	s.openLab(message.StageEstimate)
	if b, _ := f.batches(); b != 0 || s.phase != done || s.deciding() != eachAlone {
		t.Errorf("%d batches of two molecules", b)
	}
	if text := htmlOf(t, s); !strings.Contains(text, "A batch needs at least 3 molecules") || strings.Contains(text, `data-stage="graphons"`) || strings.Contains(text, `id="compare"`) {
		t.Error("the page offers a batch of two molecules, or does not say why there is none")
	}
	s, f, _ = decided(t, lengths)
	s.model.Shared = 5
	s.decideBy(thePaper)
	if b, _ := f.batches(); b != 0 || !strings.Contains(htmlOf(t, s), "made for sharing") {
		t.Errorf("%d batches by a model for sharing", b)
	}
}

// With too few to compare with nothing is called inside.
func TestUndecided(t *testing.T) {
	s, _, _ := decided(t, lengths)
	s.setAlpha(0.005) // 99 are held
	if n := s.rows.counts; n[undecided] != 5 || n[inside] != 0 {
		t.Fatalf("verdicts %v, want five undecided", n)
	}
	text := htmlOf(t, s)
	for _, want := range []string{"Undecided at α = 0.5 %", "with 99, p is 0.0100 at least", `is-undecided`} {
		if !strings.Contains(text, want) {
			t.Errorf("the HTML lacks %q", want)
		}
	}
	if what, _ := headline(s); what != "All 5 are undecided" {
		t.Errorf("the headline is %q", what)
	}
}

func TestTheListAsAWhole(t *testing.T) {
	s := newSession(nil)
	s.rows.batch = newBatch(0)
	for _, c := range []struct {
		f    message.Fitted
		want string
	}{
		{message.Fitted{Evidence: 0.934, P: 0.0004}, "As a whole this list differs from the training set: AUC 0.93, p < 0.001."},
		{message.Fitted{Evidence: 0.93, P: 0.01, Differences: []string{"62 % of them have more rings than three quarters of the training graphs", "48 % of them have fewer atoms than three quarters of the training graphs"}},
			"As a whole this list differs from the training set: AUC 0.93, p = 0.0100. What makes the difference: 62 % of them have more rings, 48 % fewer atoms than three quarters of the training graphs."},
		{message.Fitted{Evidence: 0.55, P: 0.4, Sample: true, Graphs: 4096}, "Nothing says that this list as a whole differs from the training set: AUC 0.55, p = 0.400, by an even sample of 4 096."},
		{message.Fitted{Evidence: 0.9, P: math.NaN()}, "Whether this list as a whole differs from the training set cannot be said: the model keeps too few molecules to compare it with."},
	} {
		s.fitted = &c.f
		if got := strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(s.whole()); got != c.want {
			t.Errorf("%+v: %q, want %q", c.f, got, c.want)
		}
	}
	for d, w := range deciderWords {
		if deciderOf(w.key) != decider(d) {
			t.Errorf("%s is read as %d", w.key, deciderOf(w.key))
		}
	}
	if deciderOf("magic") != eachAlone {
		t.Error("what is not known does not stand for each alone")
	}
}
