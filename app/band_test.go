package app

import (
	"strings"
	"testing"

	"baca/app/run"
	"baca/wasm/message"
)

// The headline counts as people do, one by one and many.
func TestHeadline(t *testing.T) {
	far, near := strings.Repeat("C", 50), "CCO"
	for _, c := range []struct{ input, want string }{
		{far, "ida lies outside what the model knows"},
		{near, "ida lies inside what the model knows"},
		{far + "\nx", "It lies outside what the model knows"},
		{near + "\nx", "It lies inside what the model knows"},
		{far + "\n" + far, "All 2 lie outside what the model knows"},
		{near + "\n" + near, "None of 2 lies outside what the model knows"},
		{near + "\n" + far, "1 of 2 lies outside what the model knows"},
		{near + "\n" + far + "\n" + far, "2 of 3 lie outside what the model knows"},
		{"x", ""},
	} {
		s, f, _ := newTest(t)
		f.scores(c.input)
		s.Input.Give(run.Given{Text: c.input})
		f.settle()
		if got := headline(s); got != c.want {
			t.Errorf("of %q the page says %q, want %q", c.input, got, c.want)
		}
		if got := decidedBy(s); (got == "Each by itself, α = 5\u00a0%") != (c.want != "") {
			t.Errorf("%q is decided by %q", c.input, got)
		}
	}
}

// An input that was given as a whole becomes a card; one that is typed or in which nothing
// could be read does not.
func TestInputFolds(t *testing.T) {
	s, f, _ := newTest(t)
	play := func(text string, give func()) {
		t.Helper()
		f.scores(text)
		give()
		f.settle()
	}
	folded := func(want bool, name string) {
		t.Helper()
		if s.Input.Folded() != want || s.Input.Title() != name {
			t.Errorf("folded is %v, called %q, want %v and %q", s.Input.Folded(), s.Input.Title(), want, name)
		}
	}
	folded(false, "Your list")
	play("CCO", func() { s.Input.Type("CCO") })
	folded(false, "Your list")
	s.Input.Fold(true)
	folded(true, "Your list")
	play("CCO\nCC", func() { s.Input.Give(run.Given{Name: "two.smi", Text: "CCO\nCC"}) })
	folded(true, "two.smi")
	s.Input.Fold(false)
	folded(false, "two.smi")
	play("CCO\nCC\nC", func() { s.Input.Type("CCO\nCC\nC") })
	folded(false, "Your list")
	play("x", func() { s.Input.Paste("x") })
	folded(false, "Pasted")
	play("CC", func() { s.Input.Paste("CC") })
	folded(true, "Pasted")
	s.Fail(&message.Failed{Code: message.CodeDied, Text: "out of breath"})
	folded(false, "Pasted")
	play("CCC", func() { s.Input.Give(run.Given{Name: "three", Text: "CCC"}) })
	play("CC", s.Input.TakeBack)
	folded(true, "Pasted")
	s.Input.Give(run.Given{})
	folded(false, "Your list")
}
