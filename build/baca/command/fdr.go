package command

import (
	"bufio"
	"cmp"
	"context"
	"encoding/gob"
	"fmt"

	"baca/algo/decide"
	"baca/algo/table"
	"baca/build/internal/spool"
	"baca/build/service"
)

// decide writes the rows of a run with --fdr. It returns the run's error if there was one, and then writes no rows.
func (s *scoring) decide(err error) error {
	if err != nil {
		s.say("note: with --fdr rows are written when all are scored, so there are none")
		return err
	}
	s.done.Counts, err = s.pending.finish(s.Rate, s.model.References())
	return written(s.out, err)
}

// widen replaces the scorer and the model by ones whose p-values also compare with training graphs.
func (s *scoring) widen(ctx context.Context) error {
	alone, wide, err := service.Widen(ctx, s.model, s.alone, s.workers)
	if err == nil {
		s.alone, s.model = alone, wide
	}
	return err
}

// A pending writer keeps rows until all p-values are known.
type pending struct {
	out   table.Writer
	fdr   float64
	spool spool.Spool
	rows  *gob.Encoder
	tally decide.Tally
	most  float64 // the highest p-value of a row outside, known after finish
	count int
	done  bool // whether the rows are written
	err   error
}

// pendingMemory is how many bytes of rows are kept in memory. The rest goes to a file.
const pendingMemory = 16 << 20

// newPending returns a writer that keeps rows until all p-values are known, and then writes them to out.
func newPending(out table.Writer, fdr float64) *pending {
	p := &pending{out: out, fdr: fdr, spool: spool.Spool{Memory: pendingMemory}, tally: decide.Tally{}}
	p.rows = gob.NewEncoder(&p.spool)
	return p
}

// Write counts the p-values of rows and keeps the rows.
func (p *pending) Write(columns []table.Column) {
	refused := table.Named(columns, "error").Texts
	for i, x := range table.Named(columns, "p_value").Numbers {
		if refused[i] == "" {
			p.tally.Add(x)
		}
	}
	p.count++
	p.err = cmp.Or(p.err, p.rows.Encode(columns))
}

func (p *pending) Close() error { return p.out.Close() }

// Flush writes nothing. It returns the first error of keeping rows.
func (p *pending) Flush() error { return p.err }

// finish writes all rows with their q-values and final verdicts, and returns the numbers of verdicts. Rows with p-values
// up to alpha that are not outside are borderline; with alpha 0 none is.
func (p *pending) finish(alpha float64, references int) (counts decide.Counts, err error) {
	if p.err != nil {
		return counts, p.err
	}
	q := p.tally.Levels()
	rows := gob.NewDecoder(bufio.NewReaderSize(p.spool.Reader(), 1<<20))
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

// decide sets the q-values and verdicts of rows, and adds the verdicts to counts.
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
		counts.Count(v)
		if v == decide.Outside {
			p.most = max(p.most, x)
		}
	}
}

// emptyLists removes the empty lists of a row, because package gob does not distinguish them from missing ones.
func emptyLists(columns []table.Column, row int) {
	for i := range columns {
		if c := &columns[i]; c.TextLists != nil {
			c.TextLists[row] = nil
		} else if c.NumberLists != nil {
			c.NumberLists[row] = nil
		}
	}
}
