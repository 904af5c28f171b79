package paper

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/metric"
	"baca/build/internal/progress"
	"baca/build/internal/usage"
	"baca/build/internal/version"
)

// companyFDR is the rate of false discoveries that is asked for.
const companyFDR = 0.1

func newCompany() *cobra.Command {
	var b modelBench
	c := &cobra.Command{
		Use:   "company --data DIR --out DIR",
		Short: "Measure false alarms on lists of one kind of molecule",
		Long: `Company asks what the built-in models of molecules call a list of one kind, such as
nitro compounds, salts or long chains, that is as in-distribution as any other. The
graphs that training left out are parted at random into a reference, which gives p-values, and
graphs that are tested; of these every kind is a list. It measures

  the share that is called outside, by each graph itself and by batch_verdict,
  the share of lists in which --fdr 0.1 calls anything outside, which is always false,

kind by kind and pooled, and writes company.json and company.md to --out. Lists of fewer
than 20 graphs are no batch.`,
		Args: usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := b.check(); err != nil {
				return err
			}
			b.stderr = c.ErrOrStderr()
			return b.company(c.Context())
		},
	}
	fs := c.Flags()
	fs.StringVar(&b.data, "data", "", "`folder` with mol/NAME.csv[.gz]")
	fs.StringSliceVar(&b.models, "models", nil, "embedded models by `name`, all of molecules without")
	b.register(fs, "splits", 20, "of reference and tested graphs")
	return c
}

// A companyShare is a share with its 95 % interval, in percent.
type companyShare struct {
	Share rate    `json:"share"`
	Low   rate    `json:"low"`
	High  rate    `json:"high"`
	Of    float64 `json:"of"` // different graphs, or lists
}

func newCompanyShare(share, of float64) companyShare {
	low, high := metric.Wilson(share*of, of)
	return companyShare{rate(share), rate(low), rate(high), of}
}

func (s companyShare) String() string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f (%.1f – %.1f)", 100*s.Share, 100*s.Low, 100*s.High)
}

// A companyGroup is what came of the lists of one kind.
type companyGroup struct {
	Kind   string `json:"kind"`
	Graphs int    `json:"graphs"` // different ones
	Lists  int    `json:"lists"`
	// The intervals of shares of graphs are for as many as differ.
	Alone     companyShare `json:"alone"`
	Batch     companyShare `json:"batch_verdict"` // of lists that are a batch
	Discovery companyShare `json:"any_discovery"`
}

type companyModel struct {
	Model     string         `json:"model"`
	Reference int            `json:"reference"` // graphs of each split
	Tested    int            `json:"tested"`
	Groups    []companyGroup `json:"groups"`
}

type companyResult struct {
	Program string          `json:"program"`
	Splits  int             `json:"splits"`
	Alpha   float64         `json:"alpha"`
	FDR     float64         `json:"fdr"`
	Models  []*companyModel `json:"models"`
}

func (b *modelBench) company(ctx context.Context) error {
	result := &companyResult{Program: version.String(), Splits: b.splits, Alpha: algo.DefaultOptions().Alpha, FDR: companyFDR}
	err := b.each(func(name string, m *algo.Model, p *pair) error {
		if m.Card.Schema == algo.Constant {
			return nil
		}
		c, err := b.companyOf(ctx, name, m, p)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		result.Models = append(result.Models, c)
		return nil
	})
	if err != nil {
		return err
	}
	if len(result.Models) == 0 {
		return usage.Errorf("--models %s: none of them reads molecules", strings.Join(b.models, ","))
	}
	return save(b.out, "company", result, result.report())
}

// companyOf measures one model.
func (b *modelBench) companyOf(ctx context.Context, name string, m *algo.Model, p *pair) (*companyModel, error) {
	r, err := b.heldOut(ctx, m, p.ID)
	if err != nil {
		return nil, err
	}
	bar := progress.New(b.stderr, "lists of "+name, int64(b.splits*len(r.graphs)))
	defer bar.Done()
	groups, err := r.company(ctx, b.splits, bar)
	return &companyModel{Model: name, Reference: r.split, Tested: r.tested, Groups: groups}, err
}

// A companyTally sums up the lists of one kind.
type companyTally struct {
	graphs, batched map[int]bool // of the held-out ones
	// Sums over graphs of lists.
	n, alone, nBatch, batch float64
	// Lists, and those with a discovery.
	lists, found float64
}

func newCompanyTally() *companyTally {
	return &companyTally{graphs: map[int]bool{}, batched: map[int]bool{}}
}

func (t *companyTally) group(kind string) companyGroup {
	return companyGroup{
		Kind: kind, Graphs: len(t.graphs), Lists: int(t.lists),
		Alone: newCompanyShare(t.alone/t.n, float64(len(t.graphs))), Batch: newCompanyShare(t.batch/t.nBatch, float64(len(t.batched))),
		Discovery: newCompanyShare(t.found/t.lists, t.lists),
	}
}

