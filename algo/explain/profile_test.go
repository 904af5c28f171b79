package explain

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/molecule/smiles"
)

// parse reads molecules.
func parse(t testing.TB, list ...string) []*graph.Graph {
	t.Helper()
	var gs []*graph.Graph
	for _, s := range list {
		gs = append(gs, must.Have(smiles.ParseGraph(s)))
	}
	return gs
}

// renumbered is g with its nodes in another order.
func renumbered(t testing.TB, rng *rand.Rand, g *graph.Graph) *graph.Graph {
	t.Helper()
	n := g.N()
	order := rng.Perm(n)
	var edges [][2]int32
	for i := range n {
		for _, j := range g.Row(i) {
			edges = append(edges, [2]int32{int32(order[i]), int32(order[j])})
		}
	}
	h, _ := must.Both(graph.New(n, edges))
	h.Features, h.X = g.Features, make([]float32, len(g.X))
	for i := range n {
		copy(h.X[order[i]*g.Features:(order[i]+1)*g.Features], g.X[i*g.Features:(i+1)*g.Features])
	}
	return h
}

// Each graph of the set matches in any order of its nodes. Others match about as
// often as FalseMatches says, which is at most one in a thousand.
func TestKnown(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	var gs []*graph.Graph
	for range 700 {
		gs = append(gs, random(t, rng, 12+rng.IntN(8), 3))
	}
	k := NewKnown(gs, [SaltSize]byte{7})
	for i, g := range gs {
		if !k.Likely(renumbered(t, rng, g)) {
			t.Fatalf("graph %d of the set does not match", i)
		}
	}
	if f := k.FalseMatches(); !(f <= falseMatches && f > 0.4*falseMatches) {
		t.Errorf("%.4f false matches with %d bits, want 0.0004 to 0.001", f, k.Bits)
	}
	const others = 3000
	matches := 0
	for range others {
		if k.Likely(random(t, rng, 12+rng.IntN(8), 3)) {
			matches++
		}
	}
	f := k.FalseMatches()
	if got, limit := float64(matches)/others, 5*math.Sqrt(f/others); math.Abs(got-f) > limit {
		t.Errorf("%.4f of other graphs match, want %.4f ± %.4f", got, f, limit)
	}
	// One node, edge or feature more is another graph, but for chance; the salt
	// matters.
	other := NewKnown(gs, [SaltSize]byte{8})
	same := 0
	for _, h := range k.Hashes {
		if _, ok := slices.BinarySearch(other.Hashes, h); ok {
			same++
		}
	}
	if same > 30 {
		t.Errorf("two salts have %d of %d hashes in common", same, len(k.Hashes))
	}
	if (&Known{}).Likely(gs[0]) || known(t).Likely(gs[0]) {
		t.Error("an empty set has a graph")
	}
}

// known hashes molecules.
func known(t *testing.T, list ...string) *Known {
	k := NewKnown(parse(t, list...), [SaltSize]byte{1})
	return &k
}

// A molecule matches however it is written; others do not.
func TestKnownMolecules(t *testing.T) {
	k := known(t, "C[C@H](N)C(=O)O", "c1ccccc1O", "CCO")
	k.Bits, k.Hashes = 32, nil // no chance matches
	for _, g := range parse(t, "C[C@H](N)C(=O)O", "c1ccccc1O", "CCO") {
		k.Hashes = append(k.Hashes, k.hash(g))
	}
	slices.Sort(k.Hashes)
	for _, c := range []struct {
		smiles string
		want   bool
	}{
		{"OC(=O)[C@@H](N)C", true}, {"OC(=O)[C@H](N)C", true}, // the mirror image counts as the same
		{"Oc1ccccc1", true}, {"OC1=CC=CC=C1", true}, {"OCC", true},
		{"OCCC", false}, {"c1ccccc1N", false}, {"CC[O-]", false}, {"NCC(=O)O", false},
	} {
		if got := k.Likely(parse(t, c.smiles)[0]); got != c.want {
			t.Errorf("%s is known: %v, want %v", c.smiles, got, c.want)
		}
	}
}

