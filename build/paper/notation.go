package paper

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/rewrite"
	"baca/algo/molecule/smiles"
	"baca/build/internal/usage"
	"baca/build/internal/version"
)

// A notationBench measures what the built-in models say of compounds written in other ways.
type notationBench struct {
	modelBench
	others []string
}

func newNotation() *cobra.Command {
	var b notationBench
	c := &cobra.Command{
		Use:   "notation --data DIR --out DIR",
		Short: "Measure how verdicts depend on the way a compound is written",
		Long: `Notation writes molecules that a built-in model has not seen in other ways: without stereo
marks, with deuterium, as salts, with protons added or taken, as other tautomers, and with
their atoms in another order. It counts how often the score of a molecule changes, and how
often its verdict does, and writes notation.json and notation.md to --out.`,
		Args: usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := b.check(); err != nil {
				return err
			}
			b.stderr = c.ErrOrStderr()
			return b.notation(c.Context())
		},
	}
	fs := c.Flags()
	fs.StringSliceVar(&b.others, "others", []string{"lipo"}, "`names` of sets that no model was trained on")
	b.register(fs, "molecules", 400, "of each of the other sets")
	return c
}

// A notationPair is a compound that is written in two ways.
type notationPair struct {
	Kind      string `json:"kind"`
	Other     bool   `json:"other_parent"` // it may have another parent
	Written   string `json:"written"`
	Rewritten string `json:"rewritten"`
}

// broadModels are embedded ones that are not of the paper's pairs.
var broadModels = []string{"drugs", "bioactive"}

// notationPairs are compounds that people ask about.
var notationPairs = []notationPair{
	{"benzene and benzene-d6", false, "c1ccccc1", "[2H]c1c([2H])c([2H])c([2H])c([2H])c1[2H]"},
	{"tetrabenazine and deutetrabenazine", false, "COc1cc2c(cc1OC)C1CC(=O)C(CC(C)C)CN1CC2", "[2H]C([2H])([2H])Oc1cc2c(cc1OC([2H])([2H])[2H])C1CC(=O)C(CC(C)C)CN1CC2"},
	{"omeprazole, 5- and 6-methoxy", false, "COc1ccc2[nH]c(nc2c1)S(=O)Cc1ncc(C)c(OC)c1C", "COc1ccc2nc([nH]c2c1)S(=O)Cc1ncc(C)c(OC)c1C"},
	{"2-pyridone and 2-hydroxypyridine", true, "O=c1cccc[nH]1", "Oc1ccccn1"},
}

// formsOf writes molecules in all ways, one way after the other.
func formsOf(texts []string) (pairs []notationPair, err error) {
	rng := rand.New(rand.NewPCG(1, decisionStream))
	for _, kind := range rewrite.Kinds {
		for _, text := range texts {
			m, err := smiles.Parse(text)
			if err != nil {
				return nil, err
			}
			parent, atoms, _ := smiles.Parent(m)
			if !smiles.IsOrganic(parent) {
				atoms = nil
			}
			if form := kind.Form(m, atoms, rng); form != nil {
				written := smiles.Write(form)
				if _, err := smiles.Parse(written); err == nil { // else there is no such tautomer
					pairs = append(pairs, notationPair{kind.Name, kind.Other, text, written})
				}
			}
		}
	}
	return pairs, nil
}

// A notationRow counts what came of one way of writing molecules.
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

