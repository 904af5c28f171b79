package command

import (
	"bufio"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"

	"baca/algo/decide"
	"baca/algo/table"
)

// decide writes the rows of --fdr unless there was an error, and returns it.
func (s *scoring) decide(err error) error {
	if err != nil {
		s.say("note: with --fdr rows are written when all are scored, so there are none")
		return err
	}
	s.done.Counts, err = s.held.finish(s.rate, s.model.References())
	return written(s.out, err)
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
