package app

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"baca/wasm/message"
)

// A fake is a worker that answers by a function. Answers wait in a queue until the
// test lets them through, as those of a real worker do.
type fake struct {
	t       *testing.T
	answer  func(number uint32, r any, say func(any))
	queue   []func()
	ended   int // workers that were terminated
	asked   []any
	receive func([]byte)
	died    func(string)
}

type fakePort struct {
	f    *fake
	over bool
	say  func([]byte)
}

func (f *fake) spawn(receive func([]byte), died func(string)) message.Port {
	f.receive, f.died = receive, died
	return &fakePort{f: f, say: receive}
}

func (p *fakePort) Terminate() { p.over = true; p.f.ended++ }

func (p *fakePort) Post(data []byte, file int) {
	f := p.f
	number, r, err := message.Decode(data)
	if err != nil {
		f.t.Fatal(err)
	}
	f.asked = append(f.asked, r)
	f.answer(number, r, func(m any) {
		data, err := message.Encode(number, m)
		if err != nil {
			f.t.Fatal(err)
		}
		f.queue = append(f.queue, func() {
			if !p.over {
				p.say(data)
			}
		})
	})
}

// next lets n answers through, all for −1.
func (f *fake) next(n int) {
	for ; n != 0 && len(f.queue) > 0; n-- {
		first := f.queue[0]
		f.queue = f.queue[1:]
		first()
	}
}

const examplesCSV = "name,class,smiles\naspirin,other drug,CC(=O)Oc1ccccc1C(=O)O\nRDX,explosive,C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]\nTNT,explosive,Cc1c(cc(cc1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]\n"

// scores makes the worker score text whatever it is asked to, and answer all else as
// usual.
func (f *fake) scores(text string) {
	f.answer = func(number uint32, r any, say func(any)) {
		if r, ok := r.(*message.Score); ok {
			answerScore(text, r, say)
			return
		}
		usual(number, r, say)
	}
}

// usual answers as a worker would for a text of SMILES: a line with an x is
// refused, and a score is the length of the line.
func usual(number uint32, r any, say func(any)) {
	switch r := r.(type) {
	case *message.Hello:
		say(&message.Welcome{Program: "test", Models: []message.Model{{Name: "bbbp", Molecules: true, BuiltIn: true, SHA256: "aa"}, {Name: "bzr", SHA256: "bb"}}, MinBatch: 3, Guard: 0.1, Examples: []byte(examplesCSV)})
	case *message.LoadModel:
		if r.Name == "bad" {
			say(&message.Failed{Code: message.CodeBadModel, Text: "the hash is wrong"})
			return
		}
		say(&message.Progress{Stage: message.StageFetch, Done: 1, Total: 2})
		say(&message.Model{Name: r.Name, Molecules: r.Name != "bzr", BuiltIn: r.Data == nil, SHA256: r.Name})
	case *message.Open:
		e := lines(string(r.Data))
		say(e)
		say(&message.Opened{Name: r.Name, Format: "smi", Molecules: true, Records: len(e.ID), Refused: len(e.Problems)})
	case *message.Detail:
		say(&message.Detailed{Record: r.Record, Atoms: []message.Atom{{Symbol: "C"}}, Contribution: message.Floats{1}})
	case *message.Export:
		say(&message.Exported{Name: "scores." + r.Format, Type: "text/csv", Data: []byte(strings.Join(r.Rows.ID, ","))})
	case *message.Pause:
		say(&message.Paused{})
	}
}

func lines(text string) *message.Records {
	e := &message.Records{}
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		e.ID = append(e.ID, "id"+string(rune('a'+i)))
		e.SMILES = append(e.SMILES, line)
		e.Drawn = append(e.Drawn, "")
		e.Line = append(e.Line, int32(i+1))
		if at := strings.Index(line, "x"); at >= 0 {
			e.Problems = append(e.Problems, message.Problem{Record: i, Line: i + 1, Column: at + 1, Text: "no element", Reason: "no element", Piece: "x", At: at})
		}
	}
	return e
}

