// Package shard scores a library of molecules in shards, each of which may be the
// work of another process on another machine, with the rows that one process gives.
//
// It takes two passes over the input, and each shard is a range of its records:
//
//  1. Every shard draws its part of an even sample of all graphs, and the parts
//     are merged.
//  2. Every process scores the sample together, which is the same work with the same
//     result everywhere, and with what that leaves each shard its own records.
//
// A Job keeps all in one folder: what is there is not done again, so a run that was
// killed goes on from its finished shards, and work that is done twice changes
// nothing. Array jobs and distributed engines only say who does which shard.
package shard

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	"baca/algo"
	"baca/algo/table"
	"baca/weights"
)

// MaxShards bounds the number of shards.
const MaxShards = 100_000

// A Job is an input with all that its rows depend on.
type Job struct {
	Files   Files
	Folder  string   // for all that the job writes
	Inputs  []string // files of molecules, as if they were one after the other
	Format  string   // auto, smi, csv or sdf
	Column  string   // with the SMILES, for CSV
	To      string   // form of the rows: csv or jsonl
	Shards  int
	Model   *algo.Model
	Options algo.Options

	// Progress, unless nil, is told how many records of a piece of work are done,
	// and of how many; 0 where that is not known.
	Progress func(what string, done, total int)

	canonical bool
	graphs    int // of the sample at most; 0: as one process has it
	run       Run

	whole   *Whole // of Use
	fitting sync.Mutex
	fitted  *fitted // nil before
}

// A Run is what the rows depend on. A folder holds those of one run.
type Run struct {
	Program    string  `json:"program"`
	Model      string  `json:"model"`
	SHA256     string  `json:"model_sha256"`
	Inputs     []Input `json:"inputs"`
	Format     string  `json:"format"`
	Column     string  `json:"column"`
	To         string  `json:"to"`
	Calibrator string  `json:"calibrator"`
	Alpha      float64 `json:"alpha"`
	Seed       uint64  `json:"seed"`
	Shards     int     `json:"shards"`
}

// An Input is one of the files of a run.
type Input struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// ErrOther is that of a folder which holds another run.
var ErrOther = errors.New("the folder holds another run")

// Begin checks the job and that the folder holds the same run or none yet. It must
// be called before all other methods.
func (j *Job) Begin(ctx context.Context) error {
	if j.Shards < 1 || j.Shards > MaxShards {
		return fmt.Errorf("%d shards: want 1 to %d", j.Shards, MaxShards)
	}
	switch j.Model.Card.Schema {
	case algo.OGBCanonical:
		j.canonical = true
	case algo.OGB:
	default:
		return fmt.Errorf("model %s reads graphs of schema %s: want one for molecules, only these can be read in shards", j.Model.Card.Name, j.Model.Card.Schema)
	}
	hash := sha256.New()
	if err := weights.Save(hash, j.Model); err != nil {
		return err
	}
	if _, err := algo.NewScorer(j.Model, j.Options); err != nil {
		return err
	}
	j.run = Run{
		Program: algo.Version, Model: j.Model.Card.Name, SHA256: hex.EncodeToString(hash.Sum(nil)),
		Format: j.Format, Column: j.Column, To: j.To,
		Calibrator: j.Options.Calibrator, Alpha: j.Options.Alpha, Seed: j.Options.Seed, Shards: j.Shards,
	}
	if len(j.Inputs) == 0 {
		return errors.New("no input")
	}
	for _, name := range j.Inputs {
		size, err := j.Files.Size(ctx, name)
		if err != nil {
			return err
		}
		j.run.Inputs = append(j.run.Inputs, Input{name, size})
	}
	there, err := readRun(ctx, j.Files, j.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return j.save(ctx, runName, j.run)
	}
	if err != nil {
		return err
	}
	return j.same(*there)
}

// Read returns the job of a folder, which can merge and sum up what is there.
func Read(ctx context.Context, files Files, folder string) (*Job, error) {
	r, err := readRun(ctx, files, folder)
	if err != nil {
		return nil, err
	}
	j := &Job{Files: files, Folder: folder, Format: r.Format, Column: r.Column, To: r.To, Shards: r.Shards, run: *r}
	j.Options.Seed = r.Seed
	for _, in := range r.Inputs {
		j.Inputs = append(j.Inputs, in.Name)
	}
	if j.Shards < 1 || j.Shards > MaxShards || j.To != "csv" && j.To != "jsonl" || len(j.Inputs) == 0 {
		return nil, fmt.Errorf("%s: not of a run in shards", j.path(runName))
	}
	return j, nil
}

func readRun(ctx context.Context, files Files, folder string) (*Run, error) {
	r := new(Run)
	return r, load(ctx, files, files.Join(folder, runName), r)
}

