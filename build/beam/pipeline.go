package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"baca/algo"
	"baca/build/beam/shard"
	"baca/build/internal/heap"
	"baca/weights"
)

func init() {
	register.DoFn2x1[context.Context, int, counted](&countFn{})
	register.DoFn2x0[plan, func(work)](&dealFn{})
	register.DoFn2x1[context.Context, work, outcome](&scoreFn{})
	register.DoFn2x1[context.Context, outcome, error](&sumFn{})
	register.Combiner3[counts, counted, plan](&planFn{})
	register.Combiner1[outcome](&outcomeFn{})
	register.Emitter1[work]()
	// Workers find these by their names.
	coder(encodeCounted, decodeCounted)
	coder(encodeCounts, decodeCounts)
	coder(encodePlan, decodePlan)
	coder(encodeWork, decodeWork)
	coder(encodeOutcome, decodeOutcome)
}

// coder makes values of a type travel as the functions say.
func coder[T any](encode func(T) ([]byte, error), decode func([]byte) (T, error)) {
	beam.RegisterFunction(encode)
	beam.RegisterFunction(decode)
	beam.RegisterCoder(reflect.TypeFor[T](), encode, decode)
}

func fromJSON[T any](data []byte) (v T, err error) {
	err = json.Unmarshal(data, &v)
	return v, err
}

func encodeCounted(v counted) ([]byte, error)    { return json.Marshal(v) }
func encodeCounts(v counts) ([]byte, error)      { return json.Marshal(v) }
func encodePlan(v plan) ([]byte, error)          { return json.Marshal(v) }
func encodeWork(v work) ([]byte, error)          { return json.Marshal(v) }
func encodeOutcome(v outcome) ([]byte, error)    { return json.Marshal(v) }
func decodeCounted(data []byte) (counted, error) { return fromJSON[counted](data) }
func decodeCounts(data []byte) (counts, error)   { return fromJSON[counts](data) }
func decodePlan(data []byte) (plan, error)       { return fromJSON[plan](data) }
func decodeWork(data []byte) (work, error)       { return fromJSON[work](data) }
func decodeOutcome(data []byte) (outcome, error) { return fromJSON[outcome](data) }

// What travels.
type (
	// counted are the records of an input.
	counted struct {
		Input int        `json:"input"`
		Rows  shard.Rows `json:"rows"`
	}
	counts struct{ Inputs []counted }
	plan   struct{ *shard.Plan }
	// work is a shard to score.
	work struct {
		Shard int         `json:"shard"`
		Plan  *shard.Plan `json:"plan"`
	}
	// outcome is what shards gave, without their plans, or why they gave nothing.
	outcome struct {
		Plan   *shard.Plan     `json:"plan"`
		Done   []*shard.Done   `json:"done,omitempty"`
		Failed []shard.Failure `json:"failed,omitempty"`
	}
)

// build makes the pipeline for some of the shards, of which all results are in the folder: summary.json
// comes last. Every piece of work is in the hands of a [shard.Job], which does not
// do it again if it is done; the pipeline says who does it, and brings the results
// together.
func build(ctx context.Context, c config, list []int) (*beam.Pipeline, error) {
	// Mistakes come to light before an engine is started.
	if _, err := c.open(ctx); err != nil {
		return nil, err
	}
	p, s := beam.NewPipelineWithRoot()
	inputs := beam.Reshuffle(s, beam.CreateList(s, numbers(len(c.Inputs))))
	rows := beam.ParDo(s.Scope("Count records"), &countFn{c}, inputs)
	plan := beam.Combine(s.Scope("Plan"), &planFn{c}, rows)
	// The plan goes from hand to hand. It is no side input: while a step that has one is at work,
	// Prism asks without a pause whether there is more to begin, and keeps a core busy.
	shards := beam.Reshuffle(s, beam.ParDo(s.Scope("Deal"), &dealFn{list}, plan))
	outcomes := beam.ParDo(s.Scope("Score"), &scoreFn{c}, shards)
	all := beam.Combine(s.Scope("Sum up"), &outcomeFn{}, outcomes)
	beam.ParDo0(s.Scope("Write the summary"), &sumFn{c}, all)
	return p, nil
}

func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// A config says all that a worker needs to know of the job.
type config struct {
	Inputs  []string `json:"inputs"`
	Folder  string   `json:"folder"`
	Format  string   `json:"format"`
	Column  string   `json:"column"`
	To      string   `json:"to"`
	Shards  int      `json:"shards"`
	Model   string   `json:"model"`
	Alpha   float64  `json:"alpha"`
	Workers int      `json:"workers"`
	Join    bool     `json:"join"`
}

// storage is where a job reads and writes.
var storage = func() shard.Files { return files{} }

// jobs has those that this process has begun: a model is loaded and prepared once. The
// lock is held meanwhile, so that it is not done twice at once.
var jobs struct {
	sync.Mutex
	m map[string]*shard.Job
}

// open returns the job of a config.
func (c config) open(ctx context.Context) (*shard.Job, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	key := string(text)
	jobs.Lock()
	defer jobs.Unlock()
	if j := jobs.m[key]; j != nil {
		return j, nil
	}
	m, err := c.model(ctx)
	if err != nil {
		return nil, err
	}
	o := algo.DefaultOptions()
	o.Alpha, o.Workers = c.Alpha, c.Workers
	j := &shard.Job{
		Files: storage(), Folder: c.Folder, Inputs: c.Inputs, Format: c.Format, Column: c.Column,
		To: c.To, Shards: c.Shards, Model: m, Options: o,
	}
	if err := j.Begin(ctx); err != nil {
		return nil, err
	}
	growBy(heap.Stream())
	if jobs.m == nil {
		jobs.m = map[string]*shard.Job{}
	}
	jobs.m[key] = j
	return j, nil
}

