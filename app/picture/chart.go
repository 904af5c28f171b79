package picture

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"baca/algo/chart"
	"baca/app/words"
	"baca/wasm/message"
)

// bin tells in which of so many equal parts of the scale a value lies.
func bin(s chart.Scale, x float64, bins int) int {
	return min(max(int((x-s.Low)/(s.High-s.Low)*float64(bins)), 0), bins-1)
}

// count counts the values in each of so many equal parts, and those in the fullest.
func count(s chart.Scale, values []float64, bins int) (n []int, most int) {
	n = make([]int, bins)
	for _, v := range values {
		if !math.IsNaN(v) {
			i := bin(s, v, bins)
			n[i]++
			most = max(most, n[i])
		}
	}
	return n, most
}

// tick is a round value without the digits that say nothing.
func tick(x float64) string {
	if math.Abs(x) < 1e-12 {
		x = 0
	}
	return words.Minus(strconv.FormatFloat(words.Round(x, 6), 'g', -1, 64))
}

// Spread is the range of values, a little wider on both sides.
func Spread(columns ...[]float64) (low, high float64) {
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

// The places of the axes of plots and stacks.
const left, right, top, bottom = 44, 10, 22, 32

// levels draws the lines across a picture, and their values.
func (w *svg) levels(y chart.Scale, n int, from, to float64) {
	for _, t := range chart.Ticks(y.Low, y.High, n) {
		at := math.Round(y.At(t)) + 0.5
		w.line("grid", 1, from, at, to, at)
		w.text("label-end", from-6, y.At(t)+4, tick(t))
	}
}

// wide is about how wide a label is.
func wide(label string) float64 { return 6.2 * float64(utf8.RuneCountInString(label)) }

// A Curve is one line of a plot.
type Curve struct {
	Name, Role string
	Y          []float64
}

// A Plot is curves over the same steps.
type Plot struct {
	Width, Height float64
	Title, XLabel string
	X             []float64
	Curves        []Curve
	Low, High     float64 // of y, both 0 for what the curves need
	Level         float64 // of a dashed line, 0 for none
}

// SVG draws it.
func (p Plot) SVG(saved bool) string {
	w := newSVG(p.Width, p.Height, p.words(), saved)
	x, y := p.scales()
	w.levels(y, 4, x.From, x.To)
	for _, t := range chart.Ticks(x.Low, x.High, max(int(p.Width/90), 2)) {
		w.text("label-mid", x.At(t), y.From+14, tick(t))
	}
	w.line("axis", 1, x.From, y.From+0.5, x.To, y.From+0.5)
	if p.Level != 0 {
		w.dashed("line-out", 1.5, x.From, y.At(p.Level), x.To, y.At(p.Level))
	}
	at := x.From
	for _, c := range p.Curves {
		points := make([]float64, 0, 2*len(c.Y))
		for i, v := range c.Y {
			points = append(points, x.At(p.X[i]), y.At(v))
		}
		w.path(c.Role, 1.75, points, false)
		if len(points) == 2 {
			w.circle("grip", points[0], points[1], 2)
		}
		w.line(c.Role, 2.5, at, 10, at+14, 10)
		w.text("label", at+19, 14, c.Name)
		at += 34 + wide(c.Name)
	}
	w.text("label-mid", (x.From+x.To)/2, p.Height-4, p.XLabel)
	return w.end()
}

func (p Plot) scales() (x, y chart.Scale) {
	low, high := p.Low, p.High
	if low == high {
		columns := make([][]float64, len(p.Curves))
		for i, c := range p.Curves {
			columns[i] = c.Y
		}
		low, high = Spread(columns...)
	}
	first, last := 0.0, 1.0
	if n := len(p.X); n > 1 {
		first, last = p.X[0], p.X[n-1]
	} else if n == 1 {
		first, last = p.X[0]-1, p.X[0]+1
	}
	return chart.Scale{Low: first, High: last, From: left, To: p.Width - right}, chart.Scale{Low: low, High: high, From: p.Height - bottom, To: top}
}

// words say what the picture shows.
func (p Plot) words() string {
	s := p.Title
	for _, c := range p.Curves {
		if n := len(c.Y); n > 0 {
			s += fmt.Sprintf("; %s from %s to %s", c.Name, words.Number(c.Y[0]), words.Number(c.Y[n-1]))
		}
	}
	return s
}

// A Stack is the contents of a dictionary over the steps, by origin.
type Stack struct {
	Title         string
	Steps         []message.Iteration
	Of            func(message.Iteration) message.Contents
	Width, Height float64
}

// origins are those of keys, from below.
var origins = [3]string{"training", "test", "synthetic"}

// SVG draws it.
func (k Stack) SVG(saved bool) string {
	w := newSVG(k.Width, k.Height, k.Title, saved)
	most := 1
	for _, s := range k.Steps {
		c := k.Of(s)
		most = max(most, c.Training+c.Test+c.Synthetic)
	}
	x := chart.Scale{Low: 0, High: float64(max(len(k.Steps), 1)), From: left, To: k.Width - right}
	y := chart.Scale{Low: 0, High: float64(most), From: k.Height - bottom, To: top}
	w.levels(y, 3, x.From, x.To)
	for i, s := range k.Steps {
		c := k.Of(s)
		below := 0
		for part, n := range [3]int{c.Training, c.Test, c.Synthetic} {
			a, b := y.At(float64(below)), y.At(float64(below+n))
			w.rect(origins[part], x.At(float64(i)), b, max(x.At(1)-x.At(0)-0.5, 0.5), a-b)
			below += n
		}
	}
	at := x.From
	for _, name := range origins {
		w.rect(name, at, 6, 10, 10)
		w.text("label", at+15, 15, name)
		at += 32 + wide(name)
	}
	if n := len(k.Steps); n > 0 {
		w.text("label", x.From, y.From+14, fmt.Sprintf("step %d", k.Steps[0].Step))
		w.text("label-end", x.To, y.From+14, fmt.Sprintf("step %d", k.Steps[n-1].Step))
	}
	return w.end()
}

// A Graphon is an N×N matrix of probabilities.
type Graphon struct {
	Title string
	W     []float32
	N     int
	Side  float64 // of the picture
}

// SVG draws it.
func (g Graphon) SVG(saved bool) string {
	w := newSVG(g.Side, g.Side, fmt.Sprintf("%s: %d by %d probabilities", g.Title, g.N, g.N), saved)
	w.rect("grid", 0.5, 0.5, g.Side-1, g.Side-1)
	// Large graphons are drawn in blocks, as many as can be seen.
	blocks := min(g.N, 32)
	size := g.Side / float64(max(blocks, 1))
	for r := range blocks {
		for c := range blocks {
			if p := g.mean(r, c, blocks); p >= 0.01 {
				w.cell("cell", float64(c)*size, float64(r)*size, size, min(p, 1))
			}
		}
	}
	return w.end()
}

// mean is the probability in a block, of so many on either side.
func (g Graphon) mean(row, column, blocks int) float64 {
	sum, n := 0.0, 0
	for i := row * g.N / blocks; i < (row+1)*g.N/blocks; i++ {
		for j := column * g.N / blocks; j < (column+1)*g.N/blocks; j++ {
			sum, n = sum+float64(g.W[i*g.N+j]), n+1
		}
	}
	return sum / float64(n)
}

// Mix is λ·W_I + (1−λ)·W_J, which the slider changes faster than a worker answers.
func Mix(wi, wj []float32, lambda float64) []float32 {
	m := make([]float32, min(len(wi), len(wj)))
	for i := range m {
		m[i] = float32(lambda*float64(wi[i]) + (1-lambda)*float64(wj[i]))
	}
	return m
}
