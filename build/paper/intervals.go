package paper

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

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
	"baca/build/internal/usage"
	"baca/build/internal/version"
	"baca/weights"
)

// intervalSets are sets of molecules with a measured number or class.
var intervalSets = []labelled{
	{"esol", "measured log solubility in mols per litre", false},
	{"freesolv", "expt", false},
	{"lipo", "exp", false},
	{"bace", "Class", true},
	{"bbbp", "p_np", true},
}

// validationSets are those that the default order of errors was chosen on. No report on errors has these
// columns; bace and tox21 share molecules with others.
var validationSets = []labelled{
	{"bace", "pIC50", false},
	{"sider", "Hepatobiliary disorders", true},
	{"tox21", "SR-MMP", true},
	{"toxcast", "ATG_PXRE_CIS_up", true},
}

// onlyValidation is the value of --sets that stands for validationSets.
const onlyValidation = "validation"

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
		Long: `Intervals asks whether baca score --predicted keeps what it promises, by each value of
--errors-by: on esol, freesolv and lipo, whose values are numbers, and bace and bbbp, whose values
are classes. A fifth of a set is new, drawn by chance or by whole scaffolds; the rest is a training
file. Kernel ridge regression on ECFP4 predicts: for the molecules of the file each without itself,
for new ones from the whole file. A detector is trained on the file as baca train --residuals
held-out does, and judges the predictions for the new molecules. It measures

  the share of observed numbers in their intervals, and how wide these are,
  large errors by verdict beside the rates that were stated,
  how well large errors are found, and the rank correlation with the error,

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
	fs.StringSliceVar(&b.sets, "sets", nil, "sets by `name`, all of these without; "+onlyValidation+" for others, on which the default of --errors-by was chosen")
	fs.IntVar(&b.splits, "splits", 50, "by chance, of each set")
	fs.IntVar(&b.scaffolds, "scaffold-splits", 10, "by scaffolds, of each set")
	fs.IntVar(&b.workers, "workers", 0, "cores to use, 0 for all; results do not depend on it")
	return c
}

// An intervalSet is a set with what predicts its values.
type intervalSet struct {
	labelled
	graphs    []*graph.Graph
	values    []float64
	kernel    *mat.SymDense // Tanimoto similarities of ECFP4, and 1 for the intercept
	scaffolds [][]int       // the molecules of each
}

// readIntervalSet reads a set, or an even draw from it.
func readIntervalSet(data string, of labelled) (*intervalSet, error) {
	file, err := openMolecules(data, of.name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s := &intervalSet{labelled: of}
	var prints []fingerprint.Print
	for r, err := range dataset.Records(file, dataset.Options{Name: file.Name(), Format: dataset.CSV, Cells: []string{of.column}}) {
		if err != nil {
			return nil, err
		}
		m, err := r.Parse()
		if err != nil || r.Cells[0] == "" {
			continue // as baca train refuses it, or not measured
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
	s.kernel = kernelOf(prints)
	groups := map[string]int{}
	for i, g := range s.graphs {
		core := scaffoldOf(g)
		at, known := groups[core]
		if !known {
			at = len(s.scaffolds)
			groups[core], s.scaffolds = at, append(s.scaffolds, nil)
		}
		s.scaffolds[at] = append(s.scaffolds[at], i)
	}
	return s, nil
}

// kernelOf has one more than the similarity of each two.
func kernelOf(prints []fingerprint.Print) *mat.SymDense {
	kernel, index, row := mat.NewSymDense(len(prints), nil), fingerprint.NewIndex(prints), make([]float64, len(prints))
	for i, p := range prints {
		index.Similarities(row, fingerprint.Sets, p)
		for j, x := range row[:i+1] {
			kernel.SetSym(i, j, 1+x)
		}
	}
	return kernel
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
// others, and those for new ones. Predictions of classes are cut to 0 and 1.
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
		leftOut = append(leftOut, s.within(y.AtVec(i)-alpha.AtVec(i)/inverse.At(i, i)))
	}
	for _, q := range fresh {
		sum := 0.0
		for i, p := range file {
			sum += alpha.AtVec(i) * s.kernel.At(q, p)
		}
		predicted = append(predicted, s.within(sum))
	}
	return leftOut, predicted, nil
}

func (s *intervalSet) within(x float64) float64 {
	if s.classes {
		return min(1, max(0, x))
	}
	return x
}

// orders are those that predictions for the set can be put in.
func (s *intervalSet) orders() []algo.Order {
	return slices.DeleteFunc(algo.Orders(), func(o algo.Order) bool { return o == algo.OrderMargin && !s.classes })
}

// An intervalResult is what came of the splits of a set.
type intervalResult struct {
	Set     string          `json:"set"`
	Classes bool            `json:"classes"`
	Split   string          `json:"split"`
	Splits  int             `json:"splits"`
	File    int             `json:"file"`     // molecules of the training file
	HeldOut int             `json:"held_out"` // of them, with errors
	New     float64         `json:"new"`      // molecules of a split, on average
	Error   rate            `json:"mean_error"`
	Quality rate            `json:"quality"` // of the predictions for new molecules: R², or of classes AUROC
	Orders  []intervalOrder `json:"orders"`
}

// An intervalOrder is what came of them by one order.
type intervalOrder struct {
	Order    algo.Order        `json:"order"`
	Rank     rate              `json:"spearman"`
	Finds    rate              `json:"large_errors_auroc"`
	FindsStd rate              `json:"large_errors_auroc_std"` // over splits
	Above    int               `json:"above_score"`            // splits where large errors are found better than by the score
	Beyond   rate              `json:"beyond"`                 // share of new molecules beyond the last held-out one
	Levels   []intervalLevel   `json:"coverages,omitempty"`    // none for classes
	Stated   []intervalVerdict `json:"verdicts"`
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

// chosen are the sets to measure.
func (b *intervalBench) chosen() []labelled {
	if slices.Equal(b.sets, []string{onlyValidation}) {
		return validationSets
	}
	return slices.DeleteFunc(slices.Clone(intervalSets), func(of labelled) bool {
		return len(b.sets) > 0 && !slices.Contains(b.sets, of.name)
	})
}

func (b *intervalBench) run(ctx context.Context) error {
	var results []*intervalResult
	for _, of := range b.chosen() {
		s, err := readIntervalSet(b.data, of)
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
		return usage.Errorf("--sets %v: want some of esol, freesolv, lipo, bace and bbbp, or validation alone", b.sets)
	}
	return save(b.out, "intervals", map[string]any{"program": version.String(), "results": results}, b.report(results))
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
	t := &intervalTally{result: &intervalResult{Set: s.name, Classes: s.classes, Split: kind, Splits: splits}}
	for _, by := range s.orders() {
		t.orders = append(t.orders, newOrderTally(by))
	}
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
	alone, known, err := b.detector(ctx, s, file, leftOut, algo.Card{
		Name: fmt.Sprintf("%s-%s-%d", s.name, kind, seed), Description: "Trained on a part of " + s.name + ".", Schema: algo.OGBCanonical,
		Dataset: s.name, Seed: seed, Epochs: max(1, intervalSteps/job.StepsPerEpoch(len(file)*9/10)),
	})
	if err != nil {
		return err
	}
	graphs, values := pick(s.graphs, fresh), pick(s.values, fresh)
	scores, err := alone.Scores(ctx, graphs)
	if err != nil {
		return err
	}
	predictions := make([]algo.Prediction, len(fresh))
	for i, g := range graphs {
		predictions[i] = algo.Prediction{Graph: g, Score: scores[i], Predicted: predicted[i]}
	}
	for _, tally := range t.orders {
		doubts, err := alone.Doubts(ctx, tally.by, predictions)
		if err != nil {
			return err
		}
		for level, asked := range intervalCoverages {
			c, err := alone.Trust(ctx, trust.Options{Coverage: asked}, tally.by)
			if err != nil {
				return err
			}
			list := make([]trust.Outcome, len(fresh))
			for i := range list {
				list[i] = trust.Outcome{Score: doubts[i], Observed: values[i], Judgement: c.Judge(doubts[i], predicted[i])}
			}
			a := trust.NewAudit(list, c)
			tally.cover(level, a, c)
			if level == 0 { // the rest does not depend on the coverage
				tally.add(a, c, doubts)
			}
		}
	}
	t.result.File, t.result.HeldOut = len(file), known
	t.errors, t.news = append(t.errors, meanError(values, predicted)), append(t.news, float64(len(fresh)))
	if s.classes {
		t.quality = append(t.quality, metric.AUROC(predicted, classesOf(values)))
	} else {
		t.quality = append(t.quality, determination(values, predicted))
	}
	return nil
}

// detector trains one on the file. It returns its scorer, and how many held-out errors it knows.
func (b *intervalBench) detector(ctx context.Context, s *intervalSet, file []int, leftOut []float64, card algo.Card) (*algo.SingleScorer, int, error) {
	data, err := b.train(ctx, io.Discard, Training{Graphs: pick(s.graphs, file), Workers: b.workers, Card: card})
	if err != nil {
		return nil, 0, err
	}
	m, err := weights.Load(data)
	if err != nil {
		return nil, 0, err
	}
	values := make([]*algo.Values, len(file))
	for i, row := range file {
		values[i] = &algo.Values{Observed: s.values[row], Predicted: leftOut[i]}
	}
	if err := m.KeepResiduals(values, "observed", "predicted"); err != nil {
		return nil, 0, err
	}
	alone, err := algo.NewSingleScorer(ctx, m, b.workers)
	return alone, m.Residuals.Known(), err
}

func meanError(values, predicted []float64) float64 {
	sum := 0.0
	for i, y := range values {
		sum += math.Abs(y - predicted[i])
	}
	return sum / float64(len(values))
}

// An intervalTally sums up splits.
type intervalTally struct {
	result                *intervalResult
	quality, errors, news []float64
	orders                []*orderTally // the score first
}

// An orderTally is of one order.
type orderTally struct {
	by                             algo.Order
	covered, widths, groups        [3][]float64 // by intervalCoverages
	ranks, finds, beyond           []float64
	large, n, statedLarge, statedN map[trust.Verdict]int
	sum                            map[trust.Verdict]float64
}

func newOrderTally(by algo.Order) *orderTally {
	return &orderTally{by: by, large: map[trust.Verdict]int{}, n: map[trust.Verdict]int{}, statedLarge: map[trust.Verdict]int{}, statedN: map[trust.Verdict]int{}, sum: map[trust.Verdict]float64{}}
}

func (t *orderTally) cover(level int, a *trust.Audit, c *trust.Calibration) {
	t.covered[level] = append(t.covered[level], a.Coverage)
	t.widths[level] = append(t.widths[level], a.Width)
	t.groups[level] = append(t.groups[level], float64(len(c.Groups)))
}

func (t *orderTally) add(a *trust.Audit, c *trust.Calibration, doubts []float64) {
	beyond := make([]bool, len(doubts))
	for i, x := range doubts {
		beyond[i] = x > c.Farthest
	}
	t.ranks, t.finds, t.beyond = append(t.ranks, a.Spearman), append(t.finds, a.Finds), append(t.beyond, shareOf(beyond))
	for _, v := range trust.Verdicts() {
		n, s := a.Verdicts[v], c.HeldOut[v]
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
	r.New, r.Error, r.Quality = stat.Mean(t.news, nil), rate(stat.Mean(t.errors, nil)), rate(stat.Mean(t.quality, nil))
	for _, o := range t.orders {
		r.Orders = append(r.Orders, o.finish(r.Classes, t.orders[0].finds))
	}
	return r
}

// finish compares with how well the score found large errors.
func (t *orderTally) finish(classes bool, byScore []float64) intervalOrder {
	mean, std := metric.MeanStd(t.finds)
	o := intervalOrder{Order: t.by, Rank: rate(stat.Mean(t.ranks, nil)), Finds: rate(mean), FindsStd: rate(std), Beyond: rate(stat.Mean(t.beyond, nil))}
	for k, x := range t.finds {
		if x > byScore[k] {
			o.Above++
		}
	}
	for level, asked := range intervalCoverages {
		if !classes {
			mean, std := metric.MeanStd(t.covered[level])
			o.Levels = append(o.Levels, intervalLevel{asked, rate(mean), rate(std), rate(stat.Mean(t.widths[level], nil)), stat.Mean(t.groups[level], nil), t.covered[level]})
		}
	}
	for _, v := range trust.Verdicts() {
		n := float64(t.n[v])
		o.Stated = append(o.Stated, intervalVerdict{string(v), t.n[v], rate(float64(t.large[v]) / n), rate(float64(t.statedLarge[v]) / float64(t.statedN[v])), rate(t.sum[v] / n)})
	}
	return o
}

// report is for people.
func (b *intervalBench) report(results []*intervalResult) *markdown {
	m := new(markdown)
	options, columns := "", []string(nil)
	if len(b.sets) > 0 {
		options = " --sets " + strings.Join(b.sets, ",")
	}
	for _, of := range b.chosen() {
		columns = append(columns, of.name+" "+of.column)
	}
	m.text(`# Do intervals and verdicts on predictions hold?

