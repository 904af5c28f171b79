// Bench runs Go's benchmarks, also where go test cannot run them, and those of other programs, and compares them by
// benchstat:
//
//	go run ./build/tools/bench [-count ROUNDS] [-bench REGEXP] [-platforms native,…] [-out DIR]
//	go run ./build/tools/bench -against REV [-count PAIRS] [-bench REGEXP]
//
// The folder gets a file NAME.txt for each platform. native is this machine. In node and chromium the same programs run as
// WebAssembly. command is the whole command baca score, from one molecule to 50 000. peers are OpenBLAS, RDKit,
// onnxruntime-web and RDKit.js at the same work. Platforms take turns, in rounds, so that a machine that is busy for a
// while is so for all of them. report.md has the goals, and tables.txt everything else. A platform that is missing here is
// named, and the others run.
//
// With -against, the native benchmarks of hot paths and the command run in the working tree and in another revision,
// which is checked out into a temporary folder: before, now, now, before, and so on. The exit status is 1 if benchstat
// finds something slower by more than 5 %, with a significance of 5 %.
//
// The data are the public sets in ../shared/data, see suite/data/README.md.
package main

import (
	"baca/build/internal/try"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A bench says what to run, and in which tree: the working tree or that of another revision.
type bench struct {
	root, bin, out, data string // absolute paths; bin is for compiled programs
	side                 string // name of the results of native programs and of commands
	platforms            []string
	rounds               int
	only                 string // regular expression of the benchmarks to run
	against              string // the revision to compare with
	time                 string // how long each benchmark runs
}

// A job runs once in each round. It returns the lines of a platform's benchmarks.
type job struct {
	platform, what string
	run            func(context.Context) ([]byte, error)
}

// A platform plans its jobs. An error says which of them are missing.
type platform struct {
	name string
	plan func(bench, context.Context) ([]job, error)
}

var platforms = []platform{
	{"native", bench.native},
	{"node", bench.node},
	{"chromium", bench.chromium},
	{"command", bench.commands},
	{"peers", bench.peers},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	b, err := parse(os.Args[1:])
	if err == nil {
		err = b.run(ctx)
	}
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parse reads the command line.
func parse(args []string) (b bench, err error) {
	gomod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return b, fmt.Errorf("go env GOMOD: %w", err)
	}
	b.root, b.side = filepath.Dir(strings.TrimSpace(string(gomod))), "native"
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.IntVar(&b.rounds, "count", 6, "rounds; benchstat wants 6 or more")
	fs.StringVar(&b.against, "against", "", "compare with the `revision`")
	fs.StringVar(&b.only, "bench", ".", "run only the benchmarks that match this `regexp`")
	fs.StringVar(&b.time, "time", "30ms", "for how long each benchmark runs")
	fs.StringVar(&b.out, "out", filepath.Join(b.root, "out", "bench"), "`folder` for the results")
	fs.StringVar(&b.data, "data", filepath.Join(b.root, "..", "shared", "data"), "`folder` with the public sets")
	var known []string
	for _, p := range platforms {
		known = append(known, p.name)
	}
	names := fs.String("platforms", strings.Join(known, ","), "what to run on")
	if err := fs.Parse(args); err != nil {
		return b, err
	}
	b.platforms = strings.Split(*names, ",")
	if k := slices.IndexFunc(b.platforms, func(p string) bool { return !slices.Contains(known, p) }); k >= 0 {
		return b, fmt.Errorf("platform %q: want some of %s", b.platforms[k], strings.Join(known, ","))
	}
	if _, err := regexp.Compile(b.only); err != nil {
		return b, err
	}
	if b.rounds < 1 || fs.NArg() > 0 {
		return b, errors.New("want a -count of 1 or more, and no arguments besides the flags")
	}
	b.data, _ = filepath.Abs(b.data)
	b.out, err = filepath.Abs(b.out)
	return b, err
}

// note prints a line for the user.
func note(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// run plans the jobs, runs them in rounds and writes the results to b.out. With -against it compares with the revision instead.
func (b bench) run(ctx context.Context) (err error) {
	defer try.Catch(&err)
	b.bin = try.To(os.MkdirTemp("", "bench"))
	defer os.RemoveAll(b.bin)
	try.Check(os.MkdirAll(b.out, 0o777))
	if b.against != "" {
		b.compare(ctx)
		return nil
	}
	jobs := b.plan(ctx, b.platforms)
	if len(jobs) == 0 {
		return cmp.Or(ctx.Err(), errors.New("nothing runs"))
	}
	files := b.rotate(ctx, jobs)
	tables := b.benchstat(ctx, files, "-ignore", "goos,goarch,pkg,cpu")
	return errors.Join(os.WriteFile(filepath.Join(b.out, "tables.txt"), tables, 0o666),
		os.WriteFile(filepath.Join(b.out, "report.md"), []byte(b.page(files)), 0o666))
}

// plan returns the jobs of some platforms. It prints what a platform lacks, and goes on.
func (b bench) plan(ctx context.Context, names []string) (jobs []job) {
	for _, p := range platforms {
		if ctx.Err() != nil || !slices.Contains(names, p.name) {
			continue
		}
		note("preparing %s of %s", p.name, b.root)
		more, err := p.plan(b, ctx)
		if err != nil {
			note("without a part of %s: %v", p.name, err)
		}
		jobs = append(jobs, more...)
	}
	return jobs
}

// rotate runs all jobs in each round, every other round in reverse order. It returns the names of the files with the
// results. A job that fails does not run again.
func (b bench) rotate(ctx context.Context, jobs []job) (files []string) {
	texts := map[string][]byte{}
	for round := range b.rounds {
		note("round %d of %d", round+1, b.rounds)
		var left []job
		for _, j := range jobs {
			output, err := j.run(ctx)
			try.Check(ctx.Err())
			if err != nil {
				note("%s %s left out: %v", j.platform, j.what, err)
				continue
			}
			left, texts[j.platform] = append(left, j), append(texts[j.platform], output...)
		}
		jobs = left
		slices.Reverse(jobs)
	}
	for name, text := range texts {
		files = append(files, filepath.Join(b.out, name+".txt"))
		try.Check(os.WriteFile(files[len(files)-1], text, 0o666))
	}
	slices.Sort(files)
	return files
}

// statVersion is the version of benchstat.
const statVersion = "v0.0.0-20260908200009-22c9c6c9d4da"

// benchstat compares files by their benchmarks of the same names, and returns benchstat's output.
func (b bench) benchstat(ctx context.Context, files []string, flags ...string) []byte {
	args := append([]string{"run", "golang.org/x/perf/cmd/benchstat@" + statVersion}, flags...)
	for _, f := range files {
		args = append(args, platformOf(f)+"="+f)
	}
	return try.To(execute(ctx, b.root, nil, "go", args...))
}

func platformOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".txt") }

// stepLimit is the time after which a program counts as hanging.
const stepLimit = 10 * time.Minute

// endOfOutput is how many bytes of a failed program's output are in the error.
const endOfOutput = 300

// execute runs a command in a folder, with more variables of the environment, and returns its standard output. The
// error of a failed command has the end of its standard error or, if that is empty, of its standard output.
func execute(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env, c.WaitDelay = dir, append(os.Environ(), env...), 5*time.Second
	out, err := c.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		said := cmp.Or(string(failed.Stderr), string(out))
		err = fmt.Errorf("%s: %w: %s", filepath.Base(name), err, said[max(0, len(said)-endOfOutput):])
	}
	return out, err
}
