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
)

// Atoms and their values have the names that a chemist gives them.
func TestAtomNames(t *testing.T) {
	var b strings.Builder
	said := map[string]bool{}
	for _, s := range strings.Fields("CC(C)(C)N C=CC#N C1CCC1 c1cc[nH]c1 C[C@H](N)O [NH4+].[Cl-] [CH3] [Na+].[OH-] O C [He] *C [2H]O[2H] " +
		"FP(F)(F)(F)F FS(F)(F)(F)(F)F F[Ti](F)(F)(F)(F)(F)F F[Th](F)(F)(F)(F)(F)(F)F F[U](F)(F)(F)(F)(F)(F)(F)F [Fe+3] [C-2] [Ti+6] [BH4-] N[O] [H+] F[Co](F)(F)(F)(F)F C[N+](C)(C)C [CH2] [UH9] [2H][U]([2H])([2H])([2H])([2H])([2H])([2H])([2H])([2H])[2H] F[Xe]F F[Xe](F)(F)F C[NH3+] [Sb+5] [B-5]") {
		g := parse(t, s)[0]
		fmt.Fprintln(&b, s)
		for i := range g.N() {
			names := []string{nodeName(g, i)}
			for column := range g.Features {
				if name := valueName(g, column, int(g.X[i*g.Features+column]), i); name != "" {
					names = append(names, name)
				}
			}
			if line := strings.Join(names, ", "); !said[line] {
				fmt.Fprintf(&b, "\t%d: %s\n", i, line)
				said[line] = true
			}
		}
	}
	golden.Same(t, "testdata/atoms.txt", b.String())
}

// What is unusual about graphs is said, the most unusual first, with its weight and nodes: of a set of alkanes,
// alcohols and phenols, with a few others, by what a model remembers of it and where the blame lies.
func TestReasonTexts(t *testing.T) {
	list := slices.Concat(slices.Repeat([]string{"CCCCCl"}, 2), slices.Repeat([]string{"CCCCBr"}, 3), []string{"CCCCS", "CC(C)CO", "OCC[N+](=O)[O-]", "OCC(C)(C)O", "C1CCCC1.CCO"})
	for n := 3; n <= 12; n++ {
		list = append(list, slices.Repeat([]string{strings.Repeat("C", n), strings.Repeat("C", n-2) + "O", "c1ccccc1O"}, 13)...)
	}
	gs := parse(t, list...)
	p, index := NewProfile(gs, [SaltSize]byte{}), fingerprint.NewIndex(prints(gs))
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
	var b strings.Builder
	all := Memory{p, index, len(gs), 1}
	for _, c := range []struct {
		about          string
		m              Memory
		blames, smiles string
	}{
		{"all", all, "even", "CCCCS CCCCCl CCCCBr CC(C)CCCC(C)C OCCOCCO CCCC[O-] OC1CCCC1 CCCCC.CCCC C CC OCC(O)CO Oc1ccc(cc1)-c1ccccc1 OCC([N+](=O)[O-])[N+](=O)[O-] OCCCOCC(O)CC(O)C " +
			"FC(F)(F)CCO CCCCCCCCCCCCCCCCCCCCO [Na+].[Cl-] OCC(C)(C)CO SCCCCS C1CCCC1.CCO CCO"},
		{"all", all, "first mixed", "CC(C)CCCC(C)C OCC(O)CO FC(F)(F)CCO"},
		{"all", all, "last none equal ratio", "CCCCCC CCCCS OCCCCO"},
		{"a profile without a bank", Memory{Profile: p, Train: len(gs), Least: 1}, "even", "CCCCS CC(C)CC"},
		{"a bank without a profile", Memory{Index: index, Train: 500, Least: 1}, "even", "CCCCS CC(C)CC CCN"},
		{"a profile of more", Memory{p, index, 399, 1}, "even", "CCCCCl CCCCS"},
		{"shared", Memory{p.Share(len(gs), 5), index, len(gs), 5}, "even", "CCCCS CC(C)CC CCN CCCCC.CCCC"},
		{"plain", Memory{NewProfile(plain, [SaltSize]byte{}), fingerprint.NewIndex(prints(plain)), len(plain), 1}, "even mixed", "path:3 path:9 ring:4 ring:9 star:3 star:4 star:9"},
		{"plain, shared", Memory{Index: fingerprint.NewIndex(prints(plain)), Train: len(plain), Least: 5}, "even", "path:2 star:9"},
	} {
		for _, s := range strings.Fields(c.smiles) {
			var g *graph.Graph
			if name, n, ok := strings.Cut(s, ":"); ok {
				g = sample.Shape(name, must.Have(strconv.Atoi(n)))
			} else {
				g = parse(t, s)[0]
			}
			for _, name := range strings.Fields(c.blames) {
				blame := &Blame{make([]float64, g.N()), make([]float64, g.N()), make([]float64, g.N()), make([]float64, g.N())}
				for i := range g.N() {
					blames[name](blame, i)
				}
				fmt.Fprintf(&b, "%s: %s %s\n", c.about, s, name)
				for _, r := range Reasons(g, c.m, blame) {
					fmt.Fprintf(&b, "\t%.4f %s %v %s\n", r.Weight, r.Kind, r.Nodes, r.Text)
				}
			}
		}
	}
	golden.Same(t, "testdata/reasons.txt", b.String())
}

func prints(gs []*graph.Graph) []fingerprint.Print {
	return lists.Map(gs, func(g *graph.Graph) fingerprint.Print { return fingerprint.New(g, fingerprint.DefaultHeight) })
}
