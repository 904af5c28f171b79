package app

import (
	"math"
	"strconv"
	"strings"

	"baca/wasm/message"
)

// A task is what the worker does when all is scored and the user asks for more: a
// report, reasons, or the test for drift. There is one at a time, and it can be
// ended without losing what was scored.
type task struct {
	name     string // for people
	progress message.Progress
	ending   bool // the user has ended it
}

// words say how far the task is.
func (t *task) words() string {
	p := t.progress
	switch {
	case t.ending:
		return t.name + ": ending …"
	case p.Total == 0:
		return t.name + " …"
	case p.Stage == message.StageDrift:
		return t.name + ": one after the other, " + count(p.Done) + " of " + count(p.Total)
	}
	return t.name + ": why, " + count(p.Done) + " of " + count(p.Total)
}

// beginTask starts a task. then gets the reply, a Failed with CodeCancelled if the user
// has ended it, and nothing if there is another input by then.
func (s *session) beginTask(name string, r message.Request, then func(message.Reply)) {
	switch {
	case s.phase == calibrating:
		s.exported = "Not now: the batch is being calibrated."
		s.rev.table++
		return
	case s.task != nil || s.phase != done:
		return
	case s.train.on:
		s.exported = "Not now: a model is trained. Pause that first."
		s.rev.table++
		return
	}
	t := &task{name: name}
	run := s.run
	s.task, s.exported = t, ""
	s.rev.table++
	s.rev.lab++
	s.ask(r, func(e message.Event) {
		if p, ok := e.(*message.Progress); ok && s.task == t {
			t.progress = *p
			s.rev.table++
			s.rev.lab++
		}
	}, func(reply message.Reply) {
		if s.task == t {
			s.task = nil
		}
		s.rev.table++
		s.rev.lab++
		if run == s.run {
			then(reply)
			s.proceed()
		}
	})
}

// endTask ends the task under way, if there is one.
func (s *session) endTask() {
	if s.task == nil || s.task.ending {
		return
	}
	s.task.ending = true
	s.rev.table++
	s.rev.lab++
	s.ask(&message.Pause{}, nil, func(message.Reply) {})
}

// watchDrift runs the test for drift.
func (s *session) watchDrift() {
	s.lab.driftTrouble = nil
	s.beginTask("Drift", &message.Drift{}, func(r message.Reply) {
		if d, ok := r.(*message.Drifted); ok {
			s.lab.drift = d
			return
		}
		s.lab.driftTrouble = failed(r)
	})
}

// explainRows saves the rows that are shown with why.
func (s *session) explainRows(format string, save func(*message.Exported)) {
	order := s.order
	if n := len(order); n > message.MostExplained {
		s.exported = "Not saved: reasons take long, so they are given for up to " + count(message.MostExplained) + " rows at a time. Filter the table, or use baca score --explain."
		s.rev.table++
		return
	}
	s.beginTask("Reasons", &message.Reasons{Format: format, Rows: s.rows.columns(order, s.q(), s.own(theBatch)), Record: order}, func(r message.Reply) {
		s.saved(r, things(len(order), "row", "rows"), save)
	})
}

// report saves all that is known as one file.
func (s *session) report(save func(*message.Exported)) {
	if s.scored == nil {
		return
	}
	r := &message.Report{Scored: *s.scored, By: deciderWords[s.deciding()].key, Alpha: s.alpha, Holdout: message.Floats(s.reference), Warnings: s.warnings}
	if s.calibrated() {
		r.Fitted = s.fitted
	}
	if s.rule().fdr {
		r.FDR = s.fdr
	}
	r.Score, r.P = make(message.Floats, 0, s.rows.len()), make(message.Floats, 0, s.rows.len())
	for i, x := range s.rows.score {
		if !s.judged(i) {
			continue
		}
		r.Score, r.P = append(r.Score, x), append(r.P, s.rows.p[i])
		if s.deciding() == theBatch {
			r.AloneP = append(r.AloneP, s.rows.aloneP[i])
		}
	}
	for i := 0; i < s.rows.len() && len(s.rows.problem) > len(r.Refusals) && len(r.Refusals) < mostRefusals; i++ {
		if p := s.rows.problem[i]; p != nil {
			r.Refusals = append(r.Refusals, p.Text)
		}
	}
	r.Record = s.furthest(message.MostReported)
	for i := 0; i < s.rows.len() && len(r.Record) < min(len(r.Score), message.MostReported); i++ {
		if s.judged(i) && math.IsNaN(s.rows.score[i]) {
			r.Record = append(r.Record, int32(i))
		}
	}
	r.Top = s.rows.columns(r.Record, levels{}, s.own(theBatch))
	s.beginTask("Report", r, func(r message.Reply) {
		s.saved(r, "Report", save)
	})
}

// mostRefusals is how many reasons of refused records a report names.
const mostRefusals = 20

// judged tells whether a record has been scored.
func (s *session) judged(i int) bool { return s.rows.scored[i] && !s.rows.bad[i] }

// driftSentence says in words what the test for drift found.
func driftSentence(d *message.Drifted, name string) string {
	alarm := power(-math.Log10(d.Delta))
	if d.Moved == 0 {
		return "Nothing says that they have moved: bets against “these come, in this order, from where the training set came from” never turned 1 into more than " + power(d.Highest) + ", and " + alarm + " would be needed."
	}
	where := count(d.Moved) + " of " + count(d.Graphs)
	if name != "" {
		where += ", " + name + ","
	}
	return "They have moved: by number " + where + " bets against “these come, in this order, from where the training set came from” had turned 1 into more than " + alarm + ", which has a chance of at most " + percent(d.Delta) + " if it is true; the most was " + power(d.Highest) + "."
}

// power is a power of ten for people.
func power(log float64) string {
	if log < 6 {
		return number(math.Pow(10, log))
	}
	return "10" + strings.Map(func(r rune) rune { return superscript[r] }, strconv.Itoa(int(math.Round(log))))
}
