package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/build/internal/replace"
)

// benchFlags are what all benchmarks have in common.
type benchFlags struct {
	data, out, weights string
	pairs              string
	seeds              []uint
	epochs             int // 0: by the set
	workers            int
	quick              bool

	sets  *sets
	build string // of this program
}

func newBench() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench table1|ablation|sensitivity|theorem|decisions|company",
		Short: "Repeat the published tables and figures on the public data sets",
		Long: `Bench repeats what the paper reports, and what it leaves out. Each benchmark writes
a JSON file, a report in Markdown and figures (SVG and PNG) to --out.

Finished cells, such as one seed of one pair, are files under --out/cells. A run that
was cut short goes on with those that are missing; cells of another build of this
program, other data or other settings are done again. Pre-trained encoders are kept
in --weights, as by eval.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newBenchTable1(), newBenchAblation(), newBenchSensitivity(), newBenchTheorem(), newBenchDecisions(), newBenchCompany(), newBenchGuard())
	return c
}

// register declares the flags. pairs is the default set of them.
func (f *benchFlags) register(c *cobra.Command, pairs string) {
	fs := c.Flags()
	fs.StringVar(&f.data, "data", "", "`folder` with tu/NAME and mol/NAME.csv[.gz]")
	fs.StringVar(&f.out, "out", "", "`folder` for the results")
	fs.StringVar(&f.weights, "weights", "", "`folder` that keeps pre-trained encoders (default OUT/encoders)")
	fs.StringVar(&f.pairs, "pairs", pairs, "paper, validation, or `ID/OOD,…`; a set may be NAME@common or NAME@rare\n(scaffolds), an OOD set NAME@size (sizes matched to the ID set)")
	fs.UintSliceVar(&f.seeds, "seeds", []uint{1, 2, 3, 4, 5}, "of split, training and test time")
	fs.IntVar(&f.epochs, "epochs", 0, "of pre-training (default 400; ENZYMES 150, IMDB-MULTI 20)")
	fs.IntVar(&f.workers, "workers", 0, "cells at a time; 0 for one on each core; results do not depend on it")
	fs.BoolVar(&f.quick, "quick", false, "one pair (PTC_MR/MUTAG) and one seed, unless --pairs or --seeds say otherwise")
}

// begin checks the flags and trains the encoders that are not there yet.
func (f *benchFlags) begin(c *cobra.Command) ([]*benchPair, error) {
	pairs, err := f.check(c)
	if err != nil {
		return nil, err
	}
	return pairs, f.train(c.Context(), c.ErrOrStderr(), pairs)
}

// check reports mistakes in the flags before anything is opened, and makes the
// folders.
func (f *benchFlags) check(c *cobra.Command) ([]*benchPair, error) {
	if f.data == "" || f.out == "" {
		return nil, usagef("want --data DIR and --out DIR")
	}
	if f.quick && !c.Flags().Changed("pairs") {
		f.pairs = "PTC_MR/MUTAG"
	}
	if f.quick && !c.Flags().Changed("seeds") {
		f.seeds = []uint{1}
	}
	if err := checkSeeds(f.seeds); err != nil {
		return nil, err
	}
	if c.Flags().Changed("epochs") && (f.epochs < 1 || f.epochs > maxEpochs) {
		return nil, usagef("--epochs %d: want 1 to %d", f.epochs, maxEpochs)
	}
	if f.workers < 0 {
		return nil, usagef("--workers %d: want 0 for all cores, or more", f.workers)
	}
	if f.workers == 0 {
		f.workers = runtime.GOMAXPROCS(0)
	}
	if f.weights == "" {
		f.weights = filepath.Join(f.out, "encoders")
	}
	pairs, err := parsePairs(f.pairs)
	if err != nil {
		return nil, err
	}
	f.sets = &sets{data: f.data, workers: f.workers}
	if f.build, err = buildHash(); err != nil {
		return nil, err
	}
	return pairs, os.MkdirAll(f.out, 0o777)
}

// checkSeeds reports an empty list or a seed that is there twice.
func checkSeeds(seeds []uint) error {
	if len(seeds) == 0 {
		return usagef("--seeds: want at least one")
	}
	for i, s := range seeds {
		if slices.Contains(seeds[:i], s) {
			return usagef("--seeds: %d is there twice", s)
		}
	}
	return nil
}

// buildHash is of the program file: results of other code are not to be mixed with
// those of this one.
func buildHash() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// A runKey is what the content of a cell depends on.
type runKey struct {
	Build   string `json:"build"` // SHA-256 of the program
	Pair    string `json:"pair"`
	IDData  string `json:"id_data"` // SHA-256
	OODData string `json:"ood_data"`
	Epochs  int    `json:"epochs"`
	Part    string `json:"part"` // what was done, with its settings
}

// A cell is one piece of a benchmark: its own file, and its own time and memory.
type cell struct {
	name   string // of the file, below cells
	weight int64  // graphs scored, about
	key    func(context.Context) (runKey, error)
	run    func(context.Context) (any, error)
}

// A cellFile is what is on disk.
type cellFile struct {
	Run     runKey  `json:"run"`
	Seconds float64 `json:"seconds"`
	// PeakBytes is the most memory that the whole program had from the system
	// while the cell was worked on, other cells included.
	PeakBytes uint64          `json:"peak_bytes"`
	Result    json.RawMessage `json:"result"`
}

// runCells does the cells that are not on disk yet, several at a time, and returns
// all files in the order of the cells.
func (f *benchFlags) runCells(ctx context.Context, stderr io.Writer, what string, cells []*cell) ([]*cellFile, error) {
	files := make([]*cellFile, len(cells))
	total := int64(0)
	for _, c := range cells {
		total += c.weight
	}
	p := newProgress(stderr, what, total)
	defer p.Done()
	var todo []int
	for i, c := range cells {
		key, err := c.key(ctx)
		if err != nil {
			return nil, err
		}
		file, err := readCell(f.cellPath(c), key)
		if err != nil {
			return nil, err
		}
		if files[i] = file; file != nil {
			p.Skip(c.weight)
		} else {
			todo = append(todo, i)
		}
	}
	err := each(ctx, f.workers, len(todo), func(ctx context.Context, k int) error {
		i := todo[k]
		c := cells[i]
		file, err := f.runCell(ctx, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		files[i] = file
		p.Note(c.name)
		p.Add(c.weight)
		return nil
	})
	return files, err
}

func (f *benchFlags) cellPath(c *cell) string {
	return filepath.Join(f.out, "cells", filepath.FromSlash(c.name)+".json")
}

// runCell does one cell and writes its file.
func (f *benchFlags) runCell(ctx context.Context, c *cell) (*cellFile, error) {
	key, err := c.key(ctx)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	stop := watchMemory()
	result, err := c.run(ctx)
	peak := stop()
	if err != nil {
		return nil, err
	}
	file := &cellFile{Run: key, Seconds: time.Since(start).Seconds(), PeakBytes: peak}
	if file.Result, err = json.Marshal(result); err != nil {
		return nil, err
	}
	path := f.cellPath(c)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	return file, replace.File(path, func(w io.Writer) error { return writeJSON(w, file) })
}

// readCell returns the cell on disk, or nil if there is none of this run.
func readCell(path string, key runKey) (*cellFile, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var file cellFile
	if json.Unmarshal(data, &file) != nil || file.Run != key {
		return nil, nil // it will be done again
	}
	return &file, nil
}

// each calls do for 0 to n−1 in order, several at a time, and stops at the first
// error, which it returns.
func each(ctx context.Context, workers, n int, do func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	var mu sync.Mutex
	next := 0
	for range min(workers, n) {
		group.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= n || ctx.Err() != nil {
					return
				}
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// watchMemory looks at the memory of the program from time to time until stop is
// called, which returns the most that was seen.
func watchMemory() (stop func() uint64) {
	sample := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64() - s[1].Value.Uint64()
	}
	peak := sample()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				peak = max(peak, sample())
			case <-done:
				return
			}
		}
	}()
	return func() uint64 {
		close(done)
		<-ended
		return max(peak, sample())
	}
}

// train makes the encoders that are missing, several at a time, seed by seed.
func (f *benchFlags) train(ctx context.Context, stderr io.Writer, pairs []*benchPair) error {
	type job struct {
		eval *evalFlags
		seed uint64
	}
	var jobs []job
	total, names := int64(0), map[string]bool{}
	for _, seed := range f.seeds {
		for _, pair := range pairs {
			e, err := f.eval(ctx, pair)
			if err != nil {
				return err
			}
			name := e.encoderPath(uint64(seed))
			if _, err := os.Stat(name); err == nil || names[name] {
				continue
			}
			names[name] = true
			jobs = append(jobs, job{e, uint64(seed)})
			total += int64(len(e.id.Graphs)) * int64(e.epochs)
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	p := newProgress(stderr, fmt.Sprintf("pre-training %d encoders", len(jobs)), total)
	defer p.Done()
	return each(ctx, f.workers, len(jobs), func(ctx context.Context, i int) error {
		e := jobs[i].eval
		if _, err := e.model(ctx, io.Discard, jobs[i].seed); err != nil {
			return err
		}
		p.Note(fmt.Sprintf("%s seed %d", e.idName, jobs[i].seed))
		p.Add(int64(len(e.id.Graphs)) * int64(e.epochs))
		return nil
	})
}

// eval returns the evaluation of a pair, on one goroutine.
func (f *benchFlags) eval(ctx context.Context, pair *benchPair) (*evalFlags, error) {
	id, err := f.sets.open(ctx, pair.ID, "")
	if err != nil {
		return nil, err
	}
	ood, err := f.sets.open(ctx, pair.OOD, pair.ID)
	if err != nil {
		return nil, err
	}
	if id.schema != ood.schema {
		return nil, fmt.Errorf("%s has node features %s, %s has %s: want two sets of the same kind", pair.ID, id.schema, pair.OOD, ood.schema)
	}
	f.sets.encode(id.set.Graphs)
	epochs := f.epochs
	if epochs == 0 {
		base, _, _ := strings.Cut(pair.ID, "@")
		epochs = evalEpochs(base)
	}
	e := &evalFlags{
		pair: pair.name(), data: f.data, idName: pair.ID, oodName: pair.OOD, calibrator: columnAlone,
		contamination: 1, epochs: epochs, weights: f.weights, workers: 1,
		id: id.set, outside: ood.set, idSchema: id.schema, idDataSHA: id.sha256,
	}
	e.ecfp = func(ctx context.Context, gs []*graph.Graph) ([]fingerprint.Print, error) {
		return f.sets.ecfp(ctx, gs, pair.ID, pair.OOD)
	}
	return e, nil
}

// key returns the runKey of a part of a pair.
func (f *benchFlags) key(pair *benchPair, part string) func(context.Context) (runKey, error) {
	return func(ctx context.Context) (runKey, error) {
		e, err := f.eval(ctx, pair)
		if err != nil {
			return runKey{}, err
		}
		ood, err := f.sets.open(ctx, pair.OOD, pair.ID)
		if err != nil {
			return runKey{}, err
		}
		return runKey{Build: f.build, Pair: pair.name(), IDData: e.idDataSHA, OODData: ood.sha256, Epochs: e.epochs, Part: part}, nil
	}
}

// machine describes where a run took place, for reports.
func machine() string {
	cpu := "unknown processor"
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				cpu = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores, %s/%s, %s", cpu, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// commandLine is how to do the same run again, folders aside.
func (f *benchFlags) commandLine(name string) string {
	seeds := make([]string, len(f.seeds))
	for i, s := range f.seeds {
		seeds[i] = fmt.Sprint(s)
	}
	line := fmt.Sprintf("baca bench %s --data DIR --out DIR --weights DIR --pairs %s --seeds %s", name, f.pairs, strings.Join(seeds, ","))
	if f.epochs != 0 {
		line += fmt.Sprintf(" --epochs %d", f.epochs)
	}
	return line
}

// percentOf formats a mean and its deviation over seeds, both in [0, 1].
func percentOf(mean, std float64) string {
	switch {
	case math.IsNaN(mean):
		return "–"
	case math.IsNaN(std):
		return fmt.Sprintf("%.1f", 100*mean)
	}
	return fmt.Sprintf("%.1f ± %.1f", 100*mean, 100*std)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *rate) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*r = rate(math.NaN())
		return nil
	}
	return json.Unmarshal(data, (*float64)(r))
}
