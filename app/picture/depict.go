package picture

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"baca/wasm/message"
)

// A drawing is a graph with places for its nodes, in lengths of a bond.
type drawing struct {
	atoms   []place
	bonds   []joint
	circles [][3]float64 // x, y and radius, inside aromatic rings
	written int          // atoms of the SMILES, which come first
	graph   bool         // plain nodes, without elements
}

type place struct {
	x, y                       float64
	symbol                     string
	charge, hydrogens, isotope int
}

type joint struct {
	from, to, order int
	kind            byte // 0, or aromatic, wedge or hash
}

const (
	aromaticBond = 1
	wedgeBond    = 2
	hashBond     = 3
)

// mostAtoms is how many a drawing has at most: more is a blot.
const mostAtoms = 1000

// parseDrawing reads what the worker that lays out molecules says, see
// web/src/draw.js.
func parseDrawing(text string) (*drawing, error) {
	lines := strings.Split(text, "\n")
	counts, err := numbers(lines[0], 4)
	if err != nil {
		return nil, err
	}
	n, m, k := int(counts[0]), int(counts[1]), int(counts[2])
	if n < 1 || m < 0 || k < 0 || n > mostAtoms || m > 4*mostAtoms || k > mostAtoms || len(lines) != 1+n+m+k {
		return nil, fmt.Errorf("drawing of %d lines for %d atoms, %d bonds and %d circles", len(lines), n, m, k)
	}
	d := &drawing{written: int(counts[3])}
	if d.written < 0 || d.written > n {
		return nil, fmt.Errorf("drawing says that %d of %d atoms are written", d.written, n)
	}
	for _, line := range lines[1 : 1+n] {
		f := strings.Fields(line)
		if len(f) != 6 {
			return nil, fmt.Errorf("atom %q, want 6 fields", line)
		}
		symbol := f[2]
		f[2] = "0"
		x, err := numbers(strings.Join(f, " "), 6)
		if err != nil {
			return nil, err
		}
		// An aromatic atom is written in small letters.
		symbol = strings.ToUpper(symbol[:1]) + symbol[1:]
		d.atoms = append(d.atoms, place{x[0], x[1], symbol, int(x[3]), int(x[4]), int(x[5])})
	}
	for _, line := range lines[1+n : 1+n+m] {
		x, err := numbers(line, 4)
		if err != nil {
			return nil, err
		}
		b := joint{int(x[0]), int(x[1]), int(x[2]), byte(x[3])}
		if min(b.from, b.to) < 0 || max(b.from, b.to) >= n {
			return nil, fmt.Errorf("bond %q between %d atoms", line, n)
		}
		d.bonds = append(d.bonds, b)
	}
	for _, line := range lines[1+n+m:] {
		x, err := numbers(line, 3)
		if err != nil {
			return nil, err
		}
		d.circles = append(d.circles, [3]float64{x[0], x[1], x[2]})
	}
	return d, nil
}

// numbers reads a line of n finite numbers.
func numbers(line string, n int) ([]float64, error) {
	f := strings.Fields(line)
	if len(f) != n {
		return nil, fmt.Errorf("line %q, want %d numbers", line, n)
	}
	x := make([]float64, n)
	for i := range f {
		v, err := strconv.ParseFloat(f[i], 64)
		if err != nil || math.IsNaN(v) || math.Abs(v) > 1e6 {
			return nil, fmt.Errorf("number %q", f[i])
		}
		x[i] = v
	}
	return x, nil
}

