package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"baca/algo"
	"baca/algo/alone"
	"baca/algo/decide"
	"baca/algo/metric"
	"baca/build/internal/try"
	"baca/build/internal/version"
)

// Measured rates, and shares of OOD graphs in a batch.
var (
	decisionAlphas = []float64{0.01, 0.05, 0.10}
	decisionFDRs   = []float64{0.05, 0.10, 0.20}
	decisionShares = []float64{0, 0.05, 0.20, 0.50, 1}
)

// maxDecisionOOD is how many graphs of an OOD set are taken, evenly spaced.
const maxDecisionOOD = 2000

func decisions() *experiment {
	return &experiment{
		name: "decisions", page: "decisions.md", read: readAs[decisionResult], measure: measureDecisions,
		short: "Measure false alarms, detection and false discoveries of the built-in models",
		flags: [][2]string{{"models", ""}, {"splits", "500"}, {"fits", "4"}},
	}
}

// A decision is the mean result of a score at a share of OOD graphs, over splits.
type decision struct {
	Score       string   `json:"score"`     // alone or batch
	Share       float64  `json:"ood_share"` // of the batch
	Splits      int      `json:"splits"`
	FalseAlarms achieved `json:"false_alarms"` // by alpha
	Detected    achieved `json:"detected"`
	FDR         achieved `json:"fdr"`   // by requested rate
	Found       achieved `json:"found"` // OOD graphs found, by requested rate
}

// An achieved maps requested rates to the mean rates that were reached.
type achieved map[string]rate

// A decisionPair is the result of one model.
type decisionPair struct {
	Model     string      `json:"model"`
	Pair      string      `json:"pair"`
	Holdout   int         `json:"holdout"` // graphs of each split
	Test      int         `json:"test"`
	OOD       int         `json:"ood"`
	SmallestP float64     `json:"smallest_p"`
	AUROC     rate        `json:"auroc_alone"` // of single graphs, held-out ID against OOD
	Decisions []*decision `json:"decisions"`

	Shared []sharedDecision `json:"shared"` // models of baca model share
}

// A sharedDecision is the cost of sharing, null where there are too few graphs.
type sharedDecision struct {
	K     int  `json:"k"`
	AUROC rate `json:"auroc_alone"`
}

// A decisionResult is decisions.json.
type decisionResult struct {
	Program string          `json:"program"`
	Splits  int             `json:"splits"`
	Fits    int             `json:"fits"`
	Pairs   []*decisionPair `json:"pairs"`
}

// measureDecisions measures the models of the paper's pairs.
func measureDecisions(ctx context.Context, b *bench) result {
	r := decisionResult{Program: version.String(), Splits: b.splits, Fits: b.fits}
	eachModel(ctx, b, "is of the paper's ten pairs", func(m *builtIn) []string {
		if m.pair == nil {
			return nil
		}
		return []string{m.pair.ID, m.pair.OOD}
	}, b.decisionPair, func(d *decisionPair) { r.Pairs = append(r.Pairs, d) })
	return r
}

// load returns the held-out graphs of a model's set, and up to maxDecisionOOD graphs of its pair's OOD set, with their scores.
func (b *bench) load(ctx context.Context, m *builtIn) *heldOut {
	form := m.Form()
	r := newHeldOut(ctx, m.Model, readSet(ctx, b.data, m.pair.ID, form, 1).graphs, 1)
	out := readSet(ctx, b.data, m.pair.OOD, form, 1)
	n := min(len(out.graphs), maxDecisionOOD)
	for k := range n {
		r.ood = append(r.ood, out.graphs[k*len(out.graphs)/n])
	}
	r.oodScores = try.To(r.alone.Scores(ctx, r.ood))
	return r
}

// A judged is a batch with p-values, ID graphs first. guards, unless nil, are p-values of graphs by themselves, see
// decide.Guard.
type judged struct {
	p, q, guards []float64
	nID          int
}

