package app

import (
	"math"
	"strings"
	"testing"

	"baca/algo/decide"
	column "baca/algo/table"
	"baca/app/lab"
	"baca/app/run"
	"baca/app/store"
	"baca/wasm/message"
)

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
		from, to, ok := run.PieceOf(text, &c.p)
		if from != c.from || to != c.to || ok != c.ok {
			t.Errorf("line %d column %d: %d to %d %v, want %d to %d %v", c.p.Line, c.p.Column, from, to, ok, c.from, c.to, c.ok)
		}
	}
}

func TestSay(t *testing.T) {
	for _, c := range []struct {
		v    decide.Verdict
		p    float64
		held int
		want string
	}{
		{decide.Outside, 1.0 / 205, 204, "Only 1 of 205 molecules like those the model was trained on, this one counted in, scores this high (p\u00a0=\u00a00.00488)"},
		{decide.Outside, 2.0 / 205, 204, "Only 2 of 205"},
		{decide.Outside, 9.0 / 205, 204, "Only 9 of 205"},
		{decide.Borderline, 16.0 / 205, 204, "16 of 205"},
		{decide.Inside, 0.5, 203, "102 of 204 molecules"},
		{decide.Undecided, math.NaN(), 0, "no held-out"},
		{decide.Undecided, 0.5, 9, "with 9, p is 0.100 at least"},
	} {
		if got := verdictReason(c.v, c.p, decide.Rule{Alpha: 0.05, Holdout: c.held}, "molecules", ""); !strings.Contains(got, c.want) {
			t.Errorf("p %g: %q, want %q", c.p, got, c.want)
		}
	}
	got := verdictReason(decide.Outside, 1.0/205, decide.Rule{Alpha: 0.05, Holdout: 204}, "molecules", "new.smi")
	if want := "Only 1 of 205 molecules of new.smi, this one counted in, scores this high"; !strings.HasPrefix(got, want) {
		t.Errorf("of a list of one's own it says %q, want %q", got, want)
	}
}

func TestRefusedLine(t *testing.T) {
	s := newDesk(nil)
	add := func(from int, problems ...message.Problem) string {
		e := recordsFrom(from, []string{""}, []string{"X"})
		e.Problems = problems
		s.Rows.Add(e)
		return refusedLine(s)
	}
	if got := add(0, message.Problem{Record: 0}); got != "1 line is refused" {
		t.Errorf("of one line it says %q", got)
	}
	if got := add(1); got != "1 line is refused; the others go on" {
		t.Errorf("of two lines it says %q", got)
	}
}

func TestLibraryName(t *testing.T) {
	for want, latest := range map[string]message.Epoch{
		"mine.smi": {}, "mine.smi: 9 to learn from, 1 kept for p-values": {Train: 9, Holdout: 1}, "mine.smi: 9 to learn from, 1 kept for p-values, 2 refused": {Train: 9, Holdout: 1, Refused: 2},
	} {
		if got := libraryName(&run.Training{Library: store.NewFile("mine.smi", nil), Latest: latest}); got != want {
			t.Errorf("of %+v it says %q, want %q", latest, got, want)
		}
	}
}

func TestKnownAbout(t *testing.T) {
	s := newDesk(nil)
	s.Models.Used.Value = &message.Model{Knows: true}
	if got := knownAbout(s); !strings.Contains(got, "a molecule the model was trained on, stereochemistry") {
		t.Errorf("of molecules it says %q", got)
	}
	s.Opened = &message.Opened{}
	if got := knownAbout(s); strings.Contains(got, "molecule") || strings.Contains(got, "stereo") {
		t.Errorf("of plain graphs it says %q", got)
	}
}

