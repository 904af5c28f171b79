package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/contrast"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/algo/molecule"
	"baca/build/internal/replace"
	"baca/build/internal/version"
	"baca/weights"
)

// The rates that decisions are measured at, and the shares of OOD graphs in a batch.
var (
	decisionAlphas = []float64{0.01, 0.05, 0.10}
	decisionFDRs   = []float64{0.05, 0.10, 0.20}
	decisionShares = []float64{0, 0.05, 0.20, 0.50}
)

// What bounds the work of a pair.
const (
	maxDecisionOOD = 2000 // graphs of the OOD set, evenly spread over it
	amongMany      = 1000 // ID graphs beside which single ones are scored
	singles        = 10   // of these: half ID, half OOD
)

// decisionStream is the second half of the seed of splits and draws.
const decisionStream = 0xba1a_1009

type decisionFlags struct {
	data, out     string
	models        []string
	splits, fits  int
	workers       int
	weightsFolder string
}

func newBenchDecisions() *cobra.Command {
	var f decisionFlags
	c := &cobra.Command{
		Use:   "decisions --data DIR --out DIR",
		Short: "Measure false alarms, detection and false discoveries of the built-in models",
		Long: `Decisions measures, for each built-in model, what its p-values and verdicts are worth.
The graphs that training left out are parted at random into a holdout, which gives
p-values, and ID test graphs; OOD graphs are those of the set that the paper pairs
with the ID set. It measures

  the share of ID test graphs called outside at alpha 0.01, 0.05 and 0.10,
  the share of OOD graphs called outside at these,
  the share of ID graphs among those called outside by Benjamini and Hochberg, at 5, 20
  and 50 % OOD graphs in the batch, and how many OOD graphs that finds,
  how far the p-value of a graph by itself is from that of its batch among 1000 ID graphs,

for the graph by itself over many splits, and for the verdict of its batch over a few,
and writes decisions.json and decisions.md to --out.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.data == "" || f.out == "" {
				return usagef("want --data DIR and --out DIR")
			}
			if f.splits < 1 || f.fits < 1 || f.workers < 0 {
				return usagef("--splits %d, --fits %d, --workers %d: want 1 or more splits and fits, 0 or more workers", f.splits, f.fits, f.workers)
			}
			return f.run(c.Context(), c.ErrOrStderr())
		},
	}
	fs := c.Flags()
	fs.StringVar(&f.data, "data", "", "`folder` with tu/NAME and mol/NAME.csv[.gz]")
	fs.StringVar(&f.out, "out", "", "`folder` for the results")
	fs.StringSliceVar(&f.models, "models", nil, "embedded models by `name`, all without")
	fs.StringVar(&f.weightsFolder, "weights", "", "`folder` with NAME.msgpack, to be measured instead of the embedded models")
	fs.IntVar(&f.splits, "splits", 500, "of holdout and test, for single graphs")
	fs.IntVar(&f.fits, "fits", 4, "splits for batches")
	fs.IntVar(&f.workers, "workers", 0, "cores to use, 0 for all; results do not depend on it")
	return c
}

// A decision is what came of one score at one share of OOD graphs, as means over
// splits.
type decision struct {
	Score  string  `json:"score"`     // alone or batch
	Share  float64 `json:"ood_share"` // of the batch
	Splits int     `json:"splits"`
	Weight rate    `json:"ratio_weight"` // mean share of the density ratio, null alone

	FalseAlarms map[string]rate `json:"false_alarms"`    // by alpha
	Spread      map[string]rate `json:"false_alarms_sd"` // over splits
	Detected    map[string]rate `json:"detected"`
	FDR         map[string]rate `json:"fdr"` // achieved, by the one asked for
	FDRSpread   map[string]rate `json:"fdr_sd"`
	Found       map[string]rate `json:"found"` // OOD graphs, by the rate asked for
}

// A decisionPair is what was measured of one model.
type decisionPair struct {
	Model     string      `json:"model"`
	Pair      string      `json:"pair"`
	Holdout   int         `json:"holdout"` // graphs of each split
	Test      int         `json:"test"`
	OOD       int         `json:"ood"`
	SmallestP float64     `json:"smallest_p"`
	AUROC     rate        `json:"auroc_alone"` // of single graphs, held-out ID against OOD
	Decisions []*decision `json:"decisions"`

	// How far p-values alone are from those among many.
	Among          int  `json:"among"`        // ID graphs, trained on for the most part
	AmongLargest   rate `json:"among_max_dp"` // over singles graphs
	AmongWeight    rate `json:"among_weight"` // of the density ratio
	HeldOutMedian  rate `json:"held_out_median_dp"`
	HeldOutLargest rate `json:"held_out_max_dp"` // ID test graphs, alone and with the other ones

	// Shared are the models that baca share makes, by its k.
	Shared []sharedDecision `json:"shared"`
}

// A sharedDecision is what sharing costs.
type sharedDecision struct {
	K      int  `json:"k"`
	Groups int  `json:"groups"` // 0: too few graphs
	AUROC  rate `json:"auroc_alone"`
	Alarms rate `json:"false_alarms_0.05"` // over splits as above
}

// decisionShared are the k that are measured.
var decisionShared = []int{2, algo.DefaultShare, 10}

type decisionResult struct {
	Program string          `json:"program"`
	Splits  int             `json:"splits"`
	Fits    int             `json:"fits"`
	Pairs   []*decisionPair `json:"pairs"`
}

func (f *decisionFlags) run(ctx context.Context, stderr io.Writer) error {
	result := &decisionResult{Program: version.String(), Splits: f.splits, Fits: f.fits}
	err := f.each(func(_ string, m *algo.Model, p *benchPair) error {
		d, err := f.pair(ctx, stderr, m, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name(), err)
		}
		result.Pairs = append(result.Pairs, d)
		return nil
	})
	if err != nil {
		return err
	}
	if len(result.Pairs) == 0 {
		return usagef("--models %s: none of them is of the paper's ten pairs", strings.Join(f.models, ","))
	}
	return f.write("decisions", result, result.markdown())
}

// each visits the models that are asked for, by name, with their pairs.
func (f *decisionFlags) each(visit func(name string, m *algo.Model, p *benchPair) error) error {
	for _, p := range paperPairs {
		name := strings.ToLower(p.ID)
		if len(f.models) > 0 && !slices.Contains(f.models, name) {
			continue
		}
		m, err := f.open(name)
		if err == nil {
			err = visit(name, m, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write writes a result as JSON and as a report of that name.
func (f *decisionFlags) write(name string, result any, report []byte) error {
	if err := os.MkdirAll(f.out, 0o777); err != nil {
		return err
	}
	if err := replace.File(filepath.Join(f.out, name+".json"), func(w io.Writer) error { return writeJSON(w, result) }); err != nil {
		return err
	}
	return replace.File(filepath.Join(f.out, name+".md"), func(w io.Writer) error {
		_, err := w.Write(report)
		return err
	})
}

func (f *decisionFlags) open(name string) (*algo.Model, error) {
	if f.weightsFolder == "" {
		return weights.Open(name)
	}
	return openModel(filepath.Join(f.weightsFolder, name+".msgpack"))
}

// A decisionBench is a pair with its graphs.
type decisionBench struct {
	model         *algo.Model
	held, ood     []*graph.Graph
	heldAs        *contrast.Representation // of held
	heldTraits    []algo.Trait
	trained       []*graph.Graph
	alone         *algo.Alone
	heldScores    []float64
	oodScores     []float64
	workers       int
	split, tested int // sizes of the halves
}

// load reads the sets of a pair for a model.
func (f *decisionFlags) load(ctx context.Context, m *algo.Model, p *benchPair) (*decisionBench, error) {
	b, err := f.held(ctx, m, p.ID)
	if err != nil {
		return nil, err
	}
	out, err := openSetFor(ctx, m, f.data, p.OOD, f.workers)
	if err != nil {
		return nil, err
	}
	n := min(len(out), maxDecisionOOD)
	for k := range n {
		b.ood = append(b.ood, out[k*len(out)/n])
	}
	b.oodScores, err = b.alone.Scores(ctx, b.ood)
	return b, err
}

// held reads the ID set of a model.
func (f *decisionFlags) held(ctx context.Context, m *algo.Model, set string) (*decisionBench, error) {
	id, err := openSetFor(ctx, m, f.data, set, f.workers)
	if err != nil {
		return nil, err
	}
	return newDecisionBench(ctx, m, id, f.workers)
}

// openSetFor reads the set of that name below a folder as a model reads it: molecules in
// its form.
func openSetFor(ctx context.Context, m *algo.Model, folder, name string, workers int) ([]*graph.Graph, error) {
	set, err := dataset.Open(ctx, os.DirFS(folder), name, workers)
	if err != nil {
		return nil, err
	}
	if algo.FormOf(m.Card.Schema) == molecule.AsWritten {
		return set.Graphs, nil
	}
	for _, suffix := range []string{".csv", ".csv.gz"} {
		file, err := os.Open(filepath.Join(folder, "mol", name+suffix))
		if err != nil {
			continue
		}
		defer file.Close()
		set, err = dataset.Collect(ctx, file, dataset.Options{Name: file.Name(), Format: dataset.CSV, Workers: workers, Form: algo.FormOf(m.Card.Schema)})
		if err != nil {
			return nil, err
		}
		return set.Graphs, nil
	}
	return nil, fmt.Errorf("%s holds no molecules, which model %s reads", name, m.Card.Name)
}

// newDecisionBench prepares the graphs of a set that training left out.
func newDecisionBench(ctx context.Context, m *algo.Model, set []*graph.Graph, workers int) (*decisionBench, error) {
	if len(set) != m.Card.Graphs {
		return nil, fmt.Errorf("the set has %d graphs, the model %s was made from %d", len(set), m.Card.Name, m.Card.Graphs)
	}
	b := &decisionBench{model: m, workers: workers}
	held := map[int]bool{}
	for _, row := range m.Card.HoldoutRows {
		held[row] = true
		b.held = append(b.held, set[row])
	}
	for row, g := range set {
		if !held[row] {
			b.trained = append(b.trained, g)
		}
	}
	b.split = len(b.held) / 2
	b.tested = len(b.held) - b.split
	var err error
	if b.alone, err = algo.NewAlone(ctx, m, workers); err != nil {
		return nil, err
	}
	if b.heldScores, err = b.alone.Scores(ctx, b.held); err != nil {
		return nil, err
	}
	if b.heldAs, err = contrast.Describe(ctx, workers, m.Encoder, b.held); err != nil {
		return nil, err
	}
	b.heldTraits = m.Traits(b.held, b.heldAs.Prints)
	return b, nil
}

// halves parts the held-out graphs at random, by a number.
func (b *decisionBench) halves(draw uint64) (rng *rand.Rand, tested, held []int) {
	rng = rand.New(rand.NewPCG(draw, decisionStream))
	order := rng.Perm(len(b.held))
	return rng, order[b.split:], order[:b.split]
}

// outside draws OOD graphs for a share of a batch with the ID test graphs.
func (b *decisionBench) outside(rng *rand.Rand, share float64) []int {
	n := int(math.Round(share / (1 - share) * float64(b.tested)))
	return rng.Perm(len(b.ood))[:min(n, len(b.ood))]
}

// A tallied sums what decision holds.
type tallied struct {
	alarms, detected, fdr, found map[float64][]float64
	weight                       []float64
}

func newTallied() *tallied {
	return &tallied{map[float64][]float64{}, map[float64][]float64{}, map[float64][]float64{}, map[float64][]float64{}, nil}
}

// add takes the p-values of one batch, those of the ID graphs first. Guards, unless nil,
// are the p-values of the same graphs by themselves, see algo.Guard.
func (t *tallied) add(p, guards []float64, nID int) {
	called := func(list []float64, from, to int, limit float64) float64 {
		n := 0
		for i := from; i < to; i++ {
			if math.IsNaN(list[i]) { // too few for a batch
				return math.NaN()
			}
			if list[i] <= limit && (guards == nil || guards[i] <= algo.Guard) {
				n++
			}
		}
		return float64(n)
	}
	nOOD := len(p) - nID
	for _, a := range decisionAlphas {
		t.alarms[a] = append(t.alarms[a], called(p, 0, nID, a)/float64(nID))
		if nOOD > 0 {
			t.detected[a] = append(t.detected[a], called(p, nID, len(p), a)/float64(nOOD))
		}
	}
	q := decide.QValues(p)
	for _, f := range decisionFDRs {
		wrong, right := called(q, 0, nID, f), called(q, nID, len(q), f)
		t.fdr[f] = append(t.fdr[f], wrong/max(1, wrong+right))
		if nOOD > 0 {
			t.found[f] = append(t.found[f], right/float64(nOOD))
		}
	}
}

// decision takes the means.
func (t *tallied) decision(score string, share float64) *decision {
	means := func(m map[float64][]float64, spread bool) map[string]rate {
		of := map[string]rate{}
		for k, v := range m {
			mean, sd := metric.MeanStd(v)
			if spread {
				mean = sd
			}
			of[fmt.Sprint(k)] = rate(mean)
		}
		return of
	}
	d := &decision{
		Score: score, Share: share, Splits: len(t.alarms[decisionAlphas[0]]), Weight: rate(math.NaN()),
		FalseAlarms: means(t.alarms, false), Spread: means(t.alarms, true), Detected: means(t.detected, false),
		FDR: means(t.fdr, false), FDRSpread: means(t.fdr, true), Found: means(t.found, false),
	}
	if len(t.weight) > 0 {
		mean, _ := metric.MeanStd(t.weight)
		d.Weight = rate(mean)
	}
	return d
}

// pair measures one model.
func (f *decisionFlags) pair(ctx context.Context, stderr io.Writer, m *algo.Model, p *benchPair) (*decisionPair, error) {
	b, err := f.load(ctx, m, p)
	if err != nil {
		return nil, err
	}
	d := &decisionPair{
		Model: strings.ToLower(p.ID), Pair: p.name(), Holdout: b.split, Test: b.tested, OOD: len(b.ood),
		SmallestP: 1 / float64(1+b.split),
	}
	labels := append(make([]bool, len(b.held)), slices.Repeat([]bool{true}, len(b.ood))...)
	d.AUROC = rate(metric.AUROC(slices.Concat(b.heldScores, b.oodScores), labels))
	for _, share := range decisionShares {
		t := newTallied()
		for k := range f.splits {
			rng, tested, held := b.halves(uint64(k) + 1)
			batch := slices.Concat(pickScores(b.heldScores, tested), pickScores(b.oodScores, b.outside(rng, share)))
			t.add(decide.PValues(batch, pickScores(b.heldScores, held)), nil, len(tested))
		}
		d.Decisions = append(d.Decisions, t.decision("alone", share))
	}
	progress := newProgress(stderr, "batches of "+p.name(), 0)
	defer progress.Done()
	var apart []float64
	for _, share := range decisionShares {
		t := newTallied()
		for k := range f.fits {
			rng, tested, held := b.halves(uint64(k) + 1)
			list := make([]*graph.Graph, 0, 2*len(tested))
			for _, i := range tested {
				list = append(list, b.held[i])
			}
			for _, i := range b.outside(rng, share) {
				list = append(list, b.ood[i])
			}
			r, err := b.batch(ctx, list, held, uint64(k)+1)
			if err != nil {
				return nil, err
			}
			var p, alone []float64
			for _, row := range r.Rows {
				p, alone = append(p, row.BatchP), append(alone, row.AloneP)
				if share == 0 && !r.Few {
					apart = append(apart, math.Abs(row.AloneP-row.BatchP))
				}
			}
			t.add(p, alone, len(tested))
			t.weight = append(t.weight, r.Weight)
			progress.Add(int64(len(list)))
		}
		d.Decisions = append(d.Decisions, t.decision("batch", share))
	}
	d.HeldOutMedian, d.HeldOutLargest = rate(metric.Percentile(apart, 50)), rate(metric.Percentile(apart, 100))
	if err := b.among(ctx, d); err != nil {
		return nil, err
	}
	progress.Add(int64(d.Among))
	for _, k := range decisionShared {
		s, err := b.shared(ctx, k, f.splits, labels)
		if err != nil {
			return nil, err
		}
		d.Shared = append(d.Shared, s)
	}
	return d, nil
}

// shared measures the model that can be handed out.
func (b *decisionBench) shared(ctx context.Context, k, splits int, labels []bool) (sharedDecision, error) {
	s := sharedDecision{K: k, AUROC: rate(math.NaN()), Alarms: rate(math.NaN())}
	m, err := b.model.Share(ctx, b.workers, k)
	if err != nil {
		return s, nil // too few graphs for such groups
	}
	s.Groups = m.Bank.Len()
	alone, err := algo.NewAlone(ctx, m, b.workers)
	if err != nil {
		return s, err
	}
	held, err := alone.Scores(ctx, b.held)
	if err != nil {
		return s, err
	}
	ood, err := alone.Scores(ctx, b.ood)
	if err != nil {
		return s, err
	}
	s.AUROC = rate(metric.AUROC(slices.Concat(held, ood), labels))
	t := newTallied()
	for draw := range splits {
		_, tested, kept := b.halves(uint64(draw) + 1)
		t.add(decide.PValues(pickScores(held, tested), pickScores(held, kept)), nil, len(tested))
	}
	s.Alarms = t.decision("shared", 0).FalseAlarms["0.05"]
	return s, nil
}

// reference returns what scores alone with a reference of some of the held-out graphs.
func (b *decisionBench) reference(ctx context.Context, held []int) (*algo.Model, *algo.Alone, error) {
	m := *b.model
	m.Holdout, m.HoldoutTraits = b.heldAs.Select(held), nil
	for _, i := range held {
		m.HoldoutTraits = append(m.HoldoutTraits, b.heldTraits[i])
	}
	alone, err := b.alone.WithHoldout(ctx, &m)
	return &m, alone, err
}

// batch calibrates graphs as a batch, with a holdout of some of the held-out graphs.
// The rows of the report are in the order of the graphs.
func (b *decisionBench) batch(ctx context.Context, list []*graph.Graph, held []int, seed uint64) (*algo.Report, error) {
	m, alone, err := b.reference(ctx, held)
	if err != nil {
		return nil, err
	}
	o := columnOptions(columnBatch, seed)
	o.By, o.Workers, o.Alone = algo.ByBatch, b.workers, alone
	s, err := algo.NewScorer(ctx, m, o)
	if err != nil {
		return nil, err
	}
	perm := rand.New(rand.NewPCG(seed, shuffleStream)).Perm(len(list))
	mixed := make([]*graph.Graph, len(list))
	for k, i := range perm {
		mixed[k] = list[i]
	}
	r, err := s.Batch(ctx, mixed)
	if err != nil {
		return nil, err
	}
	rows := make([]algo.Row, len(list))
	for k, i := range perm {
		rows[i] = r.Rows[k]
	}
	r.Rows = rows
	return r, nil
}

// among scores a few graphs among a thousand ID graphs, as many of them as there are
// held-out ones.
func (b *decisionBench) among(ctx context.Context, d *decisionPair) error {
	rng, tested, held := b.halves(1)
	var list []*graph.Graph
	for k := range singles / 2 {
		list = append(list, b.held[tested[k]])
	}
	for _, i := range rng.Perm(len(b.ood))[:min(len(b.ood), singles/2)] {
		list = append(list, b.ood[i])
	}
	few := len(list)
	for _, i := range tested[singles/2:] {
		if len(list) < few+amongMany {
			list = append(list, b.held[i])
		}
	}
	for _, i := range rng.Perm(len(b.trained)) {
		if len(list) < few+amongMany {
			list = append(list, b.trained[i])
		}
	}
	d.Among = len(list) - few
	r, err := b.batch(ctx, list, held, 1)
	if err != nil {
		return err
	}
	largest := 0.0
	for _, row := range r.Rows[:few] {
		largest = max(largest, math.Abs(row.AloneP-row.BatchP))
	}
	d.AmongLargest, d.AmongWeight = rate(largest), rate(r.Weight)
	return nil
}

// markdown is the report.
func (r *decisionResult) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# What the decisions of the built-in models are worth

Written by

    baca bench decisions --data DIR --out build/results --splits %d --fits %d

with baca %s on %s/%s. The graphs that training left out are parted at random into a holdout and ID test
graphs. "Alone" is what decides by default, each graph by itself, over %d splits; "batch" is batch_verdict, over %d. All in percent.

## False alarms and detection

The share of ID test graphs that is called outside at α, and after the arrow the share of OOD graphs that is.
In-distribution graphs alone must not be called outside more often than α, but for the error of so few; – marks an
α below the smallest p-value that the holdout resolves, where every graph is undecided, and everywhere fewer graphs
than a batch takes. The batch is measured with 20 %% OOD in it.

| ID / OOD | holdout + test | AUROC alone | alone, α = 1 | 5 | 10 | batch, α = 1 | 5 | 10 |
|---|---|---|---|---|---|---|---|---|
`, r.Splits, r.Fits, r.Program, runtime.GOOS, runtime.GOARCH, r.Splits, r.Fits)
	at := func(d *decisionPair, score string, share float64) *decision {
		for _, x := range d.Decisions {
			if x.Score == score && x.Share == share {
				return x
			}
		}
		return nil
	}
	show := func(x rate) string {
		if math.IsNaN(float64(x)) {
			return "–"
		}
		return fmt.Sprintf("%.1f", 100*float64(x))
	}
	for _, d := range r.Pairs {
		fmt.Fprintf(&b, "| %s | %d + %d | %s |", strings.ReplaceAll(d.Pair, "/", " / "), d.Holdout, d.Test, show(d.AUROC))
		for _, score := range []string{"alone", "batch"} {
			x := at(d, score, 0.2)
			for _, a := range decisionAlphas {
				if a < d.SmallestP {
					fmt.Fprint(&b, " – |")
					continue
				}
				k := fmt.Sprint(a)
				fmt.Fprintf(&b, " %s → %s |", show(x.FalseAlarms[k]), show(x.Detected[k]))
			}
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprint(&b, `
## False alarms of the batch, by what is in it

At α = 5 %, ± the standard deviation over splits.

| ID / OOD | no OOD | 5 % OOD | 20 % | 50 % |
|---|---|---|---|---|
`)
	for _, d := range r.Pairs {
		fmt.Fprintf(&b, "| %s |", strings.ReplaceAll(d.Pair, "/", " / "))
		for _, share := range decisionShares {
			x := at(d, "batch", share)
			if 0.05 < d.SmallestP {
				fmt.Fprint(&b, " – |")
				continue
			}
			fmt.Fprintf(&b, " %s ± %s |", show(x.FalseAlarms["0.05"]), show(x.Spread["0.05"]))
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprint(&b, `
## False discoveries

The share of ID graphs among those called outside with --fdr 0.1 (asked for: 10 at most), and after the arrow the
share of the OOD graphs that is found. Zero with nothing found means that no graph was called outside: the
holdout is too small for p-values that stand out among so many graphs.

| ID / OOD | alone, 5 % OOD | 20 % | 50 % | batch, 5 % OOD | 20 % | 50 % |
|---|---|---|---|---|---|---|
`)
	for _, d := range r.Pairs {
		fmt.Fprintf(&b, "| %s |", strings.ReplaceAll(d.Pair, "/", " / "))
		for _, score := range []string{"alone", "batch"} {
			for _, share := range decisionShares[1:] {
				x := at(d, score, share)
				fmt.Fprintf(&b, " %s → %s |", show(x.FDR["0.1"]), show(x.Found["0.1"]))
			}
		}
		fmt.Fprintln(&b)
	}
	fmt.Fprint(&b, "\nThe mean over the pairs, achieved for asked:\n\n| score | asked | 5 % OOD | 20 % | 50 % |\n|---|---|---|---|---|\n")
	for _, score := range []string{"alone", "batch"} {
		for _, f := range decisionFDRs {
			fmt.Fprintf(&b, "| %s | %g |", score, 100*f)
			for _, share := range decisionShares[1:] {
				var rates []float64
				for _, d := range r.Pairs {
					if x := float64(at(d, score, share).FDR[fmt.Sprint(f)]); !math.IsNaN(x) {
						rates = append(rates, x)
					}
				}
				mean, _ := metric.MeanStd(rates)
				fmt.Fprintf(&b, " %s |", show(rate(mean)))
			}
			fmt.Fprintln(&b)
		}
	}
	fmt.Fprintf(&b, `
## One graph, by itself and by its batch

How far alone_p, which is the same beside any other graphs, is from batch_p: the largest difference of %d
graphs, half of them OOD, among up to %d ID graphs (held-out ones, then training graphs), and median and largest
difference of ID test graphs in a batch of ID test graphs only. Where the density ratio has no weight, the
two are the same.

| ID / OOD | among | largest | weight of the ratio | held-out batch: median | largest |
|---|---|---|---|---|---|
`, singles, amongMany)
	for _, d := range r.Pairs {
		median, largest := fmt.Sprintf("%.3f", float64(d.HeldOutMedian)), fmt.Sprintf("%.3f", float64(d.HeldOutLargest))
		if math.IsNaN(float64(d.HeldOutMedian)) { // fewer than a batch
			median, largest = "–", "–"
		}
		fmt.Fprintf(&b, "| %s | %d | %.3f | %.2f | %s | %s |\n", strings.ReplaceAll(d.Pair, "/", " / "), d.Among, float64(d.AmongLargest), float64(d.AmongWeight), median, largest)
	}
	fmt.Fprintf(&b, `
## What sharing costs

AUROC of the score of single graphs, alone, by the model as it was trained, and by the models that baca share makes for
some k, with the number of rows that the bank is left with. – where there are too few graphs for a group.

| ID / OOD | as trained | k = %d | %d | %d |
|---|---|---|---|---|
`, decisionShared[0], decisionShared[1], decisionShared[2])
	for _, d := range r.Pairs {
		fmt.Fprintf(&b, "| %s | %s |", strings.ReplaceAll(d.Pair, "/", " / "), show(d.AUROC))
		for _, s := range d.Shared {
			fmt.Fprintf(&b, " %s (%d) |", show(s.AUROC), s.Groups)
		}
		fmt.Fprintln(&b)
	}
	return b.Bytes()
}
