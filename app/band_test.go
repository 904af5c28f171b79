package app

import (
	"strings"
	"testing"

	"baca/app/run"
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
