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
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/explain"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/job"
	"baca/algo/molecule"
	"baca/algo/pretrain"
	"baca/algo/table"
	"baca/build/device"
	"baca/build/internal/apart"
	"baca/build/internal/opened"
	"baca/build/internal/progress"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
	"baca/weights"
)

// checkpointInterval is the time between checkpoints. Tests shorten it.
var checkpointInterval = job.CheckpointInterval

type trainFlags struct {
	source
	out        target
	device     deviceFlag
	card       algo.Card // Name, Description, Epochs and Seed
	epochsSet  bool
	resume     bool
	background string
	asWritten  bool
	structures bool
	values     labels // of kept errors, if any
}

func newTrain(gpus *device.GPUs) *cobra.Command {
	o := trainFlags{device: deviceFlag{gpus: gpus}}
	c := &cobra.Command{
		Use:        "train INPUT --out MODEL",
		SuggestFor: []string{"fit", "learn"},
		Short:      "Train a model on in-distribution graphs",
		Long: `Train trains an encoder on nine tenths of the graphs of a file or a TUDataset set, and writes a model file. The last tenth, drawn
by the seed, is kept from training and gives p-values; 999 are enough.

Every graph is trained on 400 times, but of more than 7 680 graphs each as often as 24 000 steps of 128 graphs allow: 100 000 graphs 31 times.

A checkpoint, MODEL.checkpoint, is saved every 20 seconds and at an interrupt. With --resume a run that was stopped in any way goes on from
there, and ends with the same bytes. A MODEL that is there is replaced only by a run that goes on.

A model of molecules reads the parent compound: what it is without stereo marks, isotopes, counter-ions and charges that protons make, in one
tautomer of an azole or amidine. --as-written reads all of these, for sets where the salt or the isomer is the point.

A model of molecules also learns what tells its training set from a background, molecules at large: 5 000 from ChEMBL and QM9 are built in.
--background takes another file of them, best one that is near the training set but is not of it. Only 25 kB of weights are kept of it.

With --observed Y --held-out YHAT the model keeps how wrong your own predictions were for the molecules kept from training, and baca trust says
from that what errors to expect. Each prediction must have been made by a model that had not seen its molecule, as in a cross-validation: errors
on molecules that a model was fitted to are too small.

baca model share makes a model that can be handed out.`,
		Example: `  baca train bbbp.csv.gz --out bbbp.msgpack --keep-structures
  baca train bbbp.csv.gz --out bbbp.msgpack --resume`,
		Args: usage.Args(0, 1, "%d inputs: want one"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.path = args[0]
			}
			o.source.labels, o.cells = &o.values, o.values.Columns()
			o.columnSet, o.epochsSet = c.Flags().Changed("column"), c.Flags().Changed("epochs")
			if err := o.check(); err != nil {
				return err
			}
			return o.run(c)
		},
	}
	f := c.Flags()
	o.register(f, formats...)
	group(c, "Input", "format", "column")
	o.out.register(f)
	f.StringVar(&o.card.Name, "name", "", "name of the model (default: that of the input, in lower case)")
	f.StringVar(&o.card.Description, "description", "", "one sentence about the model")
	f.BoolVar(&o.structures, "keep-structures", false, "store the molecules, to be shown as neighbors")
	group(c, "Model", "out", "name", "description", "keep-structures")
	f.IntVar(&o.card.Epochs, "epochs", 0, "times that every graph is trained on (default 400, fewer above 7 680 graphs)")
	f.StringVar(&o.background, "background", builtInBackground, "`FILE` of molecules at large, to compare the training set with, or "+noBackground)
	f.BoolVar(&o.asWritten, "as-written", false, "read stereo marks, isotopes, salts and charges as written")
	f.StringVar(&o.values.Observed, "observed", "", "`column` with the measured value of each molecule")
	f.StringVar(&o.values.Predicted, "held-out", "", "`column` with predictions, each made without its molecule")
	c.MarkFlagsRequiredTogether("observed", "held-out")
	group(c, "Training", "epochs", "background", "as-written", "observed", "held-out")
	f.Uint64Var(&o.card.Seed, "seed", 1, "seed of the split, the weights and the order of graphs")
	f.BoolVar(&o.resume, "resume", false, "resume from MODEL.checkpoint, if it exists")
	o.registerWorkers(f)
	o.device.register(f)
	group(c, "Run", "seed", "resume", "workers", "device")
	return c
}

