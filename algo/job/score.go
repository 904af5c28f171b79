package job

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/internal/parallel"
	"baca/algo/report"
	"baca/algo/table"
)

// Up to MaxGraphs graphs are calibrated together, or fewer if these are very large. Of an
// input that is longer, a sample of as many forms the batch, and all others are scored
// by what was learned from it. So memory does not depend on the length of the input,
// and the scores of all its graphs can be compared. Where each graph decides alone there
// is no batch at all.
const (
	MaxGraphs = 4096
	maxNodes  = 1 << 20   // unless there are less than algo.MinBatch graphs
	maxText   = 128 << 20 // bytes of records that are kept until the batch is scored
)

// perRecord is what a record counts for in maxText besides its text.
const perRecord = 64

// A Fit is what the graphs that were scored together gave.
type Fit struct {
	*algo.Report
	Graphs  []*graph.Graph // that were scored together, in the order of Report.Rows
	Records []int          // their places in the input, from 0
	// Sample says that they are a sample, drawn evenly from all of the input or,
	// with First, the first that came.
	Sample, First bool
	// Total is the number of records of the input, 0 while it is not known.
	Total int
}

// Sentences say what a calibrated batch is like as a whole, by what decides and whether rows
// have the columns of both answers. A nil Fit says nothing.
func (f *Fit) Sentences(by string, both bool) []string {
	switch {
	case f == nil || f.Report == nil || f.Few && by != algo.ByAlone:
		return nil
	case f.Few:
		return []string{fmt.Sprintf("note: fewer than %d graphs are no batch, so there is no second answer", algo.MinBatch)}
	}
	list := []string{report.Whole("this list", f.Evidence, f.P)}
	if len(f.Differences) > 0 {
		text := report.MakesTheDifference(f.Differences)
		list = append(list, strings.ToLower(text[:1])+text[1:])
	}
	switch {
	case f.First:
		list = append(list, fmt.Sprintf("note: the first %d graphs form the batch; from a file, a sample of all forms it instead", len(f.Graphs)))
	case f.Sample:
		list = append(list, fmt.Sprintf("note: an even sample of %d graphs forms the batch", len(f.Graphs)))
	}
	if by == algo.ByBatch || both {
		list = append(list, fmt.Sprintf("note: outside by the batch needs p <= %g by itself too, which bounds false alarms in the worst company", algo.Guard))
	}
	return list
}

// An Input can be gone through.
type Input struct {
	Records iter.Seq2[table.Unread, error]
	// Again, unless nil, starts from the beginning; release is called when that
	// is over. Without it Records is all there is, and a sample the first graphs.
	Again func() (records iter.Seq2[table.Unread, error], release func(), err error)
}

// ScoreOptions are those of Score.
type ScoreOptions struct {
	// Batch calibrates the graphs as a batch. Without it each is scored by itself in one
	// pass over the input, and nothing below but Workers and Skip matters.
	Batch   bool
	Graphs  int // that are scored together, at most; 0: MaxGraphs
	Seed    uint64
	Workers int // 0: all cores
	// Skip rows are not emitted again, because an earlier run did. With Batch the input
	// must then have Again.
	Skip int
	// Others are further models, whose rows are Scored.Others. They do not go with Batch.
	Others []*algo.Scorer
	// Reading, unless nil, is told how many records have been looked at for the
	// sample.
	Reading func(records int)
	// Fitting, unless nil, gets the batch before it is scored: without Report.
	Fitting func(*Fit)
	// Fitted, unless nil, gets what was learned before the first row is emitted.
	// It is not called for an input without graphs.
	Fitted func(*Fit) error
}

// block records are parsed at a time before there is a batch; piece records are
// parsed and scored by one goroutine after that, or more for a device that wants more.
const (
	block = 256
	piece = 32
)

