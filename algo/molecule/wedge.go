package molecule

import (
	"cmp"
	"math"
	"slices"
)

// Stereochemistry from coordinates, as RDKit's legacy perception has it: chirality
// tags from three dimensions or from wedged bonds, before hydrogens are folded; the
// directions of bonds next to double bonds after the rings are known.

// finish makes a molecule of what was read.
func (m *molfile) finish() error {
	p := m.p
	if err := m.settleValences(); err != nil {
		return err
	}
	switch {
	case m.solid:
		for i := range p.atoms {
			p.refresh(int32(i))
		}
		for i := range p.atoms {
			p.atoms[i].chirality = m.solidTag(int32(i))
		}
	case m.chiral:
		m.wedgeTags()
	}
	if err := m.keepHydrogens(); err != nil {
		return err
	}
	m.fold()
	if err := p.perceive(); err != nil {
		return err
	}
	if err := m.directBonds(); err != nil {
		return err
	}
	p.cleanTags()
	return nil
}

// settleValences gives atoms the hydrogens that the file says they have.
func (m *molfile) settleValences() error {
	p := m.p
	for i := range p.atoms {
		a := &p.atoms[i]
		if m.sites[i].degree != 0 {
			a.marks |= isQuery
		}
		want := m.sites[i].valence
		if want == 0 || m.sites[i].fixed {
			continue
		}
		has := p.explicitValence(int32(i))
		a.noImplicit = true
		a.explicitH = 0
		if want != 15 && want > has {
			if a.explicitH = want - has; a.explicitH > math.MaxUint8 {
				return p.errorAtom(int32(i), "valence %d: want at most %d hydrogens", want, math.MaxUint8)
			}
		}
	}
	return m.applyGroups()
}

// fold folds hydrogens and keeps sites and wedges in step with atoms and bonds.
func (m *molfile) fold() {
	p := m.p
	n := len(p.atoms)
	for k := range p.bonds {
		// A bond with a wedge may be all that says that the hydrogen at the end
		// of a double bond matters.
		b := &p.bonds[k]
		if m.wedges[k] == notWedged {
			continue
		}
		for _, end := range [2][2]int32{{b.a, b.b}, {b.b, b.a}} {
			h, heavy := end[0], p.neighbors(end[1])
			if p.atoms[h].z != 1 || len(heavy) != 2 {
				continue
			}
			if p.bonds[heavy[0].bond].order == Double || p.bonds[heavy[1].bond].order == Double {
				p.atoms[h].marks |= isKept
			}
		}
	}
	grow(&m.first, n)
	gone := 0
	for i := range p.atoms {
		p.refresh(int32(i))
		m.first[i] = int32(i - gone)
		if p.atoms[i].z == 1 && p.foldable(int32(i)) {
			m.first[i] = -1
			gone++
		}
	}
	if gone == 0 {
		return
	}
	kept := 0
	for k := range p.bonds {
		b := &p.bonds[k]
		if m.first[b.a] >= 0 && m.first[b.b] >= 0 {
			m.wedges[kept] = m.wedges[k]
			kept++
		} else if m.wedges[k] == wavy && m.first[b.a] >= 0 {
			m.sites[b.a].wavy = true
		}
	}
	m.wedges = m.wedges[:kept]
	for i, to := range m.first[:n] {
		if to >= 0 {
			m.sites[to] = m.sites[i]
		}
	}
	m.sites = m.sites[:n-gone]
	p.foldHydrogens()
}

// wedgeTags sets the tags of atoms from the bonds that are wedged there, of which
// the first that says something counts.
func (m *molfile) wedgeTags() {
	p := m.p
	done := zeroed(&p.scratch, len(p.atoms))
	for k, w := range m.wedges {
		i := p.bonds[k].a
		a := &p.atoms[i]
		switch w {
		case wavy:
			a.chirality = Achiral
			done[i] = 1
		case wedgeUp, wedgeDown:
			if done[i] != 0 {
				continue
			}
			p.refresh(i)
			a.chirality = m.wedgeTag(int32(k))
			if a.chirality != Achiral {
				done[i] = 1
			}
			// The hydrogen is what the tag refers to, so it is an explicit one.
			if len(p.neighbors(i)) == 3 && a.explicitH == 0 && a.room() == 1 {
				a.explicitH = 1
				p.refresh(i)
			}
		}
	}
}