// heldScores are those of graphs that were kept from training: 1 to 99.
func heldScores() message.Floats {
	var list message.Floats
	for i := range 99 {
		list = append(list, float64(i+1))
	}
	return list
}

// answerScore answers a Score of the records of a text. By itself a record has its length
// for a score, and p is one by that; in the batch it has twice the score and half the p.
func answerScore(text string, r *message.Score, say func(any)) {
	e := lines(text)
	n := len(e.ID)
	rows := message.Rows{Rows: message.Columns{ID: e.ID, SMILES: e.SMILES, Verdict: make(message.Strings, n), Error: make(message.Strings, n)}}
	c := &rows.Rows.Scores
	for _, s := range e.SMILES {
		x := float64(len(s))
		if strings.Contains(s, "x") {
			x = math.NaN()
		}
		c.Score, c.P = append(c.Score, x), append(c.P, 1/x)
		if r.Batch {
			c.Alone, c.AloneP = append(c.Alone, x), append(c.AloneP, 1/x)
			c.Pre, c.Attn, c.BaCa = append(c.Pre, x), append(c.Attn, -x), append(c.BaCa, 10*x)
			c.Batch, c.BatchP = append(c.Batch, 2*x), append(c.BatchP, 0.5/x)
		}
	}
	say(&message.Reference{Score: heldScores()})
	if r.Batch {
		say(&message.Progress{Stage: message.StageEncode, Done: n, Total: n})
		say(&message.Iteration{Step: 10, Of: 20, Loss: 1, KL: 2, AUC: math.NaN()})
		say(&message.Fitted{Graphs: n, Total: n, Holdout: message.Scores{Batch: heldScores(), BaCa: heldScores()}, Evidence: 0.93, P: 0.0001, Warnings: []string{"small"}})
	} else {
		say(&message.Progress{Stage: message.StageScore, Done: n, Total: n})
	}
	say(&rows)
	say(&message.Scored{Model: "bbbp", Seed: 1, Records: n, Refused: len(e.Problems), AUC: 0.7, BatchAUC: 0.8, PaperAUC: 0.9})
}

// newTest is a session with a fake worker, a model loaded, and time that stands
// still until the test runs what waits.
func newTest(t *testing.T) (*session, *fake, *[]func()) {
	t.Helper()
	f := &fake{t: t, answer: usual}
	s := newSession(message.NewClient(f.spawn))
	var later []func()
	s.after = func(_ time.Duration, g func()) { later = append(later, g) }
	s.start("")
	f.next(-1)
	if s.model == nil || s.model.Name != "bbbp" {
		t.Fatalf("model %v after the start, want the first one", s.model)
	}
	return s, f, &later
}

// pass runs all that waits for time to pass.
func pass(later *[]func()) {
	for len(*later) > 0 {
		g := (*later)[0]
		*later = (*later)[1:]
		g()
	}
}

