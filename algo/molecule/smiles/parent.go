package smiles

import (
	"slices"
	"strings"

	"baca/algo/molecule"
	"baca/algo/molecule/internal/buffer"
)

// The parent of a molecule: natural isotopes, no stereo marks, the largest organic fragment,
// protons settled by charges, one tautomer of each azole and amidine. All such forms have one
// parent, and a parent is its own.
//
// A fragment is organic if one of its carbons has a hydrogen, a carbon, a phosphorus, or a nitrogen
// with hydrogens beside it, and none is an anion, except enolates: cyanides, carbonyls and ligands
// of organometallic compounds are not. Without an organic fragment a compound stays whole, with
// charges. The largest fragment has the most atoms, hydrogens included, then the most mass, then
// the first canonical text.
//
// Every cation of N, O, P, S or Se loses a hydrogen, and every anion gains one where possible, as
// RDKit's Uncharger does with force: a betaine and its hydrochloride share one parent, a cation.
// Adjacent opposite charges stay, as in nitro groups, but charge-separated sulfoxides and phosphine
// oxides get their double bond.

// Parent returns the parent of m in canonical order, its atoms in m, and what was set aside.
func Parent(m *molecule.Molecule) (*molecule.Molecule, []int32, molecule.Aside) {
	r, order, aside := parentOf(m)
	c, inner, _ := Canonical(r)
	return c, through(order, inner), aside
}

