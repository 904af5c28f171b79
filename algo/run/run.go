// Package run scores lists. A [Plan] says what is read, how it is scored, explained and judged, and where rows go. A [Run]
// does this in the same way for the command, the page, servers and engines, which translate input and draw output.
package run

import (
	"context"
	"iter"
	"math"
	"slices"
	"strings"

	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/feature/trust"
	"baca/algo/graph"
	"baca/algo/model"
	"baca/algo/molecule"
	"baca/algo/table"
)

// A Plan says what is scored, how, and where rows go.
type Plan struct {
	Model   *model.Model
	Options batch.Options // of the scorer; Seed and Workers are also those of the run
	// Batch scores the graphs as a batch, which every Options.By but alone needs. Otherwise each graph is scored by
	// itself, in one pass.
	Batch  bool
	Graphs int // the most graphs of the batch; 0: MaxGraphs
	// Confidence is that with which false alarms stay at Options.Alpha, given the choice of held-out graphs. 0: on average.
	Confidence float64
	Others     []*model.Model // further models that score each record; not with Batch

	// Columns are those of rows. Reasons, neighbours, judgements and structures are computed only for their columns.
	Columns     table.Group
	Neighbors   int          // number of neighbours for OfNeighbors; 0: those of the explanation
	Predictions *Predictions // predictions for OfTrust; nil: none
	From        *table.Run   // columns on where rows come from, such as what decided; nil: none
	Own         *[]string    // columns of the input, known after reading has begun; nil: none

	Input Input
	// Skip is the number of rows that an earlier run has written. With Batch, Input.Again is needed.
	Skip int

	// Reading, if not nil, is called with the number of records read for the sample.
	Reading func(records int)
	// Fitting, if not nil, is called with the batch before it is scored: Report is nil.
	Fitting func(*Fit)
	// Fitted, if not nil, is called with the scored batch before the first row. It is not called for an input without
	// graphs.
	Fitted func(*Fit) error
	// Open, if not nil, is called after the first records were read. It returns where rows with these columns go, and
	// where refused records go, each or both of which may be nil.
	Open func(fields []table.Field) (rows, rejects *table.Sink, err error)
	// Rows, if not nil, is called with rows in the order of the input, before they are written. They are valid until it
	// returns. Written, if not nil, is called after they were written.
	Rows    func(rows []table.Row) error
	Written func() error
}

// Form returns the form in which the plan reads molecules. Explanations and batches depend on the order of atoms.
func (p *Plan) Form() molecule.Form {
	form := p.Model.Form()
	if !p.Batch && p.Columns&(table.OfReasons|table.OfNeighbors) == 0 {
		return form.Unordered()
	}
	return form
}

// A Run is a plan at work.
type Run struct {
	Plan
	Scorer *batch.Scorer
	Rate   float64     // rate of verdicts: alpha, less with a confidence, or 0 if the confidence is impossible
	Fit    *Fit        // the scored batch; nil before that, and without a batch
	Tally  table.Tally // counts of the rows

	others        []*batch.Scorer
	explainer     *Explainer // nil if nothing is explained
	began         bool
	rows, rejects *table.Sink
}

// New prepares a run. An error names an option that the model does not allow.
func New(ctx context.Context, p Plan) (*Run, error) {
	r := &Run{Plan: p, Rate: p.Options.Alpha}
	if r.Graphs <= 0 {
		r.Graphs = MaxGraphs
	}
	o := p.Options
	if p.Confidence > 0 {
		r.Rate = decide.Confident(o.Alpha, p.Confidence, p.Model.References())
	}
	if o.Alpha = r.Rate; r.Rate == 0 && p.Confidence > 0 {
		o.Alpha = 1 / float64(2+p.Model.References()) // unreachable: all are undecided
	}
	var err error
	if r.Scorer, err = batch.NewScorer(ctx, p.Model, o); err != nil {
		return nil, err
	}
	o.Single = nil // further models have scorers of their own
	for _, m := range p.Others {
		s, err := batch.NewScorer(ctx, m, o)
		if err != nil {
			return nil, err
		}
		r.others = append(r.others, s)
	}
	if p.Columns&(table.OfReasons|table.OfNeighbors) != 0 {
		r.explainer, err = newExplainer(ctx, p.Model, r.Scorer.Single(), p.Options.Alpha)
	}
	return r, err
}

