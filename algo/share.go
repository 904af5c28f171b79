package algo

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo/background"
	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/near"
)

// DefaultShare is the k of Share that most uses want: with 5 scores tell more of what a model was
// trained on (build/tools/sets, TestMembership), and single graphs are told 1.4 points of AUROC better.
const DefaultShare = 20

// Share returns a model of the same encoder that can be handed out where m cannot:
// nothing in it beside the weights is of fewer than k graphs.
//
//   - A row of the bank is the mean of the embeddings of 2k or more graphs that differ,
//     grouped so that similar ones are together. Of their subtrees only those are left
//     that k of them have, as often as k of them have it.
//   - The holdout is left out. In its place are the scores that its graphs get alone,
//     as plain numbers, so that there still are p-values.
//   - Structures, hashes of training graphs, the SHA-256 of the training file, names of files and the rows of
//     the holdout are left out, and so are quantiles with fewer than k graphs beyond them,
//     values of features that fewer than k graphs have, and weights of the background
//     for subtrees that fewer than k graphs of the bank hold.
//
// It scores every graph alone: a batch cannot be calibrated without embeddings of
// held-out graphs. The weights were fitted to the training graphs and are handed out
// as they are. It is an error if the bank has fewer than 2k graphs that differ.
func (m *Model) Share(ctx context.Context, workers, k int) (*Model, error) {
	if k < 2 {
		return nil, fmt.Errorf("groups of %d graphs: want 2 or more", k)
	}
	if m.Shared > 0 {
		return nil, fmt.Errorf("model %s is already made for sharing, of groups of %d", m.Card.Name, m.Shared)
	}
	groups := m.groups(2 * k)
	if len(groups) == 0 {
		return nil, fmt.Errorf("the bank of model %s has too few different graphs for groups of %d", m.Card.Name, 2*k)
	}
	s := &Model{Card: m.Card, Encoder: m.Encoder, Shared: k, Holdout: m.Holdout.Select(nil)}
	s.Card.HoldoutRows, s.Card.Repeats, s.Card.DatasetSHA256 = nil, nil, ""
	s.Card.forgetFiles()
	var q []float32
	var nodes []float64
	var prints []fingerprint.Print
	for _, members := range groups {
		q = append(q, meanRow(m.Bank, members)...)
		nodes = append(nodes, meanNodeScore(m.Bank, members))
		prints = append(prints, common(m.Bank.Prints, members, k))
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
		s.Background, s.Sizes = m.sharedBackground(k)
	}
	return s, s.Refer(ctx, workers, m)
}

// forgetFiles takes the names of files out of the card, which say whose they are or what for.
func (c *Card) forgetFiles() {
	const file = "a file"
	if c.Dataset != "" {
		c.Description = strings.ReplaceAll(c.Description, c.Dataset, file)
		c.Dataset = ""
	}
	if c.Background != "" && c.Background != BuiltInBackground {
		c.Background = file
	}
	if c.Holdout != "" {
		c.Holdout = file
	}
}

// sharedBackground returns what a model knows of its background without what less than k
// graphs of the bank decide: weights of buckets that 1 to k−1 of them hold are 0, and the
// smallest and the largest size are those of the k-th graph.
func (m *Model) sharedBackground(k int) (*background.Head, *Sizes) {
	holders := make([]int, background.Buckets)
	last := make([]int, background.Buckets) // graph that was counted last, from 1
	sizes := make([]int, m.Bank.Len())
	for i, p := range m.Bank.Prints {
		sizes[i] = max(1, nodes(p))
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
	return &h, m.Sizes.between(sizes[min(k, len(sizes))-1], sizes[len(sizes)-min(k, len(sizes))])
}

// Refer sets Reference to the scores of the holdout of the model that m was made from by
// Share. A file rounds the bank, so these are to be taken anew with the bank that was read
// back.
func (m *Model) Refer(ctx context.Context, workers int, from *Model) error {
	bank, err := near.NewBank(ctx, workers, m.Bank, m.Subtrees, nil)
	if err != nil {
		return err
	}
	traits := slices.Clone(from.HoldoutTraits)
	for i := range traits {
		traits[i].Known = false // m has no hashes to know a training graph by
	}
	single := &SingleScorer{model: m, near: bank}
	answers, _, err := single.answers(ctx, workers, from.Holdout.Outline(), traitsOf(traits))
	if err != nil {
		return err
	}
	m.Reference = scoresOf(answers)
	for i, x := range m.Reference {
		m.Reference[i] = float64(float32(x)) // as a file keeps them
	}
	slices.Sort(m.Reference)
	return nil
}

// groups parts the rows of the bank into groups of at least so many that differ, none
// if there are fewer. It is the fixed-size microaggregation MDAV: the row farthest
// from the middle of what is left takes its nearest, until what is left is one group.
func (m *Model) groups(size int) [][]int {
	dim := m.Bank.Dim()
	standard := near.NewStandardizer(m.Bank.Q, dim)
	rows := standard.Apply(m.Bank.Q)
	row := func(i int) []float32 { return rows[i*dim : (i+1)*dim] }
	// Equal graphs count once: a group of copies would be one graph.
	var left []int
	seen := map[string]bool{}
	for i := range m.Bank.Len() {
		key := fmt.Sprint(m.Bank.Q[i*dim:(i+1)*dim], m.Bank.Prints[i])
		if !seen[key] {
			seen[key] = true
			left = append(left, i)
		}
	}
	var groups [][]int
	for len(left) >= 2*size {
		middle := make([]float32, dim)
		for _, i := range left {
			for t, x := range row(i) {
				middle[t] += x / float32(len(left))
			}
		}
		far, most := left[0], -1.0
		for _, i := range left {
			if d := near.SquaredDistance(row(i), middle); d > most {
				far, most = i, d
			}
		}
		away := make(map[int]float64, len(left))
		for _, i := range left {
			away[i] = near.SquaredDistance(row(i), row(far))
		}
		slices.SortStableFunc(left, func(a, b int) int { return cmp.Or(cmp.Compare(away[a], away[b]), cmp.Compare(a, b)) })
		groups = append(groups, slices.Clone(left[:size]))
		left = left[size:]
	}
	if len(left) >= size {
		groups = append(groups, left)
	}
	return groups
}

func meanRow(r *contrast.Representation, members []int) []float32 {
	mean := make([]float32, r.Dim())
	for t := range mean {
		sum := 0.0
		for _, i := range members {
			sum += float64(r.Q[i*r.Dim()+t])
		}
		mean[t] = float32(sum / float64(len(members)))
	}
	return mean
}

// meanNodeScore leaves out those that are not defined.
func meanNodeScore(r *contrast.Representation, members []int) float64 {
	sum, n := 0.0, 0.0
	for _, i := range members {
		if x := r.NodeScore[i]; !math.IsNaN(x) {
			sum, n = sum+x, n+1
		}
	}
	return sum / n
}

// common returns the keys that at least k of the prints have, as often as at least k
// of them do.
func common(prints []fingerprint.Print, members []int, k int) fingerprint.Print {
	counts := map[uint32][]uint32{}
	for _, i := range members {
		for t, key := range prints[i].Keys {
			counts[key] = append(counts[key], prints[i].Counts[t])
		}
	}
	var p fingerprint.Print
	for key, n := range counts {
		if len(n) >= k {
			p.Keys = append(p.Keys, key)
		}
	}
	slices.Sort(p.Keys)
	for _, key := range p.Keys {
		n := counts[key]
		slices.Sort(n)
		p.Counts = append(p.Counts, n[len(n)-k])
	}
	return p
}
