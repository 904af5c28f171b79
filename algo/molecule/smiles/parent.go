package smiles

import (
	"math"
	"slices"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/buffer"
	"baca/algo/molecule/internal/neighbor"
)

// The parent of a molecule is one component without stereo marks, with natural isotopes, settled charges and one
// tautomer of each azole and amidine. All drawings of a compound have the same parent, and a parent is its own parent.
//
//   - Bonds of alkali and alkaline-earth metals, zinc and silver to N, O, S, halogens and C≡N are
//     ions (metals.go). Other complexes stay whole, each bond drawn one way.
//   - Listed counter-ions, solvents and excipients go while another component is left
//     (components.go). Of what is left the largest stays.
//   - Charges recombine along conjugation, then cations lose and anions gain hydrogens (charges.go).
//   - Hydrogens of azoles and amidines get one place (tautomer.go).

// Parent returns the parent of m in canonical order, the atom of m for each of its atoms, and what was set aside.
func Parent(m *molecule.Molecule) (*molecule.Molecule, []int32, molecule.Aside) {
	r, order, aside := parentOf(m)
	c, inner, _ := Canonical(r)
	for k, i := range inner {
		inner[k] = order[i]
	}
	return c, inner, aside
}

// parentOf is Parent without a canonical order. Should m not be readable, the parent is flat(m). Atom classes carry the atoms'
// numbers through the steps.
func parentOf(m *molecule.Molecule) (*molecule.Molecule, []int32, molecule.Aside) {
	numbered := clone(m)
	for i := range numbered.Atoms {
		numbered.Atoms[i].Map = int32(i)
	}
	p := parsers.Get().(*parser)
	defer p.giveBack()
	aside, err := p.settle(Write(numbered), true)
	aside.Parted = uint16(min(m.HydrogenBonds, math.MaxUint16))
	if err != nil {
		return flat(m), buffer.Numbered(new([]int32), len(m.Atoms)), aside
	}
	r := p.Molecule(m.Name)
	order := make([]int32, len(r.Atoms))
	for k := range r.Atoms {
		order[k] = r.Atoms[k].Map
		r.Atoms[k].Map, r.Atoms[k].Column = -1, m.Atoms[order[k]].Column
	}
	return r, order, aside
}

// flat returns a copy of m without isotopes and stereo marks.
func flat(m *molecule.Molecule) *molecule.Molecule {
	f := clone(m)
	for i := range f.Atoms {
		f.Atoms[i].Isotope, f.Atoms[i].Chirality = 0, molecule.Achiral
	}
	for k := range f.Bonds {
		f.Bonds[k].Stereo = molecule.NoStereo
	}
	return f
}

// settle reads a text and makes the molecule in p its parent. It returns what was set aside, and an error if the text
// cannot be read. It keeps atom classes if classes is set.
func (p *parser) settle(text string, classes bool) (molecule.Aside, error) {
	p.flat, p.aside = true, molecule.Aside{}
	if _, err := p.parse(text); err != nil {
		return p.aside, err
	}
	aside := p.aside
	if !classes && p.Brackets {
		for i := range p.Atoms {
			p.Atoms[i].HasMap = false
		}
	}
	n := p.needs()
	// Another tautomer may change which of equal places gets a charge.
	for pass := 0; n != 0 && pass < mostPasses; pass++ {
		changed := false
		for n&redrawing == 0 && n&enol != 0 && p.moveEnol() { // a single enol needs no redrawing
			aside.Charge, changed = true, true
			n = p.needs()
		}
		if n&(redrawing|enol) != 0 && p.standardize(text, &aside) {
			n, changed = p.needs(), true
		}
		if n&(azoles|amidines) != 0 && p.chooseTautomer(n) {
			aside.Tautomer, changed = true, true
		}
		if !changed {
			break
		}
		if n = p.needs(); n&(redrawing|enol) == 0 {
			break // azoles and amidines were just chosen
		}
		text = Write(p.Molecule(""))
	}
	return aside, nil
}

