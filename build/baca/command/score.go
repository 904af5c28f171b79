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
	"github.com/spf13/pflag"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/molecule"
	"baca/algo/run"
	"baca/algo/table"
	"baca/algo/training"
	"baca/build/device"
	"baca/build/internal/progress"
	"baca/build/internal/usage"
)

type scoreFlags struct {
	source
	out, to, rejects string
	text             table.Text
	resume           bool
	failOn           []string // words of --fail-on
	options          algo.Options
	device           deviceFlag

	by         string // what decides: a decider, byBoth or byApproximate
	both       bool   // by is byBoth: rows have the columns of both answers
	wider      bool   // by is byApproximate: p-values also compare with training graphs
	fdr        float64
	confidence float64 // probability, over the choice of held-out graphs, with which alpha is kept; 0 for on average
	explain    bool
	neighbors  int  // number of similar training graphs in a row
	drop       bool // leave out the input's own columns
	structures string
	predictions
}

// byBoth and byApproximate decide by the graph alone. With byBoth, rows have the columns of both answers. With
// byApproximate, p-values also compare with training graphs.
const byBoth, byApproximate = "both", "approximate"

// defaultConfidence is the confidence of bounds if --confidence is not given.
const defaultConfidence = 0.95

// deciders returns the values of --by: those of package algo and the two above.
func deciders() []string { return slices.Insert(algo.Deciders(), 1, byBoth, byApproximate) }

// newScore returns the command "score".
func newScore(gpus *device.GPUs) *cobra.Command {
	f := scoreFlags{options: algo.DefaultOptions(), device: deviceFlag{gpus: gpus}}
	c := f.verb(&cobra.Command{
		Use:        "score [INPUT...|-]",
		Short:      "How far graphs lie outside what a model was trained on",
		SuggestFor: []string{"predict", "classify", "detect", "run"},
	}, f.check, f.run)
	fs, o := c.Flags(), &f.options
	f.registerModel(fs, "; several, separated by commas, get a group of columns each")
	f.registerInput(fs, formats...)
	group(c, "Input")
	fs.StringVar(&f.by, "by", o.By, "alone, both, approximate, batch or attention, see above")
	fs.Float64Var(&o.Alpha, "alpha", o.Alpha, "share of graphs like the training set that may be called outside")
	fs.Float64Var(&f.fdr, "fdr", 0,
		"false-discovery rate among those called outside (Benjamini and Hochberg), which then decides; adds q_value")
	fs.Float64Var(&f.confidence, "confidence", 0, "keep false alarms at alpha with this confidence, such as 0.95, "+
		"over the choice of held-out graphs; 0 for on average")
	group(c, "What decides")
	fs.BoolVar(&f.explain, "explain", false, "add reasons, atoms, 3 neighbors; milliseconds each")
	f.registerNeighbors(fs)
	fs.StringVar(&f.structures, "structures", "", "`parent`: add scored_smiles, what was scored")
	fs.BoolVar(&f.drop, "drop-columns", false, "leave out the input's own columns, which come last")
	group(c, "Columns")
	f.registerRows(fs)
	f.registerOut(fs, &f.rejects, "rejects", "write refused records to this `file`, as CSV")
	spreadsheetSafe(fs, &f.text)
	fs.BoolVar(&f.resume, "resume", false, "resume from OUT.checkpoint, if it exists")
	fs.StringSliceVar(&f.failOn, "fail-on", nil, "exit with status 3 if a record is one of these `words`: "+strings.Join(failWords, ", "))
	group(c, "Output")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "of the attention and of the sample that forms a batch; nothing else is random")
	f.registerWorkers(fs)
	f.device.register(fs)
	group(c, "Run")
	return c
}

// registerNeighbors adds --neighbors.
func (f *scoreFlags) registerNeighbors(fs *pflag.FlagSet) {
	fs.IntVar(&f.neighbors, "neighbors", 0, "add the `N` most similar training graphs")
}

// registerRows adds the flags of where rows go.
func (f *scoreFlags) registerRows(fs *pflag.FlagSet) {
	f.registerOut(fs, &f.out, "out", "write rows to this `file` instead of standard output")
	fs.StringVar(&f.to, "to", "", strings.Join(table.Forms(), ", ")+"; by default from the name of --out, or csv")
}

