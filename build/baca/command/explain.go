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
	"baca/algo/table"
	"baca/build/report"
)

// answers are what --fdr and --explain add to rows.
type answers struct {
	fdr     float64 // 0 without
	explain bool
}

func (a *answers) register(fs *pflag.FlagSet) {
	fs.Float64Var(&a.fdr, "fdr", 0, "share of false ones among all called OOD (Benjamini and Hochberg), which then decides;\nadds the column q_value; 0 for none")
	fs.BoolVar(&a.explain, "explain", false, "add columns that say why, see above; takes some milliseconds a graph")
}

// columns names the further columns.
func (a *answers) columns() []string {
	var names []string
	if a.fdr > 0 {
		names = append(names, "q_value")
	}
	if a.explain {
		names = append(names, table.ExplainColumns...)
	}
	return names
}

// check reports what is wrong with the flags, or cannot be done with others.
func (a *answers) check(resume bool, shard string) error {
	if a.fdr != 0 {
		if err := decide.CheckFDR(a.fdr); err != nil {
			return usagef("--fdr: %w", err)
		}
		if resume || shard != "" {
			return usagef("--fdr: it needs the p-values of all rows at once, so neither --resume nor --shard goes with it")
		}
	}
	if a.explain && shard != "" {
		return usagef("--explain: not with --shard; explain the rows that matter with a run of their own")
	}
	return nil
}

// writer returns the writer of rows, which with --fdr keeps them until finish.
func (a *answers) writer(w io.Writer, to string, header bool) (table.Writer, error) {
	out := newRowWriter(w, to, header, a.columns()...)
	if a.fdr == 0 {
		return out, nil
	}
	return newPending(out)
}

// An explainer fills in the columns of --explain.
type explainer struct {
	ctx       context.Context
	alone     *algo.Alone
	scorer    *algo.Scorer
	alpha     float64
	workers   int
	canonical bool // graphs are of canonical forms
	fit       *table.Fit
	places    map[int]int // index in the batch of a record, by its place
	place     int         // of the next record
}

func newExplainer(ctx context.Context, m *algo.Model, s *algo.Scorer, o algo.Options) (*explainer, error) {
	alone, err := algo.NewAlone(ctx, m, 1)
	if err != nil {
		return nil, err
	}
	return &explainer{
		ctx: ctx, alone: alone, scorer: s, alpha: o.Alpha, workers: o.Workers,
		canonical: m.Card.Schema == algo.OGBCanonical,
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
	return written(s.outName, p.finish(s.alpha, s.fdr, &s.done))
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
	order := func(v []float64) []float64 { return v }
	if e.canonical {
		order = report.Written(r.SMILES, r.Graph.N())
	}
	return table.Explained(x, like, order), nil
}

// like returns the records of the input that the OOD dictionary of the attention
// holds and that it looks at most for this one.
func (e *explainer) like(r table.Scored, place int) ([]float64, error) {
	if e.fit == nil || e.fit.Report == nil || e.fit.Alone {
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
	out   table.Writer
	file  *os.File
	to    *bufio.Writer
	rows  *gob.Encoder
	tally *decide.Tally
	count int
	err   error
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
}

func newPending(out table.Writer) (*pending, error) {
	f, err := os.CreateTemp("", "baca-rows-")
	if err != nil {
		return nil, err
	}
	// Where the system allows that, it has no name from here on, and nothing is
	// left behind if the process is killed.
	os.Remove(f.Name())
	to := bufio.NewWriterSize(f, 1<<20)
	return &pending{out: out, file: f, to: to, rows: gob.NewEncoder(to), tally: decide.NewTally()}, nil
}

// Write implements table.Writer.
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
	}
	p.count++
	if err := p.rows.Encode(&k); err != nil && p.err == nil {
		p.err = err
	}
}

// Flush implements table.Writer. The rows stay in the file.
func (p *pending) Flush() error { return p.err }

// finish writes all rows with q-values and the verdicts that follow from them, and
// counts these.
func (p *pending) finish(alpha, fdr float64, done *scoreState) error {
	if err := errors.Join(p.err, p.to.Flush()); err != nil {
		return err
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	q := p.tally.QValues()
	done.Outside, done.Borderline, done.Inside = 0, 0, 0
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
		k.Row.Verdict = decide.JudgeBatch(k.Row.P, value, alpha, fdr)
		done.count(k.Row.Verdict)
		more := []any{value}
		if k.More.There {
			more = append(more, k.More.Duplicate, slices.Clone(k.More.Reasons))
			for _, v := range k.More.Numbers {
				more = append(more, v)
			}
		}
		p.out.Write(rec, &k.Row, more...)
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
	}
}
