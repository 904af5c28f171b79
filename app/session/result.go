package session

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"baca/algo/decide"
	"baca/app/words"
	"baca/wasm/message"
)

// A Result is the records of an input with their verdicts.
type Result struct {
	Settings
	rev    *Revisions
	models *Models

	Opened *message.Opened // nil until the input is read
	Header *message.Header // of a table, nil for other inputs
	Rows   Rows

	// References are held-out scores by decider.
	References [Deciders][]float64 // by decider
	Reference  []float64           // of what decides
	Levels     decide.Levels       // q-values, if a rate of false discoveries decides
	Scored     *message.Scored     // nil before all records are scored
	Warnings   []string

	// Of the batch, nil before it is calibrated.
	Fitted     *message.Fitted
	Parted     *message.Parted
	Iterations []message.Iteration
	BatchTime  time.Duration

	View  View
	Order []int32 // records in the table
}

// Graphs counts readable records.
func (r *Result) Graphs() int {
	if r.Opened == nil {
		return 0
	}
	return r.Opened.Records - r.Opened.Refused
}

// Things names the input's content.
func (r *Result) Things() string {
	if r.Opened != nil && !r.Opened.Molecules {
		return "graphs"
	}
	return "molecules"
}

// Say replaces molecules by graphs in texts about plain graphs.
func (r *Result) Say(text string) string {
	if r.Things() == "graphs" {
		return graphWords.Replace(text)
	}
	return text
}

var graphWords = strings.NewReplacer(": atoms are nodes, bonds are edges", " of nodes and edges", "molecule", "graph", "Molecule", "Graph", "atom", "node", "Atom", "Node")

// Deciding is the present decider: the batch only once calibrated.
func (r *Result) Deciding() Decider {
	if r.Rows.Batch == nil {
		return EachAlone
	}
	return r.By
}

func (r *Result) Calibrated() bool { return r.Rows.Batch != nil }

// takeBatch sets the batch's result, if it was large enough.
func (r *Result) takeBatch(b *Batch) {
	if f := r.Fitted; f != nil && !f.Few {
		r.References[TheBatch], r.References[ThePaper] = known(f.Holdout.Numbers("batch")), known(f.Holdout.Numbers("s_baca"))
		b.BaCaP = decide.PValues(b.BaCa, r.References[ThePaper])
		for i, p := range b.BaCaP {
			b.BaCaP[i] = max(p, r.Rows.AloneP[i]) // see algo.PaperP
		}
		r.Rows.Batch = b
	}
}

func (r *Result) forgetBatch() {
	r.Fitted, r.Rows.Batch, r.Parted, r.Iterations, r.BatchTime = nil, nil, nil, nil, 0
	r.References[TheBatch], r.References[ThePaper] = nil, nil
}

// clearScores keeps records and choices.
func (r *Result) clearScores() {
	*r = Result{Settings: r.Settings, rev: r.rev, models: r.models, Opened: r.Opened, Header: r.Header, Rows: r.Rows, View: r.View, Order: r.Order}
}

// warn adds new warnings.
func (r *Result) warn(warnings []string) {
	for _, w := range warnings {
		if !slices.Contains(r.Warnings, w) {
			r.Warnings = append(r.Warnings, w)
		}
	}
}

// Unfit says why the batch cannot be calibrated.
func (r *Result) Unfit() string {
	welcome, model := r.models.Welcome, r.models.Used
	switch {
	case welcome != nil && r.Graphs() < welcome.MinBatch:
		return fmt.Sprintf("A batch needs at least %d %s: fewer say too little about each other.", welcome.MinBatch, r.Things())
	case model != nil && model.Shared > 0:
		return "This model was made for sharing and keeps no single " + r.Things() + ", which a batch is compared with."
	}
	return ""
}

// wholeLevel is the largest p-value of a list that differs.
const wholeLevel = 0.05

// Whole is the answer about the list, empty before calibration.
func (r *Result) Whole() string {
	f := r.Fitted
	if f == nil || !r.Calibrated() {
		return ""
	}
	if math.IsNaN(f.P) {
		return "Whether this list as a whole differs from the training set cannot be said: the model keeps too few " + r.Things() + " to compare it with."
	}
	numbers := fmt.Sprintf("AUC\u00a0%.2f, p\u00a0%s", f.Evidence, words.PEquals(f.P))
	if f.Sample {
		numbers += ", by an even sample of " + words.Count(f.Graphs)
	}
	if f.P <= wholeLevel {
		return "As a whole this list differs from the training set: " + numbers + "." + differing(f.Differences)
	}
	return "Nothing says that this list as a whole differs from the training set: " + numbers + "."
}

