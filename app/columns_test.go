package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"baca/app/run"
	"baca/app/store"
	"baca/app/words"
	"baca/wasm/message"
)

// tables has a worker open each text as a table with two columns that might be SMILES; the key is the
// text.
func (f *fake) tables() {
	on(f, func(open *message.Open, say func(any)) {
		h := &message.Header{Key: strings.TrimSpace(string(open.Data)), Columns: []string{"a", "b"}, Column: "a", Guessed: true}
		for _, c := range open.Choices {
			if c.Key == h.Key {
				h.Column, h.Guessed = c.Column, false
			}
		}
		say(h)
		usual(open, say)
	})
}

func TestAColumnIsChosenAndRemembered(t *testing.T) {
	s, f, _ := newTest(t)
	f.tables()
	play := func(text string) {
		s.Input.Give(run.Given{Text: text})
		f.settle()
	}
	play("first\n")
	if s.Header == nil || s.Header.Column != "a" || words.ColumnWords(s.Header) == "" {
		t.Fatalf("header %+v", s.Header)
	}
	before := s.Run
	s.Input.ChooseColumn("a")
	s.Input.ChooseColumn("of another table")
	if s.Run != before {
		t.Error("a choice that changes nothing begins a run")
	}
	s.Input.ChooseColumn("b")
	if s.Header != nil {
		t.Error("the header of the run before is still shown")
	}
	f.settle()
	if s.Header == nil || s.Header.Column != "b" || s.Header.Guessed || words.ColumnWords(s.Header) != "" {
		t.Fatalf("header %+v, want b", s.Header)
	}
	// Another table has its own.
	play("second\n")
	if s.Header.Column != "a" {
		t.Errorf("another table is read from %q", s.Header.Column)
	}
	s.Input.ChooseColumn("b")
	f.settle()
	s.Input.ChooseColumn("a")

	// Of many only the latest are known.
	const most = 50
	for i := range 2 * most {
		s.Header = &message.Header{Key: fmt.Sprint("k", i), Columns: []string{"a", "b"}, Column: "a"}
		s.Input.ChooseColumn("b")
	}
	f.settle()
	var got []message.Choice
	for _, r := range f.asked {
		if r, ok := r.(*message.Open); ok {
			got = r.Choices
		}
	}
	if len(got) != most || got[most-1] != (message.Choice{Key: fmt.Sprint("k", 2*most-1), Column: "b"}) {
		t.Errorf("%d choices, %v", len(got), got[len(got)-1:])
	}
}

// Only what the text area can show as it is goes there.
func TestShortFiles(t *testing.T) {
	for data, want := range map[string]string{
		"CCO a\nC b": "CCO a\nC b", "\ufeffCCO a\r\nC b\r\n": "CCO a\nC b\n", "CCO\rC\r\r": "CCO\nC\n\n", "C caf\xe9\n": "", "C\x00C\x00": "", "": "", " \r\n": "",
	} {
		s := newDesk(nil)
		s.After = func(time.Duration, func()) {}
		f := store.NewFile("a.txt", []byte(data))
		s.Input.GiveShort("a.txt", f, f.Data)
		if s.Input.Text != want || (s.Input.File == f) != (want == "") {
			t.Errorf("%q is the text %q and the file %v", data, s.Input.Text, s.Input.File)
		}
	}
}

// What is drawn goes behind a list as the list is written.
func TestDrawnLine(t *testing.T) {
	s := newDesk(nil)
	s.After = func(time.Duration, func()) {}
	s.Input.AddLine("CCO")
	if s.Input.Text != "CCO drawn\n" {
		t.Errorf("the first line is %q", s.Input.Text)
	}
	s.Input.Give(run.Given{Text: "name;structure\na;CCN"})
	s.Opened = &message.Opened{Line: "{name};{SMILES}"}
	s.Input.AddLine("CCO")
	if want := "name;structure\na;CCN\ndrawn;CCO\n"; s.Input.Text != want {
		t.Errorf("the text is %q, want %q", s.Input.Text, want)
	}
}

func TestNothingRead(t *testing.T) {
	s, f, _ := newTest(t)
	on(f, func(_ *message.Open, say func(any)) { say(&message.Opened{Format: "smi", Molecules: true}) })
	s.Input.Give(run.Given{File: store.NewFile("empty.smi", nil)})
	f.settle()
	if got := nothingRead(s); s.Phase != run.Done || !strings.HasPrefix(got, "There is no structure in it.") {
		t.Errorf("phase %v, %q", s.Phase, got)
	}
	shows(t, s, "empty.smi", "0 bytes, "+words.Format("smi"))
	clear(f.answers)
	s.Input.Give(run.Given{Text: "x\nx\n"})
	f.settle()
	if got := nothingRead(s); got != "2 records were refused; the reasons are beside the input." {
		t.Errorf("%q", got)
	}
	for _, test := range []struct {
		h    *message.Header
		want string
	}{{nil, ""}, {&message.Header{Columns: []string{"a"}}, ""}, {&message.Header{Columns: []string{"a", "b"}}, "Choose the column that holds SMILES."}} {
		if got := words.ColumnWords(test.h); got != test.want {
			t.Errorf("%+v: %q, want %q", test.h, got, test.want)
		}
	}
}
