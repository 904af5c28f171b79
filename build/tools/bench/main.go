// Bench runs Go's benchmarks where go test cannot, and what is no benchmark of Go, and has benchstat compare:
//
//	go run ./build/tools/bench [-count ROUNDS] [-bench REGEXP] [-platforms native,…] [-out DIR]
//	go run ./build/tools/bench -against REV [-count PAIRS] [-bench REGEXP]
//
// Each platform has a file NAME.txt in the folder: native, with vector code; portable, without it; node and
// chromium, where the same programs run as WebAssembly; command, whole runs of baca score with the time and
// memory that they take, from one molecule to 50 000 and with models of up to 500 000 graphs; peers, what
// RDKit, onnxruntime-web and RDKit.js offer for the same work, and the PyTorch program beside the
// public sets. They take turns, in rounds, so that a machine that is busy for a while is so for all of them.
// report.md has the goals, tables.txt all the rest. What a platform lacks is said, and the others run.
//
// With -against the native benchmarks of hot paths, and the command, run in the working tree and in another
// revision, which is checked out into a temporary folder: before, now, now, before, and so on. Exit status 1
// says that benchstat finds something slower by more than 5 %, with a significance of 5 %.
//
// The data are the public sets in ../shared/data, see suite/data/README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// A config says what to run.
type config struct {
	root, out, data string // absolute
	platforms       []string
	rounds          int
	only            string // benchmarks that match
	against         string // a revision
	time            string // for how long each benchmark runs
	stderr          io.Writer
}

var platformNames = []string{"native", "portable", "node", "chromium", "command", "peers"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	c, err := parseArguments(ctx, os.Args[1:])
	if err == nil {
		err = c.run(ctx)
	}
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parseArguments reads the command line.
func parseArguments(ctx context.Context, args []string) (c config, err error) {
	gomod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return c, fmt.Errorf("go env GOMOD: %w", err)
	}
	c.root, c.stderr = filepath.Dir(strings.TrimSpace(string(gomod))), os.Stderr
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.IntVar(&c.rounds, "count", 6, "rounds; benchstat wants 6 or more")
	fs.StringVar(&c.against, "against", "", "compare with the `revision`")
	fs.StringVar(&c.only, "bench", ".", "run only the benchmarks that match this `regexp`")
	fs.StringVar(&c.time, "time", "30ms", "for how long each benchmark runs")
	platforms := fs.String("platforms", strings.Join(platformNames, ","), "what to run on")
	out := fs.String("out", filepath.Join(c.root, "out", "bench"), "`folder` for the results")
	data := fs.String("data", filepath.Join(c.root, "..", "shared", "data"), "`folder` with the public sets")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	c.platforms = strings.Split(*platforms, ",")
	for _, p := range c.platforms {
		if !slices.Contains(platformNames, p) {
			return c, fmt.Errorf("platform %q: want some of %s", p, strings.Join(platformNames, ","))
		}
	}
	if _, err := regexp.Compile(c.only); err != nil {
		return c, err
	}
	if c.rounds < 1 || fs.NArg() > 0 {
		return c, errors.New("want a -count of 1 or more, and no arguments besides the flags")
	}
	c.out, err = filepath.Abs(*out)
	c.data, _ = filepath.Abs(*data)
	return c, err
}

func (c config) on(platform string) bool { return slices.Contains(c.platforms, platform) }

// A job is what runs in each round. It returns lines of benchmarks, of a platform.
type job struct {
	platform string
	what     string
	run      func(context.Context) ([]byte, error)
}

// run plans the jobs, goes round them, and compares.
func (c config) run(ctx context.Context) error {
	bin, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	if err := os.MkdirAll(c.out, 0o777); err != nil {
		return err
	}
	now := tree{config: c, root: c.root, bin: bin, platform: "native"}
	if c.against != "" {
		return c.compare(ctx, now)
	}
	jobs, err := now.jobs(ctx)
	if err != nil {
		return err
	}
	files, err := c.rotate(ctx, jobs)
	if err != nil {
		return err
	}
	tables, err := c.benchstat(ctx, files, "-ignore", "goos,goarch,pkg,cpu")
	if err != nil {
		return err
	}
	texts := map[string]string{"tables.txt": string(tables), "report.md": c.page(files)}
	for name, text := range texts {
		err = errors.Join(err, os.WriteFile(filepath.Join(c.out, name), []byte(text), 0o666))
	}
	return err
}

// jobs are those of the chosen platforms. What one lacks is said.
func (t tree) jobs(ctx context.Context) (jobs []job, err error) {
	for _, p := range []struct {
		name string
		plan func(context.Context) ([]job, error)
	}{
		{"native", t.native}, {"portable", t.portable}, {"node", t.wasm("node")}, {"chromium", t.wasm("chromium")},
		{"command", t.commands}, {"peers", t.peers},
	} {
		if !t.on(p.name) {
			continue
		}
		fmt.Fprintln(t.stderr, "preparing", p.name)
		more, err := p.plan(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(t.stderr, "note: without a part of %s: %v\n", p.name, err)
		}
		jobs = append(jobs, more...)
	}
	if len(jobs) == 0 {
		return nil, errors.New("nothing runs")
	}
	return jobs, nil
}

// rotate runs the jobs of all rounds, every other one backwards, and returns the names of the files. A job
// that fails does not run again.
func (c config) rotate(ctx context.Context, jobs []job) (files []string, err error) {
	texts := map[string][]byte{}
	for round := range c.rounds {
		fmt.Fprintf(c.stderr, "round %d of %d\n", round+1, c.rounds)
		var left []job
		for _, j := range jobs {
			output, err := j.run(ctx)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				fmt.Fprintf(c.stderr, "note: %s left out: %v\n", j.what, err)
				continue
			}
			left, texts[j.platform] = append(left, j), append(texts[j.platform], output...)
		}
		jobs = left
		slices.Reverse(jobs)
	}
	for platform, text := range texts {
		file := filepath.Join(c.out, platform+".txt")
		files, err = append(files, file), errors.Join(err, os.WriteFile(file, text, 0o666))
	}
	slices.Sort(files)
	return files, err
}

// statVersion is the version of benchstat.
const statVersion = "v0.0.0-20260908200009-22c9c6c9d4da"

// benchstat compares files, by their benchmarks of the same names.
func (c config) benchstat(ctx context.Context, files []string, flags ...string) ([]byte, error) {
	args := append([]string{"run", "golang.org/x/perf/cmd/benchstat@" + statVersion}, flags...)
	for _, f := range files {
		args = append(args, strings.TrimSuffix(filepath.Base(f), ".txt")+"="+f)
	}
	return execute(ctx, c.root, nil, "go", args...)
}