func TestRun(t *testing.T) {
	s, f, later := newTest(t)
	const text = "CCO one\nCxC two\nCCCCCCCC three"
	f.scores(text)
	s.typed("CC")
	s.typed(text)
	if s.phase != waiting || len(f.queue) != 0 {
		t.Fatalf("phase %v with %d answers while the user types, want waiting and none", s.phase, len(f.queue))
	}
	pass(later)
	if s.phase != reading {
		t.Fatalf("phase %v, want reading", s.phase)
	}
	f.next(1) // Records
	pass(later)
	if s.rows.len() != 3 || s.rows.counts[refused] != 1 || len(s.order) != 3 {
		t.Fatalf("%d rows, %d refused, %d in the table: want 3, 1, 3", s.rows.len(), s.rows.counts[refused], len(s.order))
	}
	f.next(1) // Opened
	if s.phase != scoring {
		t.Fatalf("phase %v, want scoring", s.phase)
	}
	f.next(3) // Reference, Progress, Rows
	pass(later)
	if s.phase != scoring || s.rows.score[0] != 7 || s.rows.counts[inside] != 1 || s.rows.counts[borderline] != 1 || len(s.reference) != 99 {
		t.Errorf("once the rows are there: phase %v, score %g, verdicts %v, %d to compare with", s.phase, s.rows.score[0], s.rows.counts, len(s.reference))
	}
	f.next(-1)
	pass(later)
	// p is 1/7 and 1/14 with α = 0.05: inside and borderline, as before.
	if got := s.rows.counts; s.phase != done || got[inside] != 1 || got[borderline] != 1 || len(s.warnings) != 0 {
		t.Errorf("at the end: phase %v, verdicts %v, warnings %q", s.phase, got, s.warnings)
	}
	asked := len(f.asked)
	s.setAlpha(0.1)
	if got := s.rows.counts; got[outside] != 1 || got[borderline] != 1 {
		t.Errorf("verdicts %v at α = 0.1, want one outside and one borderline", got)
	}
	if len(f.asked) != asked {
		t.Error("another α asked the worker for something")
	}
}

// scoreless answers like usual, but never has scores.
func scoreless(number uint32, r any, say func(any)) {
	if _, ok := r.(*message.Score); !ok {
		usual(number, r, say)
	}
}

func TestCancelLeavesAUsablePage(t *testing.T) {
	s, f, later := newTest(t)
	f.answer = scoreless
	s.typed("CCO")
	pass(later)
	f.next(-1)
	if s.phase != scoring {
		t.Fatalf("phase %v, want scoring", s.phase)
	}
	s.cancel()
	if s.phase != stopped || f.ended != 1 || s.rows.len() != 1 || s.text != "CCO" {
		t.Errorf("phase %v, %d workers ended, %d rows, text %q: want stopped, 1, 1 and the text", s.phase, f.ended, s.rows.len(), s.text)
	}
	f.scores("CCO")
	s.begin(0)
	pass(later)
	f.next(-1)
	if s.phase != done {
		t.Errorf("phase %v after scoring again, want done", s.phase)
	}
}

func TestNewInputEndsTheRunBefore(t *testing.T) {
	s, f, later := newTest(t)
	f.answer = scoreless
	s.typed("CCO")
	pass(later)
	f.next(-1)
	s.typed("CCO\nCC")
	if f.ended != 1 {
		t.Errorf("%d workers ended by typing on, want 1", f.ended)
	}
	pass(later)
	f.next(-1)
	if s.rows.len() != 2 || s.phase != scoring {
		t.Errorf("%d rows in phase %v, want 2 and scoring", s.rows.len(), s.phase)
	}
}

func TestWorkerDies(t *testing.T) {
	s, f, later := newTest(t)
	f.answer = scoreless
	s.typed("CCO")
	pass(later)
	f.next(-1)
	f.died("out of breath")
	if s.phase != broken || s.failure.Code != message.CodeDied || s.text != "CCO" {
		t.Fatalf("phase %v, failure %v, text %q", s.phase, s.failure, s.text)
	}
	headline, what := explain(s.failure)
	if headline == "" || !strings.Contains(what, "out of breath") {
		t.Errorf("said %q, %q", headline, what)
	}
	// It can be tried again, and memory is another matter.
	s.begin(0)
	pass(later)
	f.next(-1)
	if s.phase != scoring {
		t.Errorf("phase %v after trying again", s.phase)
	}
	f.died("fatal error: runtime: out of memory")
	if headline, what := explain(s.failure); s.failure.Code != message.CodeMemory || headline != "Not enough memory" || !strings.Contains(what, "after 1 record.") {
		t.Errorf("code %s: said %q, %q", s.failure.Code, headline, what)
	}
}

func TestAllRefused(t *testing.T) {
	s, f, later := newTest(t)
	s.typed("x\nxx")
	pass(later)
	f.next(-1)
	if s.phase != done || s.rows.counts[refused] != 2 {
		t.Errorf("phase %v, %d refused: want done and 2", s.phase, s.rows.counts[refused])
	}
	for _, r := range f.asked {
		if _, ok := r.(*message.Score); ok {
			t.Error("nothing was read, and scoring was asked for")
		}
	}
}

