// Package shard scores a library of molecules in shards, each of which may be the
// work of another process on another machine, with the rows that one process gives.
//
// Each shard is a range of the records of the whole input. So the records are counted
// first, each file by one of the shards, and then every shard scores its own: each graph
// is scored by itself, so no shard needs to know of another.
// A shard reads each file that it has records of to its end, for a hash that tells whether
// it is the file that was counted.
//
// A Job keeps all in one folder: what is there is not done again, so a run that was
// killed goes on from its finished shards, and work that is done twice changes
// nothing. A shard counts as done as long as its files have the bytes that it wrote.
// The engine only says who does which shard.
package shard

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"slices"
	"time"

	"baca/algo"
	"baca/algo/job"
	"baca/algo/molecule"
	"baca/algo/table"
	"baca/build/internal/sealed"
	"baca/build/internal/version"
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
	Options algo.Options // without a batch: each shard has only its own graphs

	form   molecule.Form
	run    Run
	scorer *algo.Scorer
}

// A Run is what the rows depend on. A folder holds those of one run.
type Run struct {
	Program string  `json:"program"`
	Model   string  `json:"model"`
	SHA256  string  `json:"model_sha256"`
	Inputs  []Input `json:"inputs"`
	Format  string  `json:"format"`
	Column  string  `json:"column"`
	To      string  `json:"to"`
	Alpha   float64 `json:"alpha"`
	Shards  int     `json:"shards"`
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
	if j.Model.Card.Schema == algo.Constant {
		return fmt.Errorf("model %s reads graphs of schema %s: want one for molecules, only these can be read in shards", j.Model.Card.Name, j.Model.Card.Schema)
	}
	j.form = algo.FormOf(j.Model.Card.Schema).Unordered()
	sum, err := weights.Sum(j.Model)
	if err != nil {
		return err
	}
	if j.scorer, err = algo.NewScorer(ctx, j.Model, j.Options); err != nil {
		return err
	}
	j.run = Run{
		Program: version.String(), Model: j.Model.Card.Name, SHA256: sum,
		Format: j.Format, Column: j.Column, To: j.To, Alpha: j.Options.Alpha, Shards: j.Shards,
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
	// Shards that begin at once may be in each other's way, but only until one of them has
	// written the file.
	there, err := retry(ctx, func() (*Run, error) {
		r, err := readRun(ctx, j.Files, j.Folder)
		if errors.Is(err, fs.ErrNotExist) {
			return &j.run, j.save(ctx, j.path(runName), j.run)
		}
		return r, err
	})
	if err != nil {
		return err
	}
	return j.same(*there)
}

// sum tells runs apart.
func (r Run) sum() string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // numbers were checked, and the rest is text
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
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
	case r.Format != now.Format || r.Column != now.Column || r.To != now.To || r.Alpha != now.Alpha:
		what = "with other flags"
	default:
		return nil
	}
	return fmt.Errorf("%s: %w, %s; want the same again or a new folder", j.Folder, ErrOther, what)
}

// The files of a folder.
const runName = "run.json"

func rowsName(input int) string { return fmt.Sprintf("rows-%05d.json", input) }

func partName(what string, shard, of int, ext string) string {
	return fmt.Sprintf("%s-%05d-of-%05d.%s", what, shard, of, ext)
}

func (j *Job) path(name string) string { return j.Files.Join(j.Folder, name) }

func (j *Job) save(ctx context.Context, path string, v any) error {
	return j.Files.Write(ctx, path, func(w io.Writer) error { return sealed.Write(w, v) })
}

// maxJSON bounds what is read of a file of the folder.
const maxJSON = 1 << 30

