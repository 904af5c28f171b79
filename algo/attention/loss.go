package attention

import (
	"math"

	"baca/algo/dictionary"
	"baca/algo/internal/adam"
)

// clip is the ε by which a probability stays away from 0 and 1. It keeps each logarithm of the loss
// above −13.8.
const clip = 1e-6

// Draw is a key drawn from one of the dictionaries, which the loss uses as a query, and its top-𝕂 keys on
// each side. The top keys do not depend on the head: they stay valid until a dictionary changes.
type Draw struct {
	Side dictionary.Side
	Key  int // row of the key on its side
	// Top has the rows of the most similar keys of each side, without the drawn key.
	Top [2][]int32
}

// FillTop fills Top of every draw with the topK most similar keys of each side, without the drawn key.
// It reuses the memory of Top. topK must be positive.
func (w *Workspace) FillTop(draws []Draw, in, out *Keys, topK int) {
	w.fillTop(draws, in, out, topK, nil)
}

// fillTop is FillTop with the rankings of the draws, which may be nil.
func (w *Workspace) fillTop(draws []Draw, in, out *Keys, topK int, rankings []ranking) {
	unit := func(dst []float32, i int) { copy(dst, [...]*Keys{in, out}[draws[i].Side].Unit(draws[i].Key)) }
	w.compare(len(draws), in, out, rankings, unit, func(i, side, from int, sims []float32, r ranking) {
		d := &draws[i]
		d.Top[side] = w.join(d.Top[side][:0], r, sims, from, topK, d.within(side))
	})
}

// within returns the row of the draw among the keys of a side, −1 on the other side.
func (d *Draw) within(side int) int {
	if int(d.Side) == side {
		return d.Key
	}
	return -1
}

// Gradient returns the paper's equation 10 over the draws,
//
//	L = − mean over ID draws of  log p_in + log(1 − p_out)
//	    − mean over OOD draws of log(1 − p_in) + log p_out
//
// with p = (1 + ATTN)/2 clipped to [ε, 1−ε], ε = 1e-6. It overwrites g with the gradient with respect
// to [Head.W], to which a clipped probability adds nothing.
//
// A draw may have no keys on a side, if the dictionary is empty or holds only the drawn key. The
// logarithm of that side is then left out, but the mean still divides by all draws. Without ID draws,
// or without OOD draws, that mean is 0.
func (h *Head) Gradient(w *Workspace, g *[3][]float32, draws []Draw, in, out *Keys) float64 {
	w.plan(draws, in, out)
	w.gather(h, nil, in, out)
	w.project(&h.W)
	loss := w.loss(w.terms, w.refs)
	w.weights(g)
	return loss
}

// plan turns draws into terms and marks the keys that they use. Keys are numbered with those of the ID side first.
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

// Step takes one Adam step down the loss over the draws and returns the loss before the step.
// Keys that are not finite make the loss NaN, and the head then stays as it is. After the first
// steps, a step allocates nothing.
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
