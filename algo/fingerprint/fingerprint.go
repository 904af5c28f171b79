// Package fingerprint describes graphs by the rooted neighbourhoods that they hold,
// without any learning: every node gets a key for what surrounds it up to a number
// of steps (Weisfeiler–Lehman subtrees), and a graph is the set of its keys, with
// counts. On molecules these are circular fingerprints, much like ECFP but for bond
// orders, which the graphs do not carry. How similar a graph's print is to those of
// the training set is the chemists' applicability domain, the classical rival of a
// learned score.
//
// A key is a hash of a neighbourhood, so prints do not show structures. They can
// still tell whether a given molecule was among those they were made from: treat
// them as derived from the training set, not as anonymous.
package fingerprint

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"baca/algo/graph"
	"baca/algo/internal/parallel"
)

// DefaultHeight is the height of the subtrees that most uses want. On molecules it
// is the radius of ECFP4.
const DefaultHeight = 2

// MaxHeight bounds the height. Beyond it the keys of a molecule are nearly all
// unique.
const MaxHeight = 8

// A Print is the multiset of keys of one graph.
type Print struct {
	Keys   []uint32 // distinct, ascending
	Counts []uint32 // how often each occurs, at least 1
}

// New returns the print of g with subtrees of heights 0 to height, which must be
// within [0, MaxHeight]. A node starts with a key of its row of features and its
// degree; each further height hashes a node's key with the sorted keys of its
// neighbours. Isomorphic graphs with the same features have the same print, in any
// order of the nodes, on any machine. Neighbourhoods that differ have the same key by
// accident once in 2³² pairs. The time is O(height·m·log(degree)).
func New(g *graph.Graph, height int) Print {
	var p Print
	p.Describe(g, height)
	return p
}

// Describe makes p the print of g, as New does, in the memory of p where that is enough.
func (p *Print) Describe(g *graph.Graph, height int) {
	w := spare.Get().(*workspace)
	defer spare.Put(w)
	p.count(w, w.subtrees(g, height))
}

// count makes p the print of keys, which it sorts.
func (p *Print) count(w *workspace, keys []uint32) {
	w.sort(keys)
	// Which keys are equal to the one before nobody can predict, so that this does not branch:
	// the last of equal ones says where they end.
	w.ends = slices.Grow(w.ends[:0], len(keys)+1)[:len(keys)+1]
	ends, distinct, last := w.ends[1:], -1, uint32(0)
	if len(keys) > 0 {
		last = ^keys[0]
	}
	for i, k := range keys {
		if k != last {
			distinct++
		}
		keys[distinct], ends[distinct], last = k, uint32(i+1), k
	}
	distinct++
	if cap(p.Keys) < distinct || cap(p.Counts) < distinct {
		both := make([]uint32, 2*distinct)
		p.Keys, p.Counts = both[:0:distinct], both[distinct:distinct]
	}
	p.Keys, p.Counts = append(p.Keys[:0], keys[:distinct]...), p.Counts[:distinct]
	w.ends[0] = 0
	for k := range p.Counts {
		p.Counts[k] = w.ends[k+1] - w.ends[k]
	}
}

// From fewSorted to manySorted keys are put in order by their high bytes first. Keys are
// hashes, so that few have the same one. Texts that were made for many to have it cost no more
// than manySorted² steps.
const fewSorted, manySorted = 24, 1 << 10

// sort sorts keys.
func (w *workspace) sort(keys []uint32) {
	if len(keys) < fewSorted || len(keys) > manySorted {
		slices.Sort(keys)
		return
	}
	var ends [1 << 8]uint16 // where the keys of a high byte end
	for _, k := range keys {
		ends[k>>24]++
	}
	sum := uint16(0)
	for b, n := range ends {
		ends[b] = sum
		sum += n
	}
	w.sorted = slices.Grow(w.sorted[:0], len(keys))[:len(keys)]
	for _, k := range keys {
		w.sorted[ends[k>>24]] = k
		ends[k>>24]++
	}
	for i, k := range w.sorted {
		for ; i > 0 && keys[i-1] > k; i-- {
			keys[i] = keys[i-1]
		}
		keys[i] = k
	}
}

// subtrees returns the keys of all subtrees up to a height, in the order of Nodes, in
// memory that the next call uses again.
func (w *workspace) subtrees(g *graph.Graph, height int) []uint32 {
	if height < 0 || height > MaxHeight {
		panic(fmt.Sprintf("fingerprint: height %d, want 0 to %d", height, MaxHeight))
	}
	n := g.N()
	keys := slices.Grow(w.keys[:0], (height+1)*n)[:(height+1)*n]
	w.colors = slices.Grow(w.colors[:0], (height+1)*(n+1))[:(height+1)*(n+1)]
	for i, roots := 0, w.height(0, n); i < n; i++ {
		roots[i] = w.roots.root(g, i)
	}
	w.surround(g)
	for h := range height {
		w.grow(g, w.height(h, n), w.height(h+1, n))
	}
	for h := range height + 1 {
		for i, color := range w.height(h, n)[:n] {
			keys[h*n+i] = fold(color)
		}
	}
	w.keys = keys
	return keys
}