// turns are taken by shards that are read. One keeps as many cores busy as a shard may
// have, another reads meanwhile, and more of them would only hold more records in
// memory: engines start all that they have.
var turns struct {
	sync.Once
	free chan struct{}
}

// turn waits until a shard may be read in this process, and returns what ends that.
func (c config) turn(ctx context.Context) (func(), error) {
	turns.Do(func() {
		n := 2
		if c.Workers > 0 {
			n = max(n, runtime.GOMAXPROCS(0)/c.Workers+1)
		}
		turns.free = make(chan struct{}, n)
	})
	select {
	case turns.free <- struct{}{}:
		return func() { <-turns.free }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// model loads an embedded model by name, or a model file that all workers can read.
func (c config) model(ctx context.Context) (*algo.Model, error) {
	if slices.Contains(weights.Names(), c.Model) {
		return weights.Open(c.Model)
	}
	f, err := storage().Open(ctx, c.Model)
	if err != nil {
		return nil, fmt.Errorf("model %s is neither one of %v nor a file: %w", c.Model, weights.Names(), err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, weights.MaxSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > weights.MaxSize {
		return nil, fmt.Errorf("model %s: %w", c.Model, weights.ErrTooLarge)
	}
	m, err := weights.Load(data)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", c.Model, err)
	}
	if m.Card.Name == "" {
		m.Card.Name = c.Model
	}
	return m, nil
}

// countFn counts the records of an input.
type countFn struct{ Config config }

// ProcessElement never fails: an input that cannot be read is named in the summary.
func (f *countFn) ProcessElement(ctx context.Context, input int) counted {
	job, err := f.Config.open(ctx)
	var rows shard.Rows
	if err == nil {
		rows, err = job.Count(ctx, input)
	}
	if err != nil {
		rows = shard.Rows{Error: err.Error()}
	}
	return counted{input, rows}
}

// planFn collects what countFn gives.
type planFn struct{ Config config }

// AddInput adds the records of an input, once.
func (*planFn) AddInput(a counts, c counted) counts { return a.merge(counts{[]counted{c}}) }

// MergeAccumulators brings inputs together.
func (*planFn) MergeAccumulators(a, b counts) counts { return a.merge(b) }

func (c counts) merge(o counts) counts {
	all := slices.Concat(c.Inputs, o.Inputs)
	slices.SortStableFunc(all, func(a, b counted) int { return a.Input - b.Input })
	return counts{slices.CompactFunc(all, func(a, b counted) bool { return a.Input == b.Input })}
}

// ExtractOutput returns the plan.
func (f *planFn) ExtractOutput(a counts) plan {
	rows := make([]shard.Rows, len(f.Config.Inputs))
	for _, c := range a.Inputs {
		rows[c.Input] = c.Rows
	}
	j := shard.Job{Inputs: f.Config.Inputs}
	return plan{j.PlanOf(rows)}
}

// dealFn deals out shards.
type dealFn struct{ Shards []int }

// ProcessElement gives each shard the plan.
func (f *dealFn) ProcessElement(p plan, emit func(work)) {
	for _, k := range f.Shards {
		emit(work{k, p.Plan})
	}
}

// scoreFn scores a shard and writes its rows.
type scoreFn struct{ Config config }

// ProcessElement never fails: a shard that has no rows is named in the summary.
func (f *scoreFn) ProcessElement(ctx context.Context, w work) outcome {
	over, err := f.Config.turn(ctx)
	if err == nil {
		defer over()
		var done shard.Done
		if done, err = f.score(ctx, w); err == nil {
			return outcome{Plan: w.Plan, Done: []*shard.Done{&done}}
		}
	}
	return outcome{Plan: w.Plan, Failed: []shard.Failure{{Shard: w.Shard, Error: err.Error()}}}
}

func (f *scoreFn) score(ctx context.Context, w work) (done shard.Done, err error) {
	job, err := f.Config.open(ctx)
	if err != nil {
		return done, err
	}
	d, err := job.Score(ctx, w.Plan, w.Shard)
	if err != nil {
		return done, err
	}
	done = *d
	done.Plan = nil
	return done, nil
}

// outcomeFn collects what shards gave.
type outcomeFn struct{}

// MergeAccumulators brings shards together; each counts once when they are summed up.
func (*outcomeFn) MergeAccumulators(a, b outcome) outcome {
	return outcome{cmp.Or(a.Plan, b.Plan), slices.Concat(a.Done, b.Done), slices.Concat(a.Failed, b.Failed)}
}

// sumFn writes the summary, and joins the rows where that is asked for and none is missing.
type sumFn struct{ Config config }

// ProcessElement sums up.
func (f *sumFn) ProcessElement(ctx context.Context, o outcome) error {
	job, err := f.Config.open(ctx)
	if err != nil {
		return err
	}
	s := job.Summarize(o.Plan, o.Done, o.Failed)
	if f.Config.Join && len(s.Failed) == 0 {
		if err := job.Join(ctx); err != nil {
			return err
		}
	}
	return job.KeepSummary(ctx, s)
}
