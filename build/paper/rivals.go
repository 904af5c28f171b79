package paper

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"baca/algo"
	"baca/build/internal/usage"
	"baca/build/paper/rival"
)

// chooseOurs is what stands for our own scores among the names of rivals.
const chooseOurs = "ours"

// chosen says which detectors an experiment measures, and which of its cells.
type chosen struct {
	list     string // the value of --rivals
	rivals   []*rival.Rival
	ours     bool
	finished bool // do no cells, report those that are there
	anyBuild bool // take cells of other builds

	done, planned int // cells, once the plan was done
}

// progressLine says how many cells a report is of.
func (c *chosen) progressLine(m *markdown) {
	if c.done < c.planned {
		m.text("**%d of %d cells are finished; a dash stands for the others.**\n\n", c.done, c.planned)
	}
}

func (c *chosen) register(fs *pflag.FlagSet) {
	fs.StringVar(&c.list, "rivals", "all", "all, or a list of `names`: "+chooseOurs+" and those of --calibrator in eval")
	fs.BoolVar(&c.finished, "finished", false, "measure nothing, report the cells that are finished")
	fs.BoolVar(&c.anyBuild, "any-build", false, "take cells that another build of this program finished")
}

// check reads the list.
func (c *chosen) check() error {
	if c.list == "all" {
		c.rivals, c.ours = rival.All(), true
		return nil
	}
	for _, name := range strings.Split(c.list, ",") {
		if name == chooseOurs {
			c.ours = true
			continue
		}
		r := rival.Named(name)
		if r == nil {
			return usage.Errorf("--rivals %s: want all, or of %s", name, strings.Join(append([]string{chooseOurs}, rival.Names()...), ", "))
		}
		c.rivals = append(c.rivals, r)
	}
	return nil
}

// encoders tells whether any of the detectors reads the encoder.
func (c *chosen) encoders() bool {
	return c.ours || slices.ContainsFunc(c.rivals, func(r *rival.Rival) bool { return !r.NoModel })
}

func rivalry() *experiment {
	return &experiment{
		name: "rivals", pairs: "paper", against: true,
		short: "Other published detectors, trained and run here on the same splits",
		long: `Rivals measures detectors that others published, each written anew from its paper and
trained here, beside the scores of this program: the same splits, seeds and test batches,
the first OOD graphs, one setting for all pairs. It writes rivals.json and report.md.

Each detector has a cell for each seed of each pair. With --finished a report is written
of the cells that are there while others are still to be done; with --any-build those that
an earlier build finished are kept, where nothing changed that they depend on.`,
		example: `  baca bench rivals --data ../shared/data --out out/rivals --weights out/encoders
  baca bench rivals --data ../shared/data --out out/rivals --rivals wl-lof,ecfp-knn --seeds 1`,
		measure: measureRivals,
	}
}

// A rivalCell is what detectors do on one seed of one pair.
type rivalCell struct {
	Seed    uint64     `json:"seed"`
	NID     int        `json:"n_id"`
	NOOD    int        `json:"n_ood"`
	Columns []measured `json:"columns"` // one; for ours one for each score and statistic
}

// rivalries are everything that was measured.
type rivalries struct {
	bench *bench
	pairs []*rivalPair
}

// A rivalPair has the cells of a pair by detector, one for each seed. Cells that are not
// finished have no columns.
type rivalPair struct {
	pair  *pair
	cells map[string][]*rivalCell
}

// measureRivals does the cells, the first seed of all pairs first.
func measureRivals(ctx context.Context, b *bench) (results, error) {
	p, t := &plan{bench: b}, &rivalries{bench: b}
	for _, e := range b.evaluations {
		t.pairs = append(t.pairs, &rivalPair{pair: e.pair, cells: map[string][]*rivalCell{}})
	}
	for _, s := range b.seeds {
		seed := uint64(s)
		for i, e := range b.evaluations {
			plan := func(name string, run func(context.Context) (*rivalCell, error)) {
				c := add(p, e, fmt.Sprintf("seed%d-%s", seed, name), fmt.Sprintf("rivals, seed %d, %s", seed, name), len(e.id.graphs), run)
				t.pairs[i].cells[name] = append(t.pairs[i].cells[name], c)
			}
			if b.ours {
				plan(chooseOurs, func(ctx context.Context) (*rivalCell, error) { return e.ourCell(ctx, seed) })
			}
			for _, r := range b.rivals {
				if e.suits(r) {
					plan(r.Name, func(ctx context.Context) (*rivalCell, error) { return e.rivalCell(ctx, r, seed) })
				}
			}
		}
	}
	return t, p.do(ctx, "rivals")
}

// suits tells whether a detector can read the graphs of a pair.
func (e *evaluation) suits(r *rival.Rival) bool { return !r.Molecules || e.id.schema != algo.Constant }

// rivalCell measures a detector.
func (e *evaluation) rivalCell(ctx context.Context, r *rival.Rival, seed uint64) (*rivalCell, error) {
	b, err := e.testedBy(ctx, r, seed, "first")
	if err != nil {
		return nil, err
	}
	scores, seconds, err := e.scoreBy(ctx, r, b, 1)
	if err != nil {
		return nil, err
	}
	return &rivalCell{
		Seed: seed, NID: b.nID, NOOD: len(b.graphs) - b.nID,
		Columns: []measured{measureColumn(r.Name, scores, b.ood, seconds, false, seed)},
	}, nil
}

