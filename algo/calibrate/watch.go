package calibrate

import (
	"baca/algo/attention"
	"baca/algo/dictionary"
	"baca/algo/graphon"
)

// A Stage is a part of the work on a batch.
type Stage string

// The stages, in order.
const (
	Encoding  Stage = "encode"    // of graphs, the holdout aside
	Parting   Stage = "part"      // of the batch by S_Pre
	Graphons  Stage = "graphons"  // one for each graph of both parts
	Mixing    Stage = "mixup"     // of synthetic graphs, both sides together
	Attending Stage = "attention" // steps of training
	Weighing  Stage = "ratio"     // the density ratio
	Judging   Stage = "finish"    // the holdout, p-values and verdicts
)

// A Watch follows the work on a batch, for those who want to see it. Nil functions
// are not called, and none of them changes a result. Calls come one at a time, from
// the goroutine that works on the batch.
type Watch struct {
	// Stage says that done of total pieces of a stage are done.
	Stage func(s Stage, done, total int)
	// Parted sees the indices of the two subgroups, and the size of the graphons
	// of each.
	Parted func(inside, outside []int, steps [2]int)
	// Step sees every Every-th step of the attention's training and the last one.
	// Each takes a scoring of the batch.
	Every int
	Step  func(Iteration)
}

// Stage reports a stage to w, which may be nil.
func (w *Watch) stage(s Stage, done, total int) {
	if w != nil && w.Stage != nil {
		w.Stage(s, done, total)
	}
}

func (w *Watch) parted(inside, outside []int, steps [2]int) {
	if w != nil && w.Parted != nil {
		w.Parted(inside, outside, steps)
	}
}

// wants tells whether step of so many, from 1, is to be seen.
func (w *Watch) wants(step, steps int) bool {
	return w != nil && w.Step != nil && w.Every > 0 && (step%w.Every == 0 || step == steps)
}

// Dictionary returns the dictionary of a side after the latest batch, to be read
// only and not after the next batch has begun. It is nil before the first one.
func (a *Attention) Dictionary(side dictionary.Side) *dictionary.Dictionary {
	return a.sides[side].dict
}

// Members returns the indices of the graphs of the latest batch that were taken for
// a side, and their graphons, which must not be changed.
func (a *Attention) Members(side dictionary.Side) ([]int, []*graphon.Graphon) {
	return a.sides[side].members, a.sides[side].graphons
}

// Explain says which keys make S_Attn of the graph with an embedding, a row of
// contrast.Representation.Q, in the state that the latest batch left; the rows of
// the keys are those of Dictionary. If the graph is of that batch, i is its index
// there, so that it does not meet itself, and else −1. Before the first batch the
// result is empty.
func (a *Attention) Explain(q []float32, i int) attention.Explanation {
	l := a.latest
	if l == nil {
		return attention.Explanation{}
	}
	own := [2]int32{-1, -1}
	if i >= 0 {
		own = l.own[i]
	}
	var w attention.Workspace
	return a.trainer.Head.Explain(&w, l.standard.Apply(q), own, l.look.in, l.look.out, l.look.topK)
}

// latest is what Explain needs of the latest batch.
type latest struct {
	standard *Standardizer
	own      [][2]int32
	look     *lookup
}
