package explain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
	"baca/algo/internal/sample"
	"baca/algo/molecule"
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

// Any feature row that a reader can produce has a name, and a shared profile knows nothing of few graphs.
func TestShare(t *testing.T) {
	var list []string
	for n := 3; n <= 12; n++ {
		list = append(list, slices.Repeat([]string{strings.Repeat("C", n), strings.Repeat("C", n-2) + "O", "c1ccccc1O"}, 3)...)
	}
	gs := parse(t, list...)
	p := NewProfile(gs)
	m := Memory{Profile: p, Index: fingerprint.NewIndex(prints(gs)), Train: len(gs), Least: 1}
	got := Reasons(&graph.Graph{Offsets: []int32{0}, Features: 9}, m, nil)
	if len(got) != 1 || got[0].Text != "it has no nodes" || got[0].Weight != Unseen {
		t.Errorf("of an empty graph: %+v", got)
	}
	shared := p.Share(len(gs), 5)
	if q, all := shared.Quantiles[0], p.Quantiles[0]; q[0] != all[2] || q[2] != all[2] || q[6] != all[4] {
		t.Errorf("a shared profile of %d graphs keeps quantiles %v of %v", len(gs), q, all)
	}
	for column, values := range shared.Values {
		for _, v := range values {
			if v.Graphs < 5 {
				t.Errorf("feature %d keeps the value %d of %d graphs", column, v.Of, v.Graphs)
			}
		}
	}
	// Of 100 graphs 5 lie beyond the levels of 5 and 95 %, and 4 of 80. The 30 aromatic ones are kept for 30.
	q, all, fewer := p.Share(100, 5).Quantiles[0], p.Quantiles[0], p.Share(80, 5).Quantiles[0]
	aromatic := p.Share(100, 30).Values[molecule.ColumnAromatic]
	if q[1] != all[1] || q[0] != all[1] || fewer[5] != all[4] || len(aromatic) != 2 {
		t.Errorf("quantiles %v of 100 graphs, %v of 80, all are %v; %v are kept", q, fewer, all, aromatic)
	}
	g := parse(t, "[Pt](Cl)(Cl)(N)N")[0]
	for column := range 9 {
		for _, v := range []float32{0, 1, 5, 11, 118, 200, -3, 0.5} {
			h := *g
			h.X = slices.Clone(g.X)
			h.X[column] = v
			for _, r := range Reasons(&h, m, &Blame{Nodes: []float64{1, 1, 1, 1, 1}, Lacking: make([]float64, 5), Ratio: make([]float64, 5), Embedding: make([]float64, 5)}) {
				if r.Text == "" || strings.Contains(r.Text, "%!") {
					t.Errorf("feature %d of value %g is %q", column, v, r.Text)
				}
			}
		}
	}
}

// Statistics of molecules are those that RDKit gives, see testdata/statistics.py; of several graphs they are quantiles.
func TestStatistics(t *testing.T) {
	golden.Reference(t, "testdata/statistics.txt", 1, func(f []string) string {
		p, text := NewProfile(parse(t, f[0])), []string(nil)
		for _, r := range p.Ranges() {
			text = append(text, fmt.Sprintf("%s %.4f", r.Name, r.Values[3]))
		}
		for _, e := range p.Elements() {
			text = append(text, fmt.Sprint(e.Symbol, " ", e.Graphs))
		}
		return strings.Join(text, ", ")
	})
	// The sizes of chains of 1 to 101 atoms are their own percentiles.
	var gs []*graph.Graph
	for n := range 101 {
		gs = append(gs, parse(t, strings.Repeat("C", n+1))[0])
	}
	p := NewProfile(gs)
	got := p.Ranges()
	if len(got) != StatisticCount || got[0].Values != [LevelCount]float64{2, 6, 26, 51, 76, 96, 100} || got[0].Share || !got[8].Share {
		t.Errorf("%+v", got)
	}
	if got := p.Share(5, 5).Quantiles[0]; !slices.Equal(got, slices.Repeat([]float64{51}, LevelCount)) {
		t.Errorf("of five graphs %v are shared, want the median", got)
	}
	if whole(1<<24) || !whole(1-1<<24) || whole(0.5) {
		t.Error("features are whole numbers below 2²⁴")
	}
	if got := statistics[7].middle([]float64{0, 0, 0, 0, 0.004, 1, 1}); got != "about 0 %" {
		t.Errorf("from nothing to 0.4 %% is %q", got)
	}
	plain := NewProfile([]*graph.Graph{sample.Shape("path", 9), sample.Shape("ring", 4)})
	if slices.Max(slices.Concat(plain.Quantiles[7:]...)) != 0 || !slices.Equal(plain.Values[0], []Value{{1, 1}, {2, 1}}) {
		t.Errorf("plain graphs: %+v", plain)
	}
	if got := (&Profile{Quantiles: [][]float64{{1, 2}}, Values: make([][]Value, 1)}); got.Ranges() != nil || got.Elements() != nil {
		t.Error("of what a file lacks there are ranges")
	}
}
