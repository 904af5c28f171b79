package shard

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"baca/algo/table"
)

// A Summary is what a run gave.
type Summary struct {
	Run
	Records int         `json:"records"` // counted in the inputs
	Tally   table.Tally `json:"tally"`   // of the rows
	// Finished shards have rows, Failed ones have not: Records is the sum of the rows
	// and of what the failed shards would have.
	Finished int       `json:"finished"`
	Failed   []Failure `json:"failed,omitempty"`
	// Broken inputs could not be read to their end.
	Broken []Broken `json:"broken,omitempty"`
}

// Err says what is missing, if something is.
func (s *Summary) Err() error {
	var errs []error
	if n := len(s.Failed); n > 0 {
		errs = append(errs, fmt.Errorf("no rows of %d of %d shards, such as shard %d: %s", n, s.Shards, s.Failed[0].Shard, s.Failed[0].Error))
	}
	if n := len(s.Broken); n > 0 {
		errs = append(errs, fmt.Errorf("%d of the inputs cannot be read to the end: %s", n, s.Broken[0].Error))
	}
	return errors.Join(errs...)
}

// Summarize puts together what shards gave, in any order, each counted once. Of a
// shard that both failed and gave something, the failure is forgotten.
func (j *Job) Summarize(p *Plan, done []*Done, failed []Failure) *Summary {
	s := &Summary{Run: j.run, Records: p.Records(), Broken: p.Broken}
	done = slices.Clone(done)
	slices.SortFunc(done, func(a, b *Done) int { return a.Shard - b.Shard })
	done = slices.CompactFunc(done, func(a, b *Done) bool { return a.Shard == b.Shard })
	for _, d := range done {
		s.Finished++
		s.Tally.Merge(d.Tally)
	}
	failed = slices.Clone(failed)
	slices.SortFunc(failed, func(a, b Failure) int { return a.Shard - b.Shard })
	for _, f := range slices.CompactFunc(failed, func(a, b Failure) bool { return a.Shard == b.Shard }) {
		_, found := slices.BinarySearchFunc(done, f.Shard, func(d *Done, shard int) int { return d.Shard - shard })
		if !found {
			s.Failed = append(s.Failed, f)
		}
	}
	return s
}

// SummaryName is that of the summary in the folder.
const SummaryName = "summary.json"

// KeepSummary writes the summary into the folder.
func (j *Job) KeepSummary(ctx context.Context, s *Summary) error {
	return j.Files.Write(ctx, j.path(SummaryName), func(w io.Writer) error { return json.NewEncoder(w).Encode(s) })
}

// Join writes the rows of all shards, which must have been scored, into one file, scores.csv
// or scores.jsonl in the folder, and the refused records into rejects.csv.
func (j *Job) Join(ctx context.Context) error {
	rows, rejects := j.path("scores."+j.To), j.path("rejects.csv")
	release, err := j.Files.Lock(ctx, j.path("join.lock"), rows, rejects)
	if err != nil {
		return fmt.Errorf("%s cannot be joined: %w", j.Folder, err)
	}
	defer release()
	return j.Files.Write(ctx, rows, func(w io.Writer) error {
		return j.Files.Write(ctx, rejects, func(r io.Writer) error {
			for shard := range j.Shards {
				if err := j.append(ctx, w, j.rowsOf(shard), shard > 0 && j.To == "csv"); err != nil {
					return err
				}
				if err := j.append(ctx, r, j.rejectsOf(shard), shard > 0); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// append copies a file of a shard, without its header unless that comes first.
func (j *Job) append(ctx context.Context, w io.Writer, name string, headless bool) error {
	f, err := j.Files.Open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(cancelable{ctx, f}, 1<<16)
	if headless {
		if _, err := r.ReadSlice('\n'); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	_, err = io.Copy(w, r)
	return err
}
