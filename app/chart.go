package app

import (
	"fmt"
	"math"
	"strconv"

	"baca/algo/chart"
	"baca/wasm/message"
)

// A scale maps values to pixels.
type scale struct{ low, high, from, to float64 }

func (s scale) at(x float64) float64 {
	return s.from + (x-s.low)/(s.high-s.low)*(s.to-s.from)
}

func (s scale) value(pixel float64) float64 {
	return s.low + (pixel-s.from)/(s.to-s.from)*(s.high-s.low)
}

// ticks are round values within the scale, about n of them.
func (s scale) ticks(n int) []float64 { return chart.Ticks(s.low, s.high, n) }

// tick is a round value without the digits that say nothing.
func tick(x float64) string {
	if math.Abs(x) < 1e-12 {
		x = 0
	}
	return minus(strconv.FormatFloat(round(x, 6), 'g', -1, 64))
}

// spread is the range of values, a little wider on both sides.
func spread(columns ...[]float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, c := range columns {
		for _, x := range c {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				low, high = min(low, x), max(high, x)
			}
		}
	}
	if low > high {
		return 0, 1
	}
	margin := 0.04 * (high - low)
	if margin == 0 {
		margin = max(math.Abs(low)*0.1, 0.5)
	}
	return low - margin, high + margin
}

// A strip is the picture of one score on the axis from inside to outside: the
// reference in grey, the batch above it, and the threshold.
type strip struct {
	width, height float64
	title, xlabel string
	reference     reference
	score         []float64
	verdict       []verdict
	threshold     float64
	selected      int
	bare          bool // without threshold and verdicts
	fixed         bool // the threshold cannot be moved
}

const stripMargin = 14

// axis is the scale of the strip's scores.
func (c strip) axis() scale {
	low, high := spread(c.reference, c.score)
	return scale{low, high, stripMargin, c.width - stripMargin}
}

// svg draws it. Up to a few hundred records are dots, more are bars.
func (c strip) svg(saved bool) string {
	w := newSVG(c.width, c.height, c.words(), saved)
	x := c.axis()
	base := c.height - 34 // between the batch above and the labels below
	for _, t := range x.ticks(max(int(c.width/110), 2)) {
		w.line("grid", 1, math.Round(x.at(t))+0.5, 8, math.Round(x.at(t))+0.5, base)
		w.text("label-mid", x.at(t), base+14, tick(t))
	}
	c.known(w, x, base)
	w.line("axis", 1, x.from, base+0.5, x.to, base+0.5)
	if len(c.score) <= 400 {
		c.dots(w, x, base)
	} else {
		c.bars(w, x, base)
	}
	if !c.bare && !math.IsNaN(c.threshold) && !math.IsInf(c.threshold, 0) {
		at := x.at(c.threshold)
		w.line("threshold", 1.5, at, 2, at, base+4)
		if !c.fixed {
			w.circle("grip", at, 7, 5)
		}
	}
	if c.selected >= 0 && c.selected < len(c.score) && !math.IsNaN(c.score[c.selected]) {
		at := x.at(c.score[c.selected])
		w.path("chosen", 1.5, []float64{at - 5, base + 7, at, base + 1, at + 5, base + 7}, true)
	}
	w.text("label", x.from, c.height-4, "◂ inside")
	w.text("label-mid", c.width/2, c.height-4, c.xlabel)
	w.text("label-end", x.to, c.height-4, "outside ▸")
	return w.end()
}

// words say what the picture shows.
func (c strip) words() string {
	n := [verdicts]int{}
	for _, v := range c.verdict {
		n[v]++
	}
	s := fmt.Sprintf("%s: %d records", c.title, len(c.score))
	if !c.bare && len(c.verdict) > 0 {
		s += fmt.Sprintf(", %d inside, %d borderline, %d outside", n[inside], n[borderline], n[outside])
	}
	return s + fmt.Sprintf("; %d in-distribution graphs to compare with", len(c.reference))
}

// known is the histogram of the reference, grey.
func (c strip) known(w *svg, x scale, base float64) {
	if len(c.reference) == 0 {
		return
	}
	bins := min(max(int((x.to-x.from)/9), 8), 60)
	n := histogram(c.reference, x, bins)
	most := 0
	for _, k := range n {
		most = max(most, k)
	}
	step := (x.to - x.from) / float64(bins)
	points := []float64{x.from, base}
	for i, k := range n {
		y := base - float64(k)/float64(most)*(base-16)*0.8
		points = append(points, x.from+float64(i)*step, y, x.from+float64(i+1)*step, y)
	}
	points = append(points, x.to, base)
	w.path("known", 1, points, true)
}

