package run

import (
	"context"
	"iter"

	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/internal/parallel"
)

// A batch has at most MaxGraphs graphs, and fewer if they are very large. From a longer input a sample forms the batch, and
// the other graphs are scored in the state after it. So memory is bounded, and all scores are comparable.
const (
	MaxGraphs = 4096
	maxNodes  = 1 << 20   // nodes in a batch of at least batch.MinBatch graphs
	maxText   = 128 << 20 // bytes of records waiting for the batch
)

// perRecord is what each record adds to maxText beside its texts.
const perRecord = 64

// An Input is a sequence of records.
type Input struct {
	Records iter.Seq2[dataset.Record, error]
	// Again, if not nil, starts the input again. The caller must call release. If it is nil, the input can be read once,
	// and a batch of a longer input has its first graphs.
	Again func() (records iter.Seq2[dataset.Record, error], release func(), err error)
}

// Up to the batch, block records are parsed at a time. After it, each goroutine gets piece records, or more with a GPU.
const (
	block = 256
	piece = 32
)

// inOrder yields records with their places, which begin at first. It leaves out the first skip records, but no error.
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

// A reader reads an input until it has a batch.
type reader struct {
	next    func() (dataset.Record, error, bool)
	workers int
	broken  error // error of the input after what was read

	parsed      []dataset.Record // all records so far
	graphs      []*graph.Graph
	places      []int // places of the graphs
	records     int   // number of records so far
	nodes, text int
	ahead       dataset.Record // what hasNext has read
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

// parse parses records in place, on so many goroutines. Only the end of ctx is an error.
func parse(ctx context.Context, workers int, records []dataset.Record) error {
	return parallel.For(ctx, workers, len(records), func(_, i int) { records[i] = records[i].Parsed() })
}

// fillBatch reads until there are so many graphs, another bound of a batch is reached, or the input ends.
func (r *reader) fillBatch(ctx context.Context, graphs int) error {
	full := func() bool {
		return len(r.graphs) >= graphs || r.text >= maxText || r.nodes >= maxNodes && len(r.graphs) >= batch.MinBatch
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

// hasNext reports whether there is another record, which take then returns. If the input has failed, r.broken is its error.
func (r *reader) hasNext() bool {
	if !r.isAhead && r.broken == nil {
		r.ahead, r.broken, r.isAhead = r.next()
		r.isAhead = r.isAhead && r.broken == nil
	}
	return r.isAhead
}

// take returns the record that hasNext has found.
func (r *reader) take() dataset.Record {
	r.isAhead = false
	return r.ahead
}

// all yields the records read so far, and then the remaining ones.
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

// sample draws a sample from the whole input. It is not scored yet. An error of the input ends it without an error,
// since the same error comes again when rows are scored.
func (r *reader) sample(ctx context.Context, p *Plan) (*Fit, error) {
	s := newSample(p.Graphs, p.Options.Seed)
	for i, g := range r.graphs {
		s.add(r.places[i], g)
	}
	before := r.records
	r.parsed, r.graphs, r.places = nil, nil, nil
	rest, err := s.draw(ctx, r.workers, inOrder(r.all(), before, 0), func(records int) {
		if p.Reading != nil {
			p.Reading(before + records)
		}
	})
	if ctx.Err() != nil {
		return nil, err
	}
	return s.fit(before + rest), nil
}
