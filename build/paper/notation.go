package paper

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/molecule/rewrite"
	"baca/algo/molecule/smiles"
	"baca/build/internal/progress"
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
	fs.StringVar(&b.data, "data", "", "`folder` with mol/NAME.csv[.gz]")
	fs.StringSliceVar(&b.models, "models", nil, "embedded models by `name`, all of molecules without")
	fs.StringSliceVar(&b.others, "others", []string{"lipo"}, "`names` of sets that no model was trained on")
	b.register(fs, "molecules", 400, "of each of the other sets")
	return c
}

// A notationPair is a compound that is written in two ways.
type notationPair struct {
	Name    string `json:"name"`
	Written string `json:"written"`
	Other   string `json:"rewritten"`
}

// notationPairs are compounds that people ask about.
var notationPairs = []notationPair{
	{"benzene and benzene-d6", "c1ccccc1", "[2H]c1c([2H])c([2H])c([2H])c([2H])c1[2H]"},
	{"tetrabenazine and deutetrabenazine", "COc1cc2c(cc1OC)C1CC(=O)C(CC(C)C)CN1CC2", "[2H]C([2H])([2H])Oc1cc2c(cc1OC([2H])([2H])[2H])C1CC(=O)C(CC(C)C)CN1CC2"},
	{"omeprazole, 5- and 6-methoxy", "COc1ccc2[nH]c(nc2c1)S(=O)Cc1ncc(C)c(OC)c1C", "COc1ccc2nc([nH]c2c1)S(=O)Cc1ncc(C)c(OC)c1C"},
	{"2-pyridone and 2-hydroxypyridine", "O=c1cccc[nH]1", "Oc1ccccn1"},
}

// A notationRow counts what came of one way of writing molecules.
type notationRow struct {
	Kind      string `json:"kind"`
	Other     bool   `json:"other_parent"` // the form may have another parent
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
	Set    string        `json:"set"` // that of the model: what it has not seen
	Rows   []notationRow `json:"rows"`
}

type notationResult struct {
	Program string         `json:"program"`
	Alpha   float64        `json:"alpha"`
	Sets    []*notationSet `json:"sets"`
	Pairs   []notationPair `json:"pairs"`
}

// notationKnown names the rows of notationPairs.
const notationKnown = "compounds below"

