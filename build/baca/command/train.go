package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/explain"
	"baca/algo/gin"
	"baca/algo/molecule"
	"baca/algo/pretrain"
	"baca/algo/training"
	"baca/build/device"
	"baca/build/internal/progress"
	"baca/build/internal/replace"
	"baca/build/internal/unpack"
	"baca/build/internal/usage"
	"baca/weights"
)

// checkpointInterval is the time between checkpoints. Tests shorten it.
var checkpointInterval = training.CheckpointInterval

type trainFlags struct {
	source
	out        string
	device     deviceFlag
	card       algo.Card // Name, Description, Epochs and Seed
	purpose    string    // see training.Training.For
	resume     bool
	background string
	asWritten  bool
	structures bool
	values     labels // columns of the values from which errors are kept, or none
}

// newTrain returns the command "train".
func newTrain(gpus *device.GPUs) *cobra.Command {
	f := trainFlags{device: deviceFlag{gpus: gpus}}
	c := f.verb(&cobra.Command{
		Use:        "train INPUT --out MODEL",
		SuggestFor: []string{"fit", "learn", "pretrain"},
		Short:      "Train a model on in-distribution graphs",
		Args:       usage.Args(0, 1, "%d inputs: want one"),
	}, f.check, f.run)
	f.register(c)
	f.registerOut(c.Flags(), &f.out, "out", "model `file` to write")
	group(c, "Model")
	c.Flags().BoolVar(&f.resume, "resume", false, "resume from MODEL.checkpoint, if it exists")
	group(c, "Training")
	return c
}

// register adds the flags of a training.
func (f *trainFlags) register(c *cobra.Command) {
	fs := c.Flags()
	f.registerInput(fs, formats...)
	group(c, "Input")
	fs.StringVar(&f.card.Name, "name", "", "name of the model (default: that of the input, in lower case)")
	fs.StringVar(&f.card.Description, "description", "", "one sentence about the model")
	fs.BoolVar(&f.structures, "keep-structures", false, "store the molecules, to show neighbors")
	fs.IntVar(&f.card.Epochs, "epochs", 0, "train the encoder on every graph this often")
	fs.StringVar(&f.purpose, "for", "", "train the encoder for the paper's `attention`")
	fs.StringVar(&f.background, "background", builtInBackground,
		"`FILE` of molecules at large, to compare the training set with, or "+noBackground)
	fs.BoolVar(&f.asWritten, "as-written", false, "read stereo marks, isotopes, salts and charges as written")
	fs.StringVar(&f.values.Observed, "observed", "", "`column` with the measured value of each molecule")
	fs.StringVar(&f.values.Predicted, "held-out", "", "`column` with predictions, each made without its molecule")
	fs.StringVar(&f.values.Uncertainty, "uncertainty", "", "`column` with how unsure your model was of each of these predictions")
	fs.StringVar(&f.values.NewScaffold, "new-scaffold", "", "`column` with predictions, each made without all molecules of its scaffold")
	c.MarkFlagsRequiredTogether("observed", "held-out")
	group(c, "Model")
	fs.Uint64Var(&f.card.Seed, "seed", 1, "seed of the split, the weights and the order of graphs")
	group(c, "Training")
	f.registerWorkers(fs)
	f.device.register(fs)
	group(c, "Run")
}

// check returns an error of usage for flags that are missing or do not fit, and sets what follows from flags.
func (f *trainFlags) check() error {
	given := f.c.Flags().NArg() > 0
	return cmp.Or(rules{{!given || f.out == "", "want INPUT and --out MODEL"}}.check(), f.checkTraining())
}

// checkTraining checks the flags of register. It sets the columns to read, the form of molecules and the further files.
func (f *trainFlags) checkTraining() error {
	f.cells = f.values.Columns()
	f.form = molecule.Parent
	if f.asWritten {
		f.form = molecule.Canonical
	}
	err := cmp.Or(rules{
		{f.values.Uncertainty+f.values.NewScaffold != "" && !f.keepsErrors(),
			"--uncertainty, --new-scaffold: want --observed and --held-out, too"},
		{f.paths[0] == "-", "standard input: want a file or a folder, since the input is read again to resume"},
		{f.purpose != "" && f.purpose != algo.ByAttention, "--for " + f.purpose + ": want " + algo.ByAttention},
		{f.purpose != "" && f.c.Flags().Changed("epochs"), "--for and --epochs: want one of them"},
	}.check(), inRange("epochs", training.CheckLength("", f.card.Epochs)), f.values.check())
	if f.ownBackground() {
		if _, serr := os.Stat(f.background); serr != nil {
			err = cmp.Or(err, usage.Errorf("--background: %w", serr))
		}
		f.further = append(f.further, f.background)
	}
	return cmp.Or(err, f.device.check())
}