// check checks the flags, and sets the form of molecules.
func (o *trainFlags) check() error {
	switch {
	case o.path == "" || o.out.path == "":
		return usage.Errorf("want INPUT and --out MODEL")
	case o.path == "-":
		return usage.Errorf("standard input: want a file or a folder, since the input is read again to resume")
	case o.epochsSet && (o.card.Epochs < 1 || o.card.Epochs > job.MaxEpochs):
		return usage.Errorf("--epochs %d: want 1 to %d", o.card.Epochs, job.MaxEpochs)
	}
	if err := cmp.Or(o.source.check(), o.values.check()); err != nil {
		return err
	}
	if o.background != builtInBackground && o.background != noBackground {
		if _, err := os.Stat(o.background); err != nil {
			return usage.Errorf("--background: %w", err)
		}
	}
	if o.form = molecule.Parent; o.asWritten {
		o.form = molecule.Canonical
	}
	return o.device.check()
}

func (o *trainFlags) run(c *cobra.Command) error {
	ctx, stderr := c.Context(), c.ErrOrStderr()
	if o.resume {
		_, err := os.Stat(o.out.checkpoint())
		o.out.resume = err == nil
	}
	reads := o.source
	if o.background != builtInBackground && o.background != noBackground {
		reads.more = []string{o.background}
	}
	release, err := o.out.claim(reads)
	if err != nil {
		return err
	}
	defer release()
	set, err := readTraining(c, o.source)
	if err != nil {
		return err
	}
	if o.structures && set.schema == algo.Constant {
		return usage.Errorf("--keep-structures: only molecules have structures, and %s holds plain graphs", o.path)
	}
	training := &trainJob{
		graphs: set.graphs, workers: o.workers, unpack: o.unpack(), device: o.device.open, split: dataset.Hold,
		checkpoint: o.out.checkpoint(), resume: o.resume, hint: "--resume continues from there", card: o.cardOf(c, set),
	}
	if o.keepsErrors() {
		training.values, training.observed, training.predicted = set.values, o.values.Observed, o.values.Predicted
	}
	if err := training.addBackground(ctx, stderr, o.background); err != nil {
		return err
	}
	data, err := training.run(ctx, stderr)
	if err != nil {
		return err
	}
	if o.structures {
		if data, err = o.completed(c, data); err != nil {
			return err
		}
	}
	if err := training.finish(o.out, data); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "wrote %s: %s\n", o.out.path, size(len(data)))
	if warning := training.training.Warning(); warning != "" {
		fmt.Fprintf(stderr, "warning: %s\n", warning)
	}
	tellResiduals(stderr, data)
	return nil
}

// cardOf begins a model's card, and reports an unusual training length.
func (o *trainFlags) cardOf(c *cobra.Command, set *trainingSet) algo.Card {
	card := o.card
	card.Schema, card.Dataset, card.DatasetSHA256 = set.schema, set.name, set.sha256
	train, _ := dataset.Hold(len(set.graphs), card.Seed)
	if !o.epochsSet {
		if card.Epochs = job.DefaultEpochs(len(train)); card.Epochs < job.UsualEpochs {
			fmt.Fprintf(c.ErrOrStderr(), "training on %d graphs for %s, %d steps; --epochs asks for another number\n",
				len(train), explain.Count(card.Epochs, "epoch"), card.Epochs*job.StepsPerEpoch(len(train)))
		}
	}
	return card
}

// A target is a model file to make.
type target struct {
	path   string
	resume bool // an existing file was to be replaced from the start
}

func (t *target) register(f *pflag.FlagSet) {
	f.StringVar(&t.path, "out", "", "model `file` to write")
}

// checkpoint is the training's checkpoint file.
func (t *target) checkpoint() string { return t.path + ".checkpoint" }

