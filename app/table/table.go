// Package table is the page's table of records (Table): columns by name, verdicts by a movable rule,
// sorting, search, and files of its rows.
package table

import (
	"math"
	"slices"
	"strings"

	"baca/algo/decide"
	"baca/algo/property"
	"baca/algo/table"
	"baca/app/words"
	"baca/wasm/message"
)

// A Table is the records of an input with their verdicts, in the order and choice of the user.
type Table struct {
	Settings
	Rev  Revisions
	Rows Rows

	// References are where held-out graphs stand on the axes of the deciders, see Places.
	References [Deciders][]float64
	Untrained  bool          // the model's encoder is, so that the paper's method decides nothing
	Levels     decide.Levels // q-values, if a rate of false discoveries decides
	Complete   bool          // all records are scored
	list       int           // graphs of the batch

	View  View
	Order []int32 // records in the table

	Pause func() // is called in long work, to do other things; may be nil
}

// New returns an empty table with the default settings.
func New() Table {
	return Table{Settings: Settings{Alpha: UsualAlpha}, View: View{Shape: List, By: "score", Descending: true}}
}

// Unscored is the verdict of a record before it is scored.
const Unscored decide.Verdict = ""

// Revisions count changes, so that components redraw only then.
type Revisions struct {
	Rows  int // input, table and picture
	State int // all else
}

func (r *Revisions) All() {
	r.Rows++
	r.State++
}

// Deciding is the present decider: the batch only once calibrated, the paper's method only with a trained encoder.
func (t *Table) Deciding() Decider {
	if t.Rows.Batch == nil || t.By == ThePaper && t.Untrained {
		return EachAlone
	}
	return t.By
}

func (t *Table) Calibrated() bool { return t.Rows.Batch != nil }

// Reference are the held-out scores of what decides.
func (t *Table) Reference() []float64 { return t.References[t.Deciding()] }

// SetReference sets the scores of held-out graphs by themselves.
func (t *Table) SetReference(scores []float64) {
	t.References[EachAlone] = known(scores)
}

// TakeBatch sets the columns of a batch of so many graphs, to judge by those of the held-out graphs.
func (t *Table) TakeBatch(graphs int, batch, holdout message.Columns) {
	r := &t.Rows
	t.list = graphs
	paper := known(holdout.Numbers("s_baca"))
	t.References[TheBatch], t.References[ThePaper] = known(holdout.Numbers("batch")), logs(decide.PValues(paper, paper))
	r.Batch = slices.DeleteFunc(batch, func(c table.Column) bool { return table.Named(r.columns, c.Name) != nil })
}

// ForgetBatch has each record decide alone again.
func (t *Table) ForgetBatch() {
	t.Rows.Batch, t.References[TheBatch], t.References[ThePaper] = nil, nil, nil
}

// Clear forgets records and scores, for another input.
func (t *Table) Clear() {
	*t = Table{Settings: t.Settings, Rev: t.Rev, View: t.View.next(), Pause: t.Pause}
}

// ForgetScores keeps records and choices.
func (t *Table) ForgetScores() {
	t.Rows.forgetScores()
	*t = Table{Settings: t.Settings, Rev: t.Rev, Rows: t.Rows, View: t.View, Order: t.Order, Pause: t.Pause}
}

// Furthest are the records with the highest scores, descending.
func (t *Table) Furthest(most int) []int32 {
	score := t.Rows.Score
	var list []int32
	for i, x := range score {
		if math.IsNaN(x) || len(list) == most && x <= score[list[most-1]] {
			continue
		}
		// After equal ones.
		at, _ := slices.BinarySearchFunc(list, x, func(i int32, x float64) int {
			if score[i] >= x {
				return -1
			}
			return 1
		})
		list = slices.Insert(list, at, int32(i))
		list = list[:min(len(list), most)]
	}
	return list
}

// SetAlpha judges all records again, without scoring.
func (t *Table) SetAlpha(alpha float64) {
	t.Alpha = min(max(alpha, leastAlpha/10), 1)
	t.judgeAgain()
}

