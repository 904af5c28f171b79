package weights

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"baca/algo"
	"baca/algo/background"
	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/near"
)

// The bank is the larger part of a file and only compared with, so its embeddings take a byte each:
// 256 values, evenly spaced over a column's range. The holdout is scored like a user's graphs and
// keeps float16.

// minSpread is the least relative range of a column with levels: float32 rounding would lose closer
// values, and the column counts as constant.
const minSpread = 0x1p-12

// levels is the number of steps over the range.
const levels = 255

// bankRows writes the bank. Its prints are in the index.
func (w *writer) bankRows(v *contrast.Representation) {
	n, dim := v.Len(), v.Dim()
	w.count("rows", &n)
	low, high := slices.Clone(v.Q[:dim]), slices.Clone(v.Q[:dim])
	for i, x := range v.Q {
		low[i%dim], high[i%dim] = min(low[i%dim], x), max(high[i%dim], x)
	}
	for j := range low {
		low[j], high[j] = max(low[j], 0), max(high[j], 0) // −0 would come back as 0
		if high[j]-low[j] < high[j]*minSpread {
			high[j] = low[j]
		}
	}
	w.floats("low", low)
	w.floats("high", high)
	q := make([]byte, len(v.Q))
	for i, x := range v.Q {
		j := i % dim
		if spread := float64(high[j]) - float64(low[j]); spread > 0 {
			q[i] = byte(math.Round(levels * (float64(x) - float64(low[j])) / spread))
		}
	}
	w.bytes("q", q)
	w.nodeScores(v)
}

// index writes the prints of all training graphs.
func (w *writer) index(x *fingerprint.Index) {
	p, order := x.Packed()
	known := x.Len()
	w.fields("", indexEntries)
	w.count("known", &known)
	w.bytes("order", order)
	w.packed(p)
}

const indexEntries = 5

// index reads the prints of all training graphs, keeping their bytes.
func (r *reader) index() *fingerprint.Index {
	known := 0
	r.fields("", indexEntries)
	r.count("known", &known)
	if known > maxKnown {
		r.fail(ErrTooLarge, "the subtrees of %d training graphs, want at most %d", known, maxKnown)
	}
	order := r.bytes("order", 4*known)
	p := r.packed()
	x, err := fingerprint.OpenIndex(p, order)
	if err != nil {
		r.fail(ErrRows, "%w", err)
	}
	return x
}

// packed writes prints.
func (w *writer) packed(p fingerprint.Packed) {
	w.gaps("subtrees", p.Keys)
	w.uvarints("holders", p.Holders)
	w.bytes("prints", p.Prints)
}

// packed reads prints.
func (r *reader) packed() fingerprint.Packed {
	p := fingerprint.Packed{Keys: r.gaps("subtrees", "subtree", 32)}
	p.Holders = r.uvarints("holders", "count of holders", func(i int, v uint64) uint64 {
		if v > math.MaxUint32 {
			r.fail(ErrNumber, "count of holders %d is %d, want at most %d", i, v, uint32(math.MaxUint32))
		}
		return v
	})
	p.Prints = r.bin("prints")
	return p
}

// holdoutRows writes the entries of the holdout.
func (w *writer) holdoutRows(v *contrast.Representation) {
	n := v.Len()
	w.count("rows", &n)
	q := make([]byte, 0, 2*len(v.Q))
	for _, x := range v.Q {
		q = binary.LittleEndian.AppendUint16(q, toHalf(x))
	}
	w.bytes("q", q)
	w.nodeScores(v)
	w.packed(fingerprint.Pack(v.Prints))
}

// traits writes a byte for each held-out graph.
func (w *writer) traits(list []algo.Trait) {
	b := make([]byte, len(list))
	for i, t := range list {
		b[i] = byte(2 * t.Fold)
		if t.Known {
			b[i]++
		}
	}
	w.bytes("traits", b)
}

