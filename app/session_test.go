package app

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"baca/algo"
	"baca/algo/decide"
	column "baca/algo/table"
	"baca/app/run"
	"baca/app/store"
	"baca/app/table"
	"baca/wasm/message"
)

// A fake is a worker. Answers wait in a queue until the test lets them through, as those of a real
// worker do.
type fake struct {
	t       *testing.T
	answers map[reflect.Type]func(r any, say func(any)) // by type of request; usual without
	queue   []func()
	ended   int // workers that were terminated
	asked   []any
	numbers []uint32 // of the requests
	receive func([]byte)
	died    func(string)
	later   *[]func() // what waits for time to pass
}

func newFake(t *testing.T) *fake {
	return &fake{t: t, answers: map[reflect.Type]func(any, func(any)){}}
}

// on has a worker answer requests of a type.
func on[R message.Request](f *fake, answer func(r R, say func(any))) {
	f.answers[reflect.TypeFor[R]()] = func(r any, say func(any)) { answer(r.(R), say) }
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
	f.asked, f.numbers = append(f.asked, r), append(f.numbers, number)
	answer := f.answers[reflect.TypeOf(r)]
	if answer == nil {
		answer = usual
	}
	answer(r, func(m any) {
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

// scores makes the worker score text whatever it is asked to.
func (f *fake) scores(text string) {
	on(f, func(r *message.Score, say func(any)) { answerScore(text, r, say) })
}

// usual answers as a worker would for a text of SMILES: a line with an x is
// refused, and a score is the length of the line.
func usual(r any, say func(any)) {
	switch r := r.(type) {
	case *message.Hello:
		say(&message.Welcome{Program: "test", Models: []message.Model{{Name: "bbbp", Molecules: true, BuiltIn: true, SHA256: "aa"}, {Name: "bzr", BuiltIn: true, SHA256: "bb"}}, MinBatch: 3, Examples: []byte(examplesCSV)})
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
		say(&message.Opened{Name: r.Name, Format: "smi", Molecules: true, Records: len(e.Line), Refused: len(e.Problems)})
	case *message.Detail:
		say(&message.Detailed{Record: r.Record, Drawing: message.Drawing{Atoms: []string{"C"}}, Explanation: algo.Explanation{Contributions: []float64{1}}})
	case *message.Trace:
		say(traced(r.Record))
	case *message.Graphons:
		say(&message.GraphonPair{Side: r.Side, RecordI: r.I, RecordJ: r.J, N: 1, WI: message.Singles{1}, WJ: message.Singles{0}, Lambda: r.Lambda, Samples: []message.Sample{{Nodes: 2, Edges: message.Ints{0, 1}}}})
	case *message.Pause:
		say(&message.Paused{})
	}
}

// traced is a molecule of two atoms, C and O⁻.
func traced(record int) *message.Traced {
	m := message.Map{Training: message.Singles{0, 0, 1, 1}, Records: message.Ints{0, 1}, Batch: message.Singles{0.5, 0.5, 2, 2}, At: message.Singles{2, 2}, Nearest: message.Singles{1, 1}, ShareX: 0.6, ShareY: 0.3}
	return &message.Traced{
		Record: record, Drawing: message.Drawing{SMILES: "[O-]C", Atoms: []string{"O", "C"}, Bonds: []message.Bond{{From: 0, To: 1}}},
		From: message.Ints{0, 4}, To: message.Ints{4, 5}, Node: message.Ints{1, 0}, Features: 9, Width: 2,
		X:     message.Ints{5, 0, 4, 5, 3, 0, 2, 0, 0, 7, 0, 1, 4, 0, 0, 2, 0, 0},
		Walks: message.Singles{0, 1, 0, 1}, Maps: []message.Map{m, m}, Nearest: message.Floats{1.5},
		Attn: message.Floats{-0.25}, Inside: message.Floats{-1}, Outside: message.Floats{1},
	}
}

func lines(text string) *message.Records {
	var ids []string
	list := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range list {
		ids = append(ids, "id"+string(rune('a'+i)))
	}
	e := recordsFrom(0, ids, list)
	for i, line := range list {
		e.Line[i] = int32(i + 1)
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
	n := len(e.Line)
	c := map[string][]float64{}
	add := func(name string, x float64) { c[name] = append(c[name], x) }
	for _, s := range e.Columns.Texts("smiles") {
		x := float64(len(s))
		if strings.Contains(s, "x") {
			x = math.NaN()
		}
		add("score", x)
		add("p_value", 1/x)
		if r.Batch {
			for k, name := range []string{"alone", "alone_p", "s_pre", "s_attn", "s_baca", "batch", "batch_p"} {
				add(name, []float64{x, 1 / x, x, -x, 10 * x, 2 * x, 0.5 / x}[k])
			}
		}
	}
	rows := message.Rows{Rows: slices.Concat(e.Columns, message.Columns{column.TextColumn("verdict", make([]string, n)), column.TextColumn("error", make([]string, n))})}
	for _, name := range slices.Sorted(maps.Keys(c)) {
		rows.Rows = append(rows.Rows, column.NumberColumn(name, c[name]))
	}
	if r.Batch {
		rows.Rows = append(rows.Rows, column.TextColumn("batch_verdict", make([]string, n)))
	}
	say(&message.Reference{Score: heldScores()})
	if r.Batch {
		say(&message.Progress{Stage: message.StageEncode, Done: n, Total: n})
		say(&message.Parted{Inside: message.Ints{3}, Outside: message.Ints{0, 1, 2}, InsideMean: message.Singles{0}, OutsideMean: message.Singles{0.5}, InsideSteps: 1, OutsideSteps: 1})
		say(&message.Iteration{Step: 10, Of: 20, Loss: 1, KL: 2, AUC: math.NaN()})
		say(&message.Fitted{Graphs: n, Holdout: message.Columns{column.NumberColumn("batch", heldScores()), column.NumberColumn("s_baca", heldScores())}, Whole: []string{"as a whole this list differs from the training set: AUC 0.93, p < 0.001"}, Paper: message.Sum{Beta: 1, PreMean: 2, PreDeviation: 5, AttnMean: -2, AttnDeviation: 10}, Warnings: []string{"small"}})
	} else {
		say(&message.Progress{Stage: message.StageScore, Done: n, Total: n})
	}
	say(&rows)
	say(&message.Scored{AUC: 0.7, BatchAUC: 0.8, PaperAUC: 0.9})
}

// newTest is a session with a fake worker, a model loaded, and time that stands
// still until the test runs what waits.
func newTest(t *testing.T) (*desk, *fake, *[]func()) {
	t.Helper()
	return newTestOf(t, newFake(t), "", memory{})
}

// newTestOf is newTest with a worker, for the model of an address and what a browser keeps.
func newTestOf(t *testing.T, f *fake, model string, kept store.Store) (*desk, *fake, *[]func()) {
	t.Helper()
	s := newDesk(message.NewClient(f.spawn))
	var later []func()
	f.later = &later
	s.After = func(_ time.Duration, g func()) { later = append(later, g) }
	s.Models.Start(model, kept)
	f.next(-1)
	if s.Models.Used.Value == nil || model == "" && s.Models.Used.Value.Name != "bbbp" {
		t.Fatalf("model %v after the start with %q", s.Models.Used.Value, model)
	}
	return s, f, &later
}

// settle lets time pass, and then all answers through.
func (f *fake) settle() {
	pass(f.later)
	f.next(-1)
}

// pass runs all that waits for time to pass.
func pass(later *[]func()) {
	for len(*later) > 0 {
		g := (*later)[0]
		*later = (*later)[1:]
		g()
	}
}

func TestExport(t *testing.T) {
	s, f, _ := newTest(t)
	f.scores("CCO\nCCCCCC\nx")
	s.Input.Type("CCO\nCCCCCC\nx")
	f.settle()
	s.ToggleVerdict(decide.Inside)
	var got []string
	for _, all := range []bool{true, false} {
		s.Export("csv", all, func(e *message.Exported) { got = append(got, string(e.Data)) })
	}
	const head = "id,smiles,score,p_value,verdict,error,set_aside,model,model_sha256,by,alpha,program\n"
	for i, want := range []string{head + "ida,CCO,3,0.333333,inside,,,bbbp,", head + "idb,CCCCCC,6,0.166667,inside,,,bbbp,"} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("exported %q, want %q", got[i], want)
		}
	}
	risky := s.Table.Columns([]int32{0}, nil)
	risky.Texts("id")[0] = "=1+1" // which a spreadsheet would run
	got = append(got, string(table.File("baca", "csv", risky).Data))
	s.Export("json", true, func(e *message.Exported) { got = append(got, string(e.Data)) })
	var list []map[string]any
	if err := json.Unmarshal([]byte(got[3]), &list); err != nil || len(list) != 3 || list[2]["error"] != "no element" || list[2]["score"] != nil || !strings.Contains(got[2], "\n'=1+1,") {
		t.Errorf("%v: exported %q", err, got[2:])
	}
	c := s.Table.Columns([]int32{2, 0}, s.Models.Used.Value)
	if c.Texts("error")[0] != "no element" || c.Texts("verdict")[0] != "" || !math.IsNaN(c.Numbers("p_value")[0]) || c.Texts("verdict")[1] != "inside" || c.Texts("batch_verdict") != nil || c.Numbers("s_pre") != nil {
		t.Errorf("columns %+v", c)
	}
}

// memory keeps what a browser would.
type memory map[string][]byte

func (m memory) Put(name string, f *store.File, then func(string)) {
	m[name] = bytes.Clone(f.Data)
	then("")
}
func (m memory) Get(name string, then func(*store.File)) {
	if data, ok := m[name]; ok {
		then(store.NewFile(name, data))
		return
	}
	then(nil)
}
func (m memory) All(prefix string, then func(map[string][]byte, string)) {
	all := map[string][]byte{}
	for name, value := range m {
		if strings.HasPrefix(name, prefix) {
			all[name] = value
		}
	}
	then(all, "")
}
func (m memory) Last()                         {}
func (m memory) Release()                      {}
func (m memory) Claim(_ bool, then func(bool)) { then(true) }
func (m memory) Drop(name string, then func()) { delete(m, name); then() }

// What was chosen for a training is known after a reload.
func TestTrainingKeepsItsRecipe(t *testing.T) {
	kept := memory{}
	want := message.Train{Name: "mine", Epochs: 10, Structures: true, Observed: "y", Predicted: "yhat", HeldOut: true}
	s, f, _ := newTest(t)
	on(f, func(_ *message.Train, say func(any)) { say(&message.Checkpoint{Epoch: 2, Data: []byte("two")}) })
	s.Input.Give(run.Given{File: store.NewFile("mine.smi", []byte("CCO\nCC")), Library: true})
	f.settle()
	s.Training.Recall(kept)
	s.Training.Recipe = want
	s.Training.Start()
	f.next(-1)
	s, f, _ = newTest(t)
	s.Training.Recall(kept)
	s.Training.Resume()
	f.next(-1)
	want.Checkpoint, want.Seconds = []byte("two"), 5
	if got, ok := f.asked[len(f.asked)-1].(*message.Train); !ok || !reflect.DeepEqual(*got, want) {
		t.Errorf("went on with %+v, want %+v", f.asked[len(f.asked)-1], want)
	}
}

// A shared store grants a training to one of its tabs.
type shared struct {
	memory
	taken   *bool
	waiting *[]func()
	mine    *bool
}

func (s shared) Claim(patient bool, then func(bool)) {
	switch {
	case !*s.taken || *s.mine:
		*s.taken, *s.mine = true, true
		then(true)
	case patient:
		*s.waiting = append(*s.waiting, func() { s.Claim(true, then) })
	default:
		then(false)
	}
}

func (s shared) Release() {
	if !*s.mine {
		return
	}
	*s.taken, *s.mine = false, false
	for len(*s.waiting) > 0 && !*s.taken {
		next := (*s.waiting)[0]
		*s.waiting = (*s.waiting)[1:]
		next()
	}
}

// One tab trains at a time. The others see what it has paused, and can go on with it.
func TestOneTabTrains(t *testing.T) {
	kept := shared{memory{}, new(bool), new([]func()), new(bool)}
	tab := func() (*desk, *fake) {
		s, f, _ := newTest(t)
		on(f, func(_ *message.Train, say func(any)) { say(&message.Checkpoint{Epoch: 2, Data: []byte("two")}) })
		own := kept
		own.mine = new(bool)
		s.Training.Recall(own)
		s.Input.Give(run.Given{File: store.NewFile("mine.smi", []byte("CCO\nCC")), Library: true})
		f.settle()
		return s, f
	}
	first, f := tab()
	first.Training.Recipe = message.Train{Epochs: 10}
	first.Training.Start()
	f.next(-1)
	second, g := tab()
	if second.Training.Library != nil {
		t.Errorf("another tab shows %+v", second.Training)
	}
	second.Training.Recipe = message.Train{Epochs: 20}
	second.Training.Start()
	if second.Training.On || second.Training.Made.Failure == nil || !strings.Contains(string(kept.memory["training"]), `"Epochs":10`) {
		t.Errorf("another tab trains: %+v, kept %q", second.Training, kept.memory["training"])
	}
	f.endTraining(&message.Paused{Epoch: 3, Data: []byte("later")})
	if second.Training.At != 3 || second.Training.Made.Failure != nil || first.Training.At != 3 {
		t.Errorf("after a pause the other tab has %+v", second.Training)
	}
	second.Training.Resume()
	g.next(-1)
	first.Training.Resume()
	if !second.Training.On || first.Training.On || first.Training.Made.Failure == nil {
		t.Errorf("both go on: %+v and %+v", first.Training, second.Training)
	}
	// What this tab throws away stays the other's.
	first.Training.Drop()
	g.endTraining(&message.Paused{Epoch: 5, Data: []byte("later")})
	if len(kept.memory) != 2 || first.Training.At != 5 {
		t.Errorf("kept %q, the first tab has %+v", kept.memory, first.Training)
	}
}

// endTraining answers the trainings that were asked for.
func (f *fake) endTraining(reply any) {
	f.t.Helper()
	for number, r := range f.asked {
		if _, ok := r.(*message.Train); ok {
			data, err := message.Encode(f.numbers[number], reply)
			if err != nil {
				f.t.Fatal(err)
			}
			f.receive(data)
		}
	}
}

// After a reload the model comes in while the library is being opened again.
func TestModelThatComesLateLeavesTheTraining(t *testing.T) {
	f := newFake(t)
	s := newDesk(message.NewClient(f.spawn))
	s.Models.Start("", memory{})
	s.Training.Recall(memory{"training": []byte(`{"Name":"mine","Epochs":10,"Library":"mine.smi","At":2,"Checkpoint":"dHdv"}`), "library": []byte("CCO\nCC\n")})
	s.Training.Resume()
	f.next(-1)
	if s.Models.Used.Value == nil || !s.Training.On || s.Phase != run.Unstarted {
		t.Fatalf("model %v, training %v, phase %v: want one, true, unstarted", s.Models.Used.Value, s.Training.On, s.Phase)
	}
	for _, r := range f.asked {
		if _, ok := r.(*message.Score); ok {
			t.Error("the library was scored")
		}
	}
	// Another input has the training pause.
	s.After = func(_ time.Duration, g func()) { g() }
	s.Input.Type("CCO")
	if !s.Training.Ending {
		t.Error("the training goes on, and the new input waits for its end")
	}
}

func TestFilesOfTheBrowserAreNamed(t *testing.T) {
	// A file of the browser is only named to the worker.
	s, f, later := newTest(t)
	s.Input.Give(run.Given{File: &store.File{Name: "b.csv", Size: 1 << 40, Number: 7}})
	pass(later)
	if r, ok := f.asked[len(f.asked)-1].(*message.Open); !ok || r.File != 7 || r.Data != nil || r.Name != "b.csv" {
		t.Errorf("asked for %+v", f.asked[len(f.asked)-1])
	}
}
