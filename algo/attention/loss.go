package attention

import (
	"fmt"
	"math"

	"baca/algo/dictionary"
	"baca/algo/internal/adam"
	"baca/algo/internal/parallel"
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
	// Rows of the most similar keys of each side, the drawn key not among them.
	// Empty where a side has none.
	In, Out []int32
}

// FillTop fills In and Out of every draw with the topK most similar keys of
// each side, the drawn key itself left out, reusing their memory. It panics if a
// draw names no key, shapes differ or topK is not positive.
func (w *Workspace) FillTop(draws []Draw, in, out *Keys, topK int) {
	if in.dim != out.dim || topK <= 0 {
		panic(fmt.Sprintf("attention: top keys among ID keys of dim %d and OOD keys of dim %d, top %d", in.dim, out.dim, topK))
	}
	unit := func(dst []float32, i int) { copy(dst, draws[i].own(in, out).unitRow(draws[i].Key)) }
	w.compare(len(draws), in, out, unit, func(i, side int, sims []float32) {
		d := &draws[i]
		exclude := -1
		if int(d.Side) == side {
			exclude = d.Key
		}
		list := &d.In
		if side == int(dictionary.OOD) {
			list = &d.Out
		}
		*list = TopK(*list, sims, topK, exclude)
	})
}

// own returns the keys of the side that the draw comes from.
func (d *Draw) own(in, out *Keys) *Keys {
	keys := in
	switch d.Side {
	case dictionary.ID:
	case dictionary.OOD:
		keys = out
	default:
		panic(fmt.Sprintf("attention: draw from side %v", d.Side))
	}
	if d.Key < 0 || d.Key >= keys.Len() {
		panic(fmt.Sprintf("attention: draw of key %d from %d keys of side %v", d.Key, keys.Len(), d.Side))
	}
	return keys
}

// Gradient is the gradient of the loss with respect to a head's matrices, in
// their layout.
type Gradient struct{ WQ, WK, WV []float32 }

// Gradient returns the paper's equation 10 over the draws,
//
//	L = − mean over ID draws of  log p_in + log(1 − p_out)
//	    − mean over OOD draws of log(1 − p_in) + log p_out
//
// with p = (1 + ATTN)/2 clipped to [ε, 1−ε], ε = 1e-6, and overwrites g with its
// gradient, which is zero through a clipped probability. A logarithm whose draw has
// no keys on that side (the dictionary is empty, or holds only the drawn key) is
// left out of its sum, and the mean still divides by all draws of the side; a side
// without draws adds 0. Only the keys that the draws use are projected, each once.
// Gradient panics if shapes differ, or a draw names a key that does not exist or lists
// itself.
func (h *Head) Gradient(w *Workspace, g *Gradient, draws []Draw, in, out *Keys) float64 {
	h.check(in, out)
	w.plan(draws, in, out)
	w.gather(h, nil, in, out)
	w.project(h.WQ, h.WK, h.WV)
	loss := w.loss(w.terms, w.refs)
	n := h.Dim * h.Width
	g.WQ, g.WK, g.WV = parallel.Grow(g.WQ, n), parallel.Grow(g.WK, n), parallel.Grow(g.WV, n)
	w.weights(g.WQ, g.WK, g.WV)
	return loss
}

// plan turns draws into terms on the keys of both sides, ID first.
func (w *Workspace) plan(draws []Draw, in, out *Keys) {
	w.begin(in, out)
	var count [2]int
	for i := range draws {
		draws[i].own(in, out)
		count[draws[i].Side]++
	}
	for _, d := range draws {
		drawn := int32(d.Key)
		if d.Side == dictionary.OOD {
			drawn += int32(in.Len())
		}
		w.addTerm(drawn, d.In, 0, in.Len(), d.Side == dictionary.ID, 1/float64(count[d.Side]))
		w.addTerm(drawn, d.Out, in.Len(), out.Len(), d.Side == dictionary.OOD, 1/float64(count[d.Side]))
	}
}

func (w *Workspace) addTerm(drawn int32, list []int32, offset, n int, high bool, scale float64) {
	if len(list) == 0 {
		return
	}
	w.use(drawn, asQuery)
	lo := len(w.refs)
	for _, i := range list {
		key := i + int32(offset)
		if i < 0 || int(i) >= n || key == drawn {
			panic(fmt.Sprintf("attention: a draw lists key %d of %d, want another key than the drawn one", i, n))
		}
		w.use(key, asKey)
		w.refs = append(w.refs, key)
	}
	w.terms = append(w.terms, term{query: drawn, lo: int32(lo), hi: int32(len(w.refs)), high: high, scale: scale})
}

// Trainer improves a head step by step. Its Adam states, for W_Q, W_K and W_V, are
// exported so that training can be stored and resumed.
type Trainer struct {
	Head *Head
	Adam [3]*adam.Adam

	work     Workspace
	gradient Gradient
}

// NewTrainer returns a trainer for the head with the given learning rate.
func NewTrainer(h *Head, lr float64) *Trainer {
	return &Trainer{Head: h, Adam: [3]*adam.Adam{adam.New(lr), adam.New(lr), adam.New(lr)}}
}

// Step takes one Adam step down the loss over the draws and returns the loss from
// before the step. Where that is NaN, as keys that are not finite make it, the head
// stays as it is. Once warm, a step allocates nothing. It panics where Gradient does.
func (t *Trainer) Step(draws []Draw, in, out *Keys) float64 {
	loss := t.Head.Gradient(&t.work, &t.gradient, draws, in, out)
	if math.IsNaN(loss) {
		return loss
	}
	t.Adam[0].Update(t.Head.WQ, t.gradient.WQ)
	t.Adam[1].Update(t.Head.WK, t.gradient.WK)
	t.Adam[2].Update(t.Head.WV, t.gradient.WV)
	return loss
}