func histogram(values []float64, x scale, bins int) []int {
	n := make([]int, bins)
	for _, v := range values {
		if !math.IsNaN(v) {
			n[bin(v, x, bins)]++
		}
	}
	return n
}

func bin(v float64, x scale, bins int) int {
	return min(max(int((v-x.low)/(x.high-x.low)*float64(bins)), 0), bins-1)
}

// dots puts a dot for each record, on top of each other where they would meet.
func (c strip) dots(w *svg, x scale, base float64) {
	r := 4.0
	if len(c.score) > 120 {
		r = 3
	}
	slots := max(int((x.to-x.from)/(2*r+1)), 1)
	height := make([]int, slots)
	for i, s := range c.score {
		if math.IsNaN(s) {
			continue
		}
		k := bin(s, x, slots)
		step := min(2*r+1, (base-18)/float64(tallest(c.score, x, slots)))
		y := base - r - 2 - float64(height[k])*step
		height[k]++
		role := "inside"
		if !c.bare && i < len(c.verdict) {
			role = c.verdict[i].role()
		}
		// Verdicts have shapes as well as colours.
		switch role {
		case "outside":
			w.path(role, 1, []float64{x.at(s) - r, y, x.at(s), y - r, x.at(s) + r, y, x.at(s), y + r}, true)
		case "borderline":
			w.rect(role, x.at(s)-r*0.8, y-r*0.8, 1.6*r, 1.6*r)
		default:
			w.circle(role, x.at(s), y, r*0.9)
		}
		if i == c.selected {
			w.circle("chosen", x.at(s), y, r+2.5)
		}
	}
}

// tallest is how many dots share a slot at most.
func tallest(score []float64, x scale, slots int) int {
	most := 1
	for _, n := range histogram(score, x, slots) {
		most = max(most, n)
	}
	return most
}

// role is how a picture colours a verdict.
func (v verdict) role() string {
	switch v {
	case inside, borderline, outside:
		return v.word()
	}
	return "undecided"
}

// bars stack the records of a range of scores by verdict.
func (c strip) bars(w *svg, x scale, base float64) {
	bins := min(max(int((x.to-x.from)/7), 8), 160)
	n := make([][verdicts]int, bins)
	most := 1
	for i, s := range c.score {
		if math.IsNaN(s) {
			continue
		}
		v := inside
		if !c.bare && i < len(c.verdict) {
			v = c.verdict[i]
		}
		n[bin(s, x, bins)][v]++
	}
	for _, k := range n {
		sum := 0
		for _, m := range k {
			sum += m
		}
		most = max(most, sum)
	}
	step := (x.to - x.from) / float64(bins)
	for i, k := range n {
		y := base
		for _, v := range []verdict{inside, borderline, outside, undecided} {
			h := float64(k[v]) / float64(most) * (base - 18)
			if k[v] > 0 {
				w.rect(v.role(), x.from+float64(i)*step+0.5, y-h, step-1, h)
				y -= h
			}
		}
	}
}

// A curve is one line of a plot.
type curve struct {
	name, role string
	y          []float64
}

// A plot is curves over the same steps.
type plot struct {
	width, height float64
	title, xlabel string
	x             []float64
	curves        []curve
	low, high     float64 // of y, both 0 for what the curves need
	level         float64 // of a dashed line, 0 for none
}

func (p plot) svg(saved bool) string {
	w := newSVG(p.width, p.height, p.words(), saved)
	low, high := p.low, p.high
	if low == high {
		columns := [][]float64{}
		for _, c := range p.curves {
			columns = append(columns, c.y)
		}
		low, high = spread(columns...)
	}
	xl, xh := 0.0, 1.0
	if n := len(p.x); n > 1 {
		xl, xh = p.x[0], p.x[n-1]
	} else if n == 1 {
		xl, xh = p.x[0]-1, p.x[0]+1
	}
	x := scale{xl, xh, 44, p.width - 10}
	y := scale{low, high, p.height - 32, 22}
	for _, t := range y.ticks(4) {
		w.line("grid", 1, x.from, math.Round(y.at(t))+0.5, x.to, math.Round(y.at(t))+0.5)
		w.text("label-end", x.from-6, y.at(t)+4, tick(t))
	}
	for _, t := range x.ticks(max(int(p.width/90), 2)) {
		w.text("label-mid", x.at(t), y.from+14, tick(t))
	}
	w.line("axis", 1, x.from, y.from+0.5, x.to, y.from+0.5)
	if p.level != 0 {
		w.dashed("line-out", 1.5, x.from, y.at(p.level), x.to, y.at(p.level))
	}
	at := x.from
	for _, c := range p.curves {
		points := make([]float64, 0, 2*len(c.y))
		for i, v := range c.y {
			points = append(points, x.at(p.x[i]), y.at(v))
		}
		w.path(c.role, 1.75, points, false)
		if len(points) == 2 {
			w.circle("grip", points[0], points[1], 2)
		}
		w.line(c.role, 2.5, at, 10, at+14, 10)
		w.text("label", at+19, 14, c.name)
		at += 34 + 6.2*float64(len([]rune(c.name)))
	}
	w.text("label-mid", (x.from+x.to)/2, p.height-4, p.xlabel)
	return w.end()
}

