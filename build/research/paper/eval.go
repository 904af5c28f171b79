package paper

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/document"
	"baca/build/internal/try"
	"baca/build/internal/usage"
)

type evalFlags struct {
	encoders
	pair, data    string
	seeds         []uint
	calibrator    string
	contamination float64
	ood           string
	asJSON        bool
}

// newEval returns the command eval.
func newEval(train Trainer) *cobra.Command {
	f := evalFlags{encoders: encoders{train: train}}
	c := &cobra.Command{
		Use:   "eval --pair ID/OOD --data DIR",
		Short: "Measure how well the method tells one data set from another",
		Args:  usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			defer try.Catch(&err)
			f.run(c, f.check(c))
			return nil
		},
	}
	fs := c.Flags()
	fs.StringVar(&f.pair, "pair", "", "the two sets, as `ID/OOD`")
	fs.StringVar(&f.data, "data", "", "`folder` with tu/NAME and mol/NAME.csv[.gz]")
	fs.UintSliceVar(&f.seeds, "seeds", []uint{1, 2, 3, 4, 5}, "of split, training and test time")
	fs.StringVar(&f.calibrator, "calibrator", columnAlone, "the score that is measured in full: "+strings.Join(evalColumns, ", "))
	fs.Float64Var(&f.contamination, "contamination", 1, "OOD graphs for each ID graph in the test batch")
	fs.StringVar(&f.ood, "ood", firstOOD, "which OOD graphs: the first, or a random draw by seed")
	fs.IntVar(&f.epochs, "epochs", 0, "of pre-training (default 400; ENZYMES 150, IMDB-MULTI 20)")
	fs.StringVar(&f.weights, "weights", "", "`folder` that keeps pre-trained encoders")
	fs.IntVar(&f.workers, "workers", 0, "goroutines; 0 for one on each core; results do not depend on it")
	fs.BoolVar(&f.asJSON, "json", false, "print a JSON object instead of a table")
	return c
}

// check checks the flags before anything is opened, and returns the pair.
func (f *evalFlags) check(c *cobra.Command) *pair {
	if f.pair == "" || f.data == "" {
		try.Check(usage.Errorf("want --pair ID/OOD and --data DIR"))
	}
	p, ok := parsePair(f.pair)
	if !ok || strings.Contains(f.pair, "@") {
		try.Check(usage.Errorf("--pair %s: want the names of two sets, such as BZR/COX2", f.pair))
	}
	try.Check(usage.OneOf("calibrator", f.calibrator, evalColumns...))
	try.Check(usage.OneOf("ood", f.ood, firstOOD, randomOOD))
	if _, err := dataset.Thin(nil, 0, f.contamination, 0); err != nil {
		try.Check(usage.Errorf("--contamination: %w", err))
	}
	try.Check(checkRun(c, f.seeds, f.epochs, f.workers))
	return p
}

// checkRun returns an error of usage for wrong values of flags that eval and bench share.
func checkRun[T uint | uint64](c *cobra.Command, seeds []T, epochs, workers int) error {
	if f := c.Flag("seeds"); f != nil && len(seeds) == 0 {
		return usage.Errorf("--seeds: want at least one")
	}
	for i, s := range seeds {
		if slices.Contains(seeds[:i], s) {
			return usage.Errorf("--seeds: %d is there twice", s)
		}
	}
	if c.Flags().Changed("epochs") && (epochs < 1 || epochs > mostEpochs) {
		return usage.Errorf("--epochs %d: want 1 to %d", epochs, mostEpochs)
	}
	if workers < 0 {
		return usage.Errorf("--workers %d: want 0 for all cores, or more", workers)
	}
	return nil
}

// orders are the ways of taking OOD graphs.
var orders = map[string]dataset.Order{firstOOD: dataset.First, randomOOD: dataset.Random}

// run measures the test batch of each seed, and prints the result as a table or as JSON.
func (f *evalFlags) run(c *cobra.Command, p *pair) {
	ctx, stderr := c.Context(), c.ErrOrStderr()
	e := newEvaluation(ctx, &sets{folder: f.data, workers: f.workers}, p, f.encoders)
	result := &evalResult{
		Pair: f.pair, Protocol: protocolFixed, Calibrator: f.calibrator, Contamination: f.contamination, OOD: f.ood,
	}
	var batches []*testBatch
	for _, seed := range f.seeds {
		batches = append(batches, e.batch(e.model(ctx, stderr, uint64(seed)), uint64(seed), orders[f.ood], f.contamination))
	}
	o := algo.DefaultOptions()
	o.Workers = f.workers
	var outcomes []*outcome
	for _, b := range batches {
		o.Seed = b.seed
		outcomes = append(outcomes, b.score(ctx, o, f.calibrator))
	}
	for _, b := range batches {
		result.warn(b.seed, b.warnings)
	}
	for i, b := range batches {
		result.Seeds = append(result.Seeds, b.measure(outcomes[i]))
		result.warn(b.seed, outcomes[i].warnings)
	}
	result.summarize()
	out := c.OutOrStdout()
	if f.asJSON {
		try.Check(document.WriteJSON(out, result))
		return
	}
	for _, w := range result.Warnings {
		fmt.Fprintf(stderr, "warning: %s\n", w)
	}
	try.Check(result.write(out))
}