// plain places the nodes of a graph that has no drawing, by springs along its edges
// and a push between all nodes. Equal graphs get equal places.
func plain(d *message.Detailed) *drawing {
	n := len(d.Atoms)
	g := &drawing{written: n, graph: true}
	for i, a := range d.Atoms {
		g.graph = g.graph && a.Symbol == ""
		// A circle in an order that is no symmetry of it.
		angle := 2 * math.Pi * float64(i) * 0.381966
		r := math.Sqrt(float64(i)+0.5) * 0.9
		g.atoms = append(g.atoms, place{r * math.Cos(angle), r * math.Sin(angle), a.Symbol, a.Charge, a.Hydrogens, a.Isotope})
	}
	for _, b := range d.Bonds {
		kind := byte(0)
		if b.Aromatic {
			kind = aromaticBond
		}
		g.bonds = append(g.bonds, joint{b.From, b.To, b.Order, kind})
	}
	relax(g, min(max(60000/(n*n+1), 20), 400))
	return g
}

// relax moves nodes for that many rounds, by less and less.
func relax(g *drawing, rounds int) {
	n := len(g.atoms)
	dx, dy := make([]float64, n), make([]float64, n)
	for round := range rounds {
		clear(dx)
		clear(dy)
		for i := range n {
			for j := range i {
				x, y := g.atoms[i].x-g.atoms[j].x, g.atoms[i].y-g.atoms[j].y
				d2 := max(x*x+y*y, 1e-4)
				f := 0.9 / d2
				dx[i], dy[i], dx[j], dy[j] = dx[i]+f*x, dy[i]+f*y, dx[j]-f*x, dy[j]-f*y
			}
		}
		for _, b := range g.bonds {
			if b.from == b.to {
				continue
			}
			x, y := g.atoms[b.from].x-g.atoms[b.to].x, g.atoms[b.from].y-g.atoms[b.to].y
			f := math.Sqrt(x*x+y*y) - 0.6
			dx[b.from], dy[b.from] = dx[b.from]-f*x, dy[b.from]-f*y
			dx[b.to], dy[b.to] = dx[b.to]+f*x, dy[b.to]+f*y
		}
		most := 0.6 * (1 - float64(round)/float64(rounds))
		for i := range g.atoms {
			// Parts that nothing joins must not drift away.
			dx[i], dy[i] = dx[i]-0.02*g.atoms[i].x, dy[i]-0.02*g.atoms[i].y
			if l := math.Hypot(dx[i], dy[i]); l > most {
				dx[i], dy[i] = dx[i]*most/l, dy[i]*most/l
			}
			g.atoms[i].x, g.atoms[i].y = g.atoms[i].x+dx[i], g.atoms[i].y+dy[i]
		}
	}
}

// fits tells whether the drawing's atoms are those of a graph, one for one, so that
// its contributions belong to them.
func (d *drawing) fits(atoms []message.Atom) bool {
	if d.written != len(atoms) {
		return false
	}
	for i, a := range atoms {
		if !d.graph && !strings.EqualFold(a.Symbol, d.atoms[i].symbol) {
			return false
		}
	}
	return true
}

