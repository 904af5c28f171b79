package algo_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
	"baca/algo/molecule/smiles"
	"baca/weights"
)

// A strange group on a familiar molecule is what the first reason names. X is the place of the group.
func TestReasonsNamePlantedGroups(t *testing.T) {
	m := must.Have(weights.Open("bbbp"))
	a := must.Have(algo.NewSingleScorer(ctx, m, 1))
	familiar := strings.Fields(`CN(C)CCc1ccX(cc1)C CCCN1CCCC1c1cccX(c1)OC CC(C)NCC(O)COc1ccX(CC)cc1 O=C(NCCN1CCCC1)c1ccX(OC)cc1
		CC(=O)Nc1ccX(cc1)CCN(C)C CCC(N)Cc1ccX(OC)cc1`)
	groups := [][2]string{ // and what the first reason says
		{"[Hg]C", "organomercury"}, {"[Pb](C)(C)C", "organolead"}, {"[Sn](C)(C)C", "organotin"}, {"[As](C)C", "organoarsenic"}, {"[Se]C", "organoselenium"},
		{"[Te]C", "organotellurium"}, {"[Ge](C)(C)C", "organogermanium"}, {"[Sb](C)C", "organoantimony"}, {"B(O)O", "boronic acid"}, {"[Si](C)(C)C", "silyl"},
		{"N=[N+]=[N-]", "azide"}, {"[N+]#N", "diazonium"}, {"N(C)N=O", "nitrosamine"}, {"N(C)[N+](=O)[O-]", "nitramine"}, {"OOC", "peroxide"},
		{"C(F)(F)C(F)(F)C(F)(F)C(F)(F)C(F)(F)C(F)(F)F", "perfluorinated chain"}, {"[P+](C)(C)C", "phosphonium"}, {"N=C=O", "isocyanate"},
		{"N=C=S", "isothiocyanate"}, {"[N+]#[C-]", "isocyanide"}, {"N=C=NC", "carbodiimide"}, {"OCl", "hypochlorite"}, {"CO[N+](=O)[O-]", "nitrate ester"},
		{"C#CC#CC#CC", "polyyne"}, {"[I+]c%91ccccc%91", "iodonium"}, {"P(=O)(F)OC", "phosphonofluoridate"}, {"OS(=O)(=O)F", "fluorosulfate"},
		{"S(=O)(=O)Cl", "sulfonyl chloride"}, {"N=C=C", "ketenimine"}, {"N(Cl)Cl", "N-halamine"},
	}
	outside, named, highest, agree := 0, 0, 0, 0
	for _, group := range groups {
		for _, text := range familiar {
			g, _, err := smiles.ParseIn(strings.Replace(text, "X", "("+group[0]+")", 1), m.Form())
			must.Do(err)
			x := must.Have(a.Explain(ctx, g, 0.05))
			if x.Verdict != decide.Outside {
				continue
			}
			outside++
			r := x.Reasons[0]
			if strings.HasPrefix(r.Text, "Outside: ") && strings.Contains(r.Text, group[1]) {
				named++
			}
			if slices.Contains(r.Nodes, slices.Index(x.Contributions, slices.Max(x.Contributions))) {
				highest++
			}
			own, most := excess(x, r.Nodes), math.Inf(-1)
			for _, p := range explain.Parts(g) {
				if !slices.Contains(r.Nodes, p.Nodes[0]) {
					most = max(most, excess(x, p.Nodes))
				}
			}
			if own >= most {
				agree++
			}
		}
	}
	if least := outside * 95 / 100; outside < 150 || named < least || highest < least || agree < least {
		t.Errorf("of %d outside %d first reasons name the group, %d have the highest atom, %d more excess than other parts", outside, named, highest, agree)
	}
}

// A star that is joined to an actor by an edge, or an actor who became a hub, is what the first reason of actors that
// share films names, and ranks highest.
func TestReasonsNamePlantedShapes(t *testing.T) {
	a := must.Have(algo.NewSingleScorer(ctx, must.Have(weights.Open("imdb-multi")), 1))
	outside, named, highest := 0, 0, 0
	for _, casts := range [][]int{
		{4, 4}, {5, 3}, {6}, {6, 4}, {7}, {7, 5}, {8}, {5, 5, 5}, {6, 3, 3}, {9}, {4, 6, 5}, {10}, {3, 3, 3},
	} {
		var familiar [][2]int32
		n := 1
		for _, size := range casts { // of each film; node 0 is in all
			for i := n; i < n+size; i++ {
				familiar = append(familiar, [2]int32{0, int32(i)})
				for j := n; j < i; j++ {
					familiar = append(familiar, [2]int32{int32(j), int32(i)})
				}
			}
			n += size
		}
		for _, centre := range []int{1, n} { // of the hub, of the star
			edges := append(slices.Clone(familiar), [2]int32{1, int32(n)})
			for i := n + 1; i < n+12; i++ {
				edges = append(edges, [2]int32{int32(centre), int32(i)})
			}
			g, _, err := graph.New(n+12, edges)
			must.Do(err)
			x := must.Have(a.Explain(ctx, g, 0.05))
			if x.Verdict != decide.Outside {
				continue
			}
			outside++
			planted := func(i int) bool { return i == centre || i >= n }
			own := 0
			for _, i := range x.Reasons[0].Nodes {
				if planted(i) {
					own++
				}
			}
			if own > 0 && 2*own >= len(x.Reasons[0].Nodes) {
				named++
			}
			if planted(slices.Index(x.Contributions, slices.Max(x.Contributions))) {
				highest++
			}
		}
	}
	if outside < 20 || named < outside*95/100 || highest < outside*95/100 {
		t.Errorf("of %d outside %d first reasons name the shape, %d have the highest node", outside, named, highest)
	}
}

// excess is what nodes add to a score above the limit.
func excess(x *algo.Explanation, nodes []int) (sum float64) {
	for _, i := range nodes {
		sum += x.Contributions[i]
	}
	return sum
}

// The first reasons of some molecules by the model drugs. Tests of the command, the report, the page's worker, HTTP, Python
// and npm expect the same.
func TestFirstReasons(t *testing.T) {
	m := must.Have(weights.Open(weights.Default))
	a := must.Have(algo.NewSingleScorer(ctx, m, 1))
	golden.Table(t, "explain/testdata/first.txt", 1, func(f []string) string {
		g, _, err := smiles.ParseIn(f[0], m.Form())
		must.Do(err)
		return must.Have(a.Explain(ctx, g, 0.05)).Reasons[0].Text
	})
}
