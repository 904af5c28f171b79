package app

import (
	"fmt"
	"slices"
	"testing"

	"baca/algo/decide"
	column "baca/algo/table"
	"baca/app/run"
	"baca/app/table"
	"baca/wasm/message"
)

// A hundred thousand records come in pieces. All of them are only gone through once a moment, however many pieces come
// meanwhile, so that none of the page's turns takes longer the more there are.
func TestAllRowsOnceAMoment(t *testing.T) {
	const n, piece, scores = 100_000, 512, 1024
	s := newStage(t)
	f := s.f
	on(f, func(_ *message.Open, say func(any)) {
		for from := 0; from < n; from += piece {
			var ids, texts []string
			for i := from; i < min(from+piece, n); i++ {
				ids, texts = append(ids, fmt.Sprint("row ", i*7919%n)), append(texts, "CCO")
			}
			say(recordsFrom(from, ids, texts))
		}
		say(&message.Opened{Format: "smi", Molecules: true, Records: n})
	})
	on(f, func(_ *message.Score, say func(any)) {
		say(&message.Reference{Score: message.Floats{1, 2, 3, 4}})
		for from := 0; from < n; from += scores {
			var score, p []float64
			for i := from; i < min(from+scores, n); i++ {
				score, p = append(score, float64(i%100)), append(p, float64(i%100)/100)
			}
			say(&message.Rows{From: from, Rows: message.Columns{column.NumberColumn("score", score), column.NumberColumn("p_value", p)}})
		}
		say(&message.Scored{})
	})
	// As the page, which hears a moment's events together.
	var news []func()
	hear := func() {
		for _, f := range news {
			f()
		}
		news = nil
		s.JudgeNew()
	}
	s.PostEvent = func(f func()) { news = append(news, f) }
	s.Post = func(f func()) {
		news = append(news, f)
		hear()
	}
	s.Input.Give(run.Given{Text: "CCO"})
	s.pass()
	// gone counts the turns that go through all rows: each draws the table.
	gone := func(what string, do func()) int {
		t.Helper()
		before := s.Rev.Rows
		do()
		return s.Rev.Rows - before
	}
	half := func(messages, want int, what string) {
		t.Helper()
		if got := gone(what, func() { f.next(messages) }); got != want {
			t.Errorf("%s: all rows are gone through %d times while %d messages come, want %d", what, got, messages, want)
		}
		if got := gone(what, hear); got != 1 {
			t.Errorf("%s: all rows are gone through %d times in the turn after, want once", what, got)
		}
	}
	const pieces = (n + piece - 1) / piece
	half(pieces/2, 0, "the first half of the records")
	if got := s.Rows.Len(); got != pieces/2*piece {
		t.Errorf("%d rows, want %d", got, pieces/2*piece)
	}
	half(pieces-pieces/2, 0, "the other half")
	f.next(1) // Opened
	if s.Phase != run.Scoring {
		t.Fatalf("phase %v, want scoring", s.Phase)
	}
	f.next(1) // Reference
	half(50, 0, "the first scores")
	half(40, 0, "the scores thereafter")
	f.next(-1)
	s.pass()
	if s.Phase != run.Done || slices.Contains(s.Rows.Verdict, table.Unscored) || len(s.Order) != n {
		t.Fatalf("phase %v, %+v, %d in the table", s.Phase, s.Rows.Counts, len(s.Order))
	}

	// What the user does goes through them once, or not at all.
	order := &s.Order[0]
	for what, do := range map[string]func(){"another α": func() { s.SetAlpha(0.2) }, "a rate of false discoveries": func() { s.SetFDR(0.1) }} {
		if got := gone(what, do); got != 1 || &s.Order[0] != order {
			t.Errorf("%s: the table is drawn %d times, and ordered again: %v; want once, in the same order", what, got, &s.Order[0] != order)
		}
	}
	for what, do := range map[string]func(){"sorting": func() { s.SortBy("id") }, "searching": func() { s.Search("row 42", false) }, "a verdict alone": func() { s.ToggleVerdict(decide.Outside) }} {
		if got := gone(what, do); got != 1 {
			t.Errorf("%s: all rows are gone through %d times, want once", what, got)
		}
	}
}
