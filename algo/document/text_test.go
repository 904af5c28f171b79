package document

import "testing"

// Messages keep their lines, and nothing else that changes how they are shown.
func TestVisible(t *testing.T) {
	const text, want = "a\nb\tc\x1b[0m\u202ed\u2028e\u2029\u0085é\xff\x9b", "a\nb\tc" + `\u001b[0m\u202ed\u2028e\u2029\u0085é` + "\xff" +
		`\u009b`
	if got := Visible(text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEdges(t *testing.T) {
	empty, err := Object{}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ got, want string }{
		{string(empty), "{}"}, {Capital(""), ""}, {Capital("über x"), "Über x"}, {Capital("a b"), "A b"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
