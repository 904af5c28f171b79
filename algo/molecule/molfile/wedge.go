package molfile

import (
	"math"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/buffer"
)

// Stereochemistry from coordinates, as in RDKit's legacy perception: chirality tags from three dimensions or wedged
// bonds, before hydrogens are folded; the geometry of double bonds after rings are known.

// finish perceives the chemistry of the atoms and bonds that were read, and returns an error if it is impossible.
func (m *reader) finish() error {
	p := m.p
	if err := m.settleValences(); err != nil {
		return err
	}
	switch {
	case m.solid:
		for i := range p.Atoms {
			p.Refresh(int32(i))
		}
		for i := range p.Atoms {
			p.Atoms[i].Chirality = m.solidTag(int32(i))
		}
	case m.chiral:
		m.wedgeTags()
	}
	m.fold()
	if err := p.Perceive(); err != nil {
		return err
	}
	m.setGeometry()
	p.CleanTags()
	return nil
}

// settleValences gives atoms whose valence the file states the hydrogens that are missing to it.
func (m *reader) settleValences() error {
	p := m.p
	for i := range p.Atoms {
		a := &p.Atoms[i]
		want := m.sites[i].valence
		if want == 0 {
			continue
		}
		has := p.ExplicitValence(int32(i))
		a.NoImplicit = true
		a.Explicit = 0
		if want != noBonds && want > has {
			if a.Explicit = want - has; a.Explicit > math.MaxUint8 {
				return p.ErrorAtom(int32(i), "valence %d: want at most %d hydrogens", want, math.MaxUint8)
			}
		}
	}
	return nil
}

// fold folds hydrogens, and removes the sites and wedges of those that go. A hydrogen stays if its bond is a wedge
// beside a double bond and its neighbour has no third bond. A wavy bond that goes marks the site of the atom that
// stays.
func (m *reader) fold() {
	p := m.p
	n := len(p.Atoms)
	for k := range p.Bonds {
		// A wedge may be all that makes a hydrogen at a double bond matter.
		b := &p.Bonds[k]
		if m.wedges[k] == notWedged {
			continue
		}
		for _, end := range [2][2]int32{{b.From, b.To}, {b.To, b.From}} {
			h, heavy := end[0], p.Neighbors(end[1])
			if p.Atoms[h].Element != 1 || len(heavy) != 2 {
				continue
			}
			if p.Bonds[heavy[0].Bond].Order == molecule.Double || p.Bonds[heavy[1].Bond].Order == molecule.Double {
				p.Atoms[h].Kept = true
			}
		}
	}
	buffer.Grow(&m.first, n)
	gone := 0
	for i := range p.Atoms {
		p.Refresh(int32(i))
		m.first[i] = int32(i - gone)
		if p.Atoms[i].Element == 1 && p.Foldable(int32(i)) {
			m.first[i] = -1
			gone++
		}
	}
	if gone == 0 {
		return
	}
	kept := 0
	for k := range p.Bonds {
		b := &p.Bonds[k]
		if m.first[b.From] >= 0 && m.first[b.To] >= 0 {
			m.wedges[kept] = m.wedges[k]
			kept++
		} else if m.wedges[k] == wavy && m.first[b.From] >= 0 {
			m.sites[b.From].wavy = true // a wavy bond to a hydrogen that goes
		}
	}
	m.wedges = m.wedges[:kept]
	for i, to := range m.first[:n] {
		if to >= 0 {
			m.sites[to] = m.sites[i]
		}
	}
	m.sites = m.sites[:n-gone]
	p.FoldHydrogens()
}

// wedgeTags sets chirality tags from wedged bonds. The first bond that gives an atom a tag decides. A wavy bond
// leaves the atom without one.
func (m *reader) wedgeTags() {
	p := m.p
	done := buffer.Zeroed(&m.scratch, len(p.Atoms))
	for k, w := range m.wedges {
		i := p.Bonds[k].From
		a := &p.Atoms[i]
		switch w {
		case wavy:
			a.Chirality = molecule.Achiral
			done[i] = 1
		case wedgeUp, wedgeDown:
			if done[i] != 0 {
				continue
			}
			p.Refresh(i)
			a.Chirality = m.wedgeTag(int32(k))
			if a.Chirality != molecule.Achiral {
				done[i] = 1
			}
			// The tag refers to the hydrogen, so it is explicit.
			if len(p.Neighbors(i)) == 3 && a.Explicit == 0 && a.Room() == 1 {
				a.Explicit = 1
				p.Refresh(i)
			}
		}
	}
}