// Score scores the graphs of an input and emits its records in order, each once,
// some at a time. The rows depend on the input, the scorer and the seed, not on the
// number of workers. An error of the input ends it after the rows before the error;
// one of emit or ctx ends it at once.
func Score(ctx context.Context, s *algo.Scorer, in Input, o ScoreOptions, emit func([]table.Scored) error) error {
	if o.Graphs <= 0 {
		o.Graphs = MaxGraphs
	}
	if !o.Batch {
		return onwards(ctx, s, o.Others, &Fit{}, o.Workers, inOrder(in.Records, 0, o.Skip), emit)
	}
	next, stop := iter.Pull2(in.Records)
	defer func() { stop() }()
	r := &reader{next: next, workers: o.Workers}
	if err := r.hold(ctx, o.Graphs); err != nil {
		return err
	}
	first := 0 // place of the first parsed record
	for in.Again == nil && len(r.graphs) == 0 && r.peek() {
		// So many refused ones that they cannot wait for a graph.
		if err := emit(join(r.parsed, nil)); err != nil {
			return err
		}
		first, r.parsed, r.text = r.records, nil, 0
		if err := r.hold(ctx, o.Graphs); err != nil {
			return err
		}
	}
	if !r.peek() {
		return r.together(ctx, s, o, emit)
	}
	if in.Again == nil {
		f := &Fit{Graphs: r.graphs, Records: r.places, Sample: true, First: true}
		rows, err := fit(ctx, s, o, f)
		if err != nil {
			return err
		}
		if err := emit(join(r.parsed, rows)); err != nil {
			return err
		}
		f = &Fit{} // the rows of the batch are out
		return onwards(ctx, s, nil, f, o.Workers, inOrder(r.rest(), first+len(r.parsed), 0), emit)
	}
	f, err := r.sample(ctx, o)
	if err != nil {
		return err
	}
	stop()
	stop = func() {}
	if _, err := fit(ctx, s, o, f); err != nil {
		return err
	}
	records, release, err := in.Again()
	if err != nil {
		return err
	}
	defer release()
	return onwards(ctx, s, nil, f, o.Workers, inOrder(records, 0, o.Skip), emit)
}

// inOrder yields records with their places, the first of which is given, but for as
// many as are to be skipped.
func inOrder(records iter.Seq2[table.Unread, error], first, skip int) iter.Seq2[placed, error] {
	return func(yield func(placed, error) bool) {
		place := first
		for u, err := range records {
			if (place >= first+skip || err != nil) && !yield(placed{place, u}, err) {
				return
			}
			place++
		}
	}
}

// A reader goes through an input up to the batch.
type reader struct {
	next    func() (table.Unread, error, bool)
	workers int
	broken  error // of the input, behind what was read

	parsed      []table.Record // all so far
	graphs      []*graph.Graph
	places      []int // of graphs
	records     int   // read
	nodes, text int
	ahead       table.Unread // read by peek
}

// take reads and parses up to n records.
func (r *reader) take(ctx context.Context, n int) ([]table.Record, error) {
	var unread []table.Unread
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
	return parse(ctx, r.workers, unread)
}

