// Package run is what the page does with an input, without a browser (Session): it reads and scores it, answers
// questions on its records, and trains models on it. Components draw a session and pass user actions to it.
package run

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"baca/app/table"
	"baca/app/words"
	"baca/wasm/message"
)

// A Phase is what the session is doing with its input.
type Phase string

const (
	Empty       Phase = "empty"       // no input
	Waiting     Phase = "waiting"     // for typing to pause
	Reading     Phase = "reading"     // records are parsed
	Scoring     Phase = "scoring"     // by themselves
	Calibrating Phase = "calibrating" // the batch
	Done        Phase = "done"        // everything is scored
	Stopped     Phase = "stopped"     // cancelled by the user
	Broken      Phase = "broken"      // see Session.Failure
	Unstarted   Phase = "unstarted"   // read, but there is no model
)

// A Session is the page's state, on the page's goroutine. Tests use a client that answers at once.
type Session struct {
	table.Table

	Models    Models
	Input     Input
	Inspector Inspector
	Glances   Glances
	Training  Training
	Trust     Trust
	// Publication is the domain that the user is about to publish.
	Publication message.Answer[message.Publication]
	Task        *Task  // the worker's side task, or nil
	Saved       string // about the last download

	Opened *message.Opened // nil until the input is read
	// LikePredictions is the column that looks like predictions by its name, or empty.
	LikePredictions string
	Header          *message.Header // of a table, nil for other inputs
	Scored          *message.Scored // nil before all records are scored
	Warnings        []string
	// Of the batch, nil before it is calibrated.
	Fitted     *message.Fitted
	Parted     *message.Parted
	Iterations []message.Iteration
	BatchTime  time.Duration

	Phase   Phase
	Failure *message.Failed
	// Progress of stages.
	Stage    string
	Progress map[string]message.Progress
	Elapsed  time.Duration

	// Run numbers the run; answers to earlier ones are dropped.
	Run      int
	started  time.Time
	declined bool // the user ended this batch's calibration
	toSelect int  // a link's record from 1, 0 for none

	client *message.Client // nil without a browser
	// Post calls a function on the page's goroutine, After later. PostEvent does so perhaps with later ones, but before a
	// later Post, and then calls JudgeNew.
	Post, PostEvent func(func())
	After           func(time.Duration, func())
	// Moved, if not nil, hears of address changes.
	Moved func()
	// KeepInput, if not nil, stores the input, see store.Draft.
	KeepInput func(draft string)
	// Watchers look at the session after a change.
	Watchers []func()
	// WantsBatch, if not nil, reports that something besides the verdicts needs the batch.
	WantsBatch func() bool
	// Told is a notice, or nil.
	Told *Told
}

// Told is a notice that is neither a result nor a failure.
type Told struct{ Headline, What string }

// New returns a session without input. The client is nil without a browser.
func New(c *message.Client) *Session {
	s := &Session{
		Table:    table.New(),
		Phase:    Empty,
		client:   c,
		Post:     func(f func()) { f() },
		After:    func(_ time.Duration, f func()) { f() },
		Progress: map[string]message.Progress{},
	}
	s.PostEvent = func(f func()) {
		f()
		s.JudgeNew()
	}
	s.Models.session, s.Input.session, s.Training.session = s, s, s
	s.Inspector = Inspector{session: s, Record: -1, Reason: -1}
	s.Trust = Trust{session: s}
	s.Glances.session = s
	return s
}

// Tell shows a notice until it is dismissed or replaced.
func (s *Session) Tell(headline, what string) {
	s.Told = &Told{headline, what}
	s.Rev.All()
}

func (s *Session) Dismiss() {
	s.Told = nil
	s.Rev.All()
}

// callWatchers calls the watchers once a change is complete. They may give another input.
func (s *Session) callWatchers() {
	for _, watch := range s.Watchers {
		watch()
	}
}