Written by

    baca-paper bench intervals --data DIR --out DIR%s

with baca %s on %s/%s. A fifth of each set is new, drawn by chance, or by whole scaffolds, which a model meets when chemists turn to new
series; the rest is the training file, of sets of more than %d molecules so many are drawn before. Kernel ridge regression on ECFP4 predicts, for the
molecules of the file each without itself; predictions of classes are cut to 0 and 1. The detector is trained on the file for %d steps as
`+"`baca train --residuals held-out`"+` does: it keeps a tenth from its training, takes errors from these alone, and has not seen the new molecules.
*By* is the value of `+"`--errors-by`"+`: the score of the graph by itself, one less the mean similarity to the five nearest training graphs, or how near the
prediction is to the nearer class. Means over splits, ± the standard deviation of a split; splits of a set share molecules. The columns are %s.

## Finding large errors

The AUROC of large errors, in percent, is how often a molecule with one is less sure than a molecule without; 50 is chance. Large is an error of a number that is
above four fifths of the held-out ones, and of a class one above 0.5: the wrong class. *Above* counts the splits where it is higher than by the score. Rank correlations
with the error (Spearman) of *margin* are high by construction, since an error below 0.5 is the margin itself; its AUROC is not.

`, options, version.String(), runtime.GOOS, runtime.GOARCH, intervalMost, intervalSteps, strings.Join(columns, ", "))
	table := m.tableOf("set", "new", "splits", "by", "AUROC of large errors", "above", "Spearman with the error")
	eachOrder(results, func(r *intervalResult, o *intervalOrder) {
		above := "–"
		if o.Order != algo.OrderScore {
			above = fmt.Sprint(o.Above)
		}
		table.row(words("%s", r.Set), words("%s", r.Split), words("%d", r.Splits), words("%s", o.Order), words("%.1f ± %.1f", 100*o.Finds, 100*o.FindsStd), words("%s", above), words("%.2f", o.Rank))
	})
	m.text(`
