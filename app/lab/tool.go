package lab

import (
	"slices"

	"baca/app/run"
	"baca/app/store"
	"baca/wasm/message"
)

// A Tool answers a question about the input in a view of its own, outside of the story.
type Tool struct {
	Stage       string // that Lab.Open opens
	Name, About string
}

var tools = []Tool{
	{message.StageDrift, "Drift", "Does the input, in its order, come from where the training set came from?"},
	{message.StageLists, "Compare", "How does the input differ from another list?"},
	{message.StageChoose, "Suggest", "Which molecules of the input, measured and added to the training set, would bring the others nearest to it?"},
	{message.StageTrust, "Trust", "Did the expected errors hold, and how many predictions are worth keeping?"},
}

// Tools are those that have something to say about the input.
func (l *Lab) Tools() []Tool {
	s := l.session
	switch {
	case s.Phase != run.Done || s.Graphs() == 0:
		return nil
	case s.Rows.Trust == nil:
		return tools[:3]
	}
	return tools
}

// Tool is the open one, or nil.
func (l *Lab) Tool() *Tool {
	if i := slices.IndexFunc(tools, func(t Tool) bool { return t.Stage == l.Stage }); i >= 0 {
		return &tools[i]
	}
	return nil
}

// Found is what a tool found, or why it did not.
func (l *Lab) Found(stage string) *run.Answer[message.Found] {
	if l.found == nil {
		l.found = map[string]*run.Answer[message.Found]{}
	}
	if l.found[stage] == nil {
		l.found[stage] = &run.Answer[message.Found]{}
	}
	return l.found[stage]
}

// HTML is what the open tool shows.
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

func (l *Lab) WatchDrift() { l.ask(message.StageDrift, "Drift", &message.Drift{}) }

// CompareWith compares the open input with a file.
func (l *Lab) CompareWith(f *store.File) {
	l.ask(message.StageLists, "Comparison", &message.Compare{With: *l.session.Input.Open(f)})
}

// SaveFound saves the open tool's file.
func (l *Lab) SaveFound(save func(*message.Exported)) {
	if found := l.Found(l.Stage).Value; found != nil && found.File != nil {
		e := *found.File
		l.session.Save(&e, l.Tool().Name, save)
	}
}