// parentOf is Parent in any order.
func parentOf(m *molecule.Molecule) (*molecule.Molecule, []int32, molecule.Aside) {
	numbered := &molecule.Molecule{Atoms: slices.Clone(m.Atoms), Bonds: m.Bonds, Name: m.Name}
	for i := range numbered.Atoms {
		numbered.Atoms[i].Map = int32(i)
	}
	p := parsers.Get().(*parser)
	defer p.giveBack()
	aside, err := p.settle(Write(numbered), true)
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

func flat(m *molecule.Molecule) *molecule.Molecule {
	f := &molecule.Molecule{Atoms: slices.Clone(m.Atoms), Bonds: slices.Clone(m.Bonds), Name: m.Name}
	for i := range f.Atoms {
		f.Atoms[i].Isotope, f.Atoms[i].Chirality = 0, molecule.Achiral
	}
	for k := range f.Bonds {
		f.Bonds[k].Stereo = molecule.NoStereo
	}
	return f
}

// through composes two selections of atoms.
func through(inner, outer []int32) []int32 {
	all := make([]int32, len(outer))
	for k, i := range outer {
		all[k] = inner[i]
	}
	return all
}

// settle reads the parent of a text, with atom classes if classes is set.
func (p *parser) settle(text string, classes bool) (molecule.Aside, error) {
	p.flat, p.aside = true, molecule.Aside{}
	if _, err := p.parse(text); err != nil {
		return p.aside, err
	}
	aside := p.aside
	if !classes {
		for i := range p.Atoms {
			p.Atoms[i].HasMap = false
		}
	}
	if p.charged() || p.fragments() > 1 {
		p.neutralize(text, &aside)
	}
	if p.mobile() {
		aside.Tautomer = p.chooseTautomer(text)
	}
	return aside, nil
}

// flatten removes isotopes and stereo marks before perception.
func (p *parser) flatten() {
	for i := range p.Atoms {
		a := &p.Atoms[i]
		p.aside.Isotope = p.aside.Isotope || a.Isotope != 0
		p.aside.Stereo = p.aside.Stereo || a.Chirality != molecule.Achiral
		a.Isotope, a.Chirality = 0, molecule.Achiral
	}
	for k, d := range p.Dirs {
		p.aside.Stereo = p.aside.Stereo || d != molecule.Level
		p.Dirs[k] = molecule.Level
	}
}

func (p *parser) fragments() int { return len(p.Atoms) - p.Chain }

func (p *parser) charged() bool {
	return p.Brackets && slices.ContainsFunc(p.Atoms, func(a molecule.DraftAtom) bool { return a.Charge != 0 })
}

// reread replaces what p has read by m. If m cannot be read, which happens where a tolerance of the
// reader let the text in, p has the text again.
func (p *parser) reread(m *molecule.Molecule, text string) bool {
	if _, err := p.parse(Write(m)); err == nil && len(p.Atoms) == len(m.Atoms) {
		return true
	}
	p.parse(text)
	return false
}

// neutralize keeps the largest organic fragment, protons settled.
func (p *parser) neutralize(text string, aside *molecule.Aside) {
	before := p.Molecule("")
	parts := []part{{m: before}}
	if n := p.fragments(); n > 1 {
		parent, trees := join(nil, before, func(*molecule.Bond) bool { return true })
		parts = split(before, parent, trees)
	}
	var best *molecule.Molecule
	var size [2]int
	first, charge := "", false
	for k := range parts {
		m := &molecule.Molecule{Atoms: slices.Clone(parts[k].m.Atoms), Bonds: slices.Clone(parts[k].m.Bonds)}
		if !IsOrganic(m) {
			continue
		}
		moved := moveProtons(m)
		s := sizeOf(m)
		c := slices.Compare(s[:], size[:])
		if best != nil && c == 0 {
			// Texts are compared only where necessary.
			if first == "" {
				first = canonicalText(best)
			}
			c = strings.Compare(first, canonicalText(m))
		}
		if best == nil || c > 0 {
			best, size, first, charge = m, s, "", moved
		}
	}
	if best == nil {
		return
	}
	if p.fragments() == 1 && !charge {
		return
	}
	ions, others := kindsOf(parts)
	if p.reread(best, text) {
		aside.Ions, aside.Others, aside.Charge = ions, others, charge
	}
}

// canonicalText is the canonical SMILES of m without atom classes.
func canonicalText(m *molecule.Molecule) string {
	c, _, _ := Canonical(m)
	return Write(c)
}

// kindsOf counts the removed fragments: ions and others.
func kindsOf(parts []part) (ions, others uint16) {
	for k := range parts {
		if isIon(parts[k].m) {
			ions++
		} else {
			others++
		}
	}
	// The fragment kept counts as one of the others, unless all are ions.
	if others > 0 {
		return ions, others - 1
	}
	return ions - 1, 0
}

// isIon tells whether a fragment has a charge or is a hydrogen halide.
func isIon(m *molecule.Molecule) bool {
	if len(m.Atoms) == 1 && slices.Contains(halogens, m.Atoms[0].Element) {
		return true
	}
	charge := 0
	for _, a := range m.Atoms {
		charge += int(a.Charge)
	}
	return charge != 0
}

// sizeOf is the number of atoms with hydrogens, and the sum of atomic numbers.
func sizeOf(m *molecule.Molecule) (size [2]int) {
	for _, a := range m.Atoms {
		size[0] += 1 + int(a.Hydrogens)
		size[1] += int(a.Element)
	}
	return size
}

const carbon, nitrogen, oxygen, phosphorus = 6, 7, 8, 15

var halogens = []uint8{9, 17, 35, 53}

// IsOrganic reports whether a parent may be chosen from a fragment, see [Parent].
func IsOrganic(m *molecule.Molecule) bool {
	opposed, enols, organic := opposites(m), enolates(m), false
	for i, a := range m.Atoms {
		if a.Element == carbon {
			if a.Charge < 0 && !enols[i] && !(opposed[i] && a.Degree > 1) {
				return false
			}
			organic = organic || a.Hydrogens > 0
		}
	}
	for _, b := range m.Bonds {
		x, y := &m.Atoms[b.From], &m.Atoms[b.To]
		if x.Element != carbon {
			x, y = y, x
		}
		organic = organic || x.Element == carbon && (y.Element == carbon || y.Element == phosphorus || y.Element == nitrogen && y.Hydrogens > 0)
	}
	return organic
}

// enolates are charged carbons beside a carbonyl group.
func enolates(m *molecule.Molecule) []bool {
	carbonyl, enols := make([]bool, len(m.Atoms)), make([]bool, len(m.Atoms))
	for _, b := range m.Bonds {
		x, y := b.From, b.To
		if m.Atoms[x].Element != carbon {
			x, y = y, x
		}
		carbonyl[x] = carbonyl[x] || m.Atoms[x].Element == carbon && m.Atoms[y].Element == oxygen && b.Order == molecule.Double
	}
	for _, b := range m.Bonds {
		for _, e := range [2][2]int32{{b.From, b.To}, {b.To, b.From}} {
			a := &m.Atoms[e[0]]
			enols[e[0]] = enols[e[0]] || a.Element == carbon && a.Charge == -1 && !a.Aromatic && carbonyl[e[1]]
		}
	}
	return enols
}

func opposites(m *molecule.Molecule) []bool {
	opposed := make([]bool, len(m.Atoms))
	for _, b := range m.Bonds {
		if x, y := m.Atoms[b.From].Charge, m.Atoms[b.To].Charge; x > 0 && y < 0 || x < 0 && y > 0 {
			opposed[b.From], opposed[b.To] = true, true
		}
	}
	return opposed
}

// Elements whose cations lose a hydrogen, whose anions gain one, and whose cations share a double
// bond with an adjacent anion.
var (
	bases     = []uint8{nitrogen, oxygen, 15, 16, 34}
	acids     = []uint8{nitrogen, oxygen, 9, 16, 17, 34, 35, 52, 53}
	expanding = []uint8{15, 16, 34}
)

// moveProtons moves hydrogens off cations and onto anions, and reports any change.
func moveProtons(m *molecule.Molecule) (moved bool) {
	for k := range m.Bonds {
		b := &m.Bonds[k]
		x, y := &m.Atoms[b.From], &m.Atoms[b.To]
		if x.Charge < 0 {
			x, y = y, x
		}
		if b.Order == molecule.Single && x.Charge == 1 && y.Charge == -1 && slices.Contains(expanding, x.Element) && (y.Element == oxygen || y.Element == 16) {
			x.Charge, y.Charge, b.Order, moved = 0, 0, molecule.Double, true
		}
	}
	for i := range m.Atoms {
		if a := &m.Atoms[i]; a.Charge == 1 && a.Hydrogens > 0 && slices.Contains(bases, a.Element) {
			a.Charge, moved = 0, true
			a.Hydrogens--
		}
	}
	opposed, enols := opposites(m), enolates(m)
	for i := range m.Atoms {
		if a := &m.Atoms[i]; a.Charge == -1 && a.Radicals == 0 && !opposed[i] && (enols[i] || slices.Contains(acids, a.Element)) {
			a.Charge, moved = 0, true
			a.Hydrogens++
		}
	}
	// A protonated N-oxide.
	for _, b := range m.Bonds {
		x, y := b.From, b.To
		if m.Atoms[x].Element != nitrogen {
			x, y = y, x
		}
		n, o := &m.Atoms[x], &m.Atoms[y]
		if n.Element == nitrogen && n.Charge == 1 && n.Hydrogens == 0 && !opposed[x] && o.Element == oxygen && o.Charge == 0 && o.Hydrogens == 1 && o.Degree == 1 {
			o.Charge, o.Hydrogens, opposed[x], moved = -1, 0, true, true
		}
	}
	return moved
}