func TestModels(t *testing.T) {
	s, f, later := newTest(t)
	s.loadModel("bad", nil)
	f.next(-1)
	if s.modelFailure == nil || s.model.Name != "bbbp" {
		t.Errorf("failure %v, model %s: want one, and the model before", s.modelFailure, s.model.Name)
	}
	s.loadModel("mine", []byte{1, 2})
	f.next(-1)
	if s.modelFailure != nil || s.model.Name != "mine" || len(s.customModels) != 1 {
		t.Errorf("failure %v, model %s, %d own models", s.modelFailure, s.model.Name, len(s.customModels))
	}
	// A model of plain graphs cannot score molecules, and says so without asking.
	s.loadModel("bzr", nil)
	f.next(-1)
	s.typed("CCO")
	pass(later)
	f.next(-1)
	if s.phase != broken || s.failure.Code != message.CodeBadModel {
		t.Errorf("phase %v, failure %v", s.phase, s.failure)
	}
	// The right model scores what is open already.
	opens := 0
	f.answer = func(number uint32, r any, say func(any)) {
		switch r.(type) {
		case *message.Open:
			opens++
		case *message.Score:
			answerScore("CCO", &message.Score{}, say)
			return
		}
		usual(number, r, say)
	}
	s.loadModel("bbbp", nil)
	f.next(-1)
	if s.phase != done || opens != 0 {
		t.Errorf("phase %v with %d more opens, want done and 0", s.phase, opens)
	}
}

func TestUndo(t *testing.T) {
	s, f, later := newTest(t)
	s.typed("CCO")
	pass(later)
	f.next(-1)
	s.give("", nil, "what was cleared")
	if s.phase != empty || s.rows.len() != 0 {
		t.Fatalf("phase %v with %d rows after clearing", s.phase, s.rows.len())
	}
	s.takeBack()
	pass(later)
	f.next(-1)
	if s.text != "CCO" || s.rows.len() != 1 || s.undo != nil {
		t.Errorf("text %q, %d rows, undo %v", s.text, s.rows.len(), s.undo)
	}
}

func TestDetailOfTheChosenOnly(t *testing.T) {
	s, f, later := newTest(t)
	f.scores("CCO\nCC\nx")
	s.typed("CCO\nCC\nx")
	pass(later)
	f.next(-1)
	s.choose(0)
	s.choose(1)
	f.next(-1)
	if s.detail == nil || s.detail.Record != 1 || s.trouble != nil {
		t.Fatalf("detail %+v, trouble %v: want record 1", s.detail, s.trouble)
	}
	asked := len(f.asked)
	s.choose(2)
	if s.detail != nil || len(f.asked) != asked {
		t.Errorf("a refused record asked for details")
	}
	s.choose(0)
	s.step(1)
	if s.selected != 1 {
		t.Errorf("one step down selects %d, want 1", s.selected)
	}
	s.step(-100)
	if s.selected != 0 {
		t.Errorf("many steps up select %d, want 0", s.selected)
	}
}

func TestExport(t *testing.T) {
	s, f, later := newTest(t)
	f.scores("CCO\nCCCCCC\nx")
	s.typed("CCO\nCCCCCC\nx")
	pass(later)
	f.next(-1)
	s.sortBy(byScore)
	s.toggle(inside)
	var got []string
	for _, all := range []bool{true, false} {
		s.export("csv", all, func(e *message.Exported) { got = append(got, string(e.Data)) })
		f.next(-1)
	}
	if want := []string{"ida,idb,idc", "idb,ida"}; !slices.Equal(got, want) {
		t.Errorf("exported %q, want %q", got, want)
	}
	c := s.rows.columns([]int32{2, 0}, levels{}, rule{})
	if c.Error[0] != "no element" || c.Verdict[0] != "" || !math.IsNaN(c.Scores.P[0]) || c.Verdict[1] != "inside" || c.BatchVerdict != nil || c.Scores.Pre != nil {
		t.Errorf("columns %+v", c)
	}
}

