package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/molecule"
	"baca/algo/report"
	"baca/algo/table"
	"baca/build/device"
	"baca/build/internal/progress"
	"baca/build/internal/usage"
	"baca/weights"
)

type scoreFlags struct {
	source
	model, out, to, rejects string
	text                    table.Text
	resume                  bool
	shard                   string   // i/n, or empty
	inputs                  []string // of a shard
	failOn                  string   // outside, or empty
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
		Long: `Score reads molecules from a .smi, .csv, .tsv or .sdf file (or .gz or .zst) or from
standard input, or plain graphs from a TUDataset folder, zip archive or one of the
set's files, and writes one row for each, in input order:

  id       from the input, or else the number of the record, from 1
  smiles   as read; empty for a TUDataset set
  s_pre    the paper's base score: how badly the encoder matches the two views of the graph
  s_attn   the paper's attention over dictionaries of in- and out-of-distribution graphs
  s_baca   the paper's score: both, standardised and added
  score    of what decides, see --by; higher is further outside
  p_value  how often a graph like the training set would score as high
  verdict  outside where p_value is at most alpha, borderline up to twice that, or
           inside; undecided where the model holds too few graphs to tell
  error    why the record was refused; it then has no scores

There are two answers. The first is about each graph by itself, and decides unless
--by says otherwise: it is the same whatever stands beside the graph, in any order.
The second is about the list as a whole: does it differ from the training set, and
which graphs make the difference? It takes a batch of 20 graphs or more, and is
calibrated where it is asked for:

  --by batch      decides by the graph and its batch together: a graph is outside only
                  if its p-value by itself is at most 0.1, too, which bounds false alarms
                  in the worst company
  --by attention  decides by the paper's score
  --columns all   decides as --by says, and adds both answers in columns of their own:
                  alone, alone_p, batch, batch_p, batch_verdict

Only then s_pre, s_attn and s_baca are filled, and standard error says whether the list
as a whole differs, and in what. Files up to 4096 graphs are calibrated as one batch.
From longer files an even sample of 4096 forms the batch, and all other graphs are
scored by what was learned from it; from standard input, which can be read only once,
the first 4096 graphs form the batch.

--fdr F adds, and decides by,

  q_value  the lowest false-discovery rate at which the graph is called outside

The verdict is then outside where q_value is at most F, borderline where only p_value is
at most alpha, or inside. Rows are written when all are scored. --fdr rests on the
p-values of graphs by themselves, so it does not go with --by batch or attention.

False alarms are at most alpha on average over the graphs that could have been held out.
Those of one model may be an unlucky draw, and then there are more. With --confidence
0.95 false alarms are at most alpha for 95 of 100 such draws. Verdicts then use a lower rate in the place of alpha,
which standard error names, and all are undecided where too few graphs are held out.

With --fdr or --confidence standard error also bounds how many of those called outside
may be inside, as far as graphs from inside are like those held out. The bound holds at
every threshold at once, so one may look at many and take the best.

--explain adds

  duplicate          true if the graph was likely trained on, stereochemistry and the
                     way of writing aside; about 1 in 1000 others is taken for one
  reasons            what is unusual about it, the most unusual first
  distances          to the nearest training graph, by embedding, by subtrees, by
                     subtrees with counts, and ℓ_n, which weighs little, in standard
                     deviations of training graphs
  nearest            rows of the training set, from 1, with the nearest embeddings
  nearest_distances  how far these are, in standard deviations of the training set
  like_ood           where a batch was calibrated, records of this input, from 1, that
                     were taken for OOD and that the attention finds most alike
  atoms              for each atom, as written, by how much the score of the graph by
                     itself falls when the atom is left out
  atoms_gradient     what each atom adds to it by way of the embedding, by integrated
                     gradients
  distance           how far the graph is from the nearest training graphs, the first part
                     of its score, in standard deviations of training graphs
  ratio              how much more it is like the background, molecules at large, than
                     like the training set, the second part, in the same units; empty
                     where the model has no background

Lists are separated by blanks in CSV, and reasons by semicolons. Control characters
other than tabs are written as \u001b, so that each record is one line.

With --out, a run that was killed goes on with --resume, to the same bytes, if the
input still holds the bytes that gave the rows so far. That takes files: a pipe or a
device as --out or --rejects gets all rows, but cannot be gone on with. Two runs do not
write to one file at once, and an input that changes while it is read ends the run with
an error, behind the rows that are written.

Warnings and counts go to standard error. The exit status is 0 also when records were
refused, 2 after a mistake in the command line, 3 if --fail-on outside is given and a
graph is outside, and 1 after any other failure, also if there was nothing to read or
all of it was refused.

With --shard, many processes divide the work on files of molecules, and give the
rows that one gives. Shards are counted from 0, and FOLDER is one that all see:

  score --shard I/N …   once for each I, in any order, on any machine: writes a
                        part of the rows
  merge FOLDER          once: joins the parts and sums up

What is in the folder is not done again, so whatever failed or was killed is just
started again. Several files are as if they were one after the other, and their
rows are numbered through. They must stay as they are, byte for byte: a shard that
finds one changed names it and writes no rows. A batch needs all graphs in one place, so shards score each
graph by itself only.

--device moves the encoder and S_Pre to a GPU, in a program that was built for that.
A GPU rounds otherwise than the processor, so auto is the processor for shards:
which device is faster could differ from one to the next.`,
		Example: `  baca score molecules.smi
  baca score --to jsonl --out scores.jsonl --rejects refused.csv library.csv.gz
  baca score --columns all --fail-on outside series.csv > rows.csv
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
	f.registerMaxExpand(fs)
	fs.StringVar(&f.out, "out", "", "write rows to this `file` instead of standard output")
	fs.StringVar(&f.to, "to", "csv", "form of the rows: csv or jsonl")
	spreadsheetSafe(fs, &f.text)
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "of the attention and of the sample that forms a batch; nothing else is random")
	fs.IntVar(&f.workers, "workers", 0, "cores to use, 0 for all; the rows do not depend on it")
	fs.StringVar(&f.rejects, "rejects", "", "write refused records to this `file`, as CSV")
	fs.BoolVar(&f.resume, "resume", false, "go on from where a run that was killed got to, if OUT.checkpoint is there")
	fs.StringVar(&f.shard, "shard", "", "do the share `I/N` of the work, I from 0; --out is then a folder")
	fs.StringVar(&o.By, "by", o.By, "what decides: "+strings.Join(algo.Deciders(), ", "))
	fs.Float64Var(&o.Alpha, "alpha", o.Alpha, "share of in-distribution graphs that may be called outside")
	fs.StringVar(&f.failOn, "fail-on", "", "outside: exit with status 3 if a graph is outside")
	f.device.register(fs)
	f.answers.register(fs)
	return c
}

// check reports what is wrong with the flags before anything is opened.
func (f *scoreFlags) check() error {
	if err := usage.OneOf("format", f.format, formats...); err != nil {
		return err
	}
	if err := usage.OneOf("to", f.to, "csv", "jsonl"); err != nil {
		return err
	}
	if err := usage.OneOf("by", f.options.By, algo.Deciders()...); err != nil {
		return err
	}
	if f.failOn != "" {
		if err := usage.OneOf("fail-on", f.failOn, string(decide.Outside)); err != nil {
			return err
		}
	}
	if err := decide.CheckAlpha(f.options.Alpha); err != nil {
		return usagef("--alpha: %w", err)
	}
	if f.workers < 0 {
		return usagef("--workers %d: want 0 for all cores, or more", f.workers)
	}
	if f.resume && (f.out == "" || f.path == "-") {
		return usagef("--resume: want --out and an input file")
	}
	if f.out != "" && f.rejects != "" && samePath(f.out, f.rejects) {
		return usagef("--out and --rejects are both %s: want two files", f.out)
	}
	if f.out != "" && f.rejects != "" && samePath(f.out+checkpointExt, f.rejects) {
		return usagef("--rejects %s is where --out has its checkpoint: want another file", f.rejects)
	}
	if err := f.device.check(); err != nil {
		return err
	}
	return f.answers.check(f.resume, f.shard, f.options.By)
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
	f.form = algo.FormOf(m.Card.Schema)
	if m.Encoder.Device, err = f.device.open(ctx, c.ErrOrStderr(), f.workers, m.Encoder.Config, false); err != nil {
		return err
	}
	if f.batch() && m.Shared > 0 {
		return fmt.Errorf("model %s was made for sharing and cannot calibrate a batch: want --by %s without --columns all", m.Card.Name, algo.ByAlone)
	}
	rate := f.rate(f.options.Alpha, m.References())
	judging := f.options
	if judging.Alpha = rate; rate == 0 {
		judging.Alpha = 1 / float64(2+m.References()) // which no p-value reaches: all are undecided
	}
	scorer, err := algo.NewScorer(ctx, m, judging)
	if err != nil {
		return err
	}
	in, input, err := f.openFor(ctx, c, m)
	if err != nil {
		return err
	}
	defer in.close()
	outs, err := f.openOutputs(in.info)
	for _, o := range outs {
		defer closeInto(o, &err)
	}
	if err != nil {
		return err
	}
	s := &scoring{
		scorer: scorer, model: m, by: f.options.By, alpha: f.options.Alpha, rate: rate, stderr: c.ErrOrStderr(),
		outs: outs, input: in, outName: f.out, rejectsName: f.rejects, answers: f.answers,
		options: table.Options{Batch: f.batch(), Seed: f.options.Seed, Workers: f.workers},
	}
	s.warn(in.warnings)
	if err := f.findResumable(s, input.Again != nil); err != nil {
		return err
	}
	s.run = f.fingerprint(m, in)
	// Nothing is overwritten before the rest is known to be right.
	if err := s.restore(f.resume); err != nil {
		return err
	}
	w := c.OutOrStdout()
	for _, o := range outs {
		if o.flag == "--out" {
			w, err = o, o.begin(s.done.Out)
		} else {
			s.rejects, err = table.NewRejects(o, f.text, s.options.Skip == 0), o.begin(s.done.Rejects)
		}
		if err != nil {
			return err
		}
	}
	if s.out, err = f.answers.writer(w, f.to, f.text, s.options.Skip == 0); err != nil {
		return err
	}
	// Explanations take graphs one at a time, which is no work for a GPU.
	here, encoder := *m, *m.Encoder
	here.Encoder, encoder.Device = &encoder, nil
	if err = s.beginExplaining(ctx, &here, f.options); err != nil {
		return err
	}
	err = s.finish(s.all(ctx, input))
	if err == nil {
		err = s.conclude()
	}
	if errors.Is(err, errClosed) {
		return nil
	}
	s.summarize()
	if err != nil {
		return err
	}
	if err := emptyHanded(s.done.Rows, s.done.Refused); err != nil {
		return err
	}
	if f.failOn != "" && s.done.Outside > 0 {
		return outsideError(s.done.Outside)
	}
	return nil
}

// openOutputs opens --out and --rejects, as far as they are given.
func (f *scoreFlags) openOutputs(input fs.FileInfo) (outs []*output, err error) {
	for _, o := range []struct{ flag, name string }{{"--out", f.out}, {"--rejects", f.rejects}} {
		if o.name == "" {
			continue
		}
		out, err := openOutput(o.flag, o.name)
		if err != nil {
			return outs, err
		}
		outs = append(outs, out)
	}
	return outs, f.apart(outs, input)
}

// apart reports a file that this run would write and also read, or write twice, by whatever
// names or links.
func (f *scoreFlags) apart(outs []*output, input fs.FileInfo) error {
	type file struct {
		info fs.FileInfo
		what string
	}
	taken := []file{{input, "the input itself"}}
	if info, err := os.Stat(f.model); err == nil && !slices.Contains(weights.Names(), f.model) {
		taken = append(taken, file{info, "the model itself"})
	}
	if info, err := os.Stdout.Stat(); err == nil && f.out == "" {
		taken = append(taken, file{info, "standard output, where the rows go"})
	}
	take := func(flag, name string, info fs.FileInfo) error {
		for _, t := range taken {
			if t.info != nil && info.Mode().IsRegular() && os.SameFile(t.info, info) {
				return usagef("%s %s is %s: want another file", flag, name, t.what)
			}
		}
		taken = append(taken, file{info, "the file of " + flag})
		return nil
	}
	for _, o := range outs {
		info, err := o.Stat()
		if err != nil {
			return err
		}
		if err := take(o.flag, o.name, info); err != nil {
			return err
		}
	}
	if info, err := os.Stat(f.out + checkpointExt); err == nil && f.out != "" {
		return take("the checkpoint of --out,", f.out+checkpointExt+",", info)
	}
	return nil
}

// findResumable finds out whether the run can be gone on with after a crash: it takes an input
// that can be read again, and outputs that can be cut.
func (f *scoreFlags) findResumable(s *scoring, again bool) error {
	if s.resumable = f.out != "" && again && f.fdr == 0; f.resume && !again {
		return usagef("--resume: the input %s is no regular file or folder, and cannot be read again", f.path)
	}
	for _, o := range s.outs {
		if o.regular && o.flag == "--out" {
			s.checkpoint = f.out + checkpointExt
		}
		if !o.regular {
			if s.resumable = false; f.resume {
				return usagef("--resume: %s %s is no regular file, and its rows cannot be gone on with", o.flag, o.name)
			}
		}
	}
	return nil
}

// batch tells whether a batch is to be calibrated.
func (f *scoreFlags) batch() bool { return f.options.By != algo.ByAlone || f.both() }

// outsideError is that of --fail-on outside: so many graphs are.
type outsideError int

func (n outsideError) Error() string {
	return fmt.Sprintf("%d outside, where --fail-on wants none", int(n))
}

// A scoring is a run of `baca score`.
type scoring struct {
	scorer               *algo.Scorer
	model                *algo.Model
	by                   string
	alpha, rate          float64 // asked for, and that of verdicts
	options              table.Options
	out                  table.Writer
	rejects              *table.Rejects // nil without --rejects
	outs                 []*output      // that both write to, if they do
	input                *input
	outName, rejectsName string
	stderr               io.Writer
	progress             *progress.Progress // nil for few graphs
	answers
	explainer *explainer // nil without --explain

	checkpoint string // file beside --out, or empty where that is no regular file
	resumable  bool   // so that there are checkpoints
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
			s.progress = progress.New(s.stderr, "drawing a sample", 0)
			s.progress.Skip(int64(records))
		} else {
			s.progress.Add(int64(records - read))
		}
		read = records
	}
	s.options.Fitted = func(f *table.Fit) error {
		end()
		s.fit = f
		s.warn(f.Warnings)
		s.explainer.fitted(f)
		if f.Sample {
			s.progress = progress.New(s.stderr, "scoring", int64(f.Total))
			s.progress.Skip(int64(s.done.Rows))
		}
		return nil
	}
	if err := table.Score(ctx, s.scorer, in, s.options, s.emit); err != nil {
		return err
	}
	return s.flush() // the header of no rows
}

// emit writes rows.
func (s *scoring) emit(rows []table.Scored) error {
	explained, err := s.explainer.of(rows)
	if err != nil {
		return err
	}
	for i, r := range rows {
		s.done.Rows++
		s.answers.write(s.out, r, explained[i])
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
	switch {
	case s.progress != nil:
		s.progress.Add(int64(len(rows)))
	case !s.options.Batch && s.done.Rows >= table.MaxGraphs: // fewer take no time
		s.progress = progress.New(s.stderr, "scoring", 0)
		s.progress.Skip(int64(s.done.Rows))
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
	text := "refused: " + table.Printable(r.Err.Error())
	var at *molecule.SyntaxError
	if errors.As(r.Err, &at) {
		text += "\n  " + strings.ReplaceAll(at.Caret(r.SMILES), "\n", "\n  ")
	}
	return text
}

func (s *scoring) summarize() {
	d := s.done
	fmt.Fprintf(s.stderr, "%d read, %d refused; model %s", d.Rows, d.Refused, s.model.Card.Name)
	if file := s.model.Card.Holdout; file != "" {
		fmt.Fprintf(s.stderr, " with p-values from %s", file)
	}
	if d.Rows > d.Refused {
		fmt.Fprintf(s.stderr, "; %s at alpha %g", table.Verdicts(d.Outside, d.Borderline, d.Inside, d.Undecided), s.alpha)
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
	s.bounds()
	s.secondAnswer()
	if n := s.model.References(); n > 0 && !decide.Resolves(s.alpha, n) {
		fmt.Fprintf(s.stderr, "note: the model holds %d graphs to compare with, so that p-values go down to %.3g: want --alpha of that or more for verdicts\n", n, 1/float64(1+n))
	}
	for _, w := range s.warnings {
		fmt.Fprintf(s.stderr, "warning: %s\n", w)
	}
}

// bounds says what is known of false alarms beyond their mean.
func (s *scoring) bounds() {
	d, n := s.done, s.model.References()
	if !s.bounded() || d.Rows == d.Refused {
		return
	}
	confidence := s.confidence
	if confidence == 0 {
		confidence = defaultConfidence
	}
	switch {
	case s.rate == 0:
		fmt.Fprintf(s.stderr, "note: the model holds %d graphs to compare with, too few for false alarms of at most %g with %g %% confidence\n", n, s.alpha, 100*confidence)
	case s.fdr == 0:
		fmt.Fprintf(s.stderr, "with %g %% confidence over the choice of the held-out graphs false alarms are at most %g: outside is p <= %.3g\n", 100*confidence, s.alpha, s.rate)
	}
	if d.Outside == 0 {
		return
	}
	at, total := s.rate, d.Outside+d.Borderline+d.Inside
	if p, ok := s.out.(*pending); ok {
		at, total = p.most, p.tally.Len()
	}
	most := decide.MostFalse(d.Outside, total, n, at, confidence)
	if most == d.Outside {
		fmt.Fprintf(s.stderr, "with %g %% confidence all of the %d called outside may be inside\n", 100*confidence, most)
		return
	}
	fmt.Fprintf(s.stderr, "with %g %% confidence at most %d of the %d called outside are inside; that holds at every threshold at once\n", 100*confidence, most, d.Outside)
}

// secondAnswer says what a calibrated batch is like as a whole.
func (s *scoring) secondAnswer() {
	f := s.fit
	if f == nil || f.Report == nil {
		return
	}
	if f.Few {
		if s.by == algo.ByAlone {
			fmt.Fprintf(s.stderr, "note: fewer than %d graphs are no batch, so there is no second answer\n", algo.MinBatch)
		}
		return
	}
	fmt.Fprintln(s.stderr, report.Whole("this list", f.Evidence, f.P))
	if len(f.Differences) > 0 {
		text := report.MakesTheDifference(f.Differences)
		fmt.Fprintln(s.stderr, strings.ToLower(text[:1])+text[1:])
	}
	switch {
	case f.First:
		fmt.Fprintf(s.stderr, "note: the first %d graphs form the batch; from a file, a sample of all forms it instead\n", len(f.Graphs))
	case f.Sample:
		fmt.Fprintf(s.stderr, "note: an even sample of %d graphs forms the batch\n", len(f.Graphs))
	}
	if s.by == algo.ByBatch || s.both() {
		fmt.Fprintf(s.stderr, "note: outside by the batch needs p <= %g by itself too, which bounds false alarms in the worst company\n", algo.Guard)
	}
}