// Do scores the input and hands out its rows in order. Rows depend on input, model and seed, not on the number of workers.
// An error of the input is returned after the rows before it. An error of ctx or of one of the plan's functions ends the
// run at once.
func (r *Run) Do(ctx context.Context) error {
	release, err := r.compare(ctx)
	if err != nil {
		return err
	}
	defer release()
	if r.Batch {
		err = r.batch(ctx)
	} else {
		err = r.stream(ctx, &Fit{}, inOrder(r.Input.Records, 0, r.Skip))
	}
	if err != nil {
		return err
	}
	return r.emit(ctx, nil) // the header of no rows
}

// compare compares the input with the held-out molecules if its predictions are judged. This reads the input to the end and
// opens it again; release, never nil without an error, closes it. An input that can be read only once is not compared, so
// it gets no intervals and verdicts of the list.
func (r *Run) compare(ctx context.Context) (release func(), err error) {
	p := r.Predictions
	if p == nil || p.Judging == nil || r.Input.Again == nil {
		return func() {}, nil
	}
	list, err := SampleOf(ctx, r.Input.Records, r.Options.Seed, r.Options.Workers)
	if err != nil {
		return nil, err
	}
	if r.Input.Records, release, err = r.Input.Again(); err != nil {
		return nil, err
	}
	return release, p.Compare(ctx, list.Graphs, list.Sample)
}

