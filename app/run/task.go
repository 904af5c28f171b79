package run

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"baca/app/table"
	"baca/app/words"
	"baca/wasm/message"
)

// A Task is the worker's work besides scoring: a report, reasons, drift, a comparison, suggestions
// or judgements. There is one at a time, and it can be ended without loss.
type Task struct {
	Name     string // for people
	Progress message.Progress
	Ending   bool // ended by the user
}

// Words describe its progress.
func (t *Task) Words() string {
	p := t.Progress
	part := words.Count(p.Done) + " of " + words.Count(p.Total)
	switch {
	case t.Ending:
		return t.Name + ": ending …"
	case p.Stage == "":
		return t.Name + " …"
	case p.Total == 0:
		return t.Name + ": " + cmp.Or(words.Stages[p.Stage], p.Stage) + " …"
	}
	return t.Name + ": " + cmp.Or(words.Stages[p.Stage], p.Stage) + ", " + part
}

// Do starts a task of the worker. then gets the reply, which after EndTask is a Failed with CodeCancelled. It is not
// called if another input was given meanwhile. Do starts nothing
//
//   - while a batch is calibrated or a model is trained, and says so in Saved,
//   - while there is another task, or before all records are scored.
func (s *Session) Do(name string, r message.Request, then func(message.Reply)) {
	s.Rev.State++
	switch {
	case s.Phase == Calibrating:
		s.Saved = "Not now: the batch is being calibrated."
		return
	case s.Task != nil || s.Phase != Done:
		return
	case s.Training.On:
		s.Saved = "Not now: a model is being trained. Pause that first."
		return
	}
	t := &Task{Name: name}
	run := s.Run
	s.Task, s.Saved = t, ""
	s.ask(r, func(e message.Event) {
		if p, ok := e.(*message.Progress); ok {
			t.Progress = *p
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

// EndTask asks the worker to end the task, if there is one that is not ending.
func (s *Session) EndTask() {
	if s.Task != nil && !s.Task.Ending {
		s.Task.Ending = true
		s.Rev.State++
		s.pauseWorker()
	}
}

// Note describes the side task or the last download.
func (s *Session) Note() string {
	if s.Task != nil {
		return s.Task.Words()
	}
	return s.Saved
}

func (s *Session) SetNote(note string) {
	s.Saved = note
	s.Rev.State++
	s.Rev.Rows++
}

// Export saves the shown rows, or all in input order.
func (s *Session) Export(format string, all bool, save func(*message.Exported)) {
	order := s.Order
	if all {
		order = s.Rows.All()
	}
	stem, what := s.inputStem(), words.Plural(len(order), "row", "rows")
	s.Write(format, order, func(e *message.Exported) { s.saveAs(e, stem, what, save) })
}

// Write makes a file of records as they are now, in pieces, between which the page answers.
func (s *Session) Write(format string, order []int32, then func(*message.Exported)) {
	rows, model := s.Snapshot(), s.Models.Used.Value
	next, _ := iter.Pull(table.Pieces(format, slices.Clone(order), func(part []int32) message.Columns { return rows.Columns(part, model) }))
	var pieces [][]byte
	var more func()
	more = func() {
		if piece, ok := next(); ok {
			pieces = append(pieces, piece)
			s.After(time.Millisecond, more) // sooner, Go would go on in the same task
		} else {
			then(table.Joined("baca", format, pieces))
		}
	}
	more()
}

// ExplainRows saves the shown rows with explanations.
func (s *Session) ExplainRows(format string, save func(*message.Exported)) {
	order := s.Order
	if len(order) > message.MostExplained {
		s.Saved = "Not saved: reasons take long, so they are given for up to " + words.Count(message.MostExplained) +
			" rows at a time. Filter the table, or use baca score --explain."
		s.Rev.State++
		return
	}
	s.Explain("reasons", format, order, func(r message.Reply) {
		s.Save(r, words.Plural(len(order), "row", "rows"), save)
	})
}

// Explain makes a file of rows with explanations.
func (s *Session) Explain(name, format string, order []int32, then func(message.Reply)) {
	s.Do("Reasons", &message.Reasons{Record: order}, func(r message.Reply) {
		if e, ok := r.(*message.Explained); ok {
			r = table.File(name, format, s.Table.Columns(order, s.Models.Used.Value, e.Rows...))
		}
		then(r)
	})
}

func (s *Session) Report(save func(*message.Exported)) {
	if s.Scored != nil {
		s.Do("Report", s.report(), func(r message.Reply) { s.Save(r, "Report", save) })
	}
}

// Save saves a file named after the input, and notes its content.
func (s *Session) Save(r message.Reply, what string, save func(*message.Exported)) {
	s.saveAs(r, s.inputStem(), what, save)
}

// inputStem is the input's name without extension, empty for none.
func (s *Session) inputStem() string {
	if s.Opened == nil || s.Opened.Name == "" {
		return ""
	}
	return words.Stem(s.Opened.Name)
}

// saveAs is Save with a prefix.
func (s *Session) saveAs(r message.Reply, prefix, what string, save func(*message.Exported)) {
	s.Rev.State++
	e, ok := r.(*message.Exported)
	if !ok {
		s.Saved = "Not saved: " + message.FailureOf(r).Text
		if message.FailureOf(r).Code == message.CodeCancelled {
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

// report is what a report shows: numbers of all records, and the rows furthest outside.
func (s *Session) report() *message.Report {
	rows := &s.Rows
	m := &message.Report{
		By: table.DeciderWords()[s.Deciding()].Key, Alpha: s.Alpha, Holdout: message.Floats(s.Reference()), Warnings: s.Warnings,
		Score: rows.Score, P: rows.P, Alone: rows.Alone, AloneP: rows.AloneP, Record: s.Furthest(message.MostReported),
	}
	if s.Deciding() == table.ThePaper {
		m.Holdout = s.Fitted.Holdout.Numbers("s_baca")
	}
	for i := range rows.Len() {
		if rows.Foreign(i) {
			m.Foreign = append(m.Foreign, int32(i))
		}
	}
	for i, x := range rows.Score {
		if math.IsNaN(x) && rows.Problem(i) == nil && len(m.Record) < message.MostReported {
			m.Record = append(m.Record, int32(i)) // a graph without nodes
		}
	}
	for _, problem := range rows.Refused {
		m.Refused = append(m.Refused, int32(problem.Record))
		if len(m.Refusals) < message.MostRefusals {
			m.Refusals = append(m.Refusals, problem.Text)
		}
	}
	for _, c := range s.Table.Columns(m.Record, s.Models.Used.Value) {
		if slices.Contains(message.ReportColumns, c.Name) {
			m.Rows = append(m.Rows, c)
		}
	}
	if s.Calibrated() {
		m.Fitted = s.Fitted
	}
	if s.Rule().ByRate {
		m.FDR = s.FDR
	}
	return m
}

// A DomainSubject can have a domain report.
type DomainSubject struct {
	Key, Title string
	Name       string // of the subject, or why there is no report
	Ready      bool

	form, prefix, saved string
	records             []int32
}

// DomainSubjects lists what a report on the domain can be about: the row chosen, the rows shown, and the model.
func (s *Session) DomainSubjects() []DomainSubject {
	chosen := DomainSubject{Key: "chosen", Title: "The row chosen", Name: "None: choose a row of the table first.",
		form: "qprf", saved: "Domain report"}
	if i := s.Inspector.Record; i >= 0 && i < s.Rows.Len() {
		name := s.Rows.Name(i)
		chosen.Name, chosen.prefix, chosen.records = words.Shorten(name, 60), words.Stem(name), []int32{int32(i)}
		chosen.Ready = s.Rows.Problem(i) == nil
		if !chosen.Ready {
			chosen.Name += ": refused, so there is nothing to say."
		}
	}
	shown := DomainSubject{
		Key: "shown", Title: "The rows shown", Name: words.Plural(len(s.Order), "row", "rows"),
		Ready: len(s.Order) > 0 && len(s.Order) <= message.MostSubstances,
		form:  "qprf", prefix: s.inputStem(), saved: "Domain report", records: s.Order,
	}
	if len(s.Order) > message.MostSubstances {
		shown.Name += fmt.Sprintf(", and at most %d fit in a report. Search or filter the table first.", message.MostSubstances)
	}
	model := DomainSubject{Key: "model", Title: "The domain itself", form: "qmrf", saved: "Page of the model"}
	if m := s.Models.Used.Value; m != nil {
		model.Name, model.prefix, model.Ready = "model "+m.Name, m.Name, true
	}
	return []DomainSubject{chosen, shown, model}
}

// HasDomain reports a model of molecules, which has domain reports.
func (s *Session) HasDomain() bool {
	return s.Models.Used.Value != nil && s.Models.Used.Value.Molecules
}

// SaveDomain saves a subject's report as "html" or "json".
func (s *Session) SaveDomain(key, format string, save func(*message.Exported)) {
	for _, d := range s.DomainSubjects() {
		if d.Key == key && d.Ready {
			r := &message.Domain{Form: d.form, Format: format, Record: d.records, Alpha: s.Alpha}
			s.Do("Domain report", r, func(r message.Reply) { s.saveAs(r, d.prefix, d.saved, save) })
		}
	}
}
