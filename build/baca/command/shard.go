package command

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo/table"
	"baca/build/device"
	"baca/build/internal/apart"
	"baca/build/internal/progress"
	"baca/build/internal/usage"
	"baca/build/shard"
)

// parseShard reads I/N.
func parseShard(text string) (i, n int, err error) {
	before, after, found := strings.Cut(text, "/")
	i, ierr := strconv.Atoi(before)
	n, nerr := strconv.Atoi(after)
	switch {
	case !found || ierr != nil || nerr != nil || i < 0 || n < 1 || n > shard.MaxShards:
		return 0, 0, usage.Errorf("--shard %s: want I/N such as 0/16, with N from 1 to %d", text, shard.MaxShards)
	case i >= n:
		return 0, 0, usage.Errorf("--shard %s: shards are counted from 0, so the last is %d/%d", text, n-1, n)
	}
	return i, n, nil
}

// checkShard reports what is wrong with the flags for a shard.
func (f *scoreFlags) checkShard() error {
	if err := f.check(); err != nil {
		return err
	}
	switch {
	case f.batch():
		return usage.Errorf("--by %s with --shard: %w", f.by, shard.ErrBatch)
	case len(f.failOn.words) > 0:
		return usage.Errorf("--fail-on: not with --shard, where no shard knows of the others")
	case f.out == "":
		return usage.Errorf("--shard: want --out with a folder for the results of all shards")
	case f.rejects != "":
		return usage.Errorf("--rejects: with --shard, refused records are always written into the folder")
	case f.resume:
		return usage.Errorf("--resume: with --shard it is not needed: what is in the folder is not done again")
	case f.format == "tu":
		return usage.Errorf("--format tu: want molecules, only these can be read in shards")
	case len(f.inputs) == 0 || slices.Contains(f.inputs, "-"):
		return usage.Errorf("--shard: want input files, which are read more than once")
	}
	return nil
}

// runShard does the share of one shard.
func (f *scoreFlags) runShard(c *cobra.Command) error {
	i, n, err := parseShard(f.shard)
	if err != nil {
		return err
	}
	if err := f.checkShard(); err != nil {
		return err
	}
	growBy(loadingGrowth)
	m, err := openModel(f.model)
	if err != nil {
		return err
	}
	ctx, stderr := c.Context(), c.ErrOrStderr()
	f.options.Workers = f.workers
	if f.device.choice.Auto() {
		f.device.choice = device.Choice{} // all shards must round alike
	}
	if m.Encoder.Device, err = f.device.open(ctx, stderr, f.workers, m.Encoder.Config, false); err != nil {
		return err
	}
	job := &shard.Job{
		Files: shard.Local{}, Folder: f.out, Inputs: f.inputs, Format: f.format, Column: f.column,
		To: f.to, Text: f.text, Shards: n, Model: m, Options: f.options,
	}
	var writes []apart.File
	for _, name := range job.Writes(i) {
		writes = append(writes, apart.File{Role: "the result", Name: name})
	}
	if err := f.apart(writes...); err != nil {
		return err
	}
	steps := &steps{stderr: stderr}
	defer steps.stop()
	job.Progress = steps.show
	if err := job.Begin(ctx); err != nil {
		return err
	}
	collectRarely()
	plan, err := job.Plan(ctx, i)
	if err != nil {
		return err
	}
	done, err := job.Score(ctx, plan, i)
	steps.stop()
	if err != nil {
		return fmt.Errorf("shard %d of %d: %w", i, n, err)
	}
	rows := "no rows"
	if k := done.Tally.Records; k > 0 {
		rows = fmt.Sprintf("rows %d to %d", done.First, done.First+k-1)
	}
	fmt.Fprintf(stderr, "shard %d of %d: %s of %d; ", i, n, rows, plan.Records())
	summarizeTally(stderr, done.Tally)
	if b := plan.Broken; len(b) > 0 {
		return fmt.Errorf("%d of the inputs cannot be read to the end: %s", len(b), b[0].Error)
	}
	if plan.Records() == 0 {
		return emptyHanded(0, 0)
	}
	fmt.Fprintf(stderr, "once all shards are done: baca merge %s\n", f.out)
	return nil
}

// steps show the progress of pieces of work that come one after the other.
type steps struct {
	stderr io.Writer
	shown  *progress.Progress // nil between pieces
	what   string
	done   int
}

func (s *steps) show(what string, done, total int) {
	if s.shown == nil || what != s.what || done < s.done {
		s.stop()
		s.shown, s.what, s.done = progress.New(s.stderr, what, int64(total)), what, done
		s.shown.Skip(int64(done))
	}
	s.shown.Add(int64(done - s.done))
	s.done = done
}

func (s *steps) stop() {
	if s.shown != nil {
		s.shown.Done()
		s.shown = nil
	}
}

// summarizeTally writes the counts of rows, and why records were refused.
func summarizeTally(w io.Writer, t table.Tally) {
	fmt.Fprintf(w, "%d read, %d refused", t.Records, t.Refused)
	if t.Records > t.Refused {
		fmt.Fprintf(w, "; %s", t.Verdicts())
	}
	fmt.Fprintln(w)
	tellList(w, t.Counts, t.SetAside, t.Records-t.Refused)
	reasons := slices.SortedFunc(maps.Keys(t.Reasons), func(a, b string) int {
		return cmp.Or(t.Reasons[b]-t.Reasons[a], strings.Compare(a, b))
	})
	for _, why := range reasons[:min(len(reasons), maxShown)] {
		fmt.Fprintf(w, "refused %d: %s\n", t.Reasons[why], why)
	}
}
