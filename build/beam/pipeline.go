package main

import (
	"baca/build/internal/try"
	"context"
	"encoding/json"
	"io"
	"reflect"
	"runtime"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn2x2[context.Context, int, piece, error](&countFn{})
	register.DoFn4x1[context.Context, int, func(*piece) bool, func(int), error](&planFn{})
	register.DoFn2x1[context.Context, int, piece](&scoreFn{})
	register.DoFn3x1[context.Context, int, func(*piece) bool, error](&sumFn{})
	register.Iter1[piece]()
	register.Emitter1[int]()
	// Workers find these by their names.
	beam.RegisterFunction(encode)
	beam.RegisterFunction(decode)
	beam.RegisterCoder(reflect.TypeFor[piece](), encode, decode)
}

// A piece is what a step gives of the input or the shard of a number.
type piece struct {
	Number int    `json:"number"`
	Rows   rows   `json:"rows"`            // of an input
	Mark   *mark  `json:"mark,omitempty"`  // of a shard
	Error  string `json:"error,omitempty"` // why there is no mark
}

func encode(p piece) ([]byte, error) { return json.Marshal(p) }

func decode(data []byte) (p piece, err error) { return p, json.Unmarshal(data, &p) }

// collect returns n pieces in the order of their numbers. Of those that an engine gave twice, one with a mark counts.
func collect(n int, next func(*piece) bool) []piece {
	list := make([]piece, n)
	for p := (piece{}); next(&p); p = (piece{}) {
		if list[p.Number].Mark == nil {
			list[p.Number] = p
		}
	}
	return list
}

// build makes the pipeline, of which all results are in the folder: summary.json comes last. The
// pipeline only says who does which piece of a [scoring], and brings the results together.
func build(c config) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	inputs := beam.Reshuffle(s, beam.CreateList(s, numbers(len(c.Run.Inputs))))
	rows := beam.ParDo(s.Scope("Count records"), &countFn{c}, inputs)
	// Workers read the plan from the folder. It is no side input: while a step that has one is at work,
	// Prism asks without a pause whether there is more to begin, and keeps a core busy.
	shards := beam.Reshuffle(s, beam.ParDo(s.Scope("Plan"), &planFn{c}, together(s, rows)))
	done := beam.ParDo(s.Scope("Score"), &scoreFn{c}, shards)
	beam.ParDo0(s.Scope("Sum up"), &sumFn{c}, together(s, done))
	return p
}

// together makes one group of all pieces.
func together(s beam.Scope, pieces beam.PCollection) beam.PCollection {
	return beam.GroupByKey(s, beam.AddFixedKey(s, pieces))
}

// numbers returns 0, …, n−1.
func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// countFn counts the records of an input. One that cannot be read is named in the summary.
type countFn struct{ Config config }

func (f *countFn) ProcessElement(ctx context.Context, number int) (p piece, err error) {
	defer try.Catch(&err)
	return piece{Number: number, Rows: try.To(try.To(f.Config.open(ctx)).count(ctx, number))}, nil
}

// planFn writes the plan and deals out the shards.
type planFn struct{ Config config }

func (f *planFn) ProcessElement(ctx context.Context, _ int, next func(*piece) bool, emit func(int)) error {
	var all []rows
	for _, p := range collect(len(f.Config.Run.Inputs), next) {
		all = append(all, p.Rows)
	}
	if err := save(ctx, f.Config.path(planName), newPlan(all)); err != nil {
		return err
	}
	for shard := range f.Config.Run.Shards {
		emit(shard)
	}
	return nil
}

// scoreFn scores a shard. It never fails: a shard that has no rows is named in the summary.
type scoreFn struct{ Config config }

func (f *scoreFn) ProcessElement(ctx context.Context, shard int) piece {
	m, err := f.score(ctx, shard)
	if err != nil {
		return piece{Number: shard, Error: err.Error()}
	}
	return piece{Number: shard, Mark: m}
}

// score scores a shard in its turn.
func (f *scoreFn) score(ctx context.Context, shard int) (m *mark, err error) {
	defer try.Catch(&err)
	defer try.To(f.Config.turn(ctx))()
	s, p := f.Config.planned(ctx)
	return s.score(ctx, p, shard)
}

// planned opens the work and reads its plan. A failure is one of package try.
func (c *config) planned(ctx context.Context) (*scoring, *plan) {
	s, p := try.To(c.open(ctx)), new(plan)
	try.Check(load(ctx, s.path(planName), p))
	return s, p
}

// turns are taken by shards that are read. One keeps as many cores busy as a shard may have, another reads meanwhile,
// and more of them would only hold more records in memory: engines start all that they have.
var turns struct {
	sync.Once
	free chan struct{}
}

// turn waits until a shard may be read in this process, and returns what ends that.
func (c *config) turn(ctx context.Context) (func(), error) {
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

// sumFn writes the summary, and joins the rows where that is asked for and none is missing.
type sumFn struct{ Config config }

func (f *sumFn) ProcessElement(ctx context.Context, _ int, next func(*piece) bool) (err error) {
	defer try.Catch(&err)
	s, p := f.Config.planned(ctx)
	sum := s.summarize(p, collect(s.Run.Shards, next))
	if s.Join && len(sum.Failed) == 0 {
		try.Check(s.join(ctx))
	}
	return writeFile(ctx, s.path(summaryName), func(w io.Writer) error { return json.NewEncoder(w).Encode(sum) })
}
