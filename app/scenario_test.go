package app

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/algo/decide"
	"baca/app/run"
	"baca/app/store"
	"baca/app/table"
	"baca/wasm/message"
)

// A stage plays scenarios: events change a session, whose state is a line.
type stage struct {
	*desk
	f     *fake
	later *[]func()
	slow  bool // the worker does not score
	text  string
	saved []string
	kept  memory // outlasts a reload, as the draft and the address do
	draft string
}

func newStage(t *testing.T) *stage {
	p := &stage{kept: memory{}}
	p.f = hashing(t)
	p.reload("")
	return p
}

// reload loads the page with the model that the address names.
func (p *stage) reload(model string) {
	draft := p.draft
	p.desk, p.f, p.later = newTestOf(p.f.t, hashing(p.f.t), model, p.kept)
	on(p.f, func(r *message.Open, say func(any)) {
		p.text = string(r.Data)
		usual(r, say)
	})
	on(p.f, func(r *message.Score, say func(any)) {
		if !p.slow {
			answerScore(p.text, r, knowing(say))
		}
	})
	answerTasks(p.f)
	on(p.f, func(r *message.Compute, say func(any)) { answerCompute(p.text, r, say) })
	on(p.f, func(r *message.Train, say func(any)) {
		say(&message.Epoch{Epoch: 3, Of: 10})
		say(&message.Checkpoint{Epoch: 2, Data: []byte("two")})
	})
	p.Training.Recall(p.kept)
	p.KeepInput = func(draft string) { p.draft = draft }
	p.Restore(draft)
}

// An object is what stands behind the verb of an event, where ; stands for the end of a line; n is its number, −1 for none.
type object struct {
	text string
	n    int
	x    float64
}

// events are what users, the worker and time do to a session, by their verbs.
var events = map[string]func(p *stage, o object){
	"alpha":  func(p *stage, o object) { p.SetAlpha(o.x) },
	"begin":  func(p *stage, o object) { p.Begin() },
	"by":     func(p *stage, o object) { p.DecideBy(table.DeciderOf(o.text)) },
	"cancel": func(p *stage, o object) { p.Cancel() },
	"column": func(p *stage, o object) { p.ChooseColumn(o.text) },
	"delete": func(p *stage, o object) { p.Models.Delete(o.n) },
	"die":    func(p *stage, o object) { p.f.died(o.text) },
	"drop":   func(p *stage, o object) { p.Training.Drop() },
	"fast":   func(p *stage, o object) { p.slow = false },
	"fdr":    func(p *stage, o object) { p.SetFDR(o.x) },
	"file":   func(p *stage, o object) { p.Models.Load(o.text, []byte(o.text)) },
	"find":   func(p *stage, o object) { p.Find(o.text, false) },
	"fold":   func(p *stage, o object) { p.Input.Fold(true) },
	"give":   func(p *stage, o object) { p.Input.Give(run.Given{Text: o.text}) },
	"keep":   func(p *stage, o object) { p.Training.TakeBack() },
	"known":  func(p *stage, o object) { p.ToggleKnown() },
	"library": func(p *stage, o object) {
		p.Input.Give(run.Given{File: store.NewFile("mine.smi", []byte(o.text)), Library: true})
	},
	"load": func(p *stage, o object) { p.Models.Load(o.text, nil) },
	"mark": func(p *stage, o object) { p.Inspector.Mark(o.n) },
	"named": func(p *stage, o object) {
		name, text, _ := strings.Cut(o.text, " ")
		p.Input.Give(run.Given{Name: name, Text: text})
	},
	"next":      func(p *stage, o object) { p.f.next(o.n) },
	"open":      func(p *stage, o object) { p.Lab.Open(o.text) },
	"pass":      func(p *stage, o object) { pass(p.later) },
	"paste":     func(p *stage, o object) { p.Input.Paste(o.text) },
	"pause":     func(p *stage, o object) { p.Training.Pause() },
	"paused":    func(p *stage, o object) { p.f.endTraining(&message.Paused{Epoch: o.n, Data: []byte("later")}) },
	"reload":    func(p *stage, o object) { p.reload(cmp.Or(o.text, p.Models.InAddress())) },
	"report":    func(p *stage, o object) { p.Report(func(e *message.Exported) { p.saved = append(p.saved, e.Name) }) },
	"resume":    func(p *stage, o object) { p.Training.Resume() },
	"settle":    func(p *stage, o object) { p.f.settle(); p.f.settle() },
	"shape":     func(p *stage, o object) { p.ShowAs(table.Shape(o.text)) },
	"show":      func(p *stage, o object) { p.Inspector.Show(o.n) },
	"slow":      func(p *stage, o object) { p.slow = true },
	"sort":      func(p *stage, o object) { p.SortBy(o.text) },
	"step":      func(p *stage, o object) { p.Inspector.Step(o.n) },
	"structure": func(p *stage, o object) { p.Find(o.text, true) },
	"train":     func(p *stage, o object) { p.Training.Recipe = message.Train{Epochs: o.n}; p.Training.Start() },
	"trained":   func(p *stage, o object) { p.f.endTraining(made) },
	"type":      func(p *stage, o object) { p.Input.Type(o.text) },
	"undelete":  func(p *stage, o object) { p.Models.Undelete() },
	"undo":      func(p *stage, o object) { p.Input.TakeBack() },
	"unfold":    func(p *stage, o object) { p.Input.Fold(false) },
	"use":       func(p *stage, o object) { p.Training.Use() },
	"want":      func(p *stage, o object) { p.Glances.Want(recordsIn(o.text)) },
}

