package paper

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"baca/build/internal/usage"
)

// A trustBench measures what scores say of the errors of models.
type trustBench struct {
	bench
	sets, divisions string // lists of names
	most, steps     int

	chosenSets []labelled
	chosenBy   []division
}

func newTrust(train Trainer) *cobra.Command {
	b := &trustBench{}
	b.experiment, b.train = &experiment{name: "trust"}, train
	c := &cobra.Command{
		Use: "trust --data DIR --out DIR", Short: "Measure whether the scores tell where a model errs", Args: usage.NoArgs,
		Long: `Trust fits plain models to labelled sets (ridge or logistic regression, and a random forest,
on ECFP4) and trains a detector on the same molecules. Then it asks each score which of the
tested molecules the models get wrong: rank correlation with the error, AUROC of the worst
fifth, error where only a share of the molecules is kept, and whether p-values are even.

Splits are random, by scaffold (tested scaffolds are new) and by size (tested molecules are
larger than those trained on). It writes trust.json, report.md and figures to --out. A run
that was cut short goes on with the splits that are missing.`,
		Example: `  baca-paper bench trust --data ../shared/data --out out/trust
  baca-paper bench trust --data ../shared/data --out out/trust --sets esol,bace --splits scaffold --seeds 1,2,3`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := b.check(c); err != nil {
				return err
			}
			r, err := b.measure(c.Context())
			if err != nil {
				return err
			}
			return b.write(r)
		},
	}
	fs := c.Flags()
	fs.StringVar(&b.data, "data", "", "`folder` with mol/NAME.csv[.gz]")
	fs.StringVar(&b.out, "out", "", "`folder` for the results")
	fs.StringVar(&b.sets, "sets", strings.Join(setNames(), ","), "`names` of labelled sets")
	fs.StringVar(&b.divisions, "splits", strings.Join(divisionNames(), ","), "`names` of kinds of splits")
	fs.UintSliceVar(&b.seeds, "seeds", []uint{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, "of splits, models and training")
	fs.IntVar(&b.most, "most", 2000, "molecules of a set; of larger sets so many are drawn")
	fs.IntVar(&b.steps, "steps", 300, "of pre-training the detector")
	fs.IntVar(&b.workers, "workers", 0, "splits at a time; 0 for one on each core; results do not depend on it")
	b.registerCells(fs)
	return c
}

func setNames() []string {
	var names []string
	for _, l := range trustSets {
		names = append(names, l.name)
	}
	return names
}

func divisionNames() []string {
	var names []string
	for _, d := range divisions {
		names = append(names, d.name)
	}
	return names
}

// check reports mistakes in the flags before anything is opened.
func (b *trustBench) check(c *cobra.Command) error {
	if b.data == "" || b.out == "" {
		return usage.Errorf("want --data DIR and --out DIR")
	}
	if b.most < 100 || b.steps < 1 {
		return usage.Errorf("--most %d, --steps %d: want 100 molecules or more, and 1 step or more", b.most, b.steps)
	}
	if err := checkRun(c, b.seeds, 0, b.workers); err != nil {
		return err
	}
	var err error
	if b.chosenSets, err = named("sets", b.sets, trustSets, setNames()); err != nil {
		return err
	}
	if b.chosenBy, err = named("splits", b.divisions, divisions, divisionNames()); err != nil {
		return err
	}
	return b.identify(c)
}

// named returns the entries of a flag's names.
func named[T any](flag, list string, all []T, names []string) ([]T, error) {
	var chosen []T
	seen := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		i := slices.Index(names, name)
		if i < 0 || seen[name] {
			return nil, usage.Errorf("--%s %s: want some of %s, each once", flag, list, strings.Join(names, ", "))
		}
		seen[name] = true
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// A trustPart are the splits of a set of one kind, one for each seed. Splits that are not
// finished have no models.
type trustPart struct {
	set   *trustSet
	by    division
	cells []*trustCell
}

// trusts are everything that was measured.
type trusts struct {
	bench *trustBench
	sets  []*trustSet
	parts []*trustPart
}

// measure does the splits, the first seed of all sets first.
func (b *trustBench) measure(ctx context.Context) (*trusts, error) {
	read, t := &sets{folder: b.data, workers: b.workers}, &trusts{bench: b}
	for _, l := range b.chosenSets {
		set, err := openLabelled(ctx, read, l, b.most)
		if err != nil {
			return nil, err
		}
		t.sets = append(t.sets, set)
		for _, d := range b.chosenBy {
			t.parts = append(t.parts, &trustPart{set: set, by: d})
		}
	}
	p := &plan{bench: &b.bench}
	for _, s := range b.seeds {
		seed := uint64(s)
		for _, part := range t.parts {
			e := &evaluation{pair: &pair{ID: part.set.name, OOD: part.by.name}, id: part.set.loaded, outside: part.set.loaded}
			part.cells = append(part.cells, add(p, e, fmt.Sprintf("seed%d", seed), fmt.Sprintf("trust, seed %d, %d steps, %d molecules, %s", seed, b.steps, b.most, part.set.column), len(part.set.graphs),
				func(ctx context.Context) (*trustCell, error) {
					return part.set.cell(ctx, part.by, seed, b.steps, b.train)
				}))
		}
	}
	return t, p.do(ctx, "trust")
}
