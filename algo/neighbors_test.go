package algo_test

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/weights"
)

// few molecules make a model.
const few = 30

// modelOf is a model of molecules without any training, and what it was made of.
func modelOf(count int) (*algo.Model, []algo.Source) {
	var set []algo.Source
	var gs []*graph.Graph
	var train, holdout []int
	for n := range count {
		text := strings.Repeat("C", n%10+1) + "O" + strings.Repeat("N", n/10+1)
		if n == 1 {
			text = "C[C@H](N)OC"
		}
		g := must.Have(smiles.ParseGraph(text))
		set, gs = append(set, algo.Source{Graph: g, SMILES: text, Name: "m" + text}), append(gs, g)
		if n%7 == 3 {
			holdout = append(holdout, n)
		} else {
			train = append(train, n)
		}
	}
	card := algo.Card{Name: "chains", Schema: algo.OGB, Seed: 1}
	m := must.Have(algo.NewModel(ctx, 1, gin.New(gin.Default(molecule.Features), rand.New(rand.NewPCG(1, 1))), gs, train, holdout, card))
	return m, set
}

// Neighbours carry values where the set had any. Surroundings are counted by hand: a training molecule has nothing new. Of hexyl
// chloride, beside alkanes that end in O and N, only those that hold the chlorine are new.
func TestStructures(t *testing.T) {
	m, set := modelOf(few)
	set[0].Values = &algo.Values{Observed: 2.5, Predicted: math.NaN()}
	m.Structures = must.Have(m.StructuresOf(set))
	if s := m.Structures; s.Predicted != nil || len(s.Observed) != m.Known() || s.Observed[0] != 2.5 || !math.IsNaN(s.Observed[1]) {
		t.Errorf("%+v", s)
	}
	a := single(m)
	for row, from := range set {
		nearest := a.Nearest(from.Graph, 2)
		got, trained := nearest[0], row%7 != 3
		if trained != (got.Row == row) || trained && (got.Similarity != 1 || got.SMILES != from.SMILES || got.Name != from.Name) ||
			!trained && got.Similarity == 1 {
			t.Errorf("row %d, trained on: %v, is nearest to %+v", row, trained, got)
		}
		if v := got.Values; (v != nil) != (got.Row == 0) || v != nil && (v.Observed != 2.5 || !math.IsNaN(v.Predicted)) {
			t.Errorf("row %d, nearest to row %d, has the values %+v", row, got.Row, v)
		}
		if nearest[1].SMILES != set[nearest[1].Row].SMILES {
			t.Errorf("row %d: the second is %+v", row, nearest[1])
		}
		if unmet, all := a.Surroundings(from.Graph); trained && unmet != 0 || all != 3*from.Graph.N() {
			t.Errorf("row %d: %d of %d surroundings are new", row, unmet, all)
		}
	}
	// Cl at every width, the next atom from one bond on, and the one behind it at two.
	if unmet, all := a.Surroundings(must.Have(smiles.ParseGraph("CCCCCCCl"))); unmet != 3+2+1 || all != 21 {
		t.Errorf("hexyl chloride: %d of %d, want 6 of 21", unmet, all)
	}
	if n := len(a.Nearest(set[0].Graph, algo.MaxNearest)); n != m.Bank.Len() {
		t.Errorf("%d neighbours, the bank has %d", n, m.Bank.Len())
	}
	m.Card.Graphs = math.MaxInt // what a file says
	if rows := m.KnownRows(); slices.Max(rows) != -1 {
		t.Errorf("a card that makes no sense gives rows %v", rows)
	}
}

func TestStructuresOfAnotherSet(t *testing.T) {
	m, set := modelOf(few)
	refused := func(what, want string, set []algo.Source) {
		t.Helper()
		if _, err := m.StructuresOf(set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	refused("a shorter set", "was trained on one of 30", set[1:])
	other := slices.Clone(set)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
	refused("another order", "is not what model chains was trained on", other)
	for i := range set {
		set[i].Name = ""
	}
	if s, err := m.StructuresOf(set); err != nil || s.Names != nil {
		t.Errorf("without names: %v, %v", s, err)
	}
	m.Card.Train--
	refused("a card that contradicts itself", "does not tell which rows", set)
	m.Shared = 5
	refused("a model for sharing", "no molecules", set)
}

// The only reason for a training molecule is its name, and not of another stereoisomer where the model reads stereo marks. A molecule that
// shares no atom with any has no neighbours.
func TestKnownAndStrange(t *testing.T) {
	m, set := modelOf(few)
	s := must.Have(m.StructuresOf(set))
	a := single(m)
	cut := func(text string) string { // without the verdict
		for _, lead := range []string{"Outside: ", "Borderline: ", "Remarks: "} {
			text = strings.TrimPrefix(text, lead)
		}
		return text
	}
	for _, c := range []struct {
		smiles     string
		structures *algo.Structures
		first      string
		nearest    int
	}{
		{"NOC", nil, "training molecule 1", 3}, {"C[C@H](N)OC", s, "training molecule 2 (mC[C@H](N)OC)", 3},
		{"C[C@@H](N)OC", s, "an alkyl chain; none of 26 training molecules has such a CH at a stereocentre", 3},
		{"[Fe]", s, "shares nothing with any training molecule", 0},
		{"CCCCCCCl", s, "an alkyl chloride; no training molecule has the element Cl", 3},
	} {
		m.Structures = c.structures
		g := must.Have(smiles.ParseGraph(c.smiles))
		x := must.Have(a.Explain(ctx, g, 0.05))
		if len(x.Reasons) == 0 || cut(x.Reasons[0].Text) != c.first || x.Duplicate != strings.HasPrefix(c.first, "training molecule") || len(x.Nearest) != c.nearest {
			t.Errorf("%s: %d neighbours and %+v, want %d and %q", c.smiles, len(x.Nearest), x.Reasons, c.nearest, c.first)
		}
	}
}

// leaks are names of features and signs of broken sentences.
var leaks = regexp.MustCompile(`hybridi[sz]|stereo tag|chirality|, no,|neighbou?r|\bsp[23²³]?\b|\bcharge -|  |\bits an? |\ba a?n? |: ?$|%!|feature|group group|in a way that .* in a way that`)

// No reason names a feature, for molecules of all benchmark sets.
func TestReasonsLeakNoFeatures(t *testing.T) {
	m := must.Have(weights.Open("bbbp"))
	a := single(m)
	for _, set := range []string{"hiv", "tox21", "toxcast", "sider", "muv", "lipo", "bbbp"} {
		rows := must.Have(csv.NewReader(golden.Open(t, "data/mol/"+set+".csv.gz")).ReadAll())
		column, step := slices.Index(rows[0], "smiles"), max(1, len(rows)/150)
		for i := 1; i < len(rows); i += step {
			mol, err := smiles.Parse(rows[i][column])
			if err != nil {
				continue
			}
			read, _, _ := smiles.In(mol, m.Form())
			for _, r := range must.Have(a.Explain(t.Context(), read.Graph(), 0.05)).Reasons {
				if found := leaks.FindString(r.Text); found != "" {
					t.Errorf("%s: %q has %q", rows[i][column], r.Text, found)
				}
				t.Log(rows[i][column], "::", r.Text)
			}
		}
	}
}