// check returns an error for flags that are wrong, before anything is opened. It also sets what follows from the flags:
// options.By, both and wider from --by, out to "" for standard output, and to from the name of --out.
func (f *scoreFlags) check() (err error) {
	f.both, f.wider = f.by == byBoth, f.by == byApproximate
	f.options.By = f.by
	if f.both || f.wider {
		f.options.By = algo.ByAlone
	}
	if f.out == "-" {
		f.out = ""
	}
	if f.to, err = rowsForm(f.to, "out", f.out); err != nil {
		return err
	}
	for _, word := range f.failOn {
		err = cmp.Or(err, usage.OneOf("fail-on", word, failWords...))
	}
	return cmp.Or(
		usage.OneOf("to", f.to, table.Forms()...), usage.OneOf("by", f.by, deciders()...),
		err, inRange("alpha", decide.CheckAlpha(f.options.Alpha)), f.rules(), f.device.check(),
	)
}

// rules returns an error for flags that exclude each other or mean nothing together.
func (f *scoreFlags) rules() error {
	alone, one := f.options.By == algo.ByAlone, len(f.models()) == 1
	by := "--by " + f.by
	const several = ": not with several models; score with each of them alone for that"
	return rules{
		{f.resume && (f.out == "" || f.paths[0] == "-"), "--resume: want --out and an input file"},
		{f.resume && len(f.paths) > 1, fmt.Sprintf("--resume with %d inputs: want one", len(f.paths))},
		{f.resume && !table.Lines(f.to), "--resume: rows in the form " + f.to + " cannot be continued"},
		{!one && f.batch(), by + several},
		{!one && f.fdr > 0, "--fdr" + several},
		{!one && f.confidence > 0, "--confidence" + several},
		{!one && f.explain, "--explain" + several},
		{!one && f.neighbors > 0, "--neighbors" + several},
		{!one && f.structures != "", "--structures" + several},
		{!one && f.resume, "--resume" + several},
		{f.structures != "" && f.structures != "parent", "--structures " + f.structures + ": want parent"},
		{f.fdr != 0 && f.resume, "--fdr: it needs the p-values of all rows at once, so --resume does not go with it"},
		{f.fdr != 0 && !alone, "--fdr with " + by + ": false discoveries are bounded by the p-values of graphs by themselves"},
		{f.wider && (f.fdr == 0 || f.confidence != 0 || f.nearest() > 0), by +
			": want --fdr, and none of --confidence, --explain, --neighbors"},
		{f.confidence != 0 && !alone, "--confidence with " + by + ": it holds for the p-values of graphs by themselves"},
		{f.neighbors < 0 || f.neighbors > algo.MaxNearest, fmt.Sprintf("--neighbors %d: want 0 to %d", f.neighbors, algo.MaxNearest)},
		{f.confidence != 0 && !(f.confidence > 0 && f.confidence < 1),
			fmt.Sprintf("--confidence %g: want a number between 0 and 1, such as %g, or 0 for none", f.confidence, defaultConfidence)},
		{f.fdr != 0 && decide.CheckFDR(f.fdr) != nil, fmt.Sprintf("--fdr: %v", decide.CheckFDR(f.fdr))},
	}.check()
}

// batch reports whether the graphs are scored as a batch.
func (f *scoreFlags) batch() bool { return f.options.By != algo.ByAlone || f.both }

// nearest returns the number of similar training graphs in a row.
func (f *scoreFlags) nearest() int {
	if f.explain && f.neighbors == 0 {
		return algo.NearestExplained
	}
	return f.neighbors
}

// plan returns a plan that scores the input with the usual columns.
func (f *scoreFlags) plan(o *opening) run.Plan {
	f.options.Workers, f.options.Single = f.workers, o.alone
	return run.Plan{Model: o.model, Options: f.options, Batch: f.batch(), Columns: table.Usual, Input: o.records}
}