// MoveThreshold sets α to the p-value of a place, so that records from there on are outside. It does nothing without
// a reference.
func (t *Table) MoveThreshold(place float64) {
	if p := decide.PValues([]float64{place}, t.Reference())[0]; !math.IsNaN(p) {
		t.SetAlpha(min(roundUp(p), mostAlpha))
	}
}

// roundUp keeps three digits, enough to separate p-values, so that addresses and files judge equally.
func roundUp(p float64) float64 {
	rounded := words.Round(p, 3)
	if rounded < p {
		rounded = words.Round(rounded+math.Pow(10, math.Floor(math.Log10(p))-2), 3)
	}
	return rounded
}

// SetFDR sets the deciding false-discovery rate, 0 for α.
func (t *Table) SetFDR(rate float64) {
	t.FDR = rate
	t.level()
	if rate == 0 && t.View.By == "q_value" {
		t.View.By = "p_value"
	}
	t.judgeAgain()
}

// level computes q-values if needed, once all records are scored.
func (t *Table) level() {
	switch {
	case t.FDR == 0:
		t.Levels = nil
	case t.Levels == nil && t.Complete:
		t.Levels = decide.LevelsOf(t.Rows.P)
	}
}

// Rule is what decides at present. q-values need all records.
func (t *Table) Rule() decide.Rule {
	rule := t.RuleOf(t.Deciding())
	if len(t.Levels) > 0 {
		rule.ByRate, rule.Cut = true, t.Levels.Cut(t.FDR)
	}
	return rule
}

// RuleOf is the rule of a decider for each record by α.
func (t *Table) RuleOf(by Decider) decide.Rule {
	rule := decide.Rule{Alpha: t.Alpha, Holdout: len(t.References[by])}
	switch by {
	case TheBatch:
		rule.Guard = decide.Guard(t.list, t.Alpha)
	case ThePaper:
		rule.Guard = decide.PaperGuard(t.Alpha)
	}
	return rule
}

// JudgeBy is the verdict of a decider on a record, at α.
func (t *Table) JudgeBy(by Decider, record int) decide.Verdict {
	_, p := t.Rows.By(by)
	return t.RuleOf(by).Judge(p[record], t.Rows.GuardP(record))
}

// JudgePre returns the verdict of S_Pre alone on a record, its p among the held-out scores, and whether S_BaCa gains
// over it: S_Pre does not call the record outside, but S_BaCa does, and so does the record's score by itself.
func (t *Table) JudgePre(record int, held message.Columns) (v decide.Verdict, p float64, gained bool) {
	p = decide.PValues(t.Rows.Batch.Numbers("s_pre")[record:record+1], held.Numbers("s_pre"))[0]
	v = t.RuleOf(EachAlone).Judge(p, p)
	gained = v != decide.Outside && t.JudgeBy(ThePaper, record) == decide.Outside && t.JudgeBy(EachAlone, record) == decide.Outside
	return v, p, gained
}

// Threshold is the place from which on records are called outside, NaN for none.
func (t *Table) Threshold() float64 { return t.Line(t.Deciding(), t.Rule()) }

// Line is the same of a decider under its rule.
func (t *Table) Line(by Decider, rule decide.Rule) float64 {
	most, _ := rule.Limits()
	return Threshold(t.References[by], most)
}

// Places returns where records stand on the axis of a decider: at their scores or, for the paper's method, at −log10
// of p, since S_BaCa has another scale in each fold of the list. A record that only the guard keeps from being
// outside stands just before the line.
func (t *Table) Places(by Decider, rule decide.Rule) []float64 {
	score, p := t.Rows.By(by)
	if by == EachAlone {
		return score // there is no guard
	}
	score = slices.Clone(score)
	if by == ThePaper {
		score = logs(p)
	}
	most, _ := rule.Limits()
	before := math.Nextafter(t.Line(by, rule), math.Inf(-1))
	for i, x := range score {
		if p[i] <= most && rule.Judge(p[i], t.Rows.GuardP(i)) != decide.Outside {
			score[i] = min(x, before)
		}
	}
	return score
}

