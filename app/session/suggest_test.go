package session

import (
	"strings"
	"testing"

	"baca/wasm/message"
)

func TestWish(t *testing.T) {
	columns := []string{"EUR", "measured"}
	for _, test := range []struct {
		wish  Wish
		want  message.Suggest
		wrong string
	}{
		{Wish{}, message.Suggest{Most: 20}, ""},
		{Wish{Most: " 7 ", Price: "EUR", Budget: "12.5", Exclude: "measured"}, message.Suggest{Most: 7, Price: "EUR", Budget: 12.5, Exclude: "measured"}, ""},
		// Columns of another input, and a budget for prices that are not there any more.
		{Wish{Price: "USD", Budget: "x", Exclude: "had"}, message.Suggest{Most: 20}, ""},
		{Wish{Most: "0"}, message.Suggest{}, "a whole number from 1 to 100"},
		{Wish{Most: "100001"}, message.Suggest{}, "a whole number"},
		{Wish{Most: "2.5"}, message.Suggest{}, "Not a number: 2.5"},
		{Wish{Price: "EUR", Budget: "-1"}, message.Suggest{}, "Not a budget: -1"},
		{Wish{Price: "EUR", Budget: "NaN"}, message.Suggest{}, "above 0"},
	} {
		got, wrong := test.wish.request(columns)
		if (wrong == "") != (test.wrong == "") || !strings.Contains(wrong, test.wrong) {
			t.Errorf("of %+v it says %q, want %q", test.wish, wrong, test.wrong)
		}
		if wrong == "" && *got != test.want {
			t.Errorf("%+v asks for %+v, want %+v", test.wish, *got, test.want)
		}
	}
}

// A tool asks once, shows what was found until another input comes, and saves its file.
func TestTools(t *testing.T) {
	s, f, _ := decided(t, lengths)
	answer := f.answer
	f.answer = func(number uint32, r any, say func(any)) {
		switch r.(type) {
		case *message.Compare, *message.Suggest:
			say(&message.Found{HTML: "<p>found</p>", File: &message.Exported{Name: "found.csv"}})
		default:
			answer(number, r, say)
		}
	}
	if n := len(s.Tools()); n != 3 {
		t.Errorf("%d tools without predictions", n)
	}
	s.Lab.Open(message.StageLists)
	if s.Lab.InStory() || s.Lab.Tool().Name != "Compare" || s.Lab.HTML() != "" {
		t.Errorf("open is %+v, which shows %q", s.Lab.Tool(), s.Lab.HTML())
	}
	s.Lab.CompareWith(NewFile("a.smi", []byte("CC")))
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
		if got := (&Task{name: "Suggestion", progress: p}).Words(); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	s.Input.Give("CCO", nil)
	if s.Lab.HTML() != "" {
		t.Errorf("another input has %q", s.Lab.HTML())
	}
}
