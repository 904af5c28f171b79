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

// The bank is the larger part of a file and is only ever compared with, so its
// embeddings take a byte each: one of 256 values, evenly spaced from the lowest to
// the highest of its column. The holdout is scored like the graphs of a user and
// keeps float16.

// minSpread is how far the highest value of a column must be from the lowest, as a
// fraction of it, for there to be levels between them: nearer values would be lost in
// the rounding to float32, and the column counts as constant.
const minSpread = 0x1p-12

// levels is the number of steps between the lowest and the highest value.
const levels = 255

// maxTimes is the largest sum of the counts of a print, since the comparison of two
// prints adds them as int32.
const maxTimes = math.MaxInt32

// bankRows writes the entries of the bank, with the prints of all training graphs, or of those of
// the bank where the others are beside.
func (w *writer) bankRows(m *algo.Model, beside *indexFile) {
	v, known := m.Bank, m.Known()
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
	w.count("known", &known)
	prints, sum := v.Prints, ""
	if beside != nil {
		sum = tableSum(beside.table)
	}
	w.text("index", &sum)
	if m.Subtrees != nil && beside == nil {
		prints = make([]fingerprint.Print, known)
		for i := range prints {
			prints[i] = m.Subtrees.Print(i)
		}
	}
	w.prints(prints)
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
	w.prints(v.Prints)
}

// traits writes those of held-out graphs, a byte for each.
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
	if r.err != nil {
		return nil
	}
	b := r.bytes("traits", holdout.Len())
	list := make([]algo.Trait, len(b))
	for i, x := range b {
		list[i] = algo.Trait{Known: x%2 == 1, Fold: int(x / 2)}
	}
	return list
}

// checkTraits reports traits that no held-out graphs can have.
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
			score[i] = float32(math.NaN()) // one of the many, for equal bytes
		}
	}
	w.floats("node_score", score)
}

