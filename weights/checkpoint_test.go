package weights

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/gin"
	"baca/algo/pretrain"
)

// testCheckpoint returns the state after the given number of steps.
func testCheckpoint(steps int) *Checkpoint {
	o := pretrain.Options{Config: gin.Config{Features: 1, Hidden: 2, Layers: 1}, Batch: 32, LearningRate: 1e-3, Seed: 1 << 63}
	c := &Checkpoint{Program: "v0.0.0-test", Schema: algo.Constant, DataSHA256: strings.Repeat("cd", 32), Options: o}
	rng := rand.New(rand.NewPCG(3, 0))
	c.State.Params = gin.New(o.Config, rng).Params
	if steps > 0 {
		c.Loss = pretrain.Loss{Epoch: 1, Total: 1.5, Graph: 0.1, Node: 1.4}
		c.State.Epoch, c.State.Step = 1, steps
		for range c.State.Params {
			c.State.M = append(c.State.M, float32(rng.NormFloat64()))
			c.State.V = append(c.State.V, rng.Float32()*0x1p-130) // subnormal numbers too
		}
		c.State.M[0] = float32(math.Copysign(0, -1))
	}
	return c
}

func saveCheckpoint(t testing.TB, c *Checkpoint) []byte {
	t.Helper()
	var b bytes.Buffer
	noError(SaveCheckpoint(&b, c))
	return b.Bytes()
}

func loadCheckpointTwice(data []byte) error { return twice(data, LoadCheckpoint, SaveCheckpoint) }

func TestCheckpointRoundTrip(t *testing.T) {
	for _, steps := range []int{0, 1, 500} {
		c := testCheckpoint(steps)
		c.Options.Workers = 2
		data := saveCheckpoint(t, c)
		got := have(LoadCheckpoint(data))
		c.Options.Workers = 0
		if !reflect.DeepEqual(got, c) {
			t.Errorf("%d steps: %+v, want %+v", steps, got, c)
		}
		if !bytes.Equal(data, saveCheckpoint(t, got)) { // bits of the state too
			t.Errorf("%d steps: the file of the loaded checkpoint is another one", steps)
		}
	}
}

func TestCheckpointErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(c *Checkpoint)
		want   error
	}{
		{"schema", func(c *Checkpoint) { c.Schema = "x" }, ErrSchema},
		{"width of schema", func(c *Checkpoint) { c.Schema = algo.OGB }, ErrSchema},
		{"shape", func(c *Checkpoint) { c.Options.Config.Layers = 0 }, ErrFormat},
		{"parameters of another shape", func(c *Checkpoint) { c.Options.Config.Layers = 2 }, ErrTensor},
		{"no moments after a step", func(c *Checkpoint) { c.State.M, c.State.V = nil, nil }, ErrTensor},
		{"one moment", func(c *Checkpoint) { c.State.Step, c.State.M = 0, nil }, ErrTensor},
		{"parameter", func(c *Checkpoint) { c.State.Params[0] = float32(math.Inf(1)) }, ErrNumber},
		{"moment", func(c *Checkpoint) { c.State.M[0] = float32(math.NaN()) }, ErrNumber},
		{"negative square", func(c *Checkpoint) { c.State.V[0] = -1 }, ErrNumber},
		{"epoch", func(c *Checkpoint) { c.State.Epoch = -1 }, ErrNumber},
		{"learning rate", func(c *Checkpoint) { c.Options.LearningRate = math.Inf(1) }, ErrNumber},
		{"text", func(c *Checkpoint) { c.DataSHA256 = strings.Repeat("0", maxText+1) }, ErrFormat},
	} {
		v := testCheckpoint(3)
		c.change(v)
		var b bytes.Buffer
		if err := SaveCheckpoint(&b, v); !errors.Is(err, c.want) || b.Len() != 0 {
			t.Errorf("%s: saving gives %v and %d bytes, want %v", c.name, err, b.Len(), c.want)
		}
		// The same as a file that someone else wrote, where the fields allow it.
		w := newWriter()
		if w.do(func() { checkpointFields(w, v) }) == nil {
			if _, err := LoadCheckpoint(sealed(t, checkpointKind, algo.Section{Name: headSection, Data: w.buf.Bytes()})); !errors.Is(err, c.want) {
				t.Errorf("%s: loading gives %v, want %v", c.name, err, c.want)
			}
		}
	}
	if _, err := LoadCheckpoint(save(t, small(t))); !errors.Is(err, ErrKind) {
		t.Errorf("model: %v, want %v", err, ErrKind)
	}
	w := newWriter()
	w.bin("m", []byte{1, 2, 3})
	r := newReader(w.buf.Bytes())
	var v []float32
	if err := r.do(func() { r.allFloats("m", &v) }); !errors.Is(err, ErrFormat) || v != nil {
		t.Errorf("3 bytes of float32: %v", err)
	}
}