// ownBackground reports whether --background names a file.
func (f *trainFlags) ownBackground() bool {
	return f.background != builtInBackground && f.background != noBackground
}

// keepsErrors reports whether the model keeps errors of predictions.
func (f *trainFlags) keepsErrors() bool { return f.values.Predicted != "" }

// run trains a model, or continues a training, and writes the model.
func (f *trainFlags) run() error {
	j := &trainJob{path: f.out, resume: f.resume, stderr: f.c.ErrOrStderr(), hint: "--resume continues from there"}
	release, err := claim(f.out, f.resume && j.begun())
	if err != nil {
		return err
	}
	defer release()
	m, data, err := f.train(j)
	if err != nil {
		return err
	}
	if err := j.finish(data); err != nil {
		return err
	}
	fmt.Fprintf(j.stderr, "wrote %s: %s\n", f.out, size(len(data)))
	j.tell(m)
	return nil
}

// tell writes a warning if the training set is too small for something, and how many errors of predictions the model
// keeps, if any.
func (j *trainJob) tell(m *algo.Model) {
	if warning := j.Warning(); warning != "" {
		fmt.Fprintf(j.stderr, "warning: %s\n", warning)
	}
	if m.Residuals != nil {
		fmt.Fprintf(j.stderr, "kept the errors of %d predictions, for baca trust\n", m.Residuals.Known())
	}
}

// train reads the training set, and returns the trained model with its file.
func (f *trainFlags) train(j *trainJob) (*algo.Model, []byte, error) {
	// All graphs stay in memory, and a smaller heap costs a training less than a tenth of its time.
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	ctx := f.c.Context()
	set, err := f.readTraining(&f.values)
	if err != nil {
		return nil, nil, err
	}
	if f.structures && set.schema == algo.Constant {
		return nil, nil, usage.Errorf("--keep-structures: only molecules have structures, and %s holds plain graphs", f.paths[0])
	}
	if f.c.Flags().Changed("epochs") && f.card.Epochs == 0 && set.schema == algo.Constant {
		return nil, nil, usage.Errorf("--epochs 0: %s holds plain graphs, which need a trained encoder: want 1 to %d", f.paths[0], training.MaxEpochs)
	}
	j.Training = training.Training{Workers: f.workers, Split: dataset.Hold, Card: f.card, For: f.purpose,
		ValueColumns: f.values.ValueColumns}
	j.Card.Schema, j.Card.Dataset, j.Card.DatasetSHA256 = set.schema, set.name, set.sha256
	j.Take(set.rows, f.keepsErrors(), f.structures)
	j.Device = func(ctx context.Context, o pretrain.Options, _ int) (gin.Device, error) {
		return f.device.open(ctx, j.stderr, f.workers, o.Config, true)
	}
	if err := j.addBackground(ctx, f.background); err != nil {
		return nil, nil, err
	}
	data, err := j.run(ctx)
	if err != nil {
		return nil, nil, err
	}
	m, err := weights.Load(data)
	return m, data, err
}

// prepare sets the options of training. Unless the user has set the number of epochs, it says which it is.
func (j *trainJob) prepare() error {
	asked := j.Card.Epochs
	err := j.Prepare()
	switch n := len(j.Train); {
	case err != nil || asked > 0: // nothing to say
	case j.Card.Epochs == 0:
		fmt.Fprintf(j.stderr, "encoder: drawn from seed %d, not trained; --for %s trains it for the paper's method\n",
			j.Card.Seed, algo.ByAttention)
	default:
		fmt.Fprintf(j.stderr, "training on %d graphs for %s, %d steps; --epochs asks for another number\n",
			n, explain.Count(j.Card.Epochs, "epoch"), j.Card.Epochs*training.StepsPerEpoch(n))
	}
	return err
}

