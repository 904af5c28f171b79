package gpu

import (
	"context"
	"errors"
	"strings"
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

// Software is no reason to leave the processor, and the page is told so.
func TestChoose(t *testing.T) {
	var c Chooser
	for range 2 {
		d, says, err := c.Choose(context.Background(), gin.Default(9))
		if err != nil {
			t.Fatal(err)
		}
		t.Log(says)
		if c.device == nil && (d != nil || !strings.HasPrefix(says, "processor; ")) {
			t.Errorf("device %v without a GPU, told %q", d, says)
		}
		if c.device != nil && (d == nil || !strings.Contains(says, "measured: ")) {
			t.Errorf("device %v with a GPU, told %q", d, says)
		}
	}
}
