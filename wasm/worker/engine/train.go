package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/job"
	"baca/algo/molecule"
	"baca/algo/pretrain"
	"baca/algo/table"
	"baca/wasm/message"
	"baca/weights"
)

// train pre-trains a model on the open input. Its file is that of `baca train`.
func (e *Engine) train(r *message.Train, post func(message.Event)) (message.Reply, error) {
	if e.input == nil {
		return nil, failf(message.CodeNotReady, "no input is open")
	}
	e.paused = false
	if r.Epochs < 0 || r.Epochs > job.MaxEpochs {
		return nil, failf(message.CodeBadOption, "%d epochs: want 1 to %d, or 0 for as many as suit the number of graphs", r.Epochs, job.MaxEpochs)
	}
	p := newPulse(e.host)
	form := molecule.Parent
	if r.AsWritten {
		form = molecule.Canonical
	}
	set, err := e.trainingSet(p, r, form)
	if err != nil {
		return nil, err
	}
	at := place{name: processor}
	t := &job.Training{
		Graphs: set.graphs, Workers: 1, Split: dataset.Hold, Save: weights.SaveMeasured, Card: e.trainingCard(r, form, len(set.graphs)),
		DeviceFailed: func(err error) { at.device.failed = err },
	}
	t.Device = e.trainingDevice(&at, t.Card.Epochs)
	if err = t.Prepare(); err == nil && r.HeldOut {
		err = t.EnoughResiduals(set.values)
	}
	if err != nil {
		return nil, failf(message.CodeBadInput, "%w", err)
	}
	from, err := loadCheckpoint(r.Checkpoint, t)
	if err != nil {
		return nil, failf(message.CodeBadOption, "cannot resume from the checkpoint: %w", err)
	}
	if err := t.Begin(p, from.State, from.Loss); err != nil {
		return nil, failf(message.CodeBadOption, "%w", err)
	}
	var background []byte // as it is shipped
	var lost error        // why there is none
	if t.Card.Schema != algo.Constant {
		background, lost = e.fetchBackground()
	}
	err = e.epochs(p, t, set.refused, time.Duration(cmp.Or(r.Seconds, job.CheckpointInterval.Seconds())*float64(time.Second)), post)
	if errors.Is(err, errPaused) {
		data, err := checkpoint(t)
		return &message.Paused{Epoch: t.State.Epoch, Data: data}, err
	}
	if err != nil {
		return nil, err
	}
	if background != nil {
		if t.Outside, lost = readBackground(p, background, form, post); lost == nil {
			t.Card.Background = algo.BuiltInBackground
		}
	}
	return e.trained(p, r, t, set, at, lost)
}

// trainingDevice looks for the place of so many epochs.
func (e *Engine) trainingDevice(at *place, epochs int) func(context.Context, pretrain.Options, int) (gin.Device, error) {
	return func(ctx context.Context, o pretrain.Options, graphs int) (gin.Device, error) {
		if graphs*epochs < e.minTrained {
			return nil, nil
		}
		if *at = e.place(ctx, o.Config, o.Batch, true); at.device == nil {
			return nil, nil
		}
		return at.device, nil
	}
}

// trained is the model that came out, and what is to be said of it. lost is why it has no
// background.
func (e *Engine) trained(p *pulse, r *message.Train, t *job.Training, set *trainingSet, at place, lost error) (*message.Trained, error) {
	m, data, err := t.Pack(p)
	if err == nil && (r.HeldOut || r.Structures) {
		m, data, err = e.complete(p, r, data, set)
	}
	if err != nil {
		return nil, err
	}
	out := &message.Trained{Model: Card(m, data), Data: data, Device: at.name, Warnings: at.warnings()}
	if r.Predicted != "" && !r.HeldOut {
		out.Warnings = append(out.Warnings, algo.NoPromise)
	}
	out.Warnings = append(out.Warnings, set.problems...)
	if lost != nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the background could not be loaded, so this model compares with the training set alone: %v", lost))
	}
	if warning := t.Warning(); warning != "" {
		out.Warnings = append(out.Warnings, warning)
	}
	return out, nil
}

// complete gives a model what was asked for beside it, errors and structures, and returns it and its
// file.
func (e *Engine) complete(p *pulse, r *message.Train, data []byte, set *trainingSet) (*algo.Model, []byte, error) {
	m, err := weights.Load(data) // as it is rounded
	if err == nil && r.HeldOut {
		err = m.KeepResiduals(set.values, r.Observed, r.Predicted)
	}
	if err == nil && r.Structures && m.Card.Schema != algo.Constant {
		err = e.keepStructures(p, m, &job.Labels{Observed: r.Observed, Predicted: r.Predicted})
	}
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	err = weights.Save(&b, m)
	return m, b.Bytes(), err
}

