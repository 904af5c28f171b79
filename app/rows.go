package app

import (
	"math"
	"slices"
	"strings"

	"baca/algo/decide"
	"baca/wasm/message"
)

// rows are the records of an input and what is known of each, by its number.
type rows struct {
	id, smiles, drawn []string
	line              []int32
	problem           map[int]*message.Problem
	names             names

	alone, aloneP []float64 // of each by itself
	batch         *batch    // nil until it is calibrated
	score, p      []float64 // of what decides: columns of the above

	bad     []bool // refused
	known   []bool // likely trained on
	knows   int    // how many are
	scored  []bool
	verdict []verdict
	counts  [verdicts]int
	low, hi float64 // of score
}

// A batch has the columns that only a calibrated batch gives.
type batch struct {
	pre, attn, baca, bacaP, score, scoreP []float64
}

func newBatch(n int) *batch {
	return &batch{missing(n), missing(n), missing(n), missing(n), missing(n), missing(n)}
}

// fill sets the columns of records that have come.
func (b *batch) fill(e *message.Rows) {
	if e.From > len(b.pre) {
		return
	}
	s := e.Rows.Scores
	copy(b.pre[e.From:], s.Pre)
	copy(b.attn[e.From:], s.Attn)
	copy(b.baca[e.From:], s.BaCa)
	copy(b.score[e.From:], s.Batch)
	copy(b.scoreP[e.From:], s.BatchP)
}

// compare sets the p-values of S_BaCa.
func (b *batch) compare(r reference) {
	for i, x := range b.baca {
		b.bacaP[i] = r.p(x)
	}
}

// decide has score and p be those of what decides. All but eachAlone need a batch.
func (r *rows) decide(by decider) {
	switch by {
	case theBatch:
		r.score, r.p = r.batch.score, r.batch.scoreP
	case thePaper:
		r.score, r.p = r.batch.baca, r.batch.bacaP
	default:
		r.score, r.p = r.alone, r.aloneP
	}
}

func (r *rows) len() int { return len(r.id) }

// add appends records as they are parsed.
func (r *rows) add(e *message.Records) {
	if e.From != r.len() {
		return // of another input
	}
	n := len(e.ID)
	r.id = append(r.id, e.ID...)
	r.smiles = append(r.smiles, fit(e.SMILES, n)...)
	r.drawn = append(r.drawn, fit(e.Drawn, n)...)
	for i := range n {
		line := int32(0)
		if i < len(e.Line) {
			line = e.Line[i]
		}
		r.line = append(r.line, line)
	}
	r.alone, r.aloneP = append(r.alone, missing(n)...), append(r.aloneP, missing(n)...)
	r.decide(eachAlone)
	r.bad = append(r.bad, make([]bool, n)...)
	r.known = append(r.known, make([]bool, n)...)
	r.scored = append(r.scored, make([]bool, n)...)
	r.verdict = append(r.verdict, make([]verdict, n)...)
	if r.problem == nil {
		r.problem = map[int]*message.Problem{}
	}
	shown := make([]string, n)
	for i := range shown {
		shown[i] = r.name(e.From + i)
	}
	r.names.add(shown)
	for i := range e.Problems {
		if record := e.Problems[i].Record; record >= e.From && record < r.len() {
			r.problem[record], r.bad[record] = &e.Problems[i], true
		}
	}
}

// missing is a column of n cells without values.
func missing(n int) []float64 {
	column := make([]float64, n)
	for i := range column {
		column[i] = math.NaN()
	}
	return column
}

// fit gives a column that has n cells.
func fit(column []string, n int) []string {
	if len(column) == n {
		return column
	}
	return append(slices.Clone(column[:min(len(column), n)]), make([]string, max(n-len(column), 0))...)
}

