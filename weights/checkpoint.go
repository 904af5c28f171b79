package weights

import (
	"fmt"
	"io"
	"math"

	"baca/algo"
	"baca/algo/pretrain"
)

// A Checkpoint is a training run between two epochs. With the same graphs, the run resumes to the same bits.
type Checkpoint struct {
	Program    string // version of the program that wrote it
	Schema     string // schema of the graphs, as in algo.Card
	DataSHA256 string // SHA-256 of the training file, in hex
	// Options are those of the run, except Workers, which does not affect the result and is not stored.
	Options pretrain.Options
	Loss    pretrain.Loss // loss of the last epoch, zero before the first
	State   pretrain.State
}

// SaveCheckpoint writes a checkpoint without rounding its numbers. Let it write to a new file and rename that, so
// that a killed run leaves a complete file.
func SaveCheckpoint(w io.Writer, c *Checkpoint) error {
	if err := try(c.check); err != nil {
		return err
	}
	p, v := newWriter(), *c
	if err := p.do(func() { checkpointFields(p, &v) }); err != nil {
		return err
	}
	return write(w, checkpointKind, []algo.Section{{Name: headSection, Data: p.buf.Bytes()}})
}

// LoadCheckpoint reads a checkpoint from the bytes of a file, which it does not keep. An error wraps one of this
// package's. The caller checks by Fits that the checkpoint belongs to its run.
func LoadCheckpoint(data []byte) (*Checkpoint, error) {
	sections, err := read(data, checkpointKind)
	if err != nil {
		return nil, err
	}
	if len(sections) != 1 {
		return nil, fmt.Errorf("%w: %v has %d sections, want one", ErrFormat, checkpointKind, len(sections))
	}
	c, r := new(Checkpoint), newReader(sections[0].Data)
	if err := r.do(func() { checkpointFields(r, c) }); err != nil {
		return nil, err
	}
	if err := try(c.check); err != nil {
		return nil, err
	}
	return c, nil
}

const (
	checkpointEntries = 13
	lossEntries       = 4
)

// checkpointFields writes or reads a checkpoint.
func checkpointFields(c *codec, v *Checkpoint) {
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

// check fails for a checkpoint that cannot resume: parameters or moments that do not fit the encoder or are not finite, and
// negative second moments.
func (c *Checkpoint) check() {
	checkSchema(c.Schema, c.Options.Config)
	s := &c.State
	n := parameters(c.Options.Config)
	moments := n
	if s.Step == 0 && len(s.M) == 0 {
		moments = 0 // Adam allocates them at its first step
	}
	for _, f := range []struct {
		key  string
		v    []float32
		want int
	}{{"params", s.Params, n}, {"m", s.M, moments}, {"v", s.V, moments}} {
		require(len(f.v) == f.want, ErrTensor,
			"%s has %d values after %d steps, want %d for an encoder of %s", f.key, len(f.v), s.Step, f.want, shape(c.Options.Config))
		checkFinite(f.key, f.v)
	}
	for i, x := range s.V {
		if math.Signbit(float64(x)) {
			fail(ErrNumber, "v, a mean of squares, has %g at index %d", x, i)
		}
	}
}

// Fits returns an error unless a run with this card and these options can continue from the checkpoint: with the same
// schema, data and options, and not fewer epochs than it has done.
func (c *Checkpoint) Fits(card algo.Card, options pretrain.Options) error {
	switch {
	case c.Schema != card.Schema:
		return fmt.Errorf("its graphs have the schema %s, these have %s", c.Schema, card.Schema)
	case c.DataSHA256 != card.DatasetSHA256:
		return fmt.Errorf("it was trained on other data (sha-256 %.12s…, this input has %.12s…)", c.DataSHA256, card.DatasetSHA256)
	case c.Options.Seed != options.Seed:
		return fmt.Errorf("its run had the seed %d, this one has %d", c.Options.Seed, options.Seed)
	case c.Options != options:
		return fmt.Errorf("its run had other options: %+v, this one has %+v", c.Options, options)
	case c.State.Epoch > card.Epochs:
		return fmt.Errorf("it was written after epoch %d, and this run ends after %d", c.State.Epoch, card.Epochs)
	}
	return nil
}

// CheckpointOf returns the checkpoint of a run with this card.
func CheckpointOf(card algo.Card, o pretrain.Options, s pretrain.State, loss pretrain.Loss) *Checkpoint {
	return &Checkpoint{Program: card.Program, Schema: card.Schema, DataSHA256: card.DatasetSHA256, Options: o, Loss: loss, State: s}
}
