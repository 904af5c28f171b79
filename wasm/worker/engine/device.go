package engine

import (
	"context"
	"fmt"

	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/pretrain"
)

// The jobs from which on it pays to look for another place for the encoder than this
// worker's processor. To look takes a second or so.
const (
	minDeviceGraphs  = 4096   // scored
	minDeviceTrained = 50_000 // trained on, each epoch counted
)

// processor is what Device says of jobs that stay in this worker.
const processor = "processor"

// A place is where the encoder of one request runs.
type place struct {
	// device is nil for this worker's processor.
	device *spare
	name   string
}

// place looks for the place of a job: for batches of that many graphs, to be encoded
// or trained on.
func (e *Engine) place(ctx context.Context, shape gin.Config, graphs int, training bool) place {
	d, name := e.host.Device(ctx, shape, graphs, training)
	if d == nil {
		return place{name: processor}
	}
	return place{&spare{Device: d, name: name}, name}
}

// warnings say that the device has failed, if it has.
func (l place) warnings() []string {
	if l.device == nil || l.device.failed == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s failed, and the processor went on without it: %v", l.name, l.device.failed)}
}

// A spare is a device whose work the processor takes over when it fails. Only its
// training must be begun again by whoever trains.
type spare struct {
	gin.Device
	name   string
	failed error
}

// String implements gin.Device.
func (s *spare) String() string { return s.name }

// run calls f with the device, and if it fails, now or before, on the processor.
func (s *spare) run(ctx context.Context, f func(gin.Device) error) error {
	if s.failed == nil {
		err := f(s.Device)
		if err == nil || ctx.Err() != nil {
			return err
		}
		s.failed = err
	}
	return f(pretrain.NewCPU(1))
}

// Encode implements gin.Device.
func (s *spare) Encode(ctx context.Context, e *gin.Encoder, gs []*graph.Graph, to *gin.Encoding) error {
	return s.run(ctx, func(d gin.Device) error { return d.Encode(ctx, e, gs, to) })
}

// GraphLoss implements gin.Device.
func (s *spare) GraphLoss(ctx context.Context, width int, zf, zs, nf, ns []float32, self bool, loss []float64) error {
	return s.run(ctx, func(d gin.Device) error { return d.GraphLoss(ctx, width, zf, zs, nf, ns, self, loss) })
}

// Train implements gin.Device.
func (s *spare) Train(e *gin.Encoder, learningRate float64, from gin.Moments) (t gin.Training, err error) {
	err = s.run(context.Background(), func(d gin.Device) (err error) {
		t, err = d.Train(e, learningRate, from)
		return err
	})
	return t, err
}
