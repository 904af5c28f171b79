package engine

import (
	"context"
	"fmt"

	"baca/algo/gin"
	"baca/algo/graph"
	"baca/algo/pretrain"
)

// The least jobs that justify a second of measuring devices.
const (
	minDeviceGraphs  = 4096   // scored
	minDeviceTrained = 50_000 // graphs times epochs
)

// processor is the Device of jobs in this worker.
const processor = "processor"

// A place is where one request's encoder runs.
type place struct {
	// device is nil for the processor.
	device *spare
	name   string
}

// place returns where an encoder of that shape runs fastest on batches of that many graphs: on the host's device,
// which the processor replaces if it fails, or on the processor.
func (e *Engine) place(ctx context.Context, shape gin.Config, graphs int, training bool) place {
	d, name := e.host.Device(ctx, shape, graphs, training)
	if d == nil {
		return place{name: processor}
	}
	return place{&spare{Device: d, name: name}, name}
}

// warnings report a failed device.
func (l place) warnings() []string {
	if l.device == nil || l.device.failed == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s failed, and the processor went on without it: %v", l.name, l.device.failed)}
}

// A spare is a device that the processor replaces after a failure. Trainings must be restarted by their callers.
type spare struct {
	gin.Device
	name   string
	failed error
}

// String implements gin.Device.
func (s *spare) String() string { return s.name }

// run calls f with the device, or after a failure with the processor.
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

// Train implements gin.Device.
func (s *spare) Train(e *gin.Encoder, learningRate float64, from gin.Moments) (t gin.Training, err error) {
	err = s.run(context.Background(), func(d gin.Device) (err error) {
		t, err = d.Train(e, learningRate, from)
		return err
	})
	return t, err
}
