package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/molecule"
	"baca/algo/table"
	"baca/build/device"
)

type scoreFlags struct {
	source
	model, out, to, rejects string
	resume                  bool
	shard                   string   // i/n, or empty
	inputs                  []string // of a shard
	options                 algo.Options
	device                  deviceFlag
	answers
}

func newScore(gpus *device.GPUs) *cobra.Command {
	f := scoreFlags{options: algo.DefaultOptions(), device: deviceFlag{gpus: gpus}}
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

--fdr F adds, and decides by,

  q_value  the lowest false-discovery rate at which the graph is called OOD

The verdict is then OOD where q_value is at most F, borderline where only p_value is
at most alpha, or ID. Rows are written when all are scored. --explain adds

  duplicate          true if the graph was likely trained on, stereochemistry and the
                     way of writing aside; about 1 in 100 others is taken for one
  reasons            what is unusual about it, the most unusual first
  distances          to the nearest training graph, by embedding, by subtrees, by
                     subtrees with counts, and ℓ_n, which weighs little, in standard
                     deviations of training graphs
  nearest            rows of the training set, from 1, with the nearest embeddings
  nearest_distances  how far these are, in standard deviations of the training set
  like_ood           records of this input, from 1, that were taken for OOD and that
                     the attention finds most alike
  atoms              for each atom, as written, by how much the score of the graph by
                     itself falls when the atom is left out
  atoms_gradient     what each atom adds to it by way of the embedding, by integrated
                     gradients

Lists are separated by blanks in CSV, and reasons by semicolons.

Up to 4096 graphs are scored together: each score depends on the others. Of a
longer file an even sample of 4096 is scored together, and every other graph by
what was learned from the sample, so that all scores can be compared; standard
input can be read only once, and its first 4096 graphs take the place of the
sample. With --out, a run that was killed goes on with --resume, to the same
bytes. Warnings and counts go to standard error. The exit status is 0 also
when records were refused, 2 after a mistake in the command line and 1 after any
other failure.

With --shard, many processes divide the work on files of molecules, and give the
rows that one gives. Shards are counted from 0, and FOLDER is one that all see:

  score --shard I/N …   once for each I, in any order, on any machine: draws a
                        part of the sample
  merge FOLDER          once: merges the sample
  score --shard I/N …   the same again: writes a part of the rows
  merge FOLDER          once: joins the parts and sums up

What is in the folder is not done again, so whatever failed or was killed is just
started again. Several files are as if they were one after the other, and their
rows are numbered through.

--device moves the encoder and S_Pre to a GPU, in a program that was built for that.
A GPU rounds otherwise than the processor, so auto is the processor for shards:
which device is faster could differ from one to the next.`,
		Example: `  baca score molecules.smi
  baca score --to jsonl --out scores.jsonl --rejects refused.csv library.csv.gz
  zcat library.csv.gz | baca score - | head
  baca score --model PTC_MR MUTAG.zip
  baca score --shard 0/16 --out scores library-*.smi.zst`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 && f.shard == "" {
				return usagef("%d inputs: want one, or none for standard input", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			f.path, f.columnSet = "-", c.Flags().Changed("column")
			if len(args) > 0 {
				f.path = args[0]
			}
			if f.inputs = args; f.shard != "" {
				return f.runShard(c)
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
	fs.BoolVar(&f.resume, "resume", false, "go on from where a run that was killed got to, if OUT.checkpoint is there")
	fs.StringVar(&f.shard, "shard", "", "do the share `I/N` of the work, I from 0; --out is then a folder")
	fs.StringVar(&o.Calibrator, "calibrator", o.Calibrator, strings.Join(algo.Calibrators, ", "))
	fs.Float64Var(&o.Alpha, "alpha", o.Alpha, "share of in-distribution graphs that may be called OOD")
	f.device.register(fs)
	f.answers.register(fs)
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
	if f.resume && (f.out == "" || f.path == "-") {
		return usagef("--resume: want --out and an input file, since both are gone on with")
	}
	if f.out != "" && f.out == f.rejects {
		return usagef("--out and --rejects are both %s: want two files", f.out)
	}
	if err := f.device.check(); err != nil {
		return err
	}
	return f.answers.check(f.resume, f.shard)
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
	if m.Encoder.Device, err = f.device.open(ctx, c.ErrOrStderr(), f.workers, m.Encoder.Config, false); err != nil {
		return err
	}
	scorer, err := algo.NewScorer(m, f.options)
	if err != nil {
		return err
	}
	in, input, err := f.openFor(ctx, c, m)
	if err != nil {
		return err
	}
	defer in.close()
	s := &scoring{
		scorer: scorer, model: m.Card.Name, alpha: f.options.Alpha, stderr: c.ErrOrStderr(),
		outName: f.out, rejectsName: f.rejects, answers: f.answers,
		options: table.Options{Seed: f.options.Seed, Workers: f.workers},
	}
	s.warn(in.warnings)
	if input.Again != nil && f.out != "" && f.fdr == 0 {
		s.checkpoint = f.out + ".checkpoint"
	}
	s.run = f.fingerprint(m, in.info)
	// Nothing is overwritten before the rest is known to be right.
	if err := s.restore(f.resume); err != nil {
		return err
	}
	w := c.OutOrStdout()
	for _, file := range []struct {
		flag, name string
		at         int64
		open       func(io.Writer)
	}{
		{"--out", f.out, s.done.Out, func(file io.Writer) { w = file }},
		{"--rejects", f.rejects, s.done.Rejects, func(file io.Writer) { s.rejects = table.NewRejects(file, s.options.Skip == 0) }},
	} {
		if file.name == "" {
			continue
		}
		out, err := create(file.flag, file.name, in.info, file.at)
		if err != nil {
			return err
		}
		defer closeInto(out, &err)
		s.files = append(s.files, out)
		file.open(out)
	}
	if s.out, err = f.answers.writer(w, f.to, s.options.Skip == 0); err != nil {
		return err
	}
	// Explanations take graphs one at a time, which is no work for a GPU.
	here, encoder := *m, *m.Encoder
	here.Encoder, encoder.Device = &encoder, nil
	if err = s.beginExplaining(ctx, &here, f.options); err != nil {
		return err
	}
	err = s.finish(s.all(ctx, input))
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
	options              table.Options
	out                  table.Writer
	rejects              *table.Rejects // nil without --rejects
	files                []*os.File     // that both write to, if they do
	outName, rejectsName string
	stderr               io.Writer
	progress             *progress // nil unless there is more than a batch
	answers
	explainer *explainer // nil without --explain

	checkpoint string // file, or empty for none
	run        runIdentity
	done       scoreState
	saved      int        // rows at the last checkpoint
	fit        *table.Fit // nil before
	warnings   []string
}

// maxShown is how many refused records are shown on stderr.
const maxShown = 3

// all scores the input and writes its rows.
func (s *scoring) all(ctx context.Context, in table.Input) error {
	end := func() {
		if s.progress != nil {
			s.progress.Done()
			s.progress = nil
		}
	}
	defer end()
	read := 0
	s.options.Reading = func(records int) {
		if s.progress == nil {
			s.progress = newProgress(s.stderr, "drawing a sample", 0)
		}
		s.progress.Add(int64(records - read))
		read = records
	}
	s.options.Fitted = func(f *table.Fit) error {
		end()
		s.fit = f
		s.warn(f.Warnings)
		s.explainer.fitted(f)
		if f.Sample {
			s.progress = newProgress(s.stderr, "scoring", int64(f.Total))
			s.progress.Skip(int64(s.done.Rows))
		}
		return nil
	}
	if err := table.Score(ctx, s.scorer, in, s.options, s.emit); err != nil {
		return err
	}
	if err := s.flush(); err != nil { // the header of no rows
		return err
	}
	return s.forget()
}

// emit writes rows.
func (s *scoring) emit(rows []table.Scored) error {
	more, err := s.explainer.of(rows)
	if err != nil {
		return err
	}
	for i, r := range rows {
		s.done.Rows++
		s.out.Write(r.Record, r.Scores, more[i]...)
		if r.Err != nil {
			s.done.Refused++
			if len(s.done.Shown) < maxShown {
				s.done.Shown = append(s.done.Shown, show(r.Record))
			}
			if s.rejects != nil {
				s.rejects.Write(r.Record)
			}
			continue
		}
		s.done.count(r.Scores.Verdict)
	}
	if s.progress != nil {
		s.progress.Add(int64(len(rows)))
	}
	if err := s.flush(); err != nil {
		return err
	}
	return s.save()
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
func show(r table.Record) string {
	text := fmt.Sprintf("refused: %v", r.Err)
	var at *molecule.SyntaxError
	if errors.As(r.Err, &at) {
		text += "\n  " + strings.ReplaceAll(at.Caret(r.SMILES), "\n", "\n  ")
	}
	return text
}

func (s *scoring) summarize() {
	d := s.done
	fmt.Fprintf(s.stderr, "%d read, %d refused; model %s", d.Rows, d.Refused, s.model)
	if d.Outside+d.Borderline+d.Inside > 0 {
		fmt.Fprintf(s.stderr, "; %d OOD, %d borderline, %d ID at alpha %g", d.Outside, d.Borderline, d.Inside, s.alpha)
		if s.fdr > 0 {
			fmt.Fprintf(s.stderr, " and a false-discovery rate of %g", s.fdr)
		}
	}
	fmt.Fprintln(s.stderr)
	for _, text := range d.Shown {
		fmt.Fprintln(s.stderr, text)
	}
	if n := d.Refused - len(d.Shown); n > 0 {
		fmt.Fprintf(s.stderr, "… and %d more; --rejects FILE lists them all\n", n)
	}
	if f := s.fit; f != nil && f.First {
		fmt.Fprintf(s.stderr, "note: the first %d graphs were scored together, and are what all others are compared with; from a file, a sample of all is drawn instead\n", len(f.Graphs))
	} else if f != nil && f.Sample {
		fmt.Fprintf(s.stderr, "note: too many for one batch: an even sample of %d graphs was scored together, and is what all others are compared with\n", len(f.Graphs))
	}
	if d.Refused > 0 && d.Refused == d.Rows {
		fmt.Fprintln(s.stderr, "note: nothing could be read; --format and --column say how the input is read")
	}
	for _, w := range s.warnings {
		fmt.Fprintf(s.stderr, "warning: %s\n", w)
	}
}
