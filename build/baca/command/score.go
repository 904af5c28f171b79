package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/decide"
	"baca/algo/job"
	"baca/algo/molecule"
	"baca/algo/table"
	"baca/build/device"
	"baca/build/internal/apart"
	"baca/build/internal/heap"
	"baca/build/internal/progress"
	"baca/build/internal/usage"
)

type scoreFlags struct {
	source
	out, to, rejects string
	by               string // --by: what decides, or byBoth
	text             table.Text
	resume           bool
	failOn           failOn
	options          algo.Options
	device           deviceFlag
	answers
}

// byBoth decides by the graph alone and adds the columns of both answers.
const byBoth = "both"

func newScore(gpus *device.GPUs) *cobra.Command {
	f := scoreFlags{options: algo.DefaultOptions(), device: deviceFlag{gpus: gpus}}
	c := &cobra.Command{
		Use:        "score [INPUT...|-]",
		Short:      "How far graphs lie outside what a model was trained on",
		SuggestFor: []string{"predict", "classify", "detect", "run"},
		Long:       scoreHelp,
		Example: `  baca score molecules.smi > rows.csv
  baca score --to jsonl --out scores.jsonl --rejects refused.csv library.csv.gz
  baca score --by both --fail-on outside series.csv > rows.csv
  zcat library.csv.gz | baca score - | head
  baca score --model PTC_MR MUTAG.zip`,
		RunE: func(c *cobra.Command, args []string) error {
			args, err := expand(args)
			if err != nil {
				return err
			}
			f.set(c, args)
			if f.to, err = rowsForm(f.to, f.out); err != nil {
				return err
			}
			if f.both {
				fmt.Fprintln(c.ErrOrStderr(), "--columns all is now --by both")
			}
			return f.run(c)
		},
	}
	f.register(c)
	return c
}

func (f *scoreFlags) register(c *cobra.Command) {
	fs, o := c.Flags(), &f.options
	f.registerModel(fs, "; several, separated by commas, get a group of columns each")
	f.source.register(fs, formats...)
	group(c, "Input", "model", "format", "column")
	fs.StringVar(&f.by, "by", o.By, "alone, both, batch or attention, see above")
	fs.Float64Var(&o.Alpha, "alpha", o.Alpha, "share of graphs like the training set that may be called outside")
	fs.Float64Var(&f.fdr, "fdr", 0, "false-discovery rate among those called outside (Benjamini and Hochberg), which then decides; adds q_value")
	fs.Float64Var(&f.confidence, "confidence", 0, "keep false alarms at alpha with this confidence, such as 0.95, over the choice of held-out graphs; 0 for on average")
	group(c, "What decides", "by", "alpha", "fdr", "confidence")
	fs.BoolVar(&f.explain, "explain", false, "add reasons, atoms and 3 neighbors; takes some milliseconds a graph")
	fs.IntVar(&f.neighbors, "neighbors", 0, "add the `N` most similar training graphs")
	fs.BoolVar(&f.drop, "drop-columns", false, "leave out the input's own columns, which come last")
	group(c, "Columns", "explain", "neighbors", "drop-columns")
	fs.StringVar(&f.out, "out", "", "write rows to this `file` instead of standard output")
	fs.StringVar(&f.to, "to", "", strings.Join(table.Forms(), ", ")+"; by default from the name of --out, or csv")
	fs.StringVar(&f.rejects, "rejects", "", "write refused records to this `file`, as CSV")
	spreadsheetSafe(fs, &f.text)
	fs.BoolVar(&f.resume, "resume", false, "resume from OUT.checkpoint, if it exists")
	f.failOn.register(fs)
	group(c, "Output", "out", "to", "rejects", "spreadsheet-safe", "resume", "fail-on")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "of the attention and of the sample that forms a batch; nothing else is random")
	f.registerWorkers(fs)
	f.device.register(fs)
	group(c, "Run", "seed", "workers", "device")
	fs.Var(oldColumns{&f.both}, "columns", "all: as --by both")
	fs.Lookup("columns").Hidden = true
}

