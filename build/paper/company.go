package paper

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/job"
	"baca/algo/metric"
	"baca/build/internal/usage"
	"baca/build/internal/version"
	"baca/weights"
)

// companyFDR is the rate of false discoveries that is asked for, companyAlphas are those of false
// alarms.
const companyFDR = 0.1

var companyAlphas = []float64{0.05, 0.1}

// A companyBench measures models that are trained on three quarters of a set.
type companyBench struct {
	bench
	sets          string // a list of names
	splits, steps int
}

// moleculeSets are the names of the sets that built-in models of molecules are of.
func moleculeSets() []string {
	var names []string
	for _, p := range paperPairs {
		if p.ID == strings.ToLower(p.ID) {
			names = append(names, p.ID)
		}
	}
	return names
}

func newCompany(train Trainer) *cobra.Command {
	b := &companyBench{}
	b.experiment, b.train = &experiment{name: "company"}, train
	c := &cobra.Command{
		Use: "company --data DIR --out DIR", Short: "Measure false alarms on lists of one kind of molecule", Args: usage.NoArgs,
		Long: `Company asks what a model of molecules calls a list of one kind, such as anilines, nitro
compounds or long chains, that is as in-distribution as any other. Each split of a set, read
as parents, each once, trains a model on three quarters: encoder, bank, subtrees and
background. The last quarter, which nothing of the model has seen, is halved at random: one
half gives p-values, the other is tested, and then the other way round. Every kind of the
tested molecules is a list. It measures

  the share that is called outside, by each molecule itself and by batch_verdict,
  the share of lists in which --fdr 0.1 calls anything outside, which is always false,

kind by kind and pooled, and writes company.json and company.md to --out. Lists of fewer
than 20 molecules are no batch. A run that was cut short goes on with the splits that are
missing.`,
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := b.measure(c)
			if err != nil {
				return err
			}
			return save(b.out, "company", r, r.report())
		},
	}
	fs := c.Flags()
	fs.StringVar(&b.data, "data", "", "`folder` with mol/NAME.csv[.gz]")
	fs.StringVar(&b.out, "out", "", "`folder` for the results")
	fs.StringVar(&b.sets, "sets", strings.Join(moleculeSets(), ","), "`names` of sets of molecules")
	fs.IntVar(&b.splits, "splits", 8, "of each set")
	fs.IntVar(&b.steps, "steps", 300, "of pre-training the encoder")
	fs.IntVar(&b.workers, "workers", 0, "splits at a time; 0 for one on each core; results do not depend on it")
	b.registerCells(fs)
	return c
}

// A companyList is a list of one kind of tested molecules.
type companyList struct {
	Kind  string    `json:"kind"`
	Rows  []int     `json:"rows"` // of the set
	Alone []float64 `json:"alone"`
	Batch []float64 `json:"batch"` // nil where the list is no batch; 1 where the guard says no
}

// A companyCell is one split of a set.
type companyCell struct {
	Lists []companyList `json:"lists"`
}

// threeQuarters parts a set in those that are trained on and those that are not.
func threeQuarters(n int, seed uint64) (train, held []int) { return dataset.Part(n, n-n/4, seed) }

// companyCell trains and measures a split.
func (e *evaluation) companyCell(ctx context.Context, split uint64, steps int, train Trainer) (*companyCell, error) {
	gs := e.id.graphs
	epochs := max(1, steps/job.StepsPerEpoch(len(gs)*3/4))
	file, err := train(ctx, io.Discard, Training{Graphs: gs, Workers: 1, Split: threeQuarters, Card: algo.Card{
		Name: fmt.Sprintf("%s-part%d", e.id.name, split), Description: "Trained on three quarters of " + e.id.name + ".",
		Schema: e.id.schema, Dataset: e.id.name, DatasetSHA256: e.id.sha256, Seed: split, Epochs: epochs,
	}})
	if err != nil {
		return nil, err
	}
	m, err := weights.Load(file)
	if err != nil {
		return nil, err
	}
	r, err := newHeldOut(ctx, m, gs, 1)
	if err != nil {
		return nil, err
	}
	_, tested, reference := r.halves(split)
	cell, kinds := new(companyCell), kindsOf(gs)
	for k, half := range [][2][]int{{tested, reference}, {reference, tested}} {
		lists, err := r.company(ctx, kinds, 2*split+uint64(k), half[0], half[1])
		if err != nil {
			return nil, err
		}
		cell.Lists = append(cell.Lists, lists...)
	}
	return cell, nil
}

