package command

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"baca/algo/gin"
	"baca/build/device"
	"baca/build/internal/usage"
)

// A deviceFlag is the flag --device.
type deviceFlag struct {
	gpus   *device.GPUs
	value  string
	choice device.Choice
}

// register adds the flag --device, hidden in a program without GPUs.
func (f *deviceFlag) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.value, "device", "auto", device.Usage)
	fs.Lookup("device").Hidden = f.gpus == nil // no choice
}

// check returns an error for a value that is malformed or that this program does not support.
func (f *deviceFlag) check() error {
	var err error
	if f.choice, err = device.Parse(f.value); err != nil {
		return usage.Errorf("--%w", err)
	}
	if f.choice.GPU() && f.gpus == nil {
		return usage.Error{Err: device.ErrNoGPU}
	}
	return nil
}

// open returns the device for encoders of a shape, or nil for the processor. A program with GPU support says which it is.
func (f *deviceFlag) open(ctx context.Context, stderr io.Writer, workers int, shape gin.Config, training bool) (gin.Device, error) {
	d, what, err := f.choice.Open(ctx, f.gpus, workers, shape, training)
	if err == nil && f.gpus != nil {
		fmt.Fprintf(stderr, "device: %s\n", what)
	}
	return d, err
}