// load reads what save has written.
func load(ctx context.Context, files Files, path string, v any) error {
	f, err := files.Open(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(cancelable{ctx, f}, maxJSON))
	if err == nil {
		err = sealed.Read(data, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
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
	Input   Input  `json:"input"`
	Records int    `json:"records"`
	SHA256  string `json:"sha256"` // of the file
	// Own are its columns but for SMILES and id.
	Own []string `json:"own,omitempty"`
	// Error says why the input could not be read to its end. The records before that
	// count.
	Error string `json:"error,omitempty"`
}

// Count counts the records of an input, of which it parses none.
func (j *Job) Count(ctx context.Context, input int) (Rows, error) {
	var rows Rows
	path := j.path(rowsName(input))
	if load(ctx, j.Files, path, &rows) == nil && rows.Error == "" && rows.Input == j.run.Inputs[input] {
		return rows, nil
	}
	rows, broken := retry(ctx, func() (Rows, error) { return j.count(ctx, input) })
	if err := ctx.Err(); err != nil {
		return rows, err
	}
	rows.Input = j.run.Inputs[input]
	if broken != nil {
		rows.Error = broken.Error()
	}
	return retry(ctx, func() (Rows, error) { return rows, j.save(ctx, path, rows) })
}

// count counts once. With an error, the records before that are counted.
func (j *Job) count(ctx context.Context, input int) (rows Rows, err error) {
	f, err := j.open(ctx, input)
	if err != nil {
		return rows, err
	}
	defer f.Close()
	var broken error
	for _, err := range j.molecules(f, input, func(names []string) { rows.Own = names }) {
		if broken = err; err != nil {
			break
		}
		rows.Records++
	}
	rows.SHA256, err = f.sum()
	return rows, cmp.Or(broken, err)
}

// A Plan says which records are of which shard.
type Plan struct {
	// First has the place of the first record of each input, and behind the last.
	First []int `json:"first"`
	// SHA256 has that of each input: with the same, records are the same at each place.
	SHA256 []string `json:"sha256"`
	// Own are further columns of a single input, which come back in the rows.
	Own []string `json:"own,omitempty"`
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

// PlanOf is the plan with these numbers of records of the inputs.
func (j *Job) PlanOf(rows []Rows) *Plan {
	p := &Plan{First: make([]int, len(rows)+1)}
	for i, r := range rows {
		p.First[i+1] = p.First[i] + r.Records
		p.SHA256 = append(p.SHA256, r.SHA256)
		if r.Error != "" {
			p.Broken = append(p.Broken, Broken{j.Inputs[i], r.Error})
		}
	}
	if len(rows) == 1 {
		p.Own = rows[0].Own
	}
	return p
}

// A Failure says why a shard has no result.
type Failure struct {
	Shard int    `json:"shard"`
	Error string `json:"error"`
}

// Done is what a shard gave.
type Done struct {
	Run     string      `json:"run"` // SHA-256 of what the rows depend on
	Shard   int         `json:"shard"`
	Plan    *Plan       `json:"plan"`
	First   int         `json:"first"` // row, from 1
	Tally   table.Tally `json:"tally"`
	Rows    Content     `json:"rows"`
	Rejects Content     `json:"rejects"` // the refused records
}

// Content says what is in a file.
type Content struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// The files of a shard.
func (j *Job) rowsOf(shard int) string    { return j.path(partName("scores", shard, j.Shards, j.To)) }
func (j *Job) rejectsOf(shard int) string { return j.path(partName("rejects", shard, j.Shards, "csv")) }
func (j *Job) doneOf(shard int) string    { return j.path(partName("done", shard, j.Shards, "json")) }

// done returns what an earlier attempt at a shard gave, or why that is no use.
func (j *Job) done(ctx context.Context, p *Plan, shard int) (*Done, error) {
	d := new(Done)
	if err := load(ctx, j.Files, j.doneOf(shard), d); err != nil {
		return nil, err
	}
	if d.Run != j.run.sum() {
		return nil, errors.New("it was scored in another run")
	}
	if d.Shard != shard {
		return nil, fmt.Errorf("it is of shard %d", d.Shard)
	}
	if d.Plan == nil || !slices.Equal(d.Plan.First, p.First) || !slices.Equal(d.Plan.SHA256, p.SHA256) {
		return nil, errors.New("the inputs were others when it was scored")
	}
	if err := j.holds(ctx, j.rowsOf(shard), d.Rows); err != nil {
		return nil, err
	}
	return d, j.holds(ctx, j.rejectsOf(shard), d.Rejects)
}

// holds reports a file that is not as it was written.
func (j *Job) holds(ctx context.Context, name string, want Content) error {
	size, err := j.Files.Size(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s, which it wrote, is lost", name)
	}
	if err != nil {
		return err
	}
	if size != want.Bytes {
		return fmt.Errorf("%s has %d bytes, it had %d", name, size, want.Bytes)
	}
	f, err := j.Files.Open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, cancelable{ctx, f}); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want.SHA256 {
		return fmt.Errorf("%s was altered: its SHA-256 is %.12s…, it was %.12s…", name, got, want.SHA256)
	}
	return nil
}

// Score scores a shard and writes its rows, the refused records and last of all what it
// returns. A shard that is done is left as it is.
func (j *Job) Score(ctx context.Context, p *Plan, shard int) (*Done, error) {
	rows, rejects, done := j.rowsOf(shard), j.rejectsOf(shard), j.doneOf(shard)
	release, err := j.Files.Lock(ctx, j.path(partName("shard", shard, j.Shards, "lock")), rows, rejects, done)
	if err != nil {
		return nil, fmt.Errorf("it cannot be worked on: %w", err)
	}
	defer release()
	if d, err := j.done(ctx, p, shard); err == nil {
		return d, nil
	}
	return retry(ctx, func() (*Done, error) {
		lo, hi := p.Range(shard, j.Shards)
		d := &Done{Run: j.run.sum(), Shard: shard, Plan: p, First: lo + 1}
		err := j.Files.Write(ctx, rows, func(w io.Writer) error {
			return j.Files.Write(ctx, rejects, func(r io.Writer) error {
				return j.score(ctx, d, hi-lo, w, r)
			})
		})
		if err != nil {
			return nil, err
		}
		return d, j.save(ctx, done, d)
	})
}

func (j *Job) score(ctx context.Context, done *Done, total int, w, r io.Writer) error {
	cw, cr := newSumming(w), newSumming(r)
	origin := table.Run{Model: j.run.Model, SHA256: j.run.SHA256, By: j.Options.By, Alpha: j.run.Alpha}
	fields := append(table.Fields(table.Usual), origin.Fields()...)
	fields = append(fields, table.OwnFields(done.Plan.Own)...)
	rows := table.NewSink(cw, j.To, table.Text{}, true, fields)
	rejects := table.NewSink(cr, "csv", table.Text{}, true, table.RejectFields())
	in := job.Input{Records: j.records(ctx, done.Plan, done.Shard)}
	err := job.Score(ctx, j.scorer, in, job.ScoreOptions{Workers: j.Options.Workers}, func(scored []table.Scored) error {
		done.Tally.Add(scored)
		rows.Add(scored...)
		for _, s := range scored {
			if s.Err != nil {
				rejects.Add(s)
			}
		}
		return errors.Join(cw.err, cr.err)
	})
	if err != nil {
		return err
	}
	if done.Tally.Records != total {
		return fmt.Errorf("shard %d gave %d rows, want %d", done.Shard, done.Tally.Records, total)
	}
	err = errors.Join(rows.Flush(), rejects.Flush(), cw.w.Flush(), cr.w.Flush())
	done.Rows, done.Rejects = cw.content(), cr.content()
	return err
}

// A summing writer learns what is written, and keeps the first error.
type summing struct {
	w   *bufio.Writer
	n   int64
	sum hash.Hash
	err error
}

func newSumming(w io.Writer) *summing {
	sum := sha256.New()
	return &summing{w: bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16), sum: sum}
}

func (s *summing) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	s.n += int64(n)
	if s.err == nil {
		s.err = err
	}
	return n, err
}

// content is what has been written, once it is flushed.
func (s *summing) content() Content { return Content{s.n, hex.EncodeToString(s.sum.Sum(nil))} }