// depict draws into a box of the given size. share is, for each atom, how much it
// makes the graph look outside, from −1 to 1; nil for none. Atoms that are marked have
// a dashed ring; nil for none.
func (d *drawing) depict(width, height, most float64, share []float64, marked []bool, title string, saved bool) string {
	w := newSVG(width, height, title, saved)
	left, right := math.Inf(1), math.Inf(-1)
	top, bottom := math.Inf(1), math.Inf(-1)
	for _, a := range d.atoms {
		left, right = min(left, a.x), max(right, a.x)
		top, bottom = min(top, a.y), max(bottom, a.y)
	}
	const margin = 0.75 // of a bond, for letters
	scale := min(width/(right-left+2*margin), height/(bottom-top+2*margin), most)
	x := func(a place) float64 { return width/2 + scale*(a.x-(left+right)/2) }
	y := func(a place) float64 { return height/2 + scale*(a.y-(top+bottom)/2) }

	for i, s := range share {
		if i >= len(d.atoms) || math.IsNaN(s) || math.Abs(s) < 0.05 {
			continue
		}
		role := "towards"
		if s < 0 {
			role = "away"
		}
		s = math.Abs(s)
		w.halo(role, x(d.atoms[i]), y(d.atoms[i]), scale*(0.26+0.22*s), 0.15+0.6*s)
	}
	for i, is := range marked {
		if is && i < len(d.atoms) {
			fmt.Fprintf(w, `<circle %s stroke-width="1.2" stroke-dasharray="2.5 2" cx="%s" cy="%s" r="%s"/>`, w.role("mark-ring"), num(x(d.atoms[i])), num(y(d.atoms[i])), num(scale*0.5))
		}
	}
	degree := make([]int, len(d.atoms))
	for _, b := range d.bonds {
		degree[b.from]++
		degree[b.to]++
	}
	stroke := max(scale*0.065, 0.9)
	for _, b := range d.bonds {
		d.bond(w, b, x(d.atoms[b.from]), y(d.atoms[b.from]), x(d.atoms[b.to]), y(d.atoms[b.to]), scale, stroke, degree)
	}
	for _, c := range d.circles {
		w.ring(x(place{x: c[0], y: c[1]}), y(place{x: c[0], y: c[1]}), c[2]*scale, 0.75*stroke)
	}
	for i, a := range d.atoms {
		if d.graph {
			w.circle("node", x(a), y(a), max(scale*0.16, 1.5))
			continue
		}
		if label, ok := a.label(degree[i]); ok {
			d.letters(w, i, label, x(a), y(a), scale)
		}
	}
	return w.end()
}

// ring is the circle of an aromatic ring.
func (w *svg) ring(x, y, r, stroke float64) {
	fmt.Fprintf(w, `<circle %s stroke-width="%s" cx="%s" cy="%s" r="%s"/>`, w.role("bond"), num(stroke), num(x), num(y), num(r))
}

func (d *drawing) bond(w *svg, b joint, x1, y1, x2, y2, scale, stroke float64, degree []int) {
	dx, dy := x2-x1, y2-y1
	l := math.Hypot(dx, dy)
	if l < 1e-6 {
		return
	}
	// A step to the side.
	sx, sy := -dy/l*scale, dx/l*scale
	switch {
	case b.kind == wedgeBond:
		fmt.Fprintf(w, `<path %s d="M%s %sL%s %sL%s %sZ"/>`, w.role("wedge"),
			num(x1), num(y1), num(x2+0.13*sx), num(y2+0.13*sy), num(x2-0.13*sx), num(y2-0.13*sy))
	case b.kind == hashBond:
		for k := 1; k <= 6; k++ {
			t := float64(k) / 6
			w.line("bond", stroke*0.8, x1+t*dx+0.13*t*sx, y1+t*dy+0.13*t*sy, x1+t*dx-0.13*t*sx, y1+t*dy-0.13*t*sy)
		}
	case b.order == 2:
		// Between two atoms with further neighbours one stroke is the bond, and the
		// other lies on the side where more of the molecule is.
		if degree[b.from] > 1 && degree[b.to] > 1 {
			side := d.side(b)
			w.line("bond", stroke, x1, y1, x2, y2)
			w.line("bond", stroke, x1+0.12*dx+side*0.17*sx, y1+0.12*dy+side*0.17*sy, x2-0.12*dx+side*0.17*sx, y2-0.12*dy+side*0.17*sy)
			return
		}
		w.line("bond", stroke, x1+0.085*sx, y1+0.085*sy, x2+0.085*sx, y2+0.085*sy)
		w.line("bond", stroke, x1-0.085*sx, y1-0.085*sy, x2-0.085*sx, y2-0.085*sy)
	case b.order == 3 || b.order == 4:
		for k := range b.order {
			o := 0.14 * (float64(k) - float64(b.order-1)/2)
			w.line("bond", stroke, x1+o*sx, y1+o*sy, x2+o*sx, y2+o*sy)
		}
	case b.kind == aromaticBond:
		side := d.side(b)
		w.line("bond", stroke, x1, y1, x2, y2)
		w.dashed("bond", stroke, x1+0.12*dx+side*0.17*sx, y1+0.12*dy+side*0.17*sy, x2-0.12*dx+side*0.17*sx, y2-0.12*dy+side*0.17*sy)
	default:
		w.line("bond", stroke, x1, y1, x2, y2)
	}
}

