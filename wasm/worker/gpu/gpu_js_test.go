package gpu

import (
	"context"
	"errors"
	"testing"

	"baca/algo/gin"
	"baca/algo/wgsl"
	"baca/algo/wgsl/check"
)

// The shaders in a browser; `make gpu` sees to one that has WebGPU in software.
func TestGPU(t *testing.T) {
	g, err := Open()
	if err != nil {
		t.Skip(err)
	}
	defer g.Close()
	t.Log(g, g.Limits())
	check.Run(t, g, nil)
}

// A device that is destroyed while it computes is an error, not a hang.
func TestLost(t *testing.T) {
	g, err := Open()
	if err != nil {
		t.Skip(err)
	}
	g.Close()
	if _, err := g.NewBuffer(256); err == nil {
		_, err = g.Submit(&wgsl.Work{})
		if !errors.Is(err, wgsl.ErrLost) {
			t.Errorf("error %v of a destroyed device, want %v", err, wgsl.ErrLost)
		}
	} else if !errors.Is(err, wgsl.ErrLost) {
		t.Errorf("error %v of a buffer on a destroyed device, want %v", err, wgsl.ErrLost)
	}
}

// Software is no reason to leave the processor. Where it is let, it is measured, and
// gets the batches that it is faster with.
func TestChoose(t *testing.T) {
	g, err := Open()
	if err != nil {
		t.Skip(err)
	}
	software := g.Software()
	g.Close()
	ctx, shape := context.Background(), gin.Config{Features: 3, Hidden: 4, Layers: 1}
	var c Chooser
	if d, name := c.Device(ctx, shape, 1024, false); software && (d != nil || name != "") {
		t.Errorf("device %v called %q in software, want none", d, name)
	}
	c = Chooser{Software: true}
	for range 2 {
		d, name := c.Device(ctx, shape, 1024, false)
		if want := c.faster[job{shape, 1024, false}]; (d != nil) != want || (name != "") != want {
			t.Errorf("device %v called %q, which is the faster: %t", d, name, want)
		}
	}
	if len(c.faster) != 1 {
		t.Errorf("measured %d times, want once", len(c.faster))
	}
}
