// Package device is the flag --device of the command: where encoders run.
package device

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"baca/algo/gin"
	"baca/algo/pretrain"
	"baca/algo/wgsl"
)

// Usage describes the flag.
const Usage = "where encoders run: cpu, gpu, gpu:`N` for the N-th, from 0, or auto for the faster, by measurement"

// ErrNoGPU is the answer of a program that was built without WebGPU.
var ErrNoGPU = errors.New("this program was built without GPU support: `make gpu` builds bin/baca-gpu, the same command with it (it needs a C compiler and downloads 400 MB once)")

// A Choice is a value of the flag.
type Choice struct {
	auto, gpu bool
	number    int // of the GPU
}

// Parse reads a value of the flag.
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
			if n, err = strconv.Atoi(number); err != nil || n < 0 || n > 1000 {
				break
			}
		}
		return Choice{gpu: true, number: n}, nil
	}
	return Choice{}, fmt.Errorf("device %q: want auto, cpu, gpu or gpu:N with N from 0", value)
}

// GPUs opens GPUs by number. A program without GPU support has a nil one.
type GPUs func(number int) (wgsl.GPU, error)

// Open returns the device, nil for the processor, and what to tell about it. For
// auto it times it and the first GPU, if there is one, on an encoder of the given
// shape; where a GPU was asked for, one is used or the reason why not is returned.
func (c Choice) Open(ctx context.Context, open GPUs, workers int, shape gin.Config) (gin.Device, string, error) {
	cpu := pretrain.NewCPU(workers)
	switch {
	case c.gpu && open == nil:
		return nil, "", ErrNoGPU
	case open == nil || !c.gpu && !c.auto:
		return nil, cpu.String(), nil
	}
	g, err := open(c.number)
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
	a, err := wgsl.Measure(ctx, cpu, gpu, shape)
	if err != nil {
		return nil, "", err
	}
	return a, fmt.Sprintf("%s (measured: %s)", a, a.Report()), nil
}