// side is 1 or −1, where the neighbours of the bond's ends are.
func (d *drawing) side(b joint) float64 {
	from, to := d.atoms[b.from], d.atoms[b.to]
	sum := 0.0
	for _, o := range d.bonds {
		for _, end := range [][2]int{{o.from, o.to}, {o.to, o.from}} {
			if (end[0] == b.from || end[0] == b.to) && end[1] != b.from && end[1] != b.to {
				a := d.atoms[end[1]]
				cross := (to.x-from.x)*(a.y-from.y) - (to.y-from.y)*(a.x-from.x)
				if cross > 0 {
					sum++
				} else {
					sum--
				}
			}
		}
	}
	if sum < 0 {
		return -1
	}
	return 1
}

// label is what stands for an atom, and whether anything does: carbons are corners.
func (a place) label(degree int) (string, bool) {
	if a.symbol == "C" && a.charge == 0 && a.isotope == 0 && degree > 0 {
		return "", false
	}
	return a.symbol, true
}

// letters write an atom: its symbol in the middle, hydrogens on the side that is
// free, charge and isotope above.
func (d *drawing) letters(w *svg, i int, symbol string, x, y, scale float64) {
	a := d.atoms[i]
	size := max(scale*0.46, 7)
	role := map[string]string{"N": "atom-n", "O": "atom-o", "S": "atom-s", "P": "atom-p", "F": "atom-x", "Cl": "atom-x", "Br": "atom-x", "I": "atom-x"}[symbol]
	if role == "" {
		role = "atom"
	}
	lean := 0.0 // where neighbours are: hydrogens go to the other side
	for _, b := range d.bonds {
		switch i {
		case b.from:
			lean += d.atoms[b.to].x - a.x
		case b.to:
			lean += d.atoms[b.from].x - a.x
		}
	}
	half := size * 0.36 * float64(len([]rune(symbol)))
	w.halo("knock", x, y, max(half, size*0.42)*1.12, 1)
	write := func(x, y, size float64, text string) {
		fmt.Fprintf(w, `<text %s font-size="%s" x="%s" y="%s">%s</text>`, w.role(role), num(size), num(x), num(y), escape(text))
	}
	write(x, y+size*0.36, size, symbol)
	right := x + half
	if a.hydrogens > 0 {
		step := size * 0.72
		at := x + half + step*0.5
		if lean > 0.1 {
			at = x - half - step*0.5
			if a.hydrogens > 1 {
				at -= size * 0.4
			}
		}
		write(at, y+size*0.36, size, "H")
		if a.hydrogens > 1 {
			write(at+size*0.56, y+size*0.56, size*0.66, strconv.Itoa(a.hydrogens))
		}
		if lean <= 0.1 {
			right = at + step*0.5
			if a.hydrogens > 1 {
				right += size * 0.4
			}
		}
	}
	if a.charge != 0 {
		sign := "+"
		if a.charge < 0 {
			sign = "−"
		}
		if c := a.charge * a.charge; c > 1 {
			sign = strconv.Itoa(max(a.charge, -a.charge)) + sign
		}
		write(right+size*0.2, y-size*0.12, size*0.75, sign)
	}
	if a.isotope != 0 {
		write(x-half-size*0.2, y-size*0.1, size*0.6, strconv.Itoa(a.isotope))
	}
}

// shares scales contributions to −1 … 1 by the largest of them.
func shares(contribution []float64) []float64 {
	most := 0.0
	for _, c := range contribution {
		if !math.IsNaN(c) {
			most = max(most, math.Abs(c))
		}
	}
	if most == 0 {
		return nil
	}
	s := make([]float64, len(contribution))
	for i, c := range contribution {
		s[i] = c / most
	}
	return s
}