// fill sets the scores, each by itself, of records that have come.
func (r *rows) fill(e *message.Rows) {
	if e.From > r.len() {
		return
	}
	copy(r.alone[e.From:], e.Rows.Scores.Score)
	copy(r.aloneP[e.From:], e.Rows.Scores.P)
	for i := e.From; i < min(e.From+len(e.Rows.ID), r.len()); i++ {
		r.scored[i] = true
		if k := i - e.From; k < len(e.Rows.Known) && !r.known[i] && e.Rows.Known[k] == 1 {
			r.known[i] = true
			r.knows++
		}
	}
}

// judge sets all verdicts and counts them.
func (r *rows) judge(by rule) {
	r.counts = [verdicts]int{}
	r.low, r.hi = math.Inf(1), math.Inf(-1)
	most, border := by.limits()
	resolves, guard := decide.Resolves(by.alpha, by.held), by.guard
	if guard == 0 {
		guard = math.Inf(1)
	}
	for i := range r.verdict {
		// As rule.judge, without a call for each of very many.
		v, p := inside, r.p[i]
		switch {
		case r.bad[i]:
			v = refused
		case !r.scored[i]:
			v = unscored
		case p != p:
			v = undecided
		case p <= most && r.aloneP[i] > guard:
			v = borderline
		case p <= most:
			v = outside
		case !resolves:
			v = undecided
		case p <= border:
			v = borderline
		}
		r.verdict[i] = v
		r.counts[v]++
		if s := r.score[i]; s < r.low {
			r.low = s
		}
		if s := r.score[i]; s > r.hi {
			r.hi = s
		}
	}
}

// picture is the SMILES to draw a record from, empty where there is none.
func (r *rows) picture(i int) string {
	if r.problem[i] != nil {
		return ""
	}
	if r.drawn[i] != "" {
		return r.drawn[i]
	}
	return r.smiles[i]
}

// name is what a record is called on the page.
func (r *rows) name(i int) string {
	if id := r.id[i]; id != "" {
		return id
	}
	return r.smiles[i]
}

// A column is what a table can be sorted by.
type column int

const (
	byInput column = iota
	byName
	byP
	byScore
	byVerdict
	byPre
	byAttn
	byBaCa
	byQ
)

// A view is an order and a choice of the rows.
type view struct {
	by         column
	descending bool
	search     string
	only       [verdicts]bool // those that are shown; none chosen is all
	known      bool           // only those that were likely trained on
}

// order lists the records that the view shows, in its order. Records without the
// value come last in either direction, and equal ones stay in the order of input.
func (r *rows) order(v view) []int32 {
	any := slices.Contains(v.only[:], true)
	search := strings.ToLower(strings.TrimSpace(v.search))
	list := make([]int32, 0, r.len())
	for i := range r.id {
		if any && !v.only[r.verdict[i]] || v.known && !r.known[i] {
			continue
		}
		if search != "" && !contains(r.id[i], search) && !contains(r.smiles[i], search) {
			continue
		}
		list = append(list, int32(i))
	}
	if v.by == byInput {
		if v.descending {
			slices.Reverse(list)
		}
		return list
	}
	key := r.keys(v.by)
	keys := make([]uint64, r.len())
	for _, i := range list {
		k := key(i)
		if v.descending && k != last {
			k = last - 1 - k
		}
		keys[i] = k
	}
	radix(list, keys)
	return list
}

// contains ignores case; search is in lower case, and not empty. Nothing is made of
// a text of plain letters: there may be 100 000 of them between two keys that are
// pressed.
func contains(text, search string) bool {
	first := search[0]
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x80 {
			return strings.Contains(strings.ToLower(text), search)
		}
		if low[c] != first || len(text)-i < len(search) {
			continue
		}
		k := 1
		for k < len(search) && low[text[i+k]] == search[k] {
			k++
		}
		if k == len(search) {
			return true
		}
	}
	return false
}

// low is the small letter of each byte.
var low = func() (t [256]byte) {
	for c := range t {
		if t[c] = byte(c); c >= 'A' && c <= 'Z' {
			t[c] += 'a' - 'A'
		}
	}
	return t
}()

