// Package attention calibrates the score of a graph by attending to the keys of
// the two dictionaries that resemble it most (in the paper,
// "Adaptive Calibration via Dual Dynamic Dictionary").
//
// For a query q and, per side, the 𝕂 keys k_i of largest cosine similarity to q:
//
//	Q = W_Q·q    K_i = W_K·k_i
//	a = softmax(Q·K_i/√d_k)
//	ATTN = Σ a_i·cos(W_V·q, W_V·k_i)  ∈ [−1, 1]
//	S_in = −ATTN_in,  S_out = ATTN_out,  S_Attn = S_in + S_out
//
// A side without keys has ATTN = 0. The cosine of a zero vector with anything is 0.
// Queries and keys must be finite and below 1e18 in size. Others make scores NaN or
// meaningless, but never panic.
package attention

import (
	"baca/algo/dictionary"
	"baca/algo/internal/parallel"
)

// Head holds the learned matrices, row-major and stored out×in: row j of each
// makes coordinate j of a projection from the Dim coordinates of a key.
type Head struct {
	Dim   int          // values in a query or key
	Width int          // d_k
	W     [3][]float32 // W_Q, W_K and W_V
}

// NewHead returns a head whose matrices are the truncated identity. Before training, ATTN is then
// the softmax-weighted mean of cosines over the first width coordinates. width must be at most
// dim: identity rows beyond dim would be zero, have no gradient and so stay zero.
func NewHead(dim, width int) *Head {
	h := &Head{Dim: dim, Width: width}
	for k := range h.W {
		h.W[k] = make([]float32, width*dim)
		for i := range width {
			h.W[k][i*dim+i] = 1
		}
	}
	return h
}

// Score is what the attention says about one query.
type Score struct {
	In  float64 // ATTN_in, in [−1, 1]; S_in is −In
	Out float64 // ATTN_out, in [−1, 1]; S_out is Out
}

// Attn returns S_Attn = S_in + S_out, in [−2, 2]; higher is more OOD.
func (s Score) Attn() float64 { return s.Out - s.In }

// Contribution is the part of one key in an ATTN: ATTN = Σ Weight·Value.
type Contribution struct {
	Key        int     // row of the key on its side
	Similarity float64 // cosine of query and key, by which the key was selected
	Weight     float64 // a_i, softmax over the selected keys
	Value      float64 // cosine of query and key after W_V
}

// Explanation is a score with the keys it came from, most similar first.
type Explanation struct {
	Score
	InKeys, OutKeys []Contribution
}

// Workspace is memory that calls reuse. Its zero value is ready. It keeps the size of the
// largest call so far and must not be used by two calls at once.
type Workspace struct {
	core

	units, sims []float32 // of one block of queries
	own         []int32   // of one query, see join
	terms       []term
	refs        []int32 // the keys of all terms
	// Keys of both sides are numbered through, those of the ID side first.
	local []int32 // the row in core.x of each key
	roles []uint8 // asQuery and asKey of each key
	used  []int32 // keys that have a role, in order of first use
}

// The roles of a key.
const (
	asQuery = 1 << iota
	asKey
)

// blockRows is how many queries are compared with all keys at once: enough to keep the matrix
// product busy, few enough for their similarities to stay in cache.
const blockRows = 32

// begin clears the roles and makes room for the keys of both sides.
func (w *Workspace) begin(in, out *Keys) {
	n := in.Len() + out.Len()
	w.local, w.roles = parallel.Grow(w.local, n), parallel.Grow(w.roles, n)
	clear(w.roles)
	w.used = w.used[:0]
}

// use adds a role to a key.
func (w *Workspace) use(key int32, role uint8) {
	if w.roles[key] == 0 {
		w.used = append(w.used, key)
	}
	w.roles[key] |= role
}

// gather fills the rows of x with the given queries and then with each used key once: keys used as
// queries only, keys used as both, keys used as keys only. It renumbers refs from keys to rows.
// Without given queries, the queries of terms are keys too and are renumbered as well.
func (w *Workspace) gather(h *Head, queries []float32, in, out *Keys) {
	given := len(queries) / h.Dim
	row := int32(given)
	var ends [4]int // by role, the row after the last key that has it
	for _, role := range [...]uint8{asQuery, asQuery | asKey, asKey} {
		for _, key := range w.used {
			if w.roles[key] == role {
				w.local[key] = row
				row++
			}
		}
		ends[role] = int(row)
	}
	w.shape(h.Dim, h.Width, int(row), ends[asQuery|asKey], ends[asQuery]) // queries come first, keys last
	copy(w.x, queries)
	for _, key := range w.used {
		side, i := in, int(key)
		if i >= in.Len() {
			side, i = out, i-in.Len()
		}
		copy(part(w.x, int(w.local[key]), h.Dim), side.Row(i))
	}
	for i, key := range w.refs {
		w.refs[i] = w.local[key]
	}
	if given == 0 { // queries are keys
		for i := range w.terms {
			w.terms[i].query = w.local[w.terms[i].query]
		}
	}
}

