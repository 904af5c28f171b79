package ratio

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

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

// value returns the value of the leaf that a row falls into.
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

// score returns the mean value of the trees.
func (f forest) score(row []float32) float64 {
	sum := 0.0
	for _, t := range f {
		sum += t.value(row)
	}
	return sum / float64(len(f))
}

// growForests grows the trees, and returns for each fold a forest of those that have not seen it.
func growForests(ctx context.Context, workers int, s *samples) ([]head, error) {
	columns := s.columns()
	unseen := func(tree, fold int) bool { return (tree+fold)%s.folds < unseenFolds }
	all := make(forest, trees)
	err := parallel.For(ctx, workers, trees, func(_, k int) {
		g := &grower{
			columns: columns, rng: rand.New(rand.NewPCG(uint64(k), 0)),
			order: make([]int32, s.dim), values: make([]float32, 0, len(s.fold)), rows: newRowSet(s.bank, len(s.fold)),
		}
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
	columns []column
	rng     *rand.Rand
	order   []int32   // columns, to draw from
	values  []float32 // of a column, for all rows of a node
	rows    rowSet    // of a node of many rows
	// bank and batch are weights of a row that give both the same total.
	bank, batch float64
	tree        tree
}

// grow returns the tree of some rows of bank and batch, which it reorders.
func (g *grower) grow(bank, batch []int32) tree {
	g.bank, g.batch = 1/float64(max(1, len(bank))), 1/float64(max(1, len(batch)))
	g.tree = tree{{}}
	g.split(0, bank, batch)
	return g.tree
}

// split makes the node at a place of g.tree, and its subtrees, from the rows that reach it.
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
	x := g.columns[column].values
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
	many := len(bank)+len(batch) >= manyRows // enough for bits to be faster than values
	if many {
		g.rows.set(bank, batch)
	}
	// Between the square root, as is usual, and all: many columns count subtrees that few
	// graphs have.
	tries := int(math.Ceil(math.Pow(float64(len(g.order)), 0.75)))
	gain := math.Inf(-1)
	for k := 0; k < len(g.order) && tries > 0; k++ {
		r := k + g.rng.IntN(len(g.order)-k) // columns before k are drawn
		g.order[k], g.order[r] = g.order[r], g.order[k]
		c := &g.columns[g.order[k]]
		var low, high float32
		byBits := many && len(c.levels) > 0
		if byBits {
			low, high = c.extremes(g.rows)
		} else {
			low, high = g.take(c.values, bank, batch)
		}
		if low == high {
			continue
		}
		tries--
		cut := low + float32((high-low)*g.rng.Float32())
		if cut >= high {
			cut = low
		}
		var m, n int // rows of bank and batch up to the cut
		if byBits {
			m, n = c.count(g.rows, cut)
		} else {
			m, n = upTo(g.values[:len(bank)], cut), upTo(g.values[len(bank):], cut)
		}
		if m+n < leafRows || len(bank)+len(batch)-m-n < leafRows {
			continue
		}
		if p := g.purity(m, n) + g.purity(len(bank)-m, len(batch)-n); p > gain {
			gain, column, threshold = p, g.order[k], cut
		}
	}
	return column, threshold
}

// take sets g.values to the values x of a node's rows, and returns the least and the largest.
func (g *grower) take(x []float32, bank, batch []int32) (low, high float32) {
	low, high = x[bank[0]], x[bank[0]]
	values := g.values[:len(bank)+len(batch)]
	for k, i := range bank {
		values[k] = x[i]
	}
	for k, i := range batch {
		values[len(bank)+k] = x[i]
	}
	for _, v := range values {
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
	}
	g.values = values
	return low, high
}

// upTo counts the values up to a threshold.
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

// A node of manyRows rows or more looks at columns of at most fewLevels values, such as counts, by
// the bits of its rows.
const manyRows, fewLevels = 96, 24

// A rowSet has a bit for each row. Those of the batch begin with a word of their own.
type rowSet struct {
	bits  []uint64
	bank  int // rows of the bank
	batch int // the first word of the batch
}

// newRowSet returns an empty set for so many rows, of which the first are the bank's.
func newRowSet(bank, rows int) rowSet {
	first := (bank + 63) / 64
	return rowSet{make([]uint64, first+(rows-bank+63)/64), bank, first}
}

// add adds a row.
func (s rowSet) add(row int) {
	if row >= s.bank { // bits of the batch begin with its first word
		row += 64*s.batch - s.bank
	}
	s.bits[row/64] |= 1 << (row % 64)
}

// set replaces the rows of s by the given ones.
func (s rowSet) set(bank, batch []int32) {
	clear(s.bits)
	for _, i := range bank {
		s.add(int(i))
	}
	for _, i := range batch {
		s.add(int(i))
	}
}

// A column is what is known of all rows.
type column struct {
	values []float32
	levels []float32 // that occur, ascending, unless they are many
	at     []rowSet  // the rows of each level
}

// columns returns the columns of the rows, with levels for those of few values.
func (s *samples) columns() []column {
	columns := make([]column, s.dim)
	for c := range columns {
		values := make([]float32, len(s.fold))
		for i := range values {
			values[i] = s.rows[i*s.dim+c]
		}
		columns[c].values = values
		levels := slices.Compact(slices.Sorted(slices.Values(values)))
		if len(levels) > fewLevels {
			continue
		}
		columns[c].levels = levels
		for range levels {
			columns[c].at = append(columns[c].at, newRowSet(s.bank, len(values)))
		}
		for i, v := range values {
			k, _ := slices.BinarySearch(levels, v)
			columns[c].at[k].add(i)
		}
	}
	return columns
}

// extremes returns the least and the largest value of some rows, of which there must be one.
func (c *column) extremes(rows rowSet) (low, high float32) {
	first, last := 0, len(c.levels)-1
	for !rows.meets(c.at[first]) {
		first++
	}
	for !rows.meets(c.at[last]) {
		last--
	}
	return c.levels[first], c.levels[last]
}

// meets reports whether the sets have a row in common.
func (s rowSet) meets(other rowSet) bool {
	for k, w := range other.bits[:len(s.bits)] {
		if s.bits[k]&w != 0 {
			return true
		}
	}
	return false
}

// count returns how many of some rows have a value up to a threshold.
func (c *column) count(rows rowSet, threshold float32) (bank, batch int) {
	for k, level := range c.levels {
		if level > threshold {
			break
		}
		for w, b := range c.at[k].bits[:len(rows.bits)] {
			n := bits.OnesCount64(b & rows.bits[w])
			if w < rows.batch {
				bank += n
			} else {
				batch += n
			}
		}
	}
	return bank, batch
}