// last is the key of a record that lacks the value.
const last = math.MaxUint64

// keys orders records by a column.
func (r *rows) keys(by column) func(int32) uint64 {
	switch by {
	case byName:
		ranks := r.names.rank()
		return func(i int32) uint64 { return uint64(ranks[i]) }
	case byVerdict:
		return func(i int32) uint64 {
			if r.verdict[i] == unscored {
				return last
			}
			return uint64(r.verdict[i])
		}
	}
	values := map[column][]float64{byP: r.p, byQ: r.p, byScore: r.score}[by]
	if b := r.batch; b != nil && values == nil {
		values = map[column][]float64{byPre: b.pre, byAttn: b.attn, byBaCa: b.baca}[by]
	}
	if values == nil {
		return func(int32) uint64 { return last }
	}
	return func(i int32) uint64 { return keyOf(values[i]) }
}

// keyOf orders numbers, and those that are missing behind them.
func keyOf(x float64) uint64 {
	if math.IsNaN(x) {
		return last
	}
	bits := math.Float64bits(x + 0) // −0 and 0 are equal
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

// radix sorts a list of records by their keys, sixteen bits at a time, and keeps the
// order of equal ones. It takes a few milliseconds for 100 000 of them, which a
// comparing sort does not in WebAssembly.
func radix(list []int32, keys []uint64) {
	spare := make([]int32, len(list))
	starts := make([]int32, 1<<16)
	for shift := 0; shift < 64; shift += 16 {
		clear(starts)
		for _, i := range list {
			starts[keys[i]>>shift&0xffff]++
		}
		at := int32(0)
		for k, n := range starts {
			starts[k] = at
			at += n
		}
		for _, i := range list {
			k := keys[i] >> shift & 0xffff
			spare[starts[k]] = i
			starts[k]++
		}
		list, spare = spare, list
	}
}

// A window is the part of a long list that is drawn.
type window struct {
	from, to      int // of the list
	before, after int // pixels above and below
}

// windowOf gives the rows to draw for a view of the list that is scrolled by top
// and height pixels high, with some more rows on both sides.
func windowOf(n, rowHeight, top, height, more int) window {
	from := min(max(top/rowHeight-more, 0), n)
	to := min(max((top+height+rowHeight-1)/rowHeight+more, from), n)
	return window{from, to, from * rowHeight, (n - to) * rowHeight}
}

// columns are the rows of that order as `baca score` would write them, with q-values
// if there are any, and with all of a calibrated batch, whose own verdicts follow from
// a rule.
func (r *rows) columns(order []int32, l levels, own rule) message.Columns {
	var c message.Columns
	for _, o := range order {
		i := int(o)
		if len(l.p) > 0 {
			c.Q = append(c.Q, l.of(r.p[i]))
		}
		c.ID = append(c.ID, r.id[i])
		c.SMILES = append(c.SMILES, r.smiles[i])
		s := &c.Scores
		s.Score, s.P = append(s.Score, r.score[i]), append(s.P, r.p[i])
		c.Verdict = append(c.Verdict, r.verdict[i].short())
		if b := r.batch; b != nil {
			s.Alone, s.AloneP = append(s.Alone, r.alone[i]), append(s.AloneP, r.aloneP[i])
			s.Pre, s.Attn, s.BaCa = append(s.Pre, b.pre[i]), append(s.Attn, b.attn[i]), append(s.BaCa, b.baca[i])
			s.Batch, s.BatchP = append(s.Batch, b.score[i]), append(s.BatchP, b.scoreP[i])
			v := r.verdict[i]
			if v != unscored && v != refused {
				v = own.judge(b.scoreP[i], r.aloneP[i])
			}
			c.BatchVerdict = append(c.BatchVerdict, v.short())
		}
		problem := ""
		if p := r.problem[i]; p != nil {
			problem = p.Text
		}
		c.Error = append(c.Error, problem)
	}
	return c
}