// height returns the hashes of the subtrees of height h of n nodes, and room for one more.
func (w *workspace) height(h, n int) []uint64 { return w.colors[h*(n+1) : (h+1)*(n+1)] }

// Nodes returns the keys that New counts, by the node that each belongs to: that of
// node i at height h is at h·n + i.
func Nodes(g *graph.Graph, height int) []uint32 {
	w := spare.Get().(*workspace)
	defer spare.Put(w)
	return slices.Clone(w.subtrees(g, height))
}

// Signature returns 128 bits that are the same for graphs with the same subtrees of MaxHeight,
// as often as each occurs, and for others by accident only. Features of the column skip
// count as 0; −1 skips none. It costs a fraction of a print: what is around a node is added
// up and not sorted, and only the last height is kept.
func Signature(g *graph.Graph, skip int) [2]uint64 {
	w := spare.Get().(*workspace)
	defer spare.Put(w)
	n := g.N()
	now, next := slices.Grow(w.now[:0], n+1)[:n+1], slices.Grow(w.next[:0], n+1)[:n+1]
	for i := range n {
		if skip < 0 || g.X[i*g.Features+skip] == 0 {
			now[i] = w.roots.root(g, i)
		} else {
			now[i] = root(g, i, skip)
		}
	}
	w.surround(g)
	for range MaxHeight {
		w.widen(g, now, next)
		now, next = next, now
	}
	var sum [2]uint64
	for _, h := range now[:n] {
		sum[0] += mix(seed, h)
		sum[1] += mix(^uint64(seed), h)
	}
	w.now, w.next = now, next
	return sum
}

// surround fills in the neighbours of each node, in four places, unless a node has more. Of n
// nodes, place n stands for those that a node has less. How many an atom has nobody can
// predict, so that what goes through all four and does not ask is faster.
func (w *workspace) surround(g *graph.Graph) {
	n, last := g.N(), len(g.Neighbors)-1
	w.four = slices.Grow(w.four[:0], n)[:0]
	if last < 0 {
		return
	}
	for i := range n {
		lo, hi := int(g.Offsets[i]), int(g.Offsets[i+1])
		if hi > lo+4 {
			w.four = w.four[:0]
			return
		}
		four := [4]int32{}
		for k := range four {
			four[k] = g.Neighbors[min(lo+k, last)]
			if lo+k >= hi {
				four[k] = int32(n)
			}
		}
		w.four = append(w.four, four)
	}
}

// root is the hash of a node at height 0. A feature of the column skip counts as 0.
func root(g *graph.Graph, i, skip int) uint64 {
	h := mix(seed, uint64(g.Degree(i)))
	for c, x := range g.X[i*g.Features : (i+1)*g.Features] {
		if c == skip || x == 0 {
			x = 0 // −0 is the same feature
		}
		h = mix(h, uint64(math.Float32bits(x)))
	}
	return h
}

// grow hashes subtrees one height up, from the hashes of all nodes and room for one more, after
// surround. What is around a node is sorted.
func (w *workspace) grow(g *graph.Graph, now, next []uint64) {
	if len(w.four) == 0 {
		for i := range g.N() {
			w.around = w.around[:0]
			for _, j := range g.Row(i) {
				w.around = append(w.around, now[j])
			}
			slices.Sort(w.around)
			h := mix(seed, now[i])
			for _, k := range w.around {
				h = mix(h, k)
			}
			next[i] = h
		}
		return
	}
	now[g.N()] = math.MaxUint64
	for i, four := range w.four {
		a, b, c, d := now[four[0]], now[four[1]], now[four[2]], now[four[3]]
		a, b = min(a, b), max(a, b)
		c, d = min(c, d), max(c, d)
		a, c = min(a, c), max(a, c)
		b, d = min(b, d), max(b, d)
		b, c = min(b, c), max(b, c)
		var with [5]uint64 // so many neighbours
		with[0] = mix(seed, now[i])
		with[1] = mix(with[0], a)
		with[2] = mix(with[1], b)
		with[3] = mix(with[2], c)
		with[4] = mix(with[3], d)
		next[i] = with[g.Degree(i)]
	}
}

// widen hashes subtrees one height up, from the hashes of all nodes and room for one more, after
// surround. It costs less than grow: what is around a node is added up and not sorted.
func (w *workspace) widen(g *graph.Graph, now, next []uint64) {
	if len(w.four) == 0 {
		for i := range g.N() {
			around := uint64(0)
			for _, j := range g.Row(i) {
				around += now[j]
			}
			next[i] = mix(now[i], around)
		}
		return
	}
	now[g.N()] = 0
	for i, four := range w.four {
		next[i] = mix(now[i], now[four[0]]+now[four[1]]+now[four[2]]+now[four[3]])
	}
}