// same reports a run whose rows would be others.
func (j *Job) same(r Run) error {
	what := ""
	switch now := j.run; {
	case r.Program != now.Program:
		what = fmt.Sprintf("of baca %s, this is %s", r.Program, now.Program)
	case r.SHA256 != now.SHA256:
		what = fmt.Sprintf("of another model (SHA-256 %.12s…, this one has %.12s…)", r.SHA256, now.SHA256)
	case r.Shards != now.Shards:
		what = fmt.Sprintf("of %d shards, this is of %d", r.Shards, now.Shards)
	case !slices.Equal(r.Inputs, now.Inputs):
		what = "of other inputs, or they have changed"
	case r.Format != now.Format || r.Column != now.Column || r.To != now.To || r.Calibrator != now.Calibrator || r.Alpha != now.Alpha || r.Seed != now.Seed:
		what = "with other flags"
	default:
		return nil
	}
	return fmt.Errorf("%s: %w, %s; want the same again or a new folder", j.Folder, ErrOther, what)
}

// The files of a folder.
const (
	runName    = "run.json"
	sampleName = "sample.json"
)

func rowsName(input int) string { return fmt.Sprintf("rows-%05d.json", input) }

func partName(what string, shard, of int, ext string) string {
	return fmt.Sprintf("%s-%05d-of-%05d.%s", what, shard, of, ext)
}

func (j *Job) path(name string) string { return j.Files.Join(j.Folder, name) }

