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

// At most MaxGraphs graphs form a batch, fewer if they are very large. From longer inputs a sample
// forms it, and the others are scored in its state. So memory is bounded, and all scores are
// comparable.
const (
	MaxGraphs = 4096
	maxNodes  = 1 << 20   // unless there are fewer than algo.MinBatch graphs
	maxText   = 128 << 20 // bytes of records waiting for the batch
)

// perRecord is a record's overhead in maxText.
const perRecord = 64

// A Fit is a scored batch.
type Fit struct {
	*algo.Report
	Graphs  []*graph.Graph // of the batch, in the order of Report.Rows
	Records []int          // their places in the input, from 0
	// Sample reports an even sample of the input or, with First, its first graphs.
	Sample, First bool
	// Total is the number of records, 0 if unknown.
	Total int
}

// Sentences describe a batch, given what decides and whether rows have both answers. A nil Fit has
// none.
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
		list = append(list, fmt.Sprintf("note: outside by the batch also needs p <= %g by itself, or that no training graph is as much like this list (batch_foreign)", algo.Guard))
	}
	return list
}

// An Input is a sequence of records.
type Input struct {
	Records iter.Seq2[dataset.Record, error]
	// Again, if not nil, restarts the input; callers release it. Otherwise Records is all there is,
	// and a sample has the first graphs.
	Again func() (records iter.Seq2[dataset.Record, error], release func(), err error)
}

type ScoreOptions struct {
	// Batch scores the graphs as a batch. Otherwise each is scored by itself in one pass, with
	// Workers and Skip only.
	Batch   bool
	Graphs  int // of the batch, at most; 0: MaxGraphs
	Seed    uint64
	Workers int // 0: all cores
	// Skip rows were emitted by an earlier run. With Batch the input needs Again.
	Skip int
	// Others are more models, with rows in Scored.Others, without Batch.
	Others []*algo.Scorer
	// Reading, if not nil, gets the number of records seen for the sample.
	Reading func(records int)
	// Fitting, if not nil, gets the batch before it is scored, without Report.
	Fitting func(*Fit)
	// Fitted, if not nil, gets the scored batch before the first row. An input without graphs has
	// none.
	Fitted func(*Fit) error
}

// block records are parsed at a time before there is a batch, piece records by one goroutine
// afterwards, or more for a GPU.
const (
	block = 256
	piece = 32
)

// meanSize is the mean size of records that ends a piece early: many pieces wait.
const meanSize = 2 << 10

// Score scores the graphs of an input and emits its records in order. Rows depend on input, scorer
// and seed, not on the number of workers. An error of the input ends it after the rows before; one
// of emit or ctx ends it at once.
func Score(ctx context.Context, s *algo.Scorer, in Input, o ScoreOptions, emit func([]table.Scored) error) error {
	if o.Graphs <= 0 {
		o.Graphs = MaxGraphs
	}
	if !o.Batch {
		return scoreStream(ctx, s, o.Others, &Fit{}, o.Workers, inOrder(in.Records, 0, o.Skip), emit)
	}
	next, stop := iter.Pull2(in.Records)
	defer func() { stop() }()
	r := &reader{next: next, workers: o.Workers}
	if err := r.fillBatch(ctx, o.Graphs); err != nil {
		return err
	}
	first := 0 // place of the first parsed record
	for in.Again == nil && len(r.graphs) == 0 && r.hasNext() {
		// Too many refused records to wait for a graph.
		refused := make([]table.Scored, len(r.parsed))
		for i := range refused {
			refused[i].Record = r.parsed[i]
		}
		if err := emit(refused); err != nil {
			return err
		}
		first, r.parsed, r.text = r.records, nil, 0
		if err := r.fillBatch(ctx, o.Graphs); err != nil {
			return err
		}
	}
	f, records := &Fit{Graphs: r.graphs, Records: r.places}, r.all()
	switch {
	case !r.hasNext():
		f.Total = r.records
	case in.Again == nil:
		f.Sample, f.First = true, true
	default:
		var err error
		if f, err = r.sample(ctx, o); err != nil {
			return err
		}
		stop()
		stop = func() {}
	}
	if err := fit(ctx, s, o, f); err != nil {
		return err
	}
	if f.Sample && !f.First {
		again, release, err := in.Again()
		if err != nil {
			return err
		}
		defer release()
		records = again
	}
	return scoreStream(ctx, s, nil, f, o.Workers, inOrder(records, first, o.Skip), emit)
}

// inOrder yields records after skip ones, with places from first on.
func inOrder(records iter.Seq2[dataset.Record, error], first, skip int) iter.Seq2[placed, error] {
	return func(yield func(placed, error) bool) {
		place := first
		for rec, err := range records {
			if (place >= first+skip || err != nil) && !yield(placed{place, rec}, err) {
				return
			}
			place++
		}
	}
}