func (b *notationBench) notation(ctx context.Context) error {
	result := &notationResult{Program: version.String(), Alpha: algo.DefaultOptions().Alpha, Pairs: notationPairs}
	others := map[string][]notationPair{"known compounds": notationPairs}
	for _, name := range b.others {
		_, texts, err := readMolecules(ctx, b.data, name, molecule.AsWritten, b.workers)
		if err == nil {
			drawn := rand.New(rand.NewPCG(1, drawStream)).Perm(len(texts))
			others[name], err = formsOf(pick(texts, drawn[:min(b.splits, len(texts))]))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	measure := func(name string, m *algo.Model, own ...string) error {
		for _, set := range slices.Concat(own, b.others, []string{"known compounds"}) {
			rows, err := compareForms(ctx, m, b.workers, others[set])
			if err != nil {
				return fmt.Errorf("%s on %s: %w", name, set, err)
			}
			result.Sets = append(result.Sets, notationSet{name, m.Card.Schema, set, rows})
		}
		return nil
	}
	err := b.each(func(name string, m *algo.Model, p *pair) error {
		if m.Card.Schema == algo.Constant {
			return nil
		}
		_, texts, err := readMolecules(ctx, b.data, p.ID, algo.FormOf(m.Card.Schema), b.workers)
		if err == nil && len(texts) != m.Card.Graphs {
			err = fmt.Errorf("the set has %d graphs, the model was made from %d", len(texts), m.Card.Graphs)
		}
		if err == nil {
			others[p.ID], err = formsOf(pick(texts, m.Card.HoldoutRows))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return measure(name, m, p.ID)
	})
	// The sets of the broad models are not among the public ones.
	for _, name := range broadModels {
		if err == nil && (len(b.models) == 0 || slices.Contains(b.models, name)) {
			var m *algo.Model
			if m, err = b.open(name); err == nil {
				err = measure(name, m)
			}
		}
	}
	if err != nil {
		return err
	}
	if len(result.Sets) == 0 {
		return usage.Errorf("--models %s: none of them reads molecules", strings.Join(b.models, ","))
	}
	return save(b.out, "notation", result, result.report())
}

// compareForms scores both ways of writing molecules.
func compareForms(ctx context.Context, m *algo.Model, workers int, pairs []notationPair) (rows []notationRow, err error) {
	scorer, err := algo.NewSingleScorer(ctx, m, workers)
	if err != nil {
		return nil, err
	}
	var gs []*graph.Graph
	for _, p := range pairs {
		for _, text := range []string{p.Written, p.Rewritten} {
			g, _, err := smiles.ParseIn(text, algo.FormOf(m.Card.Schema))
			if err != nil {
				return nil, err
			}
			gs = append(gs, g)
		}
	}
	scores, err := scorer.Scores(ctx, gs)
	if err != nil {
		return nil, err
	}
	_, verdicts := scorer.Judge(scores, algo.DefaultOptions().Alpha)
	one := map[bool]int{true: 1}
	for k, p := range pairs {
		s, v := scores[2*k:2*k+2], verdicts[2*k:2*k+2]
		rows = tallied(rows, notationRow{p.Kind, p.Other, 1, one[s[0] != s[1]], one[v[0] != v[1]], one[v[0] == decide.Outside], one[v[1] == decide.Outside]})
	}
	return rows, nil
}

// tallied adds a row to the one of its kind.
func tallied(rows []notationRow, n notationRow) []notationRow {
	k := slices.IndexFunc(rows, func(r notationRow) bool { return r.Kind == n.Kind })
	if k < 0 {
		return append(rows, n)
	}
	r := &rows[k]
	r.Molecules, r.Scores, r.Verdicts, r.Before, r.After = r.Molecules+n.Molecules, r.Scores+n.Scores, r.Verdicts+n.Verdicts, r.Before+n.Before, r.After+n.After
	return rows
}

// report is for people.
func (r *notationResult) report() *markdown {
	m := new(markdown)
	m.text(`# Compounds written in other ways

Written by

    baca-paper bench notation --data DIR --out build/results

with baca %s on %s/%s. Molecules that the models were not trained on, and molecules of other sets, are written in other
ways and scored by themselves at α = %g. "Score changed" counts molecules whose score differs in any bit,
"verdict changed" those that went from one to another of inside, borderline and outside. Kinds in italics may be another
compound to a model: the parent that it reads is one for tautomers of azoles and simple amidines, and for no others.

`, r.Program, runtime.GOOS, runtime.GOARCH, r.Alpha)
	all := notationSet{Model: "All models", Set: "all molecules", Schema: "their own"}
	for _, s := range r.Sets {
		for _, row := range s.Rows {
			all.Rows = tallied(all.Rows, row)
		}
	}
	for _, s := range slices.Insert(slices.Clone(r.Sets), 0, all) {
		m.text("## %s, %s\n\nThe schema is %s.\n\n", s.Model, s.Set, s.Schema)
		table := m.tableOf("kind", "molecules", "score changed", "verdict changed", "called outside, as written → rewritten")
		for _, row := range s.Rows {
			name := row.Kind
			if row.Other {
				name = "*" + name + "*"
			}
			percent := func(n int) string { return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(row.Molecules)) }
			table.row(words("%s", name), words("%d", row.Molecules), words("%s", percent(row.Scores)), words("%s", percent(row.Verdicts)), words("%s → %s", percent(row.Before), percent(row.After)))
		}
		m.text("\n")
	}
	return m
}
