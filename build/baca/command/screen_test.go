package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"baca/build/internal/try"
)

// hostile commands terminals, in the ways of old and new ones, turns the direction of writing, and begins a script.
const hostile = "\x1b]0;x\x07\u009b2J\u202e\x9b<script>alert(1)</script>"

// checkShown finds what of a hostile text reached the reader as it is.
func checkShown(t *testing.T, what, text string) {
	t.Helper()
	for _, bad := range []string{"\x1b", "\x07", "\u009b", "\u202e", "\x9b<"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s: %+q in %+q", what, bad, text)
		}
	}
}

// Nothing that a file holds or is called reaches a terminal or a page of HTML as it is.
func TestNothingHostileIsShown(t *testing.T) {
	dir := t.TempDir()
	model, out := filepath.Join(dir, "m.msgpack"), filepath.Join(dir, "out.html")
	m := moleculeModel(t)
	text := strings.ToValidUTF8(hostile, "") // as cards are
	m.Card.Name, m.Card.Description, m.Card.Dataset = text, text, text
	saveModel(t, model, m)
	in := filepath.Join(dir, "in.csv")
	try.Check(os.WriteFile(in, []byte("name,structure"+hostile+"\n"+hostile+",CCO\nb,CCN\nc,"+hostile+"\nd,CCCO\n"), 0o666))
	const escape = `\u001b]0;x\u0007\u009b2J\u202e`
	for _, test := range []struct {
		want string // on standard output or error
		args []string
	}{
		{escape, []string{"score", "--model", model, "--out", filepath.Join(dir, "out.csv"), in}},
		{escape, []string{"model", "show", model}},
		{`"name": "\u001b]0;x\u0007\u009b2J\u202e<script>`, []string{"model", "show", "--json", model}},
		{escape, []string{"score", "--model", "no" + hostile, in}},
		{escape, []string{"score", "--model", model, "no" + hostile + ".csv"}},
		{`\x1b]0;x\a\u009b2J\u202e`, []string{"score", "--model", model, "--column", hostile, in}},
		{`\x1b]0;x\a\u009b2J\u202e`, []string{hostile}},
		{`a\u000ab.smi`, []string{"score", "--out=x\ny.csv", "a\nb.smi"}}, // which does not look like the end of a message
		{"5 read", []string{"report", "--model", model, "--out", out, in}},
		{"", []string{"report", "--qmrf", "--model", model, "--out", out + ".qmrf.html"}},
		{"", []string{"compare", "--model", model, "--out", out + ".compare.html", in, in}},
	} {
		_, stdout, stderr := call(t, test.args...)
		what := strconv.Quote(test.args[0])
		checkShown(t, what, stdout+stderr)
		if !strings.Contains(stdout+stderr, test.want) {
			t.Errorf("%s writes %q and %q, want %s", what, stdout, stderr, test.want)
		}
	}
	pages, err := filepath.Glob(out + "*")
	if err != nil || len(pages) == 0 {
		t.Fatal(err, pages)
	}
	for _, name := range pages {
		page := string(read(t, name))
		checkShown(t, filepath.Base(name), page)
		if strings.Contains(page, "<script>alert") || !strings.Contains(page, `\u001b]0;x`) {
			t.Errorf("%s: a script, or nothing of the name", filepath.Base(name))
		}
	}
}

// Characters that two writes share are whole, and rows are what they are.
func TestScreen(t *testing.T) {
	var to bytes.Buffer
	s := &screen{to: &to}
	for _, b := range []byte("é\u202e日\x1b\xe2\xe2\x80\xae\xff\n") {
		if n, err := s.Write([]byte{b}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if got, want := to.String(), "é\\u202e日\\u001b\xe2\\u202e\xff\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	to.Reset()
	if (rawScreen{s}).Write([]byte("\x1b\u202e")); to.String() != "\x1b\u202e" {
		t.Errorf("raw %q", to.String())
	}
}
