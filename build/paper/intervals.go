package paper

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"baca/algo"
	"baca/algo/baseline"
	"baca/algo/dataset"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/job"
	"baca/algo/metric"
	"baca/algo/molecule"
	"baca/algo/trust"
	"baca/build/internal/progress"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
	"baca/build/internal/version"
	"baca/weights"
)

// intervalSets are sets of molecules with a measured number, and its column.
var intervalSets = []struct{ name, column, unit string }{
	{"esol", "measured log solubility in mols per litre", "log mol/l"},
	{"freesolv", "expt", "kcal/mol"},
	{"lipo", "exp", "log D"},
}

// intervalCoverages are those that are asked for; verdicts do not depend on them.
var intervalCoverages = []float64{0.8, 0.9, 0.95}

// A set of more molecules is drawn from. A fifth is new, the rest the training file.
const (
	intervalMost  = 1500
	intervalSteps = 300 // of the detector, after which it finds no more
	newShare      = 0.2
	ridgePenalty  = 0.1
)

// How new molecules differ from those of the training file.
const (
	newByChance  = "random"
	newScaffolds = "scaffold"
)

type intervalBench struct {
	data, out string
	sets      []string
	splits    int
	scaffolds int
	workers   int
	train     Trainer
	stderr    io.Writer
}

func newIntervals(train Trainer) *cobra.Command {
	b := intervalBench{train: train}
	c := &cobra.Command{
		Use:   "intervals --data DIR --out DIR",
		Short: "Measure whether intervals and verdicts on predictions hold",
		Long: `Intervals asks whether baca score --predicted keeps what it promises on esol, freesolv
and lipo. A fifth of a set is new, drawn by chance or by whole scaffolds; the rest is a training
file. Kernel ridge regression on ECFP4 predicts: for the molecules of the file each without itself,
for new ones from the whole file. A detector is trained on the file as baca pretrain --residuals
held-out does, and judges the predictions for the new molecules. It measures

  the share of observed values in their intervals, and how wide these are,
  large errors by verdict beside the rates that were stated,
  the rank correlation of score and error,

and writes intervals.json and intervals.md to --out.`,
		Args: usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if b.data == "" || b.out == "" {
				return usage.Errorf("want --data DIR and --out DIR")
			}
			if b.splits < 1 || b.scaffolds < 0 || b.workers < 0 {
				return usage.Errorf("--splits %d, --scaffold-splits %d, --workers %d: want 1 or more splits, 0 or more of the others", b.splits, b.scaffolds, b.workers)
			}
			b.stderr = c.ErrOrStderr()
			return b.run(c.Context())
		},
	}
	fs := c.Flags()
	fs.StringVar(&b.data, "data", "", "`folder` with mol/NAME.csv[.gz]")
	fs.StringVar(&b.out, "out", "", "`folder` for the results")
	fs.StringSliceVar(&b.sets, "sets", nil, "sets by `name`, all without")
	fs.IntVar(&b.splits, "splits", 50, "by chance, of each set")
	fs.IntVar(&b.scaffolds, "scaffold-splits", 10, "by scaffolds, of each set")
	fs.IntVar(&b.workers, "workers", 0, "cores to use, 0 for all; results do not depend on it")
	return c
}

// An intervalSet is a set with what predicts its values.
type intervalSet struct {
	name      string
	graphs    []*graph.Graph
	values    []float64
	kernel    *mat.SymDense // Tanimoto similarities of ECFP4, and 1 for the intercept
	scaffolds [][]int       // the molecules of each
}