// made is a model that was trained.
var made = &message.Trained{Model: message.Model{Name: "mine", SHA256: sumOf(modelData), Molecules: true}, Data: []byte(modelData)}

func recordsIn(text string) (records []int32) {
	for word := range strings.FieldsSeq(text) {
		n, _ := strconv.Atoi(word)
		records = append(records, int32(n))
	}
	return records
}

// play plays an event: a verb and its object.
func (p *stage) play(event string) {
	p.f.t.Helper()
	verb, text, _ := strings.Cut(event, " ")
	play, ok := events[verb]
	if !ok {
		p.f.t.Fatalf("no event %q", event)
	}
	o := object{text: strings.NewReplacer(";", "\n", "LENGTHS", lengths).Replace(text), n: -1}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		o.x, o.n = x, int(x)
	}
	play(p, o)
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
	l.add(len(p.saved) > 0, "saved %v", p.saved)
	l.add(p.Input.Folded(), "folded")
	l.add(p.Input.Title() != "Your list", "called %s", p.Input.Title())
	return l
}

// asked are the requests so far, and the text.
func (p *stage) asked() (l line) {
	l.add(p.f.ended > 0, "%d ended", p.f.ended)
	asked := map[string]int{}
	var details []int
	var computes []string
	for _, r := range p.f.asked {
		asked[strings.TrimPrefix(fmt.Sprintf("%T", r), "*message.")]++
		switch r := r.(type) {
		case *message.Score:
			if r.Batch {
				asked["Batch"]++
			}
		case *message.Detail:
			details = append(details, r.Record)
		case *message.Compute:
			computes = append(computes, strings.TrimSpace(r.What+" "+r.SMARTS))
		}
	}
	for _, name := range []string{"Open", "Score", "Batch", "Report", "Drift"} {
		l.add(asked[name] > 0, "%s %d", name, asked[name])
	}
	l.add(details != nil, "Detail %v", details)
	l.add(computes != nil, "Compute %q", computes)
	l.add(p.Input.Text != lengths, "%q", strings.ReplaceAll(p.Input.Text, "\n", ";"))
	return l
}

