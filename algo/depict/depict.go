package depict

import (
	"fmt"
	"math"
	"strings"

	"baca/algo/graph"
	"baca/algo/molecule"
)

// MaxNodes is the largest graph that is drawn. More is a blot.
const MaxNodes = 250

// A drawing is a layout with what is written on it.
type drawing struct {
	*layout
	labels []string // SVG text, empty for none
	edges  []edge
	circle []int     // rings with a circle in them
	values []float64 // of the nodes, or nil
	marked []bool    // nodes with a ring, or nil
	dots   bool      // nodes without labels are dots
	title  string
}

type edge struct{ from, to, order int }

// Molecule draws a molecule as an SVG element of its own, without any reference to
// anything outside. values, unless nil, has a number for each atom: those above 0 are
// marked in vermilion and those below in blue, as strongly as the number is large
// beside the largest. Atoms that are marked, unless marked is nil, have a dashed ring.
// title is for those who cannot see it. Above MaxNodes atoms it
// returns an empty string.
func Molecule(m *molecule.Molecule, values []float64, marked []bool, title string) string {
	n := len(m.Atoms)
	if n == 0 || n > MaxNodes {
		return ""
	}
	near, linear := make([][]int, n), make([]bool, n)
	doubles := make([]int, n)
	d := &drawing{values: values, marked: marked, title: title, labels: make([]string, n)}
	aromatic := map[[2]int]bool{}
	for _, b := range m.Bonds {
		i, j := int(b.From), int(b.To)
		near[i], near[j] = append(near[i], j), append(near[j], i)
		order := 1
		switch b.Order {
		case molecule.Double:
			order = 2
			doubles[i]++
			doubles[j]++
		case molecule.Triple, molecule.Quadruple:
			order = 3
			linear[i], linear[j] = true, true
		}
		if b.Aromatic {
			aromatic[[2]int{i, j}], aromatic[[2]int{j, i}] = true, true
			order = 1
		}
		d.edges = append(d.edges, edge{i, j, order})
	}
	for i := range n {
		linear[i] = linear[i] || doubles[i] == 2 && len(near[i]) == 2
		d.labels[i] = label(m, i, len(near[i]))
	}
	d.layout = newLayout(near, linear)
	for r, ring := range d.rings {
		all := true
		for k, i := range ring {
			all = all && aromatic[[2]int{i, ring[(k+1)%len(ring)]}]
		}
		if all {
			d.circle = append(d.circle, r)
		}
	}
	d.run()
	return d.svg()
}

// Graph draws a graph as Molecule does, its nodes as dots.
func Graph(g *graph.Graph, values []float64, marked []bool, title string) string {
	n := g.N()
	if n == 0 || n > MaxNodes {
		return ""
	}
	near := make([][]int, n)
	d := &drawing{values: values, marked: marked, title: title, labels: make([]string, n), dots: true}
	for i := range n {
		for _, j := range g.Row(i) {
			near[i] = append(near[i], int(j))
			if int(j) > i {
				d.edges = append(d.edges, edge{i, int(j), 1})
			}
		}
	}
	d.layout = &layout{near: near, at: make([]point, n)}
	d.springs()
	return d.svg()
}

// label is the text on an atom.
func label(m *molecule.Molecule, i, degree int) string {
	a := &m.Atoms[i]
	if a.Element == 6 && a.Charge == 0 && a.Radicals == 0 && a.Isotope == 0 && degree > 0 {
		return ""
	}
	up := func(s string) string {
		return `<tspan class="s" dy="-4">` + s + `</tspan><tspan dy="4">&#8203;</tspan>`
	}
	down := func(s string) string {
		return `<tspan class="s" dy="3">` + s + `</tspan><tspan dy="-3">&#8203;</tspan>`
	}
	text := ""
	if a.Isotope > 0 {
		text += up(fmt.Sprint(a.Isotope))
	}
	text += molecule.Symbol(int(a.Element))
	if a.Hydrogens > 0 {
		text += "H"
		if a.Hydrogens > 1 {
			text += down(fmt.Sprint(a.Hydrogens))
		}
	}
	if c := int(a.Charge); c != 0 {
		s := map[bool]string{true: "+", false: "−"}[c > 0]
		if c = max(c, -c); c > 1 {
			s = fmt.Sprint(c) + s
		}
		text += up(s)
	}
	return text + strings.Repeat("•", int(a.Radicals))
}

// The size of a drawing in pixels: a bond's length, what is around the atoms, and the
// widest that it is drawn before it is scaled down.
const (
	bond   = 26.0
	margin = 16.0
	gap    = 2.4 // between the lines of a double bond
)