// wedgeTag returns the tag of the atom at the narrow end of the wedged bond k. It is Achiral if the bonds say nothing, or
// if they contradict each other by InChI's rules.
func (m *reader) wedgeTag(k int32) molecule.Chirality {
	p := m.p
	i := p.Bonds[k].From
	order, n := m.wedgeOrder(k)
	if n < 3 {
		return molecule.Achiral
	}
	centre := m.sites[i].at.flat()
	toward := func(b int32) point { return centre.to(m.across(b, i).flat()) }
	// Bonds x and y in the order of their angles from the wedged one. counter: the tag is CounterClockwise so far.
	reference, x, y := toward(k), order[1], order[2]
	vx, vy := toward(x), toward(y)
	ax, ay := reference.turn(vx), reference.turn(vy)
	counter := true
	if ax > ay {
		x, y, vx, vy, ax, ay = y, x, vy, vx, ay, ax
		counter = false
	}
	if n == 4 {
		if oddAngles(ax, ay, reference.turn(toward(order[3]))) {
			counter = !counter
		}
	} else {
		// around: the three bonds surround the atom, no two of them with an angle of π or more between.
		around := ax < math.Pi-1e-3 && vx.turn(vy) < math.Pi-1e-3 && vy.turn(reference) < math.Pi-1e-3
		if !wedgesAgree(m.wedges[k], m.wedgeAt(x, i), m.wedgeAt(y, i), ax, ay, around) {
			return molecule.Achiral
		}
		if !around && !(ax < ay) {
			counter = !counter
		}
		// The missing neighbour may be between x and y.
		if !around && math.Abs(ay-ax) >= math.Pi-1e-4 {
			counter = !counter
		}
	}
	if m.wedges[k] == wedgeDown {
		counter = !counter
	}
	if molecule.Odd(order[:n]) {
		counter = !counter
	}
	if counter {
		return molecule.CounterClockwise
	}
	return molecule.Clockwise
}

// Atomic numbers of the atoms that may be stereocentres with a double bond.
const phosphorus, sulfur = 15, 16

// wedgeOrder lists the n bonds, three or four, of the atom at the narrow end of the wedged bond k, bond k first. n is 0
// if the wedge says nothing. It says nothing
//
//   - with other numbers of bonds,
//   - with three bonds if one is to a hydrogen that is no isotope,
//   - with a multiple bond, unless the atom is phosphorus or sulfur.
func (m *reader) wedgeOrder(k int32) (order [4]int32, n int) {
	p := m.p
	i := p.Bonds[k].From
	links := p.Neighbors(i)
	if len(links) < 3 || len(links) > 4 {
		return order, 0
	}
	order[0], n = k, 1
	hydrogen, single := false, true
	for _, l := range links {
		single = single && p.Bonds[l.Bond].Order == molecule.Single
		hydrogen = hydrogen || p.Atoms[l.Atom].Element == 1 && p.Atoms[l.Atom].Isotope == 0
		if l.Bond != k {
			order[n] = l.Bond
			n++
		}
	}
	if hydrogen && n < 4 || !single && p.Atoms[i].Element != phosphorus && p.Atoms[i].Element != sulfur {
		return order, 0
	}
	return order, n
}

// wedgeAt returns the wedge of bond b if its narrow end is at atom i.
func (m *reader) wedgeAt(b, i int32) wedge {
	if m.p.Bonds[b].From == i {
		return m.wedges[b]
	}
	return notWedged
}

// oddAngles reports whether sorting three angles, x not greater than y, is an odd permutation.
func oddAngles(x, y, z float64) bool {
	if x < y {
		return x < z && !(y < z)
	}
	return x < z || !(y < z) // x and y are equal, or no angles
}

