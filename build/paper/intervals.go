package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"baca/algo"
	"baca/algo/baseline"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/trust"
	"baca/build/internal/version"
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

func intervals() *experiment {
	return &experiment{
		name: "intervals", page: "intervals.md", read: readAs[intervalResults], measure: measureIntervals,
		short: "Measure whether intervals and verdicts on predictions hold",
		long: `Intervals asks whether baca trust keeps what it promises, by each value of
--errors-by: on esol, freesolv and lipo, whose values are numbers, and bace and bbbp, whose values
are classes. A fifth of a set is new, drawn by chance or by whole scaffolds; the rest is a training
file. Kernel ridge regression on ECFP4 predicts: for the molecules of the file each without itself,
for new ones from the whole file. A detector is trained on the file as baca train --held-out
held-out does, and judges the predictions for the new molecules. It measures

  the share of observed numbers in their intervals, and how wide these are,
  large errors by verdict beside the rates that were stated,
  how well large errors are found, and the rank correlation with the error,

and writes intervals.json and intervals.md to --out. The sets "` + onlyValidation + `" are others, on which
the default of --errors-by was chosen.`,
		flags: [][2]string{{"sets", strings.Join(namesOf(intervalSets), ",")}, {"splits", "50"}, {"scaffold-splits", "10"}},
	}
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
	measured, err := of.read(data)
	if err != nil {
		return nil, err
	}
	if n := len(measured); n > intervalMost {
		drawn := rand.New(rand.NewPCG(1, decisionStream)).Perm(n)[:intervalMost]
		slices.Sort(drawn)
		measured = pick(measured, drawn)
	}
	s := &intervalSet{labelled: of}
	var prints []fingerprint.Print
	for _, m := range measured {
		prints = append(prints, baseline.ECFP(m.Molecule, 2))
		canonical, _, _ := smiles.In(m.Molecule, molecule.Unordered)
		s.graphs, s.values = append(s.graphs, canonical.Graph()), append(s.values, m.value)
	}
	s.kernel = kernelOf(prints)
	s.scaffolds = scaffoldsOf(s.graphs)
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
func (s *intervalSet) orders() []trust.Order {
	return slices.DeleteFunc(trust.Orders(), func(o trust.Order) bool { return o == trust.OrderMargin && !s.classes })
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
	Order    trust.Order       `json:"order"`
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

// intervalResults are the content of intervals.json.
type intervalResults struct {
	Program string            `json:"program"`
	Results []*intervalResult `json:"results"`
}

// measureIntervals has a cell for the splits of a kind of a set.
func measureIntervals(ctx context.Context, b *bench) (result, error) {
	all := intervalSets
	if b.setList == onlyValidation {
		all = validationSets
		b.setList = strings.Join(namesOf(all), ",")
	}
	some, err := chosen("sets", b.setList, all)
	if err != nil {
		return nil, err
	}
	r, p := intervalResults{Program: version.String()}, &plan{bench: b}
	for _, of := range some {
		sum, err := setSum(b.data, of.name)
		if err != nil {
			return nil, err
		}
		open := sync.OnceValues(func() (*intervalSet, error) { return readIntervalSet(b.data, of) })
		for _, kind := range []struct {
			name   string
			splits int
		}{{newByChance, b.splits}, {newScaffolds, b.scaffolds}} {
			if kind.splits == 0 {
				continue
			}
			key := runKey{Pair: of.name, IDData: sum, Part: fmt.Sprintf("intervals, %s, %s, %d", of.column, kind.name, kind.splits)}
			add(p, key, of.name+"/"+kind.name, kind.splits, func(ctx context.Context) (*intervalResult, error) {
				s, err := open()
				if err != nil {
					return nil, err
				}
				return b.intervalsOf(ctx, s, kind.name, kind.splits)
			}, func(one *intervalResult) { r.Results = append(r.Results, one) })
		}
	}
	err = p.do(ctx)
	return r, err
}

// intervalsOf does the splits of a kind.
func (b *bench) intervalsOf(ctx context.Context, s *intervalSet, kind string, splits int) (*intervalResult, error) {
	var list []*intervalSplit
	for k := range uint64(splits) {
		one, err := b.intervalSplit(ctx, s, kind, k+1)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	last := list[len(list)-1]
	mean := func(of func(*intervalSplit) float64) float64 { return stat.Mean(mapped(list, of), nil) }
	r := &intervalResult{
		Set: s.name, Classes: s.classes, Split: kind, Splits: splits, File: last.file, HeldOut: last.known,
		New:     mean(func(s *intervalSplit) float64 { return float64(s.fresh) }),
		Error:   rate(mean(func(s *intervalSplit) float64 { return s.error })),
		Quality: rate(mean(func(s *intervalSplit) float64 { return s.quality })),
	}
	for k, by := range s.orders() {
		of := func(k int) []orderSplit {
			return mapped(list, func(s *intervalSplit) orderSplit { return s.orders[k] })
		}
		r.Orders = append(r.Orders, newIntervalOrder(by, s.classes, of(k), of(0)))
	}
	return r, nil
}

// An intervalSplit is one split of a set.
type intervalSplit struct {
	file, known, fresh int // molecules: of the training file, of them with held-out errors, new
	error, quality     float64
	orders             []orderSplit // as by intervalSet.orders
}

// An orderSplit is what came of a split by one order, by intervalCoverages.
type orderSplit struct {
	audits       [3]*trust.Audit
	calibrations [3]*trust.Calibration
	beyond       float64 // share of new molecules beyond the last held-out one
}

// intervalSplit does one split.
func (b *bench) intervalSplit(ctx context.Context, s *intervalSet, kind string, seed uint64) (*intervalSplit, error) {
	file, fresh := s.split(kind, seed)
	leftOut, predicted, err := s.predict(file, fresh)
	if err != nil {
		return nil, err
	}
	alone, known, err := b.detector(ctx, s, file, leftOut, algo.Card{
		Name: fmt.Sprintf("%s-%s-%d", s.name, kind, seed), Schema: algo.OGBCanonical, Dataset: s.name, Seed: seed,
	})
	if err != nil {
		return nil, err
	}
	graphs, values := pick(s.graphs, fresh), pick(s.values, fresh)
	scores, err := alone.Scores(ctx, graphs)
	if err != nil {
		return nil, err
	}
	predictions := make([]algo.Prediction, len(fresh))
	for i, g := range graphs {
		predictions[i] = algo.Prediction{Graph: g, Score: scores[i], Predicted: predicted[i]}
	}
	split := &intervalSplit{file: len(file), known: known, fresh: len(fresh), error: meanError(values, predicted), quality: s.quality(values, predicted)}
	for _, by := range s.orders() {
		doubts, err := alone.Doubts(ctx, by, predictions)
		if err != nil {
			return nil, err
		}
		var o orderSplit
		for level, asked := range intervalCoverages {
			c, err := alone.Trust(ctx, trust.Options{Coverage: asked}, by)
			if err != nil {
				return nil, err
			}
			outcomes := make([]trust.Outcome, len(fresh))
			for i := range outcomes {
				outcomes[i] = trust.Outcome{Score: doubts[i], Observed: values[i], Judgement: c.Judge(doubts[i], predicted[i])}
			}
			o.audits[level], o.calibrations[level] = trust.NewAudit(outcomes, c), c
		}
		beyond := mapped(doubts, func(x float64) bool { return x > o.calibrations[0].Farthest })
		o.beyond = shareOf(beyond)
		split.orders = append(split.orders, o)
	}
	return split, nil
}

// detector trains one on the file. It returns its scorer, and how many held-out errors it knows.
func (b *bench) detector(ctx context.Context, s *intervalSet, file []int, leftOut []float64, card algo.Card) (*algo.SingleScorer, int, error) {
	m, err := b.train.detector(ctx, Training{Graphs: pick(s.graphs, file), Card: card}, intervalSteps, len(file)*9/10)
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
	alone, err := algo.NewSingleScorer(ctx, m, 1)
	return alone, m.Residuals.Known(), err
}

func meanError(values, predicted []float64) float64 {
	sum := 0.0
	for i, y := range values {
		sum += math.Abs(y - predicted[i])
	}
	return sum / float64(len(values))
}

// newIntervalOrder sums up splits, and compares with how well the score found large errors.
func newIntervalOrder(by trust.Order, classes bool, splits, byScore []orderSplit) intervalOrder {
	of := func(of func(orderSplit) float64) []float64 { return mapped(splits, of) }
	mean, std := metric.MeanStd(of(func(s orderSplit) float64 { return s.audits[0].Finds }))
	o := intervalOrder{
		Order: by, Finds: rate(mean), FindsStd: rate(std),
		Rank:   rate(stat.Mean(of(func(s orderSplit) float64 { return s.audits[0].Spearman }), nil)),
		Beyond: rate(stat.Mean(of(func(s orderSplit) float64 { return s.beyond }), nil)),
	}
	for k, s := range splits {
		if s.audits[0].Finds > byScore[k].audits[0].Finds {
			o.Above++
		}
	}
	for level, asked := range intervalCoverages {
		if classes {
			break
		}
		covered := of(func(s orderSplit) float64 { return s.audits[level].Coverage })
		mean, std := metric.MeanStd(covered)
		width := stat.Mean(of(func(s orderSplit) float64 { return s.audits[level].Width }), nil)
		groups := stat.Mean(of(func(s orderSplit) float64 { return float64(len(s.calibrations[level].Groups)) }), nil)
		o.Levels = append(o.Levels, intervalLevel{asked, rate(mean), rate(std), rate(width), groups, covered})
	}
	for _, v := range trust.Verdicts() {
		o.Stated = append(o.Stated, newIntervalVerdict(v, splits))
	}
	return o
}

// newIntervalVerdict pools splits. What it says does not depend on the coverage.
func newIntervalVerdict(v trust.Verdict, splits []orderSplit) intervalVerdict {
	large, n, statedLarge, statedN, sum := 0, 0, 0, 0, 0.0
	for _, s := range splits {
		got, stated := s.audits[0].Verdicts[v], s.calibrations[0].HeldOut[v]
		large, n = large+got.Large, n+got.N
		statedLarge, statedN = statedLarge+stated.Large, statedN+stated.N
		if got.N > 0 {
			sum += got.MeanError * float64(got.N)
		}
	}
	return intervalVerdict{string(v), n, rate(float64(large) / float64(n)), rate(float64(statedLarge) / float64(statedN)), rate(sum / float64(n))}
}

// by returns what came of an order, nil for none; the default where it is none.
func (r *intervalResult) by(order trust.Order) *intervalOrder {
	k := slices.IndexFunc(r.Orders, func(o intervalOrder) bool { return o.Order == order })
	if k < 0 {
		return nil
	}
	return &r.Orders[k]
}

// byDefault is what came of the default order.
func (r *intervalResult) byDefault() *intervalOrder {
	return r.by((&algo.Residuals{Classes: r.Classes}).Order())
}

func (r intervalResults) page() *page {
	columns := []column[*intervalResult]{
		{"set", func(r *intervalResult) any { return r.Set }}, {"new", func(r *intervalResult) any { return r.Split }},
	}
	for _, order := range trust.Orders() {
		columns = append(columns, column[*intervalResult]{"by " + string(order), func(r *intervalResult) any {
			if o := r.by(order); o != nil {
				return float64(o.Finds)
			}
			return math.NaN()
		}})
	}
	columns = append(columns, column[*intervalResult]{"covered", func(r *intervalResult) any {
		if r.Classes {
			return math.NaN()
		}
		return float64(r.byDefault().Levels[1].Mean)
	}})
	for k, v := range trust.Verdicts() {
		columns = append(columns, column[*intervalResult]{string(v), func(r *intervalResult) any { return float64(r.byDefault().Stated[k].Large) }})
	}
	return &page{
		title: "Do intervals and verdicts on predictions hold?",
		question: fmt.Sprintf(`A fifth of each set is new, drawn by chance or by whole scaffolds; the rest is a training file, from which kernel ridge regression on ECFP4 predicts, and on which a detector
is trained for %d steps. In percent, means over the splits: AUROC of large errors by each value of --errors-by; by the default, observed numbers within their 90 %% intervals, and large errors
among molecules with each verdict. Nothing is promised for new scaffolds, and classes have no intervals.`, intervalSteps),
		tables: []*pageTable{tabulate("", r.Results, columns...)},
		answer: r.answer(),
	}
}

func (r intervalResults) answer() (list []string) {
	for _, kind := range []string{newByChance, newScaffolds} {
		var covered, trusted, others []float64
		for _, one := range r.Results {
			o := one.byDefault()
			if one.Split != kind {
				continue
			}
			if !one.Classes {
				covered = append(covered, float64(o.Levels[1].Mean))
			}
			trusted, others = append(trusted, float64(o.Stated[0].Large)), append(others, float64(o.Stated[2].Large))
		}
		if len(trusted) > 0 {
			list = append(list, fmt.Sprintf("New by %s: intervals of 90 %% hold %s %% of the numbers; %s %% of the molecules to trust have large errors, and %s %% of those not to use.",
				kind, rate(meanOver(covered)).percent(1), rate(meanOver(trusted)).percent(1), rate(meanOver(others)).percent(1)))
		}
	}
	return list
}