func (j *Job) save(ctx context.Context, name string, v any) error {
	return j.Files.Write(ctx, j.path(name), func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}

// maxJSON bounds what is read of a file of the folder.
const maxJSON = 1 << 30

// load reads a file of the folder.
func load(ctx context.Context, files Files, path string, v any) error {
	f, err := files.Open(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(cancelable{ctx, f}, maxJSON))
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// finished reads what an earlier attempt left of a piece of work, and is false where
// that is to be done (again).
func (j *Job) finished(ctx context.Context, name string, v any) bool {
	return load(ctx, j.Files, j.path(name), v) == nil
}

func (j *Job) progress(what string, done, total int) {
	if j.Progress != nil {
		j.Progress(what, done, total)
	}
}

// attempts are made at each piece of work. What fails as often is no passing
// trouble of a disk or a network.
const attempts = 3

// retry tries a piece of work again after an error. Nothing of a failed attempt
// counts: a piece is written as a whole, at its end.
func retry[T any](ctx context.Context, piece func() (T, error)) (T, error) {
	for k := 1; ; k++ {
		v, err := piece()
		if err == nil || k == attempts || ctx.Err() != nil {
			return v, err
		}
		select {
		case <-time.After(time.Duration(k) * 100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// Rows are the records of one input.
type Rows struct {
	Records int `json:"records"`
	// Error says why the input could not be read to its end. The records before that
	// count.
	Error string `json:"error,omitempty"`
}

// Count counts the records of an input, of which it parses none.
func (j *Job) Count(ctx context.Context, input int) (Rows, error) {
	var rows Rows
	name := rowsName(input)
	if j.finished(ctx, name, &rows) && rows.Error == "" {
		return rows, nil
	}
	rows, broken := retry(ctx, func() (Rows, error) {
		n := 0
		j.progress("counting", 0, 0)
		for _, err := range j.molecules(ctx, input) {
			if err != nil {
				return Rows{Records: n}, err
			}
			if n++; n%counted == 0 {
				j.progress("counting", n, 0)
			}
		}
		return Rows{Records: n}, nil
	})
	if err := ctx.Err(); err != nil {
		return rows, err
	}
	if broken != nil {
		rows.Error = broken.Error()
	}
	return rows, j.save(ctx, name, rows)
}

// counted records are between two reports.
const counted = 1 << 16

// A Plan says which records are of which shard.
type Plan struct {
	// First has the place of the first record of each input, and behind the last.
	First []int `json:"first"`
	// Broken are the inputs that could not be read to their end.
	Broken []Broken `json:"broken,omitempty"`
}

// Broken is an input that could not be read to its end.
type Broken struct {
	Input string `json:"input"`
	Error string `json:"error"`
}

// Records returns the number of all records.
func (p *Plan) Records() int { return p.First[len(p.First)-1] }

// Range returns the places of the first record of a shard and behind its last.
func (p *Plan) Range(shard, of int) (lo, hi int) {
	n := p.Records()
	// Without n·shard, which could be too large.
	at := func(k int) int { return n/of*k + n%of*k/of }
	return at(shard), at(shard + 1)
}

// Plan counts the records of all inputs, beginning with the share of one shard: each
// shard does it, and finds what others have counted. If they begin together, each
// input is counted about once.
func (j *Job) Plan(ctx context.Context, shard int) (*Plan, error) {
	n := len(j.Inputs)
	rows := make([]Rows, n)
	for k := range n {
		input := (shard*n/j.Shards + k) % n
		var err error
		if rows[input], err = j.Count(ctx, input); err != nil {
			return nil, err
		}
	}
	return j.PlanOf(rows), nil
}

// PlanOf is the plan with these numbers of records of the inputs.
func (j *Job) PlanOf(rows []Rows) *Plan {
	p := &Plan{First: make([]int, len(rows)+1)}
	for i, r := range rows {
		p.First[i+1] = p.First[i] + r.Records
		if r.Error != "" {
			p.Broken = append(p.Broken, Broken{j.Inputs[i], r.Error})
		}
	}
	return p
}

// A Part is what one shard gives to the sample.
type Part struct {
	Plan   *Plan  `json:"plan"`
	Sample Sample `json:"sample"`
}

// A Sample is a [table.Sample] in JSON.
type Sample struct{ *table.Sample }

// MarshalJSON encodes the sample as a string in base64.
func (s Sample) MarshalJSON() ([]byte, error) {
	data, err := s.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return json.Marshal(data)
}

// UnmarshalJSON decodes what MarshalJSON encoded.
func (s *Sample) UnmarshalJSON(text []byte) error {
	var data []byte
	if err := json.Unmarshal(text, &data); err != nil {
		return err
	}
	s.Sample = new(table.Sample)
	return s.UnmarshalBinary(data)
}

// checkPart reports what is not of these inputs, or not for the model, if there is
// one.
func (j *Job) checkPart(p *Part) error {
	if !p.Plan.of(len(j.Inputs)) {
		return errors.New("no plan of these inputs in it")
	}
	if p.Sample.Sample == nil {
		return errors.New("no sample in it")
	}
	if f := p.Sample.Features(); j.Model != nil && f != 0 && f != j.Model.Encoder.Features {
		return fmt.Errorf("graphs of %d features: want %d", f, j.Model.Encoder.Features)
	}
	return nil
}

// Sample draws the part of a shard of the sample, and writes it.
func (j *Job) Sample(ctx context.Context, p *Plan, shard int) (*Part, error) {
	name := partName("sample", shard, j.Shards, "json")
	there := new(Part)
	if j.finished(ctx, name, there) && j.checkPart(there) == nil && there.Plan.same(p) {
		return there, nil
	}
	lo, hi := p.Range(shard, j.Shards)
	return retry(ctx, func() (*Part, error) {
		part := &Part{p, j.empty()}
		j.progress("drawing a sample", 0, hi-lo)
		_, err := part.Sample.Draw(ctx, j.Options.Workers, j.records(ctx, p, shard), func(records int) {
			j.progress("drawing a sample", records, hi-lo)
		})
		if err != nil {
			return nil, err
		}
		return part, j.save(ctx, name, part)
	})
}

// Empty returns a sample without graphs.
func Empty(seed uint64) Sample { return Sample{table.NewSample(0, seed)} }

func (j *Job) empty() Sample {
	if j.graphs > 0 {
		return Sample{table.NewSample(j.graphs, j.Options.Seed)}
	}
	return Empty(j.Options.Seed)
}

// A Whole is the sample of all shards. With that a folder is settled: the rows of
// all shards are by this sample and of the records that were counted before.
type Whole struct {
	Part
	// Without names the shards whose part could not be drawn.
	Without []Failure `json:"without,omitempty"`
}

// Merge adds a part of the sample, or the parts that another whole has: like
// that of samples, it is associative, commutative and idempotent. The plans must be
// the same.
func (w *Whole) Merge(o *Whole) error {
	for _, f := range o.Without {
		k, found := slices.BinarySearchFunc(w.Without, f, func(a, b Failure) int { return a.Shard - b.Shard })
		if !found {
			w.Without = slices.Insert(w.Without, k, f)
		}
	}
	switch {
	case o.Plan == nil:
		return nil
	case w.Plan == nil:
		w.Plan, w.Sample = o.Plan, Sample{o.Sample.Clone()}
		return nil
	case !w.Plan.same(o.Plan):
		return errors.New("the inputs had other numbers of records when it was drawn")
	}
	return w.Sample.Merge(o.Sample.Sample)
}

// A Failure says why a shard has no result.
type Failure struct {
	Shard int    `json:"shard"`
	Error string `json:"error"`
}

// ReadWhole returns the sample of all shards. As long as they are not merged, the
// error is [fs.ErrNotExist].
func (j *Job) ReadWhole(ctx context.Context) (*Whole, error) {
	w := new(Whole)
	if err := load(ctx, j.Files, j.path(sampleName), w); err != nil {
		return nil, err
	}
	if err := j.checkPart(&w.Part); err != nil {
		return nil, fmt.Errorf("%s: %w", j.path(sampleName), err)
	}
	return w, nil
}

// of tells whether the plan is one of so many inputs.
func (p *Plan) of(inputs int) bool {
	return p != nil && len(p.First) == inputs+1 && p.First[0] == 0 && slices.IsSorted(p.First)
}

func (p *Plan) same(o *Plan) bool {
	return slices.Equal(p.First, o.First) && slices.Equal(p.Broken, o.Broken)
}

// KeepWhole makes a sample that of all shards, unless there is one: then that is
// returned.
func (j *Job) KeepWhole(ctx context.Context, w *Whole) (*Whole, error) {
	there, err := j.ReadWhole(ctx)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return there, err
	}
	return w, j.save(ctx, sampleName, w)
}

// Use sets the sample that shards are scored by, if none is set yet. It is scored
// together when the first of them is.
func (j *Job) Use(w *Whole) {
	j.fitting.Lock()
	defer j.fitting.Unlock()
	if j.whole == nil {
		j.whole = w
	}
}

// A fitted scorer has scored the sample.
type fitted struct {
	scorer *algo.Scorer
	fit    *table.Fit
}

func (j *Job) fit(ctx context.Context) (*fitted, error) {
	j.fitting.Lock()
	defer j.fitting.Unlock()
	if j.fitted != nil {
		return j.fitted, nil
	}
	scorer, err := algo.NewScorer(j.Model, j.Options)
	if err != nil {
		return nil, err
	}
	fit, err := j.whole.Sample.Fit(ctx, scorer, j.whole.Plan.Records())
	if err != nil {
		return nil, err
	}
	j.fitted = &fitted{scorer, fit}
	return j.fitted, nil
}

// Done is what a shard gave.
type Done struct {
	Shard        int         `json:"shard"`
	First        int         `json:"first"` // row, from 1
	Tally        table.Tally `json:"tally"`
	Bytes        int64       `json:"bytes"`         // of its rows
	RejectsBytes int64       `json:"rejects_bytes"` // of the refused ones
	Warnings     []string    `json:"warnings,omitempty"`
}

// Score scores a shard, after Use, and writes its rows, the refused records and
// last of all what it returns.
func (j *Job) Score(ctx context.Context, shard int) (*Done, error) {
	done := new(Done)
	name := partName("done", shard, j.Shards, "json")
	if j.finished(ctx, name, done) && done.Shard == shard {
		return done, nil
	}
	f, err := j.fit(ctx)
	if err != nil {
		return nil, err
	}
	return retry(ctx, func() (*Done, error) {
		lo, hi := j.whole.Plan.Range(shard, j.Shards)
		done := &Done{Shard: shard, First: lo + 1}
		if f.fit.Report != nil {
			done.Warnings = f.fit.Warnings
		}
		err := j.Files.Write(ctx, j.path(partName("scores", shard, j.Shards, j.To)), func(w io.Writer) error {
			return j.Files.Write(ctx, j.path(partName("rejects", shard, j.Shards, "csv")), func(r io.Writer) error {
				return j.score(ctx, f, done, hi-lo, w, r)
			})
		})
		if err != nil {
			return nil, err
		}
		return done, j.save(ctx, name, done)
	})
}

func (j *Job) score(ctx context.Context, f *fitted, done *Done, total int, w, r io.Writer) error {
	cw, cr := &counting{w: bufio.NewWriterSize(w, 1<<16)}, &counting{w: bufio.NewWriterSize(r, 1<<16)}
	rows, rejects := NewRows(cw, j.To, true), table.NewRejects(cr, true)
	j.progress("scoring", 0, total)
	err := table.Onwards(ctx, f.scorer, f.fit, j.Options.Workers, j.records(ctx, j.whole.Plan, done.Shard), func(scored []table.Scored) error {
		done.Tally.Add(scored)
		for _, s := range scored {
			rows.Write(s.Record, s.Scores)
			if s.Err != nil {
				rejects.Write(s.Record)
			}
		}
		j.progress("scoring", done.Tally.Records, total)
		return errors.Join(cw.err, cr.err)
	})
	if err != nil {
		return err
	}
	if done.Tally.Records != total {
		return fmt.Errorf("shard %d gave %d rows, want %d", done.Shard, done.Tally.Records, total)
	}
	err = errors.Join(rows.Flush(), rejects.Flush(), cw.w.Flush(), cr.w.Flush())
	done.Bytes, done.RejectsBytes = cw.n, cr.n
	return err
}

// NewRows returns a writer of rows as csv, with a header if that is wanted, or as
// jsonl.
func NewRows(w io.Writer, to string, header bool) table.Writer {
	if to == "jsonl" {
		return table.NewJSONLines(w)
	}
	return table.NewCSV(w, header)
}

// A counting writer counts bytes, and keeps the first error.
type counting struct {
	w   *bufio.Writer
	n   int64
	err error
}

func (c *counting) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	if c.err == nil {
		c.err = err
	}
	return n, err
}
