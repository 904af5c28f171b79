package table

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/internal/parallel"
)

// Graphs are scored together, so they say something about each other: up to
// MaxGraphs of them, or fewer if these are very large. Of an input that is longer,
// a sample of as many is scored together, and all others by what was learned from
// the sample. So memory does not depend on the length of the input, and the scores
// of all its graphs can be compared.
const (
	MaxGraphs = 4096
	maxNodes  = 1 << 20   // unless there are less than algo.MinBatch graphs
	maxText   = 128 << 20 // bytes of records that are kept until the batch is scored
)

// perRecord is what a record counts for in maxText besides its text.
const perRecord = 64

// A Scored record has its scores, unless it was refused.
type Scored struct {
	Record
	Scores *algo.Row
}

// A Fit is what the graphs that were scored together gave.
type Fit struct {
	*algo.Report
	Graphs  []*graph.Graph // that were scored together, in the order of Report.Rows
	Records []int          // their places in the input, from 0
	// Sample says that they are a sample, drawn evenly from all of the input or,
	// with First, the first that came.
	Sample, First bool
	// Total is the number of graphs of the input, 0 while it is not known.
	Total int
}

// An Input can be gone through.
type Input struct {
	Records iter.Seq2[Unread, error]
	// Again, unless nil, starts from the beginning; release is called when that
	// is over. Without it Records is all there is, and a sample the first graphs.
	Again func() (records iter.Seq2[Unread, error], release func(), err error)
}

// Options of Score.
type Options struct {
	Graphs  int // that are scored together, at most; 0: MaxGraphs
	Seed    uint64
	Workers int // 0: all cores
	// Skip rows are not emitted again, because an earlier run did. The input must
	// then have Again.
	Skip int
	// Reading, unless nil, is told how many graphs have been looked at for the
	// sample.
	Reading func(graphs int)
	// Fitting, unless nil, gets the batch before it is scored: without Report.
	Fitting func(*Fit)
	// Fitted, unless nil, gets what was learned before the first row is emitted.
	// It is not called for an input without graphs.
	Fitted func(*Fit) error
}

// block records are parsed at a time before there is a batch; piece records are
// parsed and scored by one goroutine after that.
const (
	block = 256
	piece = 32
)

// sampleStream is the second half of the seed of the sample.
const sampleStream = 0xba1a_0003

// Score scores the graphs of an input and emits its records in order, each once,
// some at a time. The rows depend on the input, the scorer and the seed, not on the
// number of workers. An error of the input ends it after the rows before the error;
// one of emit or ctx ends it at once.
func Score(ctx context.Context, s *algo.Scorer, in Input, o Options, emit func([]Scored) error) error {
	if o.Graphs <= 0 {
		o.Graphs = MaxGraphs
	}
	next, stop := iter.Pull2(in.Records)
	defer func() { stop() }()
	r := &reader{next: next, workers: o.Workers}
	if err := r.hold(ctx, o.Graphs); err != nil {
		return err
	}
	first := 0 // place of the first held record
	for in.Again == nil && len(r.graphs) == 0 && r.peek() {
		// So many refused ones that they cannot wait for a graph.
		if err := emit(join(r.held, nil)); err != nil {
			return err
		}
		first, r.held, r.text = r.records, nil, 0
		if err := r.hold(ctx, o.Graphs); err != nil {
			return err
		}
	}
	if !r.peek() {
		return r.together(ctx, s, o, emit)
	}
	if in.Again == nil {
		fit := &Fit{Graphs: r.graphs, Records: r.places, Sample: true, First: true}
		rows, err := r.fit(ctx, s, o, fit)
		if err != nil {
			return err
		}
		if err := emit(join(r.held, rows)); err != nil {
			return err
		}
		return onwards(ctx, s, o.Workers, r.rest(), nil, first+len(r.held), emit)
	}
	total, err := r.sample(ctx, o)
	if err != nil {
		return err
	}
	stop()
	stop = func() {}
	rows, err := r.fit(ctx, s, o, &Fit{Graphs: r.graphs, Records: r.places, Sample: true, Total: total})
	if err != nil {
		return err
	}
	known := make(map[int]*algo.Row, len(rows))
	for i := range rows {
		known[r.places[i]] = &rows[i]
	}
	records, release, err := in.Again()
	if err != nil {
		return err
	}
	defer release()
	skipped := func(yield func(Unread, error) bool) {
		i := 0
		for u, err := range records {
			if i++; (i > o.Skip || err != nil) && !yield(u, err) {
				return
			}
		}
	}
	return onwards(ctx, s, o.Workers, skipped, known, o.Skip, emit)
}