// wedgeTag is the tag of the atom at the point of the wedged bond k. Contradictions
// between wedges are found by the rules of InChI.
func (m *molfile) wedgeTag(k int32) Chirality {
	p := m.p
	i := p.bonds[k].a
	links := p.neighbors(i)
	if len(links) > 4 {
		return Achiral
	}
	centre := m.sites[i].at.flat()
	toward := func(j int32) point { return centre.to(m.sites[j].at.flat()) }
	reference := toward(p.bonds[k].b)
	plainHydrogen := func(j int32) bool { return p.atoms[j].z == 1 && p.atoms[j].isotope == 0 }

	var order [maxChiralDegree]int32 // bonds, the wedged one first
	order[0] = k
	n := 1
	hydrogen, single := plainHydrogen(p.bonds[k].b), true
	for _, l := range links {
		single = single && p.bonds[l.bond].order == Single
		if l.bond != k {
			hydrogen = hydrogen || plainHydrogen(l.atom)
			order[n] = l.bond
			n++
		}
	}
	if n < 3 || hydrogen && n < 4 || !single && p.atoms[i].z != 15 && p.atoms[i].z != 16 {
		return Achiral
	}
	other := func(b int32) int32 { return p.bonds[b].a + p.bonds[b].b - i }
	// Bonds x and y in the order of their angles from the wedged one.
	x, y := order[1], order[2]
	vx, vy := toward(other(x)), toward(other(y))
	ax, ay := reference.turn(vx), reference.turn(vy)
	counter := true
	if ax > ay {
		x, y, vx, vy, ax, ay = y, x, vy, vx, ay, ax
		counter = false
	}
	if n == 4 {
		// An odd permutation puts the three angles in order.
		az := reference.turn(toward(other(order[3])))
		var odd bool
		switch {
		case ax < ay && ay < az:
		case ax < ay && ax < az:
			odd = true
		case ax < ay:
		case ax < az:
			odd = true
		case ay < az:
		default:
			odd = true
		}
		counter = counter != odd
	} else {
		axy, yr := vx.turn(vy), vy.turn(reference)
		wedgeAt := func(b int32) wedge {
			if p.bonds[b].a == i {
				return m.wedges[b]
			}
			return notWedged
		}
		w, wx, wy := m.wedges[k], wedgeAt(x), wedgeAt(y)
		if ax < math.Pi-1e-3 && axy < math.Pi-1e-3 && yr < math.Pi-1e-3 {
			if wx != notWedged && wx != w || wy != notWedged && wy != w {
				return Achiral
			}
		} else {
			if wx == w && wx == wy {
				return Achiral
			}
			if wx != notWedged && wx != w {
				if ax >= math.Pi ||
					ay > math.Pi && wy != notWedged && wx != wy ||
					ay <= math.Pi && wy != notWedged && w != wy {
					return Achiral
				}
			} else if w == wy {
				return Achiral
			}
			if !(ax < ay) {
				counter = !counter
			}
			// The missing neighbour may be between x and y.
			if math.Abs(ay-ax) >= math.Pi-1e-4 {
				counter = !counter
			}
		}
	}
	if m.wedges[k] == wedgeDown {
		counter = !counter
	}
	if oddSwaps(order[:n], links) {
		counter = !counter
	}
	if counter {
		return CounterClockwise
	}
	return Clockwise
}

