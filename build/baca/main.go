// Command baca tells which graphs, molecules above all, lie outside what a model
// was trained on.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit statuses.
const (
	exitFailure = 1
	exitUsage   = 2
)

func main() {
	if os.Getenv("GOGC") == "" {
		// Most memory is buffers that are used again, so collecting twice as
		// often is cheap, and it lowers the peak of `baca score` on long files.
		debug.SetGCPercent(50)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with its surroundings as arguments. A first interrupt ends the work
// at the next safe point, with what is finished written out; a second one ends
// the process.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted; what was finished has been written")
	}
	fmt.Fprintf(stderr, "baca: %v\n", err)
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailure
}

// A usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usagef makes a usageError.
func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "baca",
		Short: "Which graphs lie outside what a model was trained on",
		Long: `BaCa scores graphs, molecules above all, by how far they lie outside what a
pre-trained model has seen, and says how often an in-distribution graph would
score as high.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q; `baca help` lists them", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%w; `%s --help` shows what it takes", err, c.CommandPath())
	})
	root.AddCommand(newScore(), newMerge(), newReport(), newDrift(), newDemo(), newEval(), newPretrain(), newFeaturize(), newModels(), newInspect(), newShare(), newServe(), newSite(), newVersion(), newBench())
	return root
}
