package words

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/wasm/message"
)

// The cards of the models show the figures of build/research/results/README.md.
func TestCardsHaveTheMeasuredFigures(t *testing.T) {
	readme, err := os.ReadFile("../../build/research/results/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	var head []string
	for line := range strings.Lines(strings.ReplaceAll(string(readme), "*", "")) {
		cells := strings.Split(line, "|")
		for i, cell := range cells {
			cells[i] = strings.TrimSpace(cell)
		}
		switch {
		case slices.Contains(cells, "alone, parents"):
			head = cells
		case len(cells) == len(head) && rows[cells[1]] == nil:
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
			t.Errorf("%s: build/research/results/README.md has no row %s / %s", name, n.ID, n.OOD)
			continue
		}
		if alone, batch := fmt.Sprintf("%.1f", n.Alone), fmt.Sprintf("%.1f", n.Batch); alone != figure(row, "alone") || batch != figure(row, "batch") {
			t.Errorf("%s: the card says %s and %s, build/research/results/README.md %s and %s", name, alone, batch, figure(row, "alone"), figure(row, "batch"))
		}
		if !strings.Contains(n.Measured(), fmt.Sprintf("%.1f\u00a0%%", n.Alone)) {
			t.Errorf("%s: %s", name, n.Measured())
		}
	}
	if n := NoteOn(&message.Model{Name: "of a later version", BuiltIn: true}); n.Title != "of a later version" || n.ID != "" {
		t.Errorf("of a model without a note it says %+v", n)
	}
	// The descriptions of models say what is inside, once.
	if strings.Contains(strings.ToLower(string(notesFile)), "inside means") {
		t.Error("a note says again what is inside")
	}
}

// The parts of a score stand in the order in which they are explained, and what a model
// does not know is left out.
func TestPartsOfTheScore(t *testing.T) {
	d := &message.Detailed{Explanation: algo.Explanation{Distance: 1.5, Embedding: 1, Subtrees: 2, Counts: 3, Nodes: -1, Ratio: 2.5}}
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

func TestNearestOf(t *testing.T) {
	named := []algo.TrainingGraph{
		{Row: 4, Name: "aspirin", SMILES: "CC(=O)Oc1ccccc1C(=O)O", Similarity: 1, Values: &algo.Values{Observed: 1, Predicted: math.NaN()}},
		{Row: 9, SMILES: "CCO", Similarity: 0.9999, Values: &algo.Values{Observed: -2.1768, Predicted: 12345.6}},
		{Row: -1, SMILES: "C", Similarity: 0.125},
	}
	near := func(list ...algo.TrainingGraph) *message.Detailed {
		return &message.Detailed{Explanation: algo.Explanation{Nearest: list}}
	}
	cards, line := NearestOf(&message.Model{Molecules: true}, near(named...))
	want := []Nearest{
		{"aspirin", "CC(=O)Oc1ccccc1C(=O)O", 1, "1.00", "observed\u00a01"}, {"row 10", "CCO", 0.9999, "0.99", "observed\u00a0−2.18, predicted\u00a012300"}, {"", "C", 0.125, "0.12", ""},
	}
	if !slices.Equal(cards, want) || line != "" {
		t.Errorf("%+v, %q", cards, line)
	}
	if cards, _ = NearestOf(&message.Model{Molecules: true}, near(append(named, named...)...)); len(cards) != mostNearest {
		t.Errorf("%d molecules are shown", len(cards))
	}
	bare := []algo.TrainingGraph{{Row: 4, Similarity: 0.5}, {Row: 0, Similarity: 0.25}}
	for _, c := range []struct {
		molecules bool
		detail    *message.Detailed
		want      string
	}{
		{true, near(bare...), "This model does not hold what it was trained on. Nearest rows of its data set: 5 (similarity\u00a00.50), 1 (similarity\u00a00.25)."},
		{false, near(bare[0]), "This model does not hold what it was trained on. Nearest rows of its data set: 5 (similarity\u00a00.50)."},
		{true, near(algo.TrainingGraph{Row: -1}), "This model does not hold what it was trained on."},
	} {
		if cards, line := NearestOf(&message.Model{Molecules: c.molecules}, c.detail); cards != nil || line != c.want {
			t.Errorf("%+v, %q, want %q", cards, line, c.want)
		}
	}
}

func TestAtomsInWords(t *testing.T) {
	m := &message.Traced{
		Drawing: message.Drawing{SMILES: "[O-]C", Atoms: []string{"O", "C"}}, From: message.Ints{0, 4}, To: message.Ints{4, 5}, Node: message.Ints{1, 0},
		Features: 9, Width: 2, X: message.Ints{5, 0, 4, 5, 3, 0, 2, 0, 0, 7, 0, 1, 4, 0, 0, 2, 0, 0}, Walks: message.Singles{0, 1, 0, 1},
	}
	var pieces []string
	for _, p := range Pieces(m) {
		pieces = append(pieces, p.Text)
	}
	if !slices.Equal(pieces, []string{"[O-]", "C"}) {
		t.Errorf("pieces %q", pieces)
	}
	m.SMILES, m.From, m.To = "C.[O-]1", message.Ints{0, 2}, message.Ints{1, 6}
	if got := Pieces(m); len(got) != 4 || got[1] != (Piece{Text: ".", Atom: -1}) || got[2] != (Piece{Text: "[O-]", Atom: 1}) || got[3] != (Piece{Text: "1", Atom: -1}) {
		t.Errorf("pieces %v", got)
	}
	facts := AtomFacts(m, 0)
	if facts[0].Value != "O, number 8" || facts[3].Value != "−1" || facts[6].Value != "sp³" || facts[8].Value != "no" {
		t.Errorf("facts %v", facts)
	}
	if got := WalksOf(m, 0); !slices.Equal(got, []float32{0, 1}) {
		t.Errorf("walks %v", got)
	}
	m.Node[0] = -1
	if AtomFacts(m, 0) != nil || WalksOf(m, 0) != nil || AtomFacts(m, 9) != nil {
		t.Error("an atom that is not read has facts")
	}
	m.Node, m.Features, m.X = message.Ints{0, 1}, 1, message.Ints{1, 1}
	if got := AtomFacts(m, 1); len(got) != 1 || got[0].Value != "1" {
		t.Errorf("a bare node has the facts %v", got)
	}
}