// A scoring is one run of `baca score`.
type scoring struct {
	*scoreFlags
	*opening
	*run.Run
	stderr   io.Writer
	origin   table.Run // columns on where rows come from
	names    []string  // names of the models
	compared []int     // number of held-out graphs of each model
	covered  []int     // number of records that each of several models covers
	ownNames []string  // columns of the input, see dataset.Options.Own

	written, refused *output     // files of --out and --rejects, or nil
	sink             *table.Sink // nil before the first rows
	pending          *pending    // keeps rows for --fdr, else nil
	progress         *progress.Progress

	checkpoint string // file of the checkpoint; empty if --out is no regular file
	resumable  bool   // whether checkpoints are written
	discard    bool   // whether to remove an earlier run's checkpoint at the first row
	identity   runIdentity
	done       scoreState
	saved      int // number of rows at the last checkpoint
	warnings   []string
}

// run scores the input with all models and writes the rows.
func (f *scoreFlags) run() (err error) {
	x, err := f.openModel(f.models()[0], f.batch() || f.nearest() > 0)
	if err != nil {
		return err
	}
	s := &scoring{scoreFlags: f, opening: x, stderr: f.c.ErrOrStderr()}
	if err := s.prepare(f.c.Context()); err != nil {
		return err
	}
	if err := f.begin(x); err != nil {
		return err
	}
	defer x.close()
	s.warn(x.warnings...)
	if f.out != "" {
		if s.written, err = openOutput(f.out); err != nil {
			return err
		}
		defer closeInto(s.written, &err)
	}
	if f.rejects != "" {
		if s.refused, err = openOutput(f.rejects); err != nil {
			return err
		}
		defer closeInto(s.refused, &err)
	}
	// Nothing is overwritten before all checks.
	if err := s.restore(); err != nil {
		return err
	}
	by := f.options.By
	if f.wider {
		by = f.by
	}
	s.origin = table.Run{Model: x.model.Card.Name, SHA256: hashOf(x.data), By: by, Alpha: f.options.Alpha, FDR: f.fdr}
	err = s.scoreAll(f.c.Context())
	// Whatever happened, the rows so far are finished and summed up. Only a complete run is concluded.
	s.done.Tally = s.Tally
	if s.pending != nil {
		err = s.decide(err)
		defer s.pending.spool.Close()
	}
	if s.sink != nil {
		err = cmp.Or(err, s.sink.Close())
	}
	if err == nil {
		err = s.conclude()
	}
	if errors.Is(err, errClosed) { // the reader of the rows wants no more
		s.tellWritten(err)
		return nil
	}
	if s.sink != nil {
		s.summarize()
	}
	if err != nil {
		s.tellWritten(err)
		return err
	}
	if err := checkRead(s.done.Records, s.done.Refused); err != nil {
		return err
	}
	return s.found()
}

// prepare makes the scorers and the plan of the run. It returns an error if the model cannot do what flags ask for.
func (s *scoring) prepare(ctx context.Context) (err error) {
	f, m := s.scoreFlags, s.model
	f.options.Workers = f.workers
	if m.Encoder.Device, err = f.device.open(ctx, s.stderr, f.workers, m.Encoder.Config, false); err != nil {
		return err
	}
	if f.structures != "" && m.Card.Schema == algo.Constant {
		return usage.Errorf("--structures needs a model of molecules, and %s reads plain graphs", m.Card.Name)
	}
	if f.batch() && m.Shared > 0 {
		return fmt.Errorf("model %s was made for sharing and cannot calibrate a batch: want --by %s", m.Card.Name, algo.ByAlone)
	}
	if err := f.single(s.opening); err != nil {
		return err
	}
	if f.wider {
		if err := s.widen(ctx); err != nil {
			return err
		}
		m = s.model
	}
	if len(f.cells) > 0 {
		unknown, err := f.learn(ctx, m, s.alone)
		if err != nil {
			return err
		}
		f.cells = f.read.Columns()
		s.warn(unknown...)
	}
	if f.nearest() > 0 && m.Structures == nil && m.Card.Schema != algo.Constant {
		s.warn(fmt.Sprintf("neighbors have rows only: model %s does not hold its training molecules; `baca model structures` adds them", m.Card.Name))
	}
	p := f.plan(s.opening)
	p.Confidence, p.Neighbors, p.From = f.confidence, f.neighbors, &s.origin
	for _, extra := range []struct {
		asked bool
		group table.Group
	}{
		{f.batch(), table.OfBatch}, {f.fdr > 0, table.OfRate}, {f.explain, table.OfReasons},
		{f.nearest() > 0, table.OfNeighbors}, {f.nearest() > 0 && m.Structures.HasValues(), table.OfValues},
		{f.read.Predicted != "", table.OfTrust},
		{f.structures != "", table.OfStructure},
	} {
		if extra.asked {
			p.Columns |= extra.group
		}
	}
	if f.read.Predicted != "" {
		p.Predictions = &run.Predictions{Judging: f.found, Values: f.read.Of}
	}
	if !f.drop && len(f.paths) == 1 { // several inputs may differ in columns
		f.own = func(_, names []string) { s.ownNames = names }
		p.Own = &s.ownNames
	}
	if p.Others, err = s.openOthers(); err != nil {
		return err
	}
	s.Run, err = run.New(ctx, p)
	return err
}

