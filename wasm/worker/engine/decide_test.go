package engine

import (
	"bytes"
	"context"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	single "baca/algo/alone"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/table"
	"baca/wasm/message"
	"baca/weights"
)

// graphsOf are the graphs of an input as the command reads them for a built-in model of
// molecules, nil for those that are refused.
func graphsOf(t *testing.T, input string) (gs []*graph.Graph, names []string) {
	t.Helper()
	for r, err := range dataset.Molecules(context.Background(), strings.NewReader(input), dataset.Options{Name: "input.smi", Form: molecule.Parent}) {
		succeed(err)
		gs, names = append(gs, r.Graph), append(names, r.ID)
	}
	return gs, names
}

// written puts values of the nodes of a graph of graphsOf in the order in which a line of the input has its atoms.
func written(input string, line int, g *graph.Graph) func([]float64) []float64 {
	text, _, _ := strings.Cut(strings.Split(input, "\n")[line], " ")
	return smiles.Reordered(text, molecule.Parent, g.N())
}

// alone is what the command explains single graphs by.
func alone(t *testing.T, model string) (*algo.Model, *algo.SingleScorer) {
	t.Helper()
	m := have(weights.Open(model))
	return m, have(algo.NewSingleScorer(context.Background(), m, 1))
}

// mixed are ordinary molecules, strange ones, one that was trained on, and refused ones.
const strange = "CC(=O)Oc1ccccc1C(=O)O aspirin\nCCCC[Sn](CCCC)(CCCC)O[Sn](CCCC)(CCCC)CCCC tin\nC1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-] RDX\nC1CC refused\n[Ag+].[Cl-] salt\n"

// Rows say what was trained on, and shared models say nothing.
func TestKnownGraphs(t *testing.T) {
	e, h := bare(t)
	_, card := must[*message.Model](e, h, &message.LoadModel{})
	m, a := alone(t, "bbbp")
	if card.Shared != 0 {
		t.Errorf("the card says %+v", card)
	}
	input := strange + alkanes(60)
	must[*message.Opened](e, h, &message.Open{Data: []byte(input)})
	events, _ := must[*message.Scored](e, h, &message.Score{})
	var known []byte
	for _, r := range all[*message.Rows](events) {
		known = append(known, r.Known...)
	}
	gs, names := graphsOf(t, input)
	if len(known) != len(gs) || known[0] != 1 {
		t.Fatalf("known %v of %d; aspirin is a training molecule", known, len(gs))
	}
	for i, g := range gs {
		if want := g != nil && a.Duplicate(g); want != (known[i] == 1) {
			t.Errorf("%s: known is %d, want %v", names[i], known[i], want)
		}
	}
	// A model that is shared knows no training graph, and has its p-values from what it keeps.
	shared := have(single.Share(context.Background(), 1, m, 5))
	var b strings.Builder
	succeed(weights.Save(&b, shared))
	_, card = must[*message.Model](e, h, &message.LoadModel{Name: "shared", Data: []byte(b.String())})
	if card.Shared != 5 || card.Holdout != shared.References() || card.SmallestP >= 1 {
		t.Errorf("the card of the shared model says %+v", card)
	}
	events, _ = must[*message.Scored](e, h, &message.Score{})
	if known := all[*message.Rows](events)[0].Known; known != nil {
		t.Errorf("known %v by a shared model", known)
	}
	if ref := all[*message.Reference](events)[0].Score; len(ref) != shared.References() || slices.Contains(join(events).Texts("verdict"), string(decide.Undecided)) {
		t.Errorf("the shared model compares with %d, and leaves some undecided", len(ref))
	}
	fails(e, h, &message.Score{Batch: true}, message.CodeBadModel, "made for sharing")
	if _, d := must[*message.Detailed](e, h, &message.Detail{Record: 0}); d.Duplicate || math.IsNaN(d.P) {
		t.Errorf("the shared model explains %+v", d)
	}
}