// called counts the ID graphs and the OOD graphs that are called outside: their value is at most limit, and no guard objects.
// Both are NaN where there are too few graphs for a batch.
func (j *judged) called(values []float64, limit float64) (id, ood float64) {
	for i, x := range values {
		switch {
		case math.IsNaN(x):
			return x, x
		case x > limit || j.guards != nil && j.guards[i] > decide.Guard(len(j.p), algo.DefaultOptions().Alpha): // not called
		case i < j.nID:
			id++
		default:
			ood++
		}
	}
	return id, ood
}

// newDecision returns the mean rates over splits. Without OOD graphs there is nothing in Detected and Found.
func newDecision(score string, share float64, splits []*judged) *decision {
	// means returns the mean of a property over splits, for each requested rate.
	means := func(requested []float64, of func(j *judged, limit float64) float64) achieved {
		rates := achieved{}
		for _, limit := range requested {
			rates[fmt.Sprint(limit)] = meanOf(splits, func(j *judged) rate { return rate(of(j, limit)) })
		}
		return rates
	}
	d := &decision{Score: score, Share: share, Splits: len(splits), Detected: achieved{}, Found: achieved{}}
	d.FalseAlarms = means(decisionAlphas, func(j *judged, alpha float64) float64 {
		id, _ := j.called(j.p, alpha)
		return id / float64(j.nID)
	})
	d.FDR = means(decisionFDRs, func(j *judged, fdr float64) float64 {
		wrong, right := j.called(j.q, fdr)
		return wrong / max(1, wrong+right)
	})
	if nOOD := float64(len(splits[0].p) - splits[0].nID); nOOD > 0 {
		// share returns the share of OOD graphs whose value, p or q, is up to a limit.
		share := func(values func(*judged) []float64) func(*judged, float64) float64 {
			return func(j *judged, limit float64) float64 { _, ood := j.called(values(j), limit); return ood / nOOD }
		}
		d.Detected = means(decisionAlphas, share(func(j *judged) []float64 { return j.p }))
		d.Found = means(decisionFDRs, share(func(j *judged) []float64 { return j.q }))
	}
	return d
}

// decisionPair measures one model by the score of single graphs and by the batch, at each share of OOD graphs.
func (b *bench) decisionPair(ctx context.Context, m *builtIn) *decisionPair {
	r := b.load(ctx, m)
	d := &decisionPair{
		Model: m.name, Pair: m.pair.name(), Holdout: r.split, Test: r.tested, OOD: len(r.ood),
		SmallestP: 1 / float64(1+r.split), AUROC: auroc(r.scores, r.oodScores),
	}
	for _, score := range []string{columnAlone, columnBatch} {
		splits, values := b.splits, r.alonePValues
		if score == columnBatch {
			splits, values = b.fits, r.batchPValues
		}
		for _, share := range decisionShares {
			all := make([]*judged, splits)
			for k := range all {
				p, guards := values(ctx, share, uint64(k)+1)
				all[k] = &judged{p, decide.QValues(p), guards, r.testedAt(share)}
			}
			d.Decisions = append(d.Decisions, newDecision(score, share, all))
		}
	}
	d.Shared = append(d.Shared, sharedDecision{algo.DefaultShare, r.shared(ctx, algo.DefaultShare)})
	return d
}

// auroc measures how well scores tell OOD graphs from held-out graphs.
func auroc(scores, ood []float64) rate {
	labels := append(make([]bool, len(scores)), slices.Repeat([]bool{true}, len(ood))...)
	return rate(metric.AUROC(slices.Concat(scores, ood), labels))
}

// alonePValues returns the p-values of a split by scores of single graphs, ID graphs first. There are no guards.
func (r *heldOut) alonePValues(_ context.Context, share float64, split uint64) (p, guards []float64) {
	rng, tested, reference := r.halves(split)
	batch := slices.Concat(pick(r.scores, tested[:r.testedAt(share)]), pick(r.oodScores, r.outside(rng, share)))
	return decide.PValues(batch, pick(r.scores, reference)), nil
}