// testedBy returns the test batch of a seed, with the model if the detector reads it.
func (e *evaluation) testedBy(ctx context.Context, r *rival.Rival, seed uint64, ood string) (*testBatch, error) {
	if !r.NoModel {
		return e.prepare(ctx, seed, ood)
	}
	b, err := e.tested(seed, orderOf(ood), 1)
	if err == nil {
		e.sets.encode(b.graphs)
	}
	return b, err
}

// scoreBy gives a batch to a detector, in a random order, and returns the scores in the
// order of the batch, and the seconds of training and scoring.
func (e *evaluation) scoreBy(ctx context.Context, r *rival.Rival, b *testBatch, workers int) ([]float64, float64, error) {
	mixed, order := shuffled(b.graphs, b.seed)
	p := &rival.Problem{Train: e.trained(b.seed), Test: mixed, Model: b.model, Seed: b.seed, Workers: workers}
	if e.id.schema != algo.Constant {
		texts, err := e.sets.smiles(ctx, slices.Concat(p.Train, p.Test), e.pair.ID, e.pair.OOD)
		if err != nil {
			return nil, 0, err
		}
		p.TrainSMILES, p.TestSMILES = texts[:len(p.Train)], texts[len(p.Train):]
	} else if r.Molecules {
		return nil, 0, fmt.Errorf("%s reads molecules, and %s has none", r.Name, e.pair.ID)
	}
	start := time.Now()
	scores, err := r.Score(ctx, p)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", r.Name, err)
	}
	if len(scores) != len(mixed) {
		return nil, 0, fmt.Errorf("%s: %d scores for %d graphs", r.Name, len(scores), len(mixed))
	}
	return restored(scores, order), time.Since(start).Seconds(), nil
}

// rescore puts the scores of a detector in the place of ours, unless it is nil.
func (e *evaluation) rescore(ctx context.Context, r *rival.Rival, batches []*testBatch, outcomes []*outcome) (err error) {
	for i, b := range batches {
		if r == nil {
			break
		}
		o := outcomes[i]
		if o.scores, o.seconds, err = e.scoreBy(ctx, r, b, e.workers); err != nil {
			return err
		}
	}
	return nil
}

// ourColumns are our own scores beside the rivals.
var ourColumns = []string{columnAlone, columnBatch, columnAttention, columnPre}

// ourCell measures our own scores, and the statistics, on the same batch.
func (e *evaluation) ourCell(ctx context.Context, seed uint64) (*rivalCell, error) {
	b, err := e.prepare(ctx, seed, "first")
	if err != nil {
		return nil, err
	}
	cell := &rivalCell{Seed: seed, NID: b.nID, NOOD: len(b.graphs) - b.nID, Columns: e.statistics(b)}
	out, err := b.score(ctx, allOptions(seed), columnAlone)
	if err != nil {
		return nil, err
	}
	for _, column := range ourColumns {
		cell.Columns = append(cell.Columns, measureColumn(column, columnScores(column, out.rows), b.ood, out.seconds, false, seed))
	}
	return cell, nil
}

// measured are the measurements of a column of a detector, by seed, of finished cells.
func (r *rivalPair) measured(detector, column string) []measured {
	var list []measured
	for _, cell := range r.cells[detector] {
		for _, m := range cell.Columns {
			if m.Column == column {
				list = append(list, m)
			}
		}
	}
	return list
}

// A rivalEntry is an entry of rivals.json.
type rivalEntry struct {
	Pair      string      `json:"pair"`
	Detector  string      `json:"detector"`
	Batch     bool        `json:"batch"` // the score of a graph depends on the others
	Published *float64    `json:"published,omitempty"`
	Seeds     []tableSeed `json:"seeds"`
	AUROCMean rate        `json:"auroc_mean"`
	AUROCStd  rate        `json:"auroc_std"`
}

// values are the content of rivals.json.
func (t *rivalries) values() any {
	var list []rivalEntry
	for _, r := range t.pairs {
		for _, row := range t.rows() {
			entry := rivalEntry{Pair: r.pair.name(), Detector: row.column, Batch: row.batch}
			if x, ok := row.published[r.pair.name()]; ok {
				entry.Published = &x
			}
			for _, cell := range r.cells[row.detector] {
				for _, m := range cell.Columns {
					if m.Column == row.column {
						entry.Seeds = append(entry.Seeds, tableSeed{Seed: cell.Seed, AUROC: m.AUROC, AUPR: m.AUPR, FPR95: m.FPR95, FPR95ID: &m.FPR95ID, Seconds: m.Seconds})
					}
				}
			}
			if len(entry.Seeds) == 0 {
				continue
			}
			mean, std := meanOf(entry.Seeds, func(s tableSeed) rate { return s.AUROC })
			entry.AUROCMean, entry.AUROCStd = rate(mean), rate(std)
			list = append(list, entry)
		}
	}
	return list
}

// figures: there are none.
func (t *rivalries) figures() error { return nil }
