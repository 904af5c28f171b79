package attention

import (
	"context"
	"math/rand/v2"
	"slices"

	"baca/algo/dictionary"
	"baca/algo/graphon"
)

// CrossFit calibrates the latest batch again without each fold of its graphs in turn, and returns a scorer for each fold.
// The scorer of a fold has not learned from the fold's graphs, so it treats them like graphs from outside the batch.
// fold gives the fold of each graph, from 0 to folds−1. Partition and graphons are those of the whole batch. The
// attention continues from its present weights, for Options.FoldSteps.
func (c *Calibrator) CrossFit(ctx context.Context, b *Batch, fold []int, folds int) ([]Scorer, error) {
	rest := *b
	rest.Watch = nil
	list := make([]Scorer, folds)
	for k := range list {
		b.Watch.Report(Judging, k, folds)
		f := c.without(fold, k)
		steps := c.options.FoldSteps
		if slices.ContainsFunc(f.sides[:], func(s *side) bool { return len(s.members) == 0 }) {
			steps = 0 // no members to draw synthetic graphs from
		}
		if err := f.fit(ctx, &rest, steps, nil); err != nil {
			return nil, err
		}
		list[k] = f.latest.scorer(f.trainer.Head)
	}
	return list, nil
}

// foldStream separates the random numbers of folds from those of a Calibrator.
const foldStream = 0xba1a_0003

// without returns a copy of the calibrator whose sides lack the members in fold k and whose queues are empty.
func (c *Calibrator) without(fold []int, k int) *Calibrator {
	f := &Calibrator{
		options: c.options, rng: rand.New(rand.NewPCG(uint64(k), foldStream)),
		sides:   [2]*side{newSide(dictionary.ID, c.options.Capacity), newSide(dictionary.OOD, c.options.Capacity)},
		trainer: NewTrainer(c.trainer.Head.clone(), c.options.LearningRate),
		latest:  &state{standard: c.latest.standard, bank: c.latest.bank, ranked: c.latest.ranked, test: c.latest.test},
	}
	for i, s := range c.sides {
		to := f.sides[i]
		to.steps, to.graphons = s.steps, []*graphon.Graphon{} // not nil, so they are not estimated again
		for j, member := range s.members {
			if fold[member] != k {
				to.members, to.graphons = append(to.members, member), append(to.graphons, s.graphons[j])
			}
		}
	}
	return f
}

// clone copies a head.
func (h *Head) clone() *Head {
	c := *h
	for k, w := range h.W {
		c.W[k] = slices.Clone(w)
	}
	return &c
}
