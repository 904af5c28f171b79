package session

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"baca/algo/decide"
	"baca/algo/table"
	"baca/wasm/message"
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		p, alone float64
		r        decide.Rule
		want     Verdict
	}{
		{0.05, 1, decide.Rule{Alpha: 0.05, Holdout: 99}, Outside}, {0.051, 1, decide.Rule{Alpha: 0.05, Holdout: 99}, Borderline},
		{0.1, 1, decide.Rule{Alpha: 0.05, Holdout: 99}, Borderline}, {0.11, 1, decide.Rule{Alpha: 0.05, Holdout: 99}, Inside},
		{math.NaN(), 1, decide.Rule{Alpha: 0.05, Holdout: 99}, Undecided}, {1, 1, decide.Rule{Alpha: 0.6, Holdout: 99}, Borderline},
		// Too few are held for α.
		{0.07, 1, decide.Rule{Alpha: 0.05, Holdout: 18}, Undecided}, {0.5, 1, decide.Rule{Alpha: 0.05, Holdout: 0}, Undecided}, {0.5, 1, decide.Rule{Alpha: 0.05, Holdout: 19}, Inside},
		// The guard of the batch.
		{0.01, 0.11, decide.Rule{Alpha: 0.05, Holdout: 99, Guard: 0.1}, Borderline}, {0.01, 0.1, decide.Rule{Alpha: 0.05, Holdout: 99, Guard: 0.1}, Outside}, {0.5, 0.01, decide.Rule{Alpha: 0.05, Holdout: 99, Guard: 0.1}, Inside},
		{0.01, 0.11, decide.Rule{Alpha: 0.05, Holdout: 99, Guard: 0.1, ByRate: true, Cut: 0.02}, Borderline}, {0.03, 0.1, decide.Rule{Alpha: 0.05, Holdout: 99, Guard: 0.1, ByRate: true, Cut: 0.02}, Borderline},
	} {
		if got := verdictOf(c.r.Judge(c.p, c.alone)); got != c.want {
			t.Errorf("p %g, %g by itself, by %+v is %s, want %s", c.p, c.alone, c.r, got.Word(), c.want.Word())
		}
		r := &Rows{}
		r.Add(records("a"))
		r.fill(&message.Rows{Rows: message.Columns{table.NumberColumn("p_value", []float64{c.alone})}})
		r.P = []float64{c.p}
		if r.judge(c.r); r.Verdict[0] != c.want {
			t.Errorf("in the table p %g, %g by itself, by %+v is %s, want %s", c.p, c.alone, c.r, r.Verdict[0].Word(), c.want.Word())
		}
	}
}

func TestAlphaSteps(t *testing.T) {
	for step := 0; step <= AlphaSteps; step++ {
		if got := StepOf(AlphaOf(step)); got < step-1 || got > step+1 {
			t.Errorf("step %d is α %g, which is step %d", step, AlphaOf(step), got)
		}
	}
	if AlphaOf(0) != leastAlpha || AlphaOf(AlphaSteps) != mostAlpha {
		t.Errorf("α goes from %g to %g", AlphaOf(0), AlphaOf(AlphaSteps))
	}
}

// records are those of such names.
func records(names ...string) *message.Records {
	return recordsFrom(0, names, make([]string, len(names)))
}

// recordsFrom are records with these ids and SMILES.
func recordsFrom(from int, ids, smiles []string) *message.Records {
	return &message.Records{From: from, Columns: message.Columns{table.TextColumn("id", ids), table.TextColumn("smiles", smiles)}, Line: make(message.Ints, len(ids))}
}

