package app

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"baca/algo/decide"
	"baca/app/run"
	"baca/app/store"
	"baca/app/table"
	"baca/wasm/message"
)

// A stage plays scenarios: events change a session, whose state is a line. Time stands still until an event lets it pass.
type stage struct {
	*desk
	f     *fake
	later []func() // what waits for time to pass
	saved []*message.Exported
	store store.Store // outlasts a reload, as the draft and the address do
	kept  memory      // of the store
	draft string
	line  int // of the scenario's event, 0 without one
}

func newStage(t *testing.T) *stage {
	t.Helper()
	kept := memory{}
	return newStageOf(t, "", kept, kept)
}

// newStageOf has the model of an address, and a store that keeps in a memory.
func newStageOf(t *testing.T, model string, s store.Store, kept memory) *stage {
	t.Helper()
	p := &stage{f: newFake(t), store: s, kept: kept}
	p.reload(model)
	return p
}

// reload loads the page with the model that the address names.
func (p *stage) reload(model string) {
	p.f.t.Helper()
	p.f = newFake(p.f.t)
	p.desk = newDesk(message.NewClient(p.f.spawn))
	p.later = nil
	p.After = func(_ time.Duration, f func()) { p.later = append(p.later, f) }
	p.Models.Start(model, p.store)
	p.f.next(-1)
	if p.Models.Used.Value == nil || model == "" && p.Models.Used.Value.Name != "bbbp" {
		p.f.t.Fatalf("model %v after the start with %q", p.Models.Used.Value, model)
	}
	p.Training.Recall(p.store)
	draft := p.draft
	p.KeepInput = func(draft string) { p.draft = draft }
	p.Restore(draft)
}

// pass runs all that waits for time to pass, pass1 what waits now, and not what comes to wait by it.
func (p *stage) pass() {
	for len(p.later) > 0 {
		p.pass1()
	}
}

func (p *stage) pass1() {
	now := p.later
	p.later = nil
	for _, f := range now {
		f()
	}
}

// settle lets time pass, and then all answers through.
func (p *stage) settle() {
	p.pass()
	p.f.next(-1)
}

func (p *stage) save(e *message.Exported) { p.saved = append(p.saved, e) }

// htmlOf draws the page.
func htmlOf(t *testing.T, s *desk) string {
	t.Helper()
	html, err := (&page{s: s}).html()
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(html, "\u00a0", " ")
}

// shows checks that the page shows some texts, and none of those that begin with !.
func (p *stage) shows(texts ...string) {
	p.f.t.Helper()
	html := htmlOf(p.f.t, p.desk)
	for _, text := range texts {
		if want, not := strings.CutPrefix(text, "!"); strings.Contains(html, want) == not {
			p.f.t.Errorf("line %d: the page shows %q: %v", p.line, want, not)
		}
	}
}

// saves checks that the last file that was saved holds a text.
func (p *stage) saves(text string) {
	p.f.t.Helper()
	last := p.saved[len(p.saved)-1]
	if !bytes.Contains(last.Data, []byte(text)) {
		p.f.t.Errorf("line %d: the file %q, saved last, lacks %q: %s", p.line, last.Name, text, last.Data)
	}
}

// An object is what stands behind the verb of an event, where ; stands for the end of a line; n is its number, −1 for none.
type object struct {
	text string
	n    int
	x    float64
}

