package training_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"baca/algo/batch"
	"baca/algo/dataset"
	"baca/algo/gin"
	"baca/algo/internal/must"
	"baca/algo/model"
	"baca/algo/molecule"
	"baca/algo/pretrain"
	"baca/algo/training"
	"baca/algo/training/trainingtest"
	"baca/weights"
)

// finished trains to the end, and returns the file.
func finished(t *training.Training, from pretrain.State, loss pretrain.Loss, interval time.Duration, epoch, save func() error) ([]byte, error) {
	must.Do(t.Prepare())
	if err := t.Begin(context.Background(), from, loss); err != nil {
		return nil, err
	}
	if err := t.Run(context.Background(), interval, epoch, save); err != nil {
		return nil, err
	}
	_, file := must.Both(t.Pack(context.Background()))
	return file, nil
}

func nothing() error { return nil }

// Without epochs a model has the encoder that its seed draws, which scores lists but not by the paper's method.
func TestUntrained(t *testing.T) {
	untrained := trainingtest.Training()
	untrained.Card.Epochs = 0
	untrained.Device = func(context.Context, pretrain.Options, int) (gin.Device, error) { panic("no device is needed") }
	never := func() error { return errors.New("an epoch") }
	m := must.Have(weights.Load(must.Have(finished(untrained, pretrain.State{}, pretrain.Loss{}, 0, never, never))))
	o := must.Have(training.TrainingOptions(model.OGBParent, 3))
	if c := m.Card; c.Epochs != 0 || c.Loss != 0 || !slices.Equal(m.Encoder.Params, pretrain.Untrained(o).Fixed().Params) {
		t.Errorf("card %+v, and perhaps other parameters", c)
	}
	options := batch.DefaultOptions()
	for _, by := range batch.Deciders() {
		options.By = by
		s, err := batch.NewScorer(t.Context(), m, options)
		if by == batch.ByAttention {
			if err == nil || !strings.Contains(err.Error(), "encoder of model a is not trained") || !strings.Contains(err.Error(), "baca train --for attention") {
				t.Errorf("by %s: %v", by, err)
			}
		} else if r := must.Have(must.Have(s, err).Batch(t.Context(), untrained.Graphs)); math.IsNaN(r.Rows[0].Score) || r.Few {
			t.Errorf("by %s: %+v", by, r.Rows[0])
		}
	}
}

func TestCheckLength(t *testing.T) {
	for _, c := range []struct {
		purpose string
		epochs  int
		want    string
	}{
		{"", 0, ""}, {"", training.MaxEpochs, ""}, {batch.ByAttention, 0, ""},
		{"", -1, "-1 epochs: want 1 to 1000000"}, {"", training.MaxEpochs + 1, "1000001 epochs: want"}, {"batch", 0, `a model for "batch": want attention`},
	} {
		if err := training.CheckLength(c.purpose, c.epochs); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, %d epochs: %v, want %q", c.purpose, c.epochs, err, c.want)
		}
	}
}

// A model is the same whether its training is interrupted or not, and goes on without a device that fails.
func TestTraining(t *testing.T) {
	whole, epochs, saved := trainingtest.Training(), 0, 0
	var state pretrain.State
	var loss pretrain.Loss
	want := must.Have(finished(whole, state, loss, 0, func() error {
		if epochs++; epochs != whole.State.Epoch || whole.Loss.Total == loss.Total {
			t.Errorf("epoch %d is %d of loss %g", epochs, whole.State.Epoch, whole.Loss.Total)
		}
		loss = whole.Loss
		if epochs == 1 {
			state = pretrain.State{Epoch: 1, Step: whole.State.Step, Params: slices.Clone(whole.State.Params)}
			state.M, state.V = slices.Clone(whole.State.M), slices.Clone(whole.State.V)
		}
		return nil
	}, func() error { saved++; return nil }))
	if c := whole.Card; epochs != 3 || saved != 2 || c.Name != "a" || c.Description != "Trained on A.csv for 3 epochs." ||
		c.Loss != loss.Total ||
		!slices.Equal(c.Repeats, []int{80}) || len(whole.Train) != 56 || len(whole.Holdout) != 24 || c.Batch != whole.Options.Batch ||
		c.Batch == 0 {
		t.Errorf("%d epochs, saved %d times, %d and %d graphs: %+v", epochs, saved, len(whole.Train), len(whole.Holdout), c)
	}
	if n := whole.State.Step; n != 3*training.StepsPerEpoch(56) {
		t.Errorf("%d steps", n)
	}
	resumed := must.Have(finished(trainingtest.Training(), state, loss, time.Hour, nothing, func() error { return errors.New("saved too soon") }))
	moved, failed := trainingtest.Training(), 0
	moved.Device = func(_ context.Context, _ pretrain.Options, graphs int) (gin.Device, error) {
		if graphs != 56 {
			t.Errorf("a device for %d graphs", graphs)
		}
		return &failing{CPU: pretrain.NewCPU(1)}, nil
	}
	moved.DeviceFailed = func(error) { failed++ }
	if file := must.Have(finished(moved, pretrain.State{}, loss, time.Hour, nothing, nil)); !bytes.Equal(resumed, want) ||
		!bytes.Equal(file, want) || failed != 1 {
		t.Errorf("a resumed training gives the same: %t, one on a device that failed %d times: %t", bytes.Equal(resumed, want), failed,
			bytes.Equal(file, want))
	}
	enough := errors.New("enough")
	stop := func() error { return enough }
	if _, err := finished(trainingtest.Training(), state, loss, 0, stop, nil); err != enough {
		t.Errorf("%v, want the error of epoch", err)
	}
	if _, err := finished(trainingtest.Training(), state, loss, 0, nothing, stop); err != enough {
		t.Errorf("%v, want the error of save", err)
	}
	if m := trainingtest.Model(); m.Background == nil || m.Residuals == nil || m.Structures == nil || m.Card.BackgroundGraphs != 60 {
		t.Errorf("a model without a background, errors or structures: %+v", m.Card)
	}
	// What cannot be packed is told before the first epoch.
	blind := trainingtest.Training()
	blind.Values = make([]*model.Values, 81)
	if _, err := finished(blind, pretrain.State{}, loss, 0, stop, nil); err == nil || err == enough {
		t.Errorf("without values: %v", err)
	}
	moved.Device = func(context.Context, pretrain.Options, int) (gin.Device, error) { return nil, enough }
	if err := moved.Begin(t.Context(), state, loss); err != enough {
		t.Errorf("%v, want the error of Device", err)
	}
}