// ask sends a request; callbacks run on the page's goroutine. on may be nil.
func (s *Session) ask(r message.Request, on func(message.Event), end func(message.Reply)) {
	s.client.Do(r,
		func(e message.Event) {
			if on != nil {
				s.PostEvent(func() {
					on(e)
					s.callWatchers()
				})
			}
		},
		func(reply message.Reply) {
			s.Post(func() {
				end(reply)
				s.callWatchers()
			})
		},
	)
}

// askInRun drops answers after the run's end.
func (s *Session) askInRun(r message.Request, on func(message.Event), end func(message.Reply)) {
	run := s.Run
	s.ask(r, func(e message.Event) {
		if run == s.Run && on != nil {
			on(e)
		}
	}, func(reply message.Reply) {
		if run == s.Run {
			end(reply)
		}
	})
}

// pauseWorker ends pausable work without loss.
func (s *Session) pauseWorker() { s.ask(&message.Pause{}, nil, func(message.Reply) {}) }

// Ask asks a question in this run. still reports whether it is still asked when the reply arrives;
// then hears of a reply that was taken.
func Ask[T any](s *Session, a *message.Answer[T], r message.Request, still func() bool, then func()) {
	s.askInRun(r, nil, func(reply message.Reply) {
		if still() {
			s.Rev.State++
			a.Take(reply)
			then()
		}
	})
}

// Begin starts a run.
func (s *Session) Begin() { s.begin(0) }

// begin forgets what was found about the previous input, and reads the new one after the time wait. An empty input is
// not read.
func (s *Session) begin(wait time.Duration) {
	defer s.callWatchers()
	s.stop()
	s.Run++
	s.clear()
	s.keepInput()
	if s.Input.File == nil && strings.TrimSpace(s.Input.Text) == "" {
		s.Phase = Empty
		s.Models.Chart()
		return
	}
	s.Phase = Waiting
	if s.Models.charting {
		s.pauseWorker()
	}
	run := s.Run
	s.After(wait, func() {
		if run == s.Run {
			s.Training.Pause() // the worker does one thing at a time
			r := s.Input.request()
			r.Ahead = s.Models.Used.Value != nil && s.Models.Loading == "" && !s.Input.Library
			s.read(r, s.score)
		}
	})
}

// stop ends the previous run's work.
func (s *Session) stop() {
	if s.Busy() || s.Task != nil {
		s.Run++
		s.Phase, s.Task = Waiting, nil
		s.client.Cancel()
	}
}

// Busy reports reading, scoring or calibrating.
func (s *Session) Busy() bool {
	return s.Phase == Reading || s.Phase == Scoring || s.Phase == Calibrating
}

// Cancel stops on the user's request, keeping what is there. Without a batch records decide alone.
func (s *Session) Cancel() {
	if !s.Busy() {
		return
	}
	s.Run++
	if s.Phase == Calibrating {
		s.Phase, s.Stage, s.By, s.declined = Done, "", table.EachAlone, true
		s.client.Cancel()
		s.forgetBatch()
		if s.Inspector.Record >= 0 && s.Inspector.Detail.Value == nil {
			s.Inspector.ask() // its worker is gone
		}
		s.callWatchers()
		return
	}
	s.Phase, s.Elapsed = Stopped, time.Since(s.started)
	s.client.Cancel()
	s.Judge()
	s.Rev.All()
}

// clear forgets the records, their scores, and what depends on them.
func (s *Session) clear() {
	s.Opened, s.Header, s.Failure, s.LikePredictions = nil, nil, nil, ""
	s.Table.Clear()
	s.toSelect = 0
	s.Trust.forget()
	r := &s.Training.Recipe
	r.Observed, r.Predicted, r.HeldOut = "", "", false // the promise was about others
	s.Inspector.turn(-1)
	s.clearScores()
}

// clearScores keeps records and choices.
func (s *Session) clearScores() {
	s.Table.ForgetScores()
	s.Scored, s.Warnings = nil, nil
	s.Saved, s.Stage, s.Elapsed, s.declined = "", "", 0, false
	s.Progress = map[string]message.Progress{}
	s.Glances.found = nil
	s.clearBatch()
	s.Rev.All()
}

