package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/graph"
	"baca/algo/molecule"
)

// The bounds of a batch. Graphs are scored together, so they say something about
// each other, and memory does not depend on the length of the input.
const (
	maxBatchGraphs  = 4096
	maxBatchNodes   = 1 << 20   // unless there are less than algo.MinBatch graphs
	maxBatchRecords = 1 << 16   // refused ones included
	maxBatchText    = 128 << 20 // bytes of SMILES and ids
)

type scoreFlags struct {
	source
	model, out, to, rejects string
	options                 algo.Options
}

func newScore() *cobra.Command {
	f := scoreFlags{options: algo.DefaultOptions()}
	o := &f.options
	c := &cobra.Command{
		Use:   "score [INPUT|-]",
		Short: "Score graphs by how far they lie outside what a model was trained on",
		Long: `Score reads molecules from a .smi, .csv or .tsv file (or .gz of these) or from
standard input, or plain graphs from a TUDataset folder, zip archive or one of the
set's files, and writes one row for each, in input order:

  id       from the input, or else the number of the record, from 1
  smiles   as read; empty for a TUDataset set
  s_pre    base score: how badly the encoder matches the two views of the graph
  s_attn   attention over dictionaries of in- and out-of-distribution graphs
  s_baca   the paper's score: both, standardised and added
  score    of the chosen calibrator; higher is further outside
  p_value  how often an in-distribution graph would score as high
  verdict  OOD where p_value is at most alpha, borderline up to twice that, or ID
  error    why the record was refused; it then has no scores

Up to 4096 graphs are scored together, and each score depends on the others in
its batch. Warnings and counts go to standard error. The exit status is 0 also
when records were refused, 2 after a mistake in the command line and 1 after any
other failure.`,
		Example: `  baca score molecules.smi
  baca score --to jsonl --out scores.jsonl --rejects refused.csv library.csv.gz
  zcat library.csv.gz | baca score - | head
  baca score --model PTC_MR MUTAG.zip`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%d inputs: want one, or none for standard input", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			f.path, f.columnSet = "-", c.Flags().Changed("column")
			if len(args) > 0 {
				f.path = args[0]
			}
			return f.run(c)
		},
	}
	fs := c.Flags()
	fs.StringVar(&f.model, "model", "bbbp", "embedded model by `NAME`, or a model file (./bbbp for a file of that name)")
	fs.StringVar(&f.format, "format", "auto", "of the input: "+strings.Join(formats, ", "))
	fs.StringVar(&f.column, "column", "smiles", "`name` of the column with the SMILES, for CSV")
	fs.StringVar(&f.out, "out", "", "write rows to this `file` instead of standard output")
	fs.StringVar(&f.to, "to", "csv", "form of the rows: csv or jsonl")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "of everything random")
	fs.IntVar(&f.workers, "workers", 0, "cores to use, 0 for all; the rows do not depend on it")
	fs.StringVar(&f.rejects, "rejects", "", "write refused records to this `file`, as CSV")
	fs.StringVar(&o.Calibrator, "calibrator", o.Calibrator, strings.Join(algo.Calibrators, ", "))
	fs.Float64Var(&o.Alpha, "alpha", o.Alpha, "share of in-distribution graphs that may be called OOD")
	return c
}

// check reports what is wrong with the flags before anything is opened.
func (f *scoreFlags) check() error {
	if err := oneOf("format", f.format, formats...); err != nil {
		return err
	}
	if err := oneOf("to", f.to, "csv", "jsonl"); err != nil {
		return err
	}
	if err := oneOf("calibrator", f.options.Calibrator, algo.Calibrators...); err != nil {
		return err
	}
	if err := decide.CheckAlpha(f.options.Alpha, 0); err != nil {
		return usagef("--alpha: %w", err)
	}
	if f.workers < 0 {
		return usagef("--workers %d: want 0 for all cores, or more", f.workers)
	}
	if f.out != "" && f.out == f.rejects {
		return usagef("--out and --rejects are both %s: want two files", f.out)
	}
	return nil
}

func (f *scoreFlags) run(c *cobra.Command) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	ctx := c.Context()
	m, err := openModel(f.model)
	if err != nil {
		return err
	}
	f.options.Workers = f.workers
	f.canonical = m.Card.Schema == algo.OGBCanonical
	scorer, err := algo.NewScorer(m, f.options)
	if err != nil {
		return err
	}
	in, err := f.open(ctx, c)
	if err != nil {
		return err
	}
	defer in.close()
	if err = checkSchema(m, in.schema); err != nil {
		return err
	}
	s := &scoring{
		scorer: scorer, model: m.Card.Name, alpha: f.options.Alpha,
		batchGraphs: maxBatchGraphs, outName: f.out, rejectsName: f.rejects, stderr: c.ErrOrStderr(),
	}
	s.warn(in.warnings)
	w := c.OutOrStdout()
	// Nothing is overwritten before the rest is known to be right.
	if f.out != "" {
		file, err := create("--out", f.out, in.info)
		if err != nil {
			return err
		}
		defer closeInto(file, &err)
		w = file
	}
	if f.rejects != "" {
		file, err := create("--rejects", f.rejects, in.info)
		if err != nil {
			return err
		}
		defer closeInto(file, &err)
		s.rejects = newRejects(file)
	}
	s.out = newRowWriter(w, f.to)
	err = s.all(ctx, in.records)
	if errors.Is(err, errClosed) {
		return nil
	}
	s.summarize()
	return err
}