// events are what users, the worker and time do to a session, by their verbs.
var events = map[string]func(p *stage, o object){
	"alpha": func(p *stage, o object) { p.SetAlpha(o.x) },
	"at": func(p *stage, o object) {
		if got := p.Query(); got != o.text {
			p.f.t.Errorf("line %d: the address is %q, want %q", p.line, got, o.text)
		}
	},
	"begin":   func(p *stage, o object) { p.Begin() },
	"by":      func(p *stage, o object) { p.DecideBy(table.DeciderOf(o.text)) },
	"choose":  func(p *stage, o object) { p.Input.ChooseColumn(o.text) },
	"close":   func(p *stage, o object) { p.Lab.Close() },
	"compare": func(p *stage, o object) { p.Lab.CompareWith(store.NewFile("a.smi", []byte(o.text))) },
	"cancel":  func(p *stage, o object) { p.Cancel() },
	"column":  func(p *stage, o object) { p.ChooseColumn(o.text) },
	"delete":  func(p *stage, o object) { p.Models.Delete(o.n) },
	"die":     func(p *stage, o object) { p.f.died(o.text) },
	"domain": func(p *stage, o object) {
		key, format, _ := strings.Cut(o.text, " ")
		p.SaveDomain(key, format, p.save)
	},
	"drop":  func(p *stage, o object) { p.Training.Drop() },
	"empty": func(p *stage, o object) { p.Input.Give(run.Given{File: store.NewFile("empty.smi", nil)}) },
	"end":   func(p *stage, o object) { p.EndTask() },
	"ended": func(p *stage, o object) {
		answer[*message.Ask](p.f, &message.Failed{Code: message.CodeCancelled, Text: "cancelled"})
	},
	"export": func(p *stage, o object) {
		format, which, _ := strings.Cut(o.text, " ")
		p.Export(format, which == "all", p.save)
		p.pass()
	},
	"fast": func(p *stage, o object) { p.f.slow = false },
	"fdr":  func(p *stage, o object) { p.SetFDR(o.x) },
	"few":  func(p *stage, o object) { p.f.few = true },
	"file": func(p *stage, o object) { p.Models.Load(o.text, []byte(o.text)) },
	"find": func(p *stage, o object) { p.Find(o.text, false) },
	"fold": func(p *stage, o object) { p.Input.Fold(true) },
	"give": func(p *stage, o object) { p.Input.Give(run.Given{Text: o.text}) },
	"keep": func(p *stage, o object) { p.Training.TakeBack() },
	"library": func(p *stage, o object) {
		p.Input.Give(run.Given{File: store.NewFile("mine.smi", []byte(o.text)), Library: true})
	},
	"kept":   func(p *stage, o object) { p.draft = o.text },
	"link":   func(p *stage, o object) { p.OpenLink(o.text) },
	"lambda": func(p *stage, o object) { p.Lab.SetLambda(o.x) },
	"load":   func(p *stage, o object) { p.Models.Load(o.text, nil) },
	"mark":   func(p *stage, o object) { p.Inspector.Mark(o.n) },
	"named": func(p *stage, o object) {
		name, text, _ := strings.Cut(o.text, " ")
		p.Input.Give(run.Given{Name: name, Text: text})
	},
	"next":  func(p *stage, o object) { p.f.next(o.n) },
	"open":  func(p *stage, o object) { p.Lab.Open(o.text) },
	"pass":  func(p *stage, o object) { p.pass() },
	"paste": func(p *stage, o object) { p.Input.Paste(o.text) },
	"pause": func(p *stage, o object) { p.Training.Pause() },
	"paused": func(p *stage, o object) {
		answer[*message.Train](p.f, &message.Paused{Epoch: o.n, Data: []byte("later")})
	},
	"reasons":   func(p *stage, o object) { p.ExplainRows("csv", p.save) },
	"reload":    func(p *stage, o object) { p.reload(cmp.Or(o.text, p.Models.InAddress())) },
	"report":    func(p *stage, o object) { p.Report(p.save) },
	"resume":    func(p *stage, o object) { p.Training.Resume() },
	"save":      func(p *stage, o object) { p.Lab.SaveFound(p.save) },
	"saves":     func(p *stage, o object) { p.f.t.Helper(); p.saves(o.text) },
	"scrub":     func(p *stage, o object) { p.Lab.Scrub(o.n) },
	"settle":    func(p *stage, o object) { p.settle(); p.settle() },
	"shape":     func(p *stage, o object) { p.ShowAs(table.Shape(o.text)) },
	"sheet":     func(p *stage, o object) { p.Input.ChooseSheet(o.text) },
	"show":      func(p *stage, o object) { p.Inspector.Show(o.n) },
	"shows":     func(p *stage, o object) { p.f.t.Helper(); p.shows(strings.ReplaceAll(o.text, "\n", ";")) },
	"graphs":    func(p *stage, o object) { p.Input.Give(run.Given{File: store.NewFile("a.graphml", []byte(o.text))}) },
	"workbook":  func(p *stage, o object) { p.Input.Give(run.Given{File: store.NewFile("a.xlsx", []byte(o.text))}) },
	"slow":      func(p *stage, o object) { p.f.slow = true },
	"sort":      func(p *stage, o object) { p.SortBy(o.text) },
	"step":      func(p *stage, o object) { p.Inspector.Step(o.n) },
	"structure": func(p *stage, o object) { p.Find(o.text, true) },
	"suggest":   func(p *stage, o object) { p.Lab.Wish.Most = o.text; p.Lab.Suggest() },
	"tables":    func(p *stage, o object) { p.f.tables = true },
	"toggle":    func(p *stage, o object) { p.ToggleVerdict(decide.Verdict(o.text)) },
	"train":     func(p *stage, o object) { p.Training.Recipe = message.Train{Epochs: o.n}; p.Training.Start() },
	"trained":   func(p *stage, o object) { answer[*message.Train](p.f, made) },
	"type":      func(p *stage, o object) { p.Input.Type(o.text) },
	"undelete":  func(p *stage, o object) { p.Models.Undelete() },
	"undo":      func(p *stage, o object) { p.Input.TakeBack() },
	"unfold":    func(p *stage, o object) { p.Input.Fold(false) },
	"use":       func(p *stage, o object) { p.Training.Use() },
	"want":      func(p *stage, o object) { p.Glances.Want(recordsIn(o.text)) },
}

