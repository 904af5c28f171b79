package training

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"baca/algo/background"
	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/decide"
	"baca/algo/explain"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/model"
	"baca/algo/pretrain"
	"baca/algo/split"
)

const (
	// MinTraining is the smallest set that is split. Its holdout of two judges nothing: at alpha 0.05
	// every verdict is undecided below 19 held-out graphs.
	MinTraining = 20
	MaxEpochs   = 1_000_000
	// CheckpointInterval is the time between two checkpoints.
	CheckpointInterval = 20 * time.Second
)

// UsualEpochs is the paper's number of epochs. The paper's method gains nothing from more than
// attentionSteps steps, plain graphs nothing from more than plainSteps, see build/research/results.
const UsualEpochs, attentionSteps, plainSteps = 400, 24_000, 300

// DefaultEpochs returns the number of epochs in which an encoder is trained on that many graphs of a schema. purpose is
// [batch.ByAttention] for the paper's method, or empty for scores of single graphs and batches. Those of molecules gain
// nothing from training, and have 0 epochs. Others have at least one.
func DefaultEpochs(schema, purpose string, graphs int) int {
	steps := attentionSteps
	if purpose == "" && schema != model.Constant {
		return 0
	}
	if purpose == "" {
		steps = plainSteps
	}
	return max(1, min(UsualEpochs, steps/StepsPerEpoch(graphs)))
}

// CheckLength returns an error for a purpose or number of epochs that a [Training] cannot have as For and Card.Epochs.
func CheckLength(purpose string, epochs int) error {
	if epochs < 0 || epochs > MaxEpochs {
		return fmt.Errorf("%d epochs: want 1 to %d, or 0 for as many as the model needs", epochs, MaxEpochs)
	}
	if purpose != "" && purpose != batch.ByAttention {
		return fmt.Errorf("a model for %.40q: want %s, or none", purpose, batch.ByAttention)
	}
	return nil
}

// StepsPerEpoch returns the number of batches, as [TrainingOptions] have them, that so many graphs make: at least 1.
func StepsPerEpoch(graphs int) int {
	batch := pretrain.Defaults(1).Batch
	return max(1, (graphs+batch-1)/batch)
}

// A Training makes a model: Prepare, Begin, Run, Pack.
type Training struct {
	Graphs  []*graph.Graph
	Outside []*graph.Graph // the background, empty for none; Pack needs Card.Background too
	Workers int            // 0: all cores
	// Values, unless nil, are of Graphs, in the columns ValueColumns: the model keeps the errors of the holdout.
	Values []*model.Values
	model.ValueColumns
	Structures []model.Source // unless nil, the molecules of Graphs, which the model keeps
	// Split divides the graphs into training set and holdout.
	Split func(n int, seed uint64) (train, holdout []int)
	// Card has Schema, Dataset, DatasetSHA256 and Seed. Prepare and Run complete it, also with Name,
	// Description and Epochs, see [DefaultEpochs].
	Card model.Card
	// For is what the encoder is trained for, see [DefaultEpochs].
	For string
	// Save writes a model file with measured scores of the rounded model.
	Save func(ctx context.Context, workers int, w io.Writer, m *model.Model) error
	// Device, if not nil, chooses the device for that many graphs, nil for the processor.
	Device func(ctx context.Context, o pretrain.Options, graphs int) (gin.Device, error)
	// DeviceFailed, if not nil, hears of a failed device; the processor continues from the last
	// whole epoch.
	DeviceFailed func(err error)

	Options        pretrain.Options // set by Prepare; they determine the result
	Train, Holdout []int            // set by Prepare
	State          pretrain.State   // after the last whole epoch
	Loss           pretrain.Loss    // of that epoch

	picked  []*graph.Graph // the training set
	here    pretrain.Options
	trainer *pretrain.Trainer // nil without epochs
}

