package app

import (
	"testing"

	"baca/app/run"
	"baca/app/store"
	"baca/wasm/message"
)

// A tool asks once, shows what was found until another input comes, and saves its file.
func TestTools(t *testing.T) {
	s, f, _ := decided(t, lengths)
	found := &message.Found{HTML: "<p>found</p>", File: &message.Exported{Name: "found.csv"}}
	on(f, func(_ *message.Compare, say func(any)) { say(found) })
	on(f, func(_ *message.Suggest, say func(any)) { say(found) })
	if n := len(s.Lab.Tools()); n != 3 {
		t.Errorf("%d tools without predictions", n)
	}
	s.Lab.Open(message.StageLists)
	if s.Lab.InStory() || s.Lab.Tool().Name != "Compare" || s.Lab.HTML() != "" {
		t.Errorf("open is %+v, which shows %q", s.Lab.Tool(), s.Lab.HTML())
	}
	s.Lab.CompareWith(store.NewFile("a.smi", []byte("CC")))
	f.next(-1)
	s.Lab.Open(message.StageChoose)
	s.Lab.Wish.Most = "none"
	s.Lab.Suggest()
	if s.Lab.Found(message.StageChoose).Failure == nil {
		t.Error("it suggests none")
	}
	s.Lab.Wish.Most = "3"
	s.Lab.Suggest()
	f.next(-1)
	if asked, ok := f.asked[len(f.asked)-1].(*message.Suggest); !ok || asked.Most != 3 || asked.Alpha != s.Alpha || s.Lab.HTML() != "<p>found</p>" {
		t.Errorf("asked for %+v, shows %q", f.asked[len(f.asked)-1], s.Lab.HTML())
	}
	saved := ""
	s.Lab.SaveFound(func(e *message.Exported) { saved = e.Name })
	s.Lab.SaveFound(func(e *message.Exported) { saved = e.Name })
	if saved != "found.csv" || s.Saved != "Suggest saved as found.csv" {
		t.Errorf("saved %q: %s", saved, s.Saved)
	}
	for want, p := range map[string]message.Progress{
		"Suggestion …": {}, "Suggestion: trying each, 3 of 10": {Stage: message.StageChoose, Done: 3, Total: 10}, "Suggestion: substructures …": {Stage: "substructures"},
	} {
		if got := (&run.Task{Name: "Suggestion", Progress: p}).Words(); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	s.Input.Give(run.Given{Text: "CCO"})
	if s.Lab.HTML() != "" {
		t.Errorf("another input has %q", s.Lab.HTML())
	}
}