// wedgesAgree reports whether three wedges are consistent: the reference w, and wx and wy at the angles ax and ay from it.
// around is set if the bonds surround the atom. The rules are InChI's, as RDKit applies them.
func wedgesAgree(w, wx, wy wedge, ax, ay float64, around bool) bool {
	switch {
	case around:
		return (wx == notWedged || wx == w) && (wy == notWedged || wy == w)
	case wx == notWedged || wx == w:
		return wy != w
	case ax >= math.Pi:
		return false
	case ay > math.Pi:
		return wy == notWedged || wy == wx
	case ay <= math.Pi:
		return wy == notWedged || wy == w
	}
	return true // no angle: two atoms coincide
}

// solidTag returns the tag of atom i from coordinates in three dimensions, Achiral if they do not tell or a bond is wavy.
func (m *reader) solidTag(i int32) molecule.Chirality {
	const flat = 0.1 // volume of the parallelepiped, in Å³, below which the tag is undefined
	p := m.p
	a := &p.Atoms[i]
	links := p.Neighbors(i)
	degree := 0
	for _, l := range links {
		if p.Affects(l.Bond, i) {
			degree++
		}
	}
	total := degree + int(a.Hydrogens())
	if degree < 3 || total > 6 {
		return molecule.Achiral
	}
	if tag := m.metalTag(i); tag != molecule.Achiral {
		return tag
	}
	if total > 4 || total != 4 && a.Element != 16 && a.Element != 34 { // S and Se need only three
		return molecule.Achiral
	}
	var v [3]point
	n := 0
	for _, l := range links {
		if m.isWavy(l.Bond, i) {
			return molecule.Achiral
		}
		if !p.Affects(l.Bond, i) {
			continue
		}
		v[n] = m.sites[l.Atom].at.minus(m.sites[i].at)
		if n++; n == 3 {
			break // a fourth is on the other side
		}
	}
	switch volume := v[0].dot(v[1].cross(v[2])); {
	case volume < -flat:
		return molecule.Clockwise
	case volume > flat:
		return molecule.CounterClockwise
	}
	return molecule.Achiral
}

// isWavy reports whether bond k is wavy and begins at atom i.
func (m *reader) isWavy(k, i int32) bool {
	b := &m.p.Bonds[k]
	return b.From == i && b.Order == molecule.Single && m.wedges[k] == wavy
}

// metalTag returns the tag of atom i if its bonds form a square plane, a trigonal bipyramid or an octahedron, of
// which up to two bonds may be missing. It decides by the number of bonds that are opposite to each other.
func (m *reader) metalTag(i int32) molecule.Chirality {
	p := m.p
	links := p.Neighbors(i)
	if p.Atoms[i].Element < 15 || len(links) < 3 || len(links) > 6 {
		return molecule.Achiral
	}
	var v [6]point
	for k, l := range links {
		if m.isWavy(l.Bond, i) {
			return molecule.Achiral
		}
		v[k] = m.sites[i].at.to(m.sites[l.Atom].at)
	}
	n := len(links)
	var paired [6]bool
	pairs := 0
	for k := range n {
		for q := k + 1; q < n; q++ {
			if v[k].dot(v[q]) < -0.9 { // opposite
				if paired[k] || paired[q] {
					return molecule.Achiral
				}
				paired[k], paired[q] = true, true
				pairs++
			}
		}
	}
	switch {
	case pairs == 1 && n == 3, pairs == 2 && n == 4:
		return molecule.SquarePlanar
	case pairs == 1 && n == 4:
		var rest []point // the two that are not opposite to another
		for k := range n {
			if !paired[k] {
				rest = append(rest, v[k])
			}
		}
		if rest[0].angle(rest[1]) < 100*math.Pi/180 {
			return molecule.Octahedral
		}
		return molecule.TrigonalBipyramidal
	case pairs == 1 && n == 5:
		return molecule.TrigonalBipyramidal
	case pairs == 2 && n == 5, pairs == 3 && n == 6:
		return molecule.Octahedral
	}
	return molecule.Achiral
}

