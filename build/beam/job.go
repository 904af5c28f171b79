package main

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
	"iter"
	"reflect"
	"slices"
	"sync"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/run"
	"baca/algo/table"
	"baca/build/internal/sealed"
	"baca/build/internal/try"
	"baca/build/internal/unpack"
	"baca/build/internal/version"
	"baca/weights"
)

// maxShards bounds the number of shards.
const maxShards = 100_000

// Settings are what the rows depend on. A folder holds the rows of one run.
type settings struct {
	Program string  `json:"program"`
	Model   string  `json:"model"`
	SHA256  string  `json:"model_sha256"`
	Inputs  []input `json:"inputs"` // files of molecules, as if they were one after the other
	Format  string  `json:"format"`
	Column  string  `json:"column"` // with the SMILES, for CSV
	To      string  `json:"to"`     // form of the rows: csv or jsonl
	Alpha   float64 `json:"alpha"`
	Shards  int     `json:"shards"`
}

type input struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// A config says all that a worker needs to know of the work.
type config struct {
	Run     settings
	Folder  string // for all results
	Model   string // embedded model by name, or a file
	Workers int
	Join    bool
}

// A scoring is a config at work in this process. Everything it finishes is in the folder: what is there is not done
// again, so a run that was killed goes on from its finished shards, and work that is done twice changes nothing.
type scoring struct {
	config
	plan run.Plan // of a shard
}

// last is what this process works on: a model is loaded and prepared once. The lock is held
// meanwhile, so that it is not done twice at once.
var last struct {
	sync.Mutex
	*scoring
}

// begin lists the inputs, and writes to the folder which run it holds. It ends the work if that is another one.
func (c *config) begin(ctx context.Context, patterns []string) {
	c.Run.Inputs = nil
	for _, name := range expand(ctx, patterns) {
		c.Run.Inputs = append(c.Run.Inputs, input{name, sizeOf(ctx, name)})
	}
	try.To(c.open(ctx))
	var there settings
	err := load(ctx, c.path(runName), &there)
	if errors.Is(err, fs.ErrNotExist) {
		try.Check(save(ctx, c.path(runName), c.Run))
		return
	}
	try.Check(cmp.Or(err, c.same(there)))
}

// errOther means that the folder holds another run.
var errOther = errors.New("the folder holds another run")

// same returns an error, which wraps errOther, if the rows of a run with settings r would be others.
func (c *config) same(r settings) error {
	what := ""
	switch now := c.Run; {
	case r.Program != now.Program:
		what = fmt.Sprintf("of baca %s, this is %s", r.Program, now.Program)
	case r.SHA256 != now.SHA256:
		what = fmt.Sprintf("of another model (SHA-256 %.12s…, this one has %.12s…)", r.SHA256, now.SHA256)
	case r.Shards != now.Shards:
		what = fmt.Sprintf("of %d shards, this is of %d", r.Shards, now.Shards)
	case !slices.Equal(r.Inputs, now.Inputs):
		what = "of other inputs, or they have changed"
	case !reflect.DeepEqual(r, now):
		what = "with other flags"
	default:
		return nil
	}
	return fmt.Errorf("%s: %w, %s; want the same again or a new folder", c.Folder, errOther, what)
}

// open prepares the work. It sets program and model of a new config; on a worker it returns an error if they are others.
func (c *config) open(ctx context.Context) (s *scoring, err error) {
	defer try.Catch(&err)
	last.Lock()
	defer last.Unlock()
	if last.scoring != nil && reflect.DeepEqual(last.config, *c) {
		return last.scoring, nil
	}
	m := c.load(ctx)
	if m.Card.Schema == algo.Constant {
		return nil, fmt.Errorf("model %s reads graphs of schema %s: want one for molecules, only these can be "+
			"read in shards", m.Card.Name, m.Card.Schema)
	}
	asked := c.Run
	asked.Program, asked.Model, asked.SHA256 = version.String(), m.Card.Name, try.To(weights.Sum(m))
	if c.Run.Program == "" {
		c.Run = asked
	}
	if err := c.same(asked); err != nil {
		return nil, fmt.Errorf("on this worker: %w", err)
	}
	o := algo.DefaultOptions() // without a batch: each shard has only its own graphs
	o.Alpha, o.Workers = c.Run.Alpha, c.Workers
	o.Single = try.To(algo.NewSingleScorer(ctx, m, c.Workers))
	s = &scoring{config: *c, plan: run.Plan{Model: m, Options: o, Columns: table.Usual}}
	try.To(run.New(ctx, s.plan)) // which checks the options
	last.scoring = s
	return s, nil
}

