package session

import (
	"math"

	"baca/app/words"
	"baca/wasm/message"
)

// A Task is what the worker does when all is scored and the user asks for more: a
// report, reasons, the test for drift, a comparison, a suggestion, or judgements of predictions. There is one at a time, and it can be
// ended without losing what was scored.
type Task struct {
	name     string // for people
	progress message.Progress
	Ending   bool // the user has ended it
}

// Words say how far the task is.
func (t *Task) Words() string {
	p := t.progress
	part := words.Count(p.Done) + " of " + words.Count(p.Total)
	switch {
	case t.Ending:
		return t.name + ": ending …"
	case t.name == comparing && p.Stage != "":
		return t.name + ": " + comparingWords(&p)
	case t.name == suggesting && p.Total > 0:
		return t.name + ": " + suggestingWords(&p)
	case p.Total == 0:
		return t.name + " …"
	case p.Stage == message.StageDrift:
		return t.name + ": one after the other, " + part
	case p.Stage == message.StageTrust:
		return t.name + ": " + part
	}
	return t.name + ": why, " + part
}

// beginTask starts a task. then gets the reply, a Failed with CodeCancelled if the user
// has ended it, and nothing if there is another input by then.
func (s *Session) beginTask(name string, r message.Request, then func(message.Reply)) {
	s.Rev.State++
	switch {
	case s.Phase == Calibrating:
		s.Saved = "Not now: the batch is being calibrated."
		return
	case s.Task != nil || s.Phase != Done:
		return
	case s.Training.On:
		s.Saved = "Not now: a model is trained. Pause that first."
		return
	}
	t := &Task{name: name}
	run := s.Run
	s.Task, s.Saved = t, ""
	s.ask(r, func(e message.Event) {
		if p, ok := e.(*message.Progress); ok {
			t.progress = *p
			s.Rev.State++
		}
	}, func(reply message.Reply) {
		if s.Task == t {
			s.Task = nil
		}
		s.Rev.State++
		if run == s.Run {
			then(reply)
			s.proceed()
		}
	})
}

// EndTask ends the task under way, if there is one.
func (s *Session) EndTask() {
	if s.Task != nil && !s.Task.Ending {
		s.Task.Ending = true
		s.Rev.State++
		s.pauseWorker()
	}
}

// Note says what the worker does beside, or what the latest download came to.
func (s *Session) Note() string {
	if s.Task != nil {
		return s.Task.Words()
	}
	return s.Saved
}

// SetNote notes what a download has come to.
func (s *Session) SetNote(note string) {
	s.Saved = note
	s.Rev.State++
	s.Rev.Rows++
}

// Export asks for a file of the rows that are shown, or all of them in the order of
// the input, and hands it to save.
func (s *Session) Export(format string, all bool, save func(*message.Exported)) {
	order := s.Order
	if all {
		order = s.Rows.order(View{})
	}
	s.saveFile(fileOf("baca", format, s.columns(order)), words.Plural(len(order), "row", "rows"), save)
}

// ExplainRows saves the rows that are shown with why.
func (s *Session) ExplainRows(format string, save func(*message.Exported)) {
	order := s.Order
	if len(order) > message.MostExplained {
		s.Saved = "Not saved: reasons take long, so they are given for up to " + words.Count(message.MostExplained) + " rows at a time. Filter the table, or use baca score --explain."
		s.Rev.State++
		return
	}
	s.explain("reasons", format, order, func(r message.Reply) {
		s.saveFile(r, words.Plural(len(order), "row", "rows"), save)
	})
}

// explain makes a file of rows with why.
func (s *Session) explain(name, format string, order []int32, then func(message.Reply)) {
	s.beginTask("Reasons", &message.Reasons{Record: order}, func(r message.Reply) {
		if e, ok := r.(*message.Explained); ok {
			r = fileOf(name, format, s.columns(order, e.Rows...))
		}
		then(r)
	})
}

// Report saves all that is known as one file.
func (s *Session) Report(save func(*message.Exported)) {
	if s.Scored != nil {
		s.beginTask("Report", s.report(), func(r message.Reply) { s.saveFile(r, "Report", save) })
	}
}

// saveFile hands a file to save, with the name of the input in its own, and notes what it holds.
func (s *Session) saveFile(r message.Reply, what string, save func(*message.Exported)) {
	s.saveAs(r, s.inputStem(), what, save)
}

// inputStem is the name of the input without extension, empty where it has none.
func (s *Session) inputStem() string {
	if s.Opened == nil || s.Opened.Name == "" {
		return ""
	}
	return words.Stem(s.Opened.Name)
}

// saveAs is saveFile with another name, if any, before that of the file.
func (s *Session) saveAs(r message.Reply, prefix, what string, save func(*message.Exported)) {
	s.Rev.State++
	e, ok := r.(*message.Exported)
	if !ok {
		s.Saved = "Not saved: " + failureOf(r).Text
		if failureOf(r).Code == message.CodeCancelled {
			s.Saved = "Cancelled"
		}
		return
	}
	if prefix != "" {
		e.Name = prefix + "-" + e.Name
	}
	save(e)
	s.Saved = what + " saved as " + e.Name
}

// mostRefusals is how many reasons of refused records a report names.
const mostRefusals = 20

// report asks for a report on all that is known.
func (r *Result) report() *message.Report {
	by := r.Deciding()
	m := &message.Report{Scored: *r.Scored, By: DeciderWords()[by].Key, Alpha: r.Alpha, Holdout: message.Floats(r.Reference), Warnings: r.Warnings}
	if r.Calibrated() {
		m.Fitted = r.Fitted
	}
	if r.Rule().ByRate {
		m.FDR = r.FDR
	}
	var scoreless []int32
	for i, x := range r.Rows.Score {
		if !r.Rows.scored[i] || r.Rows.refused[i] {
			continue
		}
		m.Score, m.P = append(m.Score, x), append(m.P, r.Rows.P[i])
		if by == TheBatch {
			m.AloneP = append(m.AloneP, r.Rows.AloneP[i])
		}
		if math.IsNaN(x) {
			scoreless = append(scoreless, int32(i))
		}
	}
	for _, p := range r.Rows.Refused[:min(len(r.Rows.Refused), mostRefusals)] {
		m.Refusals = append(m.Refusals, p.Text)
	}
	m.Record = append(r.Furthest(message.MostReported), scoreless...)
	m.Record = m.Record[:min(len(m.Record), message.MostReported)]
	m.Top = r.columns(m.Record)
	return m
}
