package picture

import (
	"math"
	"strings"

	"baca/app/run"
	"baca/app/table"
	"baca/wasm/message"
)

// An Album caches layouts of molecules.
type Album struct {
	thumbs map[string]*thumb // by SMILES
	Count  int               // layouts received
}

type thumb struct {
	symbols []string // of the atoms, in SMILES order
	layout  string   // empty if missing
	small   string
	problem string // why it is missing

	coloured   string
	colouredBy colouring
}

// mostThumbs bounds the cache.
const mostThumbs = 3000

// Sizes of molecule pictures, and longest bonds.
const (
	thumbWidth, thumbHeight, thumbBond = 92, 54, 22
	largeWidth, largeHeight, largeBond = 380, 260, 40
)

// Add stores a requested layout, or why there is none. text is that of web/src/draw.js: a line of
// symbols, and the input of Pen.
func (a *Album) Add(smiles, text, problem string) {
	if a.thumbs == nil || len(a.thumbs) >= mostThumbs {
		a.thumbs = map[string]*thumb{}
	}
	t := &thumb{problem: problem}
	if problem == "" {
		symbols, layout, _ := strings.Cut(text, "\n")
		t.symbols, t.layout = strings.Fields(symbols), layout
		t.small = Pen(Drawing{Layout: layout, Width: thumbWidth, Height: thumbHeight, Bond: thumbBond})
	}
	a.thumbs[smiles] = t
	a.Count++
}

// Small is a molecule's small picture, or empty.
func (a *Album) Small(smiles string) string {
	if t := a.thumbs[smiles]; t != nil {
		return t.small
	}
	return ""
}

// Problem says why a molecule is not drawn, empty if it is or may be.
func (a *Album) Problem(smiles string) string {
	if t := a.thumbs[smiles]; t != nil && t.problem != "" {
		return "Not drawn: " + t.problem + "."
	}
	return ""
}

// Missing lists the molecules without drawings, once each: these, and those of records.
func (a *Album) Missing(molecules []string, r *table.Rows, records []int32) []string {
	for _, i := range records {
		if int(i) < r.Len() {
			molecules = append(molecules, r.Picture(int(i)))
		}
	}
	var list []string
	seen := map[string]bool{"": true}
	for _, m := range molecules {
		if !seen[m] && a.thumbs[m] == nil && !strings.ContainsAny(m, "\n\r") {
			list = append(list, m)
		}
		seen[m] = true
	}
	return list
}

// Large draws the inspected record, coloured if known. note says what is missing.
func (a *Album) Large(s *run.Session, saved bool) (drawn, note string) {
	record, detail := s.Inspector.Record, s.Inspector.Detail.Value
	smiles := s.Rows.Picture(record)
	d := Drawing{Title: "Structure of " + s.Rows.Name(record), Saved: saved, Width: largeWidth, Height: largeHeight, Bond: largeBond}
	switch t := a.thumbs[smiles]; {
	case t != nil && t.layout == "":
		return "", a.Problem(smiles)
	case t != nil:
		d.Layout = t.layout
		if detail != nil {
			d.Share, d.Marked, note = colours(s, t.fits(detail.Atoms))
		}
	case smiles != "" || detail == nil:
		return "", "" // it comes
	case len(detail.Atoms) > mostSketched:
		return "", "This graph is too large to draw."
	default:
		g := sketch(len(detail.Atoms), detail.Bonds)
		d.Nodes, d.Edges = g.Nodes, g.Edges
		d.Share, d.Marked, note = colours(s, true)
	}
	if d.Share != nil {
		d.Title += s.Say(", atoms coloured by what they add to its score")
	}
	return Pen(d), note
}

// fits reports whether the drawing's atoms match a graph's one by one.
func (t *thumb) fits(atoms []message.Atom) bool {
	if len(t.symbols) != len(atoms) {
		return false
	}
	for i, a := range atoms {
		if !strings.EqualFold(a.Symbol, t.symbols[i]) {
			return false
		}
	}
	return true
}

// colours returns colours and marks of atoms, for a drawing that fits. note says why there are
// none.
func colours(s *run.Session, fits bool) (share []float64, marked []int, note string) {
	share = shares(s.AboveLimit(s.Inspector.Detail.Value))
	if fits {
		for k, is := range s.Inspector.Marked() {
			if is {
				marked = append(marked, k)
			}
		}
		return share, marked, note
	}
	if share != nil {
		note = "Its atoms are not coloured: the drawing does not show all of them."
	}
	return nil, nil, note
}

// shares scales contributions to −1 … 1.
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

type colouring struct {
	detail *message.Detailed
	alpha  float64
}

// Coloured is a record's small picture with atoms coloured by contribution, or Small before they
// are known.
func (a *Album) Coloured(s *run.Session, record int) string {
	smiles, d := s.Rows.Picture(record), s.Glances.Of(record)
	t := a.thumbs[smiles]
	if t == nil || t.layout == "" || d == nil || !t.fits(d.Atoms) {
		return a.Small(smiles)
	}
	if by := (colouring{d, s.Alpha}); t.colouredBy != by {
		t.colouredBy = by
		t.coloured = Pen(Drawing{Layout: t.layout, Share: shares(s.AboveLimit(d)), Width: thumbWidth, Height: thumbHeight, Bond: thumbBond})
	}
	return t.coloured
}

// Marked is a molecule's small picture with ringed atoms, or empty.
func (a *Album) Marked(smiles string, atoms []int) string {
	t := a.thumbs[smiles]
	if t == nil || t.layout == "" {
		return ""
	}
	return Pen(Drawing{Layout: t.layout, Width: 2 * thumbWidth, Height: 2 * thumbHeight, Bond: thumbBond, Marked: atoms})
}