// traits reads those of the holdout.
func (r *reader) traits(holdout *contrast.Representation) []algo.Trait {
	b := r.bytes("traits", holdout.Len())
	list := make([]algo.Trait, len(b))
	for i, x := range b {
		list[i] = algo.Trait{Known: x%2 == 1, Fold: int(x / 2)}
	}
	return list
}

// checkTraits rejects traits that do not match the holdout.
func checkTraits(list []algo.Trait, n int) error {
	if len(list) != n {
		return fmt.Errorf("%w: %d traits for %d held-out graphs", ErrRows, len(list), n)
	}
	for i, t := range list {
		if t.Fold < 0 || t.Fold >= background.Folds {
			return fmt.Errorf("%w: held-out graph %d is in fold %d, want 0 to %d", ErrNumber, i, t.Fold, background.Folds-1)
		}
	}
	return nil
}

func (w *writer) nodeScores(v *contrast.Representation) {
	score := make([]float32, v.Len())
	for i, x := range v.NodeScore {
		score[i] = float32(x)
		if math.IsNaN(x) {
			score[i] = float32(math.NaN()) // one NaN, for equal bytes
		}
	}
	w.floats("node_score", score)
}

// rows reads the number of rows of a part of the model.
func (r *reader) rows(key string, e *gin.Encoder) int {
	var n int
	r.count("rows", &n)
	r.check(checkSize(key, n, e.Width()))
	return n
}

// bank reads the bank, with subtrees from an index.
func (r *reader) bank(e *gin.Encoder, x *fingerprint.Index) *contrast.Representation {
	r.fields("bank", bankEntries)
	n := r.rows("bank", e)
	dim := 2 * e.Width()
	low, high := make([]float32, dim), make([]float32, dim)
	r.floats("low", low)
	r.floats("high", high)
	for j := range low {
		if !(low[j] >= 0 && low[j] <= high[j] && high[j] <= maxQ) {
			r.fail(ErrNumber, "column %d of the bank goes from %g to %g, want an ascending range within 0 to %d", j, low[j], high[j], maxQ)
		}
	}
	level := r.bytes("q", n*dim)
	q := make([]float32, len(level))
	for i, u := range level {
		j := i % dim
		spread := float64(high[j]) - float64(low[j])
		q[i] = float32(float64(low[j]) + float64(spread*float64(u)/levels))
	}
	score := r.nodeScores(n)
	if known := x.Len(); known < n {
		r.fail(ErrRows, "the subtrees of %d training graphs for a bank of %d rows", known, n)
	}
	prints := make([]fingerprint.Print, n)
	for k := range prints {
		prints[k] = x.Print(near.Place(k, n, x.Len()))
	}
	return r.restore("bank", e, q, score, prints)
}

// holdout reads the holdout.
func (r *reader) holdout(e *gin.Encoder) *contrast.Representation {
	r.fields("holdout", holdoutEntries)
	n := r.rows("holdout", e)
	half := r.bytes("q", 2*n*2*e.Width())
	q := make([]float32, len(half)/2)
	for i := range q {
		q[i] = fromHalf(binary.LittleEndian.Uint16(half[2*i:]))
	}
	score := r.nodeScores(n)
	prints := r.prints(n)
	return r.restore("holdout", e, q, score, prints)
}

// nodeScores reads n scores; n is bounded by the larger embeddings.
func (r *reader) nodeScores(n int) []float64 {
	score, node := make([]float32, n), make([]float64, n)
	r.floats("node_score", score)
	for i, x := range score {
		node[i] = float64(x)
	}
	return node
}

// restore assembles a representation.
func (r *reader) restore(key string, e *gin.Encoder, q []float32, node []float64, prints []fingerprint.Print) *contrast.Representation {
	v, err := contrast.Restore(e, q, node, prints)
	if err != nil {
		r.fail(ErrRows, "%s: %v", key, err)
	}
	return v
}

// prints reads the prints of n graphs.
func (r *reader) prints(n int) []fingerprint.Print {
	p := r.packed()
	prints, err := p.Unpack(n)
	if err != nil {
		r.fail(ErrRows, "%w", err)
	}
	return prints
}
