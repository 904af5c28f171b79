package shard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	// Without names the shards whose graphs could not be in the sample.
	Without  []Failure `json:"without,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
}

// Err says what is missing, if something is.
func (s *Summary) Err() error {
	var errs []error
	if n := len(s.Failed); n > 0 {
		errs = append(errs, fmt.Errorf("%d of %d shards have no rows, such as shard %d: %s", n, s.Shards, s.Failed[0].Shard, s.Failed[0].Error))
	}
	if n := len(s.Broken); n > 0 {
		errs = append(errs, fmt.Errorf("%d of the inputs cannot be read to the end: %s", n, s.Broken[0].Error))
	}
	if n := len(s.Without); n > 0 {
		errs = append(errs, fmt.Errorf("the sample is without the graphs of %d of %d shards, such as shard %d: %s", n, s.Shards, s.Without[0].Shard, s.Without[0].Error))
	}
	return errors.Join(errs...)
}

// Summarize puts together what shards gave, in any order, each counted once. Of a
// shard that both failed and gave something, the failure is forgotten.
func (j *Job) Summarize(w *Whole, done []*Done, failed []Failure) *Summary {
	s := &Summary{Run: j.run, Records: w.Plan.Records(), Broken: w.Plan.Broken, Without: w.Without}
	done = slices.Clone(done)
	slices.SortFunc(done, func(a, b *Done) int { return a.Shard - b.Shard })
	done = slices.CompactFunc(done, func(a, b *Done) bool { return a.Shard == b.Shard })
	for _, d := range done {
		s.Finished++
		s.Tally.Merge(d.Tally)
		for _, text := range d.Warnings {
			if !slices.Contains(s.Warnings, text) {
				s.Warnings = append(s.Warnings, text)
			}
		}
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
	return j.save(ctx, SummaryName, s)
}

// MergeSamples merges the parts of the sample that are there, and names the shards
// whose part is not.
func (j *Job) MergeSamples(ctx context.Context) (*Whole, error) {
	w := new(Whole)
	for shard := range j.Shards {
		part := new(Part)
		err := load(ctx, j.Files, j.path(partName("sample", shard, j.Shards, "json")), part)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("no part of the sample")
		}
		if err == nil {
			err = j.checkPart(part)
		}
		if err == nil {
			err = w.Merge(&Whole{Part: *part})
		}
		if err != nil {
			w.Without = append(w.Without, Failure{shard, err.Error()})
		}
	}
	if w.Plan == nil {
		return nil, fmt.Errorf("%s has no part of the sample of any shard", j.Folder)
	}
	return w, nil
}

// Finished returns what the finished shards gave, and names the others.
func (j *Job) Finished(ctx context.Context) (done []*Done, missing []Failure, err error) {
	for shard := range j.Shards {
		d := new(Done)
		err := load(ctx, j.Files, j.path(partName("done", shard, j.Shards, "json")), d)
		if err == nil && d.Shard != shard {
			err = fmt.Errorf("it is of shard %d", d.Shard)
		}
		for _, part := range []struct {
			name string
			want int64
		}{
			{partName("scores", shard, j.Shards, j.To), d.Bytes},
			{partName("rejects", shard, j.Shards, "csv"), d.RejectsBytes},
		} {
			var size int64
			if err == nil {
				size, err = j.Files.Size(ctx, j.path(part.name))
			}
			if err == nil && size != part.want {
				err = fmt.Errorf("%s has %d bytes, it had %d", j.path(part.name), size, part.want)
			}
		}
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err == nil:
			done = append(done, d)
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, Failure{shard, "not scored"})
		default:
			missing = append(missing, Failure{shard, err.Error()})
		}
	}
	return done, missing, nil
}

// Join writes the rows of shards into one file, scores.csv or scores.jsonl in the
// folder, and the refused records into rejects.csv. It returns both names.
func (j *Job) Join(ctx context.Context, done []*Done) (rows, rejects string, err error) {
	rows, rejects = j.path("scores."+j.To), j.path("rejects.csv")
	for _, out := range []struct {
		name, what, ext string
		header          bool
	}{
		{rows, "scores", j.To, j.To == "csv"},
		{rejects, "rejects", "csv", true},
	} {
		err := j.Files.Write(ctx, out.name, func(w io.Writer) error {
			for i, d := range done {
				f, err := j.Files.Open(ctx, j.path(partName(out.what, d.Shard, j.Shards, out.ext)))
				if err != nil {
					return err
				}
				r := bufio.NewReaderSize(cancelable{ctx, f}, 1<<16)
				if out.header && i > 0 {
					_, err = r.ReadSlice('\n')
				}
				if err == nil {
					_, err = io.Copy(w, r)
				}
				if err = errors.Join(err, f.Close()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return "", "", err
		}
	}
	return rows, rejects, nil
}
