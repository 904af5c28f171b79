// Package smiles reads and writes SMILES (Parse, Write), and with them canonical forms and parents.
//
// read.go reads a text, order.go turns its chirality tags to the order of bonds, write.go writes,
// canonical.go finds a canonical order, parent.go and tautomer.go the parent.
//
// An empty text is refused. What follows a blank is a name; RDKit's extensions in |…| are not read.
// Texts of more than [MaxLength] bytes are refused.
package smiles

import (
	"slices"
	"strings"
	"sync"

	"baca/algo/graph"
	"baca/algo/molecule"
)

// MaxLength is the longest accepted SMILES in bytes, a protein of some four thousand residues. Later steps need the
// limit: structural encoding is quadratic in the number of an atom's neighbours.
const MaxLength = 1 << 16

var parsers = sync.Pool{New: func() any { return new(parser) }}

// Parse reads one SMILES. It ignores surrounding blanks; what follows the first blank or tab is the
// name. The error is a *[molecule.SyntaxError]. It is safe for concurrent use.
func Parse(text string) (*molecule.Molecule, error) {
	p := parsers.Get().(*parser)
	defer p.giveBack()
	return p.molecule(text)
}

// ParseGraph is Parse and [molecule.Molecule.Graph] without making a molecule, in five sixths of
// the time. It is safe for concurrent use.
func ParseGraph(text string) (*graph.Graph, error) {
	g, _, err := ParseIn(text, molecule.AsWritten)
	return g, err
}

// ParseIn reads the graph of a molecule in form f. It also tells what was set aside. It is safe for concurrent use.
func ParseIn(text string, f molecule.Form) (*graph.Graph, molecule.Aside, error) {
	p := parsers.Get().(*parser)
	defer p.giveBack()
	g, aside, err := p.graph(text, f)
	if g != nil {
		g.Reading = f.Reading()
	}
	return g, aside, err
}

// molecule returns the molecule of a SMILES, or a *molecule.SyntaxError.
func (p *parser) molecule(text string) (*molecule.Molecule, error) {
	name, err := p.parse(text)
	if err != nil {
		return nil, err
	}
	return p.Molecule(strings.Clone(name)), nil
}

// graph returns the graph of a SMILES in the form f, and what the form left out.
func (p *parser) graph(text string, f molecule.Form) (g *graph.Graph, aside molecule.Aside, err error) {
	if f == molecule.Parent || f == molecule.UnorderedParent {
		aside, err = p.settle(text, false)
	} else {
		_, err = p.parse(text)
	}
	switch {
	case err != nil:
		return nil, aside, err
	case f == molecule.Canonical, f == molecule.Parent, f == molecule.Unordered && p.ordered():
		l := layouts.Get().(*layout)
		defer l.giveBack()
		return l.graph(p), aside, nil
	}
	return p.Graph(), aside, nil
}

// ordered reports whether the graph itself, not only the order of its nodes, depends on the writing. It may if there are
// tags, several fragments, or atom classes, on which tags may rest.
func (p *parser) ordered() bool {
	return p.fragments() > 1 || p.Brackets && slices.ContainsFunc(p.Atoms, func(a molecule.DraftAtom) bool {
		return a.HasMap || a.Chirality.Handed()
	})
}

// giveBack forgets the text and keeps p for reuse, unless its buffers are large.
func (p *parser) giveBack() {
	p.Text, p.flat = "", false
	if cap(p.Atoms) <= mostKept {
		parsers.Put(p)
	}
}

// A parser reads SMILES with reusable buffers. Results stay valid.
type parser struct {
	molecule.Draft // the molecule read last

	spots    []spot
	slashes  []slash
	closures []closure
	order    []int64
	open     []branch

	// flat drops isotopes and stereo marks, settles ordinary ions and records both in aside.
	flat  bool
	aside molecule.Aside
	enol  int32 // the hydroxyl or thiol group of an enol that needs found
	tautomers
}

// A spot is what the reader alone knows of an atom.
type spot struct {
	start         bool  // first atom of the text or after a dot
	degree        int32 // bonds so far, without ring bonds
	perm          int32 // number of an @TH, @SP … class
	closure, last int32 // its first and last ring-bond number, or -1
}

type slash struct {
	bond int32
	dir  molecule.Direction
}

// A closure is one ring-bond number at one atom.
type closure struct {
	number    int32
	atom      int32
	order     molecule.Order
	specified bool // its order was written
	reverse   bool // a dative bond written "<-"
	dir       molecule.Direction
	bond      int32 // the bond it became
	next      int32 // the next closure of the same atom, or -1
	at, size  int32
}

type branch struct {
	atom int32
	at   int32
}

// parse runs all stages and returns the name, a part of the text.
func (p *parser) parse(text string) (name string, err error) {
	p.Text, p.Brackets = text, false
	lo := 0
	for lo < len(text) && blank(text[lo]) {
		lo++
	}
	hi := len(text)
	for _, c := range []byte(blanks) { // the SMILES ends at the first blank
		if k := strings.IndexByte(text[lo:hi], c); k >= 0 {
			hi = lo + k
		}
	}
	if hi == lo {
		return "", p.ErrorAt(lo, 0, "no SMILES in an empty text")
	}
	if hi-lo > MaxLength {
		return "", p.ErrorAt(lo, 0, "SMILES of %d bytes, at most %d are read", hi-lo, MaxLength)
	}
	if err := p.read(lo, hi); err != nil {
		return "", err
	}
	if err := p.sanitize(); err != nil {
		return "", err
	}
	return strings.TrimSpace(text[hi:]), nil
}

// blanks end the SMILES.
const blanks = " \t\n\r"

// blank reports whether c is one of blanks.
func blank(c byte) bool { return strings.IndexByte(blanks, c) >= 0 }

// sanitize runs the stages after reading. It returns an error for impossible chemistry.
func (p *parser) sanitize() error {
	if p.flat {
		p.flatten()
		if p.Brackets {
			p.FoldHydrogens()
			p.moveProtons()
		}
		return p.Perceive()
	}
	if p.Brackets { // else there are no tags and no hydrogen atoms
		p.orientTags()
		p.FoldHydrogens()
	}
	if err := p.Perceive(); err != nil {
		return err
	}
	if len(p.slashes) > 0 {
		p.SetGeometry()
	}
	if p.Brackets {
		p.CleanTags()
	}
	return nil
}