// batchPValues returns the p-values of a split by the batch, ID graphs first, and as guards those of graphs by themselves.
func (r *heldOut) batchPValues(ctx context.Context, share float64, split uint64) (p, guards []float64) {
	rng, tested, reference := r.halves(split)
	for _, row := range r.batch(ctx, r.mixed(rng, tested, share), reference, split).Rows {
		p, guards = append(p, row.BatchP), append(guards, row.GuardP())
	}
	return p, guards
}

// shared returns the AUROC of the model that baca model share makes, or none if there are too few graphs for groups of k.
func (r *heldOut) shared(ctx context.Context, k int) rate {
	m, err := alone.Share(ctx, r.workers, r.model, k)
	if err != nil {
		return none
	}
	alone := try.To(algo.NewSingleScorer(ctx, m, r.workers))
	scores := try.To(alone.Scores(ctx, slices.Concat(r.graphs, r.ood)))
	return auroc(scores[:len(r.graphs)], scores[len(r.graphs):])
}

// at returns the decision of a score at a share of OOD graphs, which must have been measured.
func (d *decisionPair) at(score string, share float64) *decision {
	i := slices.IndexFunc(d.Decisions, func(x *decision) bool { return x.Score == score && x.Share == share })
	return d.Decisions[i]
}

func (r decisionResult) page() *page {
	// Both show a dash if no p-value can reach 0.05.
	allOutside := func(d *decisionPair) string {
		if d.SmallestP > 0.05 {
			return none.percent(1)
		}
		return d.at(columnAlone, 1).Detected["0.05"].percent(1) + " → " + d.at(columnBatch, 1).Detected["0.05"].percent(1)
	}
	calls := func(d *decisionPair, score string) string {
		if x := d.at(score, 0.2); d.SmallestP <= 0.05 && x.FalseAlarms["0.05"].defined() {
			return x.FalseAlarms["0.05"].percent(1) + " → " + x.Detected["0.05"].percent(1)
		}
		return none.percent(1)
	}
	cells := func(d *decisionPair) []any {
		x := d.at("alone", 0.2)
		k := slices.IndexFunc(d.Shared, func(s sharedDecision) bool { return s.K == algo.DefaultShare })
		discoveries := x.FDR["0.1"].percent(1) + " → " + x.Found["0.1"].percent(1)
		return []any{d.Pair, float64(d.AUROC), calls(d, "alone"), calls(d, "batch"), discoveries, allOutside(d), float64(d.Shared[k].AUROC)}
	}
	return &page{
		title: "What the decisions of the built-in models are worth",
		question: fmt.Sprintf(`Graphs that training left out are parted into holdout and ID test graphs, %d times for single graphs, %d times
for batches with 20 %% OOD graphs. Percent called outside at α = 5 %%: of ID graphs → of OOD graphs; with --fdr 0.1, false ones → OOD graphs
found; in lists that are all OOD, alone → by the batch. Shared: AUROC of the model of baca model share, k = %d. A dash: no p-value is so
small, or no batch.`, r.Splits, r.Fits, algo.DefaultShare),
		tables: []*pageTable{tabulate("", []string{"ID/OOD", "AUROC", "alone", "batch", "discoveries", "all outside", "shared"}, r.Pairs, cells)},
		answer: r.answer(),
	}
}

// answer compares achieved with requested rates.
func (r decisionResult) answer() (list []string) {
	for _, score := range []string{"alone", "batch"} {
		var alarms, discoveries []rate
		for _, d := range r.Pairs {
			x := d.at(score, 0.2)
			if a := x.FalseAlarms["0.05"]; d.SmallestP <= 0.05 && a.defined() {
				alarms = append(alarms, a)
			}
			if f := x.FDR["0.1"]; f.defined() {
				discoveries = append(discoveries, f)
			}
		}
		list = append(list, fmt.Sprintf("%s: %s %% of ID graphs are outside where 5 %% is asked, %s %% of discoveries false where 10 %% is asked.",
			title(score), mean(alarms).percent(1), mean(discoveries).percent(1)))
	}
	return list
}