// claim checks before hours of training that the model can be written, and locks it until release.
func (t *target) claim(in source) (release func(), err error) {
	err = in.apart(apart.File{Role: "--out", Name: t.path}, apart.File{Role: "the checkpoint", Name: t.checkpoint()}, apart.File{Role: "the lock", Name: t.path + ".lock"})
	if err != nil {
		return nil, err
	}
	release, err = replace.Alone(t.path+".lock", t.path, t.checkpoint())
	if at := new(fs.PathError); errors.As(err, &at) {
		err = at.Err // nobody asked for a lock
	}
	if err != nil {
		return nil, fmt.Errorf("--out %s: %w", t.path, err)
	}
	if err := t.check(); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// check refuses to lose a file.
func (t *target) check() error {
	info, err := os.Stat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return usage.Errorf("--out %s: it is there and not a plain file", t.path)
	}
	if !t.resume {
		return usage.Errorf("--out %s is there already: want another name, or remove it first", t.path)
	}
	return nil
}

// A trainingSet is the input of `baca train`.
type trainingSet struct {
	name   string // of the file or folder
	schema string
	sha256 string
	graphs []*graph.Graph
	values []*algo.Values // by graph, if value columns are read
}

// readTraining reads the training graphs and reports refused ones.
func readTraining(c *cobra.Command, from source) (*trainingSet, error) {
	absolute, err := filepath.Abs(from.path)
	if err != nil {
		return nil, err
	}
	in, err := from.open(c.Context(), c)
	if err != nil {
		return nil, err
	}
	defer in.close()
	set := &trainingSet{name: filepath.Base(absolute), schema: in.schema}
	if in.schema == algo.Constant && in.files == nil && strings.HasSuffix(strings.TrimSuffix(set.name, ".gz"), ".txt") {
		return nil, usage.Errorf("%s: want the folder of the TUDataset set", from.path)
	}
	for _, w := range in.warnings {
		fmt.Fprintf(c.ErrOrStderr(), "warning: %s\n", w)
	}
	refused := 0
	for r, err := range table.Parse(c.Context(), from.workers, in.records) {
		if err != nil {
			return nil, err
		}
		if r.Err != nil {
			if refused++; refused <= 5 {
				fmt.Fprintf(c.ErrOrStderr(), "refused: %v\n", r.Err)
			}
			continue
		}
		set.graphs = append(set.graphs, r.Graph)
		if from.labels != nil {
			set.values = append(set.values, from.labels.Of(r.Row, r.Cells))
		}
	}
	if from.labels != nil {
		from.labels.tell(c.ErrOrStderr(), job.TrainedAsOthers)
	}
	if refused > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "refused %d of %d records\n", refused, refused+len(set.graphs))
	}
	if err := checkRead(refused+len(set.graphs), refused); err != nil {
		return nil, fmt.Errorf("%s: %w", from.path, err)
	}
	if in.files != nil {
		set.sha256, err = in.files.Sum()
		return set, err
	}
	set.sha256, err = opened.Sum(os.DirFS(filepath.Dir(absolute)), set.name)
	return set, err
}

// Values of --background that are no files.
const builtInBackground, noBackground = "built-in", "none"

// addBackground reads the background of molecules.
func (j *trainJob) addBackground(ctx context.Context, stderr io.Writer, name string) error {
	if j.card.Schema == algo.Constant || name == noBackground {
		if name != builtInBackground && name != noBackground {
			return usage.Errorf("--background %s: the input holds plain graphs, a background holds molecules", name)
		}
		return nil
	}
	options := dataset.Options{Format: dataset.SMI, Form: algo.FormOf(j.card.Schema), Workers: j.workers}
	text, title := weights.Background(), algo.BuiltInBackground
	if name != builtInBackground {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		text, title = file, filepath.Base(name)
		options.Format, options.Name, options.Unpack = dataset.Auto, title, j.unpack
	}
	gs, refused, err := job.ReadBackground(ctx, text, options, nil)
	if refused > 0 {
		fmt.Fprintf(stderr, "refused %d of %d records of the background\n", refused, refused+len(gs))
	}
	if err != nil {
		return fmt.Errorf("--background %s: %w", name, err)
	}
	j.outside = gs
	j.card.Background = title
	return nil
}

// A trainJob is one training run.
type trainJob struct {
	graphs  []*graph.Graph
	outside []*graph.Graph // the background, empty for none
	workers int
	unpack  dataset.Unpack // of a background
	// device, unless nil, chooses the device for an encoder of that shape.
	device func(ctx context.Context, stderr io.Writer, workers int, shape gin.Config, training bool) (gin.Device, error)
	// split divides the graphs into training set and holdout.
	split func(n int, seed uint64) (train, holdout []int)
	// card has Name, Description, Schema, Dataset, DatasetSHA256, Seed and Epochs.
	card algo.Card
	// values, unless nil, become residuals.
	values              []*algo.Values
	observed, predicted string // their columns

	checkpoint string // path; empty for none
	resume     bool
	hint       string // how to resume after an interrupt

	training job.Training // of run
}

