package table

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"baca/algo/decide"
	"baca/algo/table"
	"baca/app/words"
	"baca/wasm/message"
)

// Rows are the records of an input by number.
type Rows struct {
	names   []string           // of columns that were read: id, SMILES and the input's own
	read    []*message.Records // as they came
	part    []int32            // of read, for each record
	Line    []int32
	Refused []*message.Problem // in input order

	columns       message.Columns                             // by themselves, as they come
	Alone, AloneP []float64                                   // of these
	Batch         message.Columns                             // of the batch, nil until calibrated
	Trust         *message.Trusted                            // of predictions, or nil
	Computed      map[string]message.Answer[message.Computed] // on request, by message.Compute.What
	Places        []float32                                   // x and y on the map of those asked for; NaN for none, else infinite
	Score, P      []float64                                   // of the decider, from the above
	ranks         map[string][]uint64                         // of texts, by column
	numeric       map[string]int                              // of columns of texts: first records that are numbers, −1 if one is none

	Known     []bool // trained on
	scored    []bool
	Verdict   []decide.Verdict
	Arrived   int // records and scores since rows were judged
	Counts    decide.Counts
	Trained   decide.Counts // of the class InTraining
	At        []float64     // the decider's axis, see Table.Places
	Low, High float64       // of these, without records of the training set
}

// Take keeps the answer to a message.Compute, which was to place some records.
func (r *Rows) Take(what string, reply message.Reply, placed ...int32) {
	if r.Computed == nil {
		r.Computed = map[string]message.Answer[message.Computed]{}
	}
	var a message.Answer[message.Computed]
	a.Take(reply)
	r.Computed[what] = a
	if a.Value != nil && placed != nil {
		if r.Places == nil {
			r.Places = slices.Repeat([]float32{float32(math.Inf(1))}, 2*r.Len())
		}
		for k, record := range placed {
			copy(r.Places[2*record:], a.Value.Places[2*k:2*k+2])
		}
	}
}

// Unplaced reports whether a record's place on the map has not been asked for.
func (r *Rows) Unplaced(record int32) bool {
	return r.Places == nil || r.Places[2*record] > math.MaxFloat32
}

// Place copies arrived rows into columns, adding missing columns.
func (r *Rows) Place(to *message.Columns, e *message.Rows) {
	n := r.Len()
	if e.From > n {
		return
	}
	for _, c := range e.Rows {
		known := table.Named(*to, c.Name)
		if known == nil {
			*to = append(*to, table.Column{Name: c.Name, Kind: c.Kind})
			known = &(*to)[len(*to)-1]
			grow(known, n)
		}
		if known.Kind == c.Kind {
			copy(known.Texts[min(e.From, len(known.Texts)):], c.Texts)
			copy(known.Numbers[min(e.From, len(known.Numbers)):], c.Numbers)
			copy(known.TextLists[min(e.From, len(known.TextLists)):], c.TextLists)
			copy(known.NumberLists[min(e.From, len(known.NumberLists)):], c.NumberLists)
		}
	}
}

// grow appends n empty rows.
func grow(c *table.Column, n int) {
	switch c.Kind {
	case table.Texts:
		c.Texts = append(c.Texts, make([]string, n)...)
	case table.Numbers, table.Truths:
		c.Numbers = append(c.Numbers, missing(n)...)
	case table.TextLists:
		c.TextLists = append(c.TextLists, make([][]string, n)...)
	default:
		c.NumberLists = append(c.NumberLists, make([][]float64, n)...)
	}
}

// By returns a decider's scores and p-values. All except EachAlone need a batch.
func (r *Rows) By(by Decider) (score, p []float64) {
	switch by {
	case TheBatch:
		return r.Batch.Numbers("batch"), r.Batch.Numbers("batch_p")
	case ThePaper:
		return r.Batch.Numbers("s_baca"), r.Batch.Numbers("baca_p")
	}
	return r.Alone, r.AloneP
}

// Foreign tells whether no training graph is as much like the list as a record.
func (r *Rows) Foreign(i int) bool {
	list := r.Batch.Numbers("batch_foreign")
	return list != nil && list[i] > 0
}

// GuardP is the p-value by which the guard judges a record, see algo.Row.GuardP: that of the record alone, or 0 if it
// is foreign.
func (r *Rows) GuardP(i int) float64 {
	if r.Foreign(i) {
		return 0
	}
	return r.AloneP[i]
}