// Prepare divides the graphs, without repeats, into training set and holdout, and sets the options and what the card lacks.
// It fails for fewer than MinTraining distinct graphs and for an unknown schema.
func (t *Training) Prepare() (err error) {
	distinct, repeats := Distinct(t.Graphs, t.Card.Schema)
	if n := len(distinct); n < MinTraining {
		return fmt.Errorf("%s: %s to train on: want at least %d", t.Card.Dataset, explain.Count(n, "graph"), MinTraining)
	}
	t.Train, t.Holdout = t.Split(len(distinct), t.Card.Seed)
	for _, list := range [][]int{t.Train, t.Holdout} { // from indices into distinct to those into Graphs
		for k, i := range list {
			list[k] = distinct[i]
		}
	}
	t.Card.Epochs = cmp.Or(t.Card.Epochs, DefaultEpochs(t.Card.Schema, t.For, len(t.Train)))
	t.Card.Name = cmp.Or(t.Card.Name, ModelName(t.Card.Dataset))
	t.Card.Description = cmp.Or(t.Card.Description, ModelDescription(t.Card.Dataset, t.Card.Epochs))
	t.Options, err = TrainingOptions(t.Card.Schema, t.Card.Seed)
	t.Card.Repeats = repeats
	t.Card.Batch, t.Card.LearningRate, t.Card.Program = t.Options.Batch, t.Options.LearningRate, model.Version
	return err
}

// Distinct returns the indices of graphs that differ, and of repeats: molecules that a schema reads like an earlier one. No
// compound may be on both sides of a split. Plain graphs and benchmark molecules are not compared, so they all differ.
func Distinct(gs []*graph.Graph, schema string) (first, repeats []int) {
	groups := split.By(len(gs), func(i int) int { return i })
	if schema != model.Constant && schema != model.OGB {
		groups = split.Copies(gs)
	}
	for _, copies := range groups {
		first, repeats = append(first, copies[0]), append(repeats, copies[1:]...)
	}
	slices.Sort(repeats)
	return first, repeats
}

// TrainingOptions returns the default options for graphs of a schema, with that seed. It fails for an unknown schema.
func TrainingOptions(schema string, seed uint64) (pretrain.Options, error) {
	features, err := model.SchemaWidth(schema)
	if err != nil {
		return pretrain.Options{}, err
	}
	o := pretrain.Defaults(features)
	o.Seed = seed
	return o, nil
}

// Begin sets up the trainer, from a state and its loss, or from the start if the state is zero. Without epochs it makes none.
// It fails if the model could not be packed.
func (t *Training) Begin(ctx context.Context, from pretrain.State, loss pretrain.Loss) (err error) {
	t.picked = make([]*graph.Graph, len(t.Train))
	for k, i := range t.Train {
		t.picked[k] = t.Graphs[i]
	}
	if t.Card.Epochs == 0 {
		return nil
	}
	t.here, t.Loss = t.Options, loss
	t.here.Workers = t.Workers
	if t.Device != nil {
		if t.here.Device, err = t.Device(ctx, t.Options, len(t.Train)); err != nil {
			return err
		}
	}
	start := &from
	if from.Params == nil {
		start = nil
	}
	if t.trainer, err = pretrain.New(t.picked, t.here, start); err != nil {
		return err
	}
	t.keep()
	// A model that cannot be packed, as for a long name or few values, must fail before hours of training.
	_, _, err = t.Pack(ctx)
	return err
}

// keep copies the trainer's state to t.State, which an interrupted epoch then leaves alone.
func (t *Training) keep() {
	s, k := t.trainer.State(), &t.State
	k.Epoch, k.Step = s.Epoch, s.Step
	k.Params, k.M, k.V = append(k.Params[:0], s.Params...), append(k.M[:0], s.M...), append(k.V[:0], s.V...)
}

// Run runs the remaining epochs. It calls epoch after each, and save between two when interval has passed since the last
// call. Their errors end it.
func (t *Training) Run(ctx context.Context, interval time.Duration, epoch, save func() error) error {
	saved := time.Now()
	for t.State.Epoch < t.Card.Epochs {
		if err := t.epoch(ctx); err != nil {
			return err
		}
		if err := epoch(); err != nil {
			return err
		}
		if time.Since(saved) >= interval && t.State.Epoch < t.Card.Epochs {
			if err := save(); err != nil {
				return err
			}
			saved = time.Now()
		}
	}
	t.Card.Loss = t.Loss.Total
	return nil
}

