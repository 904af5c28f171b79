package session

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"baca/app/words"
	"baca/wasm/message"
)

// Rows are the records of an input and what is known of each, by its number.
type Rows struct {
	id, SMILES, drawn []string
	Line              []int32
	Refused           []*message.Problem // why, in the order of the input
	names             names

	Alone, AloneP []float64        // of each by itself
	Batch         *Batch           // nil until it is calibrated
	Trust         *message.Trusted // of predictions, nil where none were judged
	Score, P      []float64        // of what decides: columns of the above

	more []message.Column // which files have, and the page does not show

	SetAside  []string // what of each the model did not read, empty for nothing
	refused   []bool
	Known     []bool // likely trained on
	Knows     int    // how many are
	scored    []bool
	Verdict   []Verdict
	Counts    [Verdicts]int
	Low, High float64 // of Score
}

// A Batch has the columns that only a calibrated batch gives.
type Batch struct {
	Pre, Attn, BaCa, BaCaP, Score, ScoreP []float64
}

func newBatch(n int) *Batch {
	return &Batch{missing(n), missing(n), missing(n), missing(n), missing(n), missing(n)}
}

// fill sets the columns of records that have come.
func (b *Batch) fill(e *message.Rows) {
	if e.From > len(b.Pre) {
		return
	}
	s := e.Rows.Scores
	copy(b.Pre[e.From:], s.Pre)
	copy(b.Attn[e.From:], s.Attn)
	copy(b.BaCa[e.From:], s.BaCa)
	copy(b.Score[e.From:], s.Batch)
	copy(b.ScoreP[e.From:], s.BatchP)
}

// By are the scores of a decider and their p-values. All but EachAlone need a batch.
func (r *Rows) By(by Decider) (score, p []float64) {
	switch by {
	case TheBatch:
		return r.Batch.Score, r.Batch.ScoreP
	case ThePaper:
		return r.Batch.BaCa, r.Batch.BaCaP
	}
	return r.Alone, r.AloneP
}

// decide has Score and P be those of what decides.
func (r *Rows) decide(by Decider) { r.Score, r.P = r.By(by) }

// Len is how many records there are.
func (r *Rows) Len() int { return len(r.id) }

// Add appends records as they are parsed.
func (r *Rows) Add(e *message.Records) {
	if e.From != r.Len() {
		return // of another input
	}
	n := len(e.ID)
	r.id, r.SMILES, r.drawn = append(r.id, e.ID...), append(r.SMILES, e.SMILES...), append(r.drawn, e.Drawn...)
	r.Line = append(r.Line, e.Line...)
	r.Alone, r.AloneP = append(r.Alone, missing(n)...), append(r.AloneP, missing(n)...)
	r.decide(EachAlone)
	r.SetAside = append(r.SetAside, make([]string, n)...)
	r.refused = append(r.refused, make([]bool, n)...)
	r.Known = append(r.Known, make([]bool, n)...)
	r.scored = append(r.scored, make([]bool, n)...)
	r.Verdict = append(r.Verdict, make([]Verdict, n)...)
	shown := make([]string, n)
	for i := range shown {
		shown[i] = r.Name(e.From + i)
	}
	r.names.add(shown)
	for i := range e.Problems {
		r.Refused = append(r.Refused, &e.Problems[i])
		r.refused[e.Problems[i].Record] = true
	}
}

// Problem is why a record was refused, nil where it was not.
func (r *Rows) Problem(record int) *message.Problem {
	at, ok := slices.BinarySearchFunc(r.Refused, record, func(p *message.Problem, record int) int { return p.Record - record })
	if !ok {
		return nil
	}
	return r.Refused[at]
}

// missing is a column of n cells without values.
func missing(n int) []float64 {
	column := make([]float64, n)
	for i := range column {
		column[i] = math.NaN()
	}
	return column
}