const scoreHelp = `Score reads molecules (.smi, .csv, .tsv, .xlsx, .jsonl, .sdf, .parquet, also compressed) or plain graphs (node-link .jsonl, .graphml, a TUDataset
folder or zip archive) and writes a row for each, in input order: id, smiles, score (higher is further outside), p_value (how often a graph like
the training set would score as high), verdict (outside where p_value is at most alpha, borderline up to twice that, else inside; undecided where
the model holds too few graphs to tell), error, and more. ` + "`baca help columns`" + ` describes them all.

A graph's row does not depend on other graphs. --by also asks about a list of 20
or more as a whole:

  --by alone      decide by each graph by itself
  --by both       the same, with columns and a sentence on whether the list
                  differs from the training set, and how
  --by batch      decide by the graph and its list together
  --by attention  decide by the paper's score

--resume continues a killed run, to the same bytes. It needs --out, one unchanged
input file and one model, and excludes Parquet and --fdr.

Warnings and counts go to standard error. The exit status is 0 even if records
were refused, 2 after a mistake in the command line, 3 if --fail-on finds a
record, and 1 after any other failure, or if all input was refused.`

// oldColumns is --columns, replaced by --by.
type oldColumns struct{ both *bool }

func (o oldColumns) Type() string { return "string" }

func (o oldColumns) String() string {
	if o.both != nil && *o.both {
		return "all"
	}
	return "default"
}

func (o oldColumns) Set(value string) error {
	*o.both = value == "all"
	if value != "all" && value != "default" {
		return errors.New("want default or all; --by both is all")
	}
	return nil
}

// check checks the flags before anything is opened.
func (f *scoreFlags) check() error {
	f.both = f.both || f.by == byBoth
	if f.options.By = f.by; f.by == byBoth {
		f.options.By = algo.ByAlone
	}
	writes := []apart.File{{Role: "--out", Name: f.out}, {Role: "--rejects", Name: f.rejects}}
	if f.out == "" {
		writes = append(writes, standardOutput)
	} else {
		writes = append(writes, apart.File{Role: "the checkpoint", Name: f.out + checkpointExt})
	}
	return cmp.Or(
		usage.OneOf("to", f.to, table.Forms()...), usage.OneOf("by", f.by, slices.Insert(algo.Deciders(), 1, byBoth)...),
		f.failOn.check(), inRange("alpha", decide.CheckAlpha(f.options.Alpha)), f.rules(), f.device.check(), f.source.check(writes...),
	)
}

// rules refuses flags that conflict or mean nothing.
func (f *scoreFlags) rules() error {
	alone, one := f.options.By == algo.ByAlone, len(f.models()) == 1
	by := "--by " + f.by
	const several = ": not with several models; score with each of them alone for that"
	return rules{
		{f.resume && (f.out == "" || f.path == "-"), "--resume: want --out and an input file"},
		{f.resume && len(f.more) > 0, fmt.Sprintf("--resume with %d inputs: want one", 1+len(f.more))},
		{f.resume && !table.Lines(f.to), "--resume: rows in the form " + f.to + " cannot be continued"},
		{!one && f.batch(), by + several},
		{!one && f.fdr > 0, "--fdr" + several},
		{!one && f.confidence > 0, "--confidence" + several},
		{!one && f.explain, "--explain" + several},
		{!one && f.neighbors > 0, "--neighbors" + several},
		{!one && f.resume, "--resume" + several},
		{f.fdr != 0 && f.resume, "--fdr: it needs the p-values of all rows at once, so --resume does not go with it"},
		{f.fdr != 0 && !alone, "--fdr with " + by + ": false discoveries are bounded by the p-values of graphs by themselves"},
		{f.confidence != 0 && !alone, "--confidence with " + by + ": it holds for the p-values of graphs by themselves"},
		{f.neighbors < 0 || f.neighbors > algo.MaxNearest, fmt.Sprintf("--neighbors %d: want 0 to %d", f.neighbors, algo.MaxNearest)},
		{f.confidence != 0 && !(f.confidence > 0 && f.confidence < 1), fmt.Sprintf("--confidence %g: want a number between 0 and 1, such as %g, or 0 for none", f.confidence, defaultConfidence)},
		{f.fdr != 0 && decide.CheckFDR(f.fdr) != nil, fmt.Sprintf("--fdr: %v", decide.CheckFDR(f.fdr))},
	}.check()
}