## Coverage

Drawn by chance, new molecules are exchangeable with those held out, and coverage is promised on average over splits. By scaffolds they are
not, and nothing is promised. Classes have no intervals.

`)
	table = m.tableOf("set", "new", "by", "held out", "80 % asked", "90 % asked", "95 % asked", "width at 90 %", "groups at 90 %", "beyond all held out")
	eachOrder(results, func(r *intervalResult, o *intervalOrder) {
		if r.Classes {
			return
		}
		fields := []field{words("%s", r.Set), words("%s", r.Split), words("%s", o.Order), words("%d", r.HeldOut)}
		for _, l := range o.Levels {
			fields = append(fields, words("%.1f ± %.1f", 100*l.Mean, 100*l.Std))
		}
		table.row(append(fields, words("%.2f", o.Levels[1].Width), words("%.1f", o.Levels[1].Groups), words("%.1f %%", 100*o.Beyond))...)
	})
	m.text("\n## Verdicts\n\nShares pool the new molecules of all splits; what was stated is in brackets. *Quality* of the predictions is R², or of classes AUROC.\n\n")
	table = m.tableOf("set", "new", "by", "quality", "large errors of trust", "check", "do-not-use", "molecules with each")
	eachOrder(results, func(r *intervalResult, o *intervalOrder) {
		fields := []field{words("%s", r.Set), words("%s", r.Split), words("%s", o.Order), words("%.2f", r.Quality)}
		all := 0
		for _, v := range o.Stated {
			fields = append(fields, words("%s", verdictShare(v)))
			all += v.Molecules
		}
		fields = append(fields, words("%.0f, %.0f, %.0f %%", share(o.Stated[0], all), share(o.Stated[1], all), share(o.Stated[2], all)))
		table.row(fields...)
	})
	return m
}

// eachOrder goes through the orders of all results.
func eachOrder(results []*intervalResult, see func(*intervalResult, *intervalOrder)) {
	for _, r := range results {
		for i := range r.Orders {
			see(r, &r.Orders[i])
		}
	}
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