func TestExamples(t *testing.T) {
	e := example{classes: []string{"explosive"}}
	if got := e.text([]byte(examplesCSV)); strings.Count(got, "\n") != 2 || !strings.HasSuffix(got, " TNT\n") {
		t.Errorf("explosives are %q", got)
	}
	e.most = 1
	if got := e.text([]byte(examplesCSV)); strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, " RDX\n") {
		t.Errorf("one explosive is %q", got)
	}
	if got := (example{}).text([]byte(examplesCSV)); strings.Count(got, "\n") != 3 {
		t.Errorf("all are %q", got)
	}
}

// memory keeps what a browser would.
type memory map[string][]byte

func (m memory) put(name string, value []byte)      { m[name] = bytes.Clone(value) }
func (m memory) get(name string, then func([]byte)) { then(m[name]) }
func (m memory) drop(name string)                   { delete(m, name) }
func (m memory) putFile(name string, f *file)       { m.put(name, f.data) }
func (m memory) getFile(name string, then func(*file)) {
	if data, ok := m[name]; ok {
		then(held(name, data))
		return
	}
	then(nil)
}

func TestTrainingGoesOnAfterAReload(t *testing.T) {
	s, f, later := newTest(t)
	kept := memory{}
	var training message.Train
	train := func(number uint32, r any, say func(any)) {
		if r, ok := r.(*message.Train); ok {
			training = *r
			say(&message.Epoch{Epoch: 0, Of: r.Epochs, Train: 27, Holdout: 3})
			for e := 1; e <= 3; e++ {
				say(&message.Epoch{Epoch: e, Of: r.Epochs, Loss: 1 / float64(e)})
			}
			say(&message.Checkpoint{Epoch: 2, Data: []byte("two")})
			return
		}
		scoreless(number, r, say)
	}
	f.answer = train
	s.giveLibrary(held("mine.smi", []byte("CCO\nCC")))
	pass(later)
	f.next(-1)
	if s.phase != unstarted || s.opened == nil {
		t.Fatalf("phase %v: a library is opened and not scored", s.phase)
	}
	s.trainOn("mine", 10, kept)
	f.next(-1)
	if !s.train.on || s.train.latest.Epoch != 3 || len(s.train.loss) != 3 || s.train.at != 2 {
		t.Fatalf("training %+v", s.train)
	}
	if string(kept["checkpoint"]) != "two" || string(kept["library"]) != "CCO\nCC" {
		t.Fatalf("kept %q", kept)
	}

	// The tab is loaded again.
	s, f, later = newTest(t)
	f.answer = train
	s.recall(kept)
	if s.train.on || s.train.at != 2 || s.train.epochs != 10 || s.train.library.name != "mine.smi" || len(s.train.loss) < 2 {
		t.Fatalf("recalled %+v", s.train)
	}
	f.answer = func(number uint32, r any, say func(any)) {
		if r, ok := r.(*message.Train); ok {
			training = *r
			say(&message.Epoch{Epoch: 3, Of: r.Epochs, Loss: 0.5})
			say(&message.Trained{Model: message.Model{Name: r.Name, SHA256: "cc"}, Data: []byte("model")})
			return
		}
		usual(number, r, say)
	}
	s.goOn(kept)
	f.next(-1)
	pass(later)
	if string(training.Checkpoint) != "two" || training.Epochs != 10 || training.Name != "mine" || !training.Canonical {
		t.Errorf("went on with %+v", training)
	}
	if s.train.made == nil || len(s.customModels) != 1 || len(kept) != 0 {
		t.Errorf("made %v, %d own models, still kept %v", s.train.made, len(s.customModels), kept)
	}
}

