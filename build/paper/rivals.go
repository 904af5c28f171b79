package paper

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"baca/algo"
	"baca/algo/explain"
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
	c.registerCells(fs)
}

// registerCells registers which cells are taken.
func (c *chosen) registerCells(fs *pflag.FlagSet) {
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
		name: "rivals", pairs: "paper", against: true, readings: []string{readOGB, readParent},
		short: "Other published detectors, trained and run here on the same splits",
		long: `Rivals measures detectors that others published, each written anew from its paper and
trained here, beside the scores of this program: the same splits, seeds and test batches,
the first OOD graphs, one setting for all pairs, molecules in both readings. It writes
rivals.json and report.md.

Each detector has a cell for each seed of each pair. With --finished a report is written
of the cells that are there while others are still to be done; with --any-build those that
an earlier build finished are kept, where nothing changed that they depend on.`,
		example: `  baca-paper bench rivals --data ../shared/data --out out/rivals --weights out/encoders
  baca-paper bench rivals --data ../shared/data --out out/rivals --rivals wl-lof,ecfp-knn --seeds 1`,
		measure: measureRivals,
	}
}

// A rivalCell is what detectors do on one seed of one pair.
type rivalCell struct {
	Seed    uint64     `json:"seed"`
	NID     int        `json:"n_id"`
	NOOD    int        `json:"n_ood"`
	Known   int        `json:"known_ood"` // OOD graphs that equal a graph trained on
	Columns []measured `json:"columns"`   // of the detectors that share a training; for ours of scores and statistics
}

// add measures the scores of a column on a batch, and without its OOD graphs that equal a
// graph trained on.
func (c *rivalCell) add(column string, scores []float64, b *testBatch, unknown []int, seconds float64) {
	c.Known = len(b.graphs) - len(unknown)
	c.Columns = append(c.Columns, measureColumn(column, scores, b.ood, seconds, false, b.seed),
		measureColumn(newOnly(column), pick(scores, unknown), pick(b.ood, unknown), seconds, false, b.seed))
}

// unknown are the places of a batch without its OOD graphs that equal a graph trained on.
func (e *evaluation) unknown(b *testBatch) []int {
	trained := map[[2]uint64]bool{}
	for _, g := range e.trained(b.seed) {
		trained[explain.Signature(g)] = true
	}
	var index []int
	for i, g := range b.graphs {
		if !b.ood[i] || !trained[explain.Signature(g)] {
			index = append(index, i)
		}
	}
	return index
}

// rivalries are everything that was measured.
type rivalries struct {
	bench *bench
	pairs []*rivalPair
}

// A rivalPair has the cells of a pair by detector, one for each seed. Cells that are not
// finished have no columns.
type rivalPair struct {
	*evaluation
	cells map[string][]*rivalCell
}

// measureRivals does the cells, the first seed of all pairs first.
func measureRivals(ctx context.Context, b *bench) (results, error) {
	p, t := &plan{bench: b}, &rivalries{bench: b}
	for _, e := range b.evaluations {
		t.pairs = append(t.pairs, &rivalPair{evaluation: e, cells: map[string][]*rivalCell{}})
	}
	for _, s := range b.seeds {
		seed := uint64(s)
		for i, e := range b.evaluations {
			plan := func(names []string, run func(context.Context) (*rivalCell, error)) {
				list := strings.Join(names, "+")
				c := add(p, e, fmt.Sprintf("seed%d-%s", seed, list), fmt.Sprintf("rivals, seed %d, %s", seed, list), len(e.id.graphs), run)
				for _, name := range names {
					t.pairs[i].cells[name] = append(t.pairs[i].cells[name], c)
				}
			}
			if b.ours {
				plan([]string{chooseOurs}, func(ctx context.Context) (*rivalCell, error) { return e.ourCell(ctx, seed) })
			}
			for _, group := range sharing(b.rivals) {
				var names []string
				for _, r := range group {
					names = append(names, r.Name)
				}
				if e.suits(group[0]) {
					plan(names, func(ctx context.Context) (*rivalCell, error) { return e.rivalCell(ctx, group, seed) })
				}
			}
		}
	}
	return t, p.do(ctx, "rivals")
}

// suits tells whether a detector can read the graphs of a pair.
func (e *evaluation) suits(r *rival.Rival) bool { return !r.Molecules || e.id.schema != algo.Constant }

// sharing puts detectors together that share a training.
func sharing(rivals []*rival.Rival) [][]*rival.Rival {
	var groups [][]*rival.Rival
	of := map[*rival.Training]int{}
	for _, r := range rivals {
		if k, ok := of[r.Training]; ok && r.Training != nil {
			groups[k] = append(groups[k], r)
			continue
		}
		of[r.Training] = len(groups)
		groups = append(groups, []*rival.Rival{r})
	}
	return groups
}