func (f *scoreFlags) run(c *cobra.Command) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	ctx := c.Context()
	growBy(loadingGrowth)
	f.ordered = f.batch() || f.nearest() > 0
	var s *scoring
	x, err := f.begin(c, f.models()[0], func(x *opening) (err error) {
		s, err = f.newScoring(c, x)
		return err
	})
	if err != nil {
		return err
	}
	in, input := x.input, x.records
	defer in.close()
	s.input = in
	s.warn(in.warnings)
	s.outs, err = f.openOutputs()
	for _, o := range s.outs {
		defer closeInto(o, &err)
	}
	if err != nil {
		return err
	}
	if err := f.findResumable(s, input.Again != nil); err != nil {
		return err
	}
	s.run = f.fingerprint(c.Flags(), x)
	// Nothing is overwritten before all checks.
	if err := s.restore(f.resume); err != nil {
		return err
	}
	s.origin = table.Run{Model: s.model.Card.Name, SHA256: s.run.Model, By: s.by, Alpha: s.alpha}
	s.open = func() error { return f.beginRows(s, rowsOut(c)) }
	if f.batch() {
		growBy(heap.Usual)
	} else {
		collectRarely()
	}
	err = s.finish(s.all(ctx, input))
	if s.out != nil {
		err = cmp.Or(err, written(s.outName, s.out.Close()))
	}
	if err == nil {
		err = s.conclude()
	}
	if errors.Is(err, errClosed) {
		return nil
	}
	if s.out != nil {
		s.summarize()
	}
	if err != nil {
		s.tellWritten(err)
		return err
	}
	if err := checkRead(s.done.Rows, s.done.Refused); err != nil {
		return err
	}
	return f.failOn.found(s.done.Counts, s.done.Refused)
}

// newScoring returns a run without input and output.
func (f *scoreFlags) newScoring(c *cobra.Command, x *opening) (s *scoring, err error) {
	ctx, stderr, m := c.Context(), c.ErrOrStderr(), x.model
	f.options.Workers = f.workers
	f.read = &labels{job.Labels{Predicted: f.predictions.column}}
	f.cells = f.read.Columns()
	if m.Encoder.Device, err = f.device.open(ctx, stderr, f.workers, m.Encoder.Config, false); err != nil {
		return nil, err
	}
	if f.batch() && m.Shared > 0 {
		return nil, fmt.Errorf("model %s was made for sharing and cannot calibrate a batch: want --by %s", m.Card.Name, algo.ByAlone)
	}
	if x.alone, err = algo.NewSingleScorer(ctx, m, f.workers); err != nil {
		return nil, err
	}
	if f.options.Single = x.alone; len(f.cells) > 0 {
		unknown, err := f.learn(ctx, m, x.alone)
		if err != nil {
			return nil, err
		}
		if unknown != "" {
			defer func() { s.warn([]string{unknown}) }()
		}
	}
	s = &scoring{
		model: m, by: f.options.By, alpha: f.options.Alpha, rate: f.rate(f.options.Alpha, m.References()), stderr: stderr,
		outName: f.out, rejectsName: f.rejects, answers: f.answers,
		options: job.ScoreOptions{Batch: f.batch(), Seed: f.options.Seed, Workers: f.workers},
	}
	if !f.drop && len(f.more) == 0 { // several inputs may differ in columns
		f.own = func(names []string) { s.own = names }
	}
	judging := f.options
	if judging.Alpha = s.rate; s.rate == 0 {
		judging.Alpha = 1 / float64(2+m.References()) // unreachable: all are undecided
	}
	if s.scorer, err = algo.NewScorer(ctx, m, judging); err != nil {
		return s, err
	}
	if err := f.openOthers(ctx, s, m); err != nil || f.nearest() == 0 {
		return s, err
	}
	f.known = m.Structures.HasValues()
	s.explainer, err = newExplainer(ctx, m, f.options.Alpha)
	return s, err
}

// beginRows opens the writers of rows and refused records, after an earlier run's.
func (f *scoreFlags) beginRows(s *scoring, stdout io.Writer) (err error) {
	w, header := stdout, s.options.Skip == 0
	for _, o := range s.outs {
		at := s.done.Out
		if o.flag == "--out" {
			w = o
		} else {
			at = s.done.Rejects
			s.rejects = table.NewSink(o, "csv", f.text, header, table.RejectFields())
		}
		if err := o.begin(at); err != nil {
			return err
		}
	}
	if len(s.names) > 1 {
		s.covered = make([]int, len(s.names))
		s.out = table.NewSink(w, f.to, f.text, header, withOwn(s.fieldsOf(), s.own))
		return nil
	}
	s.out, err = f.answers.writer(w, f.to, f.text, header, &s.origin, s.own)
	return err
}

