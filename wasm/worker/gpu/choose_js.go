package gpu

import (
	"context"

	"baca/algo/gin"
	"baca/algo/pretrain"
	"baca/algo/wgsl"
)

// A Chooser finds the place for encoders to run in this worker, for an engine.Host. The zero value is ready for use.
type Chooser struct {
	// Software lets software that pretends to be a GPU take part. Tests do.
	Software bool

	gpu    *GPU // nil before it is opened, and without one
	device *wgsl.Device
	tried  bool
	faster map[job]bool // whether the GPU is
}

// A job is what is measured for.
type job struct {
	shape    gin.Config
	graphs   int // of a batch
	training bool
}

// Device returns the device for encoders of the given shape and batches of that many graphs, to be encoded or trained
// on, and its name. It returns nil and "" if
//
//   - the processor is faster,
//   - there is no GPU, it was lost, or timing it failed.
//
// The first call for such a job times the GPU against the processor, which takes a second or so.
func (c *Chooser) Device(ctx context.Context, shape gin.Config, graphs int, training bool) (gin.Device, string) {
	if !c.tried {
		c.tried, c.faster = true, map[job]bool{}
		if g, err := Open(); err == nil && g.Software() && !c.Software {
			g.Close()
		} else if err == nil {
			c.gpu, c.device = g, wgsl.New(g, memory)
		}
	}
	if c.gpu == nil || c.gpu.lost != "" {
		return nil, ""
	}
	k := job{shape, graphs, training}
	faster, measured := c.faster[k]
	if !measured {
		const atGPU = 1
		devices := []gin.Device{pretrain.NewCPU(1), atGPU: c.device}
		fastest, _, err := wgsl.Faster(ctx, devices, shape, graphs, training)
		if err != nil {
			return nil, ""
		}
		faster = fastest == atGPU
		c.faster[k] = faster
	}
	if !faster {
		return nil, ""
	}
	return c.device, c.gpu.String()
}

// memory is what a batch may take up in a browser, which shares the GPU with all its pages.
const memory = 256 << 20