// setGeometry gives double bonds the geometry that the coordinates show. Crossed and wavy bonds, and wavy bonds at an
// end, leave it unknown.
func (m *reader) setGeometry() {
	p := m.p
	for k := range p.Bonds {
		b := &p.Bonds[k]
		unknown := m.wedges[k] == crossed || m.wedges[k] == wavy || m.sites[b.From].wavy || m.sites[b.To].wavy
		if b.Order == molecule.Double && !unknown && p.StereoBond(int32(k)) {
			b.Stereo = m.geometry(int32(k))
		}
	}
}

// geometry returns the geometry of the double bond k by coordinates, see [molecule.Stereo]. It is NoStereo if they do not
// tell.
func (m *reader) geometry(k int32) molecule.Stereo {
	b := &m.p.Bonds[k]
	axis := m.sites[b.To].at.minus(m.sites[b.From].at)
	x, turnX := m.substituent(k, b.From, axis)
	y, turnY := m.substituent(k, b.To, point{}.minus(axis))
	switch up := x.cross(axis).dot(y.cross(axis)); { // positive if x and y are on the same side
	case x == (point{}) || y == (point{}):
		return molecule.NoStereo
	case (up > 0) == (turnX == turnY):
		return molecule.StereoZ
	}
	return molecule.StereoE
}

// substituent returns the vector from atom i, an end of the double bond k, to a neighbour that is not in line with the
// axis, which points from atom i to the other end. The vector is zero if there is none, or if the geometry is unknown:
// with more than three bonds, a second double bond or a wavy bond. other is set if an earlier neighbour is in line.
func (m *reader) substituent(k, i int32, axis point) (v point, other bool) {
	p := m.p
	links := p.Neighbors(i)
	if len(links) > 3 {
		return point{}, false
	}
	first := true
	for _, l := range links {
		if l.Bond == k {
			continue
		}
		order := p.Bonds[l.Bond].Order
		if order == molecule.Double || m.wedges[l.Bond] == wavy {
			return point{}, false
		}
		if to := m.across(l.Bond, i).minus(m.sites[i].at); v == (point{}) &&
			(order == molecule.Single || order == molecule.Aromatic) && !inLine(to, axis) {
			v, other = to, !first
		}
		first = false
	}
	return v, other
}

// across returns the position of the atom to which bond s leads from atom i.
func (m *reader) across(s, i int32) point {
	return m.sites[m.p.Bonds[s].From+m.p.Bonds[s].To-i].at
}

// A point is a position or a vector, in Å. Products are rounded before they are added, so that all platforms agree.
type point struct{ x, y, z float64 }

func (v point) flat() point         { return point{v.x, v.y, 0} }
func (v point) minus(w point) point { return point{v.x - w.x, v.y - w.y, v.z - w.z} }

// dot returns the scalar product.
func (v point) dot(w point) float64 {
	return float64(v.x*w.x) + float64(v.y*w.y) + float64(v.z*w.z)
}

// cross returns the vector product of v and w.
func (v point) cross(w point) point {
	return point{
		float64(v.y*w.z) - float64(v.z*w.y),
		float64(v.z*w.x) - float64(v.x*w.z),
		float64(v.x*w.y) - float64(v.y*w.x),
	}
}

// to returns the direction from v to w, of length 1. It is NaN if they coincide.
func (v point) to(w point) point {
	d := w.minus(v)
	l := math.Sqrt(d.dot(d))
	return point{d.x / l, d.y / l, d.z / l}
}

// angle returns the angle between two vectors, from 0 to π.
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

// turn returns the counterclockwise angle from v to w in the plane, from 0 to 2π.
func (v point) turn(w point) float64 {
	a := v.angle(w)
	if float64(v.x*w.y)-float64(v.y*w.x) < -1e-6 {
		return 2*math.Pi - a
	}
	return a
}

// inLine reports whether two vectors are opposite within two degrees, or too short to say.
func inLine(v, w point) bool {
	const cos178 = -0.999388
	l := float64(v.dot(v) * w.dot(w))
	return l < 1e-6 || v.dot(w) < cos178*math.Sqrt(l)
}
