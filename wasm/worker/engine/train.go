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
	"baca/algo/molecule"
	"baca/algo/pretrain"
	"baca/algo/training"
	"baca/wasm/message"
	"baca/weights"
)

// train makes a model on the open input. Its file is that of `baca train`.
func (e *Engine) train(r *message.Train, post func(message.Event)) (message.Reply, error) {
	if e.input == nil {
		return nil, failf(message.CodeNotReady, "no input is open")
	}
	e.paused = false
	purpose := ""
	if r.Attention {
		purpose = algo.ByAttention
	}
	if err := training.CheckLength(purpose, r.Epochs); err != nil {
		return nil, failf(message.CodeBadOption, "%w", err)
	}
	p := newPulse(e.host)
	form := molecule.Parent
	if r.AsWritten {
		form = molecule.Canonical
	}
	schema := algo.SchemaOf(form)
	if e.input.format.Graphs() {
		schema = algo.Constant
	}
	at := place{name: processor}
	t := &training.Training{
		Workers: 1, Split: dataset.Hold, Save: weights.SaveMeasured, For: purpose,
		ValueColumns: algo.ValueColumns{Observed: r.Observed, Predicted: r.Predicted},
		DeviceFailed: func(err error) { at.device.failed = err },
		Card: algo.Card{
			Name: r.Name, Schema: schema, Dataset: cmp.Or(e.input.name, "pasted"), DatasetSHA256: e.input.opened.SHA256,
			Seed: cmp.Or(r.Seed, 1), Epochs: r.Epochs,
		},
	}
	t.Device = e.trainingDevice(&at, t)
	problems, err := e.readTraining(p, r, t, form)
	if err != nil {
		return nil, err
	}
	if err = t.Prepare(); err != nil {
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
	err = e.epochs(p, t, e.input.opened.Refused,
		time.Duration(cmp.Or(r.Seconds, training.CheckpointInterval.Seconds())*float64(time.Second)), post)
	if errors.Is(err, errPaused) {
		data, err := checkpoint(t)
		return &message.Paused{Epoch: t.State.Epoch, Data: data}, err
	}
	if err != nil {
		return nil, err
	}
	if background != nil {
		t.Outside, lost = readBackground(p, background, form, post)
		if lost == nil {
			t.Card.Background = algo.BuiltInBackground
		}
	}
	return trained(p, r, t, problems, at, lost)
}

// trainingDevice looks for the place of a training.
func (e *Engine) trainingDevice(at *place, t *training.Training) func(context.Context, pretrain.Options, int) (gin.Device, error) {
	return func(ctx context.Context, o pretrain.Options, graphs int) (gin.Device, error) {
		if graphs*t.Card.Epochs < e.minTrained {
			return nil, nil
		}
		*at = e.place(ctx, o.Config, o.Batch, true)
		if at.device == nil {
			return nil, nil
		}
		return at.device, nil
	}
}

// trained packs the trained model with its warnings. lost says why it has no background, nil if it has one.
func trained(p *pulse, r *message.Train, t *training.Training, problems []string, at place, lost error) (*message.Trained, error) {
	m, data, err := t.Pack(p)
	if err != nil {
		return nil, failf(message.CodeBadOption, "%w", err)
	}
	out := &message.Trained{Model: Card(m, data), Data: data, Device: at.name, Warnings: at.warnings()}
	if r.Predicted != "" && !r.HeldOut {
		out.Warnings = append(out.Warnings, algo.NoPromise)
	}
	out.Warnings = append(out.Warnings, problems...)
	if lost != nil {
		out.Warnings = append(out.Warnings,
			fmt.Sprintf("the background could not be loaded, so this model compares with the training set alone: %v",
				lost))
	}
	if warning := t.Warning(); warning != "" {
		out.Warnings = append(out.Warnings, warning)
	}
	return out, nil
}

// loadCheckpoint reads a checkpoint of this training, an empty one where there is no data.
func loadCheckpoint(data []byte, t *training.Training) (*weights.Checkpoint, error) {
	if data == nil {
		return new(weights.Checkpoint), nil
	}
	c, err := weights.LoadCheckpoint(data)
	if err == nil {
		err = c.Fits(t.Card, t.Options)
	}
	return c, err
}

// readTraining reads the open input, and returns what is wrong with its values.
func (e *Engine) readTraining(p *pulse, r *message.Train, t *training.Training, form molecule.Form) (problems []string, err error) {
	labels := &training.Labels{ValueColumns: algo.ValueColumns{Observed: r.Observed, Predicted: r.Predicted}}
	if err := e.input.checkLabels(labels); err != nil {
		return nil, err
	}
	if r.HeldOut && len(labels.Columns()) < 2 {
		return nil, failf(message.CodeBadOption,
			"errors of predictions are to be kept: want the columns of observed and of predicted values")
	}
	set, err := training.Sources(p, 1, e.input.records(nil, form, labels.Columns()...), labels, func(error) {})
	if err != nil {
		return nil, e.input.unreadable(err)
	}
	t.Take(set, r.HeldOut, r.Structures && t.Card.Schema != algo.Constant)
	return labels.Problems(training.TrainedAsOthers), nil
}

// errPaused ends a training that Pause was called for.
var errPaused = errors.New("paused")

// epochs trains, and tells the page after each epoch.
func (e *Engine) epochs(p *pulse, t *training.Training, refused int, interval time.Duration, post func(message.Event)) error {
	tell := func() error {
		post(&message.Epoch{
			Epoch: t.State.Epoch, Of: t.Card.Epochs, Loss: t.Loss.Total,
			Train: len(t.Train), Holdout: len(t.Holdout), Refused: refused,
		})
		if t.State.Epoch == t.Card.Epochs {
			return nil
		}
		e.host.Yield()
		if e.paused {
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
func checkpoint(t *training.Training) ([]byte, error) {
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

// readBackground reads the site's background. A refused record means that the file is not the one shipped.
func readBackground(p *pulse, data []byte, form molecule.Form, post func(message.Event)) ([]*graph.Graph, error) {
	tell := func(done, total int) {
		post(&message.Progress{Stage: message.StageBackground, Done: done, Total: total})
	}
	tell(0, 0)
	gs, refused, err := training.ReadBackground(p, bytes.NewReader(data),
		dataset.Options{Format: dataset.SMI, Form: form, Workers: 1}, func(n int) {
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
