package qsar

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// ForestOptions are those of a random forest.
type ForestOptions struct {
	Trees  int
	Tried  int  // bits that each split may be by, drawn anew; Width for all
	Leaf   int  // the fewest molecules on a side of a split
	Sample bool // each tree is grown on as many molecules as there are, drawn with replacement
	Seed   uint64
}

// UsualForest are the usual settings: a third of the bits for numbers (Breiman, Machine
// Learning 45, 2001), the square root of their number for classes.
func UsualForest(t *Table, seed uint64) ForestOptions {
	tried := t.Width / 3
	if t.Classes {
		tried = int(math.Sqrt(float64(t.Width)))
	}
	return ForestOptions{Trees: 100, Tried: max(1, tried), Leaf: 1, Sample: true, Seed: seed}
}

// A Forest is the mean of trees.
type Forest struct{ trees []tree }

type tree []node

// A node is a leaf, or parts the molecules without a bit from those with it.
type node struct {
	bit           int32 // −1 of a leaf
	without, with int32 // nodes
	value         float64
}

const forestStream = 0xba1a_1024

// FitForest grows a forest. Splits leave the least squared error, which for two classes is
// Gini's impurity.
func FitForest(ctx context.Context, t *Table, o ForestOptions) (*Forest, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	f := new(Forest)
	for k := range o.Trees {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g := &grower{table: t, options: o, rng: rand.New(rand.NewPCG(o.Seed, forestStream+uint64(k))), counts: make([]float64, t.Width), sums: make([]float64, t.Width)}
		sample := make([]int, len(t.Rows))
		for i := range sample {
			sample[i] = i
			if o.Sample {
				sample[i] = g.rng.IntN(len(sample))
			}
		}
		g.grow(sample)
		f.trees = append(f.trees, g.tree)
	}
	return f, nil
}

// A grower grows a tree.
type grower struct {
	table        *Table
	options      ForestOptions
	rng          *rand.Rand
	tree         tree
	counts, sums []float64 // of the molecules of a node that have each bit
	bits         []int32   // that parts them
}

// grow adds the node of some molecules, and those below it.
func (g *grower) grow(sample []int) int32 {
	total := 0.0
	for _, i := range sample {
		total += g.table.Values[i]
	}
	n := float64(len(sample))
	place := int32(len(g.tree))
	g.tree = append(g.tree, node{bit: -1, value: total / n})
	bit := g.split(sample, total)
	if bit < 0 {
		return place
	}
	var without, with []int
	for _, i := range sample {
		if _, ok := slices.BinarySearch(g.table.Rows[i], bit); ok {
			with = append(with, i)
		} else {
			without = append(without, i)
		}
	}
	below, above := g.grow(without), g.grow(with)
	g.tree[place].bit, g.tree[place].without, g.tree[place].with = bit, below, above
	return place
}

// split returns the best bit to part molecules by, −1 for none.
func (g *grower) split(sample []int, total float64) int32 {
	pure := true
	for _, i := range sample {
		pure = pure && g.table.Values[i] == g.table.Values[sample[0]]
	}
	if pure || len(sample) < 2*g.options.Leaf {
		return -1
	}
	g.bits = g.bits[:0]
	for _, i := range sample {
		for _, bit := range g.table.Rows[i] {
			if g.counts[bit] == 0 {
				g.bits = append(g.bits, bit)
			}
			g.counts[bit]++
			g.sums[bit] += g.table.Values[i]
		}
	}
	n, leaf := float64(len(sample)), float64(g.options.Leaf)
	best, most := int32(-1), total*total/n*(1+1e-12) // better than no split, beyond rounding
	slices.Sort(g.bits)
	for _, bit := range g.drawn(n) {
		c, s := g.counts[bit], g.sums[bit]
		if c < leaf || n-c < leaf {
			continue
		}
		if gain := s*s/c + (total-s)*(total-s)/(n-c); gain > most {
			best, most = bit, gain
		}
	}
	for _, bit := range g.bits {
		g.counts[bit], g.sums[bit] = 0, 0
	}
	return best
}

// drawn returns the bits that a split may be by: those among Tried drawn of all bits that part
// the molecules, or if there is none, the one that would be drawn next. So does scikit-learn.
func (g *grower) drawn(n float64) []int32 {
	parting := make([]int32, 0, len(g.bits))
	for _, bit := range g.bits {
		if g.counts[bit] < n {
			parting = append(parting, bit)
		}
	}
	left, tried := g.table.Width, g.options.Tried
	if tried >= left || len(parting) == 0 {
		return parting
	}
	// Going through the parting bits, each is among the drawn with the chance that is left.
	var list []int32
	for _, bit := range parting {
		if g.rng.IntN(left) < tried {
			list = append(list, bit)
			tried--
		}
		left--
	}
	if list == nil {
		list = parting[g.rng.IntN(len(parting)):][:1]
	}
	return list
}

// Predict implements Model.
func (f *Forest) Predict(row []int32) Estimate {
	sum, squares := 0.0, 0.0
	for _, t := range f.trees {
		at := int32(0)
		for t[at].bit >= 0 {
			if _, ok := slices.BinarySearch(row, t[at].bit); ok {
				at = t[at].with
			} else {
				at = t[at].without
			}
		}
		sum += t[at].value
		squares += t[at].value * t[at].value
	}
	n := float64(len(f.trees))
	mean := sum / n
	return Estimate{mean, math.Sqrt(max(0, squares/n-mean*mean))}
}