// logs are −log10 of p-values.
func logs(p []float64) []float64 {
	list := make([]float64, len(p))
	for i, x := range p {
		list[i] = 0 - math.Log10(x)
	}
	return list
}

// Settle sets scores and p-values to those of the present decider, and judges all records by them.
func (t *Table) Settle() {
	t.Rows.decide(t.Deciding())
	t.Levels = nil
	t.level()
	t.Judge()
	t.Rev.State++
}

// Judge sets verdicts, counts and order.
func (t *Table) Judge() {
	t.judge()
	if t.Pause != nil {
		t.Pause()
	}
	t.Arrange()
}

func (t *Table) judge() { t.Rows.judge(t.Rule(), t.Places(t.Deciding(), t.Rule())) }

// judgeAgain judges all records, and sorts and filters them again if that depends on verdicts.
func (t *Table) judgeAgain() {
	t.judge()
	t.Rev.All()
	if t.View.By == "verdict" || len(t.View.Only) > 0 {
		t.Arrange() // other orders ignore verdicts
	}
}

// Arrange sorts and filters the records again.
func (t *Table) Arrange() {
	t.Order = t.Rows.order(t.View)
	t.Rev.Rows++
}

// SortBy sorts by a column, or reverses it, the unusual first.
func (t *Table) SortBy(name string) {
	most := slices.ContainsFunc(heads, func(h Head) bool { return h.By == name && h.most })
	t.View.By, t.View.Descending = name, t.View.By != name && most || t.View.By == name && !t.View.Descending
	t.Arrange()
}

// Search filters rows by text, or by a structure once that is computed.
func (t *Table) Search(search string, structure bool) {
	t.View.Search, t.View.Structure = search, structure
	delete(t.Rows.Computed, message.OfStructure)
	if structure && strings.TrimSpace(search) != "" {
		t.Rev.Rows++ // the rows stay until it is known which have it
		return
	}
	t.Arrange()
}

// Wants names what the present view still needs computed, empty for nothing.
func (t *Table) Wants() string {
	for _, w := range []struct {
		what string
		is   bool
	}{
		{message.OfStructure, t.View.Structure && strings.TrimSpace(t.View.Search) != ""},
		{message.OfProperties, slices.ContainsFunc(t.Chosen(), func(name string) bool { return property.ColumnOf(name) != nil })},
	} {
		if _, known := t.Rows.Computed[w.what]; w.is && !known {
			return w.what
		}
	}
	return ""
}

// ToggleVerdict toggles the filter of a class, see Rows.Class.
func (t *Table) ToggleVerdict(v decide.Verdict) {
	t.View.Only = toggled(t.View.Only, v)
	t.Arrange()
}

// AboveLimit are the contributions of a detail, which add up to how far the score is above
// the line between inside and outside. The line may have been moved since.
func (t *Table) AboveLimit(d *message.Detailed) []float64 {
	limit, ok := decide.Threshold(t.References[EachAlone], t.Alpha)
	if !ok || limit == d.Limit {
		return d.Contributions
	}
	read := 0.0
	for _, c := range d.Contributions {
		if !math.IsNaN(c) {
			read++
		}
	}
	moved := make([]float64, len(d.Contributions))
	for i, c := range d.Contributions {
		moved[i] = c + (d.Limit-limit)/read
	}
	return moved
}

// known are the scores without NaN.
func known(scores []float64) []float64 { return slices.DeleteFunc(slices.Clone(scores), math.IsNaN) }

// Threshold is the lowest place outside at α, NaN if the holdout is too small.
func Threshold(reference []float64, alpha float64) float64 {
	if t, ok := decide.Threshold(reference, alpha); ok {
		return t
	}
	return math.NaN()
}
