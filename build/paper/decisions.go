package paper

import (
	"context"
	"fmt"
	"math"
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

type decisionBench struct {
	modelBench
	fits int
}

func newDecisions() *cobra.Command {
	var b decisionBench
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
		Args: usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := b.check(); err != nil {
				return err
			}
			if b.fits < 1 {
				return usage.Errorf("--fits %d: want 1 or more", b.fits)
			}
			b.stderr = c.ErrOrStderr()
			return b.run(c.Context())
		},
	}
	fs := c.Flags()
	b.register(fs, "splits", 500, "of holdout and test, for single graphs")
	fs.IntVar(&b.fits, "fits", 4, "splits for batches")
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

	// Shared are the models that baca model share makes, by its k.
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
var decisionShared = []int{2, 5, algo.DefaultShare}

// A decisionResult is decisions.json.
type decisionResult struct {
	Program string          `json:"program"`
	Splits  int             `json:"splits"`
	Fits    int             `json:"fits"`
	Pairs   []*decisionPair `json:"pairs"`
}

func (b *decisionBench) run(ctx context.Context) error {
	result := &decisionResult{Program: version.String(), Splits: b.splits, Fits: b.fits}
	err := b.each(func(_ string, m *algo.Model, p *pair) error {
		d, err := b.pair(ctx, m, p)
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
		return usage.Errorf("--models %s: none of them is of the paper's ten pairs", strings.Join(b.models, ","))
	}
	return save(b.out, "decisions", result, result.report())
}

// load reads the sets of a pair for a model.
func (b *decisionBench) load(ctx context.Context, m *algo.Model, p *pair) (*heldOut, error) {
	r, err := b.heldOut(ctx, m, p.ID)
	if err != nil {
		return nil, err
	}
	out, err := openSetFor(ctx, m, b.data, p.OOD, b.workers)
	if err != nil {
		return nil, err
	}
	n := min(len(out), maxDecisionOOD)
	for k := range n {
		r.ood = append(r.ood, out[k*len(out)/n])
	}
	r.oodScores, err = r.alone.Scores(ctx, r.ood)
	return r, err
}

// samples are rates by batch, under the rate that was asked for.
type samples map[float64][]rate

func (s samples) add(asked, achieved float64) { s[asked] = append(s[asked], rate(achieved)) }

// summary are the means and their standard deviations.
func (s samples) summary() (means, deviations map[string]rate) {
	means, deviations = map[string]rate{}, map[string]rate{}
	for asked, rates := range s {
		mean, std := meanStd(rates)
		means[fmt.Sprint(asked)], deviations[fmt.Sprint(asked)] = rate(mean), rate(std)
	}
	return means, deviations
}

// A decisionTally has what a decision is the means of.
type decisionTally struct {
	batches                      int
	alarms, detected, fdr, found samples
	weights                      []rate
}

func newDecisionTally() *decisionTally {
	return &decisionTally{alarms: samples{}, detected: samples{}, fdr: samples{}, found: samples{}}
}

// add takes the p-values of one batch, those of the ID graphs first. Guards, unless nil,
// are the p-values of the same graphs by themselves, see algo.Guard.
func (t *decisionTally) add(p, guards []float64, nID int) {
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
	t.batches++
	nOOD := len(p) - nID
	for _, a := range decisionAlphas {
		t.alarms.add(a, called(p, 0, nID, a)/float64(nID))
		if nOOD > 0 {
			t.detected.add(a, called(p, nID, len(p), a)/float64(nOOD))
		}
	}
	q := decide.QValues(p)
	for _, f := range decisionFDRs {
		wrong, right := called(q, 0, nID, f), called(q, nID, len(q), f)
		t.fdr.add(f, wrong/max(1, wrong+right))
		if nOOD > 0 {
			t.found.add(f, right/float64(nOOD))
		}
	}
}

// decision takes the means.
func (t *decisionTally) decision(score string, share float64) *decision {
	d := &decision{Score: score, Share: share, Splits: t.batches, Weight: none}
	d.FalseAlarms, d.Spread = t.alarms.summary()
	d.Detected, _ = t.detected.summary()
	d.FDR, d.FDRSpread = t.fdr.summary()
	d.Found, _ = t.found.summary()
	if len(t.weights) > 0 {
		mean, _ := meanStd(t.weights)
		d.Weight = rate(mean)
	}
	return d
}

// pair measures one model.
func (b *decisionBench) pair(ctx context.Context, m *algo.Model, p *pair) (*decisionPair, error) {
	r, err := b.load(ctx, m, p)
	if err != nil {
		return nil, err
	}
	d := &decisionPair{
		Model: strings.ToLower(p.ID), Pair: p.name(), Holdout: r.split, Test: r.tested, OOD: len(r.ood),
		SmallestP: 1 / float64(1+r.split), AUROC: r.auroc(r.scores, r.oodScores),
	}
	for _, share := range decisionShares {
		t := r.tallyAlone(r.scores, r.oodScores, share, b.splits)
		d.Decisions = append(d.Decisions, t.decision("alone", share))
	}
	bar := progress.New(b.stderr, "batches of "+p.name(), 0)
	defer bar.Done()
	var apart []float64
	for _, share := range decisionShares {
		t, differences, err := r.tallyBatches(ctx, share, b.fits, bar)
		if err != nil {
			return nil, err
		}
		d.Decisions = append(d.Decisions, t.decision("batch", share))
		if share == 0 {
			apart = differences
		}
	}
	d.HeldOutMedian, d.HeldOutLargest = rate(metric.Percentile(apart, 50)), rate(metric.Percentile(apart, 100))
	if err := r.among(ctx, d); err != nil {
		return nil, err
	}
	bar.Add(int64(d.Among))
	for _, k := range decisionShared {
		s, err := r.shared(ctx, k, b.splits)
		if err != nil {
			return nil, err
		}
		d.Shared = append(d.Shared, s)
	}
	return d, nil
}

// auroc is that of the scores of the held-out graphs and of the OOD graphs.
func (r *heldOut) auroc(scores, ood []float64) rate {
	labels := append(make([]bool, len(scores)), slices.Repeat([]bool{true}, len(ood))...)
	return rate(metric.AUROC(slices.Concat(scores, ood), labels))
}

// tallyAlone decides by the scores of single graphs, over many splits.
func (r *heldOut) tallyAlone(scores, oodScores []float64, share float64, splits int) *decisionTally {
	t := newDecisionTally()
	for k := range splits {
		rng, tested, reference := r.halves(uint64(k) + 1)
		batch := slices.Concat(pick(scores, tested), pick(oodScores, r.outside(rng, share)))
		t.add(decide.PValues(batch, pick(scores, reference)), nil, len(tested))
	}
	return t
}

// tallyBatches decides by batches, over a few splits. It also returns how far the p-values
// of graphs alone are from those of their batch.
func (r *heldOut) tallyBatches(ctx context.Context, share float64, splits int, bar *progress.Progress) (t *decisionTally, apart []float64, err error) {
	t = newDecisionTally()
	for k := range splits {
		rng, tested, reference := r.halves(uint64(k) + 1)
		gs := r.mixed(rng, tested, share)
		report, err := r.batch(ctx, gs, reference, uint64(k)+1)
		if err != nil {
			return nil, nil, err
		}
		var p, alone []float64
		for _, row := range report.Rows {
			p, alone = append(p, row.BatchP), append(alone, row.AloneP)
			if !report.Few {
				apart = append(apart, math.Abs(row.AloneP-row.BatchP))
			}
		}
		t.add(p, alone, len(tested))
		t.weights = append(t.weights, rate(report.Weight))
		bar.Add(int64(len(gs)))
	}
	return t, apart, nil
}

// shared measures the model that can be handed out.
func (r *heldOut) shared(ctx context.Context, k, splits int) (sharedDecision, error) {
	s := sharedDecision{K: k, AUROC: none, Alarms: none}
	m, err := r.model.Share(ctx, r.workers, k)
	if err != nil {
		return s, nil // too few graphs for such groups
	}
	s.Groups = m.Bank.Len()
	alone, err := algo.NewSingleScorer(ctx, m, r.workers)
	if err != nil {
		return s, err
	}
	scores, err := alone.Scores(ctx, r.graphs)
	if err != nil {
		return s, err
	}
	ood, err := alone.Scores(ctx, r.ood)
	if err != nil {
		return s, err
	}
	s.AUROC = r.auroc(scores, ood)
	s.Alarms = r.tallyAlone(scores, ood, 0, splits).decision("shared", 0).FalseAlarms["0.05"]
	return s, nil
}

// among scores a few graphs among a thousand ID graphs, as many of them as there are
// held-out ones.
func (r *heldOut) among(ctx context.Context, d *decisionPair) error {
	rng, tested, reference := r.halves(1)
	gs := slices.Concat(pick(r.graphs, tested[:singles/2]), pick(r.ood, rng.Perm(len(r.ood))[:min(len(r.ood), singles/2)]))
	few := len(gs)
	many := slices.Concat(pick(r.graphs, tested[singles/2:]), pick(r.trained, rng.Perm(len(r.trained))))
	d.Among = min(len(many), amongMany)
	report, err := r.batch(ctx, append(gs, many[:d.Among]...), reference, 1)
	if err != nil {
		return err
	}
	largest := 0.0
	for _, row := range report.Rows[:few] {
		largest = max(largest, math.Abs(row.AloneP-row.BatchP))
	}
	d.AmongLargest, d.AmongWeight = rate(largest), rate(report.Weight)
	return nil
}

// report is for people.
func (r *decisionResult) report() *markdown {
	m := new(markdown)
	m.text(`# What the decisions of the built-in models are worth

Written by

    baca-paper bench decisions --data DIR --out build/results --splits %d --fits %d

with baca %s on %s/%s. The graphs that training left out are parted at random into a holdout and ID test
graphs. "Alone" is what decides by default, each graph by itself, over %d splits; "batch" is batch_verdict, over %d. All in percent.

`, r.Splits, r.Fits, r.Program, runtime.GOOS, runtime.GOARCH, r.Splits, r.Fits)
	r.alarms(m)
	r.discoveries(m)
	r.meanDiscoveries(m)
	r.byItself(m)
	r.sharing(m)
	return m
}

// byPair writes a table with a row for each pair.
func (r *decisionResult) byPair(m *markdown, head []string, fields func(*decisionPair) []field) {
	table := m.tableOf(append([]string{"ID / OOD"}, head...)...)
	for _, d := range r.Pairs {
		table.row(append([]field{words("%s", strings.ReplaceAll(d.Pair, "/", " / "))}, fields(d)...)...)
	}
}

// at is the decision by a score at a share of OOD graphs.
func (d *decisionPair) at(score string, share float64) *decision {
	i := slices.IndexFunc(d.Decisions, func(x *decision) bool { return x.Score == score && x.Share == share })
	return d.Decisions[i]
}

func (r *decisionResult) alarms(m *markdown) {
	m.text(`## False alarms and detection

The share of ID test graphs that is called outside at α, and after the arrow the share of OOD graphs that is.
In-distribution graphs alone must not be called outside more often than α, but for the error of so few; – marks an
α below the smallest p-value that the holdout resolves, where every graph is undecided, and everywhere fewer graphs
than a batch takes. The batch is measured with 20 %% OOD in it.

`)
	r.byPair(m, []string{"holdout + test", "AUROC alone", "alone, α = 1", "5", "10", "batch, α = 1", "5", "10"}, func(d *decisionPair) []field {
		fields := []field{words("%d + %d", d.Holdout, d.Test), words("%s", d.AUROC.percent(1))}
		for _, score := range []string{"alone", "batch"} {
			x := d.at(score, 0.2)
			for _, a := range decisionAlphas {
				f, k := words("–"), fmt.Sprint(a)
				if a >= d.SmallestP {
					f = words("%s → %s", x.FalseAlarms[k].percent(1), x.Detected[k].percent(1))
				}
				fields = append(fields, f)
			}
		}
		return fields
	})
	m.text(`
## False alarms of the batch, by what is in it

At α = 5 %%, ± the standard deviation over splits.

`)
	r.byPair(m, []string{"no OOD", "5 % OOD", "20 %", "50 %"}, func(d *decisionPair) []field {
		var fields []field
		for _, share := range decisionShares {
			f, x := words("–"), d.at("batch", share)
			if 0.05 >= d.SmallestP {
				f = words("%s ± %s", x.FalseAlarms["0.05"].percent(1), x.Spread["0.05"].percent(1))
			}
			fields = append(fields, f)
		}
		return fields
	})
}

func (r *decisionResult) discoveries(m *markdown) {
	m.text(`
## False discoveries

The share of ID graphs among those called outside with --fdr 0.1 (asked for: 10 at most), and after the arrow the
share of the OOD graphs that is found. Zero with nothing found means that no graph was called outside: the
holdout is too small for p-values that stand out among so many graphs.

`)
	r.byPair(m, []string{"alone, 5 % OOD", "20 %", "50 %", "batch, 5 % OOD", "20 %", "50 %"}, func(d *decisionPair) []field {
		var fields []field
		for _, score := range []string{"alone", "batch"} {
			for _, share := range decisionShares[1:] {
				x := d.at(score, share)
				fields = append(fields, words("%s → %s", x.FDR["0.1"].percent(1), x.Found["0.1"].percent(1)))
			}
		}
		return fields
	})
}

func (r *decisionResult) meanDiscoveries(m *markdown) {
	m.text("\nThe mean over the pairs, achieved for asked:\n\n")
	table := m.tableOf("score", "asked", "5 % OOD", "20 %", "50 %")
	for _, score := range []string{"alone", "batch"} {
		for _, f := range decisionFDRs {
			fields := []field{words("%s", score), words("%g", 100*f)}
			for _, share := range decisionShares[1:] {
				var rates []rate
				for _, d := range r.Pairs {
					if x := d.at(score, share).FDR[fmt.Sprint(f)]; x.defined() {
						rates = append(rates, x)
					}
				}
				mean, _ := meanStd(rates)
				fields = append(fields, percents(mean, math.NaN()))
			}
			table.row(fields...)
		}
	}
}

func (r *decisionResult) byItself(m *markdown) {
	m.text(`
## One graph, by itself and by its batch

How far alone_p, which is the same beside any other graphs, is from batch_p: the largest difference of %d
graphs, half of them OOD, among up to %d ID graphs (held-out ones, then training graphs), and median and largest
difference of ID test graphs in a batch of ID test graphs only. Where the density ratio has no weight, the
two are the same.

`, singles, amongMany)
	r.byPair(m, []string{"among", "largest", "weight of the ratio", "held-out batch: median", "largest"}, func(d *decisionPair) []field {
		median, largest := words("–"), words("–")
		if d.HeldOutMedian.defined() { // else fewer than a batch
			median, largest = words("%.3f", float64(d.HeldOutMedian)), words("%.3f", float64(d.HeldOutLargest))
		}
		return []field{words("%d", d.Among), words("%.3f", float64(d.AmongLargest)), words("%.2f", float64(d.AmongWeight)), median, largest}
	})
}

func (r *decisionResult) sharing(m *markdown) {
	m.text(`
## What sharing costs

AUROC of the score of single graphs, alone, by the model as it was trained, and by the models that baca model share makes for
some k, with the number of rows that the bank is left with. – where there are too few graphs for a group.

`)
	k := decisionShared
	r.byPair(m, []string{"as trained", fmt.Sprintf("k = %d", k[0]), fmt.Sprint(k[1]), fmt.Sprint(k[2])}, func(d *decisionPair) []field {
		fields := []field{words("%s", d.AUROC.percent(1))}
		for _, s := range d.Shared {
			fields = append(fields, words("%s (%d)", s.AUROC.percent(1), s.Groups))
		}
		return fields
	})
}