// rivalCell measures detectors that share a training, or one.
func (e *evaluation) rivalCell(ctx context.Context, group []*rival.Rival, seed uint64) (*rivalCell, error) {
	b, err := e.testedBy(ctx, group[0], seed, "first")
	if err != nil {
		return nil, err
	}
	cell, unknown := &rivalCell{Seed: seed, NID: b.nID, NOOD: len(b.graphs) - b.nID}, e.unknown(b)
	err = e.eachScoreBy(ctx, group, b, 1, func(r *rival.Rival, scores []float64, seconds float64) {
		cell.add(r.Name, scores, b, unknown, seconds)
	})
	return cell, err
}

// testedBy returns the test batch of a seed, with the model if the detector reads it.
func (e *evaluation) testedBy(ctx context.Context, r *rival.Rival, seed uint64, ood string) (*testBatch, error) {
	if !r.NoModel {
		return e.prepare(ctx, seed, ood)
	}
	b, err := e.tested(seed, orderOf(ood), 1)
	if err == nil {
		encode(b.graphs)
	}
	return b, err
}

// scoreBy returns the scores of a batch by a detector, in the order of the batch, and the
// seconds of training and scoring.
func (e *evaluation) scoreBy(ctx context.Context, r *rival.Rival, b *testBatch, workers int) (scores []float64, seconds float64, err error) {
	err = e.eachScoreBy(ctx, []*rival.Rival{r}, b, workers, func(_ *rival.Rival, list []float64, s float64) { scores, seconds = list, s })
	return scores, seconds, err
}

// eachScoreBy gives a batch, in a random order, to detectors that share a training, or to
// one. The seconds of the training count for each of them.
func (e *evaluation) eachScoreBy(ctx context.Context, group []*rival.Rival, b *testBatch, workers int, use func(*rival.Rival, []float64, float64)) error {
	mixed, order := shuffled(b.graphs, b.seed)
	p := &rival.Problem{Train: e.trained(b.seed), Test: mixed, Model: b.model, Seed: b.seed, Workers: workers}
	if e.id.schema != algo.Constant {
		texts, err := e.sets.smiles(ctx, slices.Concat(p.Train, p.Test), e.pair.ID, e.pair.OOD)
		if err != nil {
			return err
		}
		p.TrainSMILES, p.TestSMILES = texts[:len(p.Train)], texts[len(p.Train):]
		background, err := readBackground(e.reading() == readParent)
		if err != nil {
			return err
		}
		for _, m := range background {
			p.Background = append(p.Background, m.ecfp)
		}
	} else if group[0].Molecules {
		return fmt.Errorf("%s reads molecules, and %s has none", group[0].Name, e.pair.ID)
	}
	training := time.Now()
	if t := group[0].Training; t != nil {
		var err error
		if p.Embedded, err = t.Embed(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", group[0].Name, err)
		}
	}
	trained := time.Since(training)
	for _, r := range group {
		start := time.Now()
		scores, err := r.Score(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		if len(scores) != len(mixed) {
			return fmt.Errorf("%s: %d scores for %d graphs", r.Name, len(scores), len(mixed))
		}
		use(r, restored(scores, order), (trained + time.Since(start)).Seconds())
	}
	return nil
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
	unknown := e.unknown(b)
	for _, column := range ourColumns {
		cell.add(column, columnScores(column, out.rows), b, unknown, out.seconds)
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
	Reading   string      `json:"reading"`
	Detector  string      `json:"detector"`
	Batch     bool        `json:"batch"` // the score of a graph depends on the others
	Published *float64    `json:"published,omitempty"`
	Seeds     []tableSeed `json:"seeds"`
	AUROCMean rate        `json:"auroc_mean"`
	AUROCStd  rate        `json:"auroc_std"`
	NewMean   rate        `json:"auroc_new_mean"` // without OOD graphs that equal a graph trained on
	NewStd    rate        `json:"auroc_new_std"`
}

// values are the content of rivals.json.
func (t *rivalries) values() any {
	var list []rivalEntry
	for _, r := range t.pairs {
		for _, row := range t.rows() {
			entry := rivalEntry{Pair: r.pair.name(), Reading: r.reading(), Detector: row.column, Batch: row.batch}
			if x, ok := row.publishedFor(r); ok {
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
			mean, std = meanOf(r.measured(row.detector, newOnly(row.column)), func(m measured) rate { return m.AUROC })
			entry.NewMean, entry.NewStd = rate(mean), rate(std)
			list = append(list, entry)
		}
	}
	return list
}

// figures: there are none.
func (t *rivalries) figures() error { return nil }