// fill sets the scores, each by itself, of records that have come.
func (r *Rows) fill(e *message.Rows) {
	if e.From > r.Len() {
		return
	}
	r.keep(e)
	copy(r.Alone[e.From:], e.Rows.Scores.Score)
	copy(r.AloneP[e.From:], e.Rows.Scores.P)
	copy(r.SetAside[e.From:], e.Rows.SetAside)
	for i := e.From; i < min(e.From+len(e.Rows.ID), r.Len()); i++ {
		r.scored[i] = true
		if k := i - e.From; k < len(e.Rows.Known) && !r.Known[i] && e.Rows.Known[k] == 1 {
			r.Known[i] = true
			r.Knows++
		}
	}
}

// keep sets the further columns of records that have come.
func (r *Rows) keep(e *message.Rows) {
	for _, m := range e.Rows.More {
		i := slices.IndexFunc(r.more, func(c message.Column) bool { return c.Name == m.Name })
		if i < 0 {
			i = len(r.more)
			r.more = append(r.more, message.Column{Name: m.Name, Numbers: missing(r.Len())})
		}
		c, from := &r.more[i], min(e.From, r.Len())
		if m.Texts != nil {
			if len(c.Texts) != r.Len() {
				c.Texts, c.Numbers = make([]string, r.Len()), nil
			}
			copy(c.Texts[from:], m.Texts)
			continue
		}
		copy(c.Numbers[from:], m.Numbers)
	}
}

// forgetScores makes all records unscored.
func (r *Rows) forgetScores() {
	n := r.Len()
	r.Alone, r.AloneP, r.Batch, r.Trust = missing(n), missing(n), nil, nil
	r.more = nil
	r.decide(EachAlone)
	clear(r.SetAside)
	clear(r.scored)
	clear(r.Known)
	r.Knows = 0
}

// judge sets all verdicts and counts them.
func (r *Rows) judge(by Rule) {
	r.Counts = [Verdicts]int{}
	r.Low, r.High = math.Inf(1), math.Inf(-1)
	for i := range r.Verdict {
		v := Unscored
		switch {
		case r.refused[i]:
			v = Refused
		case r.scored[i]:
			v = by.Judge(r.P[i], r.AloneP[i])
		}
		r.Verdict[i] = v
		r.Counts[v]++
		if s := r.Score[i]; s < r.Low {
			r.Low = s
		}
		if s := r.Score[i]; s > r.High {
			r.High = s
		}
	}
}

// Picture is the SMILES to draw a record from, empty where there is none.
func (r *Rows) Picture(i int) string {
	if r.refused[i] {
		return ""
	}
	if r.drawn[i] != "" {
		return r.drawn[i]
	}
	return r.SMILES[i]
}

// Name is what a record is called on the page.
func (r *Rows) Name(i int) string {
	if id := r.id[i]; id != "" {
		return id
	}
	return r.SMILES[i]
}

// Judged is how many records have a verdict that says something.
func (r *Rows) Judged() int { return r.Counts[Inside] + r.Counts[Borderline] + r.Counts[Outside] }

// ShortName is that for where there is little room, empty for no record.
func (r *Rows) ShortName(i int) string {
	if i < 0 || i >= r.Len() {
		return ""
	}
	return words.Shorten(r.Name(i), 28)
}

// A Column is what a table can be sorted by.
type Column int

const (
	ByInput Column = iota
	ByName
	ByP
	ByScore
	ByVerdict
	ByPre
	ByAttn
	ByBaCa
	ByQ
	ByPrediction
	ByExpected // error
	ByTrust
)

// A View is an order and a choice of the rows.
type View struct {
	By         Column
	Descending bool
	search     string
	Only       [Verdicts]bool // those that are shown; none chosen is all
	Known      bool           // only those that were likely trained on
}

// order lists the records that the view shows, in its order. Records without the
// value come last in either direction, and equal ones stay in the order of input.
func (r *Rows) order(v View) []int32 {
	chosen := slices.Contains(v.Only[:], true)
	search := strings.ToLower(strings.TrimSpace(v.search))
	list := make([]int32, 0, r.Len())
	for i := range r.id {
		if chosen && !v.Only[r.Verdict[i]] || v.Known && !r.Known[i] {
			continue
		}
		if search != "" && !contains(r.id[i], search) && !contains(r.SMILES[i], search) {
			continue
		}
		list = append(list, int32(i))
	}
	if v.By == ByInput {
		if v.Descending {
			slices.Reverse(list)
		}
		return list
	}
	key := r.keys(v.By)
	keys := make([]uint64, r.Len())
	for _, i := range list {
		k := key(i)
		if v.Descending && k != last {
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
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(text), search)
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c == search[0] && len(text)-i >= len(search) && strings.EqualFold(text[i:i+len(search)], search) {
			return true
		}
	}
	return false
}

