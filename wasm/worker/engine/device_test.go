package engine

import (
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
// page is told so. Either way the rows or the model are the same.
func TestDevice(t *testing.T) {
	score := func(e *Engine, h *host) (made, device string, warnings []string) {
		events, got := must[*message.Scored](e, h, &message.Score{Batch: true})
		return fileOf(t, "csv", join(events)), got.Device, got.Warnings
	}
	train := func(e *Engine, h *host) (made, device string, warnings []string) {
		_, got := must[*message.Trained](e, h, &message.Train{Epochs: 3})
		return string(got.Data), got.Device, got.Warnings
	}
	for name, c := range map[string]struct {
		graphs int
		job    func(*Engine, *host) (made, device string, warnings []string)
		asked  int
		calls  []int // until it fails
	}{
		"score": {150, score, algo.DeviceChunk, []int{-1, 0, 1}},
		"train": {300, train, pretrain.Defaults(1).Batch, []int{-1, 0, 5, 8}}, // at first, in the second epoch, while the model is made
	} {
		e, h := loaded(t, "bbbp")
		must[*message.Opened](e, h, &message.Open{Name: "input.smi", Data: []byte(alkanes(c.graphs))})
		h.device = &device{left: -1}
		want, on, _ := c.job(e, h)
		if on != processor || len(h.asked) > 0 {
			t.Errorf("a small %s ran on the %s, a device was asked for %v times", name, on, h.asked)
		}
		e.minScored, e.minTrained = 100, 500
		for _, left := range c.calls {
			d := &device{CPU: pretrain.NewCPU(1), left: left}
			h.device, h.asked = d, nil
			got, on, warnings := c.job(e, h)
			said := slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, "test device failed") })
			if got != want || on != "test device" || d.calls == 0 || said != (left >= 0) || !slices.Equal(h.asked, []int{c.asked}) {
				t.Errorf("%s, failing after %d calls: on the %s, asked for %v, %d calls, warnings %q; the same: %v",
					name, left, on, h.asked, d.calls, warnings, got == want)
			}
			if e.model.Encoder.Device != nil {
				t.Error("the device stays in the model")
			}
		}
	}
}