func (r *Rows) decide(by Decider) {
	r.Score, r.P = r.By(by)
	r.At = r.Score
}

func (r *Rows) Len() int { return len(r.part) }

// cell is a record's text in a column that was read.
func (r *Rows) cell(i, column int) string {
	from := r.read[r.part[i]]
	return from.Cell(i-from.From, column)
}

// ID is a record's id, as it was read.
func (r *Rows) ID(i int) string { return r.cell(i, 0) }

// SMILES is a record's structure, empty for a plain graph.
func (r *Rows) SMILES(i int) string { return r.cell(i, 1) }

// All are the records in input order.
func (r *Rows) All() []int32 { return r.order(View{}) }

// Add appends records that were read. It ignores those that do not follow the ones that are there.
func (r *Rows) Add(e *message.Records) {
	n := len(e.Line)
	if e.From == 0 {
		r.names, r.numeric = e.Columns, map[string]int{}
	}
	if e.From != r.Len() || len(e.Ends) != n*len(r.names) {
		return // of another input
	}
	r.Arrived += n
	for range n {
		r.part = append(r.part, int32(len(r.read)))
	}
	r.read = append(r.read, e)
	r.Line, r.ranks = append(r.Line, e.Line...), nil
	r.view()
	r.Known = append(r.Known, make([]bool, n)...)
	r.scored = append(r.scored, make([]bool, n)...)
	r.Verdict = append(r.Verdict, make([]decide.Verdict, n)...)
	for i := range e.Problems {
		p := &e.Problems[i]
		r.Refused, r.Verdict[p.Record] = append(r.Refused, p), decide.Refused
	}
}

// view extends the usual columns to all rows, of which the latest have no scores yet.
func (r *Rows) view() {
	if r.columns == nil {
		r.columns = table.Of(table.Fields(table.Usual), nil)
	}
	for i := range r.columns {
		if c := &r.columns[i]; !slices.Contains(message.Told, c.Name) {
			grow(c, r.Len()-c.Len())
		}
	}
	r.Alone, r.AloneP = r.columns.Numbers("score"), r.columns.Numbers("p_value")
	if r.Batch == nil {
		r.decide(EachAlone)
	}
}

// Problem is why a record was refused, or nil.
func (r *Rows) Problem(record int) *message.Problem {
	at, ok := slices.BinarySearchFunc(r.Refused, record, func(p *message.Problem, record int) int { return p.Record - record })
	if !ok {
		return nil
	}
	return r.Refused[at]
}

// missing returns a column of n NaN.
func missing(n int) []float64 {
	column := make([]float64, n)
	for i := range column {
		column[i] = math.NaN()
	}
	return column
}

// Fill stores rows of single scores, and drops rows of another input.
func (r *Rows) Fill(e *message.Rows) {
	if e.From > r.Len() {
		return
	}
	r.Place(&r.columns, e)
	r.view()
	r.Arrived += table.Rows(e.Rows)
	for i := e.From; i < min(e.From+table.Rows(e.Rows), r.Len()); i++ {
		r.scored[i] = true
		if k := i - e.From; k < len(e.Known) && e.Known[k] == 1 {
			r.Known[i] = true
		}
	}
}

// forgetScores forgets all but what was read of the records.
func (r *Rows) forgetScores() {
	r.Batch, r.Trust, r.Computed, r.Places, r.ranks = nil, nil, nil, nil, nil
	r.columns = nil
	r.view()
	clear(r.scored)
	for i, v := range r.Verdict {
		if v != decide.Refused {
			r.Verdict[i] = Unscored
		}
	}
	clear(r.Known)
}

// judge sets all verdicts and counts them, and where records stand.
func (r *Rows) judge(by decide.Rule, at []float64) {
	r.Arrived = 0
	r.Counts, r.At, r.Low, r.High = decide.Counts{}, at, math.Inf(1), math.Inf(-1)
	r.Trained = decide.Counts{}
	for i := range r.Verdict {
		if r.scored[i] && r.Verdict[i] != decide.Refused {
			r.Verdict[i] = by.Judge(r.P[i], r.GuardP(i))
			r.Counts.Count(r.Verdict[i])
		}
		if r.Class(i) == InTraining {
			r.Trained.Count(r.Verdict[i])
		} else if x := at[i]; !math.IsNaN(x) {
			r.Low, r.High = min(r.Low, x), max(r.High, x)
		}
	}
}

