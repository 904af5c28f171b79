// Package session is the page's state and logic, without a browser (Session): components draw it
// and pass user actions, so tests need no browser.
package session

import (
	"slices"
	"strings"
	"time"

	"baca/app/words"
	"baca/wasm/message"
)

// A Phase is what the session is doing with its input.
type Phase uint8

const (
	Empty       Phase = iota // no input
	Waiting                  // for typing to pause
	Reading                  // records are parsed
	Scoring                  // by themselves
	Calibrating              // the batch
	Done                     // everything is scored
	Stopped                  // cancelled by the user
	Broken                   // see Session.Failure
	Unstarted                // read, but there is no model
)

func (p Phase) String() string {
	return [...]string{"empty", "waiting", "reading", "scoring", "calibrating", "done", "stopped", "broken", "unstarted"}[p]
}

// A Session is the page's state, on the page's goroutine. Tests use a client that answers at once.
type Session struct {
	// What is shown.
	Result

	Models    Models
	Input     Input
	Inspector Inspector
	Glances   Glances
	Lab       Lab
	Training  Training
	Trust     Trust
	Task      *Task  // the worker's side task, or nil
	Saved     string // about the last download

	// Rev counts changes, so that components redraw only then.
	Rev Revisions

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
	pending  bool // rows arrived that are not judged
	toSelect int  // a link's record from 1, 0 for none
	frame    *Frame

	client *message.Client // nil without a browser
	// Post calls a function on the page's goroutine; After later.
	Post  func(func())
	After func(time.Duration, func())
	// Moved, if not nil, hears of address changes.
	Moved func()
	// KeepInput, if not nil, stores the input, see Draft.
	KeepInput func(draft string)
	// Told is a notice, or nil.
	Told *Told
}

// Revisions of parts.
type Revisions struct {
	Rows  int // input, table and picture
	State int // all else
}

func (r *Revisions) All() {
	r.Rows++
	r.State++
}

// New returns a session without input. The client is nil without a browser.
func New(c *message.Client) *Session {
	s := &Session{
		client:   c,
		Post:     func(f func()) { f() },
		After:    func(_ time.Duration, f func()) { f() },
		Progress: map[string]message.Progress{},
	}
	s.Result = Result{Settings: Settings{Alpha: usualAlpha}, View: View{By: "score", Descending: true}, rev: &s.Rev, models: &s.Models}
	s.Models.session, s.Input.session, s.Training.session = s, s, s
	s.Inspector = Inspector{session: s, Record: -1, Reason: -1}
	s.Trust = Trust{session: s}
	s.Glances = Glances{session: s, run: -1}
	s.Lab = Lab{session: s, Lambda: 0.5, mixing: -1}
	return s
}

// Connect loads a model by name, and looks for an interrupted training.
func (s *Session) Connect(model string, store Store) {
	if s.client != nil {
		s.Models.Start(model, store)
		if s.frame == nil {
			s.Training.Recall(store)
		}
	}
}