// company measures lists of one kind of the held-out graphs that are tested.
func (r *heldOut) company(ctx context.Context, kinds kinds, seed uint64, tested, reference []int) ([]companyList, error) {
	m, alone, err := r.withReference(ctx, reference)
	if err != nil {
		return nil, err
	}
	var lists []companyList
	single := decide.PValues(pick(r.scores, tested), alone.Holdout())
	for _, list := range r.lists(streamed(seed), kinds, tested) {
		places := pick(tested, list.index)
		l := companyList{Kind: list.kind, Rows: pick(r.model.Card.HoldoutRows, places), Alone: pick(single, list.index)}
		if len(places) >= algo.MinBatch {
			s, err := r.scorer(ctx, m, alone, seed)
			if err != nil {
				return nil, err
			}
			report, err := s.Batch(ctx, pick(r.graphs, places))
			if err != nil {
				return nil, err
			}
			for _, row := range report.Rows {
				p := row.BatchP
				if row.AloneP > algo.Guard {
					p = 1
				}
				l.Batch = append(l.Batch, p)
			}
		}
		lists = append(lists, l)
	}
	return lists, nil
}

// A companyShare is a share of different molecules, or of lists.
type companyShare struct {
	Share rate    `json:"share"`
	Of    float64 `json:"of"`
}

// interval is that of 95 %.
func (s companyShare) interval() (low, high float64) {
	return metric.Wilson(float64(s.Share)*s.Of, s.Of)
}

func (s companyShare) String() string {
	if s.Of == 0 {
		return "–"
	}
	low, high := s.interval()
	return fmt.Sprintf("%.1f (%.1f – %.1f)", 100*s.Share, 100*low, 100*high)
}

// A companyGroup is what came of the lists of one kind.
type companyGroup struct {
	Kind      string `json:"kind"`
	Molecules int    `json:"molecules"` // different ones
	Lists     int    `json:"lists"`
	// By companyAlphas; batches are of lists that are one.
	Alone     []companyShare `json:"alone"`
	Batch     []companyShare `json:"batch_verdict"`
	Discovery companyShare   `json:"any_discovery"`
}

// groupOf sums up lists.
func groupOf(kind string, lists []companyList) companyGroup {
	g := companyGroup{Kind: kind, Lists: len(lists)}
	seen, batched := map[int]bool{}, map[int]bool{}
	var alone, batch []float64
	found := 0.0
	for _, l := range lists {
		for _, row := range l.Rows {
			seen[row] = true
			if l.Batch != nil {
				batched[row] = true
			}
		}
		alone, batch = append(alone, l.Alone...), append(batch, l.Batch...)
		if slices.Min(decide.QValues(l.Alone)) <= companyFDR {
			found++
		}
	}
	g.Molecules = len(seen)
	for _, alpha := range companyAlphas {
		g.Alone = append(g.Alone, companyShare{rate(shareUpTo(alone, alpha)), float64(len(seen))})
		g.Batch = append(g.Batch, companyShare{rate(shareUpTo(batch, alpha)), float64(len(batched))})
	}
	g.Discovery = companyShare{rate(found / float64(len(lists))), float64(len(lists))}
	return g
}

// groupsOf sums up lists by kind, those of one kind also pooled.
func groupsOf(names []string, lists []companyList) (groups []companyGroup) {
	for _, kind := range slices.Concat(names, []string{kindPooled, kindAll}) {
		of := slices.DeleteFunc(slices.Clone(lists), func(l companyList) bool {
			return l.Kind != kind && !(kind == kindPooled && focused(l.Kind))
		})
		if len(of) > 0 {
			groups = append(groups, groupOf(kind, of))
		}
	}
	return groups
}

// A companySet is what was measured on a set, or on all of them.
type companySet struct {
	Set       string         `json:"set"`
	Molecules int            `json:"molecules"` // that have different parents
	Groups    []companyGroup `json:"groups"`
}

type companyResult struct {
	Program string       `json:"program"`
	Splits  int          `json:"splits"`
	Steps   int          `json:"steps"`
	Alphas  []float64    `json:"alphas"`
	FDR     float64      `json:"fdr"`
	Sets    []companySet `json:"sets"`
}