func (s *Session) clearBatch() {
	s.Table.ForgetBatch()
	s.Fitted, s.Parted, s.Iterations, s.BatchTime = nil, nil, nil, 0
}

// read parses an input, and calls opened unless another input replaced it.
func (s *Session) read(r *message.Open, opened func()) {
	s.Phase, s.started = Reading, time.Now()
	s.Rev.All()
	s.askInRun(r, func(e message.Event) {
		switch e := e.(type) {
		case *message.Header:
			s.Header = e
			s.Rev.State++
		case *message.Records:
			s.Rows.Add(e)
		case *message.Progress:
			s.noteProgress(e)
		}
	}, func(r message.Reply) {
		o, ok := r.(*message.Opened)
		if !ok {
			s.Fail(message.FailureOf(r))
			return
		}
		s.Opened, s.Phase = o, Unstarted
		s.Input.sheets, s.Input.book, s.Input.Sheet = o.Sheets, s.Input.File, o.Sheet
		s.Progress[message.StageParse] = message.Progress{Stage: message.StageParse, Done: 1, Total: 1, Records: o.Records}
		predicted, observed := valuesIn(s.ValueColumns(), "")
		s.LikePredictions = predicted
		if observed != "" && s.Training.Recipe.Predicted == "" {
			s.Training.Recipe.Predicted, s.Training.Recipe.Observed = predicted, observed
		}
		s.Judge()
		s.Rev.All()
		opened()
	})
}

// score scores the open input. Without a model, and for a library to train on, it waits. It fails if the model reads
// another kind of graphs.
func (s *Session) score() {
	model := s.Models.Used.Value
	switch {
	case s.Graphs() == 0:
		s.Phase, s.Elapsed = Done, time.Since(s.started)
		return
	case model == nil || s.Models.Loading != "" || s.Input.Library:
		s.Phase = Unstarted // until there is a model, or on request
		return
	case model.Molecules != s.Opened.Molecules:
		kind := map[bool]string{true: "molecules", false: "plain graphs"}
		s.Fail(&message.Failed{Code: message.CodeBadModel, Text: fmt.Sprintf("model %s reads %s, and the input holds %s", model.Name,
			kind[model.Molecules], kind[s.Opened.Molecules])})
		return
	}
	s.Phase, s.Failure, s.started, s.Untrained = Scoring, nil, time.Now(), !model.Paper
	s.Warnings = slices.Clone(s.Opened.Warnings)
	s.Rev.All()
	s.askScores(&message.Score{New: true}, s.takeEvent, func(scored *message.Scored) {
		s.Scored, s.Complete, s.Phase, s.Stage, s.Elapsed = scored, true, Done, "", time.Since(s.started)
		s.warn(scored.Warnings)
		s.Settle()
		s.Inspector.askAgain() // perhaps another model's
		s.selectWanted()
		s.proceed()
	})
}

// scoreAgain scores the open input with another model.
func (s *Session) scoreAgain() {
	switch {
	case s.Phase == Empty || s.Phase == Reading || s.Input.Library || s.Training.On:
		// An input being read will use it, and a library is not scored.
	case s.Opened == nil:
		s.Begin()
	default:
		s.Run++
		parse := s.Progress[message.StageParse]
		s.clearScores()
		s.Progress[message.StageParse] = parse
		s.Judge()
		s.score()
	}
}

// askScores requests scores, and passes the reply to end. Any other reply fails the run.
func (s *Session) askScores(r *message.Score, on func(message.Event), end func(*message.Scored)) {
	s.askInRun(r, on, func(r message.Reply) {
		if scored, ok := r.(*message.Scored); ok {
			end(scored)
		} else {
			s.Fail(message.FailureOf(r))
		}
	})
}

