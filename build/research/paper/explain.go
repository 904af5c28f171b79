package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/build/internal/try"
	"baca/build/internal/version"
)

func explanation() *experiment {
	return &experiment{
		name: "explain", page: "explain.md", read: readAs[explainResult], measure: measureExplanations,
		short: "Measure whether the atoms that are blamed make the score",
		flags: [][2]string{{"models", ""}, {"molecules", "200"}},
	}
}

// A fall is the mean fall of scores over molecules.
type fall struct {
	Edit      string `json:"edit"`
	Molecules int    `json:"molecules"`
	Blamed    rate   `json:"blamed"`
	Random    rate   `json:"random"`
	LeftOut   rate   `json:"left_out"`
	// Gain is Blamed − Random with the half width of its 95 % interval, Better how often it is
	// positive.
	Gain     rate `json:"gain"`
	GainHalf rate `json:"gain_half"`
	Better   rate `json:"better"`
}

type explainPair struct {
	Pair  string `json:"pair"`
	Falls []fall `json:"falls"`
}

type explainResult struct {
	Program string         `json:"program"`
	Alpha   float64        `json:"alpha"`
	Pairs   []*explainPair `json:"pairs"`
}

// measureExplanations measures the models of molecules on the OOD sets of their pairs.
func measureExplanations(ctx context.Context, b *bench) result {
	r := explainResult{Program: version.String(), Alpha: algo.DefaultOptions().Alpha}
	eachModel(ctx, b, "reads molecules", func(m *builtIn) []string {
		if m.pair == nil || !m.readsMolecules() {
			return nil
		}
		return []string{m.pair.OOD}
	}, b.explainPair, func(e *explainPair) { r.Pairs = append(r.Pairs, e) })
	return r
}

// A replacer scores molecules of which atoms were replaced.
type replacer struct {
	alone *algo.SingleScorer
	form  molecule.Form
	alpha float64
}

// explainPair returns the mean falls of OOD molecules that a model calls outside.
func (b *bench) explainPair(ctx context.Context, m *builtIn) *explainPair {
	alone := try.To(algo.NewSingleScorer(ctx, m.Model, 1))
	r := &replacer{alone, m.Form(), algo.DefaultOptions().Alpha}
	var falls []fall
	for _, m := range b.outsiders(ctx, r, m.pair.OOD) {
		if f := r.measure(ctx, m); f != nil {
			falls = append(falls, *f)
		}
	}
	return &explainPair{m.pair.name(), []fall{meanFall(falls)}}
}

// Sizes of measured molecules.
const leastReplaced, mostReplaced = 8, 60

// outsiders returns up to b.molecules of a set that the model calls outside, evenly drawn, in its form and without
// stereochemistry. It looks at no more than about five times as many.
func (b *bench) outsiders(ctx context.Context, r *replacer, set string) (list []*molecule.Molecule) {
	_, all := readMolecules(ctx, b.data, set, molecule.AsWritten, 1)
	step := max(1, len(all)/(5*b.molecules))
	for k := 0; k < len(all) && len(list) < b.molecules; k += step {
		m, _, _ := smiles.In(flat(try.To(smiles.Parse(all[k]))), r.form)
		if len(m.Atoms) < leastReplaced || len(m.Atoms) > mostReplaced {
			continue
		}
		if _, v := r.alone.Judge(r.scores(ctx, m), r.alpha); v[0] == decide.Outside {
			list = append(list, m)
		}
	}
	return list
}

// scores returns the scores of molecules in the model's form.
func (r *replacer) scores(ctx context.Context, ms ...*molecule.Molecule) []float64 {
	gs := make([]*graph.Graph, len(ms))
	for i, m := range ms {
		read, _, _ := smiles.In(m, r.form)
		gs[i] = read.Graph()
	}
	return try.To(r.alone.Scores(ctx, gs))
}

// blame explains a molecule, and returns by how much its score falls without each atom. The atom's neighbours keep their
// features, as in a broken molecule.
func (r *replacer) blame(ctx context.Context, m *molecule.Molecule) (*algo.Explanation, []float64) {
	g := m.Graph()
	x := try.To(r.alone.Explain(ctx, g, r.alpha))
	var broken []*graph.Graph
	for i := range g.N() {
		broken = append(broken, g.Select(func(node int) bool { return node != i }))
	}
	out := try.To(r.alone.Scores(ctx, broken))
	for i := range out {
		out[i] = x.Score - out[i]
	}
	return x, out
}

