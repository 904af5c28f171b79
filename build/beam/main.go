// Command baca-beam scores libraries of molecules that are too large for one machine, on an engine that runs Apache
// Beam pipelines: Flink, Spark, Dataflow, or by default the Prism runner inside this process.
//
//	baca-beam [flags] --out FOLDER INPUT...
//
// Each graph is scored by itself, so a batch is not calibrated here.
//
// The inputs are .smi, .csv, .tsv, .jsonl, .sdf or .parquet files, plain or as .gz, .bz2 or .zst, on disks or in object
// stores (gs://, s3://), as names or patterns, as if they were one after the other. The rows are those of `baca score`
// for all of them in one file. The folder gets shards of them, in the order of the input, the refused records beside,
// and summary.json with all counts, the shards that failed and the inputs that broke off. What is in the folder is not
// done again: a run that was killed goes on when the same command is given again. With --join it puts the shards
// together, too, to the bytes of `baca score`.
//
// The exit status is 0 also when records were refused, 2 after a mistake in the
// command line, and 1 after any other failure, also of a single shard.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"baca/algo"
	"baca/algo/dataset"
	"baca/build/internal/try"
	"baca/weights"
)

// The exit statuses.
const (
	exitFailure = 1
	exitUsage   = 2
)

// main runs the job that the flags describe and exits with its status. In a worker of Beam it only serves the job.
func main() {
	c := flags(flag.CommandLine)
	if help, err := parseFlags(flag.CommandLine, os.Args[1:]); help {
		showHelp(os.Stdout, flag.CommandLine)
		return
	} else if err != nil {
		fmt.Fprintf(os.Stderr, "baca-beam: %v; `baca-beam --help` shows what it takes\n", err)
		os.Exit(exitUsage)
	}
	// The runner in this process says more than anybody wants to know.
	log.LogLevel = "error"
	beam.Init() // does not return in a worker
	// The runner leaves an empty file in the folder for temporary ones.
	temporary, err := os.MkdirTemp("", "baca-beam-")
	if err == nil {
		os.Setenv("TMPDIR", temporary)
	}
	// Nothing has to be finished, and Prism panics if its context ends while it begins.
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupt
		os.RemoveAll(temporary)
		fmt.Fprintln(os.Stderr, "baca-beam: interrupted; the same command goes on")
		os.Exit(exitFailure)
	}()
	status := invoke(context.Background(), c, flag.Args(), os.Stderr)
	os.RemoveAll(temporary)
	os.Exit(status)
}

// parseFlags is [flag.Parse] without a listing of all flags of Beam in its errors.
func parseFlags(fs *flag.FlagSet, args []string) (help bool, err error) {
	fs.Init("baca-beam", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	err = fs.Parse(args)
	return errors.Is(err, flag.ErrHelp), err
}

// showHelp lists the flags of the job before those of Beam.
func showHelp(w io.Writer, all *flag.FlagSet) {
	own, sdk := flag.NewFlagSet("", flag.ContinueOnError), flag.NewFlagSet("", flag.ContinueOnError)
	flags(own)
	all.VisitAll(func(f *flag.Flag) {
		if own.Lookup(f.Name) == nil {
			sdk.Var(f.Value, f.Name, f.Usage)
		}
	})
	own.SetOutput(w)
	sdk.SetOutput(w)
	fmt.Fprint(w, "Baca-beam scores libraries of molecules on an engine that runs Apache Beam "+
		"pipelines.\n\nUsage:\n  baca-beam [flags] --out FOLDER INPUT...\n\nFlags:\n")
	own.PrintDefaults()
	fmt.Fprint(w, "\nFlags of Beam:\n")
	sdk.PrintDefaults()
}

// flags adds the flags of the job to those of Beam.
func flags(fs *flag.FlagSet) *config {
	o := algo.DefaultOptions()
	c := new(config)
	fs.StringVar(&c.Folder, "out", "", "folder for all results, on a disk or in a store that all workers see")
	fs.StringVar(&c.Model, "model", weights.Default, "embedded model by name, or a model file that all workers see")
	fs.StringVar(&c.Run.Format, "format", "auto", "of the inputs: auto, "+strings.Join(dataset.Formats(true), ", "))
	fs.StringVar(&c.Run.Column, "column", "smiles", "name of the column with the SMILES, for CSV")
	fs.StringVar(&c.Run.To, "to", "csv", "form of the rows: csv or jsonl")
	fs.BoolVar(&c.Join, "join", false, "put all rows into one file, too, scores.csv or scores.jsonl in the folder, "+
		"and the refused records into rejects.csv")
	fs.IntVar(&c.Run.Shards, "shards", 16, "parts to divide the work into")
	fs.IntVar(&c.Workers, "workers", 0, "cores that a worker uses for one shard, 0 for all")
	fs.Float64Var(&c.Run.Alpha, "alpha", o.Alpha, "share of in-distribution graphs that may be called outside")
	return c
}

// check returns an error for a mistake in the command line.
func (c *config) check(inputs []string) error {
	switch {
	case len(inputs) == 0:
		return fmt.Errorf("no input: want files or patterns")
	case c.Folder == "":
		return fmt.Errorf("--out: want a folder for the results")
	case c.Run.Format != "auto" && !slices.Contains(dataset.Formats(true), c.Run.Format):
		return fmt.Errorf("--format %s: want auto, %s", c.Run.Format, strings.Join(dataset.Formats(true), ", "))
	case c.Run.To != "csv" && c.Run.To != "jsonl":
		return fmt.Errorf("--to %s: want csv or jsonl", c.Run.To)
	case c.Run.Shards < 1 || c.Run.Shards > maxShards:
		return fmt.Errorf("--shards %d: want 1 to %d", c.Run.Shards, maxShards)
	case c.Workers < 0:
		return fmt.Errorf("--workers %d: want 0 for all cores, or more", c.Workers)
	case !(c.Run.Alpha > 0 && c.Run.Alpha < 1):
		return fmt.Errorf("--alpha %v: want a number between 0 and 1", c.Run.Alpha)
	}
	return nil
}

// invoke is main with its surroundings as arguments. It returns the exit status.
func invoke(ctx context.Context, c *config, inputs []string, stderr io.Writer) int {
	if err := c.check(inputs); err != nil {
		fmt.Fprintf(stderr, "baca-beam: %v\n", err)
		return exitUsage
	}
	s, err := score(ctx, c, inputs)
	if s != nil {
		t := s.Tally
		fmt.Fprintf(stderr, "%d read, %d refused; model %s; %s at alpha %g\n",
			t.Records, t.Refused, s.Model, t.Verdicts(), s.Alpha)
		err = s.Err()
	}
	if err != nil {
		fmt.Fprintf(stderr, "baca-beam: %v\n", err)
		return exitFailure
	}
	return 0
}

// score runs the pipeline and returns its summary.
func score(ctx context.Context, c *config, patterns []string) (s *summary, err error) {
	defer try.Catch(&err)
	defer try.To(lockFolder(c.Folder))()
	c.begin(ctx, patterns)
	try.Check(beamx.Run(ctx, build(*c)))
	f := try.To(open(ctx, c.path(summaryName)))
	defer f.Close()
	s = new(summary)
	return s, json.NewDecoder(f).Decode(s)
}
