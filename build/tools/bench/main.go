// Bench runs the benchmarks of the project on every platform that there is here and
// writes what they measured, as text for benchstat and as one report:
//
//	go run ./build/tools/bench [-quick] [-peer] [-full] [-platforms native,node,chromium] [-out DIR]
//	go run ./build/tools/bench -against REV [-bench REGEXP] [-count PAIRS]
//
// It goes round the platforms, several times, so that a machine that is busy for a
// while is so for all of them; ratios are taken within a round. No round begins that
// would not end within the -limit, and a program whose figures have hardly changed in
// three rounds does not run again. Native benchmarks run on one thread unless their
// names end in -N, for N threads, and both with vector code and, in a program built with
// the tag noasm, without. In Node and in headless Chromium the same programs run with
// the SIMD kernel and without. Products of matrices are compared with gonum's and, where
// the library is installed, with OpenBLAS; in Node, where npm can install them, with
// onnxruntime-web, and lists of molecules with RDKit.js.
//
// The command scores 50 000 molecules that lie evenly in a large set (-full: all of them),
// and one and a thousand from its start. Beside it runs that of commit d9be2f6, which is
// built for it. A query for the nearest of 100 000 graphs runs beside the comparison of
// as many fingerprints of 1 024 bits, by this program, by numpy and by RDKit.
//
// The data are the public sets in ../shared/data, see suite/data/README.md. With -peer,
// a PyTorch program that lies beside them takes its turn in every round.
//
// With -against the benchmarks of hot paths run in the working tree and in another
// revision, which is checked out into a temporary folder. Both run in turn, each time in
// a process of its own: before, now, now, before, and so on. For each benchmark the
// ratio of its times is written with its interval of 95 %, which is Wilcoxon's, by signed
// ranks of the logarithms of the ratios of pairs. What seems slower is measured a second
// time, which then counts. Exit status 1 says that something is slower by more than 5 %
// and that the interval does not reach 1. No network is needed.
//
// Each platform has its file NAME.txt in the folder, next to report.md. What a platform
// lacks to run is said in the report, and the others run. Without -against exit status 1
// says that nothing ran at all.
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
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A config says what to run.
type config struct {
	root, out, data string // absolute
	platforms       []string
	rounds          int // or pairs
	limit           time.Duration
	quick, peer     bool
	full            bool
	only            string // benchmarks that match, instead of each step's own
	against         string // a revision
}

// platformNames are those of -platforms.
var platformNames = []string{"native", "node", "chromium"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
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
	c, err := parseArguments(ctx, args)
	if err != nil {
		return err
	}
	if c.against != "" {
		return against(ctx, c, os.Stdout, os.Stderr)
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

// parseArguments reads the command line.
func parseArguments(ctx context.Context, args []string) (c config, err error) {
	gomod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return c, fmt.Errorf("go env GOMOD: %w", err)
	}
	c.root = filepath.Dir(strings.TrimSpace(string(gomod)))
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.BoolVar(&c.quick, "quick", false, "one short round: does everything run?")
	fs.BoolVar(&c.peer, "peer", false, "compare with the PyTorch program beside the public sets")
	fs.BoolVar(&c.full, "full", false, "also score all of the large set, once")
	fs.IntVar(&c.rounds, "count", 0, "rounds, or pairs with -against; 0 is 5 rounds or 8 pairs")
	fs.DurationVar(&c.limit, "limit", 6*time.Minute, "no round begins that would not end within this `time`")
	fs.StringVar(&c.against, "against", "", "compare with the `revision`, instead of all else")
	platforms := fs.String("platforms", strings.Join(platformNames, ","), "what to run on")
	fs.StringVar(&c.only, "bench", "", "run only the benchmarks that match this `regexp`")
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
	least, usual := 1, 5
	switch {
	case c.against != "":
		least, usual = minPairs, 8
	case c.quick:
		usual = 1
	}
	if c.rounds == 0 || c.quick && c.against == "" {
		c.rounds = usual
	}
	if c.rounds < least || fs.NArg() > 0 {
		return c, fmt.Errorf("want a -count of %d or more, and no arguments besides the flags", least)
	}
	if c.out, err = filepath.Abs(*out); err != nil {
		return c, err
	}
	c.data, err = filepath.Abs(*data)
	return c, err
}
