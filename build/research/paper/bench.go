package paper

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"baca/algo"
	"baca/algo/document"
	"baca/build/internal/machine"
	"baca/build/internal/opened"
	"baca/build/internal/replace"
	"baca/build/internal/try"
	"baca/build/internal/usage"
	"baca/build/internal/version"
	"baca/build/research/rival"
)

// newBench returns the command bench, with a subcommand for each experiment.
func newBench(train Trainer) *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Repeat the published tables on the public data sets",
		Args:  usage.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, e := range experiments() {
		c.AddCommand(e.command(train))
	}
	c.AddCommand(newRewrite())
	return c
}

// experiments returns all experiments in the order of help.
func experiments() []*experiment {
	return []*experiment{
		tableOne(), rivalry(), shift(), ablation(), guard(),
		decisions(), company(), explanation(), notation(), planted(), reasons(), known(), intervals(),
	}
}

// An experiment measures something on data sets.
type experiment struct {
	name, short string
	list        string      // help ends with it
	flags       [][2]string // names of its flags, see options.all, and their defaults
	page        string      // its file, by default report.md
	measure     func(context.Context, *bench) result
	read        func(data []byte) (result, error) // reads measure's file
}

// A result is an experiment's JSON file. Its page has no other figures.
type result interface{ page() *page }

// readAs reads a result of type R from its JSON.
func readAs[R result](data []byte) (result, error) {
	var r R
	err := json.Unmarshal(data, &r)
	return r, err
}

// pageFile is the page's path for a result in a folder.
func (e *experiment) pageFile(folder string) string {
	return filepath.Join(folder, cmp.Or(e.page, "report.md"))
}

// options are the values of flags.
type options struct {
	data, out, weights                                                                  string
	pairList, seedList, readingList, rivalList, setList, kindList, modelList, otherList string
	known, reference                                                                    string
	epochs, workers, steps, splits, molecules, fits                                     int
	finished, anyBuild                                                                  bool
}

// everywhere lists flags of all experiments, pairwise those of experiments on pairs.
var (
	everywhere = [][2]string{{"data", ""}, {"out", ""}, {"workers", "0"}, {"finished", "false"}, {"any-build", "false"}}
	pairwise   = [][2]string{{"weights", ""}, {"seeds", "1,2,3,4,5"}, {"epochs", "0"}}
)

// all defines every flag; an experiment takes some of them.
func (o *options) all() *pflag.FlagSet {
	fs := new(pflag.FlagSet)
	fs.StringVar(&o.data, "data", "", "`folder` with tu/NAME and mol/NAME.csv[.gz]")
	fs.StringVar(&o.out, "out", "", "`folder` for the results")
	fs.StringVar(&o.weights, "weights", "", "`folder` that keeps pre-trained encoders (default OUT/encoders)")
	fs.StringVar(&o.pairList, "pairs", "", "paper, validation, all (both), shift, fresh, choose, report, or `ID/OOD,…`; a set may be NAME@common or\n"+
		"NAME@rare (scaffolds), an OOD set NAME@size (sizes matched to the ID set)")
	fs.StringVar(&o.seedList, "seeds", "", "`numbers` of splits, training and test time")
	fs.StringVar(&o.readingList, "reading", "", "how molecules are read: "+readOGB+", as OGB does, or "+readParent+", as parents, each once")
	fs.StringVar(&o.rivalList, "rivals", "", "all, or a list of `names`: "+chooseOurs+" and those of --calibrator in eval")
	fs.StringVar(&o.setList, "sets", "", "`names` of sets")
	fs.StringVar(&o.kindList, "kinds", "", "`names` of kinds of splits")
	fs.StringVar(&o.modelList, "models", "", "embedded models by `name`, all that suit without, or ID/OOD=FILE")
	fs.StringVar(&o.known, "known", "", "`file` of well-known molecules")
	fs.StringVar(&o.reference, "reference", "", "`folder` that build/tools/sets wrote")
	fs.StringVar(&o.otherList, "others", "", "`names` of sets that no model was trained on")
	fs.IntVar(&o.epochs, "epochs", 0, "of pre-training (default 400; ENZYMES 150, IMDB-MULTI 20)")
	fs.IntVar(&o.workers, "workers", 0, "cells at a time; 0 for one on each core; results do not depend on it")
	fs.IntVar(&o.steps, "steps", 0, "of pre-training")
	fs.IntVar(&o.splits, "splits", 0, "of each set, by chance")
	fs.IntVar(&o.molecules, "molecules", 0, "of each set")
	fs.IntVar(&o.fits, "fits", 0, "splits for batches")
	fs.BoolVar(&o.finished, "finished", false, "measure nothing, report the cells that are finished")
	fs.BoolVar(&o.anyBuild, "any-build", false, "take cells that another build of this program finished")
	return fs
}

