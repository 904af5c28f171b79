package run

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"baca/app/store"
	"baca/wasm/message"
	"baca/web"
)

// idle is a session for which no time passes.
func idle() *Session {
	s := New(nil)
	s.After = func(time.Duration, func()) {}
	return s
}

const examplesCSV = "name,class,smiles\naspirin,other drug,CC(=O)Oc1ccccc1C(=O)O\nRDX,explosive,C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]\nTNT,explosive,Cc1c(cc(cc1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]\n"

func TestExamples(t *testing.T) {
	e := Example{names: []string{"RDX", "TNT"}}
	if got := e.Molecules([]byte(examplesCSV)); strings.Count(got, "\n") != 2 || !strings.HasSuffix(got, " TNT\n") {
		t.Errorf("two by name are %q", got)
	}
	if got := (Example{}).Molecules([]byte(examplesCSV)); strings.Count(got, "\n") != 3 {
		t.Errorf("all are %q", got)
	}
	if got := Examples()[0].Molecules(web.Examples()); strings.Count(got, "\n") != len(shelf) {
		t.Errorf("of %d molecules of the first example there are %d", len(shelf), strings.Count(got, "\n"))
	}
}

// Columns are found by what they are called.
func TestValuesIn(t *testing.T) {
	for _, c := range []struct {
		columns             []string
		predicted, observed string
	}{
		{[]string{"smiles", "logS", "logS_pred"}, "logS_pred", "logS"},
		{[]string{"measured log solubility", "ESOL predicted log solubility"}, "ESOL predicted log solubility", "measured log solubility"},
		{[]string{"y", "y_pred"}, "y_pred", "y"},
		{[]string{"Prediction", "Exp. value"}, "Prediction", "Exp. value"},
		{[]string{"yhat", "spread", "expansion"}, "yhat", ""},
		{[]string{"observed", "predator", "mw"}, "", ""},
		{[]string{"mine", "predicted"}, "mine", ""},
	} {
		if predicted, observed := valuesIn(c.columns, "mine"); predicted != c.predicted || observed != c.observed {
			t.Errorf("%q: %q and %q, want %q and %q", c.columns, predicted, observed, c.predicted, c.observed)
		}
	}
}

// Only what the text area can show as it is goes there.
func TestShortFiles(t *testing.T) {
	for data, want := range map[string]string{
		"CCO a\nC b": "CCO a\nC b", "\ufeffCCO a\r\nC b\r\n": "CCO a\nC b\n", "CCO\rC\r\r": "CCO\nC\n\n", "C caf\xe9\n": "", "C\x00C\x00": "", "": "", " \r\n": "",
	} {
		s := idle()
		f := store.NewFile("a.txt", []byte(data))
		s.Input.GiveShort("a.txt", f, f.Data)
		if s.Input.Text != want || (s.Input.File == f) != (want == "") {
			t.Errorf("%q is the text %q and the file %v", data, s.Input.Text, s.Input.File)
		}
	}
}

// What is drawn goes behind a list as the list is written.
func TestDrawnLine(t *testing.T) {
	s := idle()
	s.Input.AddLine("CCO")
	if s.Input.Text != "CCO drawn\n" {
		t.Errorf("the first line is %q", s.Input.Text)
	}
	s.Input.Give(Given{Text: "name;structure\na;CCN"})
	s.Opened = &message.Opened{Line: "{name};{SMILES}"}
	s.Input.AddLine("CCO")
	if want := "name;structure\na;CCN\ndrawn;CCO\n"; s.Input.Text != want {
		t.Errorf("the text is %q, want %q", s.Input.Text, want)
	}
}

// Of many choices of columns only the latest are known.
func TestMostChoices(t *testing.T) {
	s := idle()
	for i := range 2 * mostChoices {
		s.Header = &message.Header{Key: fmt.Sprint("k", i), Columns: []string{"a", "b"}, Column: "a"}
		s.Input.ChooseColumn("b")
	}
	if got := s.Input.choices; len(got) != mostChoices || got[mostChoices-1] != (message.Choice{Key: fmt.Sprint("k", 2*mostChoices-1), Column: "b"}) {
		t.Errorf("%d choices, %v", len(got), got[len(got)-1:])
	}
}

func TestPieceOf(t *testing.T) {
	const text = "CC a\nü😀C(x) b\nC"
	for _, c := range []struct {
		p        message.Problem
		from, to int
		ok       bool
	}{
		{message.Problem{Line: 1, Column: 2, Piece: "C"}, 1, 2, true},
		// Columns count bytes, the browser counts UTF-16.
		{message.Problem{Line: 2, Column: 9, Piece: "x"}, 10, 11, true},
		{message.Problem{Line: 2}, 5, 14, true},
		{message.Problem{Line: 3, Column: 2}, 16, 16, true},
		{message.Problem{Line: 9, Column: 1}, 0, 0, false},
		{message.Problem{}, 0, 0, false},
	} {
		from, to, ok := PieceOf(text, &c.p)
		if from != c.from || to != c.to || ok != c.ok {
			t.Errorf("line %d column %d: %d to %d %v, want %d to %d %v", c.p.Line, c.p.Column, from, to, ok, c.from, c.to, c.ok)
		}
	}
}