// A scoring is a run of `baca score`.
type scoring struct {
	scorer               *algo.Scorer
	model                string
	alpha                float64
	batchGraphs          int // maxBatchGraphs but for tests
	out                  rowWriter
	rejects              *rejects // nil without --rejects
	outName, rejectsName string
	stderr               io.Writer
	progress             *progress // nil in the first batch

	written, refused, batches   int
	outside, borderline, inside int
	warnings                    []string
	shown                       []string // the first refused records, with carets
}

// maxShown is how many refused records are shown on stderr.
const maxShown = 3

// A batch is a run of records whose graphs are scored together.
type batch struct {
	records     []record
	graphs      []*graph.Graph
	nodes, text int
}

func (b *batch) add(r record) {
	b.records = append(b.records, r)
	b.text += len(r.smiles) + len(r.id)
	if r.err == nil {
		b.graphs = append(b.graphs, r.graph)
		b.nodes += r.graph.N()
	}
}

func (b *batch) full(graphs int) bool {
	return len(b.graphs) >= graphs || len(b.records) >= maxBatchRecords || b.text >= maxBatchText ||
		b.nodes >= maxBatchNodes && len(b.graphs) >= algo.MinBatch
}

// all scores the records in batches. A batch waits until it is clear that the one
// after it has graphs enough; the last one takes the remainder in otherwise.
func (s *scoring) all(ctx context.Context, records iter.Seq2[record, error]) error {
	waiting, next := new(batch), new(batch)
	var broken error
	defer func() {
		if s.progress != nil {
			s.progress.Done()
		}
	}()
	for r, err := range records {
		if err != nil {
			broken = err // and what came before it is still scored
			break
		}
		next.add(r)
		full := next.full(s.batchGraphs)
		if full || len(next.graphs) == algo.MinBatch {
			if err := s.score(ctx, waiting); err != nil {
				return err
			}
			waiting = new(batch)
		}
		if full {
			waiting, next = next, new(batch)
			if s.progress == nil { // one batch alone takes a few seconds
				s.progress = newProgress(s.stderr, "scoring", 0)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(next.graphs) < algo.MinBatch {
		for _, r := range next.records {
			waiting.add(r)
		}
		next = new(batch)
	}
	if err := s.score(ctx, waiting); err != nil {
		return err
	}
	if err := s.score(ctx, next); err != nil {
		return err
	}
	if err := s.flush(); err != nil { // the header of no rows
		return err
	}
	return broken
}

// score scores a batch, which may be empty, and writes its rows out.
func (s *scoring) score(ctx context.Context, b *batch) error {
	var rows []algo.Row
	if len(b.graphs) > 0 {
		report, err := s.scorer.Batch(ctx, b.graphs)
		if err != nil {
			return err
		}
		s.warn(report.Warnings)
		s.batches++
		rows = report.Rows
	}
	for _, r := range b.records {
		s.written++
		if r.err != nil {
			s.refused++
			s.out.Write(r, nil)
			if len(s.shown) < maxShown {
				s.shown = append(s.shown, show(r))
			}
			if s.rejects != nil {
				s.rejects.Write(r)
			}
			continue
		}
		s.out.Write(r, &rows[0])
		switch rows[0].Verdict {
		case decide.Outside:
			s.outside++
		case decide.Borderline:
			s.borderline++
		case decide.Inside:
			s.inside++
		}
		rows = rows[1:]
	}
	if s.progress != nil {
		s.progress.Add(int64(len(b.graphs)))
	}
	return s.flush()
}

func (s *scoring) flush() error {
	if err := written(s.outName, s.out.Flush()); err != nil || s.rejects == nil {
		return err
	}
	return written(s.rejectsName, s.rejects.Flush())
}

// warn keeps warnings for the end, each once.
func (s *scoring) warn(warnings []string) {
	for _, w := range warnings {
		if !slices.Contains(s.warnings, w) {
			s.warnings = append(s.warnings, w)
		}
	}
}

// show is a refused record with the error and, for a molecule, carets below the
// piece that it is about.
func show(r record) string {
	text := fmt.Sprintf("refused: %v", r.err)
	var at *molecule.SyntaxError
	if errors.As(r.err, &at) {
		text += "\n  " + strings.ReplaceAll(at.Caret(r.smiles), "\n", "\n  ")
	}
	return text
}

func (s *scoring) summarize() {
	fmt.Fprintf(s.stderr, "%d read, %d refused; model %s", s.written, s.refused, s.model)
	if s.outside+s.borderline+s.inside > 0 {
		fmt.Fprintf(s.stderr, "; %d OOD, %d borderline, %d ID at alpha %g", s.outside, s.borderline, s.inside, s.alpha)
	}
	fmt.Fprintln(s.stderr)
	for _, text := range s.shown {
		fmt.Fprintln(s.stderr, text)
	}
	if n := s.refused - len(s.shown); n > 0 {
		fmt.Fprintf(s.stderr, "… and %d more; --rejects FILE lists them all\n", n)
	}
	if s.batches > 1 {
		fmt.Fprintf(s.stderr, "note: scored as %d batches of up to %d graphs; a score depends on the graphs in its batch\n", s.batches, s.batchGraphs)
	}
	if s.refused > 0 && s.refused == s.written {
		fmt.Fprintln(s.stderr, "note: nothing could be read; --format and --column say how the input is read")
	}
	for _, w := range s.warnings {
		fmt.Fprintf(s.stderr, "warning: %s\n", w)
	}
}