// batch fits the scorer to the graphs of the input as a batch, and then scores all records in that state:
//
//   - An input that fits into a batch is read once.
//   - From a longer one it draws a sample, if the input can be opened again, and reads it again.
//   - Otherwise the first graphs are the sample.
//
// It writes refused records early where there are too many before the first graph.
func (r *Run) batch(ctx context.Context) error {
	in := r.Input
	next, stop := iter.Pull2(in.Records)
	defer func() { stop() }() // the value of stop at the end
	from := &reader{next: next, workers: r.Options.Workers}
	if err := from.fillBatch(ctx, r.Graphs); err != nil {
		return err
	}
	first := 0 // place of the first parsed record
	for in.Again == nil && len(from.graphs) == 0 && from.hasNext() {
		// Too many refused records to wait for a graph.
		if err := r.emit(ctx, table.Listed(from.parsed)); err != nil {
			return err
		}
		first, from.parsed, from.text = from.records, nil, 0
		if err := from.fillBatch(ctx, r.Graphs); err != nil {
			return err
		}
	}
	f, records := &Fit{Graphs: from.graphs, Records: from.places}, from.all()
	switch {
	case !from.hasNext():
		f.Total = from.records
	case in.Again == nil:
		f.Sample, f.First = true, true
	default:
		var err error
		if f, err = from.sample(ctx, &r.Plan); err != nil {
			return err
		}
		stop()
		stop = func() {}
	}
	if err := r.fit(ctx, f); err != nil {
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
	return r.stream(ctx, f, inOrder(records, first, r.Skip))
}

// fit scores the graphs of a Fit, sets its Report and tells the plan. Without graphs it does nothing.
func (r *Run) fit(ctx context.Context, f *Fit) error {
	if len(f.Graphs) == 0 {
		return ctx.Err()
	}
	if r.Fitting != nil {
		r.Fitting(f)
	}
	report, err := r.Scorer.Batch(ctx, f.Graphs)
	if err != nil {
		return err
	}
	f.Report, r.Fit = report, f
	if f.Few && r.From != nil { // too few graphs for the batch to decide
		r.From.By = batch.ByAlone
	}
	if r.explainer != nil && !f.Few {
		r.explainer.Scorer, r.explainer.Batch = r.Scorer, f.Records
	}
	if r.Fitted != nil {
		err = r.Fitted(f)
	}
	return err
}

// stream parses and scores records on several cores and emits their rows in the order of the input. Without a batch f each
// record is scored by itself. With one, members of the batch have the scores of f, and others are scored in the state after
// it. If reading the records fails, the rows before that are emitted first.
func (r *Run) stream(ctx context.Context, f *Fit, records iter.Seq2[placed, error]) error {
	known := make(map[int]*batch.Row, len(f.Records))
	for i, place := range f.Records {
		known[place] = &f.Rows[i]
	}
	type result struct {
		rows []table.Row
		err  error
	}
	scorePiece := func(records []placed) (done result) {
		parsed, scores := make([]dataset.Record, len(records)), make([]*batch.Row, len(records))
		for i, p := range records {
			parsed[i], scores[i] = p.Parsed(), known[p.place]
		}
		done.rows, done.err = r.score(ctx, parsed, scores)
		return done
	}
	most := piece
	if r.Scorer != nil {
		most = max(piece, r.Scorer.Chunk())
	}
	for done, err := range dataset.Ordered(ctx, r.Options.Workers, dataset.Pieces(records, most), scorePiece) {
		if err == nil {
			err = done.err
		}
		if err == nil {
			err = r.emit(ctx, done.rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Each scores each of some parsed records by itself, and returns their rows.
func (r *Run) Each(ctx context.Context, records []dataset.Record) ([]table.Row, error) {
	return r.score(ctx, records, make([]*batch.Row, len(records)))
}

// score returns the rows of parsed records, scored by r.Scorer and by all others. A refused record has no scores.
// scores has those of r.Scorer that are known already, and nil where there are none.
func (r *Run) score(ctx context.Context, records []dataset.Record, scores []*batch.Row) ([]table.Row, error) {
	rows, scored := make([]table.Row, len(records)), make([]table.Scored, len(records))
	var graphs, all []*graph.Graph
	var missing, readable []*table.Scored
	for i := range records {
		if records[i].Err != nil {
			rows[i] = &records[i].Entry
			continue
		}
		s := &scored[i]
		s.Record, s.Trust, rows[i] = records[i], trust.Unjudged(math.NaN()), s
		if scores[i] != nil {
			s.Scores = *scores[i]
		} else {
			graphs, missing = append(graphs, s.Graph), append(missing, s)
		}
		if len(r.others) > 0 {
			all, readable = append(all, s.Graph), append(readable, s)
		}
	}
	if len(graphs) > 0 {
		list, err := r.Scorer.Score(ctx, graphs)
		if err != nil {
			return nil, err
		}
		for k, s := range missing {
			s.Scores = list[k]
		}
	}
	for _, other := range r.others {
		list, err := other.Score(ctx, all)
		if err != nil {
			return nil, err
		}
		for k, s := range readable {
			s.Others = append(s.Others, list[k])
		}
	}
	return rows, nil
}

// emit completes rows, counts them and writes them, refused ones also to the rejects. Without rows it writes the header
// alone, if that is not yet written.
func (r *Run) emit(ctx context.Context, rows []table.Row) error {
	if err := r.begin(); err != nil {
		return err
	}
	if err := r.complete(ctx, rows); err != nil {
		return err
	}
	r.Tally.Add(rows)
	if r.rows != nil {
		r.rows.Add(rows...)
	}
	for _, row := range rows {
		if row.Input().Err != nil && r.rejects != nil {
			r.rejects.Add(row)
		}
	}
	if len(rows) > 0 && r.Rows != nil {
		if err := r.Rows(rows); err != nil {
			return err
		}
	}
	for _, sink := range []*table.Sink{r.rows, r.rejects} {
		if sink == nil {
			continue
		}
		if err := sink.Flush(); err != nil {
			return err
		}
	}
	if len(rows) > 0 && r.Written != nil {
		return r.Written()
	}
	return nil
}

// begin opens the sinks for rows and rejects at the first call, when the columns are known. Without Plan.Open there are none.
func (r *Run) begin() (err error) {
	if r.Open == nil || r.began {
		return nil
	}
	r.began = true
	r.rows, r.rejects, err = r.Open(r.fields())
	return err
}

// fields returns the columns of rows: those of the scores, for several models of each, then From and the input's own.
func (r *Run) fields() []table.Field {
	fields := table.Fields(r.Columns)
	var from []table.Field
	if r.From != nil {
		from = r.From.Fields()
	}
	if len(r.Others) > 0 {
		names := []string{r.Model.Card.Name}
		for _, m := range r.Others {
			names = append(names, m.Card.Name)
		}
		fields = table.ModelFields(names)
		from = slices.DeleteFunc(from, func(c table.Field) bool { return strings.HasPrefix(c.Name, "model") })
	}
	fields = append(fields, from...)
	if r.Own != nil {
		fields = append(fields, table.OwnFields(*r.Own, fields...)...)
	}
	return fields
}

// complete explains and judges rows as far as their columns require it.
func (r *Run) complete(ctx context.Context, rows []table.Row) error {
	workers := r.Options.Workers
	if r.Columns&table.OfReasons != 0 {
		if err := r.explainer.Explain(ctx, workers, rows); err != nil {
			return err
		}
	}
	if r.Columns&table.OfNeighbors != 0 && r.Neighbors > 0 {
		if err := r.explainer.Nearest(ctx, workers, rows, r.Neighbors); err != nil {
			return err
		}
	}
	if r.Columns&table.OfStructure != 0 {
		if err := structures(ctx, workers, rows, r.Model.Form()); err != nil {
			return err
		}
	}
	if r.Predictions == nil {
		return nil
	}
	return r.Predictions.Judge(ctx, rows)
}

// Sentences say what the batch showed about the list as a whole.
func (r *Run) Sentences() []string {
	return r.Fit.Sentences(r.Options.By, r.Columns&table.OfAnswers != 0, r.Rate)
}
