package engine

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"baca/algo"
	"baca/algo/background"
	"baca/algo/dataset"
	"baca/algo/graph"
	"baca/algo/molecule"
	"baca/algo/pretrain"
	"baca/algo/table"
	"baca/wasm/message"
	"baca/weights"
)

const (
	// minTraining is the smallest set that is trained on, as for `baca pretrain`.
	minTraining       = 20
	defaultEpochs     = 400
	maxEpochs         = 1_000_000
	checkpointSeconds = 20
)

// train pre-trains a model on the open input. Its file is that of `baca pretrain`.
func (e *Engine) train(r *message.Train, post func(message.Event)) (message.Reply, error) {
	if e.input == nil {
		return nil, failf(message.CodeNotReady, "no input is open")
	}
	e.paused = false
	in := e.input
	epochs, seed, seconds := r.Epochs, r.Seed, r.Seconds
	if epochs == 0 {
		epochs = defaultEpochs
	}
	if seed == 0 {
		seed = 1
	}
	if seconds == 0 {
		seconds = checkpointSeconds
	}
	if epochs < 1 || epochs > maxEpochs {
		return nil, failf(message.CodeBadOption, "%d epochs: want 1 to %d", epochs, maxEpochs)
	}
	p := newPulse(e.host)
	form := molecule.AsWritten
	if r.Canonical {
		form = molecule.Canonical
	}
	var gs []*graph.Graph
	refused := 0
	for record, err := range table.Parse(p, 1, in.records(form)) {
		if err != nil {
			return nil, failf(message.CodeBadInput, "%s: %w", in.title(), err)
		}
		if record.Err != nil {
			refused++
			continue
		}
		gs = append(gs, record.Graph)
	}
	if len(gs) < minTraining {
		return nil, failf(message.CodeBadInput, "%s: %d graphs to train on: want at least %d", in.title(), len(gs), minTraining)
	}
	card := algo.Card{
		Name: r.Name, Description: r.Description, Schema: algo.SchemaOf(form), Dataset: in.name, DatasetSHA256: in.opened.SHA256,
		Seed: seed, Epochs: epochs, Program: algo.Version,
	}
	if in.format == dataset.TU {
		card.Schema = algo.Constant
	}
	if card.Dataset == "" {
		card.Dataset = "pasted"
	}
	if card.Name == "" {
		card.Name = modelName(card.Dataset)
	}
	if card.Description == "" {
		card.Description = fmt.Sprintf("Trained on %s for %d epochs.", card.Dataset, epochs)
	}
	features, err := algo.SchemaWidth(card.Schema)
	if err != nil {
		return nil, err
	}
	options := pretrain.Defaults(features)
	options.Seed = seed
	card.Batch, card.LearningRate = options.Batch, options.LearningRate
	var from *pretrain.State
	var loss pretrain.Loss
	if r.Checkpoint != nil {
		c, err := weights.LoadCheckpoint(r.Checkpoint)
		if err == nil {
			err = fits(c, card, options)
		}
		if err != nil {
			return nil, failf(message.CodeBadOption, "cannot go on from the checkpoint: %w", err)
		}
		from, loss = &c.State, c.Loss
	}
	train, holdout := dataset.Hold(len(gs), seed)
	picked := make([]*graph.Graph, len(train))
	for k, i := range train {
		picked[k] = gs[i]
	}
	here := options
	here.Workers = 1
	at := place{name: processor}
	if len(train)*epochs >= e.minTrained {
		if at = e.place(p, options.Config, options.Batch, true); at.device != nil {
			here.Device = at.device
		}
	}
	trainer, err := pretrain.New(picked, here, from)
	if err != nil {
		return nil, failf(message.CodeBadOption, "%w", err)
	}
	pack := func(outside []*graph.Graph) (*algo.Model, []byte, error) {
		m, err := algo.NewModel(p, 1, trainer.Encoder(), gs, train, holdout, card)
		if err == nil && len(outside) > 0 {
			err = m.AddBackground(p, 1, picked, outside)
		}
		if err != nil {
			return nil, nil, err
		}
		var b bytes.Buffer
		err = weights.Save(&b, m)
		return m, b.Bytes(), err
	}
	// What cannot be packed, such as a name that is too long, should not come to
	// light after an hour of training.
	if _, _, err := pack(nil); err != nil {
		return nil, failf(message.CodeBadOption, "%w", err)
	}
	var large []byte // the background, as it is shipped
	var lost error   // why there is none
	if card.Schema != algo.Constant {
		large, lost = e.fetchBackground()
	}
	checkpoint := func() ([]byte, error) {
		var b bytes.Buffer
		err := weights.SaveCheckpoint(&b, &weights.Checkpoint{
			Program: card.Program, Schema: card.Schema, DataSHA256: card.DatasetSHA256, Options: options, Loss: loss, State: trainer.State(),
		})
		return b.Bytes(), err
	}
	progress := func() {
		post(&message.Epoch{
			Epoch: trainer.Epochs(), Of: epochs, Loss: loss.Total, Graph: loss.Graph, Node: loss.Node,
			Train: len(train), Holdout: len(holdout), Refused: refused,
		})
	}
	progress()
	saved := time.Now()
	whole := copyOf(trainer.State())
	for trainer.Epochs() < epochs {
		e.host.Yield()
		if e.paused {
			data, err := checkpoint()
			return &message.Paused{Epoch: trainer.Epochs(), Data: data}, err
		}
		next, err := trainer.Epoch(p)
		if err != nil && here.Device != nil && p.Err() == nil {
			// The device failed in the middle of an epoch: the processor goes on from
			// the last whole one.
			at.device.failed, here.Device = err, nil
			if trainer, err = pretrain.New(picked, here, &whole); err == nil {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		loss = next
		if here.Device != nil {
			whole = copyOf(trainer.State())
		}
		progress()
		if time.Since(saved).Seconds() >= seconds && trainer.Epochs() < epochs {
			data, err := checkpoint()
			if err != nil {
				return nil, err
			}
			post(&message.Checkpoint{Epoch: trainer.Epochs(), Data: data})
			saved = time.Now()
		}
	}
	card.Loss = loss.Total
	var outside []*graph.Graph
	if large != nil {
		if outside, lost = readBackground(p, large, form, post); lost == nil {
			card.Background = weights.BackgroundName
		}
	}
	m, data, err := pack(outside)
	if err != nil {
		return nil, err
	}
	out := &message.Trained{Model: Card(m, data), Data: data, Device: at.name, Warnings: at.warnings()}
	if lost != nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the background could not be loaded, so this model compares with the training set alone: %v", lost))
	}
	if out.Model.SmallestP > algo.DefaultOptions().Alpha {
		out.Warnings = append(out.Warnings, fmt.Sprintf("only %d graphs are kept from training, so no p-value is below %.2g; score with an alpha above that, or train on more graphs", len(holdout), out.Model.SmallestP))
	}
	return out, nil
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
	var gs []*graph.Graph
	post(&message.Progress{Stage: message.StageBackground})
	for r, err := range table.Parse(p, 1, table.Molecules(bytes.NewReader(data), dataset.Options{Format: dataset.SMI, Form: form, Workers: 1})) {
		if err == nil {
			err = r.Err
		}
		if err != nil {
			return nil, err
		}
		if gs = append(gs, r.Graph); len(gs)%recordsChunk == 0 {
			post(&message.Progress{Stage: message.StageBackground, Done: len(gs)})
		}
	}
	if len(gs) < background.MinGraphs {
		return nil, fmt.Errorf("it has %d molecules, want at least %d", len(gs), background.MinGraphs)
	}
	post(&message.Progress{Stage: message.StageBackground, Done: len(gs), Total: len(gs)})
	return gs, nil
}

// copyOf copies a state, which the epochs after it change.
func copyOf(s pretrain.State) pretrain.State {
	s.Params, s.M, s.V = slices.Clone(s.Params), slices.Clone(s.M), slices.Clone(s.V)
	return s
}

// modelName makes the name of a model from that of a file.
func modelName(file string) string {
	name := strings.TrimSuffix(strings.ToLower(file), ".gz")
	return strings.TrimSuffix(name, path.Ext(name))
}

// fits reports a checkpoint that is of another run.
func fits(c *weights.Checkpoint, card algo.Card, options pretrain.Options) error {
	switch {
	case c.Schema != card.Schema:
		return fmt.Errorf("it is of graphs with the schema %s, these have %s", c.Schema, card.Schema)
	case c.DataSHA256 != card.DatasetSHA256:
		return fmt.Errorf("it is of other data (sha-256 %.12s…, this input has %.12s…)", c.DataSHA256, card.DatasetSHA256)
	case c.Options.Seed != options.Seed:
		return fmt.Errorf("it is of a run with seed %d, this one has %d", c.Options.Seed, options.Seed)
	case c.Options != options:
		return fmt.Errorf("it is of a run with other options: %+v, this one has %+v", c.Options, options)
	case c.State.Epoch > card.Epochs:
		return fmt.Errorf("it is after epoch %d, this run ends after %d", c.State.Epoch, card.Epochs)
	}
	return nil
}
