package ratio

import (
	"context"
	"math"
	"math/rand/v2"

	"baca/algo/internal/parallel"
)

// A forest is a head of extremely randomised trees (Geurts, Ernst and Wehenkel, Machine Learning
// 63, 2006). It finds interactions and ranges that no plane separates.
type forest []tree

// A tree is its nodes, the root first.
type tree []node

// A node sends rows above threshold in a column to the right. A leaf has column −1.
type node struct {
	column    int32
	left      int32 // the right one follows it
	threshold float32
	value     float32 // of a leaf: the share of the batch at equal total weights
}

const (
	trees = 100
	// unseenFolds of the folds are left out of each tree, so each graph is unseen by that share of
	// trees.
	unseenFolds = 3
	// leafRows is the least number of rows on a side of a split.
	leafRows = 2
)

func (t tree) value(row []float32) float64 {
	n := &t[0]
	for n.column >= 0 {
		at := n.left
		if row[n.column] > n.threshold {
			at++
		}
		n = &t[at]
	}
	return float64(n.value)
}

func (f forest) score(row []float32) float64 {
	sum := 0.0
	for _, t := range f {
		sum += t.value(row)
	}
	return sum / float64(len(f))
}

// growForests grows the trees, and returns for each fold those that have not seen it.
func growForests(ctx context.Context, workers int, s *samples) ([]head, error) {
	columns := make([][]float32, s.dim)
	for c := range columns {
		columns[c] = make([]float32, len(s.fold))
		for i := range s.fold {
			columns[c][i] = s.rows[i*s.dim+c]
		}
	}
	unseen := func(tree, fold int) bool { return (tree+fold)%s.folds < unseenFolds }
	all := make(forest, trees)
	err := parallel.For(ctx, workers, trees, func(_, k int) {
		g := &grower{columns: columns, rng: rand.New(rand.NewPCG(uint64(k), 0)), order: make([]int32, s.dim), values: make([]float32, 0, len(s.fold))}
		for c := range g.order {
			g.order[c] = int32(c)
		}
		all[k] = g.grow(s.outside(func(fold int) bool { return unseen(k, fold) }))
	})
	heads := make([]head, s.folds)
	for fold := range heads {
		var f forest
		for k, t := range all {
			if unseen(k, fold) {
				f = append(f, t)
			}
		}
		heads[fold] = f
	}
	return heads, err
}

type grower struct {
	columns [][]float32 // of all rows
	rng     *rand.Rand
	order   []int32   // columns, to draw from
	values  []float32 // of a column, for all rows of a node
	// bank and batch are weights of a row that give both the same total.
	bank, batch float64
	tree        tree
}

// grow grows the tree of some rows, which it reorders.
func (g *grower) grow(bank, batch []int32) tree {
	g.bank, g.batch = 1/float64(max(1, len(bank))), 1/float64(max(1, len(batch)))
	g.tree = tree{{}}
	g.split(0, bank, batch)
	return g.tree
}

// split makes the node at a place and its subtrees.
func (g *grower) split(at int, bank, batch []int32) {
	column, threshold := g.best(bank, batch)
	if column < 0 {
		a, b := g.bank*float64(len(bank)), g.batch*float64(len(batch))
		g.tree[at] = node{column: -1, value: 0.5}
		if a+b > 0 {
			g.tree[at].value = float32(b / (a + b))
		}
		return
	}
	left := len(g.tree)
	g.tree[at] = node{column: column, left: int32(left), threshold: threshold}
	g.tree = append(g.tree, node{}, node{})
	x := g.columns[column]
	m, n := part(x, bank, threshold), part(x, batch, threshold)
	g.split(left, bank[:m], batch[:n])
	g.split(left+1, bank[m:], batch[n:])
}

// part moves the rows up to a threshold to the front and counts them.
func part(x []float32, rows []int32, threshold float32) int {
	n := 0
	for k, i := range rows {
		if x[i] <= threshold {
			rows[k], rows[n] = rows[n], i
			n++
		}
	}
	return n
}

// best draws columns that differ among the rows and a threshold for each, and returns the one that
// separates bank from batch best, or column −1. Only counts matter, not the order of rows.
func (g *grower) best(bank, batch []int32) (column int32, threshold float32) {
	column = -1
	if len(bank) == 0 || len(batch) == 0 || len(bank)+len(batch) < 2*leafRows {
		return column, 0
	}
	// Between the square root, as is usual, and all: many columns count subtrees that few
	// graphs have.
	tries := int(math.Ceil(math.Pow(float64(len(g.order)), 0.75)))
	gain := math.Inf(-1)
	for k := 0; k < len(g.order) && tries > 0; k++ {
		r := k + g.rng.IntN(len(g.order)-k)
		g.order[k], g.order[r] = g.order[r], g.order[k]
		values := g.values[:0]
		x := g.columns[g.order[k]]
		low, high := x[bank[0]], x[bank[0]]
		for _, rows := range [][]int32{bank, batch} {
			for _, i := range rows {
				v := x[i]
				values = append(values, v)
				if v < low {
					low = v
				}
				if v > high {
					high = v
				}
			}
		}
		if low == high {
			continue
		}
		tries--
		cut := low + float32((high-low)*g.rng.Float32())
		if cut >= high {
			cut = low
		}
		m, n := upTo(values[:len(bank)], cut), upTo(values[len(bank):], cut)
		if m+n < leafRows || len(values)-m-n < leafRows {
			continue
		}
		if p := g.purity(m, n) + g.purity(len(bank)-m, len(batch)-n); p > gain {
			gain, column, threshold = p, g.order[k], cut
		}
	}
	return column, threshold
}

func upTo(values []float32, threshold float32) int {
	n := 0
	for _, v := range values {
		if v <= threshold {
			n++
		}
	}
	return n
}

// purity is the term of a side in Gini's criterion, larger the less it is mixed.
func (g *grower) purity(bank, batch int) float64 {
	a, b := g.bank*float64(bank), g.batch*float64(batch)
	return (float64(a*a) + float64(b*b)) / (a + b)
}