// load loads an embedded model by name, or a model file that all workers can read. A failure is one of package try.
func (c *config) load(ctx context.Context) *algo.Model {
	if slices.Contains(weights.Names(), c.Model) {
		return try.To(weights.Open(c.Model))
	}
	f, err := open(ctx, c.Model)
	if err != nil {
		try.Check(fmt.Errorf("model %s is neither one of %v nor a file: %w", c.Model, weights.Names(), err))
	}
	defer f.Close()
	data := try.To(io.ReadAll(io.LimitReader(f, weights.MaxSize+1))) // Load refuses more than MaxSize
	m, err := weights.Load(data)
	if err != nil {
		try.Check(fmt.Errorf("model %s: %w", c.Model, err))
	}
	m.Card.Name = cmp.Or(m.Card.Name, c.Model)
	return m
}

// The files of a folder.
const runName, planName, summaryName = "run.json", "plan.json", "summary.json"

func (c *config) path(name string) string { return inFolder(c.Folder, name) }

// part returns the name of a file of a shard.
func (c *config) part(what string, shard int, ext string) string {
	return c.path(fmt.Sprintf("%s-%05d-of-%05d.%s", what, shard, c.Run.Shards, ext))
}

// save writes a value as JSON with a checksum.
func save(ctx context.Context, name string, v any) error {
	return writeFile(ctx, name, func(w io.Writer) error { return sealed.Write(w, v) })
}