// epoch trains for an epoch. If the device fails it calls DeviceFailed and trains the epoch again on the CPU.
func (t *Training) epoch(ctx context.Context) error {
	loss, err := t.trainer.Epoch(ctx)
	if err != nil && t.here.Device != nil && t.DeviceFailed != nil && ctx.Err() == nil {
		t.DeviceFailed(err)
		t.here.Device = nil
		whole := t.State
		whole.Params, whole.M, whole.V = slices.Clone(whole.Params), slices.Clone(whole.M), slices.Clone(whole.V)
		if t.trainer, err = pretrain.New(t.picked, t.here, &whole); err != nil {
			return err
		}
		loss, err = t.trainer.Epoch(ctx)
	}
	if err != nil {
		return err
	}
	t.Loss = loss
	t.keep()
	return nil
}

// Make makes the model in one go, and returns its file. It calls epoch, if not nil, after each epoch.
func (t *Training) Make(ctx context.Context, epoch func() error) ([]byte, error) {
	if epoch == nil {
		epoch = func() error { return nil }
	}
	if err := t.Prepare(); err != nil {
		return nil, err
	}
	if err := t.Begin(ctx, pretrain.State{}, pretrain.Loss{}); err != nil {
		return nil, err
	}
	if err := t.Run(ctx, math.MaxInt64, epoch, nil); err != nil {
		return nil, err
	}
	_, file, err := t.Pack(ctx)
	return file, err
}

// encoder returns the encoder in its present state or, without epochs, an untrained one.
func (t *Training) encoder() *gin.Encoder {
	if t.trainer == nil {
		return pretrain.Untrained(t.Options)
	}
	return t.trainer.Encoder()
}

// Pack returns the current model and its file. Use the model loaded from the file, which is rounded.
func (t *Training) Pack(ctx context.Context) (*model.Model, []byte, error) {
	m, err := model.New(ctx, t.Workers, t.encoder(), t.Graphs, t.Train, t.Holdout, t.Card)
	if err == nil && len(t.Outside) > 0 {
		err = m.AddBackground(ctx, t.Workers, t.picked, t.Outside)
	}
	if err == nil && t.Values != nil {
		err = m.KeepResiduals(t.Values, t.ValueColumns)
	}
	if err == nil && t.Structures != nil {
		m.Structures, err = m.StructuresOf(t.Structures)
	}
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	err = t.Save(ctx, t.Workers, &b, m)
	return m, b.Bytes(), err
}

// Warning says if the holdout is too small for the default alpha, and if held-out errors are near zero. Otherwise it is "".
func (t *Training) Warning() string {
	var list []string
	if n := len(t.Holdout); !decide.Resolves(batch.DefaultOptions().Alpha, n) {
		list = append(list, fmt.Sprintf("only %d graphs are kept from training, so no p-value is below 1/%d; score with an alpha of that or more, or train on more graphs", n, 1+n))
	}
	if doubt := model.DoubtErrors(t.Values); doubt != "" {
		list = append(list, doubt)
	}
	return strings.Join(list, "; ")
}

// ReadBackground returns a background's molecules without repeats, and the number of refused ones. It calls progress, if
// not nil, with the number read so far. It fails for fewer than background.MinGraphs molecules.
func ReadBackground(ctx context.Context, r io.Reader, o dataset.Options, progress func(n int)) (gs []*graph.Graph, refused int, err error) {
	for rec, err := range dataset.Molecules(ctx, r, o) {
		if err != nil {
			return nil, refused, err
		}
		if rec.Err != nil {
			refused++
			continue
		}
		if gs = append(gs, rec.Graph); progress != nil {
			progress(len(gs))
		}
	}
	first, _ := Distinct(gs, model.SchemaOf(o.Form))
	for k, i := range first { // ascending, so that no graph is overwritten before it moves
		gs[k] = gs[i]
	}
	gs = gs[:len(first)]
	if n := len(gs); n < background.MinGraphs {
		return nil, refused, fmt.Errorf("%d molecules: want at least %d", n, background.MinGraphs)
	}
	return gs, refused, nil
}

// ModelName returns a model's name from that of a data set or file: in lower case, without extensions.
func ModelName(file string) string {
	name := dataset.PlainName(strings.ToLower(file))
	return strings.TrimSuffix(name, path.Ext(name))
}

// ModelDescription returns the default description of a model that was trained on a file.
func ModelDescription(file string, epochs int) string {
	if epochs == 0 {
		return fmt.Sprintf("Trained on %s, with an encoder drawn from the seed.", file)
	}
	return fmt.Sprintf("Trained on %s for %s.", file, explain.Count(epochs, "epoch"))
}
