// Package fingerprint describes graphs by rooted neighbourhoods, without learning. Every node gets a key for its
// surroundings up to each number of steps (Weisfeiler–Lehman subtrees), and a graph is the multiset of its keys.
// On molecules these are circular fingerprints, like ECFP without bond orders, which graphs lack. The similarity of
// prints to those of the training set is the chemists' applicability domain, the classical rival of a learned score.
//
// A key is a hash of a neighbourhood, so prints do not show structures. They can still tell whether a given molecule
// was among those they were made from: treat them as derived from the training set, not as anonymous.
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

// DefaultHeight is the usual height of subtrees. On molecules it is the radius of ECFP4.
const DefaultHeight = 2

// MaxHeight bounds the height. Above it nearly all keys of a molecule are unique.
const MaxHeight = 8

// A Print is the multiset of keys of one graph.
type Print struct {
	Keys   []uint32 // distinct, ascending
	Counts []uint32 // how often each occurs, at least 1
}

// New returns the print of g with subtrees of heights 0 to height, at most MaxHeight. At height 0 a key hashes a node's
// features and degree. Each further height hashes a node's key with the sorted keys of its neighbours. Isomorphic
// graphs with the same features have the same print, in any order of the nodes, on any machine. Two different
// neighbourhoods share a key by accident once in 2³² pairs. The time is O(height·m·log(degree)).
func New(g *graph.Graph, height int) Print {
	var p Print
	p.Describe(g, height)
	return p
}

// Describe sets p to the print of g, as New does. It reuses the memory of p.
func (p *Print) Describe(g *graph.Graph, height int) {
	w := spare.Get().(*workspace)
	defer spare.Put(w)
	p.count(w, w.subtrees(g, height))
}