// failing is the processor until the second epoch, when its steps fail.
type failing struct {
	pretrain.CPU
	gin.Training
	finished int
}

func (f *failing) Train(e *gin.Encoder, rate float64, from gin.Moments) (_ gin.Training, err error) {
	f.Training, err = f.CPU.Train(e, rate, from)
	return f, err
}

func (f *failing) Finish(ctx context.Context) (gin.Losses, gin.Moments, error) {
	losses, moments, err := f.Training.Finish(ctx)
	if f.finished++; f.finished > 1 {
		err = errors.New("the device is lost")
	}
	return losses, moments, err
}

// A model needs twenty graphs that differ, and warns where it cannot call any outside.
func TestFewToTrainOn(t *testing.T) {
	few := trainingtest.Training()
	few.Graphs = append(few.Graphs[:19:19], few.Graphs[80])
	if err := few.Prepare(); err == nil || err.Error() != "A.csv: 19 graphs to train on: want at least 20" {
		t.Errorf("%v", err)
	}
	few.Split, few.Graphs = dataset.Split, trainingtest.Training().Graphs[:20]
	must.Do(few.Prepare())
	for n, want := range map[int]string{
		19: "",
		18: "only 18 graphs are kept from training, so no p-value is below 1/19; score with an alpha of that or more, or train on more graphs",
	} {
		if few.Holdout = make([]int, n); few.Warning() != want {
			t.Errorf("%d held out: %q", n, few.Warning())
		}
	}
	few.Holdout = make([]int, 19)
	for size, want := range map[float64]string{1: "", 0.3: "held-out errors are 9.9 % of the standard deviation of observed values: were these predictions fitted to the same molecules?"} {
		few.Values = nil
		for y := range 10 { // of a standard deviation of 3.03
			few.Values = append(few.Values, &model.Values{Observed: float64(y), Predicted: float64(y) + size}, nil)
		}
		if got := few.Warning(); got != want {
			t.Errorf("errors of %g: %q, want %q", size, got, want)
		}
	}
	if first, repeats := training.Distinct(trainingtest.Training().Graphs, model.OGB); len(first) != 81 || repeats != nil {
		t.Errorf("molecules of benchmarks: %d, %d repeats", len(first), len(repeats))
	}
	var text strings.Builder
	for n := range 50 {
		text.WriteString(strings.Repeat("C", n+1) + "\n")
	}
	o, told := dataset.Options{Format: dataset.SMI, Form: molecule.UnorderedParent}, 0
	gs, refused, err := training.ReadBackground(t.Context(), strings.NewReader(text.String()+"CCC\nC1\n"), o, func(n int) { told = n })
	if err != nil || len(gs) != 50 || refused != 1 || told != 51 {
		t.Errorf("%d graphs, %d refused, %d told, %v", len(gs), refused, told, err)
	}
	_, _, err = training.ReadBackground(t.Context(), strings.NewReader(text.String()[2:]+"CCC\n"), o, nil)
	if err == nil || err.Error() != "49 molecules: want at least 50" {
		t.Errorf("%v", err)
	}
}
