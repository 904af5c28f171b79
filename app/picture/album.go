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
	problem string   // why it is missing
	painted map[Frame]painted
}

// A painted picture is coloured by a detail at an α, or plain.
type painted struct {
	detail *message.Detailed
	alpha  float64
	svg    string
}

// mostThumbs bounds the cache.
const mostThumbs = 3000

// Frames of the table, the grid and the inspector.
var (
	Thumb = Frame{92, 54, 22}
	Card  = Frame{200, 140, 30}
	large = Frame{380, 260, 40}
)

// Add stores a requested layout, or why there is none. text is that of web/src/draw.js: a line of
// symbols, and the input of Pen.
func (a *Album) Add(smiles, text, problem string) {
	if a.thumbs == nil || len(a.thumbs) >= mostThumbs {
		a.thumbs = map[string]*thumb{}
	}
	t := &thumb{problem: problem, painted: map[Frame]painted{}}
	if problem == "" {
		symbols, layout, _ := strings.Cut(text, "\n")
		t.symbols, t.layout = strings.Fields(symbols), layout
	}
	a.thumbs[smiles] = t
	a.Count++
}

// Small is a molecule's picture in the table, or empty.
func (a *Album) Small(smiles string) string { return a.paint(smiles, Thumb, nil, nil) }

// Layout is the drawing of a molecule, empty without one.
func (a *Album) Layout(smiles string) string {
	if t := a.thumbs[smiles]; t != nil {
		return t.layout
	}
	return ""
}

// Of is a record's picture, its atoms coloured by contribution if these are wanted and known.
func (a *Album) Of(s *run.Session, record int, in Frame) string {
	var d *message.Detailed
	if s.View.Coloured {
		d = s.Glances.Of(record)
	}
	return a.paint(s.Rows.Picture(record), in, s, d)
}

// paint draws a molecule that has a layout, coloured by d unless nil.
func (a *Album) paint(smiles string, in Frame, s *run.Session, d *message.Detailed) string {
	t := a.thumbs[smiles]
	if t == nil || t.layout == "" {
		return ""
	}
	p, drawing := painted{detail: d}, Drawing{Frame: in, Layout: t.layout}
	if d != nil && t.fits(d.Atoms) {
		p.alpha, drawing.Share = s.Alpha, shares(s.AboveLimit(d))
	}
	if known := t.painted[in]; known.svg != "" && known.detail == p.detail && known.alpha == p.alpha { // drawn before
		return known.svg
	}
	p.svg = Pen(drawing)
	t.painted[in] = p
	return p.svg
}

// Problem says why a molecule is not drawn, empty if it is or may be.
func (a *Album) Problem(smiles string) string {
	if t := a.thumbs[smiles]; t != nil && t.problem != "" {
		return "Not drawn: " + t.problem + "."
	}
	return ""
}

// Missing lists the SMILES that have no drawing yet, once each, of molecules and of the given records. SMILES with line
// breaks are left out: no molecule has them.
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

// Large draws the inspected record, coloured if known. note says what is missing. Both are empty while the layout is awaited.
func (a *Album) Large(s *run.Session, saved bool) (drawn, note string) {
	record, detail := s.Inspector.Record, s.Inspector.Detail.Value
	smiles := s.Rows.Picture(record)
	d := Drawing{Title: "Structure of " + s.Rows.Name(record), Saved: saved, Frame: large}
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
func (t *thumb) fits(atoms []string) bool {
	if len(t.symbols) != len(atoms) {
		return false
	}
	for i, a := range atoms {
		if !strings.EqualFold(a, t.symbols[i]) {
			return false
		}
	}
	return true
}

// colours returns colours and marks of atoms, for a drawing that fits. note says why there are none.
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

// shares scales contributions to −1 … 1. It returns nil if all are 0 or NaN.
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

// Marked is a molecule's small picture with ringed atoms, or empty.
func (a *Album) Marked(smiles string, atoms []int) string {
	layout := a.Layout(smiles)
	if layout == "" {
		return ""
	}
	return Pen(Drawing{Layout: layout, Frame: Frame{2 * Thumb.Width, 2 * Thumb.Height, Thumb.Bond}, Marked: atoms})
}