// openOthers opens the models after the first one. They must read graphs as it does, and have different names.
func (s *scoring) openOthers() (list []*algo.Model, err error) {
	m := s.model
	s.names, s.compared = []string{m.Card.Name}, []int{m.References()}
	for _, name := range s.models()[1:] {
		other, _, err := openModelFile(name)
		if err != nil {
			return nil, err
		}
		if other.Card.Schema != m.Card.Schema {
			return nil, fmt.Errorf("models %s and %s read graphs of different schemas (%s, %s): score with each of them alone",
				m.Card.Name, other.Card.Name, m.Card.Schema, other.Card.Schema)
		}
		if slices.Contains(s.names, other.Card.Name) {
			return nil, usage.Errorf("--model %s: two models are called %s", s.source.model, other.Card.Name)
		}
		other.Encoder.Device = m.Encoder.Device
		s.names, s.compared, list = append(s.names, other.Card.Name), append(s.compared, other.References()), append(list, other)
	}
	return list, nil
}

// open opens the writers of rows and refused records. They continue those of an earlier run. The run calls open after it
// has read a record, so that an unreadable input overwrites nothing.
func (s *scoring) open(fields []table.Field) (rows, rejects *table.Sink, err error) {
	w, header := rowsOut(s.c), s.Skip == 0
	if s.discard {
		fmt.Fprintf(s.stderr, "discarding %s of an earlier run: starting from the first row, without --resume\n", s.checkpoint)
		if err := forget(s.checkpoint); err != nil {
			return nil, nil, err
		}
	}
	if s.refused != nil {
		if err := s.refused.begin(s.done.Rejects); err != nil {
			return nil, nil, err
		}
		rejects = table.NewSink(s.refused, "csv", s.text, header, table.RejectFields())
		rejects.Writer = named{rejects.Writer, s.rejects}
	}
	for _, o := range []*output{s.written, s.refused} {
		if o != nil && o.regular && !o.beside() {
			s.say("note: the folder of %s takes no other file, so rows are written into it: a run that fails leaves a part", o.name)
		}
	}
	if s.written != nil {
		if err := s.written.begin(s.done.Out); err != nil {
			return nil, nil, err
		}
		w = s.written
	}
	if len(s.names) > 1 {
		s.covered = make([]int, len(s.names))
	}
	s.sink = table.NewSink(w, s.to, s.text, header, fields)
	if s.fdr > 0 {
		s.pending = newPending(s.sink.Writer, s.fdr)
		s.sink.Writer = s.pending
	}
	s.sink.Writer = named{s.sink.Writer, s.out}
	return s.sink, rejects, nil
}

// A named writer names its file in its errors.
type named struct {
	table.Writer
	file string
}

func (n named) Flush() error { return written(n.file, n.Writer.Flush()) }
func (n named) Close() error { return written(n.file, n.Writer.Close()) }

// maxShown is how many refused records are shown on standard error.
const maxShown = 3