// The colours are those of the figures.
const (
	more = "#d55e00"
	less = "#0072b2"
)

// svg writes the drawing.
func (d *drawing) svg() string {
	low, high := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for i, p := range d.at {
		p = p.times(bond)
		p.y = -p.y
		d.at[i] = p
		low, high = point{min(low.x, p.x), min(low.y, p.y)}, point{max(high.x, p.x), max(high.y, p.y)}
	}
	width, height := high.x-low.x+2*margin, high.y-low.y+2*margin
	for i := range d.at {
		d.at[i] = d.at[i].minus(low).plus(point{margin, margin})
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="drawing" viewBox="0 0 %.1f %.1f" width="%.0f" height="%.0f" role="img"><title>%s</title>`,
		width, height, width, height, escape(d.title))
	largest := 0.0
	for _, v := range d.values {
		if !math.IsNaN(v) {
			largest = max(largest, math.Abs(v))
		}
	}
	for i, v := range d.values {
		if math.IsNaN(v) || math.Abs(v) < 0.02*largest || largest == 0 {
			continue
		}
		colour := more
		if v < 0 {
			colour = less
		}
		share := math.Abs(v) / largest
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s" opacity="%.2f"/>`, d.at[i].x, d.at[i].y, 5+6*math.Sqrt(share), colour, 0.15+0.55*share)
	}
	for i, is := range d.marked {
		if is {
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="12.5" fill="none" stroke="#222" stroke-width="1.2" stroke-dasharray="2.5 2"/>`, d.at[i].x, d.at[i].y)
		}
	}
	b.WriteString(`<g stroke="#222" stroke-width="1.3" stroke-linecap="round" fill="none">`)
	for _, e := range d.edges {
		d.edge(&b, e)
	}
	for _, r := range d.circle {
		var middle point
		for _, i := range d.rings[r] {
			middle = middle.plus(d.at[i].times(1 / float64(len(d.rings[r]))))
		}
		near := math.Inf(1)
		for k, i := range d.rings[r] {
			j := d.rings[r][(k+1)%len(d.rings[r])]
			near = min(near, d.at[i].plus(d.at[j]).times(0.5).distance(middle))
		}
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="%.1f" stroke-width="1"/>`, middle.x, middle.y, 0.68*near)
	}
	b.WriteString(`</g>`)
	for i, text := range d.labels {
		switch {
		case text != "":
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, d.at[i].x, d.at[i].y+4.2, text)
		case d.dots:
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="2.6" fill="#222"/>`, d.at[i].x, d.at[i].y)
		}
	}
	b.WriteString(`</svg>`)
	return b.String()
}

// edge draws the lines of an edge, short of labels.
func (d *drawing) edge(b *strings.Builder, e edge) {
	p, q := d.at[e.from], d.at[e.to]
	along := q.minus(p)
	r := max(along.length(), 1e-3)
	along = along.times(1 / r)
	if d.labels[e.from] != "" {
		p = p.plus(along.times(min(7.5, 0.35*r)))
	}
	if d.labels[e.to] != "" {
		q = q.minus(along.times(min(7.5, 0.35*r)))
	}
	aside := point{-along.y, along.x}
	line := func(shift, shorter float64) {
		a, z := p.plus(aside.times(shift)).plus(along.times(shorter)), q.plus(aside.times(shift)).minus(along.times(shorter))
		fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1f"/>`, a.x, a.y, z.x, z.y)
	}
	switch e.order {
	case 3:
		line(0, 0)
		line(1.4*gap, 0)
		line(-1.4*gap, 0)
	case 2:
		// Inside a ring, if it is in one; else on both sides, if it ends here.
		if inside, ok := d.inside(e); ok {
			line(0, 0)
			side := 1.0
			if aside.x*(inside.x-p.x)+aside.y*(inside.y-p.y) < 0 {
				side = -1
			}
			line(side*1.6*gap, 0.12*r)
			return
		}
		line(gap/1.6, 0)
		line(-gap/1.6, 0)
	default:
		line(0, 0)
	}
}

// inside is the middle of the smallest ring with an edge.
func (d *drawing) inside(e edge) (point, bool) {
	for _, r := range d.member[e.from] { // ascending in size
		for k, i := range d.rings[r] {
			j := d.rings[r][(k+1)%len(d.rings[r])]
			if i == e.from && j == e.to || i == e.to && j == e.from {
				var middle point
				for _, i := range d.rings[r] {
					middle = middle.plus(d.at[i].times(1 / float64(len(d.rings[r]))))
				}
				return middle, true
			}
		}
	}
	return point{}, false
}

// escape makes text safe between tags.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;").Replace(text)
}