// flatten removes isotopes and stereo marks before perception.
func (p *parser) flatten() {
	if p.Brackets {
		for i := range p.Atoms {
			a := &p.Atoms[i]
			p.aside.Isotope = p.aside.Isotope || a.Isotope != 0
			p.aside.Stereo = p.aside.Stereo || a.Chirality != molecule.Achiral
			a.Isotope, a.Chirality = 0, molecule.Achiral
		}
	}
	if len(p.slashes) > 0 {
		p.aside.Stereo = true
		clear(p.Dirs)
	}
}

// fragments returns the number of fragments. One of n atoms has n−1 bonds of the chain.
func (p *parser) fragments() int { return len(p.Atoms) - p.Chain }

// A need is a set of steps that make a molecule its parent.
type need uint8

const (
	redrawing need = 1 << iota // standardize
	enol                       // moveEnol, of a single one
	azoles                     // another place for the hydrogens of azoles
	amidines                   // and of amidines
)

// needs finds in one pass which steps p needs. Charges of nitro groups, N-oxides, azides and the like stay.
func (p *parser) needs() (n need) {
	if p.fragments() > 1 || p.Weak() {
		n = redrawing
	}
	donors, acceptors := false, false // nitrogens of azoles
	permanent, hydroxyls := false, false
	for i := range int32(len(p.Atoms)) {
		a := &p.Atoms[i]
		if a.Element == carbon && a.Charge == 0 {
			continue
		}
		switch h := a.Hydrogens(); {
		case a.Charge != 0:
			if p.isQuaternary(i) {
				permanent = true
			} else if !p.inChargePair(i) {
				n |= redrawing
			}
		case a.Element == nitrogen && a.Aromatic:
			donors, acceptors = donors || h > 0, acceptors || h == 0
		case a.Element == nitrogen:
			if h+p.Degree(i) < 3 && n&amidines == 0 {
				if c := p.doubled(i); c >= 0 && len(p.amidine(c, nil, nil)) > 1 {
					n |= amidines
				}
			}
		case a.Element == oxygen || a.Element == sulfur:
			if h == 0 || p.Degree(i) != 1 {
				continue
			}
			if hydroxyls = true; p.enolEnd(i).Atom >= 0 {
				if n&enol != 0 {
					n |= redrawing // a second enol
				}
				p.enol, n = i, n|enol
			}
		case p.Brackets && isMetal(a.Element) && p.Degree(i) > 0:
			n |= redrawing
		}
	}
	if permanent && hydroxyls {
		n |= redrawing
	}
	if donors && acceptors {
		n |= azoles
	}
	return n
}

// bonds has the usual number of bonds of elements whose ordinary ions have one more or one less.
var bonds = [256]int32{nitrogen: 3, oxygen: 2, phosphorus: 3, sulfur: 2}

// moveProtons settles ordinary ions before perception, if there are no other ions. Ammonium groups lose a hydrogen, O−
// and S− gain one, and S+–O− becomes S=O.
func (p *parser) moveProtons() {
	weak := func(b molecule.Bond) bool { return b.Order == molecule.Any || b.Order == molecule.Dative }
	if p.fragments() > 1 || slices.ContainsFunc(p.Bonds, weak) {
		return
	}
	// An ion that is not ordinary ends the loop by a return. resonant: an ammonium with a double bond, as in C=NH+.
	anions, resonant, permanent, hydroxyls := false, false, false, false
	for i := range int32(len(p.Atoms)) {
		a := &p.Atoms[i]
		terminal := (a.Element == oxygen || a.Element == sulfur) && p.Degree(i) == 1 && !p.isUnsaturated(i)
		switch {
		case isMetal(a.Element) && p.Degree(i) > 0:
			return
		case a.Charge == 0:
			hydroxyls = hydroxyls || terminal && (a.Explicit > 0 || !a.NoImplicit)
		case p.inChargePair(i):
		case p.isQuaternary(i):
			permanent = true
		case p.ExplicitValence(i)-a.Charge != bonds[a.Element]:
			return // an unusual number of bonds
		case a.Charge == 1 && a.Element == nitrogen && a.Explicit > 0 && !p.besideCharge(i):
			resonant = resonant || p.isUnsaturated(i)
		case a.Charge == -1 && terminal && !p.besideCharge(i):
			anions = true
		case p.expanded(i) >= 0 || a.Charge == -1 && terminal && p.expanded(p.Neighbors(i)[0].Atom) >= 0:
		default:
			return
		}
	}
	if anions && (resonant || permanent) || hydroxyls && permanent {
		return // charges might recombine: see standardize
	}
	for i := range int32(len(p.Atoms)) {
		if k := p.expanded(i); k >= 0 {
			b := &p.Bonds[k]
			b.Order, p.Atoms[b.From].Charge, p.Atoms[b.To].Charge = molecule.Double, 0, 0
			p.aside.Charge = true
		}
	}
	for i := range int32(len(p.Atoms)) {
		if a := &p.Atoms[i]; (a.Charge < 0 || a.Charge > 0 && a.Explicit > 0) && !p.inChargePair(i) {
			p.SetHydrogens(i, a.Explicit-a.Charge)
			a.Charge, p.aside.Charge = 0, true
		}
	}
}