// count sets p to the print of a list of keys. It sorts the list.
func (p *Print) count(w *workspace, keys []uint32) {
	w.sort(keys)
	// Which keys equal the previous one is unpredictable, so this does not branch: the last of
	// equal keys sets where they end.
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

// Lists of fewSorted to manySorted keys are sorted by their high bytes first. Keys are hashes, so few
// share a high byte. Input built to make many share it costs at most manySorted² steps.
const fewSorted, manySorted = 24, 1 << 10

// sort sorts keys, ascending. Between fewSorted and manySorted keys it is faster than package slices: it distributes
// them by their highest byte and then inserts each.
func (w *workspace) sort(keys []uint32) {
	if len(keys) < fewSorted || len(keys) > manySorted {
		slices.Sort(keys)
		return
	}
	var ends [1 << 8]uint16 // where the keys of a high byte end
	for _, k := range keys {
		ends[k>>24]++
	}
	accumulate(ends[:])
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

// accumulate replaces each number by the sum of the numbers before it. Sizes of parts become the places where the parts
// begin.
func accumulate[T uint16 | int32 | uint32](sizes []T) {
	sum := T(0)
	for k, n := range sizes {
		sizes[k] = sum
		sum += n
	}
}

// subtrees returns the keys of all subtrees up to a height, in the order of Nodes, in memory that the next call reuses.
func (w *workspace) subtrees(g *graph.Graph, height int) []uint32 {
	if height < 0 || height > MaxHeight {
		panic(fmt.Sprintf("fingerprint: height %d, want 0 to %d", height, MaxHeight))
	}
	n := g.N()
	keys := slices.Grow(w.keys[:0], (height+1)*n)[:(height+1)*n]
	w.colors = slices.Grow(w.colors[:0], (height+1)*n)[:(height+1)*n]
	for i, roots := 0, w.height(0, n); i < n; i++ {
		roots[i] = w.roots.root(g, i)
	}
	w.surround(g)
	for h := range height {
		w.grow(g, w.height(h, n), w.height(h+1, n))
	}
	for h := range height + 1 {
		for i, color := range w.height(h, n) {
			keys[h*n+i] = fold(color)
		}
	}
	w.keys = keys
	return keys
}

// height returns the hashes of n nodes' subtrees of height h.
func (w *workspace) height(h, n int) []uint64 { return w.colors[h*n : (h+1)*n] }

// Nodes returns the keys that New counts by node: that of node i at height h is at h·n + i.
func Nodes(g *graph.Graph, height int) []uint32 {
	w := spare.Get().(*workspace)
	defer spare.Put(w)
	return slices.Clone(w.subtrees(g, height))
}

// Signature returns 128 bits that are equal for graphs with the same subtrees of MaxHeight in the same numbers. For other
// graphs they are equal by accident only. Features of the column skip count as 0; a skip of −1 skips none. Signature
// costs a fraction of a print: it adds neighbours up instead of sorting them, and keeps only the last height.
func Signature(g *graph.Graph, skip int) [2]uint64 {
	w := spare.Get().(*workspace)
	defer spare.Put(w)
	n := g.N()
	now, next := slices.Grow(w.now[:0], n)[:n], slices.Grow(w.next[:0], n)[:n]
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
	for _, h := range now {
		sum[0] += mix(seed, h)
		sum[1] += mix(^uint64(seed), h)
	}
	w.now, w.next = now, next
	return sum
}

// mostBranches is the most neighbours that grow sorts without a loop. Atoms rarely have more.
const mostBranches = 4

// surround sorts the nodes by degree into w.by: those with d neighbours are w.by[w.from[d]:w.from[d+1]], those with more than
// mostBranches the last. The degree of an atom is unpredictable, so the nodes of each are hashed one after another.
func (w *workspace) surround(g *graph.Graph) {
	n := g.N()
	w.from = [mostBranches + 3]int32{}
	for i := range n {
		w.from[min(g.Degree(i), mostBranches+1)+1]++
	}
	sum := int32(0)
	for d, size := range w.from {
		sum += size
		w.from[d] = sum
	}
	w.by = slices.Grow(w.by[:0], n)[:n]
	for i := range n {
		at := &w.from[min(g.Degree(i), mostBranches+1)]
		w.by[*at] = int32(i)
		*at++
	}
	copy(w.from[1:], w.from[:])
	w.from[0] = 0
}

// root returns the hash of a node at height 0. A feature of the column skip counts as 0.
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

// grow hashes the subtrees of the next height: each node with its sorted neighbours. It needs surround.
func (w *workspace) grow(g *graph.Graph, now, next []uint64) {
	row := func(i int32) []int32 { return g.Neighbors[g.Offsets[i]:] }
	of := func(d int) []int32 { return w.by[w.from[d]:w.from[d+1]] }
	for _, i := range of(0) {
		next[i] = mix(seed, now[i])
	}
	for _, i := range of(1) {
		next[i] = mix(mix(seed, now[i]), now[row(i)[0]])
	}
	for _, i := range of(2) {
		r := row(i)[:2]
		a, b := now[r[0]], now[r[1]]
		next[i] = mix(mix(mix(seed, now[i]), min(a, b)), max(a, b))
	}
	for _, i := range of(3) {
		r := row(i)[:3]
		a, b, c := now[r[0]], now[r[1]], now[r[2]]
		a, b = min(a, b), max(a, b)
		b, c = min(b, c), max(b, c)
		next[i] = mix(mix(mix(mix(seed, now[i]), min(a, b)), max(a, b)), c)
	}
	for _, i := range of(4) {
		r := row(i)[:4]
		a, b, c, d := now[r[0]], now[r[1]], now[r[2]], now[r[3]]
		a, b = min(a, b), max(a, b)
		c, d = min(c, d), max(c, d)
		a, c = min(a, c), max(a, c)
		b, d = min(b, d), max(b, d)
		next[i] = mix(mix(mix(mix(mix(seed, now[i]), a), min(b, c)), max(b, c)), d)
	}
	for _, i := range of(mostBranches + 1) {
		w.around = w.around[:0]
		for _, j := range g.Row(int(i)) {
			w.around = append(w.around, now[j])
		}
		slices.Sort(w.around)
		h := mix(seed, now[i])
		for _, k := range w.around {
			h = mix(h, k)
		}
		next[i] = h
	}
}

// widen is like grow, but adds neighbours up instead of sorting them, which costs less.
func (w *workspace) widen(g *graph.Graph, now, next []uint64) {
	for _, i := range w.by {
		around := uint64(0)
		for _, j := range g.Row(int(i)) {
			around += now[j]
		}
		next[i] = mix(now[i], around)
	}
}

// Hash returns a number that is equal for equal prints, and for others by accident only.
func (p Print) Hash() uint64 {
	h := uint64(seed)
	for i, k := range p.Keys {
		h = mix(h, uint64(k)<<32|uint64(p.Counts[i]))
	}
	return h
}

// Equal reports whether p and q are the same.
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
	ends              []uint32 // of equal keys
	by                []int32  // nodes by degree, see surround
	from              [mostBranches + 3]int32
	nodes             []int32    // scratch of sortNodes
	colors            []uint64   // the hashes of all subtrees, by height and node, see height
	now, next, around []uint64   // scratch of Signature and grow
	ties, others      [][2]int32 // ranges of equal nodes in an Order
	roots             memo
}

// A memo caches the hashes of nodes at height 0. Most nodes of molecules equal an earlier one, and comparing
// features is faster than hashing them.
type memo [1 << 8]struct {
	hash   uint64 // 0 for none
	degree int32
	row    [memoFeatures]uint32 // the bits of the features
}

// spread is 2³² divided by the golden ratio.
const spread = 0x9e37_79b1

// memoFeatures is the number of features of a node in a memo, that of atoms.
const memoFeatures = 9

// root returns root(g, i, -1), the hash of node i at height 0. The node's degree and features choose a place in m.
// If the place holds another node, the hash is computed and replaces it.
func (m *memo) root(g *graph.Graph, i int) uint64 {
	const f = memoFeatures
	if g.Features != f {
		return root(g, i, -1)
	}
	degree := int32(g.Degree(i))
	at, row := uint32(degree), [memoFeatures]uint32{}
	for c, x := range g.X[i*f : (i+1)*f] {
		row[c] = math.Float32bits(x)
		at += bits.RotateLeft32(row[c], 3*c)
	}
	k := &m[at*spread>>24]
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

// Mix adds a word to a hash.
func Mix(h, word uint64) uint64 { return mix(h, word) }

func fold(h uint64) uint32 { return uint32(h ^ h>>32) }

// A Measure is a similarity of prints. It is 0 without a common key and 1 for equal prints, including empty ones.
type Measure int

const (
	// Sets is the Tanimoto similarity |a ∩ b| / |a ∪ b| of the keys without their counts.
	Sets Measure = iota
	// Counts is the same for multisets: Σ min(a, b) / Σ max(a, b) over all keys.
	Counts
)

// count returns the weight of a key that occurs n times.
func (m Measure) count(n uint32) int {
	if m == Counts {
		return int(n)
	}
	return 1
}

// size returns the weight of all keys of a print.
func (m Measure) size(p Print) int {
	sum := 0
	for _, n := range p.Counts {
		sum += m.count(n)
	}
	return sum
}

// Tanimoto returns the similarity of two sets of sizes a and b that share common members. It is 1 for two empty sets.
func Tanimoto(common, a, b int) float64 {
	if a+b == 0 {
		return 1
	}
	return float64(common) / float64(a+b-common)
}

// Nodes returns the number of nodes of the graph. The print must have the default height: a node has one subtree of each
// height.
func (p Print) Nodes() int {
	sum := 0
	for _, c := range p.Counts {
		sum += int(c)
	}
	return sum / (DefaultHeight + 1)
}
