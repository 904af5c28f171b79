package picture

import (
	"strings"

	"baca/app/session"
	"baca/wasm/message"
)

// An Album keeps the drawings of molecules, each made once.
type Album struct {
	thumbs map[string]*thumb // by SMILES; one that failed is there and has no drawing
	Count  int               // drawings that have come
	// The graph of a detail without a drawing, laid out by springs.
	sketched *drawing
	sketchOf *message.Detailed
}

// A thumb is a drawing and the small picture of it.
type thumb struct {
	drawing *drawing // nil where there is none
	small   string

	coloured   string
	colouredBy *message.Detailed // nil before it is
}

// mostThumbs bounds what is kept of drawings, mostSketched the nodes of a graph that is
// laid out by springs.
const (
	mostThumbs   = 3000
	mostSketched = 300
)

// The sizes of pictures of molecules, and the longest that a bond is drawn in each.
const (
	thumbWidth, thumbHeight, thumbBond = 92, 54, 22
	largeWidth, largeHeight, largeBond = 380, 260, 40
)

// Add takes a drawing that was asked for, or the news that there is none.
func (a *Album) Add(smiles, text, problem string) {
	if a.thumbs == nil || len(a.thumbs) >= mostThumbs {
		a.thumbs = map[string]*thumb{}
	}
	t := &thumb{}
	if problem == "" {
		if d, err := parseDrawing(text); err == nil {
			t.drawing, t.small = d, d.depict(thumbWidth, thumbHeight, thumbBond, nil, nil, "", false)
		}
	}
	a.thumbs[smiles] = t
	a.Count++
}

// Small is the small picture of a molecule, empty where there is none.
func (a *Album) Small(smiles string) string {
	if t := a.thumbs[smiles]; t != nil {
		return t.small
	}
	return ""
}

// Missing lists the SMILES of records whose drawings are not there, without repetition.
func (a *Album) Missing(r *session.Rows, records []int32) []string {
	var list []string
	seen := map[string]bool{}
	for _, i := range records {
		if int(i) >= r.Len() {
			continue
		}
		p := r.Picture(int(i))
		if p == "" || seen[p] || a.thumbs[p] != nil || strings.ContainsAny(p, "\n\r") {
			continue
		}
		seen[p] = true
		list = append(list, p)
	}
	return list
}

// Large draws the record of the inspector, its atoms coloured if that is known. The note
// says why they are not.
func (a *Album) Large(s *session.Session, saved bool) (drawn, note string) {
	record, detail := s.Inspector.Record, s.Inspector.Detail
	title := "Structure of " + s.Rows.Name(record)
	d, asked := a.of(s.Rows.Picture(record))
	switch {
	case detail == nil:
	case d != nil && d.fits(detail.Atoms):
	case len(detail.Atoms) > mostSketched && d == nil:
		return "", "This graph is too large to draw."
	case len(detail.Atoms) <= mostSketched && asked:
		d = a.sketch(detail)
	}
	var share []float64
	var marked []bool
	if d != nil && detail != nil {
		share, marked, note = colours(&s.Inspector, d)
		title += colouredBy(&s.Inspector)
	}
	if d == nil {
		return "", ""
	}
	return d.depict(largeWidth, largeHeight, largeBond, share, marked, title, saved), note
}

// of is the drawing of a molecule, and whether all that there will be is there.
func (a *Album) of(smiles string) (d *drawing, asked bool) {
	t := a.thumbs[smiles]
	if t == nil {
		return nil, smiles == ""
	}
	return t.drawing, true
}

// colours are how much atoms are coloured, and which are marked. The note says why none is.
func colours(i *session.Inspector, d *drawing) (share []float64, marked []bool, note string) {
	share = shares(i.Contribution())
	if d.fits(i.Detail.Atoms) {
		return share, i.Marked(), note
	}
	if share != nil {
		note = "Its atoms are not coloured: the drawing does not show all of them."
	}
	return nil, nil, note
}

// colouredBy says by what, for the title.
func colouredBy(i *session.Inspector) string {
	switch {
	case len(i.Contribution()) == 0:
		return ""
	case i.Coloured == session.SubtreePart:
		return ", atoms coloured by what they add to its score by way of subtrees"
	case i.Coloured == session.EmbeddingPart:
		return ", atoms coloured by what they add to its score by way of the embedding"
	}
	return ", atoms coloured by what they add to its score"
}

// sketch is a drawing of a detail by springs, made once.
func (a *Album) sketch(d *message.Detailed) *drawing {
	if a.sketched == nil || a.sketchOf != d {
		a.sketched, a.sketchOf = plain(d), d
	}
	return a.sketched
}

// A Graph is a graph without a drawing, which is laid out by springs.
type Graph struct {
	Title  string
	Detail *message.Detailed
	Side   float64 // of the picture
}

// SVG draws it.
func (g Graph) SVG(saved bool) string {
	return plain(g.Detail).depict(g.Side, g.Side, 30, nil, nil, g.Title, saved)
}
