package attention

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"baca/algo/dictionary"
)

// A State is what a Calibrator takes from one batch of a stream to the next: the queues of
// both dictionaries, and the attention with the state of its training. It has embeddings of
// synthetic graphs and no graphs; those of the test graphs are in the banks, which each
// batch fills anew.
type State struct {
	Dim, Width int
	// Random is the state of the generator of random numbers.
	Random [2]uint64
	Queues [2][]dictionary.Queued // ID, OOD
	Drawn  [2]int                 // synthetic graphs drawn so far
	// Of W_Q, W_K and W_V, in this order: the weights, and Adam's means of the gradient and
	// of its square, which are empty at step 0.
	Weights, M, V [3][]float32
	Step          int // of Adam
}

// Check reports a state that no Calibrator can have left.
func (s *State) Check() error {
	if s.Width < 1 || s.Width > s.Dim {
		return fmt.Errorf("an attention of width %d on keys of %d values: want 1 to %d", s.Width, s.Dim, s.Dim)
	}
	for k, w := range s.Weights {
		n := len(s.M[k])
		if len(w) != s.Dim*s.Width || len(s.V[k]) != n || n != len(w) && (n != 0 || s.Step != 0) {
			return fmt.Errorf("matrices of %d, %d and %d values after %d steps, want %d", len(w), n, len(s.V[k]), s.Step, s.Dim*s.Width)
		}
	}
	for k, queue := range s.Queues {
		d := dictionary.New(dictionary.Side(k), s.Dim, len(queue), nil)
		if err := d.SetQueue(queue); err != nil {
			return fmt.Errorf("%s side: %w", dictionary.Side(k), err)
		}
		for _, q := range queue {
			if q.Origin != dictionary.Synthetic || q.Index < 0 || q.Index >= s.Drawn[k] {
				return fmt.Errorf("%s side: an entry is %s graph %d, want one of %d synthetic ones", dictionary.Side(k), q.Origin, q.Index, s.Drawn[k])
			}
		}
	}
	return nil
}

// State returns what the latest batch left, nil before the first one. It is a copy.
func (c *Calibrator) State() *State {
	if c.trainer == nil || c.latest == nil {
		return nil
	}
	random, err := c.source.MarshalBinary()
	if err != nil {
		panic(err) // it has no error
	}
	random = random[len(random)-16:]
	h := c.trainer.Head
	s := &State{
		Dim: h.Dim, Width: h.Width, Step: c.trainer.Adam[0].Step,
		Random:  [2]uint64{binary.BigEndian.Uint64(random), binary.BigEndian.Uint64(random[8:])},
		Weights: [3][]float32{slices.Clone(h.WQ), slices.Clone(h.WK), slices.Clone(h.WV)},
	}
	for k, a := range c.trainer.Adam {
		s.M[k], s.V[k] = slices.Clone(a.M), slices.Clone(a.V)
	}
	for k, side := range c.sides {
		s.Queues[k], s.Drawn[k] = side.dict.Queue(), side.draws
	}
	return s
}

// Resume makes the first batch go on from a state that a Calibrator of the same options left,
// just as its next one would. The graphs behind the entries of its queues are gone, so that
// Synthetic has none of them.
func (c *Calibrator) Resume(s *State, dim int) error {
	if c.trainer != nil {
		return errors.New("a state comes before the first batch")
	}
	if err := s.Check(); err != nil {
		return err
	}
	if width := min(c.options.Width, dim); s.Dim != dim || s.Width != width {
		return fmt.Errorf("it is of keys of %d values and an attention of width %d, want %d and %d", s.Dim, s.Width, dim, width)
	}
	dicts := [2]*dictionary.Dictionary{}
	for k := range dicts {
		dicts[k] = dictionary.New(dictionary.Side(k), dim, c.options.Capacity, nil)
		if err := dicts[k].SetQueue(s.Queues[k]); err != nil {
			return err
		}
	}
	head := &Head{Dim: s.Dim, Width: s.Width, WQ: slices.Clone(s.Weights[0]), WK: slices.Clone(s.Weights[1]), WV: slices.Clone(s.Weights[2])}
	c.trainer = NewTrainer(head, c.options.LearningRate)
	for k, a := range c.trainer.Adam {
		a.Step, a.M, a.V = s.Step, slices.Clone(s.M[k]), slices.Clone(s.V[k])
	}
	for k, side := range c.sides {
		side.dict, side.draws = dicts[k], s.Drawn[k]
	}
	c.source = rand.NewPCG(s.Random[0], s.Random[1])
	c.rng = rand.New(c.source)
	return nil
}