// randomRows are rows with ties, missing values and refused records.
func randomRows(n int, rng *rand.Rand) *Rows {
	r := &Rows{}
	e, ids, smiles := &message.Records{}, []string{}, []string{}
	for i := range n {
		ids = append(ids, fmt.Sprintf("Name with a long start %d", rng.IntN(40)))
		smiles = append(smiles, strings.Repeat("C", 1+rng.IntN(5)))
		e.Line = append(e.Line, int32(2*i+1))
		if rng.IntN(7) == 0 {
			e.Problems = append(e.Problems, message.Problem{Record: i, Line: 2*i + 1, Text: "no"})
		}
	}
	// They come in pieces of any size.
	for from := 0; from < n; {
		to := min(n, from+1+rng.IntN(40))
		piece := recordsFrom(from, ids[from:to], smiles[from:to])
		piece.Line = e.Line[from:to]
		for _, p := range e.Problems {
			if p.Record >= from && p.Record < to {
				piece.Problems = append(piece.Problems, p)
			}
		}
		r.Add(piece)
		from = to
	}
	r.Batch = &Batch{Pre: missing(n), Attn: missing(n), BaCa: missing(n)}
	r.Batch.columns = message.Columns{table.NumberColumn("s_pre", r.Batch.Pre), table.NumberColumn("s_attn", r.Batch.Attn), table.NumberColumn("s_baca", r.Batch.BaCa)}
	for i := range n {
		if !r.refused[i] && rng.IntN(6) != 0 {
			r.scored[i] = true
			r.Score[i] = math.Round(5 * rng.NormFloat64())
			r.P[i] = float64(1+rng.IntN(20)) / 20
			r.Batch.Pre[i], r.Batch.Attn[i], r.Batch.BaCa[i] = rng.NormFloat64(), -rng.Float64(), rng.NormFloat64()
		}
	}
	r.judge(decide.Rule{Alpha: 0.05, Holdout: 99})
	return r
}

func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	r := randomRows(5000, rng) // more than sortTexts compares
	value := func(i int32, by string) (float64, string) {
		switch by {
		case "id":
			return 0, strings.ToLower(r.Name(int(i)))
		case "verdict":
			if r.Verdict[i] == Unscored {
				return math.NaN(), ""
			}
			return float64(r.Verdict[i]), ""
		case "":
			return float64(i), ""
		}
		return map[string][]float64{"p_value": r.P, "score": r.Score, "s_pre": r.Batch.Pre, "s_attn": r.Batch.Attn, "s_baca": r.Batch.BaCa}[by][i], ""
	}
	for _, by := range []string{"", "id", "verdict", "p_value", "score", "s_pre", "s_attn", "s_baca"} {
		for _, descending := range []bool{false, true} {
			list := r.order(View{By: by, Descending: descending})
			if len(list) != r.Len() {
				t.Fatalf("column %q: %d rows, want %d", by, len(list), r.Len())
			}
			want := make([]int32, r.Len())
			for i := range want {
				want[i] = int32(i)
			}
			slices.SortStableFunc(want, func(a, b int32) int {
				x, xs := value(a, by)
				y, ys := value(b, by)
				switch {
				case math.IsNaN(x) && math.IsNaN(y):
					return 0
				case math.IsNaN(x):
					return 1
				case math.IsNaN(y):
					return -1
				}
				c := strings.Compare(xs, ys)
				if x < y {
					c = -1
				} else if x > y {
					c = 1
				}
				if descending {
					c = -c
				}
				return c
			})
			if !slices.Equal(list, want) {
				t.Errorf("column %q, descending %v: another order than that of a plain sort", by, descending)
			}
		}
	}
}

func TestFilter(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	r := randomRows(200, rng)
	v := View{search: "  START 7"}
	v.Only[Inside], v.Only[Refused] = true, true
	list := r.order(v)
	n := 0
	for i := range r.Len() {
		if strings.Contains(strings.ToLower(r.id[i]), "start 7") && (r.Verdict[i] == Inside || r.Verdict[i] == Refused) {
			if n >= len(list) || int(list[n]) != i {
				t.Fatalf("record %d is not row %d of %v", i, n, list)
			}
			n++
		}
	}
	if n == 0 || n != len(list) {
		t.Errorf("%d rows, want %d and some", len(list), n)
	}
}

