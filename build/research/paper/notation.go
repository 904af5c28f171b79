package paper

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/rewrite"
	"baca/algo/molecule/smiles"
	"baca/build/internal/try"
	"baca/build/internal/version"
)

func notation() *experiment {
	return &experiment{
		name: "notation", page: "notation.md", read: readAs[notationResult], measure: measureNotation,
		short: "Measure how verdicts depend on the way a compound is written",
		flags: [][2]string{{"models", ""}, {"others", "lipo"}, {"molecules", "400"}},
	}
}

// A notationPair is a compound that is written in two ways.
type notationPair struct {
	Kind      string `json:"kind"`
	Other     bool   `json:"other_parent"` // it may have another parent
	Written   string `json:"written"`
	Rewritten string `json:"rewritten"`
}

// notationPairs are compounds that people ask about.
var notationPairs = []notationPair{
	{"benzene and benzene-d6", false, "c1ccccc1", "[2H]c1c([2H])c([2H])c([2H])c([2H])c1[2H]"},
	{"tetrabenazine and deutetrabenazine", false, "COc1cc2c(cc1OC)C1CC(=O)C(CC(C)C)CN1CC2", "[2H]C([2H])([2H])Oc1cc2c(cc1OC([2H])([2H])[2H])C1CC(=O)C(CC(C)C)CN1CC2"},
	{"omeprazole, 5- and 6-methoxy", false, "COc1ccc2[nH]c(nc2c1)S(=O)Cc1ncc(C)c(OC)c1C", "COc1ccc2nc([nH]c2c1)S(=O)Cc1ncc(C)c(OC)c1C"},
	{"2-pyridone and 2-hydroxypyridine", true, "O=c1cccc[nH]1", "Oc1ccccn1"},
}

// formsOf writes molecules in every way in which it is possible, and orders the pairs by way.
func formsOf(texts []string) (pairs []notationPair) {
	rng := rand.New(rand.NewPCG(1, decisionStream))
	for _, kind := range rewrite.Kinds {
		for _, text := range texts {
			m := try.To(smiles.Parse(text))
			parent, atoms, _ := smiles.Parent(m)
			if !smiles.IsOrganic(parent) {
				atoms = nil // it gets no form of an organic kind
			}
			if form := kind.Form(m, atoms, rng); form != nil {
				written := smiles.Write(form)
				if _, err := smiles.Parse(written); err == nil { // else there is no such tautomer
					pairs = append(pairs, notationPair{kind.Name, kind.Other, text, written})
				}
			}
		}
	}
	return pairs
}

// A notationRow counts the changes by one way of writing molecules.
type notationRow struct {
	Kind      string `json:"kind"`
	Other     bool   `json:"other_parent"`
	Molecules int    `json:"molecules"`
	Scores    int    `json:"score_changed"`
	Verdicts  int    `json:"verdict_changed"`
	Before    int    `json:"outside_as_written"`
	After     int    `json:"outside_rewritten"`
}

// A notationSet is what a model says of the molecules of a set, or of notationPairs.
type notationSet struct {
	Model  string        `json:"model"`
	Schema string        `json:"schema"`
	Set    string        `json:"set"`
	Rows   []notationRow `json:"rows"`
}

type notationResult struct {
	Program string         `json:"program"`
	Alpha   float64        `json:"alpha"`
	Sets    []notationSet  `json:"sets"`
	Pairs   []notationPair `json:"pairs"`
}

// drawStream is the second half of the seed of the molecules of other sets.
const drawStream = 0xba1a_1022

// knownCompounds is the name of notationPairs among the sets.
const knownCompounds = "known compounds"

// measureNotation compares both ways of writing compounds by each model of molecules, on its own set, the others and notationPairs.
func measureNotation(ctx context.Context, b *bench) result {
	r := notationResult{Program: version.String(), Alpha: algo.DefaultOptions().Alpha, Pairs: notationPairs}
	others := strings.Split(b.otherList, ",")
	scored := slices.Concat(others, []string{knownCompounds})
	forms := b.otherForms(ctx, others)
	eachModel(ctx, b, "reads molecules", func(m *builtIn) []string {
		if !m.readsMolecules() {
			return nil
		}
		return append(m.own(), others...)
	}, func(ctx context.Context, m *builtIn) []notationSet {
		return b.notationCell(ctx, m, forms, scored)
	}, func(sets []notationSet) { r.Sets = append(r.Sets, sets...) })
	return r
}