// openOutputs opens --out and --rejects, if given.
func (f *scoreFlags) openOutputs() (outs []*output, err error) {
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
	return outs, nil
}

// findResumable finds out whether the run can resume after a crash: it needs a repeatable input and
// outputs that can be cut.
func (f *scoreFlags) findResumable(s *scoring, again bool) error {
	if s.resumable = f.out != "" && again && f.fdr == 0 && len(f.more) == 0 && table.Lines(f.to) && len(s.names) == 1; f.resume && !again {
		return usage.Errorf("--resume: the input %s is no regular file or folder, and cannot be read again", f.path)
	}
	for _, o := range s.outs {
		if o.regular && o.flag == "--out" {
			s.checkpoint = f.out + checkpointExt
		}
		if !o.regular {
			if s.resumable = false; f.resume {
				return usage.Errorf("--resume: %s %s is no regular file, so a run cannot be resumed there", o.flag, o.name)
			}
		}
	}
	return nil
}

// batch reports whether a batch is scored.
func (f *scoreFlags) batch() bool { return f.options.By != algo.ByAlone || f.both }

// A scoring is a run of `baca score`.
type scoring struct {
	scorer               *algo.Scorer
	model                *algo.Model
	by                   string
	origin               table.Run // of the rows
	alpha, rate          float64   // requested, and of verdicts
	options              job.ScoreOptions
	out                  *table.Sink  // nil before open
	rejects              *table.Sink  // nil without --rejects
	outs                 []*output    // of both writers
	open                 func() error // makes the writers on first use
	input                *input
	own                  []string // the input's columns, see dataset.Options.Own
	outName, rejectsName string
	names                []string // of the models
	covered              []int    // records that each model covers
	stderr               io.Writer
	progress             *progress.Progress // nil for few graphs
	answers
	explainer *job.Explainer // nil without --explain and --neighbors

	checkpoint string // beside --out, empty if that is no regular file
	resumable  bool   // there are checkpoints
	run        runIdentity
	done       scoreState
	saved      int      // rows at the last checkpoint
	fit        *job.Fit // nil before
	warnings   []string
}

// maxShown refused records are shown on stderr.
const maxShown = 3

// all scores the input and writes its rows.
func (s *scoring) all(ctx context.Context, in job.Input) error {
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
	s.options.Fitted = func(f *job.Fit) error {
		end()
		s.fit = f
		if f.Few {
			s.origin.By = algo.ByAlone
		}
		s.warn(f.Warnings)
		if s.explainer != nil && !f.Few {
			s.explainer.Scorer, s.explainer.Batch = s.scorer, f.Records
		}
		if f.Sample {
			s.progress = progress.New(s.stderr, "scoring", int64(f.Total))
			s.progress.Skip(int64(s.done.Rows))
		}
		return nil
	}
	emit := func(rows []table.Scored) error { return s.emit(ctx, rows) }
	if err := job.Score(ctx, s.scorer, in, s.options, emit); err != nil {
		return err
	}
	if err := s.begin(); err != nil {
		return err
	}
	return s.flush() // the header of no rows
}

// begin opens the outputs. An unreadable input overwrites nothing.
func (s *scoring) begin() error {
	if s.out != nil {
		return nil
	}
	return s.open()
}