// last is the key of a record that lacks the value.
const last = math.MaxUint64

// keys orders records by a column.
func (r *Rows) keys(by Column) func(int32) uint64 {
	switch by {
	case ByName:
		ranks := r.names.rank()
		return func(i int32) uint64 { return uint64(ranks[i]) }
	case ByVerdict:
		return func(i int32) uint64 {
			if r.Verdict[i] == Unscored {
				return last
			}
			return uint64(r.Verdict[i])
		}
	}
	values := r.values(by)
	if values == nil {
		return func(int32) uint64 { return last }
	}
	return func(i int32) uint64 { return keyOf(values[i]) }
}

// values are the numbers of a column, nil where it has none.
func (r *Rows) values(by Column) []float64 {
	switch {
	case by == ByP || by == ByQ:
		return r.P
	case by == ByScore:
		return r.Score
	case r.Trust != nil && by == ByPrediction:
		return r.Trust.Predicted
	case r.Trust != nil && by == ByExpected:
		return r.Trust.Error
	case r.Trust != nil && by == ByTrust:
		return r.trustRanks()
	case r.Batch != nil && by == ByPre:
		return r.Batch.Pre
	case r.Batch != nil && by == ByAttn:
		return r.Batch.Attn
	case r.Batch != nil && by == ByBaCa:
		return r.Batch.BaCa
	}
	return nil
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

// columns are the rows of that order as `baca score` would write them, with q-values
// if there are any, and with all of a calibrated batch, whose own verdicts follow from
// a rule.
func (r *Rows) columns(order []int32, l Levels, own Rule) message.Columns {
	c := message.Columns{ID: pick(r.id, order), SMILES: pick(r.SMILES, order), SetAside: pick(r.SetAside, order)}
	for k, i := range order {
		c.SMILES[k] = cmp.Or(c.SMILES[k], r.drawn[i])
	}
	s := &c.Scores
	s.Score, s.P = pick(r.Score, order), pick(r.P, order)
	b := r.Batch
	if b != nil {
		s.Alone, s.AloneP = pick(r.Alone, order), pick(r.AloneP, order)
		s.Pre, s.Attn, s.BaCa = pick(b.Pre, order), pick(b.Attn, order), pick(b.BaCa, order)
		s.Batch, s.BatchP = pick(b.Score, order), pick(b.ScoreP, order)
	}
	for _, i := range order {
		if len(l) > 0 {
			c.Q = append(c.Q, l.Of(r.P[i]))
		}
		v := r.Verdict[i]
		c.Verdict = append(c.Verdict, v.short())
		if b != nil {
			if v != Unscored && v != Refused {
				v = own.Judge(b.ScoreP[i], r.AloneP[i])
			}
			c.BatchVerdict = append(c.BatchVerdict, v.short())
		}
		problem := ""
		if p := r.Problem(int(i)); p != nil {
			problem = p.Text
		}
		c.Error = append(c.Error, problem)
	}
	if t := r.Trust; t != nil {
		*c.Numbers("predicted") = pick(t.Predicted, order)
		*c.Numbers("expected_error") = pick(t.Error, order)
		*c.Numbers("interval_low") = pick(t.Low, order)
		*c.Numbers("interval_high") = pick(t.High, order)
		*c.Texts("trust") = pick(t.Verdict, order)
	}
	for _, m := range r.more {
		if m.Texts != nil {
			*c.Texts(m.Name) = pick(m.Texts, order)
		} else {
			*c.Numbers(m.Name) = pick(m.Numbers, order)
		}
	}
	return c
}

// pick are the cells of records.
func pick[T any](column []T, order []int32) []T {
	cells := make([]T, len(order))
	for k, i := range order {
		cells[k] = column[i]
	}
	return cells
}