// run trains and returns the model file. Use the model loaded from it, which is rounded.
func (j *trainJob) run(ctx context.Context, stderr io.Writer) ([]byte, error) {
	t := &j.training
	*t = job.Training{Graphs: j.graphs, Outside: j.outside, Workers: j.workers, Split: j.split, Card: j.card, Save: weights.SaveMeasured, Values: j.values, Observed: j.observed, Predicted: j.predicted}
	if j.device != nil {
		t.Device = func(ctx context.Context, o pretrain.Options, _ int) (gin.Device, error) {
			return j.device(ctx, stderr, j.workers, o.Config, true)
		}
	}
	if err := t.Prepare(); err != nil {
		return nil, err
	}
	from, err := j.restore(stderr)
	if err != nil {
		return nil, err
	}
	if err := t.Begin(ctx, from.State, from.Loss); err != nil {
		return nil, err
	}
	err = j.train(ctx, stderr)
	var data []byte
	if err == nil {
		_, data, err = t.Pack(ctx)
	}
	if err != nil && ctx.Err() != nil && j.checkpoint != "" && t.State.Epoch > from.State.Epoch {
		if serr := j.save(); serr != nil {
			return nil, errors.Join(err, serr)
		}
		fmt.Fprintf(stderr, "interrupted after epoch %d of %d, which %s holds; %s\n",
			t.State.Epoch, t.Card.Epochs, j.checkpoint, j.hint)
	}
	return data, err
}

// train runs the remaining epochs.
func (j *trainJob) train(ctx context.Context, stderr io.Writer) error {
	t := &j.training
	graphs := int64(len(t.Train))
	p := progress.New(stderr, "pre-training "+t.Card.Name, graphs*int64(t.Card.Epochs))
	defer p.Done()
	if t.State.Epoch > 0 {
		p.Skip(graphs * int64(t.State.Epoch))
	}
	return t.Run(ctx, checkpointInterval, func() error {
		p.Note(fmt.Sprintf("epoch %d/%d, loss %.4f (graphs %.4f, nodes %.4f)", t.State.Epoch, t.Card.Epochs, t.Loss.Total, t.Loss.Graph, t.Loss.Node))
		p.Add(graphs)
		return nil
	}, j.save)
}

// save writes the last state, if there are checkpoints.
func (j *trainJob) save() error {
	if j.checkpoint == "" {
		return nil
	}
	return replace.File(j.checkpoint, func(w io.Writer) error {
		return weights.SaveCheckpoint(w, weights.CheckpointOf(j.training.Card, j.training.Options, j.training.State, j.training.Loss))
	})
}

// restore returns the checkpoint, an empty one for a fresh start.
func (j *trainJob) restore(stderr io.Writer) (*weights.Checkpoint, error) {
	none := new(weights.Checkpoint)
	if j.checkpoint == "" {
		return none, nil
	}
	data, err := readLimited(j.checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		if j.resume {
			fmt.Fprintf(stderr, "no checkpoint %s: starting from the first epoch\n", j.checkpoint)
		}
		return none, nil
	}
	if err != nil {
		return nil, err
	}
	if !j.resume {
		fmt.Fprintf(stderr, "overwriting %s of an earlier run: starting from the first epoch, without --resume\n", j.checkpoint)
		return none, nil
	}
	c, err := weights.LoadCheckpoint(data)
	if err == nil {
		err = c.Fits(j.training.Card, j.training.Options)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot resume from %s: %w; remove it to start from the first epoch", j.checkpoint, err)
	}
	if c.Program != j.training.Card.Program {
		fmt.Fprintf(stderr, "warning: %s was written by baca %s, this is %s: the result may not be the same to the last bit\n",
			j.checkpoint, c.Program, j.training.Card.Program)
	}
	fmt.Fprintf(stderr, "resuming after epoch %d of %d\n", c.State.Epoch, j.training.Card.Epochs)
	return c, nil
}

func (j *trainJob) finish(to target, data []byte) error {
	if err := replace.Bytes(to.path, data); err != nil {
		return err
	}
	return forget(j.checkpoint)
}