// takeEvent takes what the worker tells during a run.
func (s *Session) takeEvent(e message.Event) {
	switch e := e.(type) {
	case *message.Progress:
		s.noteProgress(e)
	case *message.Parted:
		s.Parted = e
	case *message.Iteration:
		s.Iterations = append(s.Iterations, *e)
		s.noteProgress(&message.Progress{Stage: message.StageAttention, Done: e.Step, Total: e.Of})
	case *message.Reference:
		s.SetReference(e.Score)
	case *message.Fitted:
		s.Fitted = e
		s.warn(e.Warnings)
	case *message.Rows:
		s.Rows.Fill(e)
	}
	s.Rev.State++
}

func (s *Session) noteProgress(p *message.Progress) {
	s.Stage = p.Stage
	s.Progress[p.Stage] = *p
	s.Rev.State++
}

// few rows are judged whenever some arrive.
const few = 4096

// JudgeNew judges the rows if some arrived since they were judged: of a long input an eighth, since all are gone through.
func (s *Session) JudgeNew() {
	if 8*s.Rows.Arrived > max(s.Rows.Len()-few, 0) {
		s.Judge()
	}
}

// DecideBy changes the decider and judges again. If the decider needs a batch that is not calibrated, DecideBy starts
// the calibration, and each graph is judged alone until that ends.
func (s *Session) DecideBy(by table.Decider) {
	s.By = by
	s.Settle()
	s.Resume()
}

// proceed starts what the page needs next: it calibrates the batch if the decider or the lab needs that and the user
// has not cancelled it, then requests judgements of predictions and what the table shows.
func (s *Session) proceed() {
	if (s.By != table.EachAlone && s.UnfitFor(s.By) == "" || s.WantsBatch != nil && s.WantsBatch()) && !s.declined {
		s.Calibrate()
	}
	s.Trust.refresh()
	s.Compute()
	s.callWatchers()
}

// Resume is proceed, even after the user has cancelled a calibration.
func (s *Session) Resume() {
	s.declined = false
	s.proceed()
}

func (s *Session) CanCalibrate() bool {
	return s.Phase == Done && s.Graphs() > 0 && s.Unfit() == "" && s.Task == nil && !s.Training.On
}

// Calibrate calibrates the batch if possible. Verdicts by themselves stay meanwhile.
func (s *Session) Calibrate() {
	if s.Calibrated() || !s.CanCalibrate() {
		return
	}
	begun := time.Now()
	s.Phase, s.declined = Calibrating, false
	s.forgetBatch()
	coming := message.Columns{}
	s.askScores(&message.Score{Batch: true, New: true, Every: s.watchEvery()}, func(e message.Event) {
		if rows, ok := e.(*message.Rows); ok {
			s.Rows.Place(&coming, rows)
			return
		}
		s.takeEvent(e)
	}, func(scored *message.Scored) {
		s.Phase, s.Stage, s.BatchTime = Done, "", time.Since(begun)
		s.Scored.BatchAUC, s.Scored.PaperAUC = scored.BatchAUC, scored.PaperAUC
		s.warn(scored.Warnings)
		if f := s.Fitted; f != nil && !f.Few {
			s.TakeBatch(f.Graphs, coming, f.Holdout)
		}
		s.Settle()
		s.Inspector.askAgain() // its dictionaries are known
	})
}

// watchEvery is the number of steps between scorings of the batch.
func (s *Session) watchEvery() int {
	if s.Graphs() <= 200 {
		return 2
	}
	return 20
}

// forgetBatch forgets the batch with its progress, and judges each record alone.
func (s *Session) forgetBatch() {
	s.clearBatch()
	for stage := range s.Progress {
		if stage != message.StageParse && stage != message.StageScore {
			delete(s.Progress, stage)
		}
	}
	s.Settle()
}

// Fail ends the run with a failure. After a cancellation the run has stopped, without one.
func (s *Session) Fail(f *message.Failed) {
	if f.Code == message.CodeDied && strings.Contains(f.Text, "out of memory") {
		f = &message.Failed{Code: message.CodeMemory, Text: s.memoryAdvice()}
	}
	s.Phase, s.Failure, s.Stage, s.Elapsed = Broken, f, "", time.Since(s.started)
	if f.Code == message.CodeCancelled {
		s.Phase, s.Failure = Stopped, nil
	}
	s.Judge() // what arrived before
	s.Rev.All()
}

