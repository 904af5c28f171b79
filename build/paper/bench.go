package paper

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/build/internal/machine"
	"baca/build/internal/opened"
	"baca/build/internal/pretty"
	"baca/build/internal/progress"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
	"baca/build/internal/version"
)

func newBench(train Trainer) *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Repeat the published tables and figures on the public data sets",
		Long: `Bench repeats what the paper reports, and what it leaves out. Each benchmark writes
a JSON file, a report in Markdown and figures to --out.

Finished cells, such as one seed of one pair, are files under --out/cells. A run that
was cut short goes on with those that are missing; cells of another build of this
program, other data or other settings are done again. Pre-trained encoders are kept
in --weights, as by eval.`,
		Args: usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, e := range []*experiment{tableOne(), rivalry(), shift(), ablation(), ladder(), sensitivity(), theorem(), guard()} {
		c.AddCommand(e.command(train))
	}
	c.AddCommand(newTrust(train), newDecisions(), newCompany(train), newExplain(), newNotation(), newIntervals(train))
	return c
}

// An experiment measures something on every pair, most of it seed by seed.
type experiment struct {
	name, short, long, example string
	pairs                      string   // that are measured by default
	against                    bool     // rivals are measured too, which are chosen by flags
	readings                   []string // of molecules, readOGB alone where nothing is said
	measure                    func(context.Context, *bench) (results, error)
}

// The results of an experiment are what it writes: values, a report and figures. Without
// values there is the report alone.
type results interface {
	values() any
	report() *markdown
	figures() error
}

// A bench is a run of an experiment.
type bench struct {
	*experiment
	data, out, weights string
	pairList           string
	readings           []string
	seeds              []uint
	epochs             int // 0: the paper's
	workers            int
	quick              bool
	chosen             // where the experiment is against rivals

	train       Trainer
	stderr      io.Writer
	build       string // SHA-256 of this program: results of other code are not to be mixed with its own
	evaluations []*evaluation
}

// command makes the command of an experiment.
func (e *experiment) command(train Trainer) *cobra.Command {
	b := &bench{experiment: e, train: train}
	c := &cobra.Command{
		Use: e.name + " --data DIR --out DIR", Short: e.short, Long: e.long, Example: e.example, Args: usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := b.begin(c); err != nil {
				return err
			}
			r, err := e.measure(c.Context(), b)
			if err != nil {
				return err
			}
			return b.write(r)
		},
	}
	fs := c.Flags()
	fs.StringVar(&b.data, "data", "", "`folder` with tu/NAME and mol/NAME.csv[.gz]")
	fs.StringVar(&b.out, "out", "", "`folder` for the results")
	fs.StringVar(&b.weights, "weights", "", "`folder` that keeps pre-trained encoders (default OUT/encoders)")
	fs.StringVar(&b.pairList, "pairs", e.pairs, "paper, validation, all (both), shift, fresh, or `ID/OOD,…`; a set may be NAME@common or NAME@rare\n(scaffolds), an OOD set NAME@size (sizes matched to the ID set)")
	fs.UintSliceVar(&b.seeds, "seeds", []uint{1, 2, 3, 4, 5}, "of split, training and test time")
	fs.IntVar(&b.epochs, "epochs", 0, "of pre-training (default 400; ENZYMES 150, IMDB-MULTI 20)")
	fs.IntVar(&b.workers, "workers", 0, "cells at a time; 0 for one on each core; results do not depend on it")
	fs.BoolVar(&b.quick, "quick", false, "one pair (PTC_MR/MUTAG) and one seed, unless --pairs or --seeds say otherwise")
	if e.against {
		b.chosen.register(fs)
	}
	if b.readings = e.readings; len(b.readings) == 0 {
		b.readings = []string{readOGB}
	} else if e.against {
		fs.StringSliceVar(&b.readings, "reading", e.readings, "how molecules are read: "+readOGB+", as OGB does, or "+readParent+", as parents, each once")
	}
	return c
}

// begin checks the flags, reads the sets, and trains the encoders that are not there yet.
func (b *bench) begin(c *cobra.Command) error {
	if b.data == "" || b.out == "" {
		return usage.Errorf("want --data DIR and --out DIR")
	}
	if b.quick && !c.Flags().Changed("pairs") {
		b.pairList = "PTC_MR/MUTAG"
	}
	if b.quick && !c.Flags().Changed("seeds") {
		b.seeds = []uint{1}
	}
	if err := checkRun(c, b.seeds, b.epochs, b.workers); err != nil {
		return err
	}
	if b.against {
		if err := b.chosen.check(); err != nil {
			return err
		}
	}
	for k, reading := range b.readings {
		if reading != readOGB && reading != readParent || slices.Contains(b.readings[:k], reading) {
			return usage.Errorf("--reading %s: want %s, %s or both", strings.Join(b.readings, ","), readOGB, readParent)
		}
	}
	b.weights = cmp.Or(b.weights, filepath.Join(b.out, "encoders"))
	pairs, err := parsePairs(b.pairList)
	if err == nil {
		err = b.identify(c)
	}
	if err != nil {
		return err
	}
	for k, reading := range b.readings {
		read := &sets{folder: b.data, workers: b.workers, parent: reading == readParent}
		for _, p := range pairs {
			e, err := newEvaluation(c.Context(), read, p, b.epochs)
			if err != nil {
				return err
			}
			if k > 0 && e.id.schema == algo.Constant {
				continue // there is one way to read plain graphs
			}
			e.train, e.workers, e.weights = b.train, 1, b.weights
			encode(e.id.graphs)
			b.evaluations = append(b.evaluations, e)
		}
	}
	if b.against && (b.finished || !b.encoders()) {
		return nil
	}
	return b.trainAll(c.Context())
}