// knowsNothing says why a model has no errors of predictions.
func knowsNothing(m *algo.Model) string {
	text := m.NoResiduals()
	if m.Card.Holdout == "" {
		text += "; baca train --observed --held-out makes one that does"
	}
	return text
}

// claim checks that a model file can be written, before hours of training, and locks it until release. Only a run that
// resumes may replace an existing file.
func claim(path string, resume bool) (release func(), err error) {
	release, err = replace.Alone(path+lockExt, path, path+checkpointExt)
	if at := new(fs.PathError); errors.As(err, &at) {
		err = at.Err // without the name of the lock
	}
	if err != nil {
		return nil, fmt.Errorf("--out %s: %w", path, err)
	}
	switch info, serr := os.Stat(path); {
	case errors.Is(serr, fs.ErrNotExist): // as it should be
	case serr != nil:
		err = serr
	case !info.Mode().IsRegular():
		err = usage.Errorf("--out %s exists and is not a plain file", path)
	case !resume:
		err = usage.Errorf("--out %s exists already: want another name, or remove it first", path)
	}
	if err != nil {
		release()
	}
	return release, err
}

// A trainingSet is what `baca train` reads.
type trainingSet struct {
	name   string // name of the file or folder
	schema string
	sha256 string
	rows   []algo.Source
}

// readTraining reads the training graphs with their values, and writes which records it refuses. All refused is an error.
func (s *source) readTraining(values *labels) (*trainingSet, error) {
	ctx, stderr := s.c.Context(), s.c.ErrOrStderr()
	absolute, err := filepath.Abs(s.paths[0])
	if err != nil {
		return nil, err
	}
	in, err := s.open()
	if err != nil {
		return nil, err
	}
	defer in.close()
	set := &trainingSet{name: filepath.Base(absolute), schema: in.schema}
	for _, w := range in.warnings {
		fmt.Fprintf(stderr, "warning: %s\n", w)
	}
	refused := 0
	set.rows, err = training.Sources(ctx, s.workers, in.stream, &values.Labels, func(err error) {
		refused++
		if refused <= 5 {
			fmt.Fprintf(stderr, "refused: %v\n", err)
		}
	})
	if err != nil {
		return nil, err
	}
	values.tellMissing(stderr, training.TrainedAsOthers)
	read := refused + len(set.rows)
	if refused > 0 {
		fmt.Fprintf(stderr, "refused %d of %d records\n", refused, read)
	}
	if err := checkRead(read, refused); err != nil {
		return nil, fmt.Errorf("%s: %w", s.paths[0], err)
	}
	set.sha256, err = s.sum(in)
	return set, err
}

// Values of --background other than files.
const builtInBackground, noBackground = "built-in", "none"

// addBackground reads the background with a name, a file or one of the two above, for a model of molecules. It does nothing for
// noBackground, and for plain graphs, which only a file is an error for.
func (j *trainJob) addBackground(ctx context.Context, name string) error {
	own := name != builtInBackground && name != noBackground
	if j.Card.Schema == algo.Constant && own {
		return usage.Errorf("--background %s: the input holds plain graphs, a background holds molecules", name)
	}
	if j.Card.Schema == algo.Constant || name == noBackground {
		return nil
	}
	options := dataset.Options{Format: dataset.SMI, Form: algo.FormOf(j.Card.Schema), Workers: j.Workers}
	text, title := weights.Background(), algo.BuiltInBackground
	if own {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		text, title = file, filepath.Base(name)
		options.Format, options.Name, options.Unpack = dataset.Auto, title, unpack.All
	}
	gs, refused, err := training.ReadBackground(ctx, text, options, nil)
	if refused > 0 {
		fmt.Fprintf(j.stderr, "refused %d of %d records of the background\n", refused, refused+len(gs))
	}
	if err != nil {
		return fmt.Errorf("--background %s: %w", name, err)
	}
	j.Outside, j.Card.Background = gs, title
	return nil
}

// A trainJob is a training run that writes a file.
type trainJob struct {
	training.Training
	stderr io.Writer
	path   string // the model file; its checkpoint is beside it. Empty: neither is written
	resume bool
	hint   string // what to say about resuming after an interrupt
}