// Scores writes ATTN_in and ATTN_out of every query to dst. On each side they use the topK keys
// most similar to the query, or all keys if the side has fewer. queries is len(dst) × Dim,
// row-major. topK must be positive.
//
// own gives the rows of a query on the ID and the OOD side if the query is itself a key, or −1. A
// query is not compared with itself. A nil own means that no query is a key.
func (h *Head) Scores(w *Workspace, dst []Score, queries []float32, own [][2]int32, in, out *Keys, topK int) {
	w.choose(queries, own, in, out, topK, nil)
	h.score(w, dst, queries, in, out)
}

// score writes the scores of queries to dst. It uses the keys that the last call of w.choose left in w.
func (h *Head) score(w *Workspace, dst []Score, queries []float32, in, out *Keys) {
	w.begin(in, out)
	for _, key := range w.refs {
		w.use(key, asKey)
	}
	w.gather(h, queries, in, out)
	w.project(&h.W)
	for i := range dst {
		dst[i] = Score{In: w.attn(2 * i), Out: w.attn(2*i + 1)}
	}
}

// Explain scores one query as Scores does, and returns the keys that the score came from.
func (h *Head) Explain(w *Workspace, query []float32, own [2]int32, in, out *Keys, topK int) Explanation {
	var e Explanation
	var dst [1]Score
	h.Scores(w, dst[:], query, [][2]int32{own}, in, out, topK)
	e.Score = dst[0]
	unit := make([]float32, h.Dim)
	normalize(unit, query)
	contributions := func(t term, keys *Keys, own int32) []Contribution {
		if t.lo == t.hi {
			return nil
		}
		// The same product and selection as in the scores, hence the same keys.
		sims := make([]float32, keys.Len())
		keys.similarities(sims, unit, 1, 0)
		chosen := TopK(nil, sims, topK, int(own))
		w.core.attend(t.query, w.refs[t.lo:t.hi])
		list := make([]Contribution, len(chosen))
		for i, key := range chosen {
			list[i] = Contribution{Key: int(key), Similarity: float64(sims[key]), Weight: w.a[i], Value: w.value[i]}
		}
		return list
	}
	e.InKeys, e.OutKeys = contributions(w.terms[0], in, own[0]), contributions(w.terms[1], out, own[1])
	return e
}

// choose selects the keys of every query. It leaves their indices in refs and two terms per query,
// ID and OOD, in terms. rankings of the queries may be nil.
func (w *Workspace) choose(queries []float32, own [][2]int32, in, out *Keys, topK int, rankings []ranking) {
	n := len(queries) / in.dim
	w.terms, w.refs = parallel.Grow(w.terms, 2*n), w.refs[:0]
	unit := func(dst []float32, i int) { normalize(dst, part(queries, i, in.dim)) }
	w.compare(n, in, out, rankings, unit, func(i, side, from int, sims []float32, r ranking) {
		exclude := -1
		if own != nil {
			exclude = int(own[i][side])
		}
		lo := len(w.refs)
		w.refs = w.join(w.refs, r, sims, from, topK, exclude)
		for j := lo; j < len(w.refs); j++ {
			w.refs[j] += int32(side * in.Len())
		}
		w.terms[2*i+side] = term{query: int32(i), lo: int32(lo), hi: int32(len(w.refs))}
	})
}

// compare calls visit for each of n queries and each side, with the cosines of the query and the
// side's keys. Where there are rankings, those of the ID side begin after the shared keys. out may be nil. unit writes query i,
// brought to length 1, to dst.
func (w *Workspace) compare(n int, in, out *Keys, rankings []ranking, unit func(dst []float32, i int),
	visit func(i, side, from int, sims []float32, r ranking)) {
	w.units = parallel.Grow(w.units, blockRows*in.dim)
	for lo := 0; lo < n; lo += blockRows {
		m := min(blockRows, n-lo)
		for i := range m {
			unit(part(w.units, i, in.dim), lo+i)
		}
		for side, keys := range [...]*Keys{dictionary.ID: in, dictionary.OOD: out} {
			if keys == nil {
				continue
			}
			from := 0
			if side == int(dictionary.ID) && rankings != nil {
				from = keys.from()
			}
			w.sims = parallel.Grow(w.sims, m*(keys.Len()-from))
			keys.similarities(w.sims, w.units[:m*in.dim], m, from)
			for i := range m {
				var r ranking
				if from > 0 {
					r = rankings[lo+i]
				}
				visit(lo+i, side, from, part(w.sims, i, keys.Len()-from), r)
			}
		}
	}
}

// join appends the k keys most similar to a query to dst: of the ranked ones and those from a key on, whose cosines are given,
// without the key exclude (−1 for none).
func (w *Workspace) join(dst []int32, r ranking, cosines []float32, from, k, exclude int) []int32 {
	w.own = TopK(w.own, cosines, k, exclude-from)
	for i, j := 0, 0; i+j < min(k, len(r.keys)+len(w.own)); {
		if j == len(w.own) || i < len(r.keys) && !(r.cosines[i] < cosines[w.own[j]]) {
			dst = append(dst, r.keys[i])
			i++
		} else {
			dst = append(dst, int32(from)+w.own[j])
			j++
		}
	}
	return dst
}

// attn returns the ATTN of term i, or 0 if it has no keys.
func (w *Workspace) attn(i int) float64 {
	t := w.terms[i]
	if t.lo == t.hi {
		return 0
	}
	// Rounding may leave a mean of cosines a little outside.
	return min(max(w.core.attend(t.query, w.refs[t.lo:t.hi]), -1), 1)
}
