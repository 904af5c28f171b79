package lab

import (
	"fmt"
	"math"
	"slices"

	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
	"baca/wasm/message"
)

type Scene struct {
	Key, Name, About string
	Equation         string   // of the paper, as HTML
	Stages           []string // stages of a run

	batch bool                      // it needs the batch
	beats func(*Lab) int            // how many it has
	line  func(*Lab, string) string // its headline, of a record's name
}

// Scenes lists the scenes in the order of the story.
func Scenes() []Scene {
	pieces := func(*Lab) int { return reveals }
	return []Scene{
		{SceneGraph, "graph", "A text becomes a graph: atoms are nodes, bonds are edges.",
			`<i>G</i> = (𝒱, ℰ, <b>X</b>)`, []string{message.StageParse}, false, atoms, (*Lab).graphLine},
		{SceneViews, "two views", "The frozen network looks twice: at what the nodes are, and at how they are joined.", `min<sub><i>f</i></sub> 𝔼 <i>L</i><sub>Pre</sub>(<i>f</i>; <i>G</i>) &ensp;(1)`, []string{message.StageScore, message.StageEncode}, false, pieces, (*Lab).viewsLine},
		{SceneParts, "graphons", "S_Pre and the distance from training graphs part the batch into low and high. Each part has a graphon: a map of how likely two places of its graphs are joined.", `<i>a</i> ∼ Bernoulli(<i>W</i>(<i>v</i>, <i>v</i>′)) &ensp;(2)`, []string{message.StageSample, message.StagePart, message.StageEstimate}, true, pieces, (*Lab).partsLine},
		{SceneMixup, "mixup", "New graphs are drawn between two of the same part.", `<i>W</i><sub>s</sub> = λ<i>W</i><sub>i</sub> + (1 − λ)<i>W</i><sub>j</sub> &ensp;(3)`, []string{message.StageMixup}, true, func(*Lab) int { return lambdas }, (*Lab).mixupLine},
		{SceneKeys, "dictionaries", "Two dictionaries answer: the inside one of training graphs and the low part, the outside one of the high part, both with new graphs of mixup.", `softmax(<b>QK</b><sup>⊤</sup>/√<i>d</i>) <b>V</b> &ensp;(5)`, []string{message.StageAttention}, true, keys, (*Lab).keysLine},
		{SceneDecision, "decision", "The attention learns in steps. Its answer is added to S_Pre, and the sum is compared with molecules kept from training.", `<i>S</i><sub>BaCa</sub> = <i>S</i><sub>Pre</sub> + β · <i>S</i><sub>Attn</sub> &ensp;(9)`, []string{message.StageRatio, message.StageFinish, message.StageCompare}, true, func(l *Lab) int { return max(len(l.session.Iterations), 1) }, (*Lab).decisionLine},
	}
}

// atoms returns the beats of the scene of the graph: one for each atom, up to mostLit.
func atoms(l *Lab) int {
	if t := l.Trace.Value; t != nil {
		return min(max(len(t.Atoms), 1), mostLit)
	}
	return 1
}

// keys returns the beats of the scene of the dictionaries: one before any key is shown, and one for each key of the
// longer list.
func keys(l *Lab) int {
	if d := l.session.Inspector.Detail.Value; d != nil {
		return max(len(d.IDKeys), len(d.OODKeys)) + 1
	}
	return 1
}

// ProgressOf is a scene's progress: whether it runs, has data, and the latest progress.
func (l *Lab) ProgressOf(c Scene) (p message.Progress, now, there bool) {
	s := l.session
	for _, stage := range c.Stages {
		if q, ok := s.Progress[stage]; ok {
			p, there = q, true
		}
	}
	now = s.Busy() && slices.Contains(c.Stages, s.Stage)
	if now {
		p = s.Progress[s.Stage]
	}
	return p, now, there
}

// Count is the number beside a scene: progress or result.
func (c Scene) Count(p message.Progress, now bool) string {
	if !now && (c.Key == SceneParts || c.Key == SceneDecision) {
		return ""
	}
	return words.StageCount(p, now)
}

// Line is the open scene's headline.
func (l *Lab) Line() string {
	s := l.session
	name := s.Rows.ShortName(s.Inspector.Record)
	if name == "" {
		return "Nothing is scored yet."
	}
	if scene := l.scene(); !scene.batch || scene.Key == SceneDecision || l.hasPaper() {
		return scene.line(l, name)
	}
	return name + " has no place in the paper's method."
}

// graphLine is the headline of the scene of the graph: how many nodes and edges it has, and which atoms are left out.
func (l *Lab) graphLine(name string) string {
	t := l.Trace.Value
	if t == nil {
		return name + " becomes a graph."
	}
	nodes := len(t.Walks) / max(t.Width, 1)
	edges := 0
	for _, b := range t.Bonds {
		if t.Node[b.From] >= 0 && t.Node[b.To] >= 0 {
			edges++
		}
	}
	line := name + " is a graph of " + words.Plural(nodes, "node", "nodes") + " and " + words.Plural(edges, "edge", "edges") + "."
	if left := len(t.Atoms) - nodes; left > 0 {
		line += " The model leaves out " + words.Plural(left, "atom", "atoms") + "."
	}
	return line
}

// viewsLine is the headline of the scene of views: how far the nearest training graph is, beside what is usual.
func (l *Lab) viewsLine(name string) string {
	s := l.session
	t := l.Trace.Value
	if t == nil || len(t.Nearest) == 0 {
		return "Where " + name + " lies among the training set."
	}
	line := fmt.Sprintf("The training %s most like %s in both views is %s away", singular(s.Things()), name, words.Number(t.Nearest[0]))
	d := s.Inspector.Detail.Value
	if d == nil || math.IsNaN(d.Embedding) {
		return line + "."
	}
	how := "farther than"
	if d.Embedding < 0 {
		how = "nearer than"
	}
	return line + ": " + words.Number(math.Abs(d.Embedding)) + " deviations " + how + " training " + s.Things() + " are from theirs."
}

