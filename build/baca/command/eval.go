package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/calibrate"
	"baca/algo/dataset"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/algo/table"
	"baca/weights"
)

// shuffleStream is the second half of the seed of the order in a test batch.
const shuffleStream = 0xba1a_1001

type evalFlags struct {
	pair, data          string
	seeds               []uint
	protocol            string
	calibrator          string
	contamination       float64
	ood                 string
	epochs              int // 0: by the set
	weights, trace      string
	workers             int
	asJSON              bool
	idName, oodName     string
	order               dataset.Order
	id, outside         *dataset.Set
	idSchema, idDataSHA string
	// ecfp, unless nil, returns the ECFP4 of molecules of the two sets.
	ecfp func(context.Context, []*graph.Graph) ([]fingerprint.Print, error)
}

func newEval() *cobra.Command {
	var f evalFlags
	c := &cobra.Command{
		Use:   "eval --pair ID/OOD --data DIR",
		Short: "Measure how well the method tells one data set from another",
		Long: `Eval follows the published protocol. For each seed, nine tenths of the ID set
pre-train an encoder; the last tenth and as many graphs of the OOD set are one test
batch, which is scored without labels. Only then do the labels come in, to measure
the scores, with OOD as the positive class: AUROC of the base score S_Pre, of each graph
by itself, of the calibrated batch and of the paper's attention, and of the score that
--calibrator names AUROC, AUPR (average precision) and FPR at 95 % TPR.

Any two sets of one kind will do: the TUDataset folders DIR/tu/NAME or the molecule
files DIR/mol/NAME.csv[.gz].

--protocol fixed uses one setting for all pairs. --protocol grid picks the setting
that has the best mean AUROC over the seeds on the test batch itself, as the paper
does; such figures are too good, and say what could be reached, not what will be.

--weights keeps pre-trained encoders in a folder, as NAME-seedS-epochsE.msgpack, and
uses those that are there; a killed run goes on from its checkpoint. The results are
the same with and without.

The seconds are those of scoring the test batch, without training.`,
		Example: `  baca eval --pair BZR/COX2 --data ../shared/data --seeds 1,2,3
  baca eval --pair bbbp/bace --data ../shared/data --weights out/encoders --contamination 0.05 --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	fs := c.Flags()
	fs.StringVar(&f.pair, "pair", "", "the two sets, as `ID/OOD`")
	fs.StringVar(&f.data, "data", "", "`folder` with tu/NAME and mol/NAME.csv[.gz]")
	fs.UintSliceVar(&f.seeds, "seeds", []uint{1, 2, 3, 4, 5}, "of split, training and test time")
	fs.StringVar(&f.protocol, "protocol", "fixed", "fixed, or grid: pick the setting by the test AUROC")
	fs.StringVar(&f.calibrator, "calibrator", columnAlone, "the score that is measured in full: "+strings.Join(evalColumns, ", "))
	fs.Float64Var(&f.contamination, "contamination", 1, "OOD graphs for each ID graph in the test batch")
	fs.StringVar(&f.ood, "ood", "first", "which OOD graphs: the first, or a random draw by seed")
	fs.IntVar(&f.epochs, "epochs", 0, "of pre-training (default 400; ENZYMES 150, IMDB-MULTI 20)")
	fs.StringVar(&f.weights, "weights", "", "`folder` that keeps pre-trained encoders")
	fs.IntVar(&f.workers, "workers", 0, "goroutines; 0 for one on each core; results do not depend on it")
	fs.StringVar(&f.trace, "trace", "", "write the steps of the attention to this CSV `file`: seed, step, loss, kl (between the scores\nof the two subgroups), auroc (of S_Attn); scoring then takes longer")
	fs.BoolVar(&f.asJSON, "json", false, "print a JSON object instead of a table")
	return c
}

// evalEpochs is for how long the published protocol trains on a set.
func evalEpochs(name string) int {
	switch {
	case strings.EqualFold(name, "ENZYMES"):
		return 150
	case strings.EqualFold(name, "IMDB-MULTI"):
		return 20
	}
	return defaultEpochs
}

// check reports mistakes in the flags before anything is opened.
func (f *evalFlags) check(c *cobra.Command) error {
	if f.pair == "" || f.data == "" {
		return usagef("want --pair ID/OOD and --data DIR")
	}
	names := strings.Split(f.pair, "/")
	if len(names) != 2 || names[0] == "" || names[1] == "" || names[0] == names[1] {
		return usagef("--pair %s: want the names of two sets, such as BZR/COX2", f.pair)
	}
	f.idName, f.oodName = names[0], names[1]
	if err := oneOf("protocol", f.protocol, "fixed", "grid"); err != nil {
		return err
	}
	if err := oneOf("calibrator", f.calibrator, evalColumns...); err != nil {
		return err
	}
	if err := oneOf("ood", f.ood, "first", "random"); err != nil {
		return err
	}
	if f.ood == "random" {
		f.order = dataset.Random
	}
	if _, err := dataset.Thin(nil, 0, f.contamination, 0); err != nil {
		return usagef("--contamination: %w", err)
	}
	if err := checkSeeds(f.seeds); err != nil {
		return err
	}
	if !c.Flags().Changed("epochs") {
		f.epochs = evalEpochs(f.idName)
	} else if f.epochs < 1 || f.epochs > maxEpochs {
		return usagef("--epochs %d: want 1 to %d", f.epochs, maxEpochs)
	}
	if f.workers < 0 {
		return usagef("--workers %d: want 0 for all cores, or more", f.workers)
	}
	if f.protocol == "grid" {
		if f.trace != "" {
			return usagef("--trace shows one setting: want --protocol fixed")
		}
		if f.contamination == 0 {
			return usagef("--protocol grid picks by the AUROC, which needs OOD graphs: want --contamination above 0")
		}
	}
	return nil
}

func (f *evalFlags) run(c *cobra.Command) (err error) {
	if err := f.check(c); err != nil {
		return err
	}
	ctx, stderr := c.Context(), c.ErrOrStderr()
	if err := f.open(ctx); err != nil {
		return err
	}
	var trace *csvTrace
	if f.trace != "" {
		file, err := os.Create(f.trace)
		if err != nil {
			return err
		}
		defer closeInto(file, &err)
		trace = &csvTrace{w: file}
		trace.begin()
	}
	result := &evalResult{
		Pair: f.pair, Protocol: f.protocol, Calibrator: f.calibrator, Contamination: f.contamination, OOD: f.ood,
	}
	var batches []*testBatch
	for _, seed := range f.seeds {
		m, err := f.model(ctx, stderr, uint64(seed))
		if err != nil {
			return err
		}
		b, err := f.batch(m, uint64(seed))
		if err != nil {
			return err
		}
		batches = append(batches, b)
		result.warn(b.seed, b.warnings)
	}
	settings := 1
	if f.protocol == "grid" {
		settings = gridRuns(f.calibrator)
	}
	graphs := 0
	for _, b := range batches {
		graphs += len(b.graphs)
	}
	p := newProgress(stderr, "scoring "+f.pair, int64(settings*graphs))
	defer p.Done()
	score := func(o algo.Options) ([]*outcome, error) {
		var all []*outcome
		for _, b := range batches {
			o.Seed, o.Workers = b.seed, f.workers
			if trace != nil {
				o.Watch = algo.EveryStep(func(it calibrate.Iteration) { trace.add(b.seed, it, b.ood) })
			}
			out, err := b.score(ctx, o, f.calibrator)
			if err != nil {
				return nil, err
			}
			all = append(all, out)
			if trace != nil && trace.err != nil {
				return nil, written(f.trace, trace.err)
			}
			p.Add(int64(len(b.graphs)))
		}
		return all, nil
	}
	options := algo.DefaultOptions()
	var outcomes []*outcome
	if f.protocol == "grid" {
		outcomes, result.Choice, err = gridSearch(options, f.calibrator, batches, score)
	} else {
		outcomes, err = score(options)
	}
	if err != nil {
		return err
	}
	p.Done()
	for i, b := range batches {
		result.Seeds = append(result.Seeds, b.measure(outcomes[i]))
		result.warn(b.seed, outcomes[i].warnings)
	}
	result.summarize()
	out := c.OutOrStdout()
	if f.asJSON {
		return written("", writeJSON(out, result))
	}
	for _, w := range result.Warnings {
		fmt.Fprintf(stderr, "warning: %s\n", w)
	}
	return written("", result.write(out))
}

// open reads the two sets.
func (f *evalFlags) open(ctx context.Context) error {
	root := os.DirFS(f.data)
	files := &recorder{FS: root}
	var err error
	if f.id, err = dataset.Open(ctx, files, f.idName, f.workers); err != nil {
		return err
	}
	if f.idDataSHA, err = files.sum(); err != nil {
		return err
	}
	if f.outside, err = dataset.Open(ctx, root, f.oodName, f.workers); err != nil {
		return err
	}
	if f.idSchema, err = schemaOf(f.id); err != nil {
		return err
	}
	schema, err := schemaOf(f.outside)
	if err != nil {
		return err
	}
	if schema != f.idSchema {
		return fmt.Errorf("%s has node features %s, %s has %s: want two sets of the same kind", f.idName, f.idSchema, f.oodName, schema)
	}
	return nil
}

// encoderName is that of the model of a seed.
func (f *evalFlags) encoderName(seed uint64) string {
	return fmt.Sprintf("%s-seed%d-epochs%d", f.idName, seed, f.epochs)
}

// encoderPath is where the encoder of a seed is kept.
func (f *evalFlags) encoderPath(seed uint64) string {
	return filepath.Join(f.weights, f.encoderName(seed)+".msgpack")
}

// model returns the encoder of a seed, from the folder of weights or trained.
func (f *evalFlags) model(ctx context.Context, stderr io.Writer, seed uint64) (*algo.Model, error) {
	name := f.encoderName(seed)
	job := &trainJob{
		graphs: f.id.Graphs, workers: f.workers, split: dataset.Split, hint: "the same command goes on from there",
		card: algo.Card{
			Name: name, Description: fmt.Sprintf("Trained on %s, seed %d, for an evaluation.", f.idName, seed),
			Schema: f.idSchema, Dataset: f.idName, DatasetSHA256: f.idDataSHA, Seed: seed, Epochs: f.epochs,
		},
	}
	if err := job.addBackground(ctx, stderr, builtInBackground); err != nil {
		return nil, err
	}
	if f.weights == "" {
		data, err := job.run(ctx, stderr)
		if err != nil {
			return nil, err
		}
		// Not the model in memory: a file rounds it, and results must not
		// depend on whether the encoder was kept.
		return weights.Load(data)
	}
	path := f.encoderPath(seed)
	data, err := readLimited(path)
	switch {
	case err == nil:
		m, err := weights.Load(data)
		if err == nil {
			err = job.made(m)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w; remove it, or give another folder as --weights", path, err)
		}
		return m, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if err := os.MkdirAll(f.weights, 0o777); err != nil {
		return nil, err
	}
	job.checkpoint = path + ".checkpoint"
	if _, err := os.Stat(job.checkpoint); err == nil {
		job.resume = true
	}
	if data, err = job.run(ctx, stderr); err != nil {
		return nil, err
	}
	if err := job.finish(target{path: path}, data); err != nil {
		return nil, err
	}
	return weights.Load(data)
}

// made reports a model that is not what the job makes.
func (j *trainJob) made(m *algo.Model) error {
	options, err := trainOptions(j.card.Schema, j.card.Seed)
	if err != nil {
		return err
	}
	_, holdout := dataset.Split(len(j.graphs), j.card.Seed)
	got, want := m.Card, j.card
	switch {
	case got.Schema != want.Schema:
		return fmt.Errorf("it reads graphs with the schema %s, want %s", got.Schema, want.Schema)
	case got.DatasetSHA256 != want.DatasetSHA256:
		return fmt.Errorf("it was trained on other data (sha-256 %.12s…, want %.12s…)", got.DatasetSHA256, want.DatasetSHA256)
	case got.Seed != want.Seed || got.Epochs != want.Epochs:
		return fmt.Errorf("it was trained with seed %d for %d epochs, want seed %d and %d epochs", got.Seed, got.Epochs, want.Seed, want.Epochs)
	case got.Batch != options.Batch || got.LearningRate != options.LearningRate || m.Encoder.Config != gin.Default(options.Config.Features):
		return errors.New("it was trained with other options")
	case !slices.Equal(got.HoldoutRows, holdout):
		// Else graphs that it was trained on would be among those tested.
		return errors.New("it was trained on another split of the set")
	}
	return nil
}

// A testBatch is what one seed tests.
type testBatch struct {
	seed     uint64
	model    *algo.Model
	graphs   []*graph.Graph // ID test graphs, then OOD graphs
	ood      []bool         // the truth, for metrics only
	nID      int
	warnings []string
	alone    *algo.Alone // of the model, nil to prepare it anew each time
}

// batch makes the test batch of a seed for the model of that seed.
func (f *evalFlags) batch(m *algo.Model, seed uint64) (*testBatch, error) {
	_, test := dataset.Split(len(f.id.Graphs), seed)
	n := len(f.outside.Graphs)
	// As many OOD graphs as ID graphs, of which fewer stay; more only if more
	// are asked for.
	wanted := math.Round(f.contamination * float64(len(test)))
	take := max(len(test), int(min(wanted, float64(n))))
	ood, err := dataset.Thin(dataset.TakeOOD(n, take, f.order, seed), len(test), f.contamination, seed)
	if err != nil {
		return nil, err
	}
	b := &testBatch{seed: seed, nID: len(test)}
	for _, i := range test {
		b.graphs, b.ood = append(b.graphs, f.id.Graphs[i]), append(b.ood, false)
	}
	for _, i := range ood {
		b.graphs, b.ood = append(b.graphs, f.outside.Graphs[i]), append(b.ood, true)
	}
	switch {
	case len(ood) == 0:
		b.warnings = append(b.warnings, "the batch has no OOD graphs, so there are no rates")
	case float64(len(ood)) < wanted:
		b.warnings = append(b.warnings, fmt.Sprintf("%s has only %d graphs where %.0f are wanted", f.oodName, n, wanted))
	}
	// The graphs that the model kept from training are the very ID graphs that
	// are tested here. The method must see them once, among the unlabelled
	// batch, and not a second time as known ID graphs.
	stripped := *m
	stripped.Holdout, stripped.HoldoutTraits = m.Holdout.Select(nil), nil
	b.model = &stripped
	return b, nil
}

// An outcome is what the method said about a batch, in the batch's order.
type outcome struct {
	rows     []algo.Row
	holdout  []algo.Row
	scores   []float64 // of the column to measure
	seconds  float64
	warnings []string

	scorer *algo.Scorer
	place  []int // of each graph in the batch that the scorer saw
}

// score scores a batch in a random order drawn by seed, so that the place of a
// graph says nothing about where it came from. The truth stays outside. The outcome is to
// be measured by a column.
func (b *testBatch) score(ctx context.Context, o algo.Options, column string) (*outcome, error) {
	perm := rand.New(rand.NewPCG(b.seed, shuffleStream)).Perm(len(b.graphs))
	mixed := make([]*graph.Graph, len(perm))
	for k, i := range perm {
		mixed[k] = b.graphs[i]
	}
	if watch := o.Watch; watch != nil {
		o.Watch = algo.EveryStep(func(it calibrate.Iteration) {
			test := make([]float64, len(perm))
			for k, i := range perm {
				test[i] = it.Test[k]
			}
			it.Test = test
			it.Inside, it.Outside = through(perm, it.Inside), through(perm, it.Outside)
			watch.Step(it)
		})
	}
	o.Alone = b.alone
	start := time.Now()
	scorer, err := algo.NewScorer(ctx, b.model, o)
	if err != nil {
		return nil, err
	}
	report, err := scorer.Batch(ctx, mixed)
	if err != nil {
		return nil, err
	}
	out := &outcome{
		rows: make([]algo.Row, len(perm)), holdout: report.Holdout,
		seconds: time.Since(start).Seconds(), scorer: scorer, place: make([]int, len(perm)),
	}
	for k, i := range perm {
		out.rows[i], out.place[i] = report.Rows[k], k
	}
	out.scores = columnScores(column, out.rows)
	if report.Few {
		out.warnings = append(out.warnings, fmt.Sprintf("fewer than %d graphs say too little about each other: each is scored by itself only", algo.MinBatch))
	}
	for _, w := range report.Warnings {
		if !strings.HasSuffix(w, "so there are no p-values") { // nobody asked for any
			out.warnings = append(out.warnings, w)
		}
	}
	return out, nil
}

func through(perm, index []int) []int {
	mapped := make([]int, len(index))
	for k, i := range index {
		mapped[k] = perm[i]
	}
	return mapped
}

// measure compares scores with the truth.
func (b *testBatch) measure(o *outcome) seedResult {
	auroc := func(column string) rate { return rate(metric.AUROC(columnScores(column, o.rows), b.ood)) }
	return seedResult{
		Seed: b.seed,
		seedRates: seedRates{
			AUROCPre: auroc(columnPre), AUROCAlone: auroc(columnAlone), AUROCBatch: auroc(columnBatch), AUROCAttention: auroc(columnAttention),
			AUROC: rate(metric.AUROC(o.scores, b.ood)), AUPR: rate(metric.AUPR(o.scores, b.ood)), FPR95: rate(metric.FPR95(o.scores, b.ood)),
			Seconds: rate(o.seconds),
		},
		NID: b.nID, NOOD: len(b.ood) - b.nID,
	}
}

// A rate is a number that is null in JSON where it is not defined.
type rate float64

func (r rate) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(r)) || math.IsInf(float64(r), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(r))
}

// percent is for tables.
func (r rate) percent() string {
	if math.IsNaN(float64(r)) {
		return "–"
	}
	return strconv.FormatFloat(100*float64(r), 'f', 2, 64)
}

// seedRates are what is measured of a seed.
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

// An evalResult is what `baca eval --json` prints.
type evalResult struct {
	Pair          string       `json:"pair"`
	Protocol      string       `json:"protocol"`
	Calibrator    string       `json:"calibrator"`
	Contamination float64      `json:"contamination"`
	OOD           string       `json:"ood"`
	Choice        *gridChoice  `json:"choice,omitempty"`
	Seeds         []seedResult `json:"seeds"`
	Mean          seedRates    `json:"mean"`
	Std           seedRates    `json:"std"`
	Warnings      []string     `json:"warnings,omitempty"`
}

func (r *evalResult) warn(seed uint64, warnings []string) {
	for _, w := range warnings {
		r.Warnings = append(r.Warnings, fmt.Sprintf("seed %d: %s", seed, w))
	}
}

// summarize fills in mean and standard deviation over the seeds.
func (r *evalResult) summarize() {
	means, stds := r.Mean.all(), r.Std.all()
	for k := range means {
		var values []float64
		for _, s := range r.Seeds {
			values = append(values, float64(*s.all()[k]))
		}
		mean, std := metric.MeanStd(values)
		*means[k], *stds[k] = rate(mean), rate(std)
	}
}

// write prints a table for people.
func (r *evalResult) write(w io.Writer) error {
	var b bytes.Buffer
	which := "the first ones"
	if r.OOD == "random" {
		which = "drawn by seed"
	}
	protocol := "fixed protocol: one setting for all pairs, chosen without these labels"
	if r.Choice != nil {
		protocol = "grid protocol: the best of " + r.Choice.Searched + ", picked by these very labels: " + r.Choice.String()
	}
	fmt.Fprintf(&b, "%s, measured: %s, OOD graphs: %g %% of the number of ID graphs, %s\n%s\n\n", r.Pair, r.Calibrator, 100*r.Contamination, which, protocol)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\tAUROC\t\t\t\t%s\t\t\t\t\t\n", strings.ToUpper(r.Calibrator))
	fmt.Fprintln(t, "SEED\tS_PRE\tALONE\tBATCH\tATTENTION\tAUROC\tAUPR\tFPR95\tID\tOOD\tSECONDS")
	for _, s := range r.Seeds {
		fmt.Fprintf(t, "%d", s.Seed)
		rates := s.all()
		for _, x := range rates[:len(rates)-1] {
			fmt.Fprintf(t, "\t%s", x.percent())
		}
		fmt.Fprintf(t, "\t%d\t%d\t%.1f\n", s.NID, s.NOOD, float64(s.Seconds))
	}
	fmt.Fprint(t, "mean")
	means, stds := r.Mean.all(), r.Std.all()
	for k, mean := range means[:len(means)-1] {
		text := mean.percent()
		if std := *stds[k]; !math.IsNaN(float64(std)) {
			text += " ± " + std.percent()
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

// A csvTrace writes the steps of the attention's training. Its error stays.
type csvTrace struct {
	w   io.Writer
	err error
}

func (t *csvTrace) begin() { _, t.err = fmt.Fprintln(t.w, "seed,step,loss,kl,auroc") }

func (t *csvTrace) add(seed uint64, it calibrate.Iteration, ood []bool) {
	if t.err != nil {
		return
	}
	_, t.err = fmt.Fprintf(t.w, "%d,%d,%s,%s,%s\n", seed, it.Step, table.Number(it.Loss), table.Number(it.KL), table.Number(metric.AUROC(it.Test, ood)))
}