// Picture is the SMILES of a record's drawing, or empty.
func (r *Rows) Picture(i int) string {
	if r.Verdict[i] == decide.Refused {
		return ""
	}
	return r.SMILES(i)
}

// InTraining is the class of a training graph, which has a verdict as any.
const InTraining decide.Verdict = "known"

// Class is a record's verdict, or InTraining, which is shown instead unless the verdict is outside.
func (r *Rows) Class(i int) decide.Verdict {
	if v := r.Verdict[i]; r.Known[i] && (v == decide.Inside || v == decide.Borderline) {
		return InTraining
	}
	return r.Verdict[i]
}

// Count is the number of records of a class.
func (r *Rows) Count(class decide.Verdict) int {
	switch class {
	case decide.Outside:
		return r.Counts.Outside
	case decide.Borderline:
		return r.Counts.Borderline - r.Trained.Borderline
	case decide.Inside:
		return r.Counts.Inside - r.Trained.Inside
	case InTraining:
		return r.Trained.Inside + r.Trained.Borderline
	case decide.Undecided:
		return r.Counts.Undecided
	}
	return len(r.Refused)
}

// Named reports whether a record has a name besides its number.
func (r *Rows) Named(i int) bool { return r.ID(i) != "" && r.ID(i) != strconv.Itoa(i+1) }

// Name is a record's name or, of one without, its line or row.
func (r *Rows) Name(i int) string {
	switch {
	case r.Named(i):
		return r.ID(i)
	case int(r.Line[i]) == i+1:
		return "line " + strconv.Itoa(i+1)
	}
	return "row " + strconv.Itoa(i+1)
}

// Judged counts records that are inside, borderline or outside.
func (r *Rows) Judged() int { return r.Counts.Inside + r.Counts.Borderline + r.Counts.Outside }

// ShortName fits small places, empty for no record.
func (r *Rows) ShortName(i int) string {
	if i < 0 || i >= r.Len() {
		return ""
	}
	return words.Shorten(r.Name(i), 28)
}

// LineOf is a record as one line: its SMILES and, after a space, its id if it has one. Control characters become
// spaces.
func (r *Rows) LineOf(i int) string {
	space := func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}
	line := strings.Map(space, r.SMILES(i))
	if id := strings.Map(space, r.ID(i)); id != "" {
		line += " " + id
	}
	return line
}

// TrustOf is the verdict on a record's prediction, empty for none.
func (r *Rows) TrustOf(record int) string {
	if r.Trust == nil {
		return ""
	}
	return r.Trust.Rows.Texts("trust")[record]
}

// Interval is a record's, or empty.
func (r *Rows) Interval(record int) string {
	if r.Trust == nil || math.IsNaN(r.Trust.Rows.Numbers("interval_low")[record]) {
		return ""
	}
	high := words.Number(r.Trust.Rows.Numbers("interval_high")[record])
	if r.Trust.Bare {
		return "± " + high
	}
	return words.Number(r.Trust.Rows.Numbers("interval_low")[record]) + " to " + high
}

// StatedLine says how often errors were large by verdict: of the list, if it is measured, or of held-out molecules.
func StatedLine(t *message.Trusted) string {
	said := words.Sentences([]string{cmp.Or(t.Held, t.Sentences[1])})
	return strings.ReplaceAll(said, "do-not-use", "do not use")
}

// PredictionWords say what is known of the prediction for a record.
func (r *Rows) PredictionWords(record int) string {
	t := r.Trust
	if r.TrustOf(record) == "" {
		return "There is no prediction for it in the input."
	}
	said := "The prediction is " + words.Number(t.Rows.Numbers("predicted")[record])
	if t.Bare {
		said = "There is no prediction for it in the input"
	}
	expected := t.Rows.Numbers("expected_error")[record]
	if math.IsNaN(expected) {
		if t.Classes {
			return said + ". No held-out prediction was this unsure, so nothing is known of its error."
		}
		return said + ". No held-out molecule was this far outside, so nothing is known of its error."
	}
	if t.Bare {
		said += ". One would have"
	} else {
		said += ", with"
	}
	said += " an expected error of " + words.Number(expected) + "."
	if interval := r.Interval(record); interval != "" {
		said += " The interval " + interval + " holds " + words.Percent(t.Coverage) +
			" of observed values, for molecules like those held out."
	}
	return said
}
