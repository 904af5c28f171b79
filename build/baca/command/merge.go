package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"baca/build/internal/usage"
	"baca/build/shard"
)

func newMerge() *cobra.Command {
	partial := false
	c := &cobra.Command{
		Use:   "merge FOLDER",
		Short: "Put together what the shards of baca score --shard gave",
		Long: `Merge joins the rows of all shards, in the order of the input, as FOLDER/scores.csv
(or .jsonl), the refused records as FOLDER/rejects.csv, and writes all counts to
FOLDER/summary.json.

If something is missing, or not as the shard wrote it, merge names it, and the exit
status is 1: run that shard again. With --partial
it goes on with what is there; the exit status still is 1, as it is if there was
nothing to read or all of it was refused.`,
		Example: "  baca merge scores",
		Args:    usage.Args(1, 1, "%d arguments: want the folder that was --out of baca score --shard"),
		RunE: func(c *cobra.Command, args []string) error {
			return runMerge(c, args[0], partial)
		},
	}
	c.Flags().BoolVar(&partial, "partial", false, "go on without what is missing")
	return c
}

func runMerge(c *cobra.Command, folder string, partial bool) error {
	ctx, stderr := c.Context(), c.ErrOrStderr()
	job, err := shard.Read(ctx, shard.Local{}, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds no shards: want the folder that was --out of baca score --shard", folder)
	}
	if err != nil {
		return err
	}
	plan, err := job.Counted(ctx)
	if err != nil {
		return err
	}
	done, missing, err := job.Finished(ctx, plan)
	if err != nil {
		return err
	}
	showFailures(stderr, missing)
	if len(missing) > 0 && !partial {
		return fmt.Errorf("no rows that can be used of %d of %d shards: score these again first, or --partial", len(missing), job.Shards)
	}
	rows, rejects, err := job.Join(ctx, done)
	if err != nil {
		return err
	}
	s := job.Summarize(plan, done, missing)
	if err := job.KeepSummary(ctx, s); err != nil {
		return err
	}
	summarizeTally(stderr, s.Tally)
	fmt.Fprintf(stderr, "rows are in %s, refused records in %s\n", rows, rejects)
	if err := s.Err(); err != nil {
		return err
	}
	if t := s.Tally; t.Refused == t.Records {
		return fmt.Errorf("no record could be scored, %d refused", t.Refused)
	}
	return nil
}

// showFailures names shards, not all if these are many.
func showFailures(w io.Writer, failed []shard.Failure) {
	for _, f := range failed[:min(len(failed), 10)] {
		fmt.Fprintf(w, "shard %d: %s\n", f.Shard, f.Error)
	}
	if n := len(failed) - 10; n > 0 {
		fmt.Fprintf(w, "… and %d more\n", n)
	}
}
