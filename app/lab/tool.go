package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"baca/algo/feature/suggest"
	"baca/app/run"
	"baca/app/store"
	"baca/app/words"
	"baca/wasm/message"
)

// A Tool answers a question about the input in a view of its own, outside of the story.
type Tool struct {
	Stage       string // that Lab.Open opens
	Name, About string
	Button      string // asks the worker; without one there is a form
}

// forms are the tools that have one.
var forms = []Tool{
	{message.StageLists, "Compare", "How does the input differ from another list?", ""},
	{message.StageChoose, "Suggest",
		"Which molecules of the input, measured and added to the training set, would bring the others nearest to it?",
		""},
	{message.StageTrust, "Trust", "Did the expected errors hold, and how many predictions are worth keeping?", ""},
}

// Tools lists the tools that apply to the input.
func (l *Lab) Tools() []Tool {
	s := l.session
	if s.Phase != run.Done || s.Graphs() == 0 {
		return nil
	}
	return slices.DeleteFunc(l.tools(), func(t Tool) bool { return t.Stage == message.StageTrust && s.Rows.Trust == nil })
}

// tools lists the tools of the worker, once it has told them, and then those that are forms of the page.
func (l *Lab) tools() (list []Tool) {
	if w := l.session.Models.Welcome; w != nil {
		for _, t := range w.Tools {
			list = append(list, Tool{t.Name, t.Title, t.About, t.Button})
		}
	}
	return append(list, forms...)
}

// Tool is the open tool, or nil.
func (l *Lab) Tool() *Tool {
	tools := l.tools()
	if i := slices.IndexFunc(tools, func(t Tool) bool { return t.Stage == l.Stage }); i >= 0 {
		return &tools[i]
	}
	return nil
}

// Found returns a tool's finding, or why there is none.
func (l *Lab) Found(stage string) *message.Answer[message.Found] {
	if l.found == nil {
		l.found = map[string]*message.Answer[message.Found]{}
	}
	if l.found[stage] == nil {
		l.found[stage] = &message.Answer[message.Found]{}
	}
	return l.found[stage]
}

// HTML is the finding of the open tool. For the tool of predictions it may be that of the table's judgements. It is
// empty if there is none.
func (l *Lab) HTML() string {
	if found := l.Found(l.Stage).Value; found != nil {
		return found.HTML
	}
	if judged := l.session.Rows.Trust; judged != nil && l.Stage == message.StageTrust {
		return judged.HTML
	}
	return ""
}

// ask asks a tool's question. An earlier answer stays until the next one arrives.
func (l *Lab) ask(stage, name string, r message.Request) {
	l.Found(stage).Failure = nil
	l.session.Do(name, r, func(reply message.Reply) {
		l.session.Rev.All() // drawings are wanted
		l.Found(stage).Take(reply)
	})
}

// Ask asks the open tool of the worker.
func (l *Lab) Ask() { l.ask(l.Stage, l.Tool().Name, &message.Ask{Tool: l.Stage}) }

// CompareWith compares the open input with a file.
func (l *Lab) CompareWith(f *store.File) {
	l.ask(message.StageLists, "Comparison", &message.Compare{With: *l.session.Input.Open(f)})
}

func (l *Lab) SaveFound(save func(*message.Exported)) {
	if found := l.Found(l.Stage).Value; found != nil && found.File != nil {
		e := *found.File
		l.session.Save(&e, l.Tool().Name, save)
	}
}

// A Wish is the form of the suggestions.
type Wish struct {
	Most, Budget   string // empty for defaults
	Price, Exclude string // columns, or empty
}

// UsuallySuggested is the default number.
const UsuallySuggested = 20

// request makes a request for an input with these columns, or says what is wrong. Columns of another input are ignored.
func (w *Wish) request(columns []string) (r *message.Suggest, wrong string) {
	r = &message.Suggest{Most: UsuallySuggested}
	var err error
	if most := strings.TrimSpace(w.Most); most != "" {
		if r.Most, err = strconv.Atoi(most); err != nil || r.Most < 1 || r.Most > suggest.MaxSuggested {
			return nil, fmt.Sprintf("Not a number: %s. Give a whole number from 1 to %s.", most, words.Count(suggest.MaxSuggested))
		}
	}
	if slices.Contains(columns, w.Price) {
		r.Price = w.Price
	}
	if slices.Contains(columns, w.Exclude) {
		r.Exclude = w.Exclude
	}
	if budget := strings.TrimSpace(w.Budget); budget != "" && r.Price != "" {
		if r.Budget, err = strconv.ParseFloat(budget, 64); err != nil || !(r.Budget > 0) {
			return nil, fmt.Sprintf("Not a budget: %s. Give a number above 0, without a currency, or nothing.", budget)
		}
	}
	return r, ""
}

// Suggest starts suggestions. Earlier ones stay until then.
func (l *Lab) Suggest() {
	s := l.session
	s.Rev.State++
	r, wrong := l.Wish.request(s.ValueColumns())
	if wrong != "" {
		l.Found(message.StageChoose).Failure = &message.Failed{Code: message.CodeBadOption, Text: wrong}
		return
	}
	r.Alpha = s.Alpha
	l.ask(message.StageChoose, "Suggestion", r)
}
