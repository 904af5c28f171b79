// Package frame answers the page around an embedded page, by web/EMBED.md (Frame).
package frame

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"baca/app/run"
	"baca/app/store"
	"baca/app/table"
	"baca/app/words"
	"baca/wasm/message"
)

// A Frame answers the outer page, by web/EMBED.md.
type Frame struct {
	session *run.Session
	reply   func(json string)
	asked   *asked // the current request
	ready   bool   // sent
}

// asked is the current request. It waits for its model, its run, then its rows.
type asked struct {
	id      json.RawMessage
	explain bool
	wanted  *wanted
	given   bool // the input is in the session
	run     int  // of that input
	busy    bool // giving the input, or writing the rows
}

// A request has exactly one of the last three.
type request struct {
	Baca    int             `json:"baca"`
	ID      json.RawMessage `json:"id"`
	Score   *wanted         `json:"score"`
	Explain *wanted         `json:"explain"`
	Cancel  bool            `json:"cancel"`
}

// wanted are molecules and settings; missing ones stay.
type wanted struct {
	SMILES []string `json:"smiles"`
	Model  string   `json:"model"`
	Alpha  float64  `json:"alpha"`
	By     string   `json:"by"`
}

// UnmarshalJSON accepts an object or, for one with smiles alone, the list of SMILES itself.
func (w *wanted) UnmarshalJSON(data []byte) error {
	if strings.HasPrefix(strings.TrimSpace(string(data)), "[") {
		return json.Unmarshal(data, &w.SMILES)
	}
	type plain wanted
	return json.Unmarshal(data, (*plain)(w))
}

// Error codes of frames; others are in package message.
const (
	codeBusy        = "busy"        // another request is under way
	codeInterrupted = "interrupted" // the user has changed the input
)

// mostID bounds an id, in bytes of JSON.
const mostID = 100

// Serve makes a session answer requests by reply.
func Serve(s *run.Session, reply func(json string)) *Frame {
	f := &Frame{session: s, reply: reply}
	s.Watchers = append(s.Watchers, f.proceed)
	return f
}

// Ask begins a request in JSON, or cancels the one under way. A wrong request, or one while another is under way, is
// answered with an error.
func (f *Frame) Ask(text string) {
	var r request
	err := json.Unmarshal([]byte(text), &r)
	if err != nil {
		why := "it is no JSON"
		if kind := new(json.UnmarshalTypeError); errors.As(err, &kind) {
			why = fmt.Sprintf("found %s in %s", kind.Value, cmp.Or(kind.Field, "place of an object"))
		}
		err = fmt.Errorf("the message is not one of web/EMBED.md: %s", why)
	}
	if err := cmp.Or(r.checkID(), err, r.check()); err != nil {
		f.fail(r.ID, message.CodeBadOption, err.Error())
		return
	}
	switch {
	case r.Cancel:
		f.cancel(r.ID)
	case f.asked != nil:
		f.fail(r.ID, codeBusy, "another request is under way: wait for its answer, or cancel it")
	default:
		f.begin(&r)
	}
}

// checkID rejects and removes an invalid id, so that it is not sent back.
func (r *request) checkID() error {
	id := string(r.ID)
	if len(id) == 0 || len(id) > mostID || id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9') {
		r.ID = nil
		return fmt.Errorf("want an id: a number or a text of up to %d characters", mostID-2)
	}
	return nil
}