// settings are the flags that the content of cells depends on. Epochs are in their keys.
var settings = []string{"steps", "splits", "molecules", "fits", "others"}

// leasts are the least values of numeric flags; without an entry 0.
var leasts = map[string]int{"steps": 1, "splits": 1, "molecules": 1, "fits": 1}

// A bench is a run of an experiment.
type bench struct {
	*experiment
	options
	seeds    []uint64
	readings []string
	rivals   []*rival.Rival
	own      bool // our scores are measured too

	train         Trainer
	stderr        io.Writer
	build         string // SHA-256 of this program: results of other code are not mixed in
	line          string // the page's last line: command and program
	settings      string // flags that cells depend on
	evaluations   []*evaluation
	done, planned int // cells
}

// command returns the subcommand of an experiment, with its flags and their defaults. It measures and writes the result.
func (e *experiment) command(train Trainer) *cobra.Command {
	b := &bench{experiment: e, train: train}
	c := &cobra.Command{
		Use: e.name + " --data DIR --out DIR", Short: e.short, Long: e.list, Args: usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			defer try.Catch(&err)
			b.begin(c)
			b.write(e.measure(c.Context(), b))
			return nil
		},
	}
	all := b.all()
	for _, f := range slices.Concat(everywhere, e.flags) {
		flag := all.Lookup(f[0])
		if err := flag.Value.Set(f[1]); err != nil {
			panic(err) // defaults are constants
		}
		flag.DefValue = f[1]
		c.Flags().AddFlag(flag)
	}
	return c
}

// uses reports whether the experiment has a flag.
func (e *experiment) uses(flag string) bool {
	return slices.ContainsFunc(e.flags, func(f [2]string) bool { return f[0] == flag })
}

// begin checks the flags, and sets all fields of the bench but train, done and planned. It reads the sets of the pairs.
func (b *bench) begin(c *cobra.Command) {
	if b.data == "" || b.out == "" {
		try.Check(usage.Errorf("want --data DIR and --out DIR"))
	}
	b.check(c)
	b.chooseRivals()
	b.chooseReadings()
	var pairs []*pair
	if b.uses("pairs") {
		pairs = parsePairs(b.pairList)
	}
	b.identify(c)
	b.open(c.Context(), pairs)
}

// check refuses numbers below their least values, and sets b.seeds.
func (b *bench) check(c *cobra.Command) {
	for _, f := range b.flags {
		x, err := strconv.Atoi(c.Flag(f[0]).Value.String()) // an error for flags of text
		if least := leasts[f[0]]; err == nil && x < least {
			try.Check(usage.Errorf("--%s %d: want %d or more", f[0], x, least))
		}
	}
	if b.seeds = nil; b.uses("seeds") {
		for _, text := range strings.Split(b.seedList, ",") {
			seed, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				try.Check(usage.Errorf("--seeds %s: want numbers, with commas between them", b.seedList))
			}
			b.seeds = append(b.seeds, seed)
		}
	}
	try.Check(checkRun(c, b.seeds, b.epochs, b.workers))
}

