package session

import (
	"testing"

	"baca/algo/compare"
	"baca/wasm/message"
)

func TestByList(t *testing.T) {
	all := []compare.Difference{{Name: "x", Odds: 3}, {Name: "y", Odds: 0.2}, {Name: "z", Odds: 7, Example: "CCO"}}
	groups := ByList(all)
	if len(groups) != 2 || groups[0].Title != "Commoner in B" || len(groups[0].List) != 2 || groups[1].List[0].Name != "y" {
		t.Errorf("the groups are %+v", groups)
	}
	if all[1].Name != "y" {
		t.Error("the list has changed")
	}
	if groups = ByList(all[:1]); len(groups) != 1 {
		t.Errorf("the groups are %+v, want one", groups)
	}
	l := &Lab{Stage: message.StageLists, Compared: Answer[message.Compared]{Value: &message.Compared{Comparison: compare.Comparison{Fragments: all}}}}
	if got := l.WantedExamples(); len(got) != 1 || got[0] != "CCO" {
		t.Errorf("to be drawn are %q", got)
	}
	if l.InStory() {
		t.Error("a comparison is no scene")
	}
}

func TestComparingWords(t *testing.T) {
	for want, p := range map[string]message.Progress{
		"Comparison …": {},
		"Comparison: reading the file, 25\u00a0%": {Stage: message.StageParse, Done: 1, Total: 4},
		"Comparison: reading the input, 3 of 10":  {Stage: message.StageLists, Done: 3, Total: 10},
		"Comparison: neighbours of A in B":        {Stage: "neighbours of A in B"},
	} {
		task := &Task{name: comparing, progress: p}
		if got := task.Words(); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}
