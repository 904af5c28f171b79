package picture

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"baca/algo/chart"
	"baca/app/words"
)

// bin returns the index of a value's bin.
func bin(s chart.Scale, x float64, bins int) int {
	return min(max(int((x-s.Low)/(s.High-s.Low)*float64(bins)), 0), bins-1)
}

// count counts values by bin, and returns the largest count.
func count(s chart.Scale, values []float64, bins int) (n []int, most int) {
	n = make([]int, bins)
	for _, v := range values {
		if v == v { // not NaN; these loops over all records call little, since nothing is inlined in the page
			i := bin(s, v, bins)
			n[i]++
			most = max(most, n[i])
		}
	}
	return n, most
}

// Spread returns the range of the finite values with margins, and 0 to 1 without any.
func Spread(columns ...[]float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, c := range columns {
		for _, x := range c {
			if x-x != 0 { // infinite or NaN
				continue
			}
			if x < low {
				low = x
			}
			if x > high {
				high = x
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

// Margins of plots and stacks.
const left, right, top, bottom = 44, 10, 22, 32

// levels draws horizontal lines with values.
func (w *svg) levels(y chart.Scale, n int, from, to float64) {
	for _, t := range chart.Ticks(y.Low, y.High, n) {
		at := math.Round(y.At(t)) + 0.5
		w.line("grid", 1, from, at, to, at)
		w.text("label-end", from-6, y.At(t)+4, chart.Label(t))
	}
}

// wide estimates a label's width.
func wide(label string) float64 { return 6.2 * float64(utf8.RuneCountInString(label)) }

// A Curve has a value for each step, NaN for none.
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
	Low, High     float64 // of y, both 0 for automatic
	Mark          float64 // last drawn step, 0 for all
}

// SVG draws the axes, the curves up to Mark, a legend above them in one line, and a dot for a curve of one point.
// saved is for a file, which brings its own style.
func (p Plot) SVG(saved bool) string {
	w := newSVG(p.Width, p.Height, p.words(), saved)
	x, y := p.scales()
	w.levels(y, 4, x.From, x.To)
	for _, t := range chart.Ticks(x.Low, x.High, max(int(p.Width/90), 2)) {
		w.text("label-mid", x.At(t), y.From+14, chart.Label(t))
	}
	w.line("axis", 1, x.From, y.From+0.5, x.To, y.From+0.5)
	if p.Mark > 0 {
		w.line("axis", 1, x.At(p.Mark), y.From, x.At(p.Mark), y.To)
	}
	at := x.From
	for _, c := range p.Curves {
		points := make([]float64, 0, 2*len(c.Y))
		for i, v := range c.Y {
			if p.Mark > 0 && p.X[i] > p.Mark {
				break
			}
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

// scales returns the scales of x and y: over all steps, and from Low to High or, if both are 0, over all values.
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
	return chart.Scale{Low: first, High: last, From: left, To: p.Width - right},
		chart.Scale{Low: low, High: high, From: p.Height - bottom, To: top}
}

// words is the alternative text: the title, and where each curve begins and ends.
func (p Plot) words() string {
	s := p.Title
	for _, c := range p.Curves {
		if n := len(c.Y); n > 0 {
			s += fmt.Sprintf("; %s from %s to %s", c.Name, words.Number(c.Y[0]), words.Number(c.Y[n-1]))
		}
	}
	return s
}

// shades is the number of opacities of cells.
const shades = 24

// A Graphon is a matrix of N×N probabilities to draw.
type Graphon struct {
	Title string
	W     []float32
	N     int
	Side  float64 // of the picture
	Role  string  // of its cells
	Full  float64 // the probability of full opacity; 0 for 1
}

// Peak returns the highest probability.
func Peak(w []float32) (most float64) {
	for _, p := range w {
		most = max(most, float64(p))
	}
	return most
}

// SVG draws the probabilities as cells, the higher the more opaque.
func (g Graphon) SVG(saved bool) string {
	w := newSVG(g.Side, g.Side, fmt.Sprintf("%s: %d by %d probabilities", g.Title, g.N, g.N), saved)
	w.rect("grid", 0.5, 0.5, g.Side-1, g.Side-1)
	// Large graphons are drawn in visible blocks.
	blocks := min(g.N, 32)
	full := g.Full
	if full <= 0 {
		full = 1
	}
	size := g.Side / float64(max(blocks, 1))
	// Cells of similar probability share a path: λ moves too fast for a thousand rectangles.
	var cells [shades + 1]strings.Builder
	for r := range blocks {
		for c := range blocks {
			if p := g.mean(r, c, blocks) / full; p >= 0.01 {
				fmt.Fprintf(&cells[int(math.Ceil(min(p, 1)*shades))], "M%s %sh%sv%sh%sz", num(float64(c)*size),
					num(float64(r)*size), num(size), num(size), num(-size))
			}
		}
	}
	for shade := range cells {
		if d := cells[shade].String(); d != "" {
			fmt.Fprintf(w, `<path %s fill-opacity="%s" d="%s"/>`, w.role(g.Role), num(float64(shade)/shades), d)
		}
	}
	return w.end()
}

// mean is the mean of block (row, column), if the matrix is divided into blocks × blocks of them.
func (g Graphon) mean(row, column, blocks int) float64 {
	sum, n := 0.0, 0
	for i := row * g.N / blocks; i < (row+1)*g.N/blocks; i++ {
		for j := column * g.N / blocks; j < (column+1)*g.N/blocks; j++ {
			sum, n = sum+float64(g.W[i*g.N+j]), n+1
		}
	}
	return sum / float64(n)
}

// Mix is λ·W_I + (1−λ)·W_J, for a slider faster than the worker.
func Mix(wi, wj []float32, lambda float64) []float32 {
	m := make([]float32, min(len(wi), len(wj)))
	for i := range m {
		m[i] = float32(lambda*float64(wi[i]) + (1-lambda)*float64(wj[i]))
	}
	return m
}