// measure returns how far the score of a molecule falls when a substituent becomes a hydrogen: the blamed one, with the largest
// sum of contributions, the one of its size with the largest sum of blame's falls, and on average up to draws others of that
// size. It returns nil if no two substituents have the same size, or if valence forbids an edit.
func (r *replacer) measure(ctx context.Context, m *molecule.Molecule) *fall {
	sizes := map[int]int{}
	all := substituents(m)
	for _, s := range all {
		sizes[len(s)]++
	}
	// Only substituents of the same size are compared.
	all = slices.DeleteFunc(all, func(s []int) bool { return sizes[len(s)] < 2 })
	if len(all) == 0 {
		return nil
	}
	x, out := r.blame(ctx, m)
	blamed := first(all, x.Contributions)
	same := slices.DeleteFunc(all, func(s []int) bool { return len(s) != len(blamed) })
	others := slices.DeleteFunc(slices.Clone(same), func(s []int) bool { return slices.Equal(s, blamed) })
	var list []*molecule.Molecule // without the blamed, without the left out, and without others
	for k, s := range slices.Concat([][]int{blamed, first(same, out)}, others) {
		c, ok := toHydrogen(m, s)
		if !ok && k < 2 { // one of the first two
			return nil
		}
		if ok && len(list) < 2+draws {
			list = append(list, c)
		}
	}
	if len(list) == 2 { // no others
		return nil
	}
	scores := r.scores(ctx, list...)
	f := &fall{Blamed: rate(x.Score - scores[0]), LeftOut: rate(x.Score - scores[1]), Random: rate(x.Score - stat.Mean(scores[2:], nil))}
	if f.Gain = f.Blamed - f.Random; f.Gain > 0 {
		f.Better = 1
	}
	return f
}

// first returns the set of atoms with the largest sum of values, of equals the first.
func first(sets [][]int, values []float64) []int {
	return slices.MaxFunc(sets, func(a, b []int) int { return cmp.Compare(sumOf(values, a), sumOf(values, b)) })
}

// draws is the most other substituents that are compared.
const draws = 20

// meanFall returns the means over molecules.
func meanFall(list []fall) fall {
	gain, std := meanStd(mapped(list, func(f fall) rate { return f.Gain }))
	return fall{
		Edit: "to hydrogen", Molecules: len(list), Gain: gain, GainHalf: rate(1.96 * float64(std) / math.Sqrt(float64(len(list)))),
		Blamed:  meanOf(list, func(f fall) rate { return f.Blamed }),
		Random:  meanOf(list, func(f fall) rate { return f.Random }),
		LeftOut: meanOf(list, func(f fall) rate { return f.LeftOut }),
		Better:  meanOf(list, func(f fall) rate { return f.Better }),
	}
}

func (r explainResult) page() *page {
	better := meanOf(r.Pairs, func(p *explainPair) rate { return p.Falls[0].Better })
	number := func(x rate) string { return fmt.Sprintf("%.2f", x) }
	heads := []string{"pair", "molecules", "blamed", "random", "left out", "gain"}
	return &page{
		title: "Whether the atoms that are blamed make the score",
		question: fmt.Sprintf(`How far does a score fall when the atoms that are blamed are replaced? Molecules of the second set of a pair
that the model of the first calls outside at α = %g: a substituent becomes a hydrogen. Falls are in standard deviations of training
graphs: of the substituent with the largest contributions (blamed), of others of its size (random), and of the one that leaving atoms
out puts first (left out). Gain is blamed less random, with its interval of 95 %%.`, r.Alpha),
		tables: []*pageTable{tabulate("", heads, r.Pairs, func(p *explainPair) []any {
			f := p.Falls[0]
			return []any{p.Pair, f.Molecules, number(f.Blamed), number(f.Random), number(f.LeftOut), fmt.Sprintf("%.2f ± %.2f", f.Gain, f.GainHalf)}
		})},
		answer: []string{fmt.Sprintf("The blamed substituent makes more of the score than others in %.0f %% of the molecules (mean over pairs).", 100*better)},
	}
}