func TestPauseTraining(t *testing.T) {
	s, f, later := newTest(t)
	kept := memory{}
	var finish func()
	f.answer = func(number uint32, r any, say func(any)) {
		switch r.(type) {
		case *message.Train:
			say(&message.Epoch{Epoch: 1, Of: 10, Loss: 1})
			finish = func() { say(&message.Paused{Epoch: 1, Data: []byte("one")}) }
		case *message.Score:
		default:
			usual(number, r, say)
		}
	}
	s.giveLibrary(held("mine.smi", []byte("CCO\nCC")))
	pass(later)
	f.next(-1)
	s.trainOn("", 10, kept)
	f.next(-1)
	s.pauseTraining()
	if !s.train.ending {
		t.Error("not ending after Pause")
	}
	finish()
	f.next(-1)
	if s.train.on || s.train.at != 1 || string(kept["checkpoint"]) != "one" {
		t.Errorf("training %+v, kept %q", s.train, kept)
	}
	s.dropTraining(kept)
	if s.train.library != nil || len(kept) != 0 {
		t.Errorf("after throwing away: %+v, kept %v", s.train, kept)
	}
}

// After a reload the model comes in while the library is being opened again.
func TestModelThatComesLateLeavesTheTraining(t *testing.T) {
	f := &fake{t: t, answer: usual}
	s := newSession(message.NewClient(f.spawn))
	s.start("")
	s.train = training{name: "mine", epochs: 10, library: held("mine.smi", []byte("CCO\nCC\n")), at: 2, checkpoint: []byte("two")}
	s.goOn(memory{})
	f.next(-1)
	if s.model == nil || !s.train.on || s.phase != unstarted {
		t.Fatalf("model %v, training %v, phase %v: want one, true, unstarted", s.model, s.train.on, s.phase)
	}
	for _, r := range f.asked {
		if _, ok := r.(*message.Score); ok {
			t.Error("the library was scored")
		}
	}
	// Another input has the training pause.
	s.after = func(_ time.Duration, g func()) { g() }
	s.typed("CCO")
	if !s.train.ending {
		t.Error("the training goes on, and the new input waits for its end")
	}
}

func TestModelChosenWhileReading(t *testing.T) {
	s, f, later := newTest(t)
	s.typed("CCO")
	pass(later)
	s.loadModel("mine", []byte{1})
	f.next(-1)
	if s.model.Name != "mine" || s.rows.len() != 1 || s.phase != scoring {
		t.Errorf("model %s, %d rows, phase %v: want mine, 1, scoring", s.model.Name, s.rows.len(), s.phase)
	}
	scores := 0
	for _, r := range f.asked {
		if _, ok := r.(*message.Score); ok {
			scores++
		}
	}
	if scores != 1 || f.ended != 0 {
		t.Errorf("scored %d times, %d workers ended: want 1 and 0", scores, f.ended)
	}
}

func TestFilesGoWhereTheyBelong(t *testing.T) {
	for _, test := range []struct {
		name string
		size int
		want fileKind
	}{
		{"a.smi", 100, shortText},
		{"A.TXT", mostText, shortText},
		{"a.smi", mostText + 1, inputFile},
		{"b.csv", 10, inputFile},
		{"b.smi.gz", 10, inputFile},
		{"c.msgpack", 1000, modelFile},
		{"c.msgpack", mostModel + 1, inputFile},
	} {
		if got := kindOf(&file{name: test.name, size: test.size}); got != test.want {
			t.Errorf("%s of %d bytes is of kind %d, want %d", test.name, test.size, got, test.want)
		}
	}
	// A file of the browser is only named to the worker.
	s, f, later := newTest(t)
	s.give("", &file{name: "b.csv", size: 1 << 40, number: 7}, "")
	pass(later)
	if r, ok := f.asked[len(f.asked)-1].(*message.Open); !ok || r.File != 7 || r.Data != nil || r.Name != "b.csv" {
		t.Errorf("asked for %+v", f.asked[len(f.asked)-1])
	}
}