// parse parses records on that many goroutines.
func parse(ctx context.Context, workers int, unread []table.Unread) ([]table.Record, error) {
	const step = 8
	records := make([]table.Record, len(unread))
	err := parallel.For(ctx, workers, (len(unread)+step-1)/step, func(_, k int) {
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
			r.parsed = append(r.parsed, rec)
			r.text += len(rec.SMILES) + len(rec.ID) + len(rec.Molfile) + perRecord
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
func (r *reader) rest() iter.Seq2[table.Unread, error] {
	return func(yield func(table.Unread, error) bool) {
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
func (r *reader) together(ctx context.Context, s *algo.Scorer, o ScoreOptions, emit func([]table.Scored) error) error {
	rows, err := fit(ctx, s, o, &Fit{Graphs: r.graphs, Records: r.places, Total: r.records})
	if err != nil {
		return err
	}
	if scored := join(r.parsed, rows); o.Skip < len(scored) {
		if err := emit(scored[o.Skip:]); err != nil {
			return err
		}
	}
	return r.broken
}

// fit scores the graphs of a Fit and completes it.
func fit(ctx context.Context, s *algo.Scorer, o ScoreOptions, f *Fit) ([]algo.Row, error) {
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

// sample goes through all that is left and draws a sample from the whole input,
// which is yet to be scored. An error of the input ends the sample; it comes again
// when the rows are scored.
func (r *reader) sample(ctx context.Context, o ScoreOptions) (*Fit, error) {
	s := newSample(o.Graphs, o.Seed)
	for i, g := range r.graphs {
		s.add(r.places[i], g)
	}
	before := r.records
	r.parsed, r.graphs, r.places = nil, nil, nil
	rest, err := s.draw(ctx, o.Workers, inOrder(r.rest(), before, 0), func(records int) {
		if o.Reading != nil {
			o.Reading(before + records)
		}
	})
	if ctx.Err() != nil {
		return nil, err
	}
	return s.fit(before + rest), nil
}

// join gives the records that are not refused their rows, in order.
func join(records []table.Record, rows []algo.Row) []table.Scored {
	scored := make([]table.Scored, len(records))
	for i, rec := range records {
		scored[i].Record = rec
		if rec.Err == nil {
			scored[i].Scores, rows = &rows[0], rows[1:]
		}
	}
	return scored
}

// onwards parses and scores records, each by itself and, if there was a batch, as the
// batch scored the holdout. Those of the batch, which was the Fit, keep the rows that
// they got in it. It emits them in their order, some at a time, and does not depend on
// the number of workers (0: one for each core). An error of the records ends it after the rows before
// the error, one of emit or ctx at once.
func onwards(ctx context.Context, s *algo.Scorer, others []*algo.Scorer, f *Fit, workers int, records iter.Seq2[placed, error], emit func([]table.Scored) error) error {
	known := make(map[int]*algo.Row, len(f.Records))
	for i, place := range f.Records {
		known[place] = &f.Rows[i]
	}
	type result struct {
		scored []table.Scored
		err    error
	}
	most := piece
	if s != nil {
		most = max(piece, s.Chunk())
	}
	for r, err := range dataset.Ordered(ctx, workers, inPieces(records, most), func(w []placed) (r result) {
		r.scored = make([]table.Scored, len(w))
		for i, p := range w {
			r.scored[i] = table.Scored{Record: p.read(), Scores: known[p.place]}
		}
		r.err = ScoreEach(ctx, s, r.scored)
		for _, other := range others {
			if r.err == nil {
				r.err = scoreOther(ctx, other, r.scored)
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

// scoreOther appends the rows of a further model to Others of those of the records that have a
// graph.
func scoreOther(ctx context.Context, s *algo.Scorer, records []table.Scored) error {
	again := make([]table.Scored, len(records))
	for i, r := range records {
		again[i].Record = r.Record
	}
	err := ScoreEach(ctx, s, again)
	for i := range records {
		if records[i].Err == nil {
			records[i].Others = append(records[i].Others, again[i].Scores)
		}
	}
	return err
}

// inPieces yields so many records at a time. An error comes behind the records before it.
func inPieces(records iter.Seq2[placed, error], most int) iter.Seq2[[]placed, error] {
	return func(yield func([]placed, error) bool) {
		var w []placed
		for p, err := range records {
			if err != nil {
				if len(w) == 0 || yield(w, nil) {
					yield(nil, err)
				}
				return
			}
			if w == nil {
				w = make([]placed, 0, most)
			}
			if w = append(w, p); len(w) == most {
				if !yield(w, nil) {
					return
				}
				w = nil
			}
		}
		if len(w) > 0 {
			yield(w, nil)
		}
	}
}

// ScoreEach scores those of the records that have a graph and no scores yet, each by itself.
func ScoreEach(ctx context.Context, s *algo.Scorer, records []table.Scored) error {
	var graphs []*graph.Graph
	var scored []*table.Scored
	for i := range records {
		if r := &records[i]; r.Err == nil && r.Scores == nil {
			graphs, scored = append(graphs, r.Graph), append(scored, r)
		}
	}
	if len(graphs) == 0 {
		return nil
	}
	rows, err := s.Score(ctx, graphs)
	for k := range rows {
		scored[k].Scores = &rows[k]
	}
	return err
}