// measure does the splits, the first of all sets first.
func (b *companyBench) measure(c *cobra.Command) (*companyResult, error) {
	if b.data == "" || b.out == "" || b.splits < 1 || b.steps < 1 || b.workers < 0 {
		return nil, usage.Errorf("want --data DIR and --out DIR, 1 or more --splits and --steps, 0 or more --workers")
	}
	names, err := named("sets", b.sets, moleculeSets(), moleculeSets())
	if err == nil {
		err = b.identify(c)
	}
	if err != nil {
		return nil, err
	}
	read, p := &sets{folder: b.data, workers: b.workers, parent: true}, &plan{bench: &b.bench}
	loaded, cells := make([]*loadedSet, len(names)), make([][]*companyCell, len(names))
	for split := range b.splits {
		for k, name := range names {
			l, err := read.open(c.Context(), name, "")
			if err != nil {
				return nil, err
			}
			if split == 0 {
				encode(l.graphs)
				loaded[k] = l
			}
			e := &evaluation{pair: &pair{ID: name, OOD: "company"}, id: l, outside: l}
			cells[k] = append(cells[k], add(p, e, fmt.Sprintf("split%d", split+1), fmt.Sprintf("company, split %d, %d steps", split+1, b.steps), len(l.graphs),
				func(ctx context.Context) (*companyCell, error) {
					return e.companyCell(ctx, uint64(split+1), b.steps, b.train)
				}))
		}
	}
	if err := p.do(c.Context(), "company"); err != nil {
		return nil, err
	}
	result := &companyResult{Program: version.String(), Splits: b.splits, Steps: b.steps, Alphas: companyAlphas, FDR: companyFDR}
	all, lists := companySet{Set: "All sets"}, []companyList(nil)
	for k, l := range loaded {
		var own []companyList
		for _, c := range cells[k] {
			own = append(own, c.Lists...)
		}
		result.Sets = append(result.Sets, companySet{l.name, len(l.graphs), groupsOf(kindsOf(l.graphs).names(), own)})
		for _, l := range own {
			l.Rows = slices.Clone(l.Rows)
			for i := range l.Rows { // no row is of two sets
				l.Rows[i] += all.Molecules
			}
			lists = append(lists, l)
		}
		all.Molecules += len(l.graphs)
	}
	all.Groups = groupsOf(slices.Concat(kindsOf(nil).names(), sizeKinds()), lists)
	result.Sets = slices.Insert(result.Sets, 0, all)
	return result, nil
}

// report is for people.
func (r *companyResult) report() *markdown {
	m := new(markdown)
	m.text(`# What lists of one kind are called

Written by

    baca-paper bench company --data DIR --out DIR --splits %d --steps %d

with baca %s on %s/%s. Molecules are read as parents, each once. In each of %[1]d splits of a set three quarters train a model: encoder (for
%[2]d steps), bank, subtrees and background. Of the last quarter, which the model has not seen, one half gives p-values and the other is
tested, and then the other way round. Lists of one kind of these are as in-distribution as any: whatever is called outside is
a false alarm. "Alone" is the share called outside at α by each molecule itself, "batch_verdict" that by the
batch that the list is, where it has %[6]d molecules or more, and "any discovery" the share of lists in which
--fdr %[7]g calls anything outside. In percent, with 95 %% intervals (Wilson) for as many molecules as differ, or as
many lists; splits are not independent of each other. "Core" are the most frequent ring systems with what links
them; lists of %[8]s are the nearest to a molecule that was drawn.
`, r.Splits, r.Steps, r.Program, runtime.GOOS, runtime.GOARCH, algo.MinBatch, r.FDR, kindClose)
	head := []string{"kind", "molecules", "lists"}
	for _, name := range []string{"alone", "batch_verdict"} {
		for _, alpha := range companyAlphas {
			head = append(head, fmt.Sprintf("%s, α %g %%", name, 100*alpha))
		}
	}
	head = append(head, "any discovery")
	for _, s := range r.Sets {
		m.text("\n## %s\n\n%d molecules.\n\n", s.Set, s.Molecules)
		table := m.tableOf(head...)
		for _, g := range s.Groups {
			name := g.Kind
			if name == kindPooled {
				name = "**pooled**"
			}
			fields := []field{words("%s", name), words("%d", g.Molecules), words("%d", g.Lists)}
			for _, share := range slices.Concat(g.Alone, g.Batch, []companyShare{g.Discovery}) {
				fields = append(fields, words("%s", share))
			}
			table.row(fields...)
		}
	}
	return m
}