// isQuaternary reports whether atom i is N+ or P+ with four neighbours and no charge beside it. It has no proton to lose.
func (p *parser) isQuaternary(i int32) bool {
	a := &p.Atoms[i]
	return a.Charge == 1 && (a.Element == nitrogen || a.Element == phosphorus) && p.Degree(i) == 4 && !p.besideCharge(i)
}

// besideCharge reports whether a neighbour of atom i has a charge.
func (p *parser) besideCharge(i int32) bool {
	return slices.ContainsFunc(p.Neighbors(i), func(l neighbor.Link) bool { return p.Atoms[l.Atom].Charge != 0 })
}

// isUnsaturated reports whether atom i has a multiple bond.
func (p *parser) isUnsaturated(i int32) bool {
	return slices.ContainsFunc(p.Neighbors(i), func(l neighbor.Link) bool { return p.Bonds[l.Bond].Order != molecule.Single })
}

// expanded returns the bond of atom i to O− or S−, if i is S+ or P+ without double bonds and has no other charged
// neighbour. Otherwise it returns −1.
func (p *parser) expanded(i int32) int32 {
	a, bond := &p.Atoms[i], int32(-1)
	if a.Charge != 1 || a.Aromatic || a.Element != sulfur && a.Element != phosphorus || p.isUnsaturated(i) {
		return -1
	}
	for _, l := range p.Neighbors(i) {
		n := &p.Atoms[l.Atom]
		if n.Charge == 0 {
			continue
		}
		if bond >= 0 || n.Charge != -1 || n.Element != oxygen && n.Element != sulfur || p.Degree(l.Atom) != 1 {
			return -1
		}
		bond = l.Bond
	}
	return bond
}

// enolEnd returns the link to the atom that takes the hydrogen of atom i, if i is the hydroxyl or thiol group of an enol
// or imidic acid. Otherwise its atom is −1.
func (p *parser) enolEnd(i int32) neighbor.Link {
	none := neighbor.Link{Atom: -1}
	near := p.Neighbors(i)
	if len(near) != 1 || p.Bonds[near[0].Bond].Order != molecule.Single {
		return none
	}
	c := near[0].Atom
	if z := p.Atoms[c].Element; p.Atoms[c].Aromatic || z != carbon && (z != sulfur || p.Atoms[i].Element != oxygen) {
		return none
	}
	for _, l := range p.Neighbors(c) {
		b, end := &p.Bonds[l.Bond], &p.Atoms[l.Atom]
		switch {
		case b.Order != molecule.Double && b.Order != molecule.Triple || end.Charge != 0:
		case end.Element == nitrogen,
			end.Element == carbon && p.Atoms[c].Element == carbon && p.Atoms[i].Element == oxygen &&
				b.Order == molecule.Double && !b.InRing && end.Hydrogens() > 0:
			return l
		}
	}
	return none
}