// far is far outside, and lengths are rows whose p is 1/length.
const far = "CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC"

const lengths = "CCCCCCCCCCCC\nCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC\nCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC\nCC\nCCO\nx"

// made is a model that was trained.
var made = &message.Trained{Model: message.Model{Name: "mine", SHA256: sumOf(modelData), Molecules: true}, Data: []byte(modelData)}

func recordsIn(text string) (records []int32) {
	for word := range strings.FieldsSeq(text) {
		n, _ := strconv.Atoi(word)
		records = append(records, int32(n))
	}
	return records
}

// play plays events: each is a verb and its object.
func (p *stage) play(list ...string) {
	p.f.t.Helper()
	for _, event := range list {
		verb, text, _ := strings.Cut(event, " ")
		play, ok := events[verb]
		if !ok {
			p.f.t.Fatalf("no event %q", event)
		}
		o := object{text: strings.NewReplacer(";", "\n", "LENGTHS", lengths, "FAR", far).Replace(text), n: -1}
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			o.x, o.n = x, int(x)
		}
		play(p, o)
	}
}

// state is the phase and whatever is not as at the start, with the requests so far.
func (p *stage) state() string {
	return strings.Join(slices.Concat([]string{string(p.Phase)}, p.ofRows(), p.ofInput(), p.asked()), ", ")
}

// A line collects what holds.
type line []string

func (l *line) add(holds bool, format string, args ...any) {
	if holds {
		*l = append(*l, fmt.Sprintf(format, args...))
	}
}

// ofRows is what is used and shown: the model, verdicts, the chosen record, what decides, the order.
func (p *stage) ofRows() (l line) {
	l.add(p.Failure != nil, "%v", p.Failure)
	l.add(p.Lab.Found(p.Lab.Stage).Failure != nil, "tool: %v", p.Lab.Found(p.Lab.Stage).Failure)
	l.add(p.Models.Used.Failure != nil, "model: %v", p.Models.Used.Failure)
	l.add(p.Models.Used.Value.Name != "bbbp", "%s, %d own", p.Models.Used.Value.Name, len(p.Models.Own))
	for _, v := range []decide.Verdict{table.Unscored, decide.Refused, decide.Undecided, decide.Inside, decide.Borderline, decide.Outside} {
		n := len(slices.DeleteFunc(slices.Clone(p.Rows.Verdict), func(has decide.Verdict) bool { return has != v }))
		l.add(n > 0, "%d %s", n, wordOf(v))
	}
	record := p.Inspector.Record
	l.add(record >= 0, "record %d", record)
	if d := p.Inspector.Detail.Value; d != nil {
		l.add(true, "detail %v", d.Record == record)
		for i, is := range p.Inspector.Marked() {
			l.add(is, "atom %d ringed", i)
		}
	}
	l.add(p.Deciding() != table.EachAlone, "by %s", table.DeciderWords()[p.Deciding()].Key)
	l.add(p.Rule().ByRate, "p ≤ %.3g", p.Rule().Cut)
	l.add(p.View.By != "score" || len(p.Order) < p.Rows.Len() && p.Phase == run.Done, "order %v", p.Order)
	search := p.Rows.Computed[message.OfStructure]
	l.add(search.Failure != nil, "%v", search.Failure)
	var glances []int
	for record := range p.Rows.Len() {
		if p.Glances.Of(record) != nil {
			glances = append(glances, record)
		}
	}
	l.add(glances != nil, "glances %v", glances)
	return l
}

