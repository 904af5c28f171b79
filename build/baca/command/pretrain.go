package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"baca/algo"
	"baca/algo/background"
	"baca/algo/dataset"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/pretrain"
	"baca/algo/table"
	"baca/build/device"
	"baca/build/internal/opened"
	"baca/build/internal/progress"
	"baca/build/internal/replace"
	"baca/build/internal/usage"
	"baca/weights"
)

const (
	// minTraining is the smallest set that is trained on: the bank of a smaller
	// one says nothing, and its holdout resolves no p-value.
	minTraining   = 20
	defaultEpochs = 400
	maxEpochs     = 1_000_000
)

// checkpointInterval is the time between two checkpoints. Tests shorten it.
var checkpointInterval = 20 * time.Second

func newPretrain(gpus *device.GPUs) *cobra.Command {
	on := deviceFlag{gpus: gpus}
	var (
		from        source
		out         target
		name, about string
		epochs      int
		seed        uint64
		resume      bool
		share       int
		outside     string
		canonical   bool
		standardize bool
	)
	c := &cobra.Command{
		Use:   "pretrain --in INPUT --out MODEL",
		Short: "Train a model on in-distribution graphs",
		Long: `Pretrain trains an encoder on nine tenths of the graphs of a molecule file or a
TUDataset set (a folder or a .zip) and writes it as a model file. The last tenth,
drawn by the seed, is kept from training; its embeddings give the model p-values. Of
5 000 graphs and more, 999 are kept, which let p-values go down to 0.001.

While it trains, it saves a checkpoint, MODEL.checkpoint, every 20 seconds and when
it is interrupted. With --resume a run that was stopped in any way goes on from
there, and ends with the same bytes in MODEL as one that was never stopped. The
number of --workers does not show in them either; --device shows, by its rounding. A
MODEL that is there is replaced only with --overwrite, or by a run that goes on.

A model of molecules also learns what tells its training set from a background,
molecules at large: 5 000 from ChEMBL and QM9 are built in. --background takes
another file of them, best one that is near the training set but is not of it.
Nothing of the file is kept but 12 kB of weights.

The model names the sha-256 of what it was trained on: that of the file, or, for
a folder, of the set's files that are read (NAME_A.txt, NAME_graph_indicator.txt
and NAME_graph_labels.txt, as they are, with or without .gz) one after the other in
the order of their names, as "cat FILES | sha256sum" prints it.`,
		Example: `  baca pretrain --in bbbp.csv.gz --out bbbp.msgpack
  baca pretrain --in data/tu/BZR --out bzr.msgpack --epochs 400 --seed 1
  baca pretrain --in bbbp.csv.gz --out bbbp.msgpack --resume`,
		Args: usage.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := usage.OneOf("format", from.format, formats...); err != nil {
				return err
			}
			switch {
			case from.path == "" || out.path == "":
				return usagef("want --in INPUT and --out MODEL")
			case from.path == "-":
				return usagef("--in -: want a file or a folder, since the input is read again to resume")
			case epochs < 1 || epochs > maxEpochs:
				return usagef("--epochs %d: want 1 to %d", epochs, maxEpochs)
			case from.workers < 0:
				return usagef("--workers %d: want 0 for all cores, or more", from.workers)
			case share < 0 || share == 1:
				return usagef("--share %d: want 2 or more graphs, or 0 for a model that is not to be shared", share)
			}
			if outside != builtInBackground && outside != noBackground {
				if _, err := os.Stat(outside); err != nil {
					return usagef("--background: %w", err)
				}
			}
			if err := on.check(); err != nil {
				return err
			}
			switch {
			case standardize && !canonical:
				return usagef("--standardize reads canonical forms: want no --canonical=false with it")
			case standardize:
				from.form = molecule.Standard
			case canonical:
				from.form = molecule.Canonical
			}
			from.columnSet = c.Flags().Changed("column")
			if resume {
				// A model that is there is the same, or was to be replaced when the run began.
				if _, err := os.Stat(out.checkpoint()); err == nil {
					out.overwrite = true
				}
			}
			release, err := out.claim(from.path)
			if err != nil {
				return err
			}
			defer release()
			set, err := readTraining(c, from)
			if err != nil {
				return err
			}
			job := &trainJob{
				graphs: set.graphs, workers: from.workers, unpack: from.unpack(), device: on.open, split: dataset.Hold,
				checkpoint: out.checkpoint(), resume: resume, hint: "--resume goes on from there",
				card: algo.Card{
					Name: name, Description: about, Schema: set.schema,
					Dataset: set.name, DatasetSHA256: set.sha256, Seed: seed, Epochs: epochs,
				},
			}
			if name == "" {
				job.card.Name = modelName(set.name)
			}
			if err := job.addBackground(c.Context(), c.ErrOrStderr(), outside); err != nil {
				return err
			}
			if !c.Flags().Changed("description") {
				job.card.Description = fmt.Sprintf("Trained on %s for %d epochs.", set.name, epochs)
			}
			data, err := job.run(c.Context(), c.ErrOrStderr())
			if err != nil {
				return err
			}
			if share > 0 {
				if data, err = shareFile(c.Context(), data, share); err != nil {
					return fmt.Errorf("--share: %w", err)
				}
			}
			if err := job.finish(out, data); err != nil {
				return err
			}
			fmt.Fprintf(c.ErrOrStderr(), "wrote %s: %s\n", out.path, size(len(data)))
			_, holdout := dataset.Hold(len(set.graphs), seed)
			if smallest := 1 / float64(1+len(holdout)); smallest > algo.DefaultOptions().Alpha {
				fmt.Fprintf(c.ErrOrStderr(), "warning: only %d graphs are kept from training, so no p-value is below %.2g; score with an --alpha above that, or train on more graphs\n",
					len(holdout), smallest)
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&from.path, "in", "", "molecule file, TUDataset folder or .zip to train on")
	f.StringVar(&from.format, "format", "auto", "of the input: "+strings.Join(formats, ", "))
	f.StringVar(&from.column, "column", "smiles", "column of a CSV file that holds SMILES")
	from.registerMaxExpand(f)
	out.register(f)
	f.IntVar(&epochs, "epochs", defaultEpochs, "times that every graph is trained on")
	f.Uint64Var(&seed, "seed", 1, "seed of the split, the weights and the order of graphs")
	f.BoolVar(&resume, "resume", false, "go on from MODEL.checkpoint, if it is there")
	f.IntVar(&share, "share", 0, "write a model that can be handed out, by groups of `K` graphs, see baca share (there, 5)")
	f.IntVar(&from.workers, "workers", 0, "goroutines; 0 for one on each core")
	on.register(f)
	f.BoolVar(&canonical, "canonical", true, "read the canonical form of each molecule, so that its score does not depend on how it is\nwritten (the chirality feature otherwise does); scoring with the model does the same")
	f.BoolVar(&standardize, "standardize", false, "strip counter-ions and neutralise charges before a molecule is read; scoring with the model does\nthe same")
	f.StringVar(&outside, "background", builtInBackground, "`FILE` of molecules that the training set is told from, or "+noBackground)
	f.StringVar(&name, "name", "", "name of the model (default: that of the input, in lower case)")
	f.StringVar(&about, "description", "", "one sentence about the model")
	return c
}

// modelName makes the name of a model from that of a data set or file.
func modelName(file string) string {
	name := strings.ToLower(file)
	for _, suffix := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// A target is a model file that a command makes.
type target struct {
	path      string
	overwrite bool
}

func (t *target) register(f *pflag.FlagSet) {
	f.StringVar(&t.path, "out", "", "model `file` to write")
	f.BoolVar(&t.overwrite, "overwrite", false, "replace a file of that name")
}

// checkpoint is the file that holds how far the training of the model got.
func (t *target) checkpoint() string { return t.path + ".checkpoint" }

// claim finds out before hours of training whether the model can be written, and keeps
// other processes from writing it until release is called. in is what it is made from.
func (t *target) claim(in string) (release func(), err error) {
	release, err = replace.Alone(t.path+".lock", t.path, t.checkpoint())
	if err != nil {
		return nil, fmt.Errorf("--out %s: %w", t.path, err)
	}
	if err := t.check(in); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// check reports a file that would be lost.
func (t *target) check(in string) error {
	info, err := os.Stat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return usagef("--out %s: it is there and not a plain file", t.path)
	}
	if from, err := os.Stat(in); err == nil && os.SameFile(info, from) {
		return usagef("--out %s is the input itself", t.path)
	}
	if !t.overwrite {
		return usagef("--out %s is there already: want another name, or --overwrite to replace it", t.path)
	}
	return nil
}

// write writes the model.
func (t *target) write(data []byte) error {
	return replace.File(t.path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// A trainingSet is what `baca pretrain` reads.
type trainingSet struct {
	name   string // of the file or folder
	schema string
	sha256 string
	graphs []*graph.Graph
}

// readTraining reads the graphs to train on and says on stderr what was refused.
func readTraining(c *cobra.Command, from source) (*trainingSet, error) {
	absolute, err := filepath.Abs(from.path)
	if err != nil {
		return nil, err
	}
	set := &trainingSet{name: filepath.Base(absolute)}
	info, err := os.Stat(from.path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() && !from.columnSet && (from.format == "auto" || from.format == "tu") {
		files := &opened.Files{FS: os.DirFS(from.path)}
		tu, err := dataset.ReadTU(files, "", from.unpack())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from.path, err)
		}
		for _, w := range tu.Info.Warnings {
			fmt.Fprintf(c.ErrOrStderr(), "warning: %s\n", w)
		}
		set.schema, set.graphs = algo.Constant, tu.Graphs
		set.sha256, err = files.Sum()
		return set, err
	}
	in, err := from.open(c.Context(), c)
	if err != nil {
		return nil, err
	}
	defer in.close()
	if in.schema == algo.Constant && strings.HasSuffix(strings.TrimSuffix(set.name, ".gz"), ".txt") {
		return nil, usagef("--in %s: want the folder of the TUDataset set", from.path)
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
	}
	if refused > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "refused %d of %d records\n", refused, refused+len(set.graphs))
	}
	set.schema = in.schema
	set.sha256, err = opened.Sum(os.DirFS(filepath.Dir(absolute)), set.name)
	return set, err
}

// Values of --background that are no files.
const builtInBackground, noBackground = "built-in", "none"

// addBackground reads the molecules that a training set of molecules is told from.
func (j *trainJob) addBackground(ctx context.Context, stderr io.Writer, name string) error {
	if j.card.Schema == algo.Constant || name == noBackground {
		if name != builtInBackground && name != noBackground {
			return usagef("--background %s: the input holds plain graphs, a background holds molecules", name)
		}
		return nil
	}
	options := dataset.Options{Format: dataset.SMI, Form: algo.FormOf(j.card.Schema), Workers: j.workers}
	text, title := weights.Background(), weights.BackgroundName
	if name != builtInBackground {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		if text, err = dataset.NewText(file, j.unpack); err != nil {
			return fmt.Errorf("--background %s: %w", name, err)
		}
		title = filepath.Base(name)
		options.Format, options.Name = dataset.Auto, title
	}
	refused := 0
	for r, err := range dataset.Molecules(ctx, text, options) {
		if err != nil {
			return fmt.Errorf("--background: %w", err)
		}
		if r.Err != nil {
			refused++
			continue
		}
		j.outside = append(j.outside, r.Graph)
	}
	if refused > 0 {
		fmt.Fprintf(stderr, "refused %d of %d records of the background\n", refused, refused+len(j.outside))
	}
	if n := len(j.outside); n < background.MinGraphs {
		return fmt.Errorf("--background %s: %d molecules: want at least %d", name, n, background.MinGraphs)
	}
	j.card.Background = title
	return nil
}

// A trainJob is one run of pre-training.
type trainJob struct {
	graphs  []*graph.Graph
	outside []*graph.Graph // the background, empty for none
	workers int
	unpack  dataset.Unpack // of a background
	// device, unless nil, chooses where an encoder of that shape is trained.
	device func(ctx context.Context, stderr io.Writer, workers int, shape gin.Config, training bool) (gin.Device, error)
	// split divides the graphs into those to train on and those to keep from training.
	split func(n int, seed uint64) (train, holdout []int)
	// card has Name, Description, Schema, Dataset, DatasetSHA256, Seed and Epochs.
	card algo.Card

	checkpoint string // path; empty keeps none
	resume     bool
	hint       string // how to go on after an interrupt

	// whole is the state after the last whole epoch of this run, and its loss.
	whole pretrain.State
	loss  pretrain.Loss
}

// run trains and returns the bytes of the model file. The model to use is the
// one that weights.Load makes of them: it is rounded.
func (j *trainJob) run(ctx context.Context, stderr io.Writer) ([]byte, error) {
	if n := len(j.graphs); n < minTraining {
		return nil, fmt.Errorf("%s: %d graphs to train on: want at least %d", j.card.Dataset, n, minTraining)
	}
	options, err := trainOptions(j.card.Schema, j.card.Seed)
	if err != nil {
		return nil, err
	}
	j.card.Batch, j.card.LearningRate, j.card.Program = options.Batch, options.LearningRate, algo.Version
	var from *pretrain.State
	if j.checkpoint != "" {
		if from, err = j.restore(options, stderr); err != nil {
			return nil, err
		}
	}
	train, holdout := j.split(len(j.graphs), j.card.Seed)
	picked := make([]*graph.Graph, len(train))
	for k, i := range train {
		picked[k] = j.graphs[i]
	}
	here := options
	here.Workers = j.workers
	if j.device != nil {
		if here.Device, err = j.device(ctx, stderr, j.workers, options.Config, true); err != nil {
			return nil, err
		}
	}
	trainer, err := pretrain.New(picked, here, from)
	if err != nil {
		return nil, err
	}
	pack := func() ([]byte, error) {
		m, err := algo.NewModel(ctx, j.workers, trainer.Encoder(), j.graphs, train, holdout, j.card)
		if err == nil && len(j.outside) > 0 {
			err = m.AddBackground(ctx, j.workers, picked, j.outside)
		}
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		err = weights.Save(&b, m)
		return b.Bytes(), err
	}
	// What cannot be packed, such as a name that is too long, should not come
	// to light after hours of training.
	_, err = pack()
	if err == nil {
		err = j.train(ctx, stderr, trainer, options, len(train))
	}
	var data []byte
	if err == nil {
		j.card.Loss = j.loss.Total
		data, err = pack()
	}
	if err != nil && ctx.Err() != nil && j.checkpoint != "" && j.whole.Params != nil {
		if serr := j.save(options); serr != nil {
			return nil, errors.Join(err, serr)
		}
		fmt.Fprintf(stderr, "interrupted after epoch %d of %d, which %s holds; %s\n",
			j.whole.Epoch, j.card.Epochs, j.checkpoint, j.hint)
	}
	return data, err
}

// trainOptions are the paper's.
func trainOptions(schema string, seed uint64) (pretrain.Options, error) {
	features, err := algo.SchemaWidth(schema)
	if err != nil {
		return pretrain.Options{}, err
	}
	o := pretrain.Defaults(features)
	o.Seed = seed
	return o, nil
}

// train goes through the epochs that are left, each of that many graphs.
func (j *trainJob) train(ctx context.Context, stderr io.Writer, trainer *pretrain.Trainer, options pretrain.Options, graphs int) error {
	p := progress.New(stderr, "pre-training "+j.card.Name, int64(graphs)*int64(j.card.Epochs))
	defer p.Done()
	if done := trainer.Epochs(); done > 0 {
		p.Skip(int64(graphs) * int64(done))
	}
	saved := time.Now()
	for trainer.Epochs() < j.card.Epochs {
		loss, err := trainer.Epoch(ctx)
		if err != nil {
			return err
		}
		// A copy, because an epoch that is cut short has already changed the
		// trainer's own state.
		s := trainer.State()
		j.whole.Epoch, j.whole.Step, j.loss = s.Epoch, s.Step, loss
		j.whole.Params = append(j.whole.Params[:0], s.Params...)
		j.whole.M = append(j.whole.M[:0], s.M...)
		j.whole.V = append(j.whole.V[:0], s.V...)
		p.Note(fmt.Sprintf("epoch %d/%d, loss %.4f (graphs %.4f, nodes %.4f)", loss.Epoch, j.card.Epochs, loss.Total, loss.Graph, loss.Node))
		p.Add(int64(graphs))
		if j.checkpoint != "" && time.Since(saved) >= checkpointInterval && s.Epoch < j.card.Epochs {
			if err := j.save(options); err != nil {
				return err
			}
			saved = time.Now()
		}
	}
	return nil
}

// save writes the last whole state.
func (j *trainJob) save(options pretrain.Options) error {
	return replace.File(j.checkpoint, func(w io.Writer) error {
		return weights.SaveCheckpoint(w, &weights.Checkpoint{
			Program: j.card.Program, Schema: j.card.Schema, DataSHA256: j.card.DatasetSHA256,
			Options: options, Loss: j.loss, State: j.whole,
		})
	})
}

// restore returns the state to go on from, or nil to start from the beginning.
func (j *trainJob) restore(options pretrain.Options, stderr io.Writer) (*pretrain.State, error) {
	data, err := readLimited(j.checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		if j.resume {
			fmt.Fprintf(stderr, "no checkpoint %s: starting from the first epoch\n", j.checkpoint)
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !j.resume {
		fmt.Fprintf(stderr, "%s of an earlier run will be overwritten: starting from the first epoch, since there is no --resume\n", j.checkpoint)
		return nil, nil
	}
	c, err := weights.LoadCheckpoint(data)
	if err == nil {
		err = j.fits(c, options)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot go on from %s: %w; remove it to start from the first epoch", j.checkpoint, err)
	}
	if c.Program != j.card.Program {
		fmt.Fprintf(stderr, "warning: %s was written by baca %s, this is %s: the result may not be the same to the last bit\n",
			j.checkpoint, c.Program, j.card.Program)
	}
	fmt.Fprintf(stderr, "going on after epoch %d of %d\n", c.State.Epoch, j.card.Epochs)
	j.loss = c.Loss
	return &c.State, nil
}

// fits reports a checkpoint that is of another run.
func (j *trainJob) fits(c *weights.Checkpoint, options pretrain.Options) error {
	switch {
	case c.Schema != j.card.Schema:
		return fmt.Errorf("it is of graphs with the schema %s, these have %s", c.Schema, j.card.Schema)
	case c.DataSHA256 != j.card.DatasetSHA256:
		return fmt.Errorf("it is of other data (sha-256 %.12s…, this input has %.12s…)", c.DataSHA256, j.card.DatasetSHA256)
	case c.Options.Seed != options.Seed:
		return fmt.Errorf("it is of a run with seed %d, this one has %d", c.Options.Seed, options.Seed)
	case c.Options != options:
		return fmt.Errorf("it is of a run with other options: %+v, this one has %+v", c.Options, options)
	case c.State.Epoch > j.card.Epochs:
		return fmt.Errorf("it is after epoch %d, this run ends after %d", c.State.Epoch, j.card.Epochs)
	}
	return nil
}

// finish writes the model and removes the checkpoint.
func (j *trainJob) finish(to target, data []byte) error {
	if err := to.write(data); err != nil {
		return err
	}
	if err := os.Remove(j.checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// readLimited reads a file of ours. One that is too long for that is cut, which
// its reader then finds.
func readLimited(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, weights.MaxSize+1))
}