// The page is drawn natively for the HTML that is sent first: without a client, and
// in every phase.
func TestRenders(t *testing.T) {
	s, f, later := newTest(t)
	f.scores("CCO\nCCCCCC\nCCCCCCCC\nx")
	shows(t, newDesk(nil), "Is my molecule inside", `id="smiles"`, "Nothing leaves this tab", "How to read this",
		`!id="clear"`, "! style=", `!hidden="false"`) // which the page's policy forbids, and would hide what it should show
	s.Input.Type("CCO\nCCCCCC\nCCCCCCCC\nx")
	f.settle()
	pass(later)
	s.Inspector.Show(1)
	f.next(-1)
	s.Lab.Open(lab.SceneDecision)
	f.next(-1)
	shows(t, s, `id="clear"`, `data-row="1"`, "refused", "no element", "Most like it in the training set", "S_BaCa calls", "KL divergence")
	s.Fail(&message.Failed{Code: message.CodeMemory, Text: "room for 5 000 rows"})
	shows(t, s, "room for 5 000 rows")
}

// What is said of molecules is said of graphs where the input holds these.
func TestSayOfGraphs(t *testing.T) {
	r := &run.Session{}
	const text = "Each molecule of the nearest molecules: Atoms, atoms"
	if got := r.Say(text); got != text {
		t.Errorf("without an input %q", got)
	}
	r.Opened = &message.Opened{Molecules: true}
	if got := r.Say(text); got != text {
		t.Errorf("of molecules %q", got)
	}
	r.Opened.Molecules = false
	if got, want := r.Say(text), "Each graph of the nearest graphs: Nodes, nodes"; got != want {
		t.Errorf("of graphs %q, want %q", got, want)
	}
}

// Built-in models stand in the order of their notes behind the default one, and others last.
func TestOrderOfModels(t *testing.T) {
	f := newFake(t)
	on(f, func(_ *message.Hello, say func(any)) {
		w := &message.Welcome{}
		for _, name := range []string{"bbbp", "aids", "clintox", "another", "bioactive", "drugs"} {
			w.Models = append(w.Models, message.Model{Name: name, BuiltIn: true})
		}
		say(w)
	})
	s := newDesk(message.NewClient(f.spawn))
	s.Models.Start("", memory{})
	f.next(-1)
	var got []string
	for _, m := range s.Models.Welcome.Models {
		got = append(got, m.Name)
	}
	if want := "bbbp drugs bioactive clintox aids another"; strings.Join(got, " ") != want {
		t.Errorf("the order is %q, want %q", got, want)
	}
}

// A list that is foreign is said to be when all of it is scored.
func TestForeignList(t *testing.T) {
	s := newDesk(nil)
	s.Phase = run.Done
	s.Rows.Counts.Outside, s.Rows.Counts.Inside = 7, 13
	if got := foreign(s); !strings.HasPrefix(got, "7 of 20 are outside") {
		t.Errorf("it says %q", got)
	}
	if s.Phase = run.Scoring; foreign(s) != "" {
		t.Errorf("while it scores it says %q", foreign(s))
	}
}

// records are those of such names.
func records(names ...string) *message.Records {
	return recordsFrom(0, names, make([]string, len(names)))
}

// recordsFrom are records with these ids and SMILES.
func recordsFrom(from int, ids, smiles []string) *message.Records {
	return &message.Records{From: from, Columns: message.Columns{column.TextColumn("id", ids), column.TextColumn("smiles", smiles)}, Line: make(message.Ints, len(ids))}
}

// Columns that the page knows nothing of are drawn.
func TestFurtherColumnsAreDrawn(t *testing.T) {
	s := newDesk(nil)
	e := records("a", "b", "c")
	e.Columns = append(e.Columns, column.TextColumn("assay", []string{"10", "", "9"}), column.TextColumn("note", []string{"b", "A", "c"}))
	s.Rows.Add(e)
	s.Arrange()
	s.Inspector.Record, s.Inspector.Detail.Value, s.Models.Used.Value = 2, &message.Detailed{}, &message.Model{}
	shows(t, s, `data-by="note"`, `data-column="assay"`, ">assay<", ">9<")
}