// scoreAll scores the input and writes its rows. It shows the progress of each pass: of drawing a sample, if a batch
// needs one, and of scoring. For a batch that is too small it leaves out the columns of a batch, unless --by both
// asks for them.
func (s *scoring) scoreAll(ctx context.Context) error {
	endProgress := func() {
		if s.progress != nil {
			s.progress.Done()
			s.progress = nil
		}
	}
	defer endProgress()
	read := 0
	s.Reading = func(records int) {
		if s.progress == nil {
			s.count("drawing a sample")
			s.progress.Skip(int64(records))
		} else {
			s.progress.Add(int64(records - read))
		}
		read = records
	}
	s.Fitted = func(f *run.Fit) error {
		endProgress()
		s.warn(f.Warnings...)
		if f.Few && !s.both {
			s.Columns &^= table.OfBatch
		}
		if f.Sample {
			s.progress = progress.New(s.stderr, "scoring", int64(f.Total))
			s.progress.Skip(int64(s.Tally.Records))
		}
		return nil
	}
	s.Input, s.Tally, s.Open, s.Rows, s.Written = s.records, s.done.Tally, s.open, s.show, s.save
	return s.Do(ctx)
}

// show keeps the first maxShown refused records for the summary, counts the records that each of several models
// covers, and shows progress.
func (s *scoring) show(rows []table.Row) error {
	for _, row := range rows {
		r, scored := row.(*table.Scored)
		if !scored && len(s.done.Shown) < maxShown {
			s.done.Shown = append(s.done.Shown, show(row.Input()))
		}
		for i := range s.covered {
			if scored && r.Covered(i) {
				s.covered[i]++
			}
		}
	}
	switch {
	case s.progress != nil:
		s.progress.Add(int64(len(rows)))
	case !s.Batch && s.Tally.Records >= run.MaxGraphs: // fewer take no time
		s.count("scoring")
		s.progress.Skip(int64(s.Tally.Records))
	}
	return nil
}

// count begins to show progress: the number of records and, for a file, the share that was read.
func (s *scoring) count(what string) {
	s.progress = progress.New(s.stderr, what, 0)
	if s.file != nil && len(s.paths) == 1 {
		s.progress.Of(s.file.share)
	}
}

// warn keeps warnings for the end, each once.
func (s *scoring) warn(warnings ...string) {
	for _, w := range warnings {
		if !slices.Contains(s.warnings, w) {
			s.warnings = append(s.warnings, w)
		}
	}
}

// show returns a refused record with its error. For a molecule there are carets below the piece in question.
func show(r *dataset.Entry) string {
	text := "refused: " + r.Err.Error()
	var at *molecule.SyntaxError
	if errors.As(r.Err, &at) {
		if line, carets, _ := strings.Cut(at.Caret(r.SMILES), "\n"); strings.TrimSpace(line) != "" { // a molfile's may be blank
			text += "\n  " + line + "\n  " + carets
		}
	}
	return text
}

// judged reports whether verdicts are final. With --fdr they are after all rows are scored.
func (s *scoring) judged() bool { return s.pending == nil || s.pending.done }

// say writes a line to standard error.
func (s *scoring) say(format string, args ...any) { fmt.Fprintf(s.stderr, format+"\n", args...) }

// summarize prints how many records were read, refused and given each verdict, and then notes and warnings: what was
// set aside, what predictions and p-values rest on and, of several models, how many records each of them covers.
func (s *scoring) summarize() {
	d := s.done
	text := s.read.Counted(d.Records, d.Refused) + "; model " + strings.Join(s.names, ", ")
	if file := s.model.Card.Holdout; file != "" {
		text += " with p-values from " + file
	}
	if d.Records > d.Refused && s.judged() {
		text += fmt.Sprintf("; %s at alpha %g", d.Verdicts(), s.options.Alpha)
		if s.fdr > 0 {
			text += fmt.Sprintf(" and a false-discovery rate of %g", s.fdr)
		}
	}
	s.say("%s", strings.Join(append([]string{text}, d.Shown...), "\n"))
	if n := d.Refused - len(d.Shown); n > 0 {
		s.say("… and %d more; --rejects FILE lists them all", n)
	}
	for _, sentence := range s.predictions.sentences() {
		s.say("%s", sentence)
	}
	tellList(s.stderr, d.Counts, d.SetAside, d.Records-d.Refused)
	s.read.tellMissing(s.stderr, training.WithoutInterval)
	s.bounds()
	for _, sentence := range s.Sentences() {
		s.say("%s", sentence)
	}
	for i, n := range s.compared {
		if n > 0 && !decide.Resolves(s.options.Alpha, n) {
			s.say("note: model %s holds %d graphs to compare with, so that p-values go down to 1/%d: want --alpha "+
				"of that or more for verdicts", s.names[i], n, 1+n)
		}
	}
	for _, w := range s.warnings {
		s.say("warning: %s", w)
	}
	if len(s.names) > 1 {
		for i, name := range s.names {
			fmt.Fprintf(s.stderr, "%s covers %d; ", name, s.covered[i])
		}
		s.say("no model covers %d", d.Records-d.Refused-d.Inside)
	}
}