// ofInput is what becomes of the input and of a training on it, what is told, saved and kept.
func (p *stage) ofInput() (l line) {
	l.add(p.Input.Library, "library")
	l.add(p.Training.Library != nil && p.Training.Made.Value == nil, "%s", shortLine(&p.Training))
	l.add(p.Training.Ending, "ending")
	l.add(p.Training.Made.Value != nil, "made")
	var kept []string
	for name := range p.kept {
		kind, _, _ := strings.Cut(name, "/")
		kept = append(kept, kind)
	}
	slices.Sort(kept)
	l.add(len(kept) > 0, "kept %v", kept)
	if p.Told != nil {
		l.add(true, "%q", p.Told.Headline)
	}
	if p.Task != nil {
		l.add(true, "%q", p.Task.Words())
	}
	l.add(p.Saved != "", "%q", p.Saved)
	var saved []string
	for _, e := range p.saved {
		saved = append(saved, e.Name)
	}
	l.add(saved != nil, "saved %v", saved)
	l.add(p.Lab.Stage != "", "%s %d", p.Lab.Stage, p.Lab.Beat)
	l.add(p.Input.Folded(), "folded")
	if p.Header != nil {
		l.add(true, "column %s", p.Header.Column)
	}
	l.add(p.Input.Title() != "Your list", "called %s", p.Input.Title())
	return l
}

// asked are the requests so far, and the text.
func (p *stage) asked() (l line) {
	l.add(p.f.ended > 0, "%d ended", p.f.ended)
	asked := map[string]int{}
	var details []int
	var computes []string
	domain, report := "", ""
	for _, r := range p.f.asked {
		asked[strings.TrimPrefix(fmt.Sprintf("%T", r), "*message.")]++
		switch r := r.(type) {
		case *message.Score:
			if r.Batch {
				asked["Batch"]++
			}
		case *message.Detail:
			details = append(details, r.Record)
		case *message.Domain:
			domain = fmt.Sprintf("%s %v at %g", r.Form, r.Record, r.Alpha)
		case *message.Report:
			report = fmt.Sprintf("Report of %d by %s, at most %g false, with %q, refused %v %q", len(r.P), r.By, r.FDR, r.Rows.Texts("id"), r.Refused, r.Refusals)
		case *message.Compute:
			what := strings.TrimSpace(r.What + " " + r.SMARTS)
			if r.What == message.OfPlaces {
				what += fmt.Sprint(" of ", r.Record)
			}
			computes = append(computes, what)
		}
	}
	for _, name := range []string{"Open", "Score", "Batch", "Ask"} {
		l.add(asked[name] > 0, "%s %d", name, asked[name])
	}
	l.add(details != nil, "Detail %v", details)
	l.add(computes != nil, "Compute %q", computes)
	l.add(domain != "", "%s", domain)
	l.add(report != "", "%s", report)
	l.add(p.Input.Text != lengths, "%q", strings.NewReplacer("\n", ";", far, "FAR").Replace(p.Input.Text))
	return l
}

var update = flag.Bool("update", false, "write the states of testdata/scenarios.txt anew")

func TestScenarios(t *testing.T) {
	const file = "testdata/scenarios.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	var p *stage
	for k, line := range lines {
		event, isEvent := strings.CutPrefix(line, "> ")
		switch {
		case strings.HasPrefix(line, "== "):
			p = newStage(t)
		case isEvent:
			p.line = k + 1
			p.play(event)
		case line != "" && !strings.HasPrefix(line, "#"):
			if lines[k] = p.state(); lines[k] != line && !*update {
				t.Errorf("%s:%d: the state is\n%s, want\n%s", file, k+1, lines[k], line)
			}
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
