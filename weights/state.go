package weights

import (
	"fmt"
	"io"
	"math"

	"baca/algo/attention"
	"baca/algo/dictionary"
)

// SaveState writes what the attention takes from one batch of a stream to the next. model is
// the SHA-256 of the file of the model, in hex. Scores of queues are rounded to float32, which
// holds all that lie on the grid of the attention below 4096.
func SaveState(w io.Writer, s *attention.State, model string) error {
	if err := checkState(s); err != nil {
		return err
	}
	p := newWriter()
	stateFields(p, s, &model)
	return p.seal(w, stateKind)
}

// LoadState reads a state for a model, whose file has that SHA-256, from the bytes of a file,
// which it does not keep. The error wraps one of the errors of this package.
func LoadState(data []byte, model string) (*attention.State, error) {
	payload, err := unseal(data, stateKind)
	if err != nil {
		return nil, err
	}
	s, of := new(attention.State), ""
	r := newReader(payload)
	stateFields(r, s, &of)
	r.end()
	if r.err != nil {
		return nil, r.err
	}
	if of != model {
		return nil, fmt.Errorf("%w: it belongs to that with the SHA-256 %.12s…, this one has %.12s…", ErrModel, of, model)
	}
	return s, checkState(s)
}

const (
	stateEntries = 8
	queueEntries = 5
	headEntries  = 3
)

// stateFields goes through a state in both directions.
func stateFields(c codec, s *attention.State, model *string) {
	c.fields("", stateEntries)
	c.text("model_sha256", model)
	c.count("width", &s.Width)
	c.word("random_high", &s.Random[0])
	c.word("random_low", &s.Random[1])
	for k, key := range [2]string{"id", "ood"} {
		queueFields(c, key, s, k)
	}
	c.count("step", &s.Step)
	c.fields("attention", 3)
	for k, key := range [3]string{"query", "key", "value"} {
		c.fields(key, headEntries)
		c.allFloats("weights", &s.Weights[k])
		c.allFloats("m", &s.M[k])
		c.allFloats("v", &s.V[k])
	}
	if s.Width > 0 {
		s.Dim = len(s.Weights[0]) / s.Width
	}
}

// queueFields goes through the queue of a side.
func queueFields(c codec, key string, s *attention.State, side int) {
	var orders, indices []int
	var scores, keys []float32
	for _, q := range s.Queues[side] {
		orders, indices = append(orders, q.Order), append(indices, q.Index)
		scores, keys = append(scores, float32(q.Score)), append(keys, q.Key...)
	}
	c.fields(key, queueEntries)
	c.count("drawn", &s.Drawn[side])
	c.counts("order", &orders)
	c.counts("index", &indices)
	c.allFloats("score", &scores)
	c.allFloats("keys", &keys)
	r, reading := c.(*reader)
	if !reading || r.err != nil || len(orders) == 0 && len(indices)+len(scores)+len(keys) == 0 {
		return
	}
	n := len(orders)
	if len(indices) != n || len(scores) != n || n == 0 || len(keys)%n != 0 {
		r.fail(ErrRows, "%s has %d orders, %d indices, %d scores and %d values of keys", key, n, len(indices), len(scores), len(keys))
		return
	}
	dim := len(keys) / n
	for i := range orders {
		s.Queues[side] = append(s.Queues[side], dictionary.Queued{
			Entry: dictionary.Entry{Key: keys[i*dim : (i+1)*dim], Score: float64(scores[i]), Origin: dictionary.Synthetic, Index: indices[i]},
			Order: orders[i],
		})
	}
}

// checkState reports a state that no attention can have left.
func checkState(s *attention.State) error {
	if err := s.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrRows, err)
	}
	for k := range s.Weights {
		for _, f := range []struct {
			key string
			v   []float32
		}{{"weights", s.Weights[k]}, {"m", s.M[k]}, {"v", s.V[k]}} {
			if err := checkFinite(f.key, f.v); err != nil {
				return err
			}
		}
		for i, x := range s.V[k] {
			if math.Signbit(float64(x)) {
				return fmt.Errorf("%w: v, a mean of squares, has %g at index %d", ErrNumber, x, i)
			}
		}
	}
	for _, queue := range s.Queues {
		for _, q := range queue {
			if err := checkFinite("keys", q.Key); err != nil {
				return err
			}
			if err := checkReal("score", q.Score); err != nil {
				return err
			}
		}
	}
	return nil
}
