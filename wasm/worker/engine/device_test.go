package engine

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/pretrain"
	"baca/wasm/message"
)

// A device is the processor, which counts its work and fails after some.
type device struct {
	pretrain.CPU
	left  int // calls until it fails, −1 for never
	calls int
}

var errBroken = errors.New("the device was lost")

func (d *device) call() error {
	if d.calls++; d.left == 0 {
		return errBroken
	}
	d.left = max(d.left-1, -1)
	return nil
}

func (d *device) Encode(ctx context.Context, e *gin.Encoder, gs []*graph.Graph, to *gin.Encoding) error {
	if err := d.call(); err != nil {
		return err
	}
	return d.CPU.Encode(ctx, e, gs, to)
}

func (d *device) Train(e *gin.Encoder, rate float64, from gin.Moments) (gin.Training, error) {
	if err := d.call(); err != nil {
		return nil, err
	}
	t, err := d.CPU.Train(e, rate, from)
	return &deviceTraining{t, d}, err
}

type deviceTraining struct {
	gin.Training
	d *device
}

func (t *deviceTraining) Step(ctx context.Context, gs []*graph.Graph) error {
	if err := t.d.call(); err != nil {
		return err
	}
	return t.Training.Step(ctx, gs)
}

// A device gets large jobs alone; where it fails the processor takes over, and the
// page is told so. Either way the numbers are the same.
func TestDevice(t *testing.T) {
	e, h := loaded(t, "bbbp")
	must[*message.Opened](e, h, &message.Open{Name: "input.smi", Data: []byte(alkanes(150))})
	score := func() (string, *message.Scored) {
		events, scored := must[*message.Scored](e, h, &message.Score{Batch: true})
		return fileOf(t, "csv", join(events)), scored
	}
	h.device = &device{left: -1}
	want, scored := score()
	if scored.Device != processor || len(h.asked) > 0 {
		t.Errorf("a small job ran on the %s, a device was asked for %v times", scored.Device, h.asked)
	}
	e.minScored = 100
	for _, left := range []int{-1, 0, 1} {
		d := &device{CPU: pretrain.NewCPU(1), left: left}
		h.device, h.asked = d, nil
		got, scored := score()
		if got != want {
			t.Errorf("failing after %d calls: other rows", left)
		}
		said := slices.ContainsFunc(scored.Warnings, func(w string) bool { return strings.Contains(w, "test device failed") })
		if scored.Device != "test device" || !slices.Equal(h.asked, []int{algo.DeviceChunk}) || d.calls == 0 || said != (left >= 0) {
			t.Errorf("failing after %d calls: ran on the %s, asked for %v, %d calls, warnings %q", left, scored.Device, h.asked, d.calls, scored.Warnings)
		}
		if e.model.Encoder.Device != nil {
			t.Error("the device stays in the model")
		}
	}
}

func TestTrainOnDevice(t *testing.T) {
	e, h := bare(t)
	must[*message.Opened](e, h, &message.Open{Name: "Mine.smi", Data: []byte(alkanes(300))})
	h.device = &device{left: -1}
	_, want := must[*message.Trained](e, h, &message.Train{Epochs: 3})
	if want.Device != processor || len(h.asked) > 0 {
		t.Errorf("a small job ran on the %s", want.Device)
	}
	e.minTrained = 500
	// It fails at its beginning, in the second epoch and while the model is made.
	for _, left := range []int{-1, 0, 5, 8} {
		d := &device{CPU: pretrain.NewCPU(1), left: left}
		h.device = d
		_, got := must[*message.Trained](e, h, &message.Train{Epochs: 3})
		if !bytes.Equal(got.Data, want.Data) {
			t.Errorf("failing after %d calls: another model", left)
		}
		said := slices.ContainsFunc(got.Warnings, func(w string) bool { return strings.Contains(w, "test device failed") })
		if got.Device != "test device" || d.calls < 1 || said != (left >= 0) {
			t.Errorf("failing after %d calls: ran on the %s, %d calls, warnings %q", left, got.Device, d.calls, got.Warnings)
		}
	}
}