// A reader goes through an input up to the batch.
type reader struct {
	next    func() (Unread, error, bool)
	workers int
	broken  error // of the input, behind what was read

	held        []Record // all so far, until sample drops them
	graphs      []*graph.Graph
	places      []int // of graphs
	records     int   // read
	nodes, text int
	ahead       Unread // read by peek
}

// take reads and parses up to n records.
func (r *reader) take(ctx context.Context, n int) ([]Record, error) {
	var unread []Unread
	if r.ahead != nil {
		unread, r.ahead = append(unread, r.ahead), nil
	}
	for len(unread) < n && r.broken == nil {
		u, err, ok := r.next()
		if r.broken = err; !ok || err != nil {
			break
		}
		unread = append(unread, u)
	}
	records := make([]Record, len(unread))
	const step = 8
	err := parallel.For(ctx, r.workers, (len(unread)+step-1)/step, func(_, k int) {
		for i := k * step; i < min(len(unread), (k+1)*step); i++ {
			records[i] = unread[i]()
		}
	})
	return records, err
}

// hold reads until there are graphs enough for a batch, or no more.
func (r *reader) hold(ctx context.Context, graphs int) error {
	full := func() bool {
		return len(r.graphs) >= graphs || r.text >= maxText || r.nodes >= maxNodes && len(r.graphs) >= algo.MinBatch
	}
	for !full() {
		records, err := r.take(ctx, min(block, graphs-len(r.graphs)))
		if err != nil || len(records) == 0 {
			return err
		}
		for _, rec := range records {
			r.held = append(r.held, rec)
			r.text += len(rec.SMILES) + len(rec.ID) + perRecord
			if rec.Err == nil {
				r.graphs = append(r.graphs, rec.Graph)
				r.places = append(r.places, r.records)
				r.nodes += rec.Graph.N()
			}
			r.records++
		}
	}
	return nil
}

// peek tells whether there is another record.
func (r *reader) peek() bool {
	if r.ahead != nil || r.broken != nil {
		return r.ahead != nil
	}
	u, err, ok := r.next()
	if r.broken = err; !ok || err != nil {
		return false
	}
	r.ahead = u
	return true
}

// rest yields the records that are left.
func (r *reader) rest() iter.Seq2[Unread, error] {
	return func(yield func(Unread, error) bool) {
		if u := r.ahead; u != nil {
			r.ahead = nil
			if !yield(u, nil) {
				return
			}
		}
		for {
			u, err, ok := r.next()
			if !ok || !yield(u, err) || err != nil {
				return
			}
		}
	}
}

// together scores all that was read as one batch.
func (r *reader) together(ctx context.Context, s *algo.Scorer, o Options, emit func([]Scored) error) error {
	rows, err := r.fit(ctx, s, o, &Fit{Graphs: r.graphs, Records: r.places, Total: len(r.graphs)})
	if err != nil {
		return err
	}
	if scored := join(r.held, rows); o.Skip < len(scored) {
		if err := emit(scored[o.Skip:]); err != nil {
			return err
		}
	}
	return r.broken
}