// evenly blames all nodes alike.
func evenly(g *graph.Graph) *Blame {
	b := &Blame{Lacking: make([]float64, g.N()), Ratio: make([]float64, g.N()), Embedding: make([]float64, g.N())}
	b.Nodes = slices.Repeat([]float64{1}, g.N())
	return b
}

// Alkanes of 3 to 12 atoms and phenols: what differs from them is said, and nothing
// else.
func TestReasons(t *testing.T) {
	var list []string
	for n := 3; n <= 12; n++ {
		for range 3 {
			list = append(list, strings.Repeat("C", n), strings.Repeat("C", n-2)+"O", "c1ccccc1O")
		}
	}
	gs := parse(t, list...)
	p := NewProfile(gs, [SaltSize]byte{})
	var prints []fingerprint.Print
	for _, g := range gs {
		prints = append(prints, fingerprint.New(g, fingerprint.DefaultHeight))
	}
	m := Memory{Profile: p, Index: fingerprint.NewIndex(prints), Train: len(gs), Least: 1}
	for _, c := range []struct {
		smiles string
		want   []string // beginnings, in order
		nodes  []int    // of the first
	}{
		{"CCCCCC", nil, nil},
		{"CCCO", nil, nil},
		{strings.Repeat("C", 40), []string{"more atoms than 99 % of the training molecules: 40, half of them have "}, nil},
		{"CCCCS", []string{"the element S, which no training molecule has"}, []int{4}},
		{"CCCC[O-]", []string{"a charge of −1 on O, which no training molecule has"}, []int{4}},
		{"CCC(O)CC", []string{"its alkyl chain: none of 90 training molecules has such a CH", "its secondary alcohol group: bound to an alkyl chain in a way that none of 90 training molecules has", "a larger share of branching atoms"}, []int{0, 1, 2, 4, 5}},
		{"CCCCC.CCCC", []string{"more separate parts than 99 % of the training molecules: 2, half of them have exactly 1"}, nil},
		{"OC1CCCC1", []string{"its cyclopentane ring: none of 90 training molecules has such a CH in a ring"}, nil},
	} {
		got := Reasons(parse(t, c.smiles)[0], m, evenly(parse(t, c.smiles)[0]))
		var texts []string
		for _, r := range got {
			texts = append(texts, r.Text)
		}
		t.Logf("%s: %q", c.smiles, texts)
		if c.want == nil && len(got) > 0 {
			t.Errorf("%s has reasons %q, want none", c.smiles, texts)
		}
		for _, want := range c.want {
			if !slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(s, want) }) {
				t.Errorf("%s: no reason %q in %q", c.smiles, want, texts)
			}
		}
		if len(got) > 0 && c.nodes != nil && (texts[0] != c.want[0] || !slices.Equal(got[0].Nodes, c.nodes)) {
			t.Errorf("%s: first %q about %v, want %q about %v", c.smiles, texts[0], got[0].Nodes, c.want[0], c.nodes)
		}
		for i := 1; i < len(got); i++ {
			if got[i].Weight > got[i-1].Weight {
				t.Errorf("%s: reasons are not in order", c.smiles)
			}
		}
	}
	// A share that is large is about the atoms that make it.
	for _, c := range []struct {
		smiles string
		more   bool
	}{{"CCCC[O-]", true}, {strings.Repeat("C", 40), false}} {
		got := Reasons(parse(t, c.smiles)[0], m, nil)
		if last := got[len(got)-1]; c.more != slices.Equal(last.Nodes, []int{4}) || !c.more && last.Nodes != nil {
			t.Errorf("%s: %+v", c.smiles, last)
		}
	}
	// What has been seen is told by what moves the score.
	for k, want := range []string{"in surroundings that the most similar training molecules lack", "commoner in the background molecules than in the training set", "unlike the training molecules, as the model's network sees it"} {
		b := evenly(gs[0])
		[][]float64{b.Lacking, b.Ratio, b.Embedding}[k][1] = 1
		if got := Reasons(gs[0], m, b); len(got) != 1 || got[0].Text != "all of it, an alkyl chain: "+want {
			t.Errorf("%+v, want %q", got, want)
		}
	}
	// Without a profile and without a bank.
	thiol := parse(t, "CCCCS")[0]
	if got := Reasons(thiol, Memory{Index: m.Index, Least: 1}, &Blame{[]float64{0, 0, 0, 0, 1}, make([]float64, 5), make([]float64, 5), make([]float64, 5)}); len(got) != 1 || got[0].Kind != "part" || got[0].About != "its thiol group" || !slices.Equal(got[0].Nodes, []int{4}) || !strings.HasSuffix(got[0].Text, "that the model holds has such an SH") {
		t.Errorf("without a profile: %+v", got)
	}
	if got := Reasons(thiol, Memory{Least: 1}, evenly(thiol)); len(got) != 0 {
		t.Errorf("of nothing: %+v", got)
	}
	if got := Reasons(&graph.Graph{Offsets: []int32{0}, Features: 9}, m, nil); len(got) != 1 || got[0].Text != "it has no nodes" {
		t.Errorf("of an empty graph: %+v", got)
	}
	// What is shared does not know what few graphs have, and says so.
	shared := p.Share(len(gs), 5)
	if got := Reasons(thiol, Memory{Profile: shared, Index: m.Index, Train: len(gs), Least: 5}, evenly(thiol)); len(got) == 0 || got[0].Text != "the element S, which fewer than 5 training molecules have" {
		t.Errorf("of a shared profile: %+v", got)
	}
	if len(shared.Known.Hashes) != 0 || shared.Quantiles[0][0] != p.Quantiles[0][2] || shared.Quantiles[0][2] != p.Quantiles[0][2] {
		t.Errorf("a shared profile of %d graphs keeps quantiles %v of %v and %d hashes", len(gs), shared.Quantiles[0], p.Quantiles[0], len(shared.Known.Hashes))
	}
	for column, values := range shared.Values {
		for _, v := range values {
			if v.Graphs < 5 {
				t.Errorf("feature %d keeps the value %d of %d graphs", column, v.Of, v.Graphs)
			}
		}
	}
	// Any feature row that a reader can produce has a name.
	g := parse(t, "[Pt](Cl)(Cl)(N)N")[0]
	for column := range 9 {
		for _, v := range []float32{0, 1, 5, 11, 118, 200, -3, 0.5} {
			h := *g
			h.X = slices.Clone(g.X)
			h.X[column] = v
			Reasons(&h, m, evenly(&h))
		}
	}
}

// Plain graphs have statistics but no atoms.
func TestReasonsOfPlainGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	var gs []*graph.Graph
	for range 50 {
		g := random(t, rng, 10, 1)
		for i := range g.X {
			g.X[i] = 1
		}
		gs = append(gs, g)
	}
	p := NewProfile(gs, [SaltSize]byte{})
	big := random(t, rng, 30, 1)
	for i := range big.X {
		big.X[i] = 1
	}
	got := Reasons(big, Memory{Profile: p, Train: len(gs), Least: 1}, nil)
	if len(got) == 0 || !slices.ContainsFunc(got, func(r Reason) bool {
		return r.Text == "more nodes than 99 % of the training graphs: 30, half of them have exactly 10"
	}) {
		t.Errorf("a larger graph has reasons %+v", got)
	}
	for k, s := range statistics {
		if s.molecules && slices.Max(p.Quantiles[k]) != 0 {
			t.Errorf("%s of plain graphs is %v", s.name, p.Quantiles[k])
		}
	}
	if want := []Value{{1, 50}}; !slices.Equal(p.Values[0], want) {
		t.Errorf("feature values %v, want %v", p.Values[0], want)
	}
}