// solidTag is the tag of atom i from coordinates in three dimensions.
func (m *molfile) solidTag(i int32) Chirality {
	const flat = 0.1 // volume of the parallelepiped, in Å³, below which nothing is said
	p := m.p
	a := &p.atoms[i]
	links := p.neighbors(i)
	degree := 0
	for _, l := range links {
		if p.affects(l.bond, i) {
			degree++
		}
	}
	total := degree + int(a.hydrogens())
	if degree < 3 || total > 6 {
		return Achiral
	}
	if tag := m.metalTag(i); tag != Achiral {
		return tag
	}
	if total > 4 || total != 4 && a.z != 16 && a.z != 34 {
		return Achiral
	}
	var v [3]point
	n := 0
	for _, l := range links {
		if m.isWavy(l.bond, i) {
			return Achiral
		}
		if !p.affects(l.bond, i) {
			continue
		}
		v[n] = m.sites[l.atom].at.minus(m.sites[i].at)
		if n++; n == 3 {
			break
		}
	}
	switch volume := v[0].dot(v[1].cross(v[2])); {
	case volume < -flat:
		return Clockwise
	case volume > flat:
		return CounterClockwise
	}
	return Achiral
}

func (m *molfile) isWavy(k, i int32) bool {
	b := &m.p.bonds[k]
	return b.a == i && b.order == Single && m.wedges[k] == wavy
}

// metalTag is the tag of atom i if its bonds are those of a square plane, a
// trigonal bipyramid or an octahedron, with up to two of them missing. That is told
// from the pairs of bonds that are opposite each other.
func (m *molfile) metalTag(i int32) Chirality {
	p := m.p
	links := p.neighbors(i)
	if p.atoms[i].z < 15 || len(links) < 3 || len(links) > 6 {
		return Achiral
	}
	var v [6]point
	for k, l := range links {
		if m.isWavy(l.bond, i) {
			return Achiral
		}
		v[k] = m.sites[i].at.to(m.sites[l.atom].at)
	}
	n := len(links)
	var paired [6]bool
	pairs := 0
	for k := range n {
		for q := k + 1; q < n; q++ {
			if v[k].dot(v[q]) < -0.9 {
				if paired[k] || paired[q] {
					return Achiral
				}
				paired[k], paired[q] = true, true
				pairs++
			}
		}
	}
	switch {
	case pairs == 1 && n == 3, pairs == 2 && n == 4:
		return SquarePlanar
	case pairs == 1 && n == 4:
		var rest []point
		for k := range n {
			if !paired[k] {
				rest = append(rest, v[k])
			}
		}
		if rest[0].angle(rest[1]) < 100*math.Pi/180 {
			return Octahedral
		}
		return TrigonalBipyramidal
	case pairs == 1 && n == 5:
		return TrigonalBipyramidal
	case pairs == 2 && n == 5, pairs == 3 && n == 6:
		return Octahedral
	}
	return Achiral
}

// doubles is the workspace of directBonds.
type doubles struct {
	open   []bool  // bonds to be given a direction, and double bonds to be looked at
	count  []int32 // by single bond: how many double bonds are next to it
	order  []int32
	weight []int32
	stack  []int32
}

// directBonds gives the bonds next to double bonds directions that say what the
// coordinates say, or marks the double bonds as unknown.
func (m *molfile) directBonds() error {
	p, d := m.p, &m.double
	n := len(p.bonds)
	d.order = d.order[:0]
	for k := range p.bonds {
		b := &p.bonds[k]
		if b.order == Double && b.stereo != stereoAny && m.wedges[k] != crossed &&
			len(p.neighbors(b.a)) > 1 && len(p.neighbors(b.b)) > 1 && p.stereoBond(int32(k)) {
			d.order = append(d.order, int32(k))
		}
	}
	if len(d.order) > 0 {
		zeroed(&d.open, n)
		zeroed(&d.count, n)
		zeroed(&d.weight, n)
		for _, k := range d.order {
			b := &p.bonds[k]
			for _, i := range [2]int32{b.a, b.b} {
				if !p.spend(len(p.neighbors(i))) {
					return p.errorBudget()
				}
				for _, l := range p.neighbors(i) {
					s := l.bond
					if !p.single(s) {
						continue
					}
					d.open[k] = true
					d.count[s]++
					// The wedges of single bonds have served; those of bonds that
					// turned out to be aromatic are still in the way in RDKit.
					if p.bonds[s].order == Single || m.wedges[s] == notWedged {
						d.open[s] = true
					}
					d.weight[k] += s // RDKit adds up numbers of bonds
				}
			}
			if !b.ring {
				d.weight[k] *= 10
			}
		}
		slices.SortFunc(d.order, func(x, y int32) int {
			return -cmp.Or(cmp.Compare(uint32(d.weight[x]), uint32(d.weight[y])), cmp.Compare(x, y))
		})
		for _, k := range d.order {
			if err := m.directAround(k); err != nil {
				return err
			}
		}
	}
	// Crossed bonds are of unknown geometry, those next to a wavy bond too.
	for k := range p.bonds {
		b := &p.bonds[k]
		if b.order != Double {
			continue
		}
		if !p.stereoBond(int32(k)) {
			b.stereo = stereoNone
		} else if m.wedges[k] == crossed || m.wedges[k] == wavy || m.sites[b.a].wavy || m.sites[b.b].wavy {
			b.stereo = stereoAny
		}
	}
	return nil
}