// differing joins phrases, saying common parts once.
func differing(phrases []string) string {
	if len(phrases) == 0 {
		return ""
	}
	list := slices.Clone(phrases)
	for i := range list {
		if i > 0 {
			list[i] = strings.Replace(list[i], " of them have ", " ", 1)
		}
		if i < len(list)-1 {
			list[i] = strings.TrimSuffix(list[i], " than three quarters of the training graphs")
		}
	}
	return " What makes the difference: " + strings.ReplaceAll(strings.Join(list, ", "), " %", "\u00a0%") + "."
}

// Furthest are the records with the highest scores, descending.
func (r *Result) Furthest(most int) []int32 {
	score := r.Rows.Score
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

// AUC of the deciding score, by the input's labels; NaN without.
func (r *Result) AUC() float64 {
	if r.Scored == nil {
		return math.NaN()
	}
	return [Deciders]float64{r.Scored.AUC, r.Scored.BatchAUC, r.Scored.PaperAUC}[r.Deciding()]
}

// SetAlpha judges all records again, without scoring.
func (r *Result) SetAlpha(alpha float64) {
	r.Alpha = min(max(alpha, leastAlpha/10), 1)
	r.judgeAgain()
}

// MoveThreshold sets the lowest score outside.
func (r *Result) MoveThreshold(score float64) {
	if p := decide.PValues([]float64{score}, r.Reference)[0]; !math.IsNaN(p) {
		r.SetAlpha(min(roundUp(p), mostAlpha))
	}
}

// roundUp keeps three digits, enough to separate p-values, so that addresses and files judge
// equally.
func roundUp(p float64) float64 {
	rounded := words.Round(p, 3)
	if rounded < p {
		rounded = words.Round(rounded+math.Pow(10, math.Floor(math.Log10(p))-2), 3)
	}
	return rounded
}

// SetFDR sets the deciding false-discovery rate, 0 for α.
func (r *Result) SetFDR(rate float64) {
	r.FDR = rate
	r.level()
	if rate == 0 && r.View.By == "q_value" {
		r.View.By = "p_value"
	}
	r.judgeAgain()
}

// level computes q-values if needed, once all records are scored.
func (r *Result) level() {
	switch {
	case r.FDR == 0:
		r.Levels = nil
	case r.Levels == nil && r.Scored != nil:
		r.Levels = levelsOf(r.Rows.P)
	}
}

// Rule is what decides at present. q-values need all records.
func (r *Result) Rule() decide.Rule {
	rule := r.RuleOf(r.Deciding())
	if len(r.Levels) > 0 {
		rule.ByRate, rule.Cut = true, r.Levels.Cut(r.FDR)
	}
	return rule
}

// RuleOf is the rule of a decider for each record by α.
func (r *Result) RuleOf(by Decider) decide.Rule {
	rule := decide.Rule{Alpha: r.Alpha, Holdout: len(r.References[by])}
	if by == TheBatch {
		rule.Guard = decide.Guard
	}
	return rule
}

// JudgeBy is the verdict of a decider on a record, at α.
func (r *Result) JudgeBy(by Decider, record int) Verdict {
	_, p := r.Rows.By(by)
	return verdictOf(r.RuleOf(by).Judge(p[record], r.Rows.AloneP[record]))
}

// Threshold is the score from which on records are called outside, NaN for none.
func (r *Result) Threshold() float64 {
	most, _ := r.Rule().Limits()
	return Threshold(r.Reference, most)
}

// settle judges by the present decider.
func (r *Result) settle() {
	r.Rows.decide(r.Deciding())
	r.Reference, r.Levels = r.References[r.Deciding()], nil
	r.level()
	r.judge()
	r.rev.State++
}

// judge sets verdicts, counts and order.
func (r *Result) judge() {
	r.Rows.judge(r.Rule())
	r.arrange()
}

func (r *Result) judgeAgain() {
	r.Rows.judge(r.Rule())
	r.rev.All()
	if r.View.By == "verdict" || slices.Contains(r.View.Only[:], true) {
		r.arrange() // other orders ignore verdicts
	}
}

func (r *Result) arrange() {
	r.Order = r.Rows.order(r.View)
	r.rev.Rows++
}

// SortBy sorts by a column, or reverses it, the unusual first.
func (r *Result) SortBy(name string) {
	most := slices.ContainsFunc(heads, func(h Head) bool { return h.By == name && h.most })
	r.View.By, r.View.Descending = name, r.View.By != name && most || r.View.By == name && !r.View.Descending
	r.arrange()
}

// Search filters rows by text.
func (r *Result) Search(search string) {
	r.View.search = search
	r.arrange()
}

// ToggleVerdict toggles the filter of a verdict.
func (r *Result) ToggleVerdict(v Verdict) {
	r.View.Only[v] = !r.View.Only[v]
	r.arrange()
}

// ToggleKnown toggles the filter of probable training records.
func (r *Result) ToggleKnown() {
	r.View.Known = !r.View.Known
	r.arrange()
}