func (p plot) words() string {
	s := p.title
	for _, c := range p.curves {
		if n := len(c.y); n > 0 {
			s += fmt.Sprintf("; %s from %s to %s", c.name, number(c.y[0]), number(c.y[n-1]))
		}
	}
	return s
}

// heatmap draws an N×N matrix of probabilities.
func heatmap(w []float32, n int, side float64, title string, saved bool) string {
	p := newSVG(side, side, fmt.Sprintf("%s: %d by %d probabilities", title, n, n), saved)
	p.rect("grid", 0.5, 0.5, side-1, side-1)
	// Large graphons are drawn in blocks, as many as can be seen.
	blocks := min(n, 32)
	cell := side / float64(max(blocks, 1))
	for r := range blocks {
		for c := range blocks {
			sum, k := 0.0, 0
			for i := r * n / blocks; i < (r+1)*n/blocks; i++ {
				for j := c * n / blocks; j < (c+1)*n/blocks; j++ {
					if i*n+j < len(w) {
						sum, k = sum+float64(w[i*n+j]), k+1
					}
				}
			}
			if k > 0 && sum/float64(k) >= 0.01 {
				p.cell("cell", float64(c)*cell, float64(r)*cell, cell, min(sum/float64(k), 1))
			}
		}
	}
	return p.end()
}

// mix is λ·W_I + (1−λ)·W_J, which the slider changes faster than a worker answers.
func mix(wi, wj []float32, lambda float64) []float32 {
	m := make([]float32, min(len(wi), len(wj)))
	for i := range m {
		m[i] = float32(lambda*float64(wi[i]) + (1-lambda)*float64(wj[i]))
	}
	return m
}

// A stack is the contents of a dictionary over the steps, by origin.
type stack struct {
	title         string
	steps         []message.Iteration
	of            func(message.Iteration) message.Contents
	width, height float64
}

func (k stack) svg(saved bool) string {
	steps, of, width, height := k.steps, k.of, k.width, k.height
	w := newSVG(width, height, k.title, saved)
	x := scale{0, float64(max(len(steps), 1)), 44, width - 10}
	most := 1
	for _, s := range steps {
		c := of(s)
		most = max(most, c.Training+c.Test+c.Synthetic)
	}
	y := scale{0, float64(most), height - 32, 22}
	for _, t := range y.ticks(3) {
		w.line("grid", 1, x.from, math.Round(y.at(t))+0.5, x.to, math.Round(y.at(t))+0.5)
		w.text("label-end", x.from-6, y.at(t)+4, tick(t))
	}
	for i, s := range steps {
		c := of(s)
		below := 0
		for _, part := range []struct {
			role string
			n    int
		}{{"training", c.Training}, {"test", c.Test}, {"synthetic", c.Synthetic}} {
			a, b := y.at(float64(below)), y.at(float64(below+part.n))
			w.rect(part.role, x.at(float64(i)), b, max(x.at(1)-x.at(0)-0.5, 0.5), a-b)
			below += part.n
		}
	}
	at := x.from
	for _, role := range []string{"training", "test", "synthetic"} {
		w.rect(role, at, 6, 10, 10)
		w.text("label", at+15, 15, role)
		at += 32 + 6.2*float64(len(role))
	}
	if n := len(steps); n > 0 {
		w.text("label", x.from, y.from+14, fmt.Sprintf("step %d", steps[0].Step))
		w.text("label-end", x.to, y.from+14, fmt.Sprintf("step %d", steps[n-1].Step))
	}
	return w.end()
}
