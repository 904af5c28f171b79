package weights

import (
	"fmt"
	"io"
	"math"

	"baca/algo/pretrain"
)

// A Checkpoint is a training run between two epochs. With the same graphs it
// goes on to the bit-identical result.
type Checkpoint struct {
	Program    string // version that wrote it
	Schema     string // of the graphs, as in algo.Card
	DataSHA256 string // of the training file's bytes, hex
	// Options of the run. Workers is not stored, since it does not decide the
	// result, and 0 after LoadCheckpoint.
	Options pretrain.Options
	Loss    pretrain.Loss // of the last epoch, zero before the first
	State   pretrain.State
}

// SaveCheckpoint writes a checkpoint. All numbers keep all their bits. Write to
// a new file and rename it over the old one, so that a run killed meanwhile
// still has one that is whole.
func SaveCheckpoint(w io.Writer, c *Checkpoint) error {
	if err := c.check(); err != nil {
		return err
	}
	p := newWriter()
	v := *c
	checkpointFields(p, &v)
	return p.seal(w, checkpointKind)
}

// LoadCheckpoint reads a checkpoint from the bytes of a file, which it does not
// keep. The error wraps one of the errors of this package. Whether the
// checkpoint belongs to the run that is to go on is the caller's to compare.
func LoadCheckpoint(data []byte) (*Checkpoint, error) {
	payload, err := unseal(data, checkpointKind)
	if err != nil {
		return nil, err
	}
	c := new(Checkpoint)
	r := newReader(payload)
	checkpointFields(r, c)
	r.end()
	if r.err != nil {
		return nil, r.err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

const (
	checkpointEntries = 13
	lossEntries       = 4
)

func checkpointFields(c codec, v *Checkpoint) {
	c.fields("", checkpointEntries)
	c.text("program", &v.Program)
	c.text("schema", &v.Schema)
	c.text("data_sha256", &v.DataSHA256)
	configFields(c, "encoder", &v.Options.Config)
	c.count("batch", &v.Options.Batch)
	c.real("learning_rate", &v.Options.LearningRate)
	c.word("seed", &v.Options.Seed)
	c.fields("loss", lossEntries)
	c.count("epoch", &v.Loss.Epoch)
	c.real("total", &v.Loss.Total)
	c.real("graph", &v.Loss.Graph)
	c.real("node", &v.Loss.Node)
	c.count("epoch", &v.State.Epoch)
	c.count("step", &v.State.Step)
	c.allFloats("params", &v.State.Params)
	c.allFloats("m", &v.State.M)
	c.allFloats("v", &v.State.V)
}

// check reports a checkpoint from which no run can go on.
func (c *Checkpoint) check() error {
	if err := checkSchema(c.Schema, c.Options.Config); err != nil {
		return err
	}
	s := &c.State
	n := parameters(c.Options.Config)
	moments := n
	if s.Step == 0 && len(s.M) == 0 {
		moments = 0 // Adam makes them at its first step
	}
	for _, f := range []struct {
		key  string
		v    []float32
		want int
	}{{"params", s.Params, n}, {"m", s.M, moments}, {"v", s.V, moments}} {
		if len(f.v) != f.want {
			return fmt.Errorf("%w: %s has %d values after %d steps, want %d for an encoder of %s",
				ErrTensor, f.key, len(f.v), s.Step, f.want, shape(c.Options.Config))
		}
		if err := checkFinite(f.key, f.v); err != nil {
			return err
		}
	}
	for i, x := range s.V {
		if math.Signbit(float64(x)) {
			return fmt.Errorf("%w: v, a mean of squares, has %g at index %d", ErrNumber, x, i)
		}
	}
	return nil
}