func (r *reader) fit(ctx context.Context, s *algo.Scorer, o Options, f *Fit) ([]algo.Row, error) {
	if len(f.Graphs) == 0 {
		return nil, ctx.Err()
	}
	if o.Fitting != nil {
		o.Fitting(f)
	}
	report, err := s.Batch(ctx, f.Graphs)
	if err != nil {
		return nil, err
	}
	if f.Report = report; o.Fitted != nil {
		err = o.Fitted(f)
	}
	return report.Rows, err
}

// sample reads all that is left and makes the graphs an even sample of all, in
// their order, none of which is more likely to be in it than another: Vitter's
// algorithm R. It returns the number of all. An error of the input ends the
// sample; it comes again when the rows are scored.
func (r *reader) sample(ctx context.Context, o Options) (int, error) {
	r.held = nil
	rng := rand.New(rand.NewPCG(o.Seed, sampleStream))
	seen, room := len(r.graphs), o.Graphs
	for {
		records, err := r.take(ctx, block)
		if err != nil {
			return 0, err
		}
		if len(records) == 0 {
			break
		}
		for _, rec := range records {
			if rec.Err == nil {
				seen++
				if r.nodes >= maxNodes && len(r.graphs) >= algo.MinBatch {
					room = min(room, len(r.graphs))
				}
				if len(r.graphs) < room {
					r.graphs, r.places = append(r.graphs, rec.Graph), append(r.places, r.records)
					r.nodes += rec.Graph.N()
				} else if k := rng.IntN(seen); k < room {
					r.graphs[k], r.places[k] = rec.Graph, r.records
				}
			}
			r.records++
		}
		if o.Reading != nil {
			o.Reading(seen)
		}
	}
	order := make([]int, len(r.graphs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return r.places[a] - r.places[b] })
	graphs, places := make([]*graph.Graph, len(order)), make([]int, len(order))
	for i, k := range order {
		graphs[i], places[i] = r.graphs[k], r.places[k]
	}
	r.graphs, r.places = graphs, places
	return seen, nil
}

// join gives the records that are not refused their rows, in order.
func join(records []Record, rows []algo.Row) []Scored {
	scored := make([]Scored, len(records))
	for i, rec := range records {
		scored[i].Record = rec
		if rec.Err == nil {
			scored[i].Scores, rows = &rows[0], rows[1:]
		}
	}
	return scored
}

// onwards parses and scores records, each as the scorer's batch scored the
// holdout. Known has the rows of the batch itself, by place; first is the place of
// the first record.
func onwards(ctx context.Context, s *algo.Scorer, workers int, records iter.Seq2[Unread, error], known map[int]*algo.Row, first int, emit func([]Scored) error) error {
	type work struct {
		first   int
		records []Unread
	}
	type result struct {
		scored []Scored
		err    error
	}
	pieces := func(yield func(work, error) bool) {
		w := work{first: first}
		for u, err := range records {
			if err != nil {
				if len(w.records) == 0 || yield(w, nil) {
					yield(work{}, err)
				}
				return
			}
			if w.records = append(w.records, u); len(w.records) == piece {
				if !yield(w, nil) {
					return
				}
				w = work{first: w.first + piece}
			}
		}
		if len(w.records) > 0 {
			yield(w, nil)
		}
	}
	for r, err := range dataset.Ordered(ctx, workers, pieces, func(w work) (r result) {
		r.scored = make([]Scored, len(w.records))
		var graphs []*graph.Graph
		var of []int
		for i, u := range w.records {
			rec := u()
			r.scored[i].Record = rec
			if row := known[w.first+i]; row != nil {
				r.scored[i].Scores = row
			} else if rec.Err == nil {
				graphs, of = append(graphs, rec.Graph), append(of, i)
			}
		}
		if len(graphs) > 0 {
			rows, err := s.Score(ctx, graphs)
			if err != nil {
				return result{err: err}
			}
			for k := range rows {
				r.scored[of[k]].Scores = &rows[k]
			}
		}
		return r
	}) {
		if err == nil {
			err = r.err
		}
		if err == nil {
			err = emit(r.scored)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