func TestScenarios(t *testing.T) {
	for name, scenario := range map[string][][2]string{
		// With α = 0.05 p of 1/7 and 1/14 are inside and borderline.
		"run": {
			{"type CC | type CCO one;CxC two;CCCCCCCC three", `waiting, "CCO one;CxC two;CCCCCCCC three"`},
			{"pass", `reading, Open 1, "CCO one;CxC two;CCCCCCCC three"`},
			{"next 1 | pass", `reading, 2 waiting, 1 refused, Open 1, "CCO one;CxC two;CCCCCCCC three"`},
			{"next 1", `scoring, 2 waiting, 1 refused, Open 1, Score 1, "CCO one;CxC two;CCCCCCCC three"`},
			{"next 3 | pass", `scoring, 1 refused, 1 inside, 1 borderline, Open 1, Score 1, "CCO one;CxC two;CCCCCCCC three"`},
			{"next", `done, 1 refused, 1 inside, 1 borderline, Open 1, Score 1, "CCO one;CxC two;CCCCCCCC three"`},
			{"alpha 0.1", `done, 1 refused, 1 borderline, 1 outside, Open 1, Score 1, "CCO one;CxC two;CCCCCCCC three"`},
		},
		"cancel, and again": {
			{"slow | type CCO | pass | next", `scoring, 1 waiting, Open 1, Score 1, "CCO"`},
			{"cancel", `stopped, 1 waiting, 1 ended, Open 1, Score 1, "CCO"`},
			{"fast | begin | pass | next", `done, 1 inside, 1 ended, Open 2, Score 2, "CCO"`},
		},
		"typing on ends the run": {
			{"slow | type CCO | pass | next", `scoring, 1 waiting, Open 1, Score 1, "CCO"`},
			{"type CCO;CC", `waiting, 1 ended, Open 1, Score 1, "CCO;CC"`},
			{"pass | next", `scoring, 2 waiting, 1 ended, Open 2, Score 2, "CCO;CC"`},
		},
		"the worker dies": {
			{"slow | type CCO | pass | next | die out of breath", `broken, out of breath, 1 waiting, 1 ended, Open 1, Score 1, "CCO"`},
			{"begin | pass | next", `scoring, 1 waiting, 1 ended, Open 2, Score 2, "CCO"`},
			{"die fatal error: runtime: out of memory", `broken, The browser gave this tab no more after 1 record. About 1 at a time should fit: give the input in parts, or close other tabs., 1 waiting, 2 ended, Open 2, Score 2, "CCO"`},
		},
		"all refused": {
			{"type x;xx | pass | next", `done, 2 refused, Open 1, "x;xx"`},
		},
		"models": {
			{"load bad | next", `empty, model: the hash is wrong, ""`},
			{"file mine | next", `empty, mine, 1 own, kept [card model], ""`},
			{"load bzr | next", `empty, bzr, 1 own, kept [card model], ""`},
			{"type CCO | pass | next", `broken, this model reads plain graphs, and the input holds molecules, bzr, 1 own, 1 waiting, kept [card model], Open 1, "CCO"`},
			{"load bbbp | next", `done, 1 inside, kept [card model], Open 1, Score 1, "CCO"`},
		},
		"a model chosen while reading": {
			{"type CCO | pass | file mine | next", `done, mine, 1 own, 1 inside, kept [card model], Open 1, Score 1, "CCO"`},
		},
		// p is 1/50, 1/40, 1/12, 1/3 and 1/2, so q is 0.0625, 0.0625, 0.139 and more.
		"a rate of false discoveries": {
			{"type LENGTHS | settle", `done, 1 refused, 2 inside, 1 borderline, 2 outside, Open 1, Score 1`},
			{"fdr 0.01", `done, 1 refused, 3 inside, 2 borderline, p ≤ NaN, Open 1, Score 1`},
			{"fdr 0.05", `done, 1 refused, 3 inside, 2 borderline, p ≤ NaN, Open 1, Score 1`},
			{"fdr 0.1", `done, 1 refused, 3 inside, 2 outside, p ≤ 0.025, Open 1, Score 1`},
			{"fdr 0.2", `done, 1 refused, 2 inside, 3 outside, p ≤ 0.0833, Open 1, Score 1`},
			{"sort q_value", `done, 1 refused, 2 inside, 3 outside, p ≤ 0.0833, order [2 1 0 4 3 5], Open 1, Score 1`},
			{"fdr 0", `done, 1 refused, 2 inside, 1 borderline, 2 outside, order [2 1 0 4 3 5], Open 1, Score 1`},
			{"fdr 0.2 | give CCO;CCCCCC | pass | next 5 | pass", `scoring, 2 inside, order [1 0], folded, Open 2, Score 2, "CCO;CCCCCC"`},
		},
		"known rows": {
			{"type LENGTHS | settle | known", `done, 1 refused, 2 inside, 1 borderline, 2 outside, order [1], Open 1, Score 1`},
			{"known | load other | next | pass | known", `done, other, 0 own, 1 refused, 2 inside, 1 borderline, 2 outside, order [1], Open 1, Score 2`},
		},
		"tasks": {
			{"type LENGTHS | settle | fdr 0.1 | report | report", `done, 1 refused, 3 inside, 2 outside, p ≤ 0.025, "Report …", Open 1, Score 1, Report 1`},
			{"next", `done, 1 refused, 3 inside, 2 outside, p ≤ 0.025, "Report saved as report.html", saved [report.html], Open 1, Score 1, Report 1`},
			{"open drift", `done, 1 refused, 3 inside, 2 outside, p ≤ 0.025, "Drift …", saved [report.html], Open 1, Score 1, Report 1, Drift 1`},
			{"next | open drift | open drift", `done, 1 refused, 3 inside, 2 outside, p ≤ 0.025, saved [report.html], Open 1, Score 1, Report 1, Drift 1`},
		},
		"marked atoms": {
			{"type LENGTHS | settle | show 0 | next", `done, 1 refused, 2 inside, 1 borderline, 2 outside, record 0, detail true, atom 1 ringed, Open 1, Score 1, Detail [0]`},
			{"mark 2", `done, 1 refused, 2 inside, 1 borderline, 2 outside, record 0, detail true, atom 2 ringed, Open 1, Score 1, Detail [0]`},
			{"mark 2", `done, 1 refused, 2 inside, 1 borderline, 2 outside, record 0, detail true, atom 1 ringed, Open 1, Score 1, Detail [0]`},
			{"mark 0", `done, 1 refused, 2 inside, 1 borderline, 2 outside, record 0, detail true, Open 1, Score 1, Detail [0]`},
			{"show 1", `done, 1 refused, 2 inside, 1 borderline, 2 outside, record 1, Open 1, Score 1, Detail [0 1]`},
		},
		// Verdicts are there without a batch. It is asked for once; its p is half of one alone, where the paper's is never
		// less. At α = 0.3 what is ordinary alone is borderline at most. What was chosen holds for the next input.
		"what decides": {
			{"type LENGTHS | settle | by batch", `calibrating, 1 refused, 2 inside, 1 borderline, 2 outside, Open 1, Score 2, Batch 1`},
			{"next 5", `calibrating, 1 refused, 2 inside, 1 borderline, 2 outside, Open 1, Score 2, Batch 1`},
			{"next | pass", `done, 1 refused, 2 inside, 3 outside, by batch, Open 1, Score 2, Batch 1`},
			{"alpha 0.3", `done, 1 refused, 2 borderline, 3 outside, by batch, Open 1, Score 2, Batch 1`},
			{"alpha 0.05 | by attention", `done, 1 refused, 2 inside, 1 borderline, 2 outside, by attention, Open 1, Score 2, Batch 1`},
			{"by alone", `done, 1 refused, 2 inside, 1 borderline, 2 outside, Open 1, Score 2, Batch 1`},
			{"fdr 0.1", `done, 1 refused, 3 inside, 2 outside, p ≤ 0.025, Open 1, Score 2, Batch 1`},
			{"by batch", `done, 1 refused, 2 inside, 3 outside, by batch, p ≤ 0.0417, Open 1, Score 2, Batch 1`},
			{"fdr 0 | give CCO;CCCC;CCCCC | settle | pass", `done, 2 inside, 1 borderline, by batch, folded, Open 2, Score 4, Batch 2, "CCO;CCCC;CCCCC"`},
		},
		// The verdicts stay, and nobody asks again until the user does.
		"a calibration is cancelled": {
			{"type LENGTHS | settle | slow | open decision | report", `calibrating, 1 refused, 2 inside, 1 borderline, 2 outside, record 2, "Not now: the batch is being calibrated.", Open 1, Score 2, Batch 1, Detail [2]`},
			{"cancel | next | pass", `done, 1 refused, 2 inside, 1 borderline, 2 outside, record 2, detail true, atom 1 ringed, "Not now: the batch is being calibrated.", 1 ended, Open 2, Score 2, Batch 1, Detail [2 2]`},
			{"report | next", `done, 1 refused, 2 inside, 1 borderline, 2 outside, record 2, detail true, atom 1 ringed, "Report saved as report.html", saved [report.html], 1 ended, Open 2, Score 2, Batch 1, Report 1, Detail [2 2]`},
			{"by attention | die out of breath", `broken, out of breath, 1 refused, 2 inside, 1 borderline, 2 outside, record 2, detail true, atom 1 ringed, "Report saved as report.html", saved [report.html], 2 ended, Open 2, Score 3, Batch 2, Report 1, Detail [2 2]`},
		},
		"no batch of two": {
			{"type CCO;CCCCCCCC;x | settle | by batch | open mixup | settle", `done, 1 refused, 2 inside, record 1, detail true, atom 1 ringed, Open 1, Score 1, Detail [1], "CCO;CCCCCCCC;x"`},
		},
		"undecided": {
			{"type LENGTHS | settle | alpha 0.005", `done, 1 refused, 5 undecided, Open 1, Score 1`},
		},
		// Rows in view are looked at one after the other while the worker is idle. Those that have left the view are not, and
		// the record that is chosen comes first. Record 5 was refused, 99 is not there.
		"glances": {
			{"type LENGTHS | settle | want 2 5 1 0 99", `done, 1 refused, 2 inside, 1 borderline, 2 outside, Open 1, Score 1, Detail [2]`},
			{"want 1 0 4 3 | next 1", `done, 1 refused, 2 inside, 1 borderline, 2 outside, glances [2], Open 1, Score 1, Detail [2 1]`},
			{"show 3", `done, 1 refused, 2 inside, 1 borderline, 2 outside, record 3, glances [2], Open 1, Score 1, Detail [2 1 3]`},
			{"next 1", `done, 1 refused, 2 inside, 1 borderline, 2 outside, record 3, glances [1 2], Open 1, Score 1, Detail [2 1 3]`},
			{"next 1", `done, 1 refused, 2 inside, 1 borderline, 2 outside, record 3, detail true, atom 1 ringed, glances [1 2], Open 1, Score 1, Detail [2 1 3 0]`},
			{"next | want 2 1", `done, 1 refused, 2 inside, 1 borderline, 2 outside, record 3, detail true, atom 1 ringed, glances [0 1 2 3 4], Open 1, Score 1, Detail [2 1 3 0 4 3]`},
			{"by batch | want 0 1 2 3 4", `calibrating, 1 refused, 2 inside, 1 borderline, 2 outside, record 3, detail true, atom 1 ringed, glances [0 1 2 3 4], Open 1, Score 2, Batch 1, Detail [2 1 3 0 4 3]`},
			{"by alone | next | give ", `empty, Open 1, Score 2, Batch 1, Detail [2 1 3 0 4 3 3], ""`},
		},
		// An input that was given as a whole becomes a card; one that is typed or in which nothing could be read does not.
		"the input folds": {
			{"type CCO | settle", `done, 1 inside, Open 1, Score 1, "CCO"`},
			{"fold", `done, 1 inside, folded, Open 1, Score 1, "CCO"`},
			{"named two.smi CCO;CC | settle", `done, 2 inside, folded, called two.smi, Open 2, Score 2, "CCO;CC"`},
			{"unfold", `done, 2 inside, called two.smi, Open 2, Score 2, "CCO;CC"`},
			{"type CCO;CC;C | settle", `done, 3 inside, Open 3, Score 3, "CCO;CC;C"`},
			{"paste x | settle", `done, 1 refused, called Pasted, Open 4, Score 3, "x"`},
			{"paste CC | settle", `done, 1 inside, folded, called Pasted, Open 5, Score 4, "CC"`},
			{"slow | paste C | pass | next | die out of breath", `broken, out of breath, 1 waiting, called Pasted, 1 ended, Open 6, Score 5, "C"`},
			{"fast | named three CCC | settle | undo | settle", `done, 1 inside, folded, called Pasted, 1 ended, Open 8, Score 7, "C"`},
			{"give ", `empty, 1 ended, Open 8, Score 7, ""`},
		},
		// A later search ends the one before. By text the worker is not asked.
		"a search for structures": {
			{"type CCO;C;CCCCCC;CC | settle | structure CC", `done, 4 inside, "Search …", Open 1, Score 1, Compute ["structure CC"], "CCO;C;CCCCCC;CC"`},
			{"settle", `done, 4 inside, order [2 0], Open 1, Score 1, Compute ["structure CC"], "CCO;C;CCCCCC;CC"`},
			{"structure C | structure CCC | settle", `done, 4 inside, order [2], Open 1, Score 1, Compute ["structure CC" "structure C" "structure CCC"], "CCO;C;CCCCCC;CC"`},
			{"structure ( | settle", `done, 4 inside, column 1: no, Open 1, Score 1, Compute ["structure CC" "structure C" "structure CCC" "structure ("], "CCO;C;CCCCCC;CC"`},
			{"find CCO | settle", `done, 4 inside, order [0], Open 1, Score 1, Compute ["structure CC" "structure C" "structure CCC" "structure ("], "CCO;C;CCCCCC;CC"`},
		},
		// Each is asked for once, and of another model anew.
		"properties and places": {
			{"type CCO;C;CCCCCC;CC | settle | column computed_mw | settle | sort computed_mw", `done, 4 inside, order [1 3 0 2], Open 1, Score 1, Compute ["properties"], "CCO;C;CCCCCC;CC"`},
			{"shape Map | settle | shape Table | shape Map | column computed_mw | column computed_mw | settle", `done, 4 inside, order [1 3 0 2], Open 1, Score 1, Compute ["properties" "places"], "CCO;C;CCCCCC;CC"`},
			{"load mine | settle", `done, mine, 0 own, 4 inside, order [1 3 0 2], Open 1, Score 2, Compute ["properties" "places" "places" "properties"], "CCO;C;CCCCCC;CC"`},
		},
		"a training outlasts a reload": {
			{"library CCO;CC | settle", `unstarted, 2 waiting, library, folded, called mine.smi, Open 1, ""`},
			{"train 10 | next", `unstarted, 2 waiting, library, Training: epoch 3 of 10, kept [library training], folded, called mine.smi, Open 1, ""`},
			{"reload", `empty, Training paused at 2 of 10, kept [library training], ""`},
			{"resume | next", `unstarted, 2 waiting, library, Training: epoch 3 of 10, kept [library training], called mine.smi, Open 1, ""`},
			{"trained | settle", `unstarted, 2 waiting, library, made, kept [card model], called mine.smi, Open 1, ""`},
		},
		"a training is paused and thrown away": {
			{"library CCO;CC | settle | train 0", `unstarted, 2 waiting, library, Training: epoch 0, kept [library training], folded, called mine.smi, Open 1, ""`},
			{"next", `unstarted, 2 waiting, library, Training: epoch 3 of 10, kept [library training], folded, called mine.smi, Open 1, ""`},
			{"pause", `unstarted, 2 waiting, library, Training: epoch 3 of 10, ending, kept [library training], folded, called mine.smi, Open 1, ""`},
			{"paused 3", `unstarted, 2 waiting, library, Training paused at 3 of 10, kept [library training], folded, called mine.smi, Open 1, ""`},
			{"drop", `unstarted, 2 waiting, library, folded, called mine.smi, Open 1, ""`},
			{"keep", `unstarted, 2 waiting, library, Training paused at 3 of 10, kept [library training], folded, called mine.smi, Open 1, ""`},
			{"resume | next | type CCO | pass", `reading, Training: epoch 3 of 10, ending, kept [library training], Open 3, "CCO"`},
		},
		// A library takes the place of a list that is kept, and comes back with the model.
		"the list comes back": {
			{"type CCO;CC | settle | library C | settle | library CCC;CCCC | settle", `unstarted, 2 waiting, library, folded, called mine.smi, Open 3, Score 1, ""`},
			{"train 0 | next | trained | settle", `unstarted, 2 waiting, library, made, kept [card model], folded, called mine.smi, Open 3, Score 1, ""`},
			{"use | settle", `done, mine, 1 own, 2 inside, kept [card model], folded, Open 4, Score 2, "CCO;CC"`},
		},
		"models outlast a reload": {
			{"file mine | next", `empty, mine, 1 own, kept [card model], ""`},
			{"reload", `empty, mine, 1 own, kept [card model], ""`},
			{"delete 0", `empty, mine, 0 own, ""`},
			{"undelete", `empty, mine, 1 own, kept [card model], ""`},
			{"delete 0 | reload", `empty, ""`},
			{"reload mine@12345678", `empty, "Another model is used", ""`},
		},
		"input outlasts a reload": {
			{"type CCO;C 'quoted' | reload", `waiting, "Your input is back", "CCO;C 'quoted'"`},
			{"settle | type C", `waiting, Open 1, Score 1, "C"`},
			{"give  | reload", `empty, ""`},
			{"type CCO;CC | settle | library C | settle | reload", `waiting, "Your input is back", "CCO;CC"`},
		},
		"undo": {
			{"type CCO | pass | next", `done, 1 inside, Open 1, Score 1, "CCO"`},
			{"give ", `empty, Open 1, Score 1, ""`},
			{"undo | pass | next", `done, 1 inside, folded, Open 2, Score 2, "CCO"`},
			{"undo", `done, 1 inside, folded, Open 2, Score 2, "CCO"`},
			{"give  | type CC | undo", `waiting, folded, Open 2, Score 2, "CCO"`},
			{"undo", `waiting, folded, Open 2, Score 2, "CC"`},
		},
		"one detail": {
			{"type CCO;CC;x | pass | next", `done, 1 refused, 2 inside, Open 1, Score 1, "CCO;CC;x"`},
			{"show 0 | show 1 | next", `done, 1 refused, 2 inside, record 1, detail true, atom 1 ringed, Open 1, Score 1, Detail [0 1], "CCO;CC;x"`},
			{"show 2", `done, 1 refused, 2 inside, record 2, Open 1, Score 1, Detail [0 1], "CCO;CC;x"`},
			{"show 0 | step 1", `done, 1 refused, 2 inside, record 1, Open 1, Score 1, Detail [0 1 0 1], "CCO;CC;x"`},
			{"step -100", `done, 1 refused, 2 inside, record 0, Open 1, Score 1, Detail [0 1 0 1 0], "CCO;CC;x"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newStage(t)
			for k, c := range scenario {
				for event := range strings.SplitSeq(c[0], " | ") {
					p.play(event)
				}
				if got := p.state(); got != c[1] {
					t.Errorf("step %d, %s:\n%s, want\n%s", k, c[0], got, c[1])
				}
			}
		})
	}
}
