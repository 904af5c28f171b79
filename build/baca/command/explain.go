package command

import (
	"bufio"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/job"
	"baca/algo/table"
)

// answers are what --by, --fdr, --explain and --neighbors add to rows.
type answers struct {
	both bool    // columns of both answers
	fdr  float64 // 0 without
	// confidence over holdouts, 0 for none.
	confidence float64
	explain    bool
	neighbors  int  // named training graphs, 0 for none
	drop       bool // without the input's own columns
	known      bool // their values are known
	predictions
}

// defaultConfidence is the confidence of bounds by default.
const defaultConfidence = 0.95

// bounded reports whether false alarms among those outside are bounded.
func (a *answers) bounded() bool { return a.fdr > 0 || a.confidence > 0 }

// rate replaces alpha in verdicts by that many held-out graphs: with a confidence it is at most
// alpha, 0 if impossible.
func (a *answers) rate(alpha float64, references int) float64 {
	if a.confidence == 0 {
		return alpha
	}
	return decide.Confident(alpha, a.confidence, references)
}

// fields of a run's rows, with the input's own columns.
func (a *answers) fields(run *table.Run, own []string) []table.Field {
	groups := table.Usual
	switch {
	case a.both:
		groups |= table.OfBatch
	case run.By != algo.ByAlone:
		groups |= table.OfPaper
	}
	if a.fdr > 0 {
		groups |= table.OfRate
	}
	if a.explain {
		groups |= table.OfReasons
	}
	if a.nearest() > 0 {
		groups |= table.OfNeighbors
	}
	if a.known {
		groups |= table.OfValues
	}
	if a.predictions.column != "" {
		groups |= table.OfTrust
	}
	run.FDR = a.fdr
	return withOwn(append(table.Fields(groups), run.Fields()...), own)
}

// withOwn appends the input's own columns.
func withOwn(fields []table.Field, own []string) []table.Field {
	return append(fields, table.OwnFields(own, fields...)...)
}

// nearest is the number of named training graphs.
func (a *answers) nearest() int {
	if a.explain && a.neighbors == 0 {
		return algo.NearestExplained
	}
	return a.neighbors
}

// writer returns the writer of a run's rows, which with --fdr holds them until finish.
func (a *answers) writer(w io.Writer, to string, text table.Text, header bool, run *table.Run, own []string) (*table.Sink, error) {
	out := table.NewSink(w, to, text, header, a.fields(run, own))
	if a.fdr == 0 {
		return out, nil
	}
	p, err := newPending(out.Writer, a.fdr)
	out.Writer = p
	return out, err
}

// newExplainer returns the source of --explain's columns.
func newExplainer(ctx context.Context, m *algo.Model, alpha float64) (*job.Explainer, error) {
	// Single graphs are no work for a GPU.
	here, encoder := *m, *m.Encoder
	here.Encoder, encoder.Device = &encoder, nil
	alone, err := algo.NewSingleScorer(ctx, &here, 1)
	if err != nil {
		return nil, err
	}
	return &job.Explainer{Alone: alone, Alpha: alpha, Form: algo.FormOf(m.Card.Schema)}, nil
}

// finish writes the rows of --fdr unless there was an error, and returns it.
func (s *scoring) finish(err error) error {
	p, ok := s.pending()
	if !ok {
		return err
	}
	defer p.close()
	if err != nil {
		fmt.Fprintln(s.stderr, "note: with --fdr rows are written when all are scored, so there are none")
		return err
	}
	s.done.Counts, err = p.finish(s.rate, s.model.References())
	return written(s.outName, err)
}

// pending is the writer of --fdr, if used.
func (s *scoring) pending() (*pending, bool) {
	if s.out == nil {
		return nil, false
	}
	p, ok := s.out.Writer.(*pending)
	return p, ok
}

// judged reports final verdicts: with --fdr after all rows are scored.
func (s *scoring) judged() bool {
	p, ok := s.pending()
	return !ok || p.done
}

// A pending writer holds rows in a temporary file until all p-values are known.
type pending struct {
	out   table.Writer
	fdr   float64
	file  *os.File
	to    *bufio.Writer
	rows  *gob.Encoder
	tally *decide.Tally
	most  float64 // the highest p-value outside, after finish
	count int
	done  bool // rows are written
	err   error
}

func newPending(out table.Writer, fdr float64) (*pending, error) {
	f, err := os.CreateTemp("", "baca-rows-")
	if err != nil {
		return nil, err
	}
	// Where possible the file has no name from here on, so a killed process leaves nothing.
	os.Remove(f.Name())
	to := bufio.NewWriterSize(f, 1<<20)
	return &pending{out: out, fdr: fdr, file: f, to: to, rows: gob.NewEncoder(to), tally: decide.NewTally()}, nil
}

func (p *pending) Write(columns []table.Column) {
	refused := table.Named(columns, "error").Texts
	for i, x := range table.Named(columns, "p_value").Numbers {
		if refused[i] == "" {
			p.tally.Add(x, 1)
		}
	}
	p.count++
	p.err = cmp.Or(p.err, p.rows.Encode(columns))
}

func (p *pending) Close() error { return p.out.Close() }

// Flush leaves the rows in the file.
func (p *pending) Flush() error { return p.err }

// finish writes all rows with q-values and final verdicts, and counts these. Borderline is up to
// alpha, 0 for none.
func (p *pending) finish(alpha float64, references int) (counts decide.Counts, err error) {
	if err := errors.Join(p.err, p.to.Flush()); err != nil {
		return counts, err
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return counts, err
	}
	q := p.tally.QValues()
	rows := gob.NewDecoder(bufio.NewReaderSize(p.file, 1<<20))
	for range p.count {
		var columns []table.Column
		if err := rows.Decode(&columns); err != nil {
			return counts, fmt.Errorf("reading back the rows: %w", err)
		}
		p.decide(columns, q, alpha, references, &counts)
		p.out.Write(columns)
	}
	p.done = true
	return counts, p.out.Flush()
}

// decide sets the q-values and verdicts of rows, and counts the verdicts.
func (p *pending) decide(columns []table.Column, q decide.Levels, alpha float64, references int, counts *decide.Counts) {
	rule := decide.Rule{Alpha: alpha, Holdout: references, ByRate: true, Cut: q.Cut(p.fdr)}
	refused, values := table.Named(columns, "error").Texts, table.Named(columns, "p_value").Numbers
	for i, x := range values {
		if refused[i] != "" {
			emptyLists(columns, i)
			continue
		}
		v := rule.Judge(x, x)
		table.Named(columns, "q_value").Numbers[i], table.Named(columns, "verdict").Texts[i] = q.Of(x), string(v)
		if counts.Count(v); v == decide.Outside {
			p.most = max(p.most, x)
		}
	}
}

// emptyLists turns a row's empty lists into no value: package gob does not distinguish them.
func emptyLists(columns []table.Column, row int) {
	for i := range columns {
		if c := &columns[i]; c.TextLists != nil {
			c.TextLists[row] = nil
		} else if c.NumberLists != nil {
			c.NumberLists[row] = nil
		}
	}
}

func (p *pending) close() {
	p.file.Close()
	os.Remove(p.file.Name())
}