// company measures lists of one kind, over many splits.
func (r *heldOut) company(ctx context.Context, splits int, bar *progress.Progress) ([]companyGroup, error) {
	kinds := kindsOf(r.graphs)
	tallies := map[string]*companyTally{kindPooled: newCompanyTally()}
	for k := range uint64(splits) {
		rng, tested, reference := r.halves(k + 1)
		m, alone, err := r.withReference(ctx, reference)
		if err != nil {
			return nil, err
		}
		single := decide.PValues(pick(r.scores, tested), alone.Holdout())
		for _, list := range r.lists(rng, kinds, tested) {
			if tallies[list.kind] == nil {
				tallies[list.kind] = newCompanyTally()
			}
			into := []*companyTally{tallies[list.kind]}
			if list.focused() {
				into = append(into, tallies[kindPooled])
			}
			places := pick(tested, list.index)
			var rows []algo.Row
			if len(places) >= algo.MinBatch {
				s, err := r.scorer(ctx, m, alone, k+1)
				if err != nil {
					return nil, err
				}
				report, err := s.Batch(ctx, pick(r.graphs, places))
				if err != nil {
					return nil, err
				}
				rows = report.Rows
			}
			for _, t := range into {
				t.add(places, pick(single, list.index), rows)
			}
		}
		bar.Add(int64(len(r.graphs)))
	}
	var groups []companyGroup
	for _, kind := range slices.Concat(kinds.names(), []string{kindPooled, kindAll}) {
		if t := tallies[kind]; t != nil && t.lists > 0 {
			groups = append(groups, t.group(kind))
		}
	}
	return groups, nil
}

// add counts a list of held-out graphs with their p-values by themselves and, if it is a
// batch, its rows.
func (t *companyTally) add(places []int, p []float64, rows []algo.Row) {
	t.lists++
	for _, i := range places {
		t.graphs[i] = true
	}
	t.n += float64(len(p))
	t.alone += float64(countUpTo(p, algo.DefaultOptions().Alpha))
	if slices.Min(decide.QValues(p)) <= companyFDR {
		t.found++
	}
	for k, row := range rows {
		t.batched[places[k]] = true
		t.nBatch++
		if row.BatchVerdict == decide.Outside {
			t.batch++
		}
	}
}

// A mean is one of shares, in percent.
type mean struct{ sum, of float64 }

func (m *mean) add(s companyShare) {
	if s.Of > 0 {
		m.sum, m.of = m.sum+float64(s.Share)*s.Of, m.of+s.Of
	}
}

func (m mean) String() string {
	if m.of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*m.sum/m.of)
}

// report is for people.
func (r *companyResult) report() *markdown {
	m := new(markdown)
	m.text(`# What lists of one kind are called

Written by

    baca bench company --data DIR --out build/results --splits %d

with baca %s on %s/%s. The graphs that training left out are parted at random, %d times, into a reference and
graphs that are tested. Lists of one kind of these are as in-distribution as any: whatever is called outside is
a false alarm. "Alone" is the share called outside at α = %g by each graph itself, "batch_verdict" that by the
batch that the list is, where it has %d graphs or more, and "any discovery" the share of lists in which
--fdr %g calls anything outside. In percent, with 95 %% intervals (Wilson) for as many graphs as differ, or as
many lists; splits are not independent of each other. "Core" are the most frequent ring systems with what links
them; lists of %s are the nearest to a graph that was drawn.
`, r.Splits, r.Program, runtime.GOOS, runtime.GOARCH, r.Splits, r.Alpha, algo.MinBatch, r.FDR, kindClose)
	head := []string{"kind", "graphs", "lists", "alone", "batch_verdict", "any discovery"}
	m.text("\n## All models\n\nThe mean over the models, each by how many graphs or lists it has.\n\n")
	table := m.tableOf(head...)
	for _, kind := range slices.Concat(sizeKinds(), []string{kindPooled, kindAll}) {
		graphs, lists, alone, batch, found := 0, 0, mean{}, mean{}, mean{}
		for _, c := range r.Models {
			for _, g := range c.Groups {
				if g.Kind == kind {
					graphs, lists = graphs+g.Graphs, lists+g.Lists
					alone.add(g.Alone)
					batch.add(g.Batch)
					found.add(g.Discovery)
				}
			}
		}
		table.row(words("%s", kind), words("%d", graphs), words("%d", lists), words("%s", alone), words("%s", batch), words("%s", found))
	}
	for _, c := range r.Models {
		m.text("\n## %s\n\n%d graphs of reference, %d tested.\n\n", c.Model, c.Reference, c.Tested)
		table := m.tableOf(head...)
		for _, g := range c.Groups {
			name := g.Kind
			if name == kindPooled {
				name = "**pooled**"
			}
			table.row(words("%s", name), words("%d", g.Graphs), words("%d", g.Lists), words("%s", g.Alone), words("%s", g.Batch), words("%s", g.Discovery))
		}
	}
	return m
}
