package command

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/spf13/pflag"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/molecule"
	"baca/algo/report"
	"baca/algo/table"
	"baca/build/internal/usage"
)

// answers are what --columns, --fdr and --explain add to rows.
type answers struct {
	which string  // columns: default or all
	fdr   float64 // 0 without
	// confidence over the choice of the held-out graphs, 0 without.
	confidence float64
	explain    bool
}

// defaultConfidence is that of bounds where none is asked for.
const defaultConfidence = 0.95

// bounded tells whether the number of false ones among those called outside is bounded.
func (a *answers) bounded() bool { return a.fdr > 0 || a.confidence > 0 }

// rate returns what takes the place of alpha in verdicts by that many held-out graphs: with
// a confidence at most alpha, 0 where that cannot be kept.
func (a *answers) rate(alpha float64, references int) float64 {
	if a.confidence == 0 {
		return alpha
	}
	return decide.Confident(alpha, a.confidence, references)
}

// both tells whether rows have the columns of both answers.
func (a *answers) both() bool { return a.which == "all" }

func (a *answers) register(fs *pflag.FlagSet) {
	fs.StringVar(&a.which, "columns", "default", "default, or all: calibrate the batch, and add both answers")
	fs.Float64Var(&a.fdr, "fdr", 0, "share of false ones among all called outside (Benjamini and Hochberg), which then decides;\nadds the column q_value; 0 for none")
	fs.Float64Var(&a.confidence, "confidence", 0, "keep false alarms at alpha with this confidence over the choice of the held-out graphs,\nsuch as 0.95; 0 for on average")
	fs.BoolVar(&a.explain, "explain", false, "add columns that say why, see above; takes some milliseconds a graph")
}

// columns names the further columns.
func (a *answers) columns() []string {
	var names []string
	if a.both() {
		names = append(names, table.BatchColumns...)
	}
	if a.fdr > 0 {
		names = append(names, "q_value")
	}
	if a.explain {
		names = append(names, table.ExplainColumns...)
	}
	return names
}

// write writes a row with the columns of answers; those of --explain may be nil.
func (a *answers) write(w table.Writer, r table.Scored, explained []any) {
	if p, ok := w.(*pending); ok {
		p.Write(r.Record, r.Scores, explained...)
		return
	}
	w.Write(r.Record, r.Scores, a.cells(r.Scores, math.NaN(), explained)...)
}

// cells are the values of columns, none for a row that was refused.
func (a *answers) cells(row *algo.Row, q float64, explained []any) []any {
	if row == nil {
		return nil
	}
	var cells []any
	if a.both() {
		cells = append(cells, table.BatchCells(row)...)
	}
	if a.fdr > 0 {
		cells = append(cells, q)
	}
	return append(cells, explained...)
}

// check reports what is wrong with the flags, or cannot be done with others. by is what
// decides.
func (a *answers) check(resume bool, shard, by string) error {
	if err := usage.OneOf("columns", a.which, "default", "all"); err != nil {
		return err
	}
	if a.fdr != 0 {
		if err := decide.CheckFDR(a.fdr); err != nil {
			return usagef("--fdr: %w", err)
		}
		if resume || shard != "" {
			return usagef("--fdr: it needs the p-values of all rows at once, so neither --resume nor --shard goes with it")
		}
		if by != algo.ByAlone {
			return usagef("--fdr with --by %s: false discoveries are bounded by the p-values of graphs by themselves; those of a batch all hang on what was learned from it, and a list of one kind makes all of them small at once", by)
		}
	}
	if a.confidence != 0 {
		if !(a.confidence > 0 && a.confidence < 1) {
			return usagef("--confidence %g: want a number between 0 and 1, such as %g, or 0 for none", a.confidence, defaultConfidence)
		}
		if shard != "" {
			return usagef("--confidence: not with --shard; without it the rows are the same but for verdicts, which p_value decides")
		}
		if by != algo.ByAlone {
			return usagef("--confidence with --by %s: it holds for the p-values of graphs by themselves", by)
		}
	}
	if a.explain && shard != "" {
		return usagef("--explain: not with --shard; explain the rows that matter with a run of their own")
	}
	return nil
}

