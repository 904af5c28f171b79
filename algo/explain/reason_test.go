package explain

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/lists"
	"baca/algo/internal/must"
	"baca/algo/internal/sample"
	"baca/algo/rare"
)

// Atoms and their values have the names that a chemist gives them.
func TestAtomNames(t *testing.T) {
	golden.Table(t, "testdata/atoms.txt", 1, func(f []string) string {
		g, lines := parse(t, f[0])[0], []string(nil)
		for i := range g.N() {
			names := []string{nodeName(g, i)}
			for column := range g.Features {
				names = append(names, valueName(g, column, int(g.X[i*g.Features+column]), i))
			}
			lines = append(lines, strings.Join(slices.DeleteFunc(names, func(name string) bool { return name == "" }), ", "))
		}
		return strings.Join(slices.Compact(lines), " | ")
	})
}

// What is unusual about graphs is said, the most unusual first, with its weight and nodes: of a set of alkanes,
// alcohols and phenols, with a few others, by what a model remembers of it and where the blame lies.
func TestReasonTexts(t *testing.T) {
	list := strings.Fields("CCCCCl CCCCCl CCCCBr CCCCBr CCCCBr CCCCS CC(C)CO OCC[N+](=O)[O-] OCC(C)(C)O C1CCCC1.CCO")
	for n := 3; n <= 12; n++ {
		list = append(list, slices.Repeat([]string{strings.Repeat("C", n), strings.Repeat("C", n-2) + "O", "c1ccccc1O"}, 13)...)
	}
	gs := parse(t, list...)
	p, index := NewProfile(gs), fingerprint.NewIndex(prints(gs))
	plain := []*graph.Graph{sample.Shape("star", 4), sample.Shape("ring", 4), sample.Shape("ring", 5)}
	for n := range 400 {
		plain = append(plain, sample.Shape("path", 3+n%10))
	}
	blames := map[string]func(b *Blame, i int){
		"even":  func(b *Blame, i int) { b.Nodes[i] = 1 },
		"first": func(b *Blame, i int) { b.Nodes[i] = max(0, float64(1-i)) },
		"mixed": func(b *Blame, i int) { b.Nodes[i] = math.Cos(float64(i)); b.Ratio[i] = 0.3; b.Embedding[i] = 0.2 },
		"last":  func(b *Blame, i int) { b.Nodes[i] = float64(i) - 3; b.Embedding[i] = 0.1 },
		"none":  func(b *Blame, i int) { b.Nodes[i] = -1 },
		"equal": func(b *Blame, i int) { b.Nodes[i] = 1; b.Lacking[i], b.Ratio[i], b.Embedding[i] = 0.3, 0.3, 0.3 },
		"ratio": func(b *Blame, i int) { b.Nodes[i] = 1; b.Ratio[i], b.Embedding[i] = 0.3, 0.3 },
	}
	paths := fingerprint.NewIndex(prints(plain))
	memories := map[string]Memory{
		"all": {Profile: p, Index: index, Train: len(gs), Least: 1}, "a profile without a bank": {Profile: p, Train: len(gs), Least: 1},
		"a bank without a profile": {Index: index, Train: 500, Least: 1}, "a profile of more": {Profile: p, Index: index, Train: 399, Least: 1},
		"shared": {Profile: p.Share(len(gs), 5), Index: index, Train: len(gs), Least: 5},
		"plain":  {Profile: NewProfile(plain), Index: paths, Train: len(plain), Least: 1}, "plain, shared": {Index: paths, Train: len(plain), Least: 5},
		"rare parts": {Profile: p, Index: index, Train: len(gs), Rare: rare.New(gs, nil), Contain: NewLibrary(gs).Holders, Least: 1},
	}
	golden.Table(t, "testdata/reasons.txt", 3, func(f []string) (text string) {
		var g *graph.Graph
		if name, n, ok := strings.Cut(f[2], ":"); ok {
			g = sample.Shape(name, must.Have(strconv.Atoi(n)))
		} else {
			g = parse(t, f[2])[0]
		}
		how, inside := strings.CutSuffix(f[1], ", inside")
		blame := &Blame{Nodes: make([]float64, g.N()), Lacking: make([]float64, g.N()), Ratio: make([]float64, g.N()), Embedding: make([]float64, g.N()), Inside: inside}
		for i := range g.N() {
			blames[how](blame, i)
		}
		for _, r := range Reasons(g, memories[f[0]], blame) {
			text += fmt.Sprintf("\n\t%.4f %s %v %s", r.Weight, r.Kind, r.Nodes, r.Text)
		}
		return text
	})
	golden.Table(t, "testdata/background.txt", 1, func(f []string) string {
		r, ok := Background(must.Have(strconv.ParseFloat(f[0], 64)))
		return fmt.Sprintf("%v %.4f %s %s", ok, r.Weight, r.Kind, r.Text)
	})
}

func prints(gs []*graph.Graph) []fingerprint.Print {
	return lists.Map(gs, func(g *graph.Graph) fingerprint.Print { return fingerprint.New(g, fingerprint.DefaultHeight) })
}