func TestDetailIsTheExplanation(t *testing.T) {
	for _, model := range []string{"bbbp", "bzr"} {
		e, h := loaded(t, model)
		_, a := alone(t, model)
		text, gs := nodeLink(7, 3)+"\n"+nodeLink(40, 0)+"\n", []*graph.Graph{ring(7, 3), ring(40, 0)}
		if model == "bbbp" {
			text = strange
			gs, _ = graphsOf(t, strange)
		}
		must[*message.Opened](e, h, &message.Open{Data: []byte(text)})
		for record, g := range gs {
			if g == nil {
				continue
			}
			x := have(a.Explain(t.Context(), g, algo.DefaultOptions().Alpha))
			order := func(v []float64) []float64 { return v }
			if model == "bbbp" {
				order = written(strange, record, g)
			}
			x.Contributions, x.BySubtrees, x.ByEmbedding, x.Nearest = order(x.Contributions), nil, nil, a.Nearest(g, shownNearest)
			for k, r := range x.Reasons {
				marks := make([]float64, g.N())
				for _, i := range r.Nodes {
					marks[i] = 1
				}
				x.Reasons[k].Nodes = nil
				for i, mark := range order(marks) {
					if mark > 0 {
						x.Reasons[k].Nodes = append(x.Reasons[k].Nodes, i)
					}
				}
			}
			_, d := must[*message.Detailed](e, h, &message.Detail{Record: record})
			if !sameBits(&message.Detailed{Explanation: d.Explanation}, &message.Detailed{Explanation: *x}) || len(x.Reasons) == 0 && model == "bzr" {
				t.Errorf("%s, record %d: %+v, want %+v", model, record, d.Explanation, *x)
			}
		}
	}
}

// ring is a ring with a tail.
func ring(size, tail int) *graph.Graph {
	edges := [][2]int32{{0, int32(size - 1)}}
	for i := 1; i < size+tail; i++ {
		before := i - 1
		if i == size {
			before = 0
		}
		edges = append(edges, [2]int32{int32(before), int32(i)})
	}
	g, _, err := graph.New(size+tail, edges)
	succeed(err)
	return g
}

// A model of parents does not read counter-ions, which are drawn without a colour, and says so.
func TestParentDetail(t *testing.T) {
	m := have(weights.Open("bbbp"))
	parent := *m
	parent.Card.Schema = algo.OGBParent
	var file bytes.Buffer
	succeed(weights.Save(&file, &parent))
	e, h := bare(t)
	must[*message.Model](e, h, &message.LoadModel{Data: file.Bytes()})
	must[*message.Opened](e, h, &message.Open{Data: []byte("[Na+].CCCC[Sn](C)(C)CC(=O)[O-] salt\nCCCC[Sn](C)(C)CC(=O)O acid\n")})
	_, salt := must[*message.Detailed](e, h, &message.Detail{Record: 0})
	_, acid := must[*message.Detailed](e, h, &message.Detail{Record: 1})
	if salt.Score != acid.Score || len(salt.Atoms) != 1+len(acid.Atoms) {
		t.Errorf("score %g of %d atoms, %g of %d", salt.Score, len(salt.Atoms), acid.Score, len(acid.Atoms))
	}
	if *salt.Properties != *acid.Properties || acid.Properties.Acceptors != 2 {
		t.Errorf("the salt has %v, its acid %v", salt.Properties, acid.Properties)
	}
	if salt.SetAside != "1 counter-ion, charge" || salt.Parent != "CCCC[Sn](C)(C)CC(=O)O" || acid.SetAside != "" || acid.Parent != "" {
		t.Errorf("%q is set aside, which leaves %q, and of the acid %q and %q", salt.SetAside, salt.Parent, acid.SetAside, acid.Parent)
	}
	events, _ := must[*message.Scored](e, h, &message.Score{})
	if asides := join(events).Texts("set_aside"); !slices.Equal(asides, []string{"1 counter-ion, charge", ""}) {
		t.Errorf("the rows say that %q are set aside", asides)
	}
	if !math.IsNaN(salt.Contributions[0]) || !slices.Equal(salt.Contributions[1:], acid.Contributions) {
		t.Errorf("parts %v, want none for the first and %v", salt.Contributions, acid.Contributions)
	}
	for i, r := range salt.Reasons {
		for k, atom := range r.Nodes {
			if atom != acid.Reasons[i].Nodes[k]+1 {
				t.Errorf("%s: atom %d, want %d", r.Text, atom, acid.Reasons[i].Nodes[k]+1)
			}
		}
	}
}