// seedRates are a seed's results.
type seedRates struct {
	AUROCPre       rate `json:"auroc_pre"`
	AUROCAlone     rate `json:"auroc_alone"`
	AUROCBatch     rate `json:"auroc_batch"`
	AUROCAttention rate `json:"auroc_attention"`
	AUROC          rate `json:"auroc"`
	AUPR           rate `json:"aupr"`
	FPR95          rate `json:"fpr95"`
	Seconds        rate `json:"seconds"`
}

// all are the rates, the seconds last.
func (r *seedRates) all() []*rate {
	return []*rate{&r.AUROCPre, &r.AUROCAlone, &r.AUROCBatch, &r.AUROCAttention, &r.AUROC, &r.AUPR, &r.FPR95, &r.Seconds}
}

type seedResult struct {
	Seed uint64 `json:"seed"`
	seedRates
	NID  int `json:"n_id"`
	NOOD int `json:"n_ood"`
}

// An evalResult is the JSON of `baca-paper eval`.
type evalResult struct {
	Pair          string       `json:"pair"`
	Protocol      string       `json:"protocol"`
	Calibrator    string       `json:"calibrator"`
	Contamination float64      `json:"contamination"`
	OOD           string       `json:"ood"`
	Seeds         []seedResult `json:"seeds"`
	Mean          seedRates    `json:"mean"`
	Std           seedRates    `json:"std"`
	Warnings      []string     `json:"warnings,omitempty"`
}

// warn keeps warnings about a seed.
func (r *evalResult) warn(seed uint64, warnings []string) {
	for _, w := range warnings {
		r.Warnings = append(r.Warnings, fmt.Sprintf("seed %d: %s", seed, w))
	}
}

// summarize computes means and standard deviations over seeds.
func (r *evalResult) summarize() {
	means, stds := r.Mean.all(), r.Std.all()
	for k := range means {
		*means[k], *stds[k] = meanStd(mapped(r.Seeds, func(s seedResult) rate { return *s.all()[k] }))
	}
}

// write prints a table for people.
func (r *evalResult) write(w io.Writer) error {
	var b bytes.Buffer
	which := "the first ones"
	if r.OOD == randomOOD {
		which = "drawn by seed"
	}
	fmt.Fprintf(&b, "%s, measured: %s, OOD graphs: %g %% of the number of ID graphs, %s\n"+
		"fixed protocol: one setting for all pairs, chosen without these labels\n\n",
		r.Pair, r.Calibrator, 100*r.Contamination, which)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\tAUROC\t\t\t\t%s\t\t\t\t\t\n", strings.ToUpper(r.Calibrator))
	fmt.Fprintln(t, "SEED\tS_PRE\tALONE\tBATCH\tATTENTION\tAUROC\tAUPR\tFPR95\tID\tOOD\tSECONDS")
	for _, s := range r.Seeds {
		fmt.Fprintf(t, "%d", s.Seed)
		rates := s.all()
		for _, x := range rates[:len(rates)-1] {
			fmt.Fprintf(t, "\t%s", x.percent(2))
		}
		fmt.Fprintf(t, "\t%d\t%d\t%.1f\n", s.NID, s.NOOD, float64(s.Seconds))
	}
	fmt.Fprint(t, "mean")
	means, stds := r.Mean.all(), r.Std.all()
	for k, mean := range means[:len(means)-1] {
		text := mean.percent(2)
		if std := *stds[k]; std.defined() {
			text += " ± " + std.percent(2)
		}
		fmt.Fprintf(t, "\t%s", text)
	}
	fmt.Fprintf(t, "\t\t\t%.1f\n", float64(r.Mean.Seconds))
	if err := t.Flush(); err != nil {
		return err
	}
	b.WriteString(`
In percent, ± the standard deviation over seeds. OOD is the positive class. Alone is the
score of each graph by itself, which decides by default. AUPR is average precision;
FPR95 is the share of ID graphs that is called OOD where 95 % of the OOD graphs are found.
`)
	_, err := w.Write(b.Bytes())
	return err
}
