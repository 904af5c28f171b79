package weights

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/gin"
	"baca/algo/graph"
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
	if err := SaveCheckpoint(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func loadCheckpointTwice(data []byte) error {
	c, err := LoadCheckpoint(data)
	if err != nil {
		return err
	}
	var first, second bytes.Buffer
	if err := SaveCheckpoint(&first, c); err != nil {
		return fmt.Errorf("saving what was loaded: %v", err)
	}
	if c, err = LoadCheckpoint(first.Bytes()); err != nil {
		return fmt.Errorf("loading what was saved: %v", err)
	}
	if err := SaveCheckpoint(&second, c); err != nil {
		return fmt.Errorf("saving again: %v", err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		return errors.New("the second file differs from the first")
	}
	return nil
}

func bits(v []float32) []uint32 {
	var b []uint32
	for _, x := range v {
		b = append(b, math.Float32bits(x))
	}
	return b
}

func TestCheckpointRoundTrip(t *testing.T) {
	for _, steps := range []int{0, 1, 500} {
		c := testCheckpoint(steps)
		c.Options.Workers = 2
		data := saveCheckpoint(t, c)
		got, err := LoadCheckpoint(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []struct{ got, want []float32 }{{got.State.Params, c.State.Params}, {got.State.M, c.State.M}, {got.State.V, c.State.V}} {
			if !reflect.DeepEqual(bits(v.got), bits(v.want)) {
				t.Errorf("%d steps: state %v, want %v", steps, v.got, v.want)
			}
		}
		c.Options.Workers = 0
		if !reflect.DeepEqual(got, c) {
			t.Errorf("%d steps: %+v, want %+v", steps, got, c)
		}
		if !bytes.Equal(data, saveCheckpoint(t, got)) {
			t.Errorf("%d steps: the file of the loaded checkpoint is another one", steps)
		}
	}
}

// TestResume stops a run after two of four epochs, through a file.
func TestResume(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	var graphs []*graph.Graph
	for range 40 {
		n := 3 + rng.IntN(5)
		var edges [][2]int32
		for i := 1; i < n; i++ {
			edges = append(edges, [2]int32{int32(i), rng.Int32N(int32(i))})
		}
		g, _, err := graph.New(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		graphs = append(graphs, g)
	}
	c := testCheckpoint(0)
	o := c.Options
	o.Batch = 16
	train := func(from *pretrain.State, epochs int) (*pretrain.Trainer, pretrain.Loss) {
		t.Helper()
		trainer, err := pretrain.New(graphs, o, from)
		if err != nil {
			t.Fatal(err)
		}
		var loss pretrain.Loss
		for range epochs {
			if loss, err = trainer.Epoch(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		return trainer, loss
	}
	whole, wholeLoss := train(nil, 4)
	half, halfLoss := train(nil, 2)
	c.Options, c.State, c.Loss = o, half.State(), halfLoss
	back, err := LoadCheckpoint(saveCheckpoint(t, c))
	if err != nil {
		t.Fatal(err)
	}
	resumed, resumedLoss := train(&back.State, 2)
	if !reflect.DeepEqual(bits(resumed.State().Params), bits(whole.State().Params)) || resumedLoss != wholeLoss {
		t.Errorf("resumed run ends at loss %+v, whole run at %+v", resumedLoss, wholeLoss)
	}
	if reflect.DeepEqual(bits(half.State().Params), bits(whole.State().Params)) {
		t.Error("the last two epochs changed nothing")
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