// singular is the singular.
func singular(things string) string { return things[:len(things)-1] }

// partsLine is the headline of the scene of parts: to which part of the batch the record belongs, and its S_Pre.
func (l *Lab) partsLine(name string) string {
	s := l.session
	p, b := s.Parted, s.Rows.Batch
	if p == nil || b == nil {
		return "Where " + name + " stands in the batch."
	}
	side, _ := PartOf(s.Parted, s.Inspector.Record)
	line := name + " has S_Pre = " + words.Number(b.Numbers("s_pre")[s.Inspector.Record]) + ", "
	switch side {
	case "ID":
		return line + "and with its distance from training graphs it is one of the " + words.Count(len(p.Inside)) + " of the low part."
	case "OOD":
		return line + "and with its distance from training graphs it is one of the " + words.Count(len(p.Outside)) + " of the high part."
	}
	if s.Fitted != nil && s.Fitted.Sample {
		return line + "in the middle or not in the sample: it feeds neither part."
	}
	return line + "in the middle: it feeds neither part."
}

// mixupLine is the headline of the scene of mixup: of which two records the new graphs are mixed.
func (l *Lab) mixupLine(name string) string {
	s := l.session
	g := l.Pair.Value
	if g == nil {
		return "New graphs are drawn from mixtures."
	}
	share := math.Round(100*l.Lambda) / 100
	i, j := s.Rows.ShortName(g.RecordI), s.Rows.ShortName(g.RecordJ)
	line := fmt.Sprintf("Six new graphs: %s %s, %s %s.", words.Percent(share), i, words.Percent(1-share), j)
	if g.RecordI != s.Inspector.Record {
		line += " " + name + " is not of this part."
	}
	return line
}

// keysLine is the headline of the scene of dictionaries: which keys the record is more like, and S_Attn.
func (l *Lab) keysLine(name string) string {
	s := l.session
	d := s.Inspector.Detail.Value
	if d == nil || d.IDKeys == nil {
		return name + " asks both dictionaries."
	}
	closer := "more like the outside keys"
	switch {
	case math.Abs(d.AttnID-d.AttnOOD) < 5e-4:
		closer = "as much like the inside keys as the outside ones"
	case d.AttnID > d.AttnOOD:
		closer = "more like the inside keys"
	}
	return fmt.Sprintf("%s is %s: S_Attn = %s − %s = %s.", name, closer, words.Number(d.AttnOOD), bracketed(d.AttnID),
		words.Number(d.AttnOOD-d.AttnID))
}

// bracketed is a number after a minus.
func bracketed(x float64) string {
	if x < 0 {
		return "(" + words.Number(x) + ")"
	}
	return words.Number(x)
}

// decisionLine is the headline of the decision: the verdict by S_BaCa and that of the record by itself. Without the
// paper's method it is the latter alone.
func (l *Lab) decisionLine(name string) string {
	s := l.session
	record := s.Inspector.Record
	if !s.Calibrated() || !l.hasPaper() {
		return "By itself " + name + " is " + ByItself(s, record) + "."
	}
	paper := s.JudgeBy(table.ThePaper, record)
	place, of := above(s.Rows.Batch.Numbers("s_baca"), record)
	before, _ := above(s.Rows.Batch.Numbers("s_pre"), record)
	line := fmt.Sprintf("S_BaCa calls %s %s (p\u00a0%s) and puts it in place %d of %d, S_Pre in place %d. By itself it is ",
		name, paper, words.PEquals(s.Rows.Batch.Numbers("baca_p")[record]), place, of, before)
	if paper == s.JudgeBy(table.EachAlone, record) {
		return line + ByItself(s, record) + ", too."
	}
	return line + ByItself(s, record) + ": they disagree."
}

// ByItself is the verdict on a record without its list, and its p.
func ByItself(s *run.Session, record int) string {
	return string(s.JudgeBy(table.EachAlone, record)) + " (p\u00a0" + words.PEquals(s.Rows.AloneP[record]) + ")"
}

// Gained says what the attention added to S_Pre for the inspected record, empty before a batch is calibrated.
func (l *Lab) Gained() string {
	s, record := l.session, l.session.Inspector.Record
	if !s.Calibrated() || record < 0 || !l.hasPaper() {
		return ""
	}
	pre, p, gained := s.JudgePre(record, s.Fitted.Holdout)
	said := "By S_Pre alone it would be " + string(pre) + " (p\u00a0" + words.PEquals(p) + ")"
	switch {
	case pre == s.JudgeBy(table.ThePaper, record):
		return said + ", too: the attention changes nothing about this one."
	case gained:
		return said + ". That is what the attention gains: with it the list shows what the molecule shows by itself."
	}
	return said + ": the attention makes the difference."
}

// above is a record's place among so many scores, the highest first.
func above(scores []float64, record int) (place, of int) {
	place = 1
	for _, x := range scores {
		if x > scores[record] {
			place++
		}
		if !math.IsNaN(x) {
			of++
		}
	}
	return place, of
}

// Terms are the terms of a record's S_BaCa, and their sum.
func Terms(s *run.Session, record int) (pre, attn, sum float64) {
	b, p := s.Rows.Batch, s.Fitted.Paper
	pre = (b.Numbers("s_pre")[record] - p.PreMean) / p.PreDeviation
	attn = p.Beta * (b.Numbers("s_attn")[record] - p.AttnMean) / p.AttnDeviation
	return pre, attn, pre + attn
}