// identify makes the folder for the results, and says which program makes them.
func (b *bench) identify(c *cobra.Command) error {
	b.stderr, b.workers = c.ErrOrStderr(), cmp.Or(b.workers, runtime.GOMAXPROCS(0))
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if b.build, err = opened.Sum(os.DirFS(filepath.Dir(program)), filepath.Base(program)); err != nil {
		return err
	}
	return os.MkdirAll(b.out, 0o777)
}

// trainAll makes the encoders that are missing, several at a time, seed by seed.
func (b *bench) trainAll(ctx context.Context) error {
	type job struct {
		*evaluation
		seed uint64
	}
	var jobs []job
	total, seen := int64(0), map[string]bool{}
	for _, seed := range b.seeds {
		for _, e := range b.evaluations {
			path := e.encoderPath(uint64(seed))
			if _, err := os.Stat(path); err == nil || seen[path] {
				continue
			}
			seen[path] = true
			jobs = append(jobs, job{e, uint64(seed)})
			total += e.trainingGraphs()
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	p := progress.New(b.stderr, fmt.Sprintf("pre-training %d encoders", len(jobs)), total)
	defer p.Done()
	return each(ctx, b.workers, len(jobs), func(ctx context.Context, i int) error {
		j := jobs[i]
		if _, err := j.model(ctx, io.Discard, j.seed); err != nil {
			return err
		}
		p.Note(fmt.Sprintf("%s seed %d", j.pair.ID, j.seed))
		p.Add(j.trainingGraphs())
		return nil
	})
}

// trainingGraphs is how many graphs all epochs have.
func (e *evaluation) trainingGraphs() int64 { return int64(len(e.id.graphs)) * int64(e.epochs) }

// prepare returns the test batch of a seed, with its model ready for scoring on one
// goroutine.
func (e *evaluation) prepare(ctx context.Context, seed uint64, ood string) (*testBatch, error) {
	m, err := e.model(ctx, io.Discard, seed)
	if err != nil {
		return nil, err
	}
	b, err := e.batch(m, seed, orderOf(ood), 1)
	if err != nil {
		return nil, err
	}
	encode(b.graphs)
	b.alone, err = algo.NewSingleScorer(ctx, b.model, 1)
	return b, err
}

// heading is the head of a report: what it is and how to make it again, folders aside.
func (b *bench) heading(title string) *markdown {
	line := fmt.Sprintf("--weights DIR --pairs %s --seeds %s", b.pairList, commas(b.seeds))
	if b.epochs != 0 {
		line += fmt.Sprintf(" --epochs %d", b.epochs)
	}
	if b.against && b.list != "all" {
		line += " --rivals " + b.list
	}
	if len(b.readings) < len(b.experiment.readings) {
		line += " --reading " + strings.Join(b.readings, ",")
	}
	return b.headingOf(title, line)
}

// headingOf is heading for a command with these flags.
func (b *bench) headingOf(title, flags string) *markdown {
	m := new(markdown)
	m.text("# %s\n\n`baca-paper bench %s --data DIR --out DIR %s`, baca %s, on %s, %s/%s, %s.\n\n", title, b.name, flags, version.String(), machine.Processor(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	if b.epochs != 0 {
		m.text("Encoders were pre-trained for %d epochs, not for as many as by default.\n\n", b.epochs)
	}
	return m
}

// commas lists seeds.
func commas(seeds []uint) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(seeds), " ", ","), "[]")
}

// write writes results, and says so.
func (b *bench) write(r results) error {
	values := r.values()
	if values == nil {
		return replace.Bytes(filepath.Join(b.out, b.name+".md"), r.report().Bytes())
	}
	if err := writeJSON(filepath.Join(b.out, b.name+".json"), values); err != nil {
		return err
	}
	if err := replace.Bytes(filepath.Join(b.out, "report.md"), r.report().Bytes()); err != nil {
		return err
	}
	if err := r.figures(); err != nil {
		return err
	}
	fmt.Fprintf(b.stderr, "wrote %s.json, report.md and figures to %s\n", b.name, b.out)
	return nil
}

// save writes a result to a folder as JSON and as a report of that name.
func save(out, name string, result any, report *markdown) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(out, name+".json"), result); err != nil {
		return err
	}
	return replace.Bytes(filepath.Join(out, name+".md"), report.Bytes())
}

// writeJSON writes a file.
func writeJSON(path string, v any) error {
	return replace.File(path, func(w io.Writer) error { return pretty.JSON(w, v) })
}