// writer returns the writer of rows, which with --fdr keeps them until finish.
func (a *answers) writer(w io.Writer, to string, text table.Text, header bool) (table.Writer, error) {
	out := table.NewRows(w, to, text, header, a.columns()...)
	if a.fdr == 0 {
		return out, nil
	}
	return newPending(out, a)
}

// An explainer fills in the columns of --explain.
type explainer struct {
	ctx     context.Context
	alone   *algo.SingleScorer
	scorer  *algo.Scorer
	alpha   float64
	workers int
	form    molecule.Form // of molecules
	fit     *table.Fit
	places  map[int]int // index in the batch of a record, by its place
	place   int         // of the next record
}

func newExplainer(ctx context.Context, m *algo.Model, s *algo.Scorer, o algo.Options) (*explainer, error) {
	alone, err := algo.NewSingleScorer(ctx, m, 1)
	if err != nil {
		return nil, err
	}
	return &explainer{
		ctx: ctx, alone: alone, scorer: s, alpha: o.Alpha, workers: o.Workers,
		form: algo.FormOf(m.Card.Schema),
	}, nil
}

// beginExplaining prepares the columns of --explain, if they are wanted.
func (s *scoring) beginExplaining(ctx context.Context, m *algo.Model, o algo.Options) (err error) {
	if !s.explain {
		return nil
	}
	if s.explainer, err = newExplainer(ctx, m, s.scorer, o); err == nil {
		s.explainer.place = s.options.Skip
	}
	return err
}

// finish writes the rows of --fdr unless there was an error, and returns it.
func (s *scoring) finish(err error) error {
	p, ok := s.out.(*pending)
	if !ok {
		return err
	}
	defer p.close()
	if err != nil {
		fmt.Fprintln(s.stderr, "note: with --fdr rows are written when all are scored, so there are none")
		return err
	}
	return written(s.outName, p.finish(s.rate, s.model.References(), &s.done))
}

// fitted tells which records the batch had.
func (e *explainer) fitted(f *table.Fit) {
	if e == nil {
		return
	}
	e.fit, e.places = f, map[int]int{}
	for i, place := range f.Records {
		e.places[place] = i
	}
}

// of explains rows, which come in the order of the input. A nil explainer has
// nothing to say.
func (e *explainer) of(rows []table.Scored) ([][]any, error) {
	found := make([][]any, len(rows))
	if e == nil {
		return found, nil
	}
	var group sync.WaitGroup
	var failed error
	var mu sync.Mutex
	workers := e.workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	slots := make(chan struct{}, workers)
	for i, r := range rows {
		place := e.place + i
		if r.Scores == nil {
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			cells, err := e.row(r, place)
			if err != nil {
				mu.Lock()
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
			found[i] = cells
		})
	}
	group.Wait()
	e.place += len(rows)
	return found, failed
}

// row is the columns of one record.
func (e *explainer) row(r table.Scored, place int) ([]any, error) {
	x, err := e.alone.Explain(e.ctx, r.Graph, e.alpha)
	if err != nil {
		return nil, err
	}
	like, err := e.like(r, place)
	if err != nil {
		return nil, err
	}
	return table.Explained(x, like, report.Written(r.SMILES, e.form, r.Graph.N())), nil
}

// like returns the records of the input that the OOD dictionary of the attention
// holds and that it looks at most for this one.
func (e *explainer) like(r table.Scored, place int) ([]float64, error) {
	if e.fit == nil || e.fit.Report == nil || e.fit.Few {
		return []float64{}, nil
	}
	q, err := e.alone.Embedding(e.ctx, r.Graph)
	if err != nil {
		return nil, err
	}
	own, ok := e.places[place]
	if !ok {
		own = -1
	}
	return table.LikeOutside(e.scorer, q, own, e.fit.Records), nil
}

// A pending writer keeps rows in a temporary file until all p-values are known.
type pending struct {
	out     table.Writer
	answers *answers
	file    *os.File
	to      *bufio.Writer
	rows    *gob.Encoder
	tally   *decide.Tally
	most    float64 // the highest p-value of those called outside, after finish
	count   int
	err     error
}

