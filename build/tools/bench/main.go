// Bench runs the benchmarks of the project on every platform that there is here and
// writes what they measured, as text for benchstat and as one report:
//
//	go run ./build/tools/bench [-quick] [-peer] [-platforms native,node,chromium] [-out DIR]
//
// It goes round the platforms, several times, so that a machine that is busy for a
// while is so for all of them; ratios are taken within a round. Native benchmarks run
// on one thread unless their names end in -N, for N threads, and both with vector code
// and, in a program built with the tag noasm, without. In Node and in headless
// Chromium the same programs run with the SIMD kernel and without. Products of matrices
// are compared with gonum's and, where the library is installed, with OpenBLAS.
//
// The data are the public sets in ../shared/data, see suite/data/README.md. With -peer,
// a PyTorch program that lies beside them takes its turn in every round.
//
// Each platform has its file NAME.txt in the folder, next to report.md. What a platform
// lacks to run is said in the report, and the others run. Exit status 1 says that
// nothing ran at all.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// A config says what to run.
type config struct {
	root, out, data string // absolute
	platforms       []string
	rounds          int
	quick, peer     bool
	only            string // benchmarks that match, instead of each step's own
}

// platformNames are those of -platforms.
var platformNames = []string{"native", "node", "chromium"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, os.Args[1:])
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	gomod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return fmt.Errorf("go env GOMOD: %w", err)
	}
	c := config{root: filepath.Dir(strings.TrimSpace(string(gomod)))}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.BoolVar(&c.quick, "quick", false, "one short round: does everything run?")
	fs.BoolVar(&c.peer, "peer", false, "compare with the PyTorch program beside the public sets")
	fs.IntVar(&c.rounds, "count", 5, "rounds")
	platforms := fs.String("platforms", strings.Join(platformNames, ","), "what to run on")
	fs.StringVar(&c.only, "bench", "", "run only the benchmarks that match this `regexp`")
	out := fs.String("out", filepath.Join(c.root, "out", "bench"), "`folder` for the results")
	data := fs.String("data", filepath.Join(c.root, "..", "shared", "data"), "`folder` with the public sets")
	if err := fs.Parse(args); err != nil {
		return err
	}
	c.platforms = strings.Split(*platforms, ",")
	for _, p := range c.platforms {
		if !slices.Contains(platformNames, p) {
			return fmt.Errorf("platform %q: want some of %s", p, strings.Join(platformNames, ","))
		}
	}
	if c.quick {
		c.rounds = 1
	}
	if c.rounds < 1 || fs.NArg() > 0 {
		return errors.New("want at least one round, and no arguments besides the flags")
	}
	if c.out, err = filepath.Abs(*out); err != nil {
		return err
	}
	if c.data, err = filepath.Abs(*data); err != nil {
		return err
	}
	results, notes, err := run(ctx, c, os.Stderr)
	if err != nil {
		return err
	}
	path := filepath.Join(c.out, "report.md")
	if err := os.WriteFile(path, report(results, notes), 0o666); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "see", path)
	if len(results.all) == 0 {
		return errors.New("nothing ran")
	}
	return nil
}