func (s *scoring) emit(ctx context.Context, rows []table.Scored) error {
	if err := s.begin(); err != nil {
		return err
	}
	if s.explain {
		if err := s.explainer.Explain(ctx, s.options.Workers, rows); err != nil {
			return err
		}
	}
	if n := s.neighbors; n > 0 {
		if err := s.explainer.Nearest(ctx, s.options.Workers, rows, n); err != nil {
			return err
		}
	}
	if err := s.judge(ctx, rows); err != nil {
		return err
	}
	s.out.Add(rows...)
	for _, r := range rows {
		s.done.Rows++
		if r.Err != nil {
			s.done.Refused++
			if len(s.done.Shown) < maxShown {
				s.done.Shown = append(s.done.Shown, show(r.Record))
			}
			if s.rejects != nil {
				s.rejects.Add(r)
			}
			continue
		}
		s.done.Count(r.Best())
		s.done.SetAside.Count(r.Aside)
		for i := range s.covered {
			if r.Covered(i) {
				s.covered[i]++
			}
		}
	}
	switch {
	case s.progress != nil:
		s.progress.Add(int64(len(rows)))
	case !s.options.Batch && s.done.Rows >= job.MaxGraphs: // fewer take no time
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

// warn stores warnings for the end, each once.
func (s *scoring) warn(warnings []string) {
	for _, w := range warnings {
		if !slices.Contains(s.warnings, w) {
			s.warnings = append(s.warnings, w)
		}
	}
}

// show is a refused record with its error and, for a molecule, carets below the piece.
func show(r table.Record) string {
	text := "refused: " + r.Err.Error()
	var at *molecule.SyntaxError
	if errors.As(r.Err, &at) {
		text += "\n  " + strings.ReplaceAll(at.Caret(r.SMILES), "\n", "\n  ")
	}
	return text
}

func (s *scoring) summarize() {
	d := s.done
	if len(s.names) > 1 {
		defer s.summarizeModels()
	}
	fmt.Fprintf(s.stderr, "%d read, %d refused; model %s", d.Rows, d.Refused, strings.Join(s.names, ", "))
	if file := s.model.Card.Holdout; file != "" {
		fmt.Fprintf(s.stderr, " with p-values from %s", file)
	}
	if d.Rows > d.Refused && s.judged() {
		fmt.Fprintf(s.stderr, "; %s at alpha %g", d.Verdicts(), s.alpha)
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
	if s.found != nil {
		for _, sentence := range s.found.Sentences(s.order().Words()) {
			fmt.Fprintln(s.stderr, sentence)
		}
	}
	tellList(s.stderr, d.Counts, d.SetAside, d.Rows-d.Refused)
	s.read.tell(s.stderr, job.WithoutInterval)
	s.bounds()
	for _, sentence := range s.fit.Sentences(s.by, s.both) {
		fmt.Fprintln(s.stderr, sentence)
	}
	if n := s.model.References(); n > 0 && !decide.Resolves(s.alpha, n) {
		fmt.Fprintf(s.stderr, "note: the model holds %d graphs to compare with, so that p-values go down to %.3g: want --alpha of that or more for verdicts\n", n, 1/float64(1+n))
	}
	for _, w := range s.warnings {
		fmt.Fprintf(s.stderr, "warning: %s\n", w)
	}
}

// tellList says what was set aside of a list, and whether the model knows such lists.
func tellList(w io.Writer, c decide.Counts, a molecule.Asides, records int) {
	if said := a.Of(records); said != "" {
		fmt.Fprintln(w, said)
	}
	if said := c.Foreign(); said != "" {
		fmt.Fprintf(w, "note: %s; train your own: baca train LIBRARY --out my.msgpack\n", said)
	}
}

// tellWritten reports an interrupted run's rows.
func (s *scoring) tellWritten(err error) {
	if !errors.Is(err, context.Canceled) || s.done.Rows == 0 || !s.judged() {
		return
	}
	fmt.Fprintf(s.stderr, "note: the rows of these %d are written", s.done.Rows)
	if s.saved > 0 {
		fmt.Fprintf(s.stderr, "; --resume continues after row %d", s.saved)
	}
	fmt.Fprintln(s.stderr)
}

// bounds reports bounds on false alarms.
func (s *scoring) bounds() {
	d, n := s.done, s.model.References()
	if !s.bounded() || d.Rows == d.Refused || !s.judged() {
		return
	}
	confidence := cmp.Or(s.confidence, defaultConfidence)
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
	if p, ok := s.pending(); ok {
		at, total = p.most, p.tally.Len()
	}
	most := decide.MostFalse(d.Outside, total, n, at, confidence)
	if most == d.Outside {
		fmt.Fprintf(s.stderr, "with %g %% confidence all of the %d called outside may be inside\n", 100*confidence, most)
		return
	}
	fmt.Fprintf(s.stderr, "with %g %% confidence at most %d of the %d called outside are inside; that holds at every threshold at once\n", 100*confidence, most, d.Outside)
}