// prints writes the distinct keys of all prints, and each print by the places of
// its keys in that list: most keys are in many prints. Most occur once in each.
func (w *writer) prints(prints []fingerprint.Print) {
	var keys []uint32
	for _, p := range prints {
		keys = append(keys, p.Keys...)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	w.gaps("subtrees", keys)
	var places []byte
	for _, p := range prints {
		places = binary.AppendUvarint(places, uint64(len(p.Keys)))
		next := 0
		for i, k := range p.Keys {
			at, _ := slices.BinarySearch(keys, k)
			skip := uint64(at - next)
			if times := uint64(p.Counts[i]); times == 1 {
				places = binary.AppendUvarint(places, 2*skip)
			} else {
				places = binary.AppendUvarint(places, 2*skip+1)
				places = binary.AppendUvarint(places, times-2)
			}
			next = at + 1
		}
	}
	w.bytes("prints", places)
}

// rows reads the number of rows of a part of the model.
func (r *reader) rows(key string, e *gin.Encoder) int {
	var n int
	r.count("rows", &n)
	if r.err != nil {
		return 0
	}
	if r.check(checkSize(key, n, e.Width())); r.err != nil {
		return 0
	}
	return n
}

// bank reads the bank, and the subtrees of all training graphs, which are nil where the bank
// has them all. open opens the index with a sum.
func (r *reader) bank(e *gin.Encoder, open func(sum string, known int) (*fingerprint.Index, error)) (*contrast.Representation, *fingerprint.Index) {
	r.fields("bank", bankEntries)
	n := r.rows("bank", e)
	if r.err != nil {
		return nil, nil
	}
	dim := 2 * e.Width()
	low, high := make([]float32, dim), make([]float32, dim)
	r.floats("low", low)
	r.floats("high", high)
	for j := range low {
		if r.err == nil && !(low[j] >= 0 && low[j] <= high[j] && high[j] <= maxQ) {
			r.fail(ErrNumber, "column %d of the bank goes from %g to %g, want an ascending range within 0 to %d", j, low[j], high[j], maxQ)
		}
	}
	level := r.bytes("q", n*dim)
	if r.err != nil {
		return nil, nil
	}
	q := make([]float32, len(level))
	for i, u := range level {
		j := i % dim
		spread := float64(high[j]) - float64(low[j])
		q[i] = float32(float64(low[j]) + float64(spread*float64(u)/levels))
	}
	score := r.nodeScores(n)
	known := n
	r.count("known", &known)
	if r.err == nil && known > maxKnown {
		r.fail(ErrTooLarge, "the subtrees of %d training graphs, want at most %d", known, maxKnown)
	}
	if r.err == nil && known < n {
		r.fail(ErrRows, "the subtrees of %d training graphs for a bank of %d rows", known, n)
	}
	var sum string
	if r.text("index", &sum); r.err == nil && sum != "" && known == n {
		r.fail(ErrRows, "an index of the %d training graphs of the bank, want one of more", known)
	}
	if r.err != nil {
		return nil, nil
	}
	if sum != "" {
		bank := r.restore("bank", e, q, score, r.prints(n))
		if r.err != nil {
			return nil, nil
		}
		x, err := open(sum, known)
		r.check(err)
		return bank, x
	}
	if known == n {
		return r.restore("bank", e, q, score, r.prints(n)), nil
	}
	index := r.index(known)
	if r.err != nil {
		return nil, nil
	}
	own := make([]fingerprint.Print, n)
	for k := range own {
		own[k] = index.Print(near.Place(k, n, known))
	}
	return r.restore("bank", e, q, score, own), index
}

// holdout reads the holdout.
func (r *reader) holdout(e *gin.Encoder) *contrast.Representation {
	r.fields("holdout", holdoutEntries)
	n := r.rows("holdout", e)
	if r.err != nil {
		return nil
	}
	half := r.bytes("q", 2*n*2*e.Width())
	if r.err != nil {
		return nil
	}
	q := make([]float32, len(half)/2)
	for i := range q {
		q[i] = fromHalf(binary.LittleEndian.Uint16(half[2*i:]))
	}
	score := r.nodeScores(n)
	prints := r.prints(n)
	if r.err != nil {
		return nil
	}
	return r.restore("holdout", e, q, score, prints)
}

// nodeScores reads those of n graphs, of which embeddings were read: these have many more
// values.
func (r *reader) nodeScores(n int) []float64 {
	score, node := make([]float32, n), make([]float64, n)
	r.floats("node_score", score)
	for i, x := range score {
		node[i] = float64(x)
	}
	return node
}

// restore puts a representation together.
func (r *reader) restore(key string, e *gin.Encoder, q []float32, node []float64, prints []fingerprint.Print) *contrast.Representation {
	v, err := contrast.Restore(e, q, node, prints)
	if err != nil {
		r.fail(ErrRows, "%s: %v", key, err)
	}
	return v
}

// prints reads the prints of n graphs.
func (r *reader) prints(n int) []fingerprint.Print {
	keys, places := r.printBins(n)
	if r.err != nil {
		return nil
	}
	prints := make([]fingerprint.Print, 0, n)
	var p fingerprint.Print
	r.eachPrint(places, n, len(keys), func(at, times uint32) {
		p.Keys, p.Counts = append(p.Keys, keys[at]), append(p.Counts, times)
	}, func() {
		prints = append(prints, fingerprint.Print{Keys: slices.Clone(p.Keys), Counts: slices.Clone(p.Counts)})
		p.Keys, p.Counts = p.Keys[:0], p.Counts[:0]
	})
	return prints
}

// index reads the prints of n graphs. Of hundreds of thousands they are never in memory as
// such.
func (r *reader) index(n int) *fingerprint.Index {
	keys, places := r.printBins(n)
	if r.err != nil {
		return nil
	}
	// Each key of a print has at least 1 byte, and most have 2.
	b := fingerprint.NewBuilder(keys, n, len(places)/2)
	r.eachPrint(places, n, len(keys), b.Add, b.End)
	if r.err != nil {
		return nil
	}
	return b.Index()
}

// printBins reads the distinct keys of n prints, and the bytes of the prints.
func (r *reader) printBins(n int) (keys []uint32, places []byte) {
	keys = r.gaps("subtrees", "subtree", 32)
	places = r.bin("prints")
	if r.err == nil && len(places) < n {
		r.fail(ErrFormat, "prints has %d bytes, want at least one for each of %d graphs", len(places), n)
	}
	return keys, places
}

// eachPrint reads n prints. It tells of each key its place among so many, and how often it
// occurs, and then the end of the print.
func (r *reader) eachPrint(b []byte, n, keys int, add func(at, times uint32), end func()) {
	for i := range n {
		if b = r.onePrint(i, keys, b, add); r.err != nil {
			return
		}
		end()
	}
	if len(b) > 0 {
		r.fail(ErrFormat, "prints has %d bytes after the last of %d prints", len(b), n)
	}
}

// onePrint reads the print of graph i from the front of b and returns what follows it.
func (r *reader) onePrint(i, keys int, b []byte, add func(at, times uint32)) []byte {
	next := func() (v uint64) {
		if len(b) > 0 && b[0] < 0x80 { // most numbers are small
			v, b = uint64(b[0]), b[1:]
			return v
		}
		v, b = r.uvarint("print", i, b)
		return v
	}
	count := next()
	if r.err == nil && count > uint64(len(b)) {
		r.fail(ErrFormat, "print %d announces %d subtrees of at least 1 byte, %d bytes remain", i, count, len(b))
	}
	at, sum := uint64(0), uint64(0)
	for range count {
		if r.err != nil {
			return nil
		}
		v := next()
		skip, times := v/2, uint64(1)
		if v%2 == 1 {
			times = 2 + min(next(), maxTimes) // as wrong as more, which could wrap
		}
		if left := uint64(keys) - at; r.err == nil && skip >= left {
			r.fail(ErrRows, "print %d skips %d subtrees, want less than the %d that are left of %d", i, skip, left, keys)
		}
		at, sum = at+skip, sum+times
		if r.err == nil && sum > maxTimes {
			r.fail(ErrNumber, "print %d has counts that sum to %d or more, want at most %d", i, sum, maxTimes)
		}
		if r.err == nil {
			add(uint32(at), uint32(times))
		}
		at++
	}
	return b
}

// checkPrints reports prints that no file can hold.
func checkPrints(key string, prints []fingerprint.Print, n int) error {
	if len(prints) != n {
		return fmt.Errorf("%w: %s has %d prints, want one for each of %d graphs", ErrRows, key, len(prints), n)
	}
	for i, p := range prints {
		if len(p.Keys) != len(p.Counts) {
			return fmt.Errorf("%w: %s print %d has %d keys and %d counts, want as many", ErrRows, key, i, len(p.Keys), len(p.Counts))
		}
		sum := uint64(0)
		for k, times := range p.Counts {
			if times == 0 {
				return fmt.Errorf("%w: %s print %d has a subtree 0 times, want at least once", ErrNumber, key, i)
			}
			if k > 0 && p.Keys[k] <= p.Keys[k-1] {
				return fmt.Errorf("%w: %s print %d has key %#08x after %#08x, want ascending keys", ErrRows, key, i, p.Keys[k], p.Keys[k-1])
			}
			sum += uint64(times)
		}
		if sum > maxTimes {
			return fmt.Errorf("%w: %s print %d has counts that sum to %d, want at most %d", ErrNumber, key, i, sum, maxTimes)
		}
	}
	return nil
}