// Unreadable reports a file that the browser cannot read.
func (s *Session) Unreadable(name, problem string) {
	s.Fail(&message.Failed{Code: message.CodeBadInput, Text: name + ": " + problem})
}

// memoryAdvice says how many records fit.
func (s *Session) memoryAdvice() string {
	n := s.Rows.Len()
	if n == 0 {
		return "The browser gives this tab too little memory to read even the first record. Close other tabs, and try again."
	}
	// Half leaves room for scoring.
	return "The browser gave this tab no more memory after " + words.Plural(n, "record", "records") + ". About " +
		words.Count(max(n/2, 1)) + " at a time should fit: give the input in parts, or close other tabs."
}

// Graphs counts readable records.
func (s *Session) Graphs() int {
	if s.Opened == nil {
		return 0
	}
	return s.Opened.Records - s.Opened.Refused
}

// Things names the input's content.
func (s *Session) Things() string {
	if s.Opened != nil && !s.Opened.Molecules {
		return "graphs"
	}
	return "molecules"
}

// Say replaces molecules by graphs in texts about plain graphs.
func (s *Session) Say(text string) string {
	if s.Things() == "graphs" {
		return graphWords.Replace(text)
	}
	return text
}

var graphWords = strings.NewReplacer(": atoms are nodes, bonds are edges", " of nodes and edges", "name or SMILES",
	"name", "molecule", "graph", "Molecule", "Graph", "atom", "node", "Atom", "Node")

// warn adds new warnings.
func (s *Session) warn(warnings []string) {
	for _, w := range warnings {
		if !slices.Contains(s.Warnings, w) {
			s.Warnings = append(s.Warnings, w)
		}
	}
}

// Unfit says why the batch cannot be calibrated, empty if the list and the model allow it.
func (s *Session) Unfit() string {
	welcome, model := s.Models.Welcome, s.Models.Used.Value
	switch {
	case welcome != nil && s.Graphs() < welcome.MinBatch:
		return fmt.Sprintf("A batch needs at least %d %s: fewer say too little about each other.", welcome.MinBatch, s.Things())
	case model != nil && model.Shared > 0:
		return "This model was made for sharing and keeps no single " + s.Things() + ", which a batch is compared with."
	}
	return ""
}

// UnfitFor says why a decider cannot decide, empty if it can: why the batch cannot be calibrated or, for the paper's
// method, also that the encoder is not trained enough.
func (s *Session) UnfitFor(by table.Decider) string {
	switch model := s.Models.Used.Value; {
	case by == table.EachAlone:
		return ""
	case by == table.ThePaper && model != nil && !model.Paper:
		return cmp.Or(s.Unfit(), "The encoder of this model is not trained, or too little for the paper's method: train it again for that method.")
	}
	return s.Unfit()
}

// Whole is the answer about the list, empty before calibration.
func (s *Session) Whole() string {
	if s.Fitted == nil || !s.Calibrated() {
		return ""
	}
	return strings.ReplaceAll(words.Sentences(s.Fitted.Whole), " %", "\u00a0%")
}

// AUC of the deciding score, by the input's labels; NaN without.
func (s *Session) AUC() float64 {
	if s.Scored == nil {
		return math.NaN()
	}
	return [table.Deciders]float64{s.Scored.AUC, s.Scored.BatchAUC, s.Scored.PaperAUC}[s.Deciding()]
}

// ValueColumns returns the input's columns that may hold values, each name once: those of a table except SMILES, keys
// of JSON lines, data of SDF. Plain graphs have none.
func (s *Session) ValueColumns() (list []string) {
	var all []string
	smiles := ""
	switch {
	case s.Header != nil:
		all, smiles = s.Header.Columns, s.Header.Column
	case s.Opened != nil && s.Opened.Molecules:
		all = s.Opened.Columns
	}
	seen := map[string]bool{"": true, smiles: true}
	for _, name := range all {
		if !seen[name] {
			list, seen[name] = append(list, name), true
		}
	}
	return list
}
