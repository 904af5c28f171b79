package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"baca/algo/chart"
	"baca/algo/decide"
	"baca/app/run"
	"baca/app/table"
	"baca/app/words"
)

// A Strip is a decider's axis: the reference in grey, the records above it, and the threshold.
type Strip struct {
	width, height float64
	title, xlabel string
	reference     []float64
	score         []float64
	verdict       []decide.Verdict // of each score
	threshold     float64
	selected      int
	fixed         bool // the threshold cannot move
	logs          bool // places are −log10 of p
}

// StripOf is the strip of the deciding score.
func StripOf(s *run.Session, width, height float64) Strip {
	c := stripBy(s, s.Deciding(), s.Rule(), width, height)
	c.title, c.verdict, c.fixed = "Scores", s.Rows.Verdict, s.Rule().ByRate
	return c
}

// Distribution is the strip of a decider, at α. All except table.EachAlone need a calibrated batch.
func Distribution(s *run.Session, by table.Decider, width, height float64) Strip {
	c := stripBy(s, by, s.RuleOf(by), width, height)
	for i := range c.score {
		c.verdict = append(c.verdict, s.JudgeBy(by, i))
	}
	return c
}

// stripBy is the strip of a decider under a rule, without verdicts. Its threshold is fixed. Records that were trained
// on are not drawn (NaN): the table tags them.
func stripBy(s *run.Session, by table.Decider, rule decide.Rule, width, height float64) Strip {
	score := slices.Clone(s.Places(by, rule))
	for i := range score {
		if s.Rows.Known[i] && s.Rows.Class(i) == table.InTraining {
			score[i] = math.NaN()
		}
	}
	w := table.DeciderWords()[by]
	return Strip{width: width, height: height, title: s.Say(w.Name), xlabel: w.Axis, reference: s.References[by],
		score: score, selected: s.Inspector.Record, threshold: s.Line(by, rule), fixed: true, logs: by == table.ThePaper}
}

// ScoreAt is the score at x pixels from the left.
func (c Strip) ScoreAt(x float64) float64 { return c.axis().Value(x) }

// axis is the scale of scores over the strip's width.
func (c Strip) axis() chart.Scale {
	const margin = 14
	low, high := Spread(c.reference, c.score)
	return chart.Scale{Low: low, High: high, From: margin, To: c.width - margin}
}

// mostDots bounds the records drawn one by one.
const mostDots = 400

// SVG draws the axis, the reference, up to mostDots records as dots and more as bars, the threshold, and the selected record.
func (c Strip) SVG(saved bool) string {
	w := newSVG(c.width, c.height, c.words(), saved)
	x := c.axis()
	base := c.height - 34 // between the batch and the labels
	ticks := chart.Ticks(x.Low, x.High, max(int(c.width/110), 2))
	if c.logs {
		ticks = nil
		for t := 0.0; t <= x.High; t++ { // p of 1, 0.3, 0.1 and so on
			ticks = append(ticks, t, t-math.Log10(0.3))
		}
	}
	for _, t := range ticks {
		label := chart.Label(t)
		if c.logs {
			label = chart.Label(words.Round(math.Pow(10, -t), 1))
		}
		w.line("grid", 1, math.Round(x.At(t))+0.5, 8, math.Round(x.At(t))+0.5, base)
		w.text("label-mid", x.At(t), base+14, label)
	}
	c.known(w, x, base)
	w.line("axis", 1, x.From, base+0.5, x.To, base+0.5)
	if len(c.score) <= mostDots {
		c.dots(w, x, base)
	} else {
		c.bars(w, x, base)
	}
	if !math.IsNaN(c.threshold) && !math.IsInf(c.threshold, 0) {
		at := x.At(c.threshold)
		w.line("threshold", 1.5, at, 2, at, base+4)
		if !c.fixed {
			w.circle("grip", at, 7, 5)
		}
	}
	if c.selected >= 0 && c.selected < len(c.score) && !math.IsNaN(c.score[c.selected]) {
		at := x.At(c.score[c.selected])
		w.path("chosen", 1.5, []float64{at - 5, base + 7, at, base + 1, at + 5, base + 7}, true)
	}
	w.text("label", x.From, c.height-4, "◂ inside")
	w.text("label-mid", c.width/2, c.height-4, c.xlabel)
	w.text("label-end", x.To, c.height-4, "outside ▸")
	return w.end()
}

