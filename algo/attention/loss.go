package attention

import (
	"math"

	"baca/algo/dictionary"
	"baca/algo/internal/adam"
)

// clip is the ε by which a probability stays away from 0 and 1. It bounds one
// logarithm of the loss by 13.8.
const clip = 1e-6

// Draw is a key drawn from one of the dictionaries, which the loss takes for a
// query, and the keys that are to be its top-𝕂 on each side. Which these are does
// not depend on the head, so they hold until a dictionary changes.
type Draw struct {
	Side dictionary.Side
	Key  int // row of the key on its side
	// Top has the rows of the most similar keys of each side, the drawn key not among
	// them. Empty where a side has none.
	Top [2][]int32
}

// FillTop fills Top of every draw with the topK most similar keys of
// each side, the drawn key itself left out, reusing their memory. topK must be positive.
func (w *Workspace) FillTop(draws []Draw, in, out *Keys, topK int) {
	unit := func(dst []float32, i int) { copy(dst, [...]*Keys{in, out}[draws[i].Side].Unit(draws[i].Key)) }
	w.compare(len(draws), in, out, unit, func(i, side int, sims []float32) {
		d := &draws[i]
		exclude := -1
		if int(d.Side) == side {
			exclude = d.Key
		}
		d.Top[side] = TopK(d.Top[side], sims, topK, exclude)
	})
}

// Gradient returns the paper's equation 10 over the draws,
//
//	L = − mean over ID draws of  log p_in + log(1 − p_out)
//	    − mean over OOD draws of log(1 − p_in) + log p_out
//
// with p = (1 + ATTN)/2 clipped to [ε, 1−ε], ε = 1e-6, and overwrites g with its
// gradient with respect to [Head.W], which is zero through a clipped probability. A logarithm whose draw has
// no keys on that side (the dictionary is empty, or holds only the drawn key) is
// left out of its sum, and the mean still divides by all draws of the side; a side
// without draws adds 0. Only the keys that the draws use are projected, each once.
func (h *Head) Gradient(w *Workspace, g *[3][]float32, draws []Draw, in, out *Keys) float64 {
	w.plan(draws, in, out)
	w.gather(h, nil, in, out)
	w.project(&h.W)
	loss := w.loss(w.terms, w.refs)
	w.weights(g)
	return loss
}

// plan turns draws into terms on the keys of both sides, ID first.
func (w *Workspace) plan(draws []Draw, in, out *Keys) {
	w.begin(in, out)
	w.terms, w.refs = w.terms[:0], w.refs[:0]
	var count [2]int
	for _, d := range draws {
		count[d.Side]++
	}
	for _, d := range draws {
		drawn := int32(d.Key)
		if d.Side == dictionary.OOD {
			drawn += int32(in.Len())
		}
		for side, list := range d.Top {
			if len(list) == 0 {
				continue
			}
			w.use(drawn, asQuery)
			lo := len(w.refs)
			for _, i := range list {
				key := i + int32(side*in.Len())
				w.use(key, asKey)
				w.refs = append(w.refs, key)
			}
			w.terms = append(w.terms, term{query: drawn, lo: int32(lo), hi: int32(len(w.refs)), high: int(d.Side) == side, scale: 1 / float64(count[d.Side])})
		}
	}
}

// Trainer improves a head step by step.
type Trainer struct {
	Head *Head

	adam     [3]*adam.Adam // of W_Q, W_K and W_V
	work     Workspace
	gradient [3][]float32
}

// NewTrainer returns a trainer for the head with the given learning rate.
func NewTrainer(h *Head, lr float64) *Trainer {
	return &Trainer{Head: h, adam: [3]*adam.Adam{adam.New(lr), adam.New(lr), adam.New(lr)}}
}

// Step takes one Adam step down the loss over the draws and returns the loss from
// before the step. Where that is NaN, as keys that are not finite make it, the head
// stays as it is. Once warm, a step allocates nothing.
func (t *Trainer) Step(draws []Draw, in, out *Keys) float64 {
	loss := t.Head.Gradient(&t.work, &t.gradient, draws, in, out)
	if math.IsNaN(loss) {
		return loss
	}
	for k, a := range t.adam {
		a.Update(t.Head.W[k], t.gradient[k])
	}
	return loss
}