// check returns an error unless the request asks exactly one thing, and that is valid.
func (r *request) check() error {
	n := 0
	for _, there := range []bool{r.Score != nil, r.Explain != nil, r.Cancel} {
		if there {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("want one of score, explain and cancel")
	}
	if w := r.wanted(); w != nil {
		return w.check(r.Explain != nil)
	}
	return nil
}

// wanted returns what to score or to explain, nil for a request to cancel.
func (r *request) wanted() *wanted { return cmp.Or(r.Score, r.Explain) }

// check returns an error for no or too many molecules, for one that is not a line of text, and for settings out of
// range.
func (w *wanted) check(explain bool) error {
	switch {
	case len(w.SMILES) == 0:
		return fmt.Errorf("want at least one SMILES")
	case explain && len(w.SMILES) > message.MostExplained:
		return fmt.Errorf("%d molecules, reasons are given for up to %d at a time", len(w.SMILES), message.MostExplained)
	}
	for i, line := range w.SMILES {
		if strings.TrimSpace(line) == "" || strings.ContainsFunc(line, func(c rune) bool { return c < ' ' && c != '\t' }) {
			return fmt.Errorf("smiles[%d] is empty or has more than one line", i)
		}
	}
	_, err := w.settings(table.Settings{})
	return err
}

// settings returns the page's settings with the request's changes. A value out of range is an error.
func (w *wanted) settings(s table.Settings) (table.Settings, error) {
	var alpha, by error
	if w.Alpha != 0 {
		alpha = s.Set("alpha", strconv.FormatFloat(w.Alpha, 'g', -1, 64))
	}
	if w.By != "" {
		by = s.Set("by", w.By)
	}
	return s, cmp.Or(alpha, by)
}

// begin makes the request the session's input.
func (f *Frame) begin(r *request) {
	w := r.wanted()
	if w.Model != "" && !f.session.Models.Choose(w.Model) {
		f.fail(r.ID, message.CodeBadModel, "no model "+words.Shorten(w.Model, 60)+" is in this browser")
		return
	}
	f.asked = &asked{id: r.ID, explain: r.Explain != nil, wanted: w}
	f.proceed()
}

// proceed continues the current request if it can, or ends it with an error. The session calls it after every change.
func (f *Frame) proceed() {
	s := f.session
	if m := &s.Models; !f.ready && m.Loading == "" && !m.Used.None() {
		f.ready = true
		if m.Used.Value != nil {
			f.hello()
		} else {
			f.fail(nil, m.Used.Failure.Code, m.Used.Failure.Text)
		}
	}
	a := f.asked
	switch {
	case a == nil || a.busy || s.Models.Loading != "":
	case !a.given:
		f.give(a)
	case a.run != s.Run && s.Phase != run.Stopped:
		f.end(codeInterrupted, "the input was changed on the page")
	case s.Phase == run.Broken:
		f.end(s.Failure.Code, s.Failure.Text)
	case s.Phase == run.Stopped:
		f.end(message.CodeCancelled, "cancelled on the page")
	case s.Phase == run.Done && s.Deciding() != s.By:
		f.end(message.CodeBadInput, cmp.Or(s.UnfitFor(s.By), "the batch was not calibrated"))
	case s.Phase == run.Done && s.Rows.Len() != len(a.wanted.SMILES):
		f.end(message.CodeBadInput, fmt.Sprintf("%d lines were read as %d molecules: # begins a comment, and a first line must not name columns",
			len(a.wanted.SMILES), s.Rows.Len()))
	case s.Phase == run.Done && s.Task == nil:
		f.write(a)
	case s.Stage != "":
		p := s.Progress[s.Stage]
		f.answer(a.id, "progress", map[string]any{"stage": p.Stage, "done": p.Done, "total": p.Total})
	}
}

// hello announces the models once requests are answered.
func (f *Frame) hello() {
	m := &f.session.Models
	models := []string{}
	for i := range m.Welcome.Models {
		models = append(models, store.Key(&m.Welcome.Models[i]))
	}
	for i := range m.Own {
		models = append(models, store.Key(&m.Own[i].Card))
	}
	f.send(map[string]any{"baca": 1, "ready": true, "models": models})
}

// give sets the input once the model is there.
func (f *Frame) give(a *asked) {
	s, w := f.session, a.wanted
	if s.Models.Used.Failure != nil || s.Models.Used.Value == nil || w.Model != "" && store.Key(s.Models.Used.Value) != w.Model {
		f.end(message.CodeBadModel, "the model could not be loaded")
		return
	}
	s.Settings, _ = w.settings(s.Settings) // checked
	a.given, a.busy = true, true
	s.Input.Give(run.Given{Text: strings.Join(w.SMILES, "\n") + "\n"})
	a.run, a.busy = s.Run, false
}

// write makes the rows of `baca score`.
func (f *Frame) write(a *asked) {
	s := f.session
	a.busy = true
	order := s.Rows.All()
	take := func(r message.Reply) {
		var made message.Answer[message.Exported]
		switch {
		case f.asked != a:
		case made.Take(r):
			f.asked = nil
			f.answer(a.id, "rows", json.RawMessage(made.Value.Data))
		default:
			f.end(made.Failure.Code, made.Failure.Text)
		}
	}
	if a.explain {
		s.Explain("rows", "json", order, take)
		return
	}
	take(table.File("rows", "json", s.Table.Columns(order, s.Models.Used.Value)))
}

// cancel ends the request of an id, which gets an error.
func (f *Frame) cancel(id json.RawMessage) {
	a := f.asked
	if a == nil || !slices.Equal(a.id, id) {
		f.fail(id, message.CodeBadOption, "no request of this id is under way")
		return
	}
	f.asked = nil
	f.session.EndTask()
	f.session.Cancel()
	f.fail(id, message.CodeCancelled, "cancelled")
}

// end ends the request under way with an error.
func (f *Frame) end(code, text string) {
	id := f.asked.id
	f.asked = nil
	f.fail(id, code, text)
}

// fail answers a request with an error.
func (f *Frame) fail(id json.RawMessage, code, text string) {
	f.answer(id, "error", map[string]string{"code": code, "text": text})
}

// answer answers a request, id null for none.
func (f *Frame) answer(id json.RawMessage, what string, value any) {
	if id == nil {
		id = json.RawMessage("null")
	}
	f.send(map[string]any{"baca": 1, "id": id, what: value})
}

// send replies with an answer in JSON. If a value has no JSON, it sends an error with the answer's id instead.
func (f *Frame) send(answer map[string]any) {
	if data, err := json.Marshal(answer); err == nil {
		f.reply(string(data))
	} else if id, ok := answer["id"].(json.RawMessage); ok {
		f.fail(id, message.CodeInternal, err.Error())
	}
}