// A reader reads an input up to the batch.
type reader struct {
	next    func() (dataset.Record, error, bool)
	workers int
	broken  error // of the input, after what was read

	parsed      []dataset.Record // all so far
	graphs      []*graph.Graph
	places      []int // of graphs
	records     int   // read
	nodes, text int
	ahead       dataset.Record // read by hasNext
	isAhead     bool
}

// parseNext reads and parses up to n records.
func (r *reader) parseNext(ctx context.Context, n int) ([]dataset.Record, error) {
	var records []dataset.Record
	for len(records) < n && r.hasNext() {
		records = append(records, r.take())
	}
	return records, parse(ctx, r.workers, records)
}

// parse parses records on that many goroutines.
func parse(ctx context.Context, workers int, records []dataset.Record) error {
	return parallel.For(ctx, workers, len(records), func(_, i int) { records[i] = records[i].Parsed() })
}

// fillBatch reads until a batch is full or the input ends.
func (r *reader) fillBatch(ctx context.Context, graphs int) error {
	full := func() bool {
		return len(r.graphs) >= graphs || r.text >= maxText || r.nodes >= maxNodes && len(r.graphs) >= algo.MinBatch
	}
	for !full() {
		records, err := r.parseNext(ctx, min(block, graphs-len(r.graphs)))
		if err != nil || len(records) == 0 {
			return err
		}
		for _, rec := range records {
			r.parsed = append(r.parsed, rec)
			r.text += len(rec.SMILES) + len(rec.ID) + len(rec.Molfile()) + perRecord
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

// hasNext reports whether there is another record, which take returns.
func (r *reader) hasNext() bool {
	if !r.isAhead && r.broken == nil {
		r.ahead, r.broken, r.isAhead = r.next()
		r.isAhead = r.isAhead && r.broken == nil
	}
	return r.isAhead
}

func (r *reader) take() dataset.Record {
	r.isAhead = false
	return r.ahead
}

// all yields the parsed records, and then the remaining ones.
func (r *reader) all() iter.Seq2[dataset.Record, error] {
	return func(yield func(dataset.Record, error) bool) {
		for _, rec := range r.parsed {
			if !yield(rec, nil) {
				return
			}
		}
		for r.hasNext() {
			if !yield(r.take(), nil) {
				return
			}
		}
		if r.broken != nil {
			yield(dataset.Record{}, r.broken)
		}
	}
}

// fit scores the graphs of a Fit and completes it.
func fit(ctx context.Context, s *algo.Scorer, o ScoreOptions, f *Fit) error {
	if len(f.Graphs) == 0 {
		return ctx.Err()
	}
	if o.Fitting != nil {
		o.Fitting(f)
	}
	report, err := s.Batch(ctx, f.Graphs)
	if err != nil {
		return err
	}
	if f.Report = report; o.Fitted != nil {
		err = o.Fitted(f)
	}
	return err
}

// sample draws a sample from the whole input, unscored. An input error ends it, and comes again
// when rows are scored.
func (r *reader) sample(ctx context.Context, o ScoreOptions) (*Fit, error) {
	s := newSample(o.Graphs, o.Seed)
	for i, g := range r.graphs {
		s.add(r.places[i], g)
	}
	before := r.records
	r.parsed, r.graphs, r.places = nil, nil, nil
	rest, err := s.draw(ctx, o.Workers, inOrder(r.all(), before, 0), func(records int) {
		if o.Reading != nil {
			o.Reading(before + records)
		}
	})
	if ctx.Err() != nil {
		return nil, err
	}
	return s.fit(before + rest), nil
}

// scoreStream parses and scores records, each by itself and, after a batch, in its state. Records
// of the batch, the Fit, keep their rows. It emits them in order and does not depend on the number
// of workers (0: one for each core). An error of the records ends it after the rows before, one of
// emit or ctx at once.
func scoreStream(ctx context.Context, s *algo.Scorer, others []*algo.Scorer, f *Fit, workers int, records iter.Seq2[placed, error], emit func([]table.Scored) error) error {
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
			r.scored[i] = table.Scored{Record: p.Parsed(), Scores: known[p.place]}
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

// scoreOther appends another model's rows to Others of records with a graph.
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

// inPieces yields most values at a time, fewer of large ones, each piece in memory of its own. An error comes
// after the values before it.
func inPieces[T interface{ Size() int }](values iter.Seq2[T, error], most int) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		var w []T
		size := 0
		for v, err := range values {
			if err != nil {
				if len(w) == 0 || yield(w, nil) {
					yield(nil, err)
				}
				return
			}
			if w == nil {
				w, size = make([]T, 0, most), 0
			}
			w, size = append(w, v), size+v.Size()
			if len(w) == most || size >= most*meanSize {
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

// ScoreEach scores records that have a graph and no scores, one by one.
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
