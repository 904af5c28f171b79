package weights

import (
	"math"
	"slices"

	"baca/algo"
	"baca/algo/background"
	"baca/algo/contrast"
	"baca/algo/fingerprint"
	"baca/algo/gin"
	"baca/algo/near"
)

// The bank is the larger part of a file, and graphs are only compared with it. So its embeddings take a byte each: 256
// values, evenly spaced over the range of a column. The holdout is scored like a user's graphs and keeps float16.

// minSpread is the smallest relative range of a column with levels. A narrower column counts as constant, because float32
// could not tell its levels apart.
const minSpread = 0x1p-12

// levels is the number of steps over the range of a column.
const levels = 255

// ranges returns the lowest and the highest value of each of dim columns, negative ones as 0. Of a column that counts as
// constant both are the lowest.
func ranges(q []float32, dim int) (low, high []float32) {
	low, high = slices.Clone(q[:dim]), slices.Clone(q[:dim])
	for i, x := range q {
		low[i%dim], high[i%dim] = min(low[i%dim], x), max(high[i%dim], x)
	}
	for j := range low {
		low[j], high[j] = max(low[j], 0), max(high[j], 0) // −0 would come back as 0
		if high[j]-low[j] < high[j]*minSpread {
			high[j] = low[j]
		}
	}
	return low, high
}

const indexEntries = 5

// index writes or reads the prints of all training graphs. A reader keeps their bytes.
func (c *codec) index(m *algo.Model) {
	var p fingerprint.Packed
	var order []byte
	known := 0
	if c.writes {
		p, order = m.Subtrees.Packed()
		known = m.Subtrees.Len()
	}
	c.fields("", indexEntries)
	c.count("known", &known)
	c.require(known <= maxKnown, ErrTooLarge, "the subtrees of %d training graphs, want at most %d", known, maxKnown)
	order = c.sized("order", order, 4*known)
	c.packed(&p)
	if c.writes {
		return
	}
	index, err := fingerprint.OpenIndex(p, order)
	c.require(err == nil, ErrRows, "%w", err)
	m.Subtrees = index
}

// packed writes or reads packed prints.
func (c *codec) packed(p *fingerprint.Packed) {
	c.gaps("subtrees", "subtree", 32, &p.Keys)
	c.uvarints("holders", "count of holders", &p.Holders, func(i int, v uint64) uint64 {
		if v > math.MaxUint32 {
			c.fail(ErrNumber, "count of holders %d is %d, want at most %d", i, v, uint32(math.MaxUint32))
		}
		return v
	})
	p.Prints = c.bin("prints", p.Prints)
}

// rows writes or reads the number of rows of the bank or the holdout, and returns it. It fails for too many.
func (c *codec) rows(key string, v *contrast.Representation, e *gin.Encoder) int {
	n := 0
	if c.writes {
		n = v.Len()
	}
	c.count("rows", &n)
	checkSize(key, n, e.Width())
	return n
}

// nodeScores writes or reads ℓ_n of n rows, and returns them. It fails unless there are n.
func (c *codec) nodeScores(v *contrast.Representation, n int) []float64 {
	var scores []float64
	if c.writes {
		scores = v.NodeScore
	}
	c.rounded("node_score", &scores)
	c.require(len(scores) == n, ErrFormat, "node_score has %d values, want %d", len(scores), n)
	return scores
}

// bank writes or reads the bank: the range of each column, a byte for each value within it, and node scores. Its prints are
// in the index, which a reader must have read.
func (c *codec) bank(m *algo.Model) {
	c.fields("bank", bankEntries)
	n, dim := c.rows("bank", m.Bank, m.Encoder), 2*m.Encoder.Width()
	low, high := make([]float32, dim), make([]float32, dim)
	if c.writes {
		low, high = ranges(m.Bank.Q, dim)
	}
	c.floats("low", low)
	c.floats("high", high)
	spread := make([]float64, dim)
	for j := range low {
		if !(low[j] >= 0 && low[j] <= high[j] && high[j] <= maxQ) {
			c.fail(ErrNumber, "column %d of the bank goes from %g to %g, want an ascending range within 0 to %d", j, low[j], high[j], maxQ)
		}
		spread[j] = float64(high[j]) - float64(low[j])
	}
	var level []byte
	if c.writes {
		level = make([]byte, n*dim)
		for i, x := range m.Bank.Q {
			if j := i % dim; spread[j] > 0 {
				level[i] = byte(math.Round(levels * (float64(x) - float64(low[j])) / spread[j]))
			}
		}
	}
	level = c.sized("q", level, n*dim)
	score := c.nodeScores(m.Bank, n)
	if c.writes {
		return
	}
	q := make([]float32, n*dim)
	for i, u := range level {
		j := i % dim
		q[i] = float32(float64(low[j]) + float64(spread[j]*float64(u)/levels))
	}
	known := m.Known()
	c.require(known >= n, ErrRows, "the subtrees of %d training graphs for a bank of %d rows", known, n)
	prints := make([]fingerprint.Print, n)
	for k := range prints {
		prints[k] = m.Subtrees.Print(near.Place(k, n, known))
	}
	m.Bank = c.restore("bank", m.Encoder, q, score, prints)
}

// holdout writes or reads the holdout.
func (c *codec) holdout(m *algo.Model) {
	c.fields("holdout", holdoutEntries)
	n := c.rows("holdout", m.Holdout, m.Encoder)
	var q []float32
	if c.writes {
		q = m.Holdout.Q
	}
	values(c, "q", &q, n*2*m.Encoder.Width(), 2, c.half)
	score := c.nodeScores(m.Holdout, n)
	var p fingerprint.Packed
	if c.writes {
		p = fingerprint.Pack(m.Holdout.Prints)
	}
	c.packed(&p)
	if c.writes {
		return
	}
	prints, err := p.Unpack(n)
	c.require(err == nil, ErrRows, "%w", err)
	m.Holdout = c.restore("holdout", m.Encoder, q, score, prints)
}

// restore makes a representation of what was read. It fails if that does not fit together; key is for the error.
func (c *codec) restore(key string, e *gin.Encoder, q []float32, node []float64, prints []fingerprint.Print) *contrast.Representation {
	v, err := contrast.Restore(e, q, node, prints)
	c.require(err == nil, ErrRows, "%s: %v", key, err)
	return v
}

// traits writes or reads the traits of held-out graphs, two bytes for each.
func (c *codec) traits(m *algo.Model) {
	values(c, "traits", &m.HoldoutTraits, m.Holdout.Len(), 2, func(b []byte, t *algo.Trait) {
		if c.writes {
			b[0], b[1] = byte(t.Fold), byte(t.Level)
		} else {
			*t = algo.Trait{Fold: int(b[0]), Level: int(b[1])}
		}
	})
}

// checkTraits fails unless there is one trait for each of the n held-out graphs, with a fold of the background and a
// level up to the number of the model's levels of rarity.
func checkTraits(m *algo.Model, n int) {
	list, levels := m.HoldoutTraits, 0
	if m.Rare != nil {
		levels = len(m.Rare.Levels)
	}
	require(len(list) == n, ErrRows, "%d traits for %d held-out graphs", len(list), n)
	for i, t := range list {
		if t.Fold < 0 || t.Fold >= background.Folds {
			fail(ErrNumber, "held-out graph %d is in fold %d, want 0 to %d", i, t.Fold, background.Folds-1)
		}
		if t.Level < 0 || t.Level > levels {
			fail(ErrNumber, "held-out graph %d is of level %d, want 0 to %d", i, t.Level, levels)
		}
	}
}