// A pendingRow is a row as the file keeps it.
type pendingRow struct {
	ID, SMILES, Error string
	Scored            bool
	Row               algo.Row
	More              pendingMore
}

// pendingMore are the values of table.ExplainColumns.
type pendingMore struct {
	There     bool
	Duplicate bool
	Reasons   []string
	Numbers   [6][]float64
	Parts     [2]float64 // distance and ratio
}

func newPending(out table.Writer, a *answers) (*pending, error) {
	f, err := os.CreateTemp("", "baca-rows-")
	if err != nil {
		return nil, err
	}
	// Where the system allows that, it has no name from here on, and nothing is
	// left behind if the process is killed.
	os.Remove(f.Name())
	to := bufio.NewWriterSize(f, 1<<20)
	return &pending{out: out, answers: a, file: f, to: to, rows: gob.NewEncoder(to), tally: decide.NewTally()}, nil
}

// Write implements table.Writer. More are the values of table.ExplainColumns, if any.
func (p *pending) Write(r table.Record, row *algo.Row, more ...any) {
	k := pendingRow{ID: r.ID, SMILES: r.SMILES}
	if r.Err != nil {
		k.Error = r.Err.Error()
	}
	if row != nil {
		k.Scored, k.Row = true, *row
		p.tally.Add(row.P, 1)
	}
	if len(more) > 0 {
		k.More.There = true
		k.More.Duplicate, k.More.Reasons = more[0].(bool), more[1].([]string)
		for i := range k.More.Numbers {
			k.More.Numbers[i] = more[2+i].([]float64)
		}
		for i := range k.More.Parts {
			k.More.Parts[i] = more[2+len(k.More.Numbers)+i].(float64)
		}
	}
	p.count++
	if err := p.rows.Encode(&k); err != nil && p.err == nil {
		p.err = err
	}
}

// Flush implements table.Writer. The rows stay in the file.
func (p *pending) Flush() error { return p.err }

// finish writes all rows with q-values and the verdicts that follow from them, and
// counts these. Borderline is up to alpha, 0 for none.
func (p *pending) finish(alpha float64, references int, done *scoreState) error {
	if err := errors.Join(p.err, p.to.Flush()); err != nil {
		return err
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	q := p.tally.QValues()
	done.Outside, done.Borderline, done.Inside, done.Undecided = 0, 0, 0, 0
	rows := gob.NewDecoder(bufio.NewReaderSize(p.file, 1<<20))
	for range p.count {
		var k pendingRow
		if err := rows.Decode(&k); err != nil {
			return fmt.Errorf("reading back the rows: %w", err)
		}
		rec := table.Record{ID: k.ID, SMILES: k.SMILES}
		if k.Error != "" {
			rec.Err = errors.New(k.Error)
		}
		if !k.Scored {
			p.out.Write(rec, nil)
			continue
		}
		value := math.NaN()
		if !math.IsNaN(k.Row.P) {
			value = q[k.Row.P]
		}
		k.Row.Verdict = decide.JudgeBatch(k.Row.P, value, alpha, p.answers.fdr, references)
		if done.count(k.Row.Verdict); k.Row.Verdict == decide.Outside {
			p.most = max(p.most, k.Row.P)
		}
		var explained []any
		if k.More.There {
			explained = append(explained, k.More.Duplicate, slices.Clone(k.More.Reasons))
			for _, v := range k.More.Numbers {
				explained = append(explained, v)
			}
			for _, v := range k.More.Parts {
				explained = append(explained, v)
			}
		}
		p.out.Write(rec, &k.Row, p.answers.cells(&k.Row, value, explained)...)
	}
	return p.out.Flush()
}

// close removes the file.
func (p *pending) close() {
	p.file.Close()
	os.Remove(p.file.Name())
}

// count counts a verdict.
func (d *scoreState) count(v decide.Verdict) {
	switch v {
	case decide.Outside:
		d.Outside++
	case decide.Borderline:
		d.Borderline++
	case decide.Inside:
		d.Inside++
	default:
		d.Undecided++
	}
}
