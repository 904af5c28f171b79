package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/build/internal/usage"
	"baca/build/internal/version"
)

func explanation() *experiment {
	return &experiment{
		name: "explain", page: "explain.md", read: readAs[explainResult], measure: measureExplanations,
		short: "Measure whether the atoms that are blamed make the score",
		long: `Explain replaces parts of molecules that the built-in models call outside, and measures
how far the score falls. What is left is a whole molecule again:

  to hydrogen  a substituent, at most half of the atoms, becomes a hydrogen
  to carbon    connected atoms, a fifth of all, become saturated carbon; rings stay

The part whose atoms have the largest contributions is compared with other parts of the same
size, and with the part that leaving atoms out, one by one, puts first. Results are
written to explain.json and explain.md in --out.`,
		flags: [][2]string{{"models", ""}, {"molecules", "200"}},
	}
}

// A fall is the mean fall of scores over molecules.
type fall struct {
	Edit      string `json:"edit"`
	Molecules int    `json:"molecules"`
	Score     rate   `json:"score"` // before
	Blamed    rate   `json:"blamed"`
	Random    rate   `json:"random"`
	LeftOut   rate   `json:"left_out"`
	// Gain is Blamed − Random with the half width of its 95 % interval, Better how often it is
	// positive.
	Gain     rate `json:"gain"`
	GainHalf rate `json:"gain_half"`
	Better   rate `json:"better"`
	// Cleared are the shares of molecules no longer outside.
	Cleared       rate `json:"cleared"`
	ClearedRandom rate `json:"cleared_random"`
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

func measureExplanations(ctx context.Context, b *bench) (result, error) {
	r := explainResult{Program: version.String(), Alpha: algo.DefaultOptions().Alpha}
	p := &plan{bench: b}
	err := b.eachModel(func(name string, m *algo.Model, pair *pair) error {
		if m.Card.Schema == algo.Constant {
			return nil
		}
		key, err := b.modelKey(name, fmt.Sprintf("explain, %d", b.molecules), pair.OOD)
		add(p, key, pair.file()+"/explain", b.molecules, func(ctx context.Context) (*explainPair, error) { return b.explainPair(ctx, m, pair) },
			func(e *explainPair) { r.Pairs = append(r.Pairs, e) })
		return err
	})
	if err == nil && len(p.cells) == 0 {
		err = usage.Errorf("--models: none of them reads molecules")
	}
	if err != nil {
		return nil, err
	}
	return r, p.do(ctx)
}

// A replacer measures edits of a pair's molecules.
type replacer struct {
	alone *algo.SingleScorer
	form  molecule.Form
	alpha float64
	rng   *rand.Rand
}

func (b *bench) explainPair(ctx context.Context, m *algo.Model, p *pair) (*explainPair, error) {
	alone, err := algo.NewSingleScorer(ctx, m, 1)
	if err != nil {
		return nil, err
	}
	r := &replacer{alone, algo.FormOf(m.Card.Schema), algo.DefaultOptions().Alpha, rand.New(rand.NewPCG(1, decisionStream))}
	list, err := b.outsiders(ctx, r, p.OOD)
	if err != nil {
		return nil, err
	}
	tallies := []*fallTally{{edit: "to hydrogen"}, {edit: "to carbon"}}
	for _, m := range list {
		x, out, err := r.blame(ctx, m)
		if err == nil {
			err = r.hydrogens(ctx, tallies[0], m, x, out)
		}
		if err == nil {
			err = r.carbons(ctx, tallies[1], m, x, out)
		}
		if err != nil {
			return nil, err
		}
	}
	e := &explainPair{Pair: p.name()}
	for _, t := range tallies {
		e.Falls = append(e.Falls, t.fall())
	}
	return e, nil
}

// Sizes of measured molecules.
const leastReplaced, mostReplaced = 8, 60

// outsiders are evenly drawn molecules outside, in the model's form without stereochemistry.
func (b *bench) outsiders(ctx context.Context, r *replacer, set string) ([]*molecule.Molecule, error) {
	_, all, err := readMolecules(ctx, b.data, set, molecule.AsWritten, 1)
	if err != nil {
		return nil, err
	}
	// Only these are considered: large sets are not read to the end.
	step := max(1, len(all)/(5*b.molecules))
	var list []*molecule.Molecule
	for k := 0; k < len(all) && len(list) < b.molecules; k += step {
		m, err := smiles.Parse(all[k])
		if err != nil {
			return nil, err
		}
		m, _, _ = smiles.In(flat(m), r.form)
		if len(m.Atoms) < leastReplaced || len(m.Atoms) > mostReplaced {
			continue
		}
		scores, err := r.scores(ctx, m)
		if err != nil {
			return nil, err
		}
		if _, v := r.alone.Judge(scores, r.alpha); v[0] == decide.Outside {
			list = append(list, m)
		}
	}
	return list, nil
}

func (r *replacer) scores(ctx context.Context, ms ...*molecule.Molecule) ([]float64, error) {
	gs := make([]*graph.Graph, len(ms))
	for i, m := range ms {
		read, _, _ := smiles.In(m, r.form)
		gs[i] = read.Graph()
	}
	return r.alone.Scores(ctx, gs)
}

// blame explains a molecule, and returns by how much the score falls without each atom, neighbours
// keeping their features: the score of a broken molecule.
func (r *replacer) blame(ctx context.Context, m *molecule.Molecule) (*algo.Explanation, []float64, error) {
	g := m.Graph()
	x, err := r.alone.Explain(ctx, g, r.alpha)
	if err != nil {
		return nil, nil, err
	}
	var broken []*graph.Graph
	for i := range g.N() {
		broken = append(broken, g.Select(func(node int) bool { return node != i }))
	}
	out, err := r.alone.Scores(ctx, broken)
	for i := range out {
		out[i] = x.Score - out[i]
	}
	return x, out, err
}

// hydrogens measures substituents: the most blamed one that has others of its size.
func (r *replacer) hydrogens(ctx context.Context, t *fallTally, m *molecule.Molecule, x *algo.Explanation, out []float64) error {
	all := substituents(m)
	sizes := map[int]int{}
	for _, s := range all {
		sizes[len(s)]++
	}
	all = slices.DeleteFunc(all, func(s []int) bool { return sizes[len(s)] < 2 })
	if len(all) == 0 {
		return nil
	}
	blamed := first(all, x.Contributions)
	same := slices.DeleteFunc(all, func(s []int) bool { return len(s) != len(blamed) })
	others := slices.DeleteFunc(slices.Clone(same), func(s []int) bool { return slices.Equal(s, blamed) })
	return r.measure(ctx, t, m, x, toHydrogen, [][]int{blamed}, [][]int{first(same, out)}, others)
}

// first is the set with the largest sum of values.
func first(sets [][]int, values []float64) []int {
	return slices.MaxFunc(sets, func(a, b []int) int {
		if d := sumOf(values, a) - sumOf(values, b); d != 0 {
			return int(math.Copysign(1, d))
		}
		return 0
	})
}

// draws is the number of random sets of atoms.
const draws = 20

// carbons measures connected atoms.
func (r *replacer) carbons(ctx context.Context, t *fallTally, m *molecule.Molecule, x *algo.Explanation, out []float64) error {
	near, n := around(m), max(1, len(m.Atoms)/5)
	var others [][]int
	for range draws {
		if s := anyOf(near, n, r.rng); s != nil {
			others = append(others, s)
		}
	}
	return r.measure(ctx, t, m, x, toCarbon, mostOf(near, n, x.Contributions), mostOf(near, n, out), others)
}

// measure compares the first replaceable blamed set with the others, and with the first by leaving
// out.
func (r *replacer) measure(ctx context.Context, t *fallTally, m *molecule.Molecule, x *algo.Explanation, do edit, blamed, leftOut, others [][]int) error {
	plain := smiles.Write(m)
	changed := func(sets [][]int, most int) []*molecule.Molecule {
		var list []*molecule.Molecule
		for _, s := range sets {
			if c, ok := do(m, s); ok && len(list) < most && smiles.Write(c) != plain {
				list = append(list, c)
			}
		}
		return list
	}
	list := slices.Concat(changed(blamed, 1), changed(leftOut, 1))
	if len(list) < 2 {
		return nil
	}
	list = append(list, changed(others, draws)...)
	if len(list) == 2 {
		return nil
	}
	scores, err := r.scores(ctx, list...)
	if err != nil {
		return err
	}
	t.add(x, scores)
	return nil
}

// A fallTally sums up an edit.
type fallTally struct {
	edit                           string
	score, blamed, leftOut, random []float64
	cleared, clearedRandom         float64
}

// add adds the scores after replacing the blamed set, the one that leaving out puts first, and the
// others.
func (t *fallTally) add(x *algo.Explanation, scores []float64) {
	mean, cleared, n := 0.0, 0.0, float64(len(scores)-2)
	for _, s := range scores[2:] {
		mean += (x.Score - s) / n
		if s < x.Limit {
			cleared += 1 / n
		}
	}
	if scores[0] < x.Limit {
		t.cleared++
	}
	t.clearedRandom += cleared
	t.score = append(t.score, x.Score)
	t.blamed = append(t.blamed, x.Score-scores[0])
	t.leftOut = append(t.leftOut, x.Score-scores[1])
	t.random = append(t.random, mean)
}

func (t *fallTally) fall() fall {
	n := float64(len(t.score))
	mean := func(v []float64) rate { m, _ := metric.MeanStd(v); return rate(m) }
	better := 0.0
	gains := make([]float64, len(t.score))
	for i := range gains {
		if gains[i] = t.blamed[i] - t.random[i]; gains[i] > 0 {
			better++
		}
	}
	gain, std := metric.MeanStd(gains)
	return fall{
		Edit: t.edit, Molecules: len(t.score), Score: mean(t.score), Blamed: mean(t.blamed), Random: mean(t.random), LeftOut: mean(t.leftOut),
		Gain: rate(gain), GainHalf: rate(1.96 * std / math.Sqrt(n)), Better: rate(better / n),
		Cleared: rate(t.cleared / n), ClearedRandom: rate(t.clearedRandom / n),
	}
}

func (r explainResult) page() *page {
	type row struct {
		pair string
		fall
	}
	var rows []row
	sums := map[string][]float64{}
	for k := range r.Pairs[0].Falls {
		for _, p := range r.Pairs {
			f := p.Falls[k]
			rows, sums[f.Edit] = append(rows, row{p.Pair, f}), append(sums[f.Edit], float64(f.Better))
		}
	}
	number := func(of func(row) rate) func(row) any {
		return func(x row) any { return decimals(float64(of(x)), 2) }
	}
	p := &page{
		title: "Whether the atoms that are blamed make the score",
		question: fmt.Sprintf(`How far does a score fall when the atoms that are blamed are replaced? Molecules of the second set of a pair that the model of the first calls outside at α = %g: a substituent
becomes a hydrogen, or a fifth of the atoms saturated carbon. Falls are in standard deviations of training graphs: of the part with the largest contributions (blamed), of others of
its size (random), and of the part that leaving atoms out puts first (left out). Gain is blamed less random, with its interval of 95 %%.`, r.Alpha),
		tables: []*pageTable{tabulate("", rows,
			column[row]{"pair", func(x row) any { return x.pair }}, column[row]{"edit", func(x row) any { return x.Edit }},
			column[row]{"molecules", func(x row) any { return x.Molecules }},
			column[row]{"blamed", number(func(x row) rate { return x.Blamed })}, column[row]{"random", number(func(x row) rate { return x.Random })},
			column[row]{"left out", number(func(x row) rate { return x.LeftOut })},
			column[row]{"gain", func(x row) any { return fmt.Sprintf("%.2f ± %.2f", x.Gain, x.GainHalf) }})},
	}
	for _, edit := range distinct(rows, func(x row) string { return x.Edit }) {
		p.answer = append(p.answer, fmt.Sprintf("%s: the blamed part makes more of the score than others in %.0f %% of the molecules, on average over the pairs.", title(edit), 100*meanOver(sums[edit])))
	}
	return p
}