// loadCheckpoint reads a checkpoint of this training, an empty one where there is no data.
func loadCheckpoint(data []byte, t *job.Training) (*weights.Checkpoint, error) {
	if data == nil {
		return new(weights.Checkpoint), nil
	}
	c, err := weights.LoadCheckpoint(data)
	if err == nil {
		err = c.Fits(t.Card, t.Options)
	}
	return c, err
}

// A trainingSet is what a model is trained on.
type trainingSet struct {
	graphs   []*graph.Graph
	values   []*algo.Values // of graphs, nil without columns of values
	refused  int            // records
	problems []string       // with values
}

// trainingSet reads the open input.
func (e *Engine) trainingSet(p *pulse, r *message.Train, form molecule.Form) (*trainingSet, error) {
	labels := &job.Labels{Observed: r.Observed, Predicted: r.Predicted}
	if err := e.input.checkLabels(labels); err != nil {
		return nil, err
	}
	if r.HeldOut && len(labels.Columns()) < 2 {
		return nil, failf(message.CodeBadOption, "errors of predictions are to be kept: want the columns of observed and of predicted values")
	}
	set := &trainingSet{}
	for record, err := range table.Parse(p, 1, e.input.records(form, labels.Columns()...)) {
		if err != nil {
			return nil, e.input.unreadable(err)
		}
		if record.Err != nil {
			set.refused++
			continue
		}
		set.graphs = append(set.graphs, record.Graph)
		if v := labels.Of(record.Row, record.Cells); v != nil {
			set.values = append(set.values, v)
		}
	}
	set.problems = labels.Problems(job.TrainedAsOthers)
	return set, nil
}

// trainingCard is the card of a model that is trained on the open input, which has so many
// graphs.
func (e *Engine) trainingCard(r *message.Train, form molecule.Form, graphs int) algo.Card {
	card := algo.Card{
		Name: r.Name, Schema: algo.SchemaOf(form), Dataset: cmp.Or(e.input.name, "pasted"), DatasetSHA256: e.input.opened.SHA256,
		Seed: cmp.Or(r.Seed, 1),
	}
	train, _ := dataset.Hold(graphs, card.Seed)
	card.Epochs = cmp.Or(r.Epochs, job.DefaultEpochs(len(train)))
	if e.input.format.Graphs() {
		card.Schema = algo.Constant
	}
	card.Description = cmp.Or(r.Description, job.ModelDescription(card.Dataset, len(train), card.Epochs))
	return card
}

// errPaused ends a training that Pause was called for.
var errPaused = errors.New("paused")

// epochs trains, and tells the page after each epoch.
func (e *Engine) epochs(p *pulse, t *job.Training, refused int, interval time.Duration, post func(message.Event)) error {
	tell := func() error {
		post(&message.Epoch{
			Epoch: t.State.Epoch, Of: t.Card.Epochs, Loss: t.Loss.Total,
			Train: len(t.Train), Holdout: len(t.Holdout), Refused: refused,
		})
		if t.State.Epoch == t.Card.Epochs {
			return nil
		}
		if e.host.Yield(); e.paused {
			return errPaused
		}
		return nil
	}
	if err := tell(); err != nil {
		return err
	}
	return t.Run(p, interval, tell, func() error {
		data, err := checkpoint(t)
		if err == nil {
			post(&message.Checkpoint{Epoch: t.State.Epoch, Data: data})
		}
		return err
	})
}

// checkpoint is the file of the last whole epoch.
func checkpoint(t *job.Training) ([]byte, error) {
	var b bytes.Buffer
	err := weights.SaveCheckpoint(&b, weights.CheckpointOf(t.Card, t.Options, t.State, t.Loss))
	return b.Bytes(), err
}

// fetchBackground fetches the molecules at large that a training set is told from. They
// come with the site and not with the program: few people train.
func (e *Engine) fetchBackground() ([]byte, error) {
	w, err := e.hello()
	if err != nil {
		return nil, err
	}
	return e.host.Fetch(w.Background)
}

// readBackground reads a background. All of it is good, or it is not what was shipped.
func readBackground(p *pulse, data []byte, form molecule.Form, post func(message.Event)) ([]*graph.Graph, error) {
	tell := func(done, total int) {
		post(&message.Progress{Stage: message.StageBackground, Done: done, Total: total})
	}
	tell(0, 0)
	gs, refused, err := job.ReadBackground(p, bytes.NewReader(data), dataset.Options{Format: dataset.SMI, Form: form, Workers: 1}, func(n int) {
		if n%recordsChunk == 0 {
			tell(n, 0)
		}
	})
	if err == nil && refused > 0 {
		err = fmt.Errorf("%d of its %d records are no molecules", refused, refused+len(gs))
	}
	if err != nil {
		return nil, err
	}
	tell(len(gs), len(gs))
	return gs, nil
}
