package gpu

import (
	"context"
	"fmt"

	"baca/algo/gin"
	"baca/algo/pretrain"
	"baca/algo/wgsl"
)

// A Chooser finds the place for encoders to run in this worker. The zero value is
// ready for use.
type Chooser struct {
	tried  bool
	device *wgsl.Device
	reason string // why there is no device
	chosen map[gin.Config]*wgsl.Auto
}

// Choose returns the device for encoders of the given shape, nil for the processor,
// and what to tell about it. The first time for a shape the browser's GPU, if it has
// one, is timed against the processor, which takes a second or so: large batches go
// to the faster of them. Software that pretends to be a GPU is not tried.
func (c *Chooser) Choose(ctx context.Context, shape gin.Config) (gin.Device, string, error) {
	if !c.tried {
		c.tried, c.chosen = true, map[gin.Config]*wgsl.Auto{}
		g, err := Open()
		switch {
		case err != nil:
			c.reason = err.Error()
		case g.Software():
			c.reason = g.String() + " is no real GPU"
			g.Close()
		default:
			c.device = wgsl.New(g, memory)
		}
	}
	if c.device == nil {
		return nil, fmt.Sprintf("processor; %s", c.reason), nil
	}
	a := c.chosen[shape]
	if a == nil {
		var err error
		if a, err = wgsl.Measure(ctx, pretrain.NewCPU(1), c.device, shape); err != nil {
			return nil, "", err
		}
		c.chosen[shape] = a
	}
	return a, fmt.Sprintf("%s (measured: %s)", a, a.Report()), nil
}

// memory is what a batch may take up in a browser, which shares the GPU with all
// its pages.
const memory = 256 << 20