func TestRecordsOfAnotherInputAreDropped(t *testing.T) {
	r := &Rows{}
	r.Add(recordsFrom(5, []string{"a"}, []string{""}))
	if r.Len() != 0 {
		t.Errorf("%d rows from a piece that does not fit", r.Len())
	}
	r.Add(records("a", "b"))
	r.fill(&message.Rows{From: 7, Rows: message.Columns{table.TextColumn("id", []string{"x"})}})
	if r.Len() != 2 || r.scored[0] {
		t.Errorf("%d rows, scored %v", r.Len(), r.scored)
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

func TestSay(t *testing.T) {
	for _, c := range []struct {
		v    Verdict
		p    float64
		held int
		want string
	}{
		{Outside, 1.0 / 205, 204, "Only 1 of 205 molecules like those the model was trained on, this one counted in, scores this high (p\u00a0=\u00a00.00488)"},
		{Outside, 2.0 / 205, 204, "Only 2 of 205"},
		{Outside, 9.0 / 205, 204, "Only 9 of 205"},
		{Borderline, 16.0 / 205, 204, "16 of 205"},
		{Inside, 0.5, 203, "102 of 204 molecules"},
		{Undecided, math.NaN(), 0, "no held-out"},
		{Undecided, 0.5, 9, "with 9, p is 0.100 at least"},
	} {
		if got := VerdictReason(c.v, c.p, decide.Rule{Alpha: 0.05, Holdout: c.held}, "molecules", ""); !strings.Contains(got, c.want) {
			t.Errorf("p %g: %q, want %q", c.p, got, c.want)
		}
	}
	got := VerdictReason(Outside, 1.0/205, decide.Rule{Alpha: 0.05, Holdout: 204}, "molecules", "new.smi")
	if want := "Only 1 of 205 molecules of new.smi, this one counted in, scores this high"; !strings.HasPrefix(got, want) {
		t.Errorf("of a list of one's own it says %q, want %q", got, want)
	}
}

func TestRefusedLine(t *testing.T) {
	s := New(nil)
	add := func(from int, problems ...message.Problem) string {
		e := recordsFrom(from, []string{""}, []string{"X"})
		e.Problems = problems
		s.Rows.Add(e)
		return RefusedLine(s)
	}
	if got := add(0, message.Problem{Record: 0}); got != "1 line is refused" {
		t.Errorf("of one line it says %q", got)
	}
	if got := add(1); got != "1 line is refused; the others go on" {
		t.Errorf("of two lines it says %q", got)
	}
}

func TestKnownAbout(t *testing.T) {
	s := New(nil)
	s.Models.Used = &message.Model{Knows: true}
	if got := s.KnownAbout(); !strings.Contains(got, "a molecule the model was trained on, stereochemistry") {
		t.Errorf("of molecules it says %q", got)
	}
	s.Opened = &message.Opened{}
	if got := s.KnownAbout(); strings.Contains(got, "molecule") || strings.Contains(got, "stereo") {
		t.Errorf("of plain graphs it says %q", got)
	}
}

func TestBlame(t *testing.T) {
	about := []message.Reason{{Text: "few atoms"}, {Text: "its nitro group: unseen", About: "its nitro group", Atoms: message.Ints{1, 2, 3}}, {About: "its Cl atom", Atoms: message.Ints{4}}}
	for want, reasons := range map[string][]message.Reason{"What matters most: its nitro group.": about, "": about[:1]} {
		if got := Blame(&message.Detailed{Reasons: reasons}); got != want {
			t.Errorf("blamed %q, want %q", got, want)
		}
	}
}

func TestMoveThreshold(t *testing.T) {
	s := New(nil)
	s.Reference = ([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	s.MoveThreshold(8.5)
	if s.Alpha != 0.2 {
		t.Errorf("α %g with one of nine above the threshold, want 0.2", s.Alpha)
	}
	if at := s.Threshold(); at != math.Nextafter(8, 9) {
		t.Errorf("threshold %g, want just above 8: scores from there on are outside", at)
	}
	s.MoveThreshold(100)
	if s.Alpha != 0.1 {
		t.Errorf("α %g beyond all, want the smallest p", s.Alpha)
	}
}

// The page is drawn natively for the HTML that is sent first: without a client, and
// in every phase.
func TestRenders(t *testing.T) {
	s, f, later := newTest(t)
	f.scores("CCO\nCCCCCC\nCCCCCCCC\nx")
	first := htmlOf(t, New(nil))
	for _, want := range []string{"Which of your molecules", `id="smiles"`, "Nothing leaves this tab", "How to read this"} {
		if !strings.Contains(first, want) {
			t.Errorf("the first HTML lacks %q", want)
		}
	}
	if strings.Contains(first, " style=") {
		t.Error("the first HTML has inline styles, which the page forbids")
	}
	if strings.Contains(first, "hidden=\"false\"") {
		t.Error("the first HTML hides what it should show")
	}
	s.Input.Type("CCO\nCCCCCC\nCCCCCCCC\nx")
	f.settle()
	pass(later)
	s.Inspector.Show(1)
	f.next(-1)
	s.Lab.Open(SceneDecision)
	f.next(-1)
	full := htmlOf(t, s)
	for _, want := range []string{`data-row="1"`, "refused", "no element", "Most like it in the training set", "S_BaCa calls", "KL divergence"} {
		if !strings.Contains(full, want) {
			t.Errorf("the HTML of a run lacks %q", want)
		}
	}
	s.Fail(&message.Failed{Code: message.CodeMemory, Text: "room for 5 000 rows"})
	if !strings.Contains(htmlOf(t, s), "room for 5 000 rows") {
		t.Error("a failure is not shown")
	}
}

// The cards of the models show the figures of build/results/README.md.
func TestCardsHaveTheMeasuredFigures(t *testing.T) {
	readme, err := os.ReadFile("../../build/results/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	var head []string
	for line := range strings.Lines(string(readme)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 4 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(strings.ReplaceAll(cells[i], "*", ""))
		}
		switch {
		case cells[1] == "ID / OOD" && slices.Contains(cells, "alone, parents"):
			head = cells
		case head != nil && strings.Contains(cells[1], " / ") && len(cells) == len(head) && rows[cells[1]] == nil:
			rows[cells[1]] = cells
		}
	}
	figure := func(row []string, column string) string {
		text, _, _ := strings.Cut(row[slices.Index(head, column+", parents")], " ")
		return text
	}
	for _, n := range notes {
		name := n.Name
		if n.ID == "" {
			continue // of no pair of the table
		}
		row := rows[n.ID+" / "+n.OOD]
		if row == nil {
			t.Errorf("%s: build/results/README.md has no row %s / %s", name, n.ID, n.OOD)
			continue
		}
		if alone, batch := fmt.Sprintf("%.1f", n.Alone), fmt.Sprintf("%.1f", n.Batch); alone != figure(row, "alone") || batch != figure(row, "batch") {
			t.Errorf("%s: the card says %s and %s, build/results/README.md %s and %s", name, alone, batch, figure(row, "alone"), figure(row, "batch"))
		}
		if !strings.Contains(n.Measured(), fmt.Sprintf("%.1f\u00a0%%", n.Alone)) {
			t.Errorf("%s: %s", name, n.Measured())
		}
	}
}

// The parts of a score stand in the order in which they are explained, and what a model
// does not know is left out.
func TestPartsOfTheScore(t *testing.T) {
	d := &message.Detailed{Distance: 1.5, Embedding: 1, Subtrees: 2, Counts: 3, Nodes: -1, Ratio: 2.5}
	names := func() string {
		var list []string
		for _, p := range PartsOf(d, "molecules") {
			list = append(list, fmt.Sprintf("%s %g", p.Name, p.Value))
		}
		return strings.Join(list, "; ")
	}
	distance := "How far from the nearest training molecules 1.5; by embedding 1; by subtrees 2; by subtrees with counts 3; by ℓ_n, which weighs little -1"
	if got, want := names(), distance+"; How much more like the background than like the training set 2.5"; got != want {
		t.Errorf("the parts are %q, want %q", got, want)
	}
	d.Ratio = math.NaN()
	if got := names(); got != distance {
		t.Errorf("without a background the parts are %q, want %q", got, distance)
	}
}

// Columns that the page knows nothing of are saved with the others.
func TestFurtherColumnsAreSaved(t *testing.T) {
	s := New(nil)
	r := &s.Rows
	e := records("a", "b", "c")
	e.Columns = append(e.Columns, table.TextColumn("assay", []string{"10", "", "9"}), table.TextColumn("note", []string{"b", "A", "c"}))
	r.Add(e)
	r.fill(&message.Rows{From: 1, Rows: message.Columns{table.NumberColumn("weight", []float64{2, 3}), table.TextColumn("kind", []string{"x", "y"})}})
	c := s.columns([]int32{2, 0})
	weight, kind := c.Numbers("weight"), c.Texts("kind")
	if len(weight) != 2 || weight[0] != 3 || !math.IsNaN(weight[1]) || !slices.Equal(kind, []string{"y", ""}) {
		t.Errorf("weight %v and kind %q are saved", weight, kind)
	}
	if n := len(c); c[n-1].Name != "note" || c[n-2].Name != "assay" || c[n-3].Name != "program" || c[n-2].Texts[1] != "10" {
		t.Errorf("the input's own columns are not the last: %+v", c)
	}
	// They sort, numbers as numbers and what is missing last, and are searched.
	for by, want := range map[string][]int32{"weight": {1, 2, 0}, "kind": {1, 2, 0}, "assay": {2, 0, 1}, "note": {1, 0, 2}, "gone": {0, 1, 2}} {
		if got := r.order(View{By: by}); !slices.Equal(got, want) {
			t.Errorf("by %s the order is %v, want %v", by, got, want)
		}
	}
	// The first three are shown until somebody chooses.
	for _, want := range []string{"weight kind assay", "weight kind assay note", "weight assay note"} {
		if got := strings.Join(s.Chosen(), " "); got != want || len(s.Heads()) != 5+len(s.Chosen()) {
			t.Errorf("shown are %s, want %s, with heads %v", got, want, s.Heads())
		}
		s.Choose(map[bool]string{true: "kind", false: "note"}[s.View.Columns != nil])
	}
	s.Inspector.Record, s.Inspector.Detail, s.Models.Used = 2, &message.Detailed{}, &message.Model{}
	text := htmlOf(t, s)
	for _, want := range []string{`data-by="note"`, `data-column="kind"`, ">assay<", ">9<"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if got := r.order(View{search: "a"}); !slices.Equal(got, []int32{0, 1}) {
		t.Errorf("records %v hold an a", got)
	}
	if got := Cell(&r.Extra()[0], 1) + Cell(&r.Extra()[0], 0) + Cell(&r.Extra()[2], 0); got != "2.0010" {
		t.Errorf("cells %q", got)
	}
}

// What is said of molecules is said of graphs where the input holds these.
func TestSayOfGraphs(t *testing.T) {
	r := &Result{}
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
	f := &fake{t: t}
	f.answer = func(number uint32, r any, say func(any)) {
		if _, ok := r.(*message.Hello); !ok {
			usual(number, r, say)
			return
		}
		w := &message.Welcome{}
		for _, name := range []string{"bbbp", "aids", "clintox", "another", "bioactive", "drugs"} {
			w.Models = append(w.Models, message.Model{Name: name, BuiltIn: true})
		}
		say(w)
	}
	s := New(message.NewClient(f.spawn))
	s.Models.Start("", nil)
	f.next(-1)
	var got []string
	for _, m := range s.Models.Welcome.Models {
		got = append(got, m.Name)
	}
	if want := "bbbp drugs bioactive clintox aids another"; strings.Join(got, " ") != want {
		t.Errorf("the order is %q, want %q", got, want)
	}
	// The descriptions of models say what is inside, once.
	if strings.Contains(strings.ToLower(string(notesFile)), "inside means") {
		t.Error("a note says again what is inside")
	}
}

// A list that is foreign is said to be when all of it is scored, and what was set aside is saved.
func TestForeignList(t *testing.T) {
	s := New(nil)
	s.Phase = Done
	s.Rows.Counts[Outside], s.Rows.Counts[Inside] = 7, 13
	if got := s.Foreign(); !strings.HasPrefix(got, "7 of 20 are outside") {
		t.Errorf("it says %q", got)
	}
	if s.Phase = Scoring; s.Foreign() != "" {
		t.Errorf("while it scores it says %q", s.Foreign())
	}
	r := &s.Rows
	r.Add(records("a", "b"))
	r.fill(&message.Rows{From: 1, Rows: message.Columns{table.TextColumn("id", []string{"b"}), table.TextColumn("set_aside", []string{"stereo"})}})
	if got := s.columns([]int32{1, 0}).Texts("set_aside"); !slices.Equal(got, []string{"stereo", ""}) {
		t.Errorf("%q are saved as set aside", got)
	}
	if r.forgetScores(); r.columns.Texts("set_aside")[1] != "" {
		t.Error("another model is said to have set aside the same")
	}
}