// Hash returns a number that is the same for equal prints, and for others by accident only.
func (p Print) Hash() uint64 {
	h := uint64(seed)
	for i, k := range p.Keys {
		h = mix(h, uint64(k)<<32|uint64(p.Counts[i]))
	}
	return h
}

// Equal tells whether p and q are the same.
func (p Print) Equal(q Print) bool {
	return slices.Equal(p.Keys, q.Keys) && slices.Equal(p.Counts, q.Counts)
}

// All returns the prints of many graphs, each by New.
func All(ctx context.Context, workers int, gs []*graph.Graph, height int) ([]Print, error) {
	prints := make([]Print, len(gs))
	const piece = 64
	err := parallel.For(ctx, workers, (len(gs)+piece-1)/piece, func(_, k int) {
		for i := k * piece; i < min(len(gs), (k+1)*piece); i++ {
			prints[i] = New(gs[i], height)
		}
	})
	return prints, err
}

// spare keeps the memory of New from call to call.
var spare = sync.Pool{New: func() any { return new(workspace) }}

type workspace struct {
	keys, sorted      []uint32
	ends              []uint32   // of equal keys
	four              [][4]int32 // neighbours of each node, see surround
	nodes             []int32    // in the order of high bits of their hashes
	colors            []uint64   // the hashes of all subtrees, by height and node, see height
	now, next, around []uint64   // of Signature, and around a node
	ties, others      [][2]int32 // places in an order of nodes that are not told apart
	roots             memo
}

// A memo has hashes of nodes at height 0. Most nodes of molecules are like some that were met
// before, and to compare their features is faster than to hash them.
type memo struct {
	features int
	known    [1 << 8]struct {
		hash   uint64 // 0 where there is none
		degree int32
		row    [memoFeatures]uint32 // the bits of the features
	}
}

// spread is 2³² divided by the golden ratio.
const spread = 0x9e37_79b1

// memoFeatures is how many features nodes of a memo have at most: those of molecules.
const memoFeatures = 9

// root is root, which it remembers.
func (m *memo) root(g *graph.Graph, i int) uint64 {
	f := g.Features
	if f > memoFeatures {
		return root(g, i, -1)
	}
	if f != m.features {
		*m = memo{features: f}
	}
	degree := int32(g.Degree(i))
	at, row := uint32(degree), [memoFeatures]uint32{}
	for c, x := range g.X[i*f : (i+1)*f] {
		row[c] = math.Float32bits(x)
		at += bits.RotateLeft32(row[c], 3*c)
	}
	k := &m.known[at*spread>>24]
	differ := k.degree ^ degree
	for c, x := range row {
		differ |= int32(x ^ k.row[c])
	}
	if differ == 0 && k.hash != 0 {
		return k.hash
	}
	k.hash, k.degree, k.row = root(g, i, -1), degree, row
	return k.hash
}

// seed begins every hash.
const seed = 0xba1a_0f10_9e37_79b9

// mix adds a word to a hash: the step of wyhash, a full product of 64 by 64 bits,
// with the finalizer of splitmix64 so that low bits depend on all of the word.
func mix(h, word uint64) uint64 {
	high, low := bits.Mul64(h^0xa076_1d64_78bd_642f, word^0xe703_7ed1_a0b4_28db)
	z := high ^ low ^ bits.RotateLeft64(h, 23)
	z = (z ^ z>>30) * 0xbf58_476d_1ce4_e5b9
	z = (z ^ z>>27) * 0x94d0_49bb_1331_11eb
	return z ^ z>>31
}

func fold(h uint64) uint32 { return uint32(h ^ h>>32) }

// A Measure says how alike two prints are, from 0 for prints without a common key to
// 1 for equal ones. Two empty prints are alike.
type Measure int

const (
	// Sets is the Tanimoto similarity |a ∩ b| / |a ∪ b| of the keys, counts aside.
	Sets Measure = iota
	// Counts is the same of multisets: Σ min(a, b) / Σ max(a, b) over all keys.
	Counts
)

// count is what a key that occurs n times counts.
func (m Measure) count(n uint32) int {
	if m == Counts {
		return int(n)
	}
	return 1
}

// size is what all keys of a print count.
func (m Measure) size(p Print) int {
	sum := 0
	for _, n := range p.Counts {
		sum += m.count(n)
	}
	return sum
}

// Tanimoto is the similarity of two sets with so many members, alone and in common: 1 for two
// empty ones.
func Tanimoto(common, a, b int) float64 {
	if a+b == 0 {
		return 1
	}
	return float64(common) / float64(a+b-common)
}