// tellList writes how many of the scored records had parts, such as salts, that the model did not read, and a note if
// too many are outside for the model to know such lists. It writes nothing if neither is so.
func tellList(w io.Writer, c decide.Counts, a molecule.Asides, records int) {
	if said := a.Of(records); said != "" {
		fmt.Fprintln(w, said)
	}
	if said := c.Foreign(); said != "" {
		fmt.Fprintf(w, "note: %s; train your own: baca train LIBRARY --out my.msgpack\n", said)
	}
}

// tellWritten says which rows of a run that ended early with err exist, and where. It keeps files beside the ones asked for. It
// says nothing about rows that are where they should be, unless the run was interrupted.
func (s *scoring) tellWritten(err error) {
	if s.done.Records == 0 || !s.judged() {
		return
	}
	text := fmt.Sprintf("note: the rows of these %d are written", s.done.Records)
	var parts []string
	for _, o := range []*output{s.written, s.refused} {
		if o.beside() {
			o.keep = true
			parts = append(parts, o.at)
		}
	}
	if parts != nil {
		text = "note: rows so far are in " + strings.Join(parts, " and ")
	} else if !errors.Is(err, context.Canceled) {
		return
	}
	if s.saved > 0 {
		text += fmt.Sprintf("; --resume continues after row %d", s.saved)
	}
	s.say("%s", text)
}

// bounds says how many of the graphs called outside may be false alarms, if --fdr or --confidence asks for it and rows are judged.
func (s *scoring) bounds() {
	d, n := s.done, s.model.References()
	if s.fdr == 0 && s.confidence == 0 || d.Records == d.Refused || !s.judged() {
		return
	}
	confidence := cmp.Or(s.confidence, defaultConfidence)
	switch {
	case s.Rate == 0:
		s.say("note: the model holds %d graphs to compare with, too few for false alarms of at most %g with %g "+
			"%% confidence", n, s.options.Alpha, 100*confidence)
	case s.fdr == 0:
		s.say("with %g %% confidence over the choice of the held-out graphs false alarms are at most %g: outside "+
			"is p <= %.3g", 100*confidence, s.options.Alpha, s.Rate)
	}
	if s.wider {
		s.say("approximate: p-values compare with training graphs, too, and the false-discovery rate is measured, not proven")
		return
	}
	if d.Outside == 0 {
		return
	}
	at, total := s.Rate, d.Outside+d.Borderline+d.Inside // p-values up to at are outside, of total
	if s.pending != nil {
		at, total = s.pending.most, s.pending.tally.Len()
	}
	most := decide.MostFalse(d.Outside, total, n, at, confidence)
	if most == d.Outside {
		s.say("with %g %% confidence all of the %d called outside may be inside", 100*confidence, most)
		return
	}
	s.say("with %g %% confidence at most %d of the %d called outside are inside; that holds at every "+
		"threshold at once", 100*confidence, most, d.Outside)
}

// failWords are the possible words of --fail-on.
var failWords = []string{string(decide.Outside), string(decide.Borderline), string(decide.Undecided), "refused"}

// A foundError says how many records --fail-on found.
type foundError string

func (e foundError) Error() string { return string(e) + ", where --fail-on wants none" }

// found returns a foundError if a record has a verdict named by --fail-on, or was refused where --fail-on says so.
func (s *scoring) found() error {
	var list []string
	for i, n := range []int{s.done.Outside, s.done.Borderline, s.done.Undecided, s.done.Refused} {
		if word := failWords[i]; n > 0 && slices.Contains(s.failOn, word) {
			list = append(list, fmt.Sprintf("%d %s", n, word))
		}
	}
	if list == nil {
		return nil
	}
	return foundError(strings.Join(list, " and "))
}