// ask sends a request; callbacks run on the page's goroutine. on may be nil.
func (s *Session) ask(r message.Request, on func(message.Event), end func(message.Reply)) {
	s.client.Do(r,
		func(e message.Event) {
			if on != nil {
				s.Post(func() {
					on(e)
					s.frame.look()
				})
			}
		},
		func(reply message.Reply) {
			s.Post(func() {
				end(reply)
				s.frame.look()
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

// An Answer is what the worker said last, or why it did not. A failure leaves what was there.
type Answer[T any] struct {
	Value   *T
	Failure *message.Failed
}

// take takes a reply, and reports whether it is no failure.
func (a *Answer[T]) take(r message.Reply) bool {
	if value, ok := any(r).(*T); ok {
		a.Value, a.Failure = value, nil
		return true
	}
	a.Failure = failureOf(r)
	return false
}

func (a *Answer[T]) forget() { *a = Answer[T]{} }

// failureOf makes a failure of an unexpected reply.
func failureOf(r message.Reply) *message.Failed {
	if f, ok := r.(*message.Failed); ok {
		return f
	}
	return &message.Failed{Code: message.CodeInternal, Text: "the worker gave an answer of another kind"}
}

// Begin starts a run.
func (s *Session) Begin() { s.begin(0) }

func (s *Session) begin(wait time.Duration) {
	s.stop()
	s.Run++
	s.clear()
	s.keepInput()
	if s.Input.File == nil && strings.TrimSpace(s.Input.Text) == "" {
		s.Phase = Empty
		return
	}
	s.Phase = Waiting
	run := s.Run
	s.After(wait, func() {
		if run == s.Run {
			s.Training.Pause() // the worker does one thing at a time
			s.read(s.Input.request(), s.score, func(*message.Failed) {})
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
		s.Phase, s.Stage, s.By, s.declined = Done, "", EachAlone, true
		s.client.Cancel()
		s.forgetBatch()
		if s.Inspector.Record >= 0 && s.Inspector.Detail == nil {
			s.Inspector.ask() // its worker is gone
		}
		s.Lab.refresh()
		return
	}
	s.Phase, s.Elapsed = Stopped, time.Since(s.started)
	s.client.Cancel()
	s.Rev.All()
}

func (s *Session) clear() {
	s.Opened, s.Header, s.Rows, s.Order, s.Failure = nil, nil, Rows{}, nil, nil
	s.View = s.View.next()
	s.toSelect = 0
	s.Trust.forget()
	s.Inspector.Show(-1)
	s.clearScores()
}

func (s *Session) clearScores() {
	s.Result.clearScores()
	s.Saved, s.Stage, s.Elapsed, s.declined = "", "", 0, false
	s.Progress = map[string]message.Progress{}
	s.Lab.forget()
	s.Rev.All()
}

// read parses an input, and calls opened or failed unless another input replaced it.
func (s *Session) read(r *message.Open, opened func(), failed func(*message.Failed)) {
	s.Phase, s.started = Reading, time.Now()
	s.Rev.All()
	s.askInRun(r, func(e message.Event) {
		switch e := e.(type) {
		case *message.Header:
			s.Header = e
			s.Rev.State++
		case *message.Records:
			s.Rows.Add(e)
			s.judgeSoon()
		case *message.Progress:
			s.noteProgress(e)
		}
	}, func(r message.Reply) {
		o, ok := r.(*message.Opened)
		if !ok {
			s.Fail(failureOf(r))
			failed(s.Failure)
			return
		}
		s.Opened, s.Phase = o, Unstarted
		s.Progress[message.StageParse] = message.Progress{Stage: message.StageParse, Done: 1, Total: 1, Records: o.Records, Refused: o.Refused}
		s.judge()
		s.Rev.All()
		opened()
	})
}

func (s *Session) score() {
	model := s.Models.Used
	switch {
	case s.Graphs() == 0:
		s.Phase, s.Elapsed = Done, time.Since(s.started)
		return
	case model == nil || s.Models.Loading != "" || s.Input.Unscored:
		s.Phase = Unstarted // until there is a model, or on request
		return
	case model.Molecules != s.Opened.Molecules:
		text := "this model reads plain graphs, and the input holds molecules"
		if model.Molecules {
			text = "this model reads molecules, and the input holds plain graphs"
		}
		s.Fail(&message.Failed{Code: message.CodeBadModel, Text: text})
		return
	}
	s.Phase, s.Failure, s.started = Scoring, nil, time.Now()
	s.Warnings = slices.Clone(s.Opened.Warnings)
	s.Rev.All()
	s.askScores(&message.Score{}, s.takeEvent, func(scored *message.Scored) {
		s.Scored, s.Phase, s.Stage, s.Elapsed = scored, Done, "", time.Since(s.started)
		s.warn(scored.Warnings)
		s.settle()
		s.Inspector.askAgain() // perhaps another model's
		s.selectWanted()
		s.proceed()
	})
}

// ScoreNow scores an input opened for training.
func (s *Session) ScoreNow() {
	if s.Phase == Unstarted && s.Models.Used != nil {
		s.Run++
		s.Input.Unscored = false
		s.score()
	}
}

// scoreAgain scores the open input with another model.
func (s *Session) scoreAgain() {
	switch {
	case s.Phase == Empty || s.Phase == Reading || s.Input.Unscored || s.Training.On:
		// An input being read will use it, and a library is not scored.
	case s.Opened == nil:
		s.Begin()
	default:
		s.Run++
		parse := s.Progress[message.StageParse]
		s.Rows.forgetScores()
		s.clearScores()
		s.Progress[message.StageParse] = parse
		s.judge()
		s.score()
	}
}

func (s *Session) askScores(r *message.Score, on func(message.Event), end func(*message.Scored)) {
	s.askInRun(r, on, func(r message.Reply) {
		if scored, ok := r.(*message.Scored); ok {
			end(scored)
		} else {
			s.Fail(failureOf(r))
		}
	})
}

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
		s.References[EachAlone] = known(e.Score)
		s.Reference = s.References[s.Deciding()]
	case *message.Fitted:
		s.Fitted = e
		s.warn(e.Warnings)
	case *message.Rows:
		s.Rows.fill(e)
		s.judgeSoon()
	}
	s.Rev.State++
}

func (s *Session) noteProgress(p *message.Progress) {
	s.Stage = p.Stage
	s.Progress[p.Stage] = *p
	s.Rev.State++
}

// judgingPause is how long rows are gathered before judging and drawing.
const judgingPause = 120 * time.Millisecond

// judgeSoon judges and draws arrived rows, coalesced.
func (s *Session) judgeSoon() {
	if s.pending {
		return
	}
	s.pending = true
	s.After(judgingPause, func() {
		s.pending = false
		s.judge()
	})
}

// DecideBy changes the decider. Only an uncalibrated batch needs the worker.
func (s *Session) DecideBy(by Decider) {
	s.By, s.declined = by, false
	s.settle()
	s.proceed()
}

// proceed calibrates the batch if something needs it.
func (s *Session) proceed() {
	if (s.By != EachAlone || needsBatch(s.Lab.Stage)) && !s.declined {
		s.Calibrate()
	}
	s.Trust.refresh()
	s.Lab.refresh()
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
	coming := &Batch{}
	s.askScores(&message.Score{Batch: true, Every: s.watchEvery()}, func(e message.Event) {
		if rows, ok := e.(*message.Rows); ok {
			coming.fill(rows, s.Rows.Len())
			return
		}
		s.takeEvent(e)
	}, func(scored *message.Scored) {
		s.Phase, s.Stage, s.BatchTime = Done, "", time.Since(begun)
		s.Scored.BatchAUC, s.Scored.PaperAUC = scored.BatchAUC, scored.PaperAUC
		s.warn(scored.Warnings)
		s.takeBatch(coming)
		s.settle()
		s.Lab.refresh()
		s.Lab.settle(false)
		s.Inspector.askAgain() // its dictionaries are known
	})
}

// watchEvery is the number of steps between scorings of the batch.
func (s *Session) watchEvery() int {
	if s.Graphs() <= 200 {
		return 2
	}
	return 10
}

func (s *Session) forgetBatch() {
	s.Result.forgetBatch()
	for _, w := range StageWords() {
		if OfBatch(w.Stage) {
			delete(s.Progress, w.Stage)
		}
	}
	s.Lab.forgetBatch()
	s.settle()
}

func (s *Session) Fail(f *message.Failed) {
	if f.Code == message.CodeDied && strings.Contains(f.Text, "out of memory") {
		f = &message.Failed{Code: message.CodeMemory, Text: s.memoryAdvice()}
	}
	s.Phase, s.Failure, s.Stage, s.Elapsed = Broken, f, "", time.Since(s.started)
	if f.Code == message.CodeCancelled {
		s.Phase, s.Failure = Stopped, nil
	}
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
		return "The browser gives this tab too little to read even the first record. Close other tabs, and try again."
	}
	// Half leaves room for scoring.
	return "The browser gave this tab no more after " + words.Plural(n, "record", "records") + ". About " + words.Count(max(n/2, 1)) + " at a time should fit: give the input in parts, or close other tabs."
}