// moveEnol draws the enol that needs found as a ketone or amide. It returns false if that cannot be read.
func (p *parser) moveEnol() bool {
	p.save(&p.before)
	end := p.enolEnd(p.enol)
	p.Bonds[p.Neighbors(p.enol)[0].Bond].Order++
	p.Bonds[end.Bond].Order--
	p.SetHydrogens(p.enol, 0)
	p.SetHydrogens(end.Atom, p.Atoms[end.Atom].Hydrogens()+1)
	if p.PerceiveAgain() == nil {
		return true
	}
	p.restore(&p.before)
	return false
}

// inChargePair reports whether atom i is the N+ or the anion of a pair of charges without which a nitrogen cannot be drawn:
// N+–O− as in nitro groups and N-oxides, or N+=N− as in azides. An anion is in one if its only neighbour is that N+.
func (p *parser) inChargePair(i int32) bool {
	a := &p.Atoms[i]
	if a.Charge == -1 {
		near := p.Neighbors(i)
		return len(near) == 1 && a.Hydrogens() == 0 && p.Atoms[near[0].Atom].Charge == 1 && p.inChargePair(near[0].Atom)
	}
	anions := 0
	for _, l := range p.Neighbors(i) {
		n, order := &p.Atoms[l.Atom], p.Bonds[l.Bond].Order
		if n.Charge == -1 && (n.Element == oxygen && order == molecule.Single || n.Element == nitrogen && order == molecule.Double) {
			anions++
		} else if n.Charge != 0 || order == molecule.Triple {
			return false
		}
	}
	return a.Element == nitrogen && a.Charge == 1 && a.Hydrogens() == 0 && anions == 1
}

// standardize replaces what p has read, which is text, by its parent, except for the choice of tautomer. If it returns false
// nothing changed, or p holds text again, and aside is as before.
func (p *parser) standardize(text string, aside *molecule.Aside) bool {
	m := canonicalClasses(p.Molecule(""))
	opened := false
	if ions := openMetals(m); ions != nil {
		if _, err := Parse(Write(ions)); err == nil { // ions that cannot be read are not used
			m, opened = ions, true
		}
	}
	after := *aside
	best, changed := choose(m, &after)
	if setAside := len(best.Atoms) != len(p.Atoms); !opened && !changed && !setAside {
		return false
	}
	// If only a tolerance of the reader let the text in, its parent may not be readable: then the text stays.
	if _, err := p.parse(Write(best)); err != nil || len(p.Atoms) != len(best.Atoms) {
		p.parse(text)
		return false
	}
	after.Charge = aside.Charge || opened || changed
	*aside = after
	return true
}

// canonicalText is the canonical SMILES of m without atom classes.
func canonicalText(m *molecule.Molecule) string {
	c, _, _ := Canonical(m)
	return Write(c)
}

const (
	boron      = 5
	carbon     = 6
	nitrogen   = 7
	oxygen     = 8
	fluorine   = 9
	phosphorus = 15
	sulfur     = 16
	chlorine   = 17
	arsenic    = 33
	selenium   = 34
	bromine    = 35
	tellurium  = 52
	iodine     = 53
)

// IsOrganic reports whether a fragment is organic. One of its carbons must be bound to a hydrogen, a carbon, a
// phosphorus or a nitrogen with hydrogens, and no carbon may be an anion, except in an enolate.
func IsOrganic(m *molecule.Molecule) bool {
	d, organic := link(m), false
	for i, a := range m.Atoms {
		if a.Element != carbon {
			continue
		}
		anion := a.Charge < 0 && !(a.Degree > 1 && d.opposed(int32(i)))
		organic = organic || a.Hydrogens > 0
		for _, l := range d.near.Of(int32(i)) {
			n := &m.Atoms[l.Atom]
			organic = organic || n.Element == carbon || n.Element == phosphorus || n.Element == nitrogen && n.Hydrogens > 0
			enolate := a.Charge == -1 && !a.Aromatic && n.Element == carbon &&
				slices.ContainsFunc(d.near.Of(l.Atom), func(o neighbor.Link) bool {
					return m.Atoms[o.Atom].Element == oxygen && m.Bonds[o.Bond].Order == molecule.Double
				})
			anion = anion && !enolate
		}
		if anion {
			return false
		}
	}
	return organic
}