// The drift test goes through the input in its order, and says which molecule moved it, as `baca drift` does.
func TestDrift(t *testing.T) {
	e, h := loaded(t, "bbbp")
	input := strange + alkanes(150)
	must[*message.Opened](e, h, &message.Open{Data: []byte(input)})
	events, d := must[*message.Found](e, h, &message.Ask{Tool: "drift"})
	if d.Short != "moved" || !strings.Contains(d.HTML, "by molecule 43 of 145, m41, the evidence") {
		t.Errorf("%s: %s", d.Short, d.HTML)
	}
	if told := stages(events); told[message.StageAsk].Done != strings.Count(input, "\n") {
		t.Errorf("the page hears of %v", told)
	}
	must[*message.Opened](e, h, &message.Open{Data: []byte("CCO\n")})
	if _, d := must[*message.Found](e, h, &message.Ask{Tool: "drift"}); d.Short != "none seen" || !strings.Contains(d.HTML, "Nothing says that the input drifts") {
		t.Errorf("one graph gives %+v", d)
	}
	fails(New(h), h, &message.Ask{Tool: "drift"}, message.CodeNotReady, "model")
	fails(e, h, &message.Ask{Tool: "tarot"}, message.CodeBadOption, `unknown tool "tarot"`)
	if _, w := must[*message.Welcome](e, h, &message.Hello{}); len(w.Tools) != 1 || w.Tools[0].Name != "drift" {
		t.Errorf("the page hears of tools %+v", w.Tools)
	}
}

// reportOf asks for a report of what was just scored, as the page does.
func reportOf(events []any, scored *message.Scored, by string, fdr float64) *message.Report {
	rows := join(events)
	score, p := rows.Numbers("score"), rows.Numbers("p_value")
	r := &message.Report{By: by, Alpha: 0.05, FDR: fdr, Rows: rows, Warnings: scored.Warnings, Score: score, P: p, Alone: score, AloneP: p}
	for i, foreign := range rows.Numbers("batch_foreign") {
		if foreign > 0 {
			r.Foreign = append(r.Foreign, int32(i))
		}
	}
	for i, why := range rows.Texts("error") {
		if r.Record = append(r.Record, int32(i)); why != "" {
			r.Refused, r.Refusals = append(r.Refused, int32(i)), append(r.Refusals, why)
		}
	}
	for _, ref := range all[*message.Reference](events) {
		r.Holdout = ref.Score
	}
	for _, f := range all[*message.Fitted](events) {
		if r.Fitted = f; by == algo.ByBatch {
			r.Holdout = f.Holdout.Numbers("batch")
			r.Score, r.P = rows.Numbers("batch"), rows.Numbers("batch_p")
		}
	}
	return r
}