func (b *notationBench) notation(ctx context.Context) error {
	result := &notationResult{Program: version.String(), Alpha: algo.DefaultOptions().Alpha, Pairs: notationPairs}
	others := map[string][]string{}
	for _, name := range b.others {
		_, texts, err := readMolecules(ctx, b.data, name, molecule.AsWritten, b.workers)
		if err != nil {
			return err
		}
		drawn := rand.New(rand.NewPCG(1, drawStream)).Perm(len(texts))
		others[name] = pick(texts, drawn[:min(b.splits, len(texts))])
	}
	err := b.each(func(name string, m *algo.Model, p *pair) error {
		if m.Card.Schema == algo.Constant {
			return nil
		}
		_, texts, err := readMolecules(ctx, b.data, p.ID, algo.FormOf(m.Card.Schema), b.workers)
		if err == nil && len(texts) != m.Card.Graphs {
			err = fmt.Errorf("the set has %d graphs, the model was made from %d", len(texts), m.Card.Graphs)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		scorer, err := algo.NewSingleScorer(ctx, m, b.workers)
		if err != nil {
			return err
		}
		others[p.ID] = pick(texts, m.Card.HoldoutRows)
		for _, set := range append([]string{p.ID}, b.others...) {
			s := &notationSet{Model: name, Schema: m.Card.Schema, Set: set}
			if s.Rows, err = b.rewritten(ctx, m, scorer, name+" on "+set, others[set]); err != nil {
				return fmt.Errorf("%s on %s: %w", name, set, err)
			}
			result.Sets = append(result.Sets, s)
		}
		s := &notationSet{Model: name, Schema: m.Card.Schema, Set: notationKnown}
		for _, pair := range notationPairs {
			row := notationRow{Kind: pair.Name}
			if err := row.compare(ctx, m, scorer, pair.Written, pair.Other); err != nil {
				return err
			}
			s.Rows = append(s.Rows, row)
		}
		result.Sets = append(result.Sets, s)
		return nil
	})
	if err != nil {
		return err
	}
	if len(result.Sets) == 0 {
		return usage.Errorf("--models %s: none of them reads molecules", strings.Join(b.models, ","))
	}
	return save(b.out, "notation", result, result.report())
}

// rewritten measures each way of writing molecules.
func (b *notationBench) rewritten(ctx context.Context, m *algo.Model, scorer *algo.SingleScorer, title string, texts []string) ([]notationRow, error) {
	bar := progress.New(b.stderr, title, int64(len(texts)))
	defer bar.Done()
	rng := rand.New(rand.NewPCG(1, decisionStream))
	rows := make([]notationRow, len(rewrite.Kinds))
	for _, text := range texts {
		c, err := smiles.Parse(text)
		if err != nil {
			return nil, err
		}
		parent, atoms, _ := smiles.Parent(c)
		if !smiles.IsOrganic(parent) {
			atoms = nil
		}
		for k, kind := range rewrite.Kinds {
			rows[k].Kind, rows[k].Other = kind.Name, kind.Other
			form := kind.Form(c, atoms, rng)
			if form == nil {
				continue
			}
			written := smiles.Write(form)
			if _, err := smiles.Parse(written); err != nil {
				continue // there is no such tautomer
			}
			if err := rows[k].compare(ctx, m, scorer, text, written); err != nil {
				return nil, err
			}
		}
		bar.Add(1)
	}
	return rows, nil
}

// compare counts a molecule that is written in two ways.
func (r *notationRow) compare(ctx context.Context, m *algo.Model, scorer *algo.SingleScorer, written, rewritten string) error {
	var gs []*graph.Graph
	for _, text := range []string{written, rewritten} {
		g, _, err := smiles.ParseIn(text, algo.FormOf(m.Card.Schema))
		if err != nil {
			return err
		}
		gs = append(gs, g)
	}
	scores, err := scorer.Scores(ctx, gs)
	if err != nil {
		return err
	}
	_, verdicts := scorer.Judge(scores, algo.DefaultOptions().Alpha)
	one := map[bool]int{true: 1}
	r.Molecules++
	r.Scores += one[scores[0] != scores[1]]
	r.Verdicts += one[verdicts[0] != verdicts[1]]
	r.Before += one[verdicts[0] == decide.Outside]
	r.After += one[verdicts[1] == decide.Outside]
	return nil
}

// plus adds the counts of o.
func (r *notationRow) plus(o notationRow) {
	r.Kind, r.Other = o.Kind, o.Other
	r.Molecules, r.Scores, r.Verdicts, r.Before, r.After = r.Molecules+o.Molecules, r.Scores+o.Scores, r.Verdicts+o.Verdicts, r.Before+o.Before, r.After+o.After
}

// report is for people.
func (r *notationResult) report() *markdown {
	m := new(markdown)
	m.text(`# Compounds written in other ways

Written by

    baca bench notation --data DIR --out build/results

with baca %s on %s/%s. Molecules that the models were not trained on, and molecules of other sets, are written in other
ways and scored by themselves at α = %g. "Score changed" counts molecules whose score differs in any bit,
"verdict changed" those that went from one to another of inside, borderline and outside. Forms under
"other tautomers" are other compounds to the models: the parent that they read joins azoles and simple amidines only.

`, r.Program, runtime.GOOS, runtime.GOARCH, r.Alpha)
	head := []string{"kind", "molecules", "score changed", "verdict changed", "called outside, as written → rewritten"}
	write := func(rows []notationRow) {
		table := m.tableOf(head...)
		for _, other := range []bool{false, true} {
			for _, row := range rows {
				if row.Other != other || row.Molecules == 0 {
					continue
				}
				name := row.Kind
				if other {
					name = "*other tautomers:* " + name
				}
				percent := func(n int) string {
					if row.Molecules == 1 {
						return fmt.Sprint(n)
					}
					return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(row.Molecules))
				}
				table.row(words("%s", name), words("%d", row.Molecules), words("%s", percent(row.Scores)), words("%s", percent(row.Verdicts)), words("%s → %s", percent(row.Before), percent(row.After)))
			}
		}
		m.text("\n")
	}
	m.text("## All models\n\n")
	sum := make([]notationRow, len(rewrite.Kinds))
	for _, s := range r.Sets {
		if s.Set != notationKnown {
			for k, row := range s.Rows {
				sum[k].plus(row)
			}
		}
	}
	write(sum)
	for _, s := range r.Sets {
		m.text("## %s, %s\n\nThe schema is %s.\n\n", s.Model, s.Set, s.Schema)
		write(s.Rows)
	}
	m.text("The compounds:\n\n")
	for _, p := range r.Pairs {
		m.text("- %s: `%s`, `%s`\n", p.Name, p.Written, p.Other)
	}
	return m
}