func (j *trainJob) checkpoint() string { return j.path + checkpointExt }

// begun reports whether there is a checkpoint of an earlier run.
func (j *trainJob) begun() bool {
	_, err := os.Stat(j.checkpoint())
	return j.path != "" && err == nil
}

// run trains, or continues from a checkpoint, and returns the model file. The file rounds numbers: use the model that
// is loaded from it, not the one in memory. If it is interrupted after further epochs, run saves a checkpoint and
// says so.
func (j *trainJob) run(ctx context.Context) ([]byte, error) {
	j.Save = weights.SaveMeasured
	if err := j.prepare(); err != nil {
		return nil, err
	}
	from, err := j.restore()
	if err != nil {
		return nil, err
	}
	if err := j.Begin(ctx, from.State, from.Loss); err != nil {
		return nil, err
	}
	err = j.train(ctx)
	var data []byte
	if err == nil {
		_, data, err = j.Pack(ctx)
	}
	if err != nil && ctx.Err() != nil && j.path != "" && j.State.Epoch > from.State.Epoch {
		if serr := j.save(); serr != nil {
			return nil, errors.Join(err, serr)
		}
		fmt.Fprintf(j.stderr, "interrupted after epoch %d of %d, which %s holds; %s\n", j.State.Epoch, j.Card.Epochs,
			j.checkpoint(), j.hint)
	}
	return data, err
}

// train runs the remaining epochs.
func (j *trainJob) train(ctx context.Context) error {
	if j.Card.Epochs == 0 {
		return nil
	}
	graphs := int64(len(j.Train))
	p := progress.New(j.stderr, "pre-training "+j.Card.Name, graphs*int64(j.Card.Epochs))
	defer p.Done()
	if j.State.Epoch > 0 {
		p.Skip(graphs * int64(j.State.Epoch))
	}
	return j.Run(ctx, checkpointInterval, func() error {
		p.Note(fmt.Sprintf("epoch %d/%d, loss %.4f (graphs %.4f, nodes %.4f)", j.State.Epoch, j.Card.Epochs,
			j.Loss.Total, j.Loss.Graph, j.Loss.Node))
		p.Add(graphs)
		return nil
	}, j.save)
}

// save writes a checkpoint of the present state, if there is a path.
func (j *trainJob) save() error {
	if j.path == "" {
		return nil
	}
	return replace.File(j.checkpoint(), func(w io.Writer) error {
		return weights.SaveCheckpoint(w, weights.CheckpointOf(j.Card, j.Options, j.State, j.Loss))
	})
}

// restore returns the checkpoint from which the run resumes, or an empty one for a new start.
func (j *trainJob) restore() (*weights.Checkpoint, error) {
	none, at := new(weights.Checkpoint), j.checkpoint()
	switch begun := j.begun(); {
	case begun && j.resume && j.Card.Epochs == 0:
		return nil, fmt.Errorf("cannot resume from %s: this run does not train its encoder; want the --epochs or "+
			"--for of the run that wrote it, or remove it", at)
	case begun && j.resume: // it is read below
	case begun:
		fmt.Fprintf(j.stderr, "overwriting %s of an earlier run: starting anew, without --resume\n", at)
		return none, nil
	default:
		if j.resume && j.Card.Epochs > 0 {
			fmt.Fprintf(j.stderr, "no checkpoint %s: starting from the first epoch\n", at)
		}
		return none, nil
	}
	data, err := readLimited(at)
	if err != nil {
		return nil, err
	}
	c, err := weights.LoadCheckpoint(data)
	if err == nil {
		err = c.Fits(j.Card, j.Options)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot resume from %s: %w; remove it to start from the first epoch", at, err)
	}
	if c.Program != j.Card.Program {
		fmt.Fprintf(j.stderr, "warning: %s was written by baca %s, this is %s: the result may not be the same to "+
			"the last bit\n", at, c.Program, j.Card.Program)
	}
	fmt.Fprintf(j.stderr, "resuming after epoch %d of %d\n", c.State.Epoch, j.Card.Epochs)
	return c, nil
}

// finish writes the model file and removes the checkpoint.
func (j *trainJob) finish(data []byte) error {
	if err := replace.Bytes(j.path, data); err != nil {
		return err
	}
	return forget(j.checkpoint())
}