// load reads into v what save wrote. The error wraps fs.ErrNotExist if there is no file.
func load(ctx context.Context, name string, v any) error {
	f, err := open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err == nil {
		err = sealed.Read(data, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Rows are the records of one input.
type rows struct {
	Input   input    `json:"input"`
	Records int      `json:"records"`
	SHA256  string   `json:"sha256"`          // of the file
	Own     []string `json:"own,omitempty"`   // further columns of a single input
	Error   string   `json:"error,omitempty"` // why it could not be read to its end; the records before that count
}

// count counts the records of an input without parsing them, unless the folder has the count. If the input cannot be read to its
// end, that is no error: rows.Error says why.
func (s *scoring) count(ctx context.Context, number int) (rows, error) {
	of, r := s.Run.Inputs[number], rows{}
	name := s.path(fmt.Sprintf("rows-%05d.json", number))
	if load(ctx, name, &r) == nil && r.Error == "" && r.Input == of {
		return r, nil
	}
	r = rows{Input: of}
	sum, err := s.read(ctx, number, func(_, names []string) { r.Own = names }, func(dataset.Record) bool {
		r.Records++
		return true
	})
	r.SHA256 = sum
	if err != nil {
		r.Error = err.Error()
	}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	return r, save(ctx, name, r)
}

// read calls use with the records of an input, not parsed, until use returns false. It returns the SHA-256 of the file, or of what
// of it can be read. own is told the further columns.
func (s *scoring) read(ctx context.Context, number int, own func(all, own []string),
	use func(dataset.Record) bool) (sum string, err error) {
	name := s.Run.Inputs[number].Name
	f, err := open(ctx, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	raw := io.TeeReader(f, hash)
	for rec, failed := range dataset.Records(bufio.NewReaderSize(raw, 64<<10), dataset.Options{
		Name: name, Format: dataset.ParseFormat(s.Run.Format), Column: s.Run.Column,
		Unpack: unpack.All, Keep: unpack.Keep, Own: own, Form: s.plan.Form(),
	}) {
		if err = failed; err != nil || !use(rec) {
			break
		}
	}
	_, rest := io.Copy(io.Discard, raw)
	return hex.EncodeToString(hash.Sum(nil)), cmp.Or(err, rest)
}

// A plan assigns records to shards.
type plan struct {
	First  []int    `json:"first"`            // place of the first record of each input, and behind the last
	SHA256 []string `json:"sha256"`           // of each input: with the same, records are the same at each place
	Own    []string `json:"own,omitempty"`    // further columns of a single input, which come back in the rows
	Broken []broken `json:"broken,omitempty"` // inputs that could not be read to their end
}

type broken struct {
	Input string `json:"input"`
	Error string `json:"error"`
}

// newPlan returns the plan for inputs with these records.
func newPlan(all []rows) *plan {
	p := &plan{First: make([]int, len(all)+1)}
	for i, r := range all {
		p.First[i+1] = p.First[i] + r.Records
		p.SHA256 = append(p.SHA256, r.SHA256)
		if r.Error != "" {
			p.Broken = append(p.Broken, broken{r.Input.Name, r.Error})
		}
	}
	if len(all) == 1 {
		p.Own = all[0].Own
	}
	return p
}

// records returns the number of all records.
func (p *plan) records() int { return p.First[len(p.First)-1] }

// shard returns the places of the first record of a shard and behind its last.
func (p *plan) shard(k, of int) (lo, hi int) {
	n := p.records()
	// Without n·k, which could be too large.
	at := func(k int) int { return n/of*k + n%of*k/of }
	return at(k), at(k + 1)
}

// A mark describes a finished shard. It is valid while the shard's files have these bytes.
type mark struct {
	Of      string      `json:"of"` // SHA-256 of the settings, the plan and the shard
	Tally   table.Tally `json:"tally"`
	Rows    string      `json:"rows_sha256"`
	Rejects string      `json:"rejects_sha256"` // of the refused records
}

// score scores a shard, writes its rows, the refused records and last of all the mark, and returns the mark. A shard that is done
// is left as it is.
func (s *scoring) score(ctx context.Context, p *plan, shard int) (m *mark, err error) {
	defer try.Catch(&err)
	rows, rejects, name := s.part("scores", shard, s.Run.To), s.part("rejects", shard, "csv"), s.part("done", shard, "json")
	of := sha256.Sum256(try.To(json.Marshal([]any{s.Run, p, shard})))
	key := hex.EncodeToString(of[:])
	m = new(mark)
	if load(ctx, name, m) == nil && m.Of == key && m.Rows == sumOf(ctx, rows) && m.Rejects == sumOf(ctx, rejects) {
		return m, nil
	}
	m = &mark{Of: key}
	try.Check(writeFile(ctx, rows, func(w io.Writer) error {
		return writeFile(ctx, rejects, func(r io.Writer) error { return s.writeRows(ctx, p, shard, m, w, r) })
	}))
	return m, save(ctx, name, m)
}

// sumOf returns the SHA-256 of a file, or "" if it cannot be read.
func sumOf(ctx context.Context, name string) string {
	f, err := open(ctx, name)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// writeRows scores a shard and writes its rows to w and its refused records to r. It sets their counts and SHA-256 in
// m. It returns an error unless there is a row for each record.
func (s *scoring) writeRows(ctx context.Context, p *plan, shard int, m *mark, w, r io.Writer) error {
	sums := [2]hash.Hash{sha256.New(), sha256.New()}
	outputs := [2]*bufio.Writer{bufio.NewWriterSize(io.MultiWriter(w, sums[0]), 1<<16),
		bufio.NewWriterSize(io.MultiWriter(r, sums[1]), 1<<16)}
	one := s.plan
	one.Input.Records, one.Own = s.records(ctx, p, shard), &p.Own
	one.From = &table.Run{Model: s.Run.Model, SHA256: s.Run.SHA256, By: one.Options.By, Alpha: s.Run.Alpha}
	one.Open = func(fields []table.Field) (rows, rejects *table.Sink, err error) {
		return table.NewSink(outputs[0], s.Run.To, table.Text{}, true, fields),
			table.NewSink(outputs[1], "csv", table.Text{}, true, table.RejectFields()), nil
	}
	scored, err := run.New(ctx, one)
	if err == nil {
		err = scored.Do(ctx)
	}
	if err != nil {
		return err
	}
	m.Tally = scored.Tally
	if lo, hi := p.shard(shard, s.Run.Shards); m.Tally.Records != hi-lo {
		return fmt.Errorf("shard %d gave %d rows, want %d", shard, m.Tally.Records, hi-lo)
	}
	err = errors.Join(outputs[0].Flush(), outputs[1].Flush())
	m.Rows, m.Rejects = hex.EncodeToString(sums[0].Sum(nil)), hex.EncodeToString(sums[1].Sum(nil))
	return err
}

// records yields the records of a shard. Their rows are numbered through all inputs. After the records of an input it
// yields an error if the input has changed since its records were counted, in any byte: shards of other records would
// not fit together.
func (s *scoring) records(ctx context.Context, p *plan, shard int) iter.Seq2[dataset.Record, error] {
	first, end := p.shard(shard, s.Run.Shards)
	return func(yield func(dataset.Record, error) bool) {
		for number, in := range s.Run.Inputs {
			place, wanted := p.First[number], true // the row that was read last; whether yield wants more
			lo, hi := max(first, place), min(end, p.First[number+1])
			if lo >= hi {
				continue
			}
			sum, err := s.read(ctx, number, func(_, _ []string) {}, func(rec dataset.Record) bool {
				place++
				rec.Row = place // the rows of all inputs are numbered through
				if place > lo {
					wanted = yield(rec, nil)
				}
				return wanted && place < hi
			})
			// Records are missing, or the bytes are others.
			if wanted && (place < hi || sum != p.SHA256[number]) {
				wanted = false
				yield(dataset.Record{}, cmp.Or(err,
					fmt.Errorf("%s has changed since its records were counted: want what it was, or a new folder",
						in.Name)))
			}
			if !wanted {
				return
			}
		}
	}
}

// A summary is what a run gave.
type summary struct {
	settings
	Records int         `json:"records"` // counted in the inputs: those of the rows, and of failed shards
	Tally   table.Tally `json:"tally"`   // of the rows
	// Finished shards have rows, Failed ones have not.
	Finished int       `json:"finished"`
	Failed   []failure `json:"failed,omitempty"`
	Broken   []broken  `json:"broken,omitempty"`
}

type failure struct {
	Shard int    `json:"shard"`
	Error string `json:"error"`
}

// Err returns an error if shards are missing or inputs broke off, else nil.
func (s *summary) Err() error {
	var errs []error
	if n := len(s.Failed); n > 0 {
		errs = append(errs, fmt.Errorf("no rows of %d of %d shards, such as shard %d: %s", n, s.Shards,
			s.Failed[0].Shard, s.Failed[0].Error))
	}
	if n := len(s.Broken); n > 0 {
		errs = append(errs, fmt.Errorf("%d of the inputs cannot be read to the end: %s", n, s.Broken[0].Error))
	}
	return errors.Join(errs...)
}

// summarize adds up the counts of finished shards, and lists the failed ones.
func (s *scoring) summarize(p *plan, done []piece) *summary {
	sum := &summary{settings: s.Run, Records: p.records(), Broken: p.Broken}
	for shard, d := range done {
		if d.Mark == nil {
			sum.Failed = append(sum.Failed, failure{shard, d.Error})
			continue
		}
		sum.Finished++
		sum.Tally.Merge(d.Mark.Tally)
	}
	return sum
}

// join writes the rows of all shards, which must have been scored, into one file, scores.csv or scores.jsonl in the folder, and the
// refused records into rejects.csv.
func (s *scoring) join(ctx context.Context) error {
	for _, file := range [][2]string{{"scores", s.Run.To}, {"rejects", "csv"}} {
		what, ext := file[0], file[1]
		err := writeFile(ctx, s.path(what+"."+ext), func(w io.Writer) error {
			for shard := range s.Run.Shards {
				if err := appendFile(ctx, w, s.part(what, shard, ext), shard > 0 && ext == "csv"); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// appendFile copies a file to w, without its first line if headless.
func appendFile(ctx context.Context, w io.Writer, name string, headless bool) error {
	f, err := open(ctx, name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	if headless {
		if _, err := r.ReadSlice('\n'); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	_, err = io.Copy(w, r)
	return err
}