// at is the x pixel of a mark's centre at a place. The mark, which reaches half pixels to each side, stays on its
// side of the line of the threshold, at the pixel line, if there is one.
func (c Strip) at(x chart.Scale, place, line, half float64) float64 {
	at := x.At(place)
	if place < c.threshold && at > line-half { // inside, to the left of the line
		return line - half
	}
	if place >= c.threshold && at < line+half {
		return line + half
	}
	return at
}

// words is the alternative text: how many records have each verdict, and how many graphs they are compared with.
func (c Strip) words() string {
	var n decide.Counts
	for i, v := range c.verdict {
		if s := c.score[i]; s == s {
			n.Count(v)
		}
	}
	s := fmt.Sprintf("%s: %d records", c.title, len(c.score))
	if len(c.verdict) > 0 {
		s += fmt.Sprintf(", %d inside, %d borderline, %d outside", n.Inside, n.Borderline, n.Outside)
	}
	return s + fmt.Sprintf("; %d like the training set to compare with", len(c.reference))
}

// role is the role of a record with a verdict.
func role(v decide.Verdict) string {
	if v == table.Unscored || v == decide.Refused {
		return string(decide.Undecided)
	}
	return string(v)
}

// known is the reference's histogram.
func (c Strip) known(w *svg, x chart.Scale, base float64) {
	if len(c.reference) == 0 {
		return
	}
	bins := min(max(int((x.To-x.From)/9), 8), 60)
	n, most := count(x, c.reference, bins)
	step := (x.To - x.From) / float64(bins)
	points := []float64{x.From, base}
	for i, k := range n {
		y := base - float64(k)/float64(most)*(base-16)*0.8
		points = append(points, x.From+float64(i)*step, y, x.From+float64(i+1)*step, y)
	}
	points = append(points, x.To, base)
	w.path("known", 1, points, true)
}

// manyDots is the number of records above which dots are small.
const manyDots = 120

// dots draws a dot for each record that has a place. Dots of the same slot of the axis are stacked from the base
// upwards, closer if the tallest stack would not fit.
func (c Strip) dots(w *svg, x chart.Scale, base float64) {
	r := 4.0
	if len(c.score) > manyDots {
		r = 3
	}
	slots := max(int((x.To-x.From)/(2*r+1)), 1)
	_, tallest := count(x, c.score, slots)
	step := min(2*r+1, (base-18)/float64(tallest))
	height, line := make([]int, slots), x.At(c.threshold)
	for i, s := range c.score {
		if math.IsNaN(s) {
			continue
		}
		at := c.at(x, s, line, r+1)
		k := bin(x, x.Value(at), slots)
		y := base - r - 2 - float64(height[k])*step
		height[k]++
		var shape strings.Builder
		mark(&shape, c.verdict[i], at, y, r)
		fmt.Fprintf(w, `<path %s d="%s"/>`, w.role(role(c.verdict[i])), shape.String())
		if i == c.selected {
			w.circle("chosen", at, y, r+2.5)
		}
	}
}

// bars stack records of a score range by verdict.
func (c Strip) bars(w *svg, x chart.Scale, base float64) {
	bins := min(max(int((x.To-x.From)/7), 8), 160)
	step := (x.To - x.From) / float64(bins)
	stack := []decide.Verdict{decide.Inside, decide.Borderline, decide.Outside, decide.Undecided}
	n, line := make([][4]int, bins), x.At(c.threshold)
	var last decide.Verdict
	place := -1 // of last in the stack
	for i, s := range c.score {
		if v := c.verdict[i]; v != last {
			last, place = v, slices.Index(stack, v)
		}
		if place >= 0 && s == s {
			n[bin(x, x.Value(c.at(x, s, line, step)), bins)][place]++
		}
	}
	_, most := count(x, c.score, bins)
	for i, k := range n {
		y := base
		for at, v := range stack {
			h := float64(k[at]) / float64(most) * (base - 18)
			if k[at] > 0 {
				w.rect(role(v), x.From+float64(i)*step+0.5, y-h, step-1, h)
				y -= h
			}
		}
	}
}