// readIntervalSet reads a set, or an even draw from it.
func readIntervalSet(data, name, column string) (*intervalSet, error) {
	file, err := openMolecules(data, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s := &intervalSet{name: name}
	var prints []fingerprint.Print
	for r, err := range dataset.Records(file, dataset.Options{Name: file.Name(), Format: dataset.CSV, Cells: []string{column}}) {
		if err != nil {
			return nil, err
		}
		m, err := r.Parse()
		if err != nil {
			continue // as baca pretrain refuses it
		}
		y, err := strconv.ParseFloat(r.Cells[0], 64)
		if err != nil {
			return nil, r.FailCell(0, err)
		}
		prints = append(prints, baseline.ECFP(m, 2))
		g := r.Parsed(molecule.Unordered).Graph
		s.graphs, s.values = append(s.graphs, g), append(s.values, y)
	}
	if n := len(s.graphs); n > intervalMost {
		drawn := rand.New(rand.NewPCG(1, decisionStream)).Perm(n)[:intervalMost]
		slices.Sort(drawn)
		s.graphs, s.values, prints = pick(s.graphs, drawn), pick(s.values, drawn), pick(prints, drawn)
	}
	s.kernel = mat.NewSymDense(len(prints), nil)
	for i, a := range prints {
		for j, b := range prints[:i+1] {
			s.kernel.SetSym(i, j, 1+tanimoto(a.Keys, b.Keys))
		}
	}
	groups := map[string]int{}
	for i, g := range s.graphs {
		core := fmt.Sprint(fingerprint.New(baseline.Core(g), 4))
		at, known := groups[core]
		if !known {
			at = len(s.scaffolds)
			groups[core], s.scaffolds = at, append(s.scaffolds, nil)
		}
		s.scaffolds[at] = append(s.scaffolds[at], i)
	}
	return s, nil
}

// tanimoto is the similarity of two ascending sets.
func tanimoto(a, b []uint32) float64 {
	both, j := 0, 0
	for _, key := range a {
		for j < len(b) && b[j] < key {
			j++
		}
		if j < len(b) && b[j] == key {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

// split returns the molecules of the training file and the new ones. Whole scaffolds are drawn
// until they make a fifth; one that would make more is passed over.
func (s *intervalSet) split(kind string, seed uint64) (file, fresh []int) {
	rng := rand.New(rand.NewPCG(seed, decisionStream))
	want := int(newShare * float64(len(s.graphs)))
	if kind == newByChance {
		order := rng.Perm(len(s.graphs))
		fresh, file = order[:want], order[want:]
	} else {
		for _, k := range rng.Perm(len(s.scaffolds)) {
			if members := s.scaffolds[k]; len(fresh)+len(members) <= want {
				fresh = append(fresh, members...)
			} else {
				file = append(file, members...)
			}
		}
	}
	slices.Sort(file)
	slices.Sort(fresh)
	return file, fresh
}

// predict is kernel ridge regression: it returns the prediction for each molecule of the file by all
// others, and those for new ones.
func (s *intervalSet) predict(file, fresh []int) (leftOut, predicted []float64, err error) {
	n := len(file)
	k := mat.NewSymDense(n, nil)
	for i := range file {
		for j := range file[:i+1] {
			x := s.kernel.At(file[i], file[j])
			if i == j {
				x += ridgePenalty
			}
			k.SetSym(i, j, x)
		}
	}
	var c mat.Cholesky
	var inverse mat.SymDense
	if !c.Factorize(k) {
		return nil, nil, fmt.Errorf("%s: the kernel is not positive definite", s.name)
	}
	if err := c.InverseTo(&inverse); err != nil {
		return nil, nil, err
	}
	y, alpha := mat.NewVecDense(n, pick(s.values, file)), new(mat.VecDense)
	alpha.MulVec(&inverse, y)
	for i := range file {
		leftOut = append(leftOut, y.AtVec(i)-alpha.AtVec(i)/inverse.At(i, i))
	}
	for _, q := range fresh {
		sum := 0.0
		for i, p := range file {
			sum += alpha.AtVec(i) * s.kernel.At(q, p)
		}
		predicted = append(predicted, sum)
	}
	return leftOut, predicted, nil
}

// An intervalResult is what came of the splits of a set.
type intervalResult struct {
	Set     string            `json:"set"`
	Split   string            `json:"split"`
	Splits  int               `json:"splits"`
	File    int               `json:"file"`     // molecules of the training file
	HeldOut int               `json:"held_out"` // of them, with errors
	New     float64           `json:"new"`      // molecules of a split, on average
	Error   rate              `json:"mean_error"`
	R2      rate              `json:"r2"` // of the predictions for new molecules
	Rank    rate              `json:"spearman"`
	Beyond  rate              `json:"beyond"` // share of new molecules beyond the farthest held-out one
	Levels  []intervalLevel   `json:"coverages"`
	Stated  []intervalVerdict `json:"verdicts"`
}

// An intervalLevel is a coverage that was asked for. Covered has the share of each split.
type intervalLevel struct {
	Asked   float64   `json:"asked"`
	Mean    rate      `json:"mean"`
	Std     rate      `json:"std"` // over splits
	Width   rate      `json:"mean_width"`
	Groups  float64   `json:"groups"` // on average
	Covered []float64 `json:"covered"`
}

// An intervalVerdict pools all splits.
type intervalVerdict struct {
	Verdict   string `json:"verdict"`
	Molecules int    `json:"molecules"`
	Large     rate   `json:"large_errors"`
	Stated    rate   `json:"stated"`
	MeanError rate   `json:"mean_error"`
}

func (b *intervalBench) run(ctx context.Context) error {
	var results []*intervalResult
	for _, of := range intervalSets {
		if len(b.sets) > 0 && !slices.Contains(b.sets, of.name) {
			continue
		}
		s, err := readIntervalSet(b.data, of.name, of.column)
		if err != nil {
			return err
		}
		for _, kind := range []string{newByChance, newScaffolds} {
			r, err := b.measure(ctx, s, kind)
			if err != nil {
				return fmt.Errorf("%s: %w", of.name, err)
			}
			if r != nil {
				results = append(results, r)
			}
		}
	}
	if results == nil {
		return usage.Errorf("--sets %v: want some of esol, freesolv and lipo", b.sets)
	}
	if err := os.MkdirAll(b.out, 0o777); err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(b.out, "intervals.json"), map[string]any{"program": version.String(), "results": results}); err != nil {
		return err
	}
	return replace.Bytes(filepath.Join(b.out, "intervals.md"), intervalReport(results).Bytes())
}

// measure does the splits of a kind, nil for none.
func (b *intervalBench) measure(ctx context.Context, s *intervalSet, kind string) (*intervalResult, error) {
	splits := b.splits
	if kind == newScaffolds {
		splits = b.scaffolds
	}
	if splits == 0 {
		return nil, nil
	}
	bar := progress.New(b.stderr, s.name+", "+kind+" splits", int64(splits))
	defer bar.Done()
	t := &intervalTally{result: &intervalResult{Set: s.name, Split: kind, Splits: splits}, large: map[trust.Verdict]int{}, n: map[trust.Verdict]int{}, statedLarge: map[trust.Verdict]int{}, statedN: map[trust.Verdict]int{}, sum: map[trust.Verdict]float64{}}
	for k := range uint64(splits) {
		if err := b.one(ctx, s, kind, k+1, t); err != nil {
			return nil, err
		}
		bar.Add(1)
	}
	return t.finish(), nil
}

// one does one split.
func (b *intervalBench) one(ctx context.Context, s *intervalSet, kind string, seed uint64, t *intervalTally) error {
	file, fresh := s.split(kind, seed)
	leftOut, predicted, err := s.predict(file, fresh)
	if err != nil {
		return err
	}
	data, err := b.train(ctx, io.Discard, Training{Graphs: pick(s.graphs, file), Workers: b.workers, Card: algo.Card{
		Name: fmt.Sprintf("%s-%s-%d", s.name, kind, seed), Description: "Trained on a part of " + s.name + ".", Schema: algo.OGBCanonical,
		Dataset: s.name, Seed: seed, Epochs: max(1, intervalSteps/job.StepsPerEpoch(len(file)*9/10)),
	}})
	if err != nil {
		return err
	}
	m, err := weights.Load(data)
	if err != nil {
		return err
	}
	values := make([]*algo.Values, len(file))
	for i, row := range file {
		values[i] = &algo.Values{Observed: s.values[row], Predicted: leftOut[i]}
	}
	if err := m.KeepResiduals(values, "observed", "predicted"); err != nil {
		return err
	}
	alone, err := algo.NewSingleScorer(ctx, m, b.workers)
	if err != nil {
		return err
	}
	scores, err := alone.Scores(ctx, pick(s.graphs, fresh))
	if err != nil {
		return err
	}
	t.result.File, t.result.HeldOut = len(file), m.Residuals.Known()
	for level, asked := range intervalCoverages {
		c, err := alone.Trust(trust.Options{Coverage: asked})
		if err != nil {
			return err
		}
		list := make([]trust.Outcome, len(fresh))
		for i, row := range fresh {
			list[i] = trust.Outcome{Score: scores[i], Observed: s.values[row], Judgement: c.Judge(scores[i], predicted[i])}
		}
		t.add(level, trust.NewAudit(list, c), c)
	}
	t.r2 = append(t.r2, determination(pick(s.values, fresh), predicted))
	return nil
}

// An intervalTally sums up splits.
type intervalTally struct {
	result                          *intervalResult
	covered, widths, groups         [3][]float64 // by intervalCoverages
	r2, errors, ranks, beyond, news []float64
	large, n, statedLarge, statedN  map[trust.Verdict]int
	sum                             map[trust.Verdict]float64
}

func (t *intervalTally) add(level int, a *trust.Audit, c *trust.Calibration) {
	t.covered[level] = append(t.covered[level], a.Coverage)
	t.widths[level] = append(t.widths[level], a.Width)
	t.groups[level] = append(t.groups[level], float64(len(c.Groups)))
	if level > 0 {
		return // the rest does not depend on the coverage
	}
	t.errors, t.ranks, t.news = append(t.errors, a.MeanError), append(t.ranks, a.Spearman), append(t.news, float64(a.N))
	t.beyond = append(t.beyond, 1-float64(a.Intervals)/float64(a.N))
	for _, v := range trust.Verdicts() {
		n, s := a.Verdicts[v], c.Stated[v]
		t.large[v] += n.Large
		t.n[v] += n.N
		t.statedLarge[v] += s.Large
		t.statedN[v] += s.N
		if n.N > 0 {
			t.sum[v] += n.MeanError * float64(n.N)
		}
	}
}

func (t *intervalTally) finish() *intervalResult {
	r := t.result
	meanOf := func(list []float64) float64 {
		mean, _ := metric.MeanStd(list)
		return mean
	}
	r.New, r.Error, r.R2, r.Rank, r.Beyond = meanOf(t.news), rate(meanOf(t.errors)), rate(meanOf(t.r2)), rate(meanOf(t.ranks)), rate(meanOf(t.beyond))
	for level, asked := range intervalCoverages {
		mean, std := metric.MeanStd(t.covered[level])
		r.Levels = append(r.Levels, intervalLevel{asked, rate(mean), rate(std), rate(meanOf(t.widths[level])), meanOf(t.groups[level]), t.covered[level]})
	}
	for _, v := range trust.Verdicts() {
		n := float64(t.n[v])
		r.Stated = append(r.Stated, intervalVerdict{string(v), t.n[v], rate(float64(t.large[v]) / n), rate(float64(t.statedLarge[v]) / float64(t.statedN[v])), rate(t.sum[v] / n)})
	}
	return r
}

// intervalReport is for people.
func intervalReport(results []*intervalResult) *markdown {
	m := new(markdown)
	m.text(`# Do intervals and verdicts on predictions hold?

Written by

    baca bench intervals --data DIR --out build/results

with baca %s on %s/%s. A fifth of each set is new, drawn by chance, or by whole scaffolds, which a model meets when chemists turn to new
series; the rest is the training file, of lipo %d molecules in all. Kernel ridge regression on ECFP4 predicts, for the molecules of the file
each without itself. The detector is trained on the file for %d steps as `+"`baca pretrain --residuals held-out`"+` does: it keeps a tenth from its training,
takes errors from these alone, and has not seen the new molecules. Means over splits, ± the standard deviation of a split.

## Coverage

Drawn by chance, new molecules are exchangeable with those held out, and coverage is promised on average over splits. By scaffolds they are
not, and nothing is promised.

`, version.String(), runtime.GOOS, runtime.GOARCH, intervalMost, intervalSteps)
	table := m.tableOf("set", "new", "splits", "held out", "80 % asked", "90 % asked", "95 % asked", "width at 90 %", "groups at 90 %", "beyond all held out")
	for _, r := range results {
		fields := []field{words("%s", r.Set), words("%s", r.Split), words("%d", r.Splits), words("%d", r.HeldOut)}
		for _, l := range r.Levels {
			fields = append(fields, words("%.1f ± %.1f", 100*l.Mean, 100*l.Std))
		}
		table.row(append(fields, words("%.2f", r.Levels[1].Width), words("%.1f", r.Levels[1].Groups), words("%.1f %%", 100*r.Beyond))...)
	}
	m.text("\n## Verdicts\n\nA large error is one that a fifth of the held-out errors are above. Shares pool the new molecules of all splits; what was stated is in brackets.\n\n")
	table = m.tableOf("set", "new", "R² of predictions", "Spearman of score and error", "large errors of trust", "check", "do-not-use", "molecules with each")
	for _, r := range results {
		fields := []field{words("%s", r.Set), words("%s", r.Split), words("%.2f", r.R2), words("%.2f", r.Rank)}
		all := 0
		for _, v := range r.Stated {
			fields = append(fields, words("%s", verdictShare(v)))
			all += v.Molecules
		}
		fields = append(fields, words("%.0f, %.0f, %.0f %%", share(r.Stated[0], all), share(r.Stated[1], all), share(r.Stated[2], all)))
		table.row(fields...)
	}
	return m
}

func share(v intervalVerdict, all int) float64 { return 100 * float64(v.Molecules) / float64(all) }

func verdictShare(v intervalVerdict) string {
	if v.Molecules == 0 {
		return "–"
	}
	text := fmt.Sprintf("%.1f %%", 100*v.Large)
	if s := float64(v.Stated); !math.IsNaN(s) {
		text += fmt.Sprintf(" (%.1f)", 100*s)
	}
	return text
}
