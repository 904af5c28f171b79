package session

import (
	"slices"
	"strings"
	"testing"

	"baca/algo/job"
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

func TestSuggestColumns(t *testing.T) {
	s := &Session{}
	if got := s.SuggestColumns(); got != nil {
		t.Errorf("without an input %q", got)
	}
	s.Opened = &message.Opened{Molecules: true, Columns: []string{"id", "smiles", "", "EUR"}}
	s.Header = &message.Header{Column: "smiles"}
	if got := s.SuggestColumns(); !slices.Equal(got, []string{"id", "EUR"}) || len(s.Opened.Columns) != 4 || s.Opened.Columns[1] != "smiles" {
		t.Errorf("%q of %q", got, s.Opened.Columns)
	}
	s.Opened.Molecules = false
	if got := s.SuggestColumns(); got != nil {
		t.Errorf("of plain graphs %q", got)
	}
}

func TestAboutPick(t *testing.T) {
	adds, about := AboutPick(&job.SuggestedRow{Nearer: 8, Inside: 2, Gain: 0.114658, Similarity: 0.314607})
	if adds != "8 nearer, 2 inside" || about != "gain 0.115, similarity 0.315" {
		t.Errorf("it says %q and %q", adds, about)
	}
	twelve := 12.0
	if _, about = AboutPick(&job.SuggestedRow{Price: &twelve, Gain: 1}); !strings.HasPrefix(about, "price 12") {
		t.Errorf("it says %q", about)
	}
}

func TestSuggestedWords(t *testing.T) {
	m := &message.Suggested{Total: 3, Sentences: []string{"1 without a price", "they cost 7", "far", "outside"}, Refusals: []string{"row 9: x.csv:9:1: no"}}
	gains, notes := SuggestedWords(m)
	if !slices.Equal(gains, []string{"Far.", "Outside."}) || notes != "1 without a price. They cost 7. Refused: row 9: x.csv:9:1: no." {
		t.Errorf("it says %q and %q", gains, notes)
	}
	if gains, notes = SuggestedWords(&message.Suggested{Sentences: []string{"2 without a price", "nothing to suggest"}}); !slices.Equal(gains, []string{"Nothing to suggest."}) || notes != "2 without a price." {
		t.Errorf("it says %q and %q", gains, notes)
	}
}

func TestSuggestingWords(t *testing.T) {
	for want, p := range map[string]message.Progress{
		"Suggestion …": {},
		"Suggestion: reading and scoring, 64 of 100": {Stage: message.StageLists, Done: 64, Total: 100},
		"Suggestion: trying each, 3 of 10":           {Stage: message.StageChoose, Done: 3, Total: 10},
	} {
		task := &Task{name: suggesting, progress: p}
		if got := task.Words(); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}