// single reports whether bond k is a single or aromatic one.
func (p *Parser) single(k int32) bool {
	return p.bonds[k].order == Single || p.bonds[k].order == Aromatic
}

// directAround gives directions to the bonds next to the double bond k, then to those
// next to double bonds that share one of them, depth first.
func (m *molfile) directAround(k int32) error {
	d := &m.double
	d.stack = append(d.stack[:0], k)
	for len(d.stack) > 0 {
		k = d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if err := m.directBond(k); err != nil {
			return err
		}
	}
	return nil
}

// control picks the bond at atom i that says on which side of the double bond k its
// substituent is, and the second one there; -1 where there is none. Bonds with a
// direction come first, then those next to more double bonds.
func (m *molfile) control(k, i int32) (first, second int32, cumulated, unknown bool) {
	p, d := m.p, &m.double
	first, second = -1, -1
	for _, l := range p.neighbors(i) {
		s := l.bond
		switch {
		case s == k:
			continue
		case p.single(s):
			switch {
			case first < 0:
				first = s
			case d.open[s] && d.count[s] <= d.count[first]:
				second = s
			default:
				first, second = s, first
			}
			if m.wedges[s] == wavy {
				return first, second, cumulated, true
			}
		case p.bonds[s].order == Double:
			cumulated = true
		}
	}
	return first, second, cumulated, false
}

// directBond gives directions to the bonds next to the double bond k, and pushes the
// double bonds to be looked at next.
func (m *molfile) directBond(k int32) error {
	p, d := m.p, &m.double
	if !d.open[k] {
		return nil
	}
	d.open[k] = false
	b := &p.bonds[k]
	if !p.spend(len(p.neighbors(b.a)) + len(p.neighbors(b.b))) {
		return p.errorBudget()
	}
	x, x2, cumulated, unknown := m.control(k, b.a)
	var y, y2 int32
	if x >= 0 && !cumulated && !unknown {
		y, y2, cumulated, unknown = m.control(k, b.b)
	}
	if cumulated {
		return nil
	}
	if x < 0 || y < 0 || unknown {
		m.wedges[k] = crossed
		return nil
	}
	// The substituents must not lie on the axis of the double bond.
	begin, end := m.sites[b.a].at, m.sites[b.b].at
	place := func(s, i int32) point { return m.sites[p.bonds[s].a+p.bonds[s].b-i].at }
	px, py := place(x, b.a), place(y, b.b)
	linear := false
	if inLine(px.minus(begin), end.minus(begin)) {
		if linear = x2 < 0; !linear {
			x, x2 = x2, x
			px = place(x, b.a)
			linear = inLine(px.minus(begin), end.minus(begin))
		}
	}
	if !linear && inLine(py.minus(end), begin.minus(end)) {
		if linear = y2 < 0; !linear {
			y, y2 = y2, y
			py = place(y, b.b)
			linear = inLine(py.minus(begin), begin.minus(end)) // from begin in RDKit too
		}
	}
	if linear {
		m.wedges[k] = crossed
		return nil
	}
	axis := end.minus(begin)
	opposite := px.minus(begin).cross(axis).angle(py.minus(end).cross(axis)) >= math.Pi/2

	for _, s := range [2]int32{y, x} {
		if d.open[s] {
			if err := m.pushDoubles(s); err != nil {
				return err
			}
		}
	}
	switch {
	case d.open[x] && d.open[y]:
		m.direct(x, b.a, down, false)
		m.direct(y, b.b, down, opposite)
	case d.open[x]:
		if err := m.directLike(x, b.a, y, opposite != (p.bonds[y].a != b.b)); err != nil {
			return err
		}
	case d.open[y]:
		if err := m.directLike(y, b.b, x, opposite != (p.bonds[x].a != b.a)); err != nil {
			return err
		}
	}
	d.open[x], d.open[y] = false, false
	for _, o := range [2]struct{ second, first, at int32 }{{x2, x, b.a}, {y2, y, b.b}} {
		if o.second >= 0 && d.open[o.second] {
			if err := m.directLike(o.second, o.at, o.first, p.bonds[o.first].a == o.at); err != nil {
				return err
			}
			d.open[o.second] = false
		}
	}
	return nil
}

