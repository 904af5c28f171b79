// Package device is the flag --device: where encoders run (Parse, Choice.Open).
package device

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"baca/algo"
	"baca/algo/gin"
	"baca/algo/pretrain"
	"baca/algo/wgsl"
)

// Usage describes the flag.
const Usage = "where encoders run: cpu, gpu, gpu:`N` for the N-th that baca version lists, from 0, or auto for the faster, by measurement"

// ErrNoGPU is the error of a program without WebGPU.
var ErrNoGPU = errors.New("this program was built without GPU support: `make gpu` builds bin/baca-gpu, the same command with it (it needs a C compiler and downloads 110 MB once)")

// GPUs are the usable GPUs, nil without GPU support.
type GPUs struct {
	// List names them with interfaces.
	List func() []string
	// Open opens one by index.
	Open func(number int) (wgsl.GPU, error)
}

// A Choice says where encoders run: on the processor (the zero value), on a GPU, or on the faster of both.
type Choice struct {
	auto, gpu bool
	number    int // of the GPU
}

// mostNumber is the highest number of a GPU that is accepted.
const mostNumber = 1000

// Parse parses auto, cpu, gpu, which is gpu:0, or gpu:N. Any other value is an error.
func Parse(value string) (Choice, error) {
	name, number, given := strings.Cut(value, ":")
	switch {
	case value == "cpu":
		return Choice{}, nil
	case value == "auto":
		return Choice{auto: true}, nil
	case name == "gpu":
		n := 0
		if given {
			var err error
			if n, err = strconv.Atoi(number); err != nil || n < 0 || n > mostNumber {
				break // out of the switch, to the error
			}
		}
		return Choice{gpu: true, number: n}, nil
	}
	return Choice{}, fmt.Errorf("device %q: want auto, cpu, gpu or gpu:N with N from 0", value)
}

// GPU reports that a GPU is required.
func (c Choice) GPU() bool { return c.gpu }

// Open returns the device, nil for the processor, and a description. auto times the processor and
// the first real GPU on a usual batch for an encoder of that shape. A requested GPU is used or an
// error.
func (c Choice) Open(ctx context.Context, gpus *GPUs, workers int, shape gin.Config, training bool) (gin.Device, string, error) {
	cpu := pretrain.NewCPU(workers)
	switch {
	case c.gpu && gpus == nil:
		return nil, "", ErrNoGPU
	case gpus == nil || !c.gpu && !c.auto:
		return nil, cpu.String(), nil
	}
	g, err := gpus.Open(c.number)
	if err != nil && c.auto {
		return nil, fmt.Sprintf("%s; no GPU: %v", cpu, err), nil
	}
	if err != nil {
		return nil, "", err
	}
	gpu := wgsl.New(g, 0)
	if c.gpu {
		return gpu, gpu.String(), nil
	}
	if g.Software() {
		return nil, fmt.Sprintf("%s; gpu:0 is the processor too: %s", cpu, g), nil
	}
	batch := algo.DeviceChunk
	if training {
		batch = pretrain.Defaults(shape.Features).Batch
	}
	fastest, report, err := wgsl.Faster(ctx, []gin.Device{cpu, gpu}, shape, batch, training)
	if err != nil {
		return nil, "", err
	}
	if fastest == 0 {
		return nil, fmt.Sprintf("%s (measured: %s)", cpu, report), nil
	}
	return gpu, fmt.Sprintf("%s (measured: %s)", gpu, report), nil
}
