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

	"github.com/spf13/pflag"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/job"
	"baca/algo/molecule"
	"baca/algo/table"
	"baca/algo/trust"
	"baca/build/internal/usage"
)

// answers are what --columns, --fdr, --explain and --neighbors add to rows.
type answers struct {
	which string  // columns: default or all
	fdr   float64 // 0 without
	// confidence over the choice of the held-out graphs, 0 without.
	confidence float64
	explain    bool
	neighbors  int  // training graphs that are named, 0 for none
	known      bool // values of these are
	predictions
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
	fs.IntVar(&a.neighbors, "neighbors", 0, "add columns with the `N` most similar training graphs; --explain adds 3")
	a.predictions.register(fs)
	fs.BoolVar(&a.explain, "explain", false, "add columns that say why, see above; takes some milliseconds a graph")
}

// columns are those of a row of a run.
func (a *answers) columns(run *table.Run) []table.Column {
	groups := table.Usual
	switch {
	case a.both():
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
	return append(table.Columns(groups), run.Columns()...)
}

// nearest is how many training graphs are named.
func (a *answers) nearest() int {
	if a.explain && a.neighbors == 0 {
		return algo.NearestExplained
	}
	return a.neighbors
}

// check reports what is wrong with the flags, or cannot be done with others. by is what
// decides.
func (a *answers) check(resume bool, shard, by string) error {
	if err := usage.OneOf("columns", a.which, "default", "all"); err != nil {
		return err
	}
	if a.fdr != 0 {
		if err := decide.CheckFDR(a.fdr); err != nil {
			return usage.Errorf("--fdr: %w", err)
		}
		if resume || shard != "" {
			return usage.Errorf("--fdr: it needs the p-values of all rows at once, so neither --resume nor --shard goes with it")
		}
		if by != algo.ByAlone {
			return usage.Errorf("--fdr with --by %s: false discoveries are bounded by the p-values of graphs by themselves; those of a batch all hang on what was learned from it, and a list of one kind makes all of them small at once", by)
		}
	}
	if a.confidence != 0 {
		if !(a.confidence > 0 && a.confidence < 1) {
			return usage.Errorf("--confidence %g: want a number between 0 and 1, such as %g, or 0 for none", a.confidence, defaultConfidence)
		}
		if shard != "" {
			return usage.Errorf("--confidence: not with --shard; without it the rows are the same but for verdicts, which p_value decides")
		}
		if by != algo.ByAlone {
			return usage.Errorf("--confidence with --by %s: it holds for the p-values of graphs by themselves", by)
		}
	}
	if a.neighbors < 0 || a.neighbors > algo.MaxNearest {
		return usage.Errorf("--neighbors %d: want 0 to %d", a.neighbors, algo.MaxNearest)
	}
	if a.neighbors > 0 && shard != "" {
		return usage.Errorf("--neighbors: not with --shard; ask for those of the rows that matter with a run of their own")
	}
	if a.explain && shard != "" {
		return usage.Errorf("--explain: not with --shard; explain the rows that matter with a run of their own")
	}
	return nil
}

// writer returns the writer of the rows of a run, which with --fdr keeps them until finish.
func (a *answers) writer(w io.Writer, to string, text table.Text, header bool, run *table.Run) (table.Writer, error) {
	out := table.NewWriter(w, to, text, header, a.columns(run))
	if a.fdr == 0 {
		return out, nil
	}
	return newPending(out, a.fdr)
}

// newExplainer returns what fills in the columns of --explain.
func newExplainer(ctx context.Context, m *algo.Model, alpha float64) (*job.Explainer, error) {
	// Explanations take graphs one at a time, which is no work for a GPU.
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
	p, ok := s.out.(*pending)
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

// judged tells whether the verdicts are final: with --fdr they are once all rows are scored.
func (s *scoring) judged() bool {
	p, ok := s.out.(*pending)
	return !ok || p.done
}

// A pending writer keeps rows in a temporary file until all p-values are known.
type pending struct {
	out   table.Writer
	fdr   float64
	file  *os.File
	to    *bufio.Writer
	rows  *gob.Encoder
	tally *decide.Tally
	most  float64 // the highest p-value of those called outside, after finish
	count int
	done  bool // finish has written the rows
	err   error
}

// A pendingRow is a row as the file keeps it.
type pendingRow struct {
	ID, SMILES, Error string
	Molfile           string
	Aside             molecule.Aside
	Scores            *algo.Row
	Why               *table.Why
	Nearest           []algo.TrainingGraph
	Trust             *trust.Judgement
}

func newPending(out table.Writer, fdr float64) (*pending, error) {
	f, err := os.CreateTemp("", "baca-rows-")
	if err != nil {
		return nil, err
	}
	// Where the system allows that, it has no name from here on, and nothing is
	// left behind if the process is killed.
	os.Remove(f.Name())
	to := bufio.NewWriterSize(f, 1<<20)
	return &pending{out: out, fdr: fdr, file: f, to: to, rows: gob.NewEncoder(to), tally: decide.NewTally()}, nil
}

// Write implements table.Writer.
func (p *pending) Write(s table.Scored) {
	k := pendingRow{ID: s.ID, SMILES: s.SMILES, Molfile: s.Molfile, Aside: s.Aside, Scores: s.Scores, Why: s.Why, Nearest: s.Nearest, Trust: s.Trust}
	if s.Err != nil {
		k.Error = s.Err.Error()
	} else {
		p.tally.Add(s.Scores.P, 1)
	}
	p.count++
	if err := p.rows.Encode(&k); err != nil && p.err == nil {
		p.err = err
	}
}

// Close implements table.Writer.
func (p *pending) Close() error { return p.out.Close() }

// Flush implements table.Writer. The rows stay in the file.
func (p *pending) Flush() error { return p.err }

// finish writes all rows with q-values and the verdicts that follow from them, and
// returns the counts of these. Borderline is up to alpha, 0 for none.
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
		var k pendingRow
		if err := rows.Decode(&k); err != nil {
			return counts, fmt.Errorf("reading back the rows: %w", err)
		}
		s := table.Scored{Record: table.Record{ID: k.ID, SMILES: k.SMILES, Molfile: k.Molfile, Aside: k.Aside}, Scores: k.Scores, Q: math.NaN(), Why: k.Why, Nearest: k.Nearest, Trust: k.Trust}
		if k.Error != "" {
			s.Err = errors.New(k.Error)
			p.out.Write(s)
			continue
		}
		row := k.Scores
		if !math.IsNaN(row.P) {
			s.Q = q[row.P]
		}
		row.Verdict = decide.JudgeBatch(row.P, s.Q, alpha, p.fdr, references)
		if counts.Count(row.Verdict); row.Verdict == decide.Outside {
			p.most = max(p.most, row.P)
		}
		p.out.Write(s)
	}
	p.done = true
	return counts, p.out.Flush()
}

// close removes the file.
func (p *pending) close() {
	p.file.Close()
	os.Remove(p.file.Name())
}