// pushDoubles pushes the double bonds next to bond s, the first of them last.
func (m *molfile) pushDoubles(s int32) error {
	p, d := m.p, &m.double
	from := len(d.stack)
	for _, i := range [2]int32{p.bonds[s].a, p.bonds[s].b} {
		if !p.spend(len(p.neighbors(i))) {
			return p.errorBudget()
		}
		for _, l := range p.neighbors(i) {
			if p.bonds[l.bond].order == Double && d.open[l.bond] {
				d.stack = append(d.stack, l.bond)
			}
		}
	}
	slices.SortFunc(d.stack[from:], func(x, y int32) int { return cmp.Compare(y, x) })
	return nil
}

// direct sets the direction that bond s has as seen from atom i.
func (m *molfile) direct(s, i int32, dir direction, reverse bool) {
	b := &m.p.bonds[s]
	if reverse != (b.a != i) {
		dir = dir.flip()
	}
	b.dir = dir
}

// directLike sets the direction of bond s as seen from atom i to that of bond like.
func (m *molfile) directLike(s, i, like int32, reverse bool) error {
	dir := m.p.bonds[like].dir
	if dir == level {
		return m.p.errorAtom(i, "a wedged bond of an aromatic ring is next to a double bond: want wedges on other bonds")
	}
	m.direct(s, i, dir, reverse)
	return nil
}

// A point is a place or a vector, in Å. Products are rounded before they are added,
// so that all platforms agree.
type point struct{ x, y, z float64 }

func (v point) flat() point         { return point{v.x, v.y, 0} }
func (v point) minus(w point) point { return point{v.x - w.x, v.y - w.y, v.z - w.z} }
func (v point) dot(w point) float64 {
	return float64(v.x*w.x) + float64(v.y*w.y) + float64(v.z*w.z)
}

func (v point) cross(w point) point {
	return point{
		float64(v.y*w.z) - float64(v.z*w.y),
		float64(v.z*w.x) - float64(v.x*w.z),
		float64(v.x*w.y) - float64(v.y*w.x),
	}
}

// to is the direction from v to w; it has no numbers where they are the same.
func (v point) to(w point) point {
	d := w.minus(v)
	l := math.Sqrt(d.dot(d))
	return point{d.x / l, d.y / l, d.z / l}
}

// angle is the angle between two vectors, from 0 to π.
func (v point) angle(w point) float64 {
	c := v.dot(w) / math.Sqrt(float64(v.dot(v)*w.dot(w)))
	switch {
	case c <= -1:
		return math.Pi
	case c >= 1:
		return 0
	}
	return math.Acos(c)
}

// turn is the angle by which v is turned into w counterclockwise in the plane, from 0
// to 2π.
func (v point) turn(w point) float64 {
	a := v.angle(w)
	if float64(v.x*w.y)-float64(v.y*w.x) < -1e-6 {
		return 2*math.Pi - a
	}
	return a
}

// inLine reports whether two vectors are opposite within two degrees, or too short to
// say.
func inLine(v, w point) bool {
	const cos178 = -0.999388
	l := float64(v.dot(v) * w.dot(w))
	return l < 1e-6 || v.dot(w) < cos178*math.Sqrt(l)
}
