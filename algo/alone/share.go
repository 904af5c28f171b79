package alone

import (
	"context"
	"fmt"
	"slices"

	"baca/algo/alone/internal/group"
	"baca/algo/background"
	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/model"
	"baca/algo/near"
)

// DefaultShare is the default k of Share. With 5, scores reveal more of the training set
// (build/tools/sets, TestMembership) and AUROC is 1.4 points higher.
const DefaultShare = 20

// Share returns a model for publication: apart from the weights, nothing in it depends on fewer
// than k graphs.
//
//   - A row of the bank is the mean embedding of 2k or more similar, different graphs, with
//     the subtrees that k of them have, as often as k of them have them.
//   - The scores of the holdout, as plain numbers, replace its graphs.
//   - Structures, the SHA-256 and names of files, and holdout rows are left out, and so are
//     quantiles, feature values and background weights that fewer than k graphs support.
//
// It scores single graphs only: a batch needs embeddings of held-out graphs. The weights are those
// that were fitted to the training graphs. Share fails if the bank has fewer than 2k different
// graphs.
func Share(ctx context.Context, workers int, m *model.Model, k int) (*model.Model, error) {
	if k < 2 {
		return nil, fmt.Errorf("groups of %d graphs: want 2 or more", k)
	}
	if m.Shared > 0 {
		return nil, fmt.Errorf("model %s is already made for sharing, of groups of %d", m.Card.Name, m.Shared)
	}
	groups := group.Of(m.Bank, 2*k)
	if len(groups) == 0 {
		return nil, fmt.Errorf("the bank of model %s has too few different graphs for groups of %d", m.Card.Name, 2*k)
	}
	s := &model.Model{Card: m.Card, Encoder: m.Encoder, Shared: k, Holdout: m.Holdout.Select(nil)}
	s.Card.HoldoutRows, s.Card.Repeats, s.Card.DatasetSHA256 = nil, nil, ""
	s.Card.ForgetFiles()
	var q []float32
	var nodes []float64
	var prints []fingerprint.Print
	for _, members := range groups {
		mean, node, print := group.Mean(m.Bank, members, k)
		q, nodes, prints = append(q, mean...), append(nodes, node), append(prints, print)
	}
	var err error
	if s.Bank, err = contrast.Restore(m.Encoder, q, nodes, prints); err != nil {
		return nil, err
	}
	s.Subtrees = fingerprint.NewIndex(prints)
	if m.Profile != nil {
		s.Profile = m.Profile.Share(m.Card.Train, k)
	}
	if m.Background != nil {
		s.Background, s.Sizes = sharedBackground(m, k)
	}
	return s, Refer(ctx, workers, s, m)
}

// sharedBackground returns the background head without what fewer than k graphs of the bank decide:
//
//   - the weights of buckets that 1 to k−1 of them hold become 0,
//   - the smallest and the largest size become those of the k-th graph from either end.
func sharedBackground(m *model.Model, k int) (*background.Head, *background.Sizes) {
	holders := make([]int, background.Buckets)
	last := make([]int, background.Buckets) // the graph counted last, from 1
	sizes := make([]int, m.Bank.Len())
	for i, p := range m.Bank.Prints {
		sizes[i] = max(1, p.Nodes())
		for t, key := range p.Keys {
			for c := range min(p.Counts[t], background.Most) {
				if b := background.Bucket(key, c); last[b] != i+1 {
					last[b] = i + 1
					holders[b]++
				}
			}
		}
	}
	h := *m.Background
	for f, w := range h.Weights {
		h.Weights[f] = slices.Clone(w)
		for b, n := range holders {
			if n > 0 && n < k {
				h.Weights[f][b] = 0
			}
		}
	}
	slices.Sort(sizes)
	return &h, m.Sizes.Between(sizes[min(k, len(sizes))-1], sizes[len(sizes)-min(k, len(sizes))])
}

// Refer sets m.Reference of a shared model: the scores that m gives the holdout of from, the model it was made of,
// ascending. A file rounds m's bank and so changes them: call Refer again for a model that was read back from a file.
func Refer(ctx context.Context, workers int, m, from *model.Model) error {
	bank, err := near.NewBank(ctx, workers, m.Bank, m.Subtrees, nil)
	if err != nil {
		return err
	}
	single := &Scorer{model: m, near: bank}
	answers, _, err := single.answers(ctx, workers, from.Holdout.Outline(), model.LookupOf(from.HoldoutTraits))
	if err != nil {
		return err
	}
	m.Reference = ScoresOf(answers)
	for i, x := range m.Reference {
		m.Reference[i] = float64(float32(x)) // the file's precision
	}
	slices.Sort(m.Reference)
	return nil
}