// own returns the training set of a model, none for the broad models, whose sets are not public.
func (m *builtIn) own() []string {
	if m.pair == nil {
		return nil
	}
	return []string{m.pair.ID}
}

// otherForms returns the pairs of notationPairs and of molecules drawn from sets that no model was trained on, by set.
func (b *bench) otherForms(ctx context.Context, others []string) map[string][]notationPair {
	forms := map[string][]notationPair{knownCompounds: notationPairs}
	for _, name := range others {
		_, texts := readMolecules(ctx, b.data, name, molecule.AsWritten, b.workers)
		drawn := rand.New(rand.NewPCG(1, drawStream)).Perm(len(texts))
		forms[name] = formsOf(pick(texts, drawn[:min(b.molecules, len(texts))]))
	}
	return forms
}

// notationCell measures a model on the held-out molecules of its own set, and on the pairs of other sets, which forms has.
func (b *bench) notationCell(ctx context.Context, m *builtIn, forms map[string][]notationPair, others []string) (sets []notationSet) {
	own := m.own()
	for k, set := range slices.Concat(own, others) {
		pairs := forms[set]
		if k < len(own) {
			_, texts := readMolecules(ctx, b.data, set, m.Form(), 1)
			checkSet(m.Model, len(texts))
			pairs = formsOf(pick(texts, m.Card.HoldoutRows))
		}
		sets = append(sets, notationSet{m.name, m.Card.Schema, set, compareForms(ctx, m.Model, pairs)})
	}
	return sets
}

// compareForms scores both ways of writing molecules, and counts by kind what changed.
func compareForms(ctx context.Context, m *algo.Model, pairs []notationPair) (rows []notationRow) {
	scorer := try.To(algo.NewSingleScorer(ctx, m, 1))
	var gs []*graph.Graph
	for _, p := range pairs {
		for _, text := range []string{p.Written, p.Rewritten} {
			g, _, err := smiles.ParseIn(text, m.Form())
			try.Check(err)
			gs = append(gs, g)
		}
	}
	scores := try.To(scorer.Scores(ctx, gs))
	_, verdicts := scorer.Judge(scores, algo.DefaultOptions().Alpha)
	one := map[bool]int{true: 1} // a condition as a count
	for k, p := range pairs {
		s, v := scores[2*k:2*k+2], verdicts[2*k:2*k+2]
		before, after := one[v[0] == decide.Outside], one[v[1] == decide.Outside]
		rows = tallied(rows, notationRow{p.Kind, p.Other, 1, one[s[0] != s[1]], one[v[0] != v[1]], before, after})
	}
	return rows
}

// tallied adds the counts of n to the row of its kind, or appends it as the first of its kind.
func tallied(rows []notationRow, n notationRow) []notationRow {
	k := slices.IndexFunc(rows, func(r notationRow) bool { return r.Kind == n.Kind })
	if k < 0 {
		return append(rows, n)
	}
	r := &rows[k]
	r.Molecules, r.Scores, r.Verdicts = r.Molecules+n.Molecules, r.Scores+n.Scores, r.Verdicts+n.Verdicts
	r.Before, r.After = r.Before+n.Before, r.After+n.After
	return rows
}

func (r notationResult) page() *page {
	var all []notationRow
	models := distinct(r.Sets, func(s notationSet) string { return s.Model })
	for _, s := range r.Sets {
		for _, row := range s.Rows {
			all = tallied(all, row)
		}
	}
	cells := func(row notationRow) []any {
		kind, share := row.Kind, func(n int) float64 { return float64(n) / float64(row.Molecules) }
		if row.Other {
			kind = "*" + kind + "*"
		}
		return []any{kind, row.Molecules, share(row.Scores), share(row.Verdicts), share(row.Before), share(row.After)}
	}
	same, changed := 0, 0
	for _, row := range all {
		if !row.Other {
			same, changed = same+row.Molecules, changed+row.Verdicts
		}
	}
	return &page{
		title: "Compounds written in other ways",
		question: fmt.Sprintf(`Does a verdict depend on how a compound is written? Molecules that %d models have not seen, and known
compounds, are written in other ways and scored by themselves at α = %g. In percent: score changed in any bit, verdict changed, called
outside as written and rewritten. Kinds in italics may be another compound to a model.`, len(models), r.Alpha),
		tables: []*pageTable{tabulate("", []string{"kind", "molecules", "score", "verdict", "before", "after"}, all, cells)},
		answer: []string{fmt.Sprintf("Of %d molecules written in another way that has the same parent, %d have another verdict.", same, changed)},
	}
}