// A report says where it comes from and how to have it again, and nothing that an input says gets out of it.
func TestReport(t *testing.T) {
	e, h := loaded(t, "bbbp")
	must[*message.Opened](e, h, &message.Open{Name: "-a 'b.smi", Data: []byte("CCO <script>alert(1)</script>\n" + strange + alkanes(70))})
	events, scored := must[*message.Scored](e, h, &message.Score{Batch: true})
	r := reportOf(events, scored, algo.ByBatch, 0.2)
	_, file := must[*message.Exported](e, h, r)
	bare := string(file.Data)
	h.files[Drawer] = []byte("draw()")
	_, file = must[*message.Exported](e, h, r)
	page := string(file.Data)
	holds(t, page, "&lt;script&gt;alert(1)", e.card.SHA256, e.input.opened.SHA256, "all 71 molecules", "his list", "The list decides",
		"refused: ", `data-smiles="`,
		"baca report --model bbbp --by batch --fdr 0.2 --seed 1 --out report.html &#39;./-a &#39;\\&#39;&#39;b.smi&#39;")
	if strings.Contains(page, "NaN") || strings.Count(page, "<script") != 2 || strings.Contains(bare, "<script") || !strings.Contains(bare, "There are no drawings: what draws could not be loaded.") {
		t.Errorf("%.500s\nwithout what draws: %.500s", page, bare)
	}
	// What does not fit together is refused.
	for part, spoil := range map[string]func(*message.Report){
		"decide by":        func(r *message.Report) { r.By = "lot" },
		"false-alarm rate": func(r *message.Report) { r.Alpha = 0 }, "false discoveries": func(r *message.Report) { r.FDR = 7 },
		"want one of each of": func(r *message.Report) { r.Rows = table.Pick(r.Rows, []int32{0}) },
		"1 numbers: want one": func(r *message.Report) { r.AloneP = r.AloneP[:1] },
	} {
		bad := *r
		spoil(&bad)
		fails(e, h, &bad, message.CodeBadOption, part)
	}
	// Nothing but one molecule makes a report, too.
	must[*message.Opened](e, h, &message.Open{Data: []byte("C1CC(=O)N1\n")})
	events, scored = must[*message.Scored](e, h, &message.Score{})
	_, file = must[*message.Exported](e, h, reportOf(events, scored, algo.ByAlone, 0))
	holds(t, string(file.Data), "each molecule by itself", "input.smi")
	fails(e, h, &message.Reasons{Record: make(message.Ints, message.MostExplained+1)}, message.CodeBadOption, "2001 records")
	// Of a few all are shown, one that was trained on too.
	must[*message.Opened](e, h, &message.Open{Data: []byte(strange)})
	events, scored = must[*message.Scored](e, h, &message.Score{})
	_, file = must[*message.Exported](e, h, reportOf(events, scored, algo.ByAlone, 0))
	holds(t, string(file.Data), "<li>training molecule 99", `data-smiles="CC(=O)Oc1ccccc1C(O)=O">`) // as the training set writes it
}

// Pause ends what was asked for beside, and light requests do not wait for it.
func TestTasksEnd(t *testing.T) {
	e, h := loaded(t, "bbbp")
	must[*message.Opened](e, h, &message.Open{Data: []byte(alkanes(3000))})
	h.queue = []message.Request{&message.Hello{}}
	answered := func() bool { return len(all[*message.Welcome](h.posted)) > 0 }
	h.yield = func() {
		if answered() {
			e.Pause()
		}
	}
	fails(e, h, &message.Ask{Tool: "drift"}, message.CodeCancelled, "cancelled")
	if !answered() {
		t.Error("the light request was not answered")
	}
	h.yield = nil
	if _, d := must[*message.Found](e, h, &message.Ask{Tool: "drift"}); d.Short != "moved" {
		t.Errorf("after that: %s", d.Short)
	}
}

// A name that is only a place in a source gives way to the formula.
func TestPlacesAreNoNames(t *testing.T) {
	for name, is := range map[string]bool{"clintox 1460": true, "sider 3, component 2": true, "aspirin": false, "vitamin 12": false} {
		if numbered.MatchString(name) != is {
			t.Errorf("%q is a place: %v", name, !is)
		}
	}
	for text, want := range map[string]string{"CCO": "C2H6O, without a name", "C(": "without a name"} {
		if got := formula(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// The page says the first reasons that package algo computes.
func TestFirstReasons(t *testing.T) {
	e, h := bare(t)
	must[*message.Model](e, h, &message.LoadModel{Data: have(weights.Bytes(weights.Default))})
	for line := range strings.Lines(string(have(os.ReadFile("../../../algo/explain/testdata/first.txt")))) {
		text, reason, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		must[*message.Opened](e, h, &message.Open{Name: "one.smi", Data: []byte(text)})
		rowsOfScore(e, h, message.Score{})
		if _, d := must[*message.Detailed](e, h, &message.Detail{Record: 0}); d.Reasons[0].Text != reason {
			t.Errorf("%s: %q, want %q", text, d.Reasons[0].Text, reason)
		}
	}
}