// identify makes the results folder, and sets what tells this run from others: the program's hash, the flags that cells depend
// on, and the page's last line, which has no paths of this machine.
func (b *bench) identify(c *cobra.Command) {
	b.stderr, b.workers = c.ErrOrStderr(), cmp.Or(b.workers, runtime.GOMAXPROCS(0))
	b.weights = cmp.Or(b.weights, filepath.Join(b.out, "encoders"))
	program := try.To(os.Executable())
	b.build = try.To(opened.Sum(os.DirFS(filepath.Dir(program)), filepath.Base(program)))
	flags := ""
	b.settings = b.name + ", "
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(settings, f.Name) {
			b.settings += f.Name + " " + f.Value.String() + ", "
		}
	})
	c.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "data", "out", "workers", "weights", "finished", "any-build":
		case "known", "reference":
			flags += " --" + f.Name + " " + filepath.Base(f.Value.String())
		default:
			flags += " --" + f.Name + " " + f.Value.String()
		}
	})
	b.line = fmt.Sprintf("`%s --data DIR --out DIR%s`, baca %s, on %s, %s/%s, %s.", c.CommandPath(), flags, version.String(),
		machine.Processor(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	try.Check(os.MkdirAll(b.out, 0o777))
}

// open reads the sets of each pair in each of b.readings, and appends them to b.evaluations.
func (b *bench) open(ctx context.Context, pairs []*pair) {
	for k, reading := range b.readings {
		read := &sets{folder: b.data, workers: b.workers, parent: reading == readParent}
		for _, p := range pairs {
			e := newEvaluation(ctx, read, p, encoders{b.train, b.epochs, 1, b.weights})
			if k > 0 && e.id.schema == algo.Constant {
				continue // plain graphs have one reading
			}
			encode(e.id.graphs)
			b.evaluations = append(b.evaluations, e)
		}
	}
}

// prepare returns a seed's test batch with its model, for one goroutine. ood is firstOOD or randomOOD.
func (e *evaluation) prepare(ctx context.Context, seed uint64, ood string) *testBatch {
	b := e.batch(e.model(ctx, io.Discard, seed), seed, orders[ood], 1)
	encode(b.graphs)
	b.alone = try.To(algo.NewSingleScorer(ctx, b.model, 1))
	return b
}

// write writes a result and its page, and says so. The page says how many cells are finished if some are not.
func (b *bench) write(r result) {
	try.Check(writeJSON(filepath.Join(b.out, b.name+".json"), r))
	line := b.line
	if b.done < b.planned {
		line += fmt.Sprintf(" **%d of %d cells are finished.**", b.done, b.planned)
	}
	try.Check(replace.Bytes(b.pageFile(b.out), r.page().text(line)))
	fmt.Fprintf(b.stderr, "wrote %s.json and %s to %s\n", b.name, filepath.Base(b.pageFile(b.out)), b.out)
}

// newRewrite makes the command that writes pages from results.
func newRewrite() *cobra.Command {
	return &cobra.Command{
		Use:   "rewrite FILE.json…",
		Short: "Write the pages beside results anew, without measuring",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) (err error) {
			defer try.Catch(&err)
			for _, file := range files {
				path, text := pageOf(file)
				try.Check(replace.Bytes(path, text))
			}
			return nil
		},
	}
}

// pageOf returns the path and the text of the page for a result. The last line of the old page, which names the command, stays.
// It ends with an error if no experiment writes a file of that name.
func pageOf(file string) (path string, text []byte) {
	all := experiments()
	k := slices.IndexFunc(all, func(e *experiment) bool { return e.name+".json" == filepath.Base(file) })
	if k < 0 {
		try.Check(usage.Errorf("%s: no benchmark writes a file of that name", file))
	}
	r, err := all[k].read(try.To(os.ReadFile(file)))
	if err != nil {
		try.Check(fmt.Errorf("%s: %w", file, err))
	}
	path = all[k].pageFile(filepath.Dir(file))
	old := strings.TrimSpace(string(try.To(os.ReadFile(path))))
	return path, r.page().text(old[strings.LastIndex(old, "\n")+1:])
}

// writeJSON replaces a file by v as JSON.
func writeJSON(path string, v any) error {
	return replace.File(path, func(w io.Writer) error { return document.WriteJSON(w, v) })
}
