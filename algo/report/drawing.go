package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"baca/algo/document"
	"baca/algo/graph"
)

// A Drawing tells the script how to draw a graph: a molecule by SMILES, a plain graph by its edges.
type Drawing struct {
	nodes  int // number of nodes of a plain graph, 0 for a molecule
	edges  []int32
	Share  []float64 // each atom's contribution; nil for none
	Marked []float64 // above 0 for atoms with a ring around them
}

// maxNodes is the largest plain graph that is drawn.
const maxNodes = 300

// graphDrawing returns the drawing of a plain graph, or nil if it is too large or empty.
func graphDrawing(g *graph.Graph, share, marked []float64) *Drawing {
	if g.N() == 0 || g.N() > maxNodes {
		return nil
	}
	d := &Drawing{nodes: g.N(), Share: share, Marked: marked}
	for _, e := range g.Edges() {
		d.edges = append(d.edges, e[:]...)
	}
	return d
}

// Draw adds the drawing as data for the script.
func (e *Entry) Draw(p *document.Page) {
	d := e.Drawing
	if d == nil {
		p.Add("<div class=\"pic\"><p class=\"none\">too large to draw</p></div>")
		return
	}
	p.Add("<div class=\"pic\" data-drawing=\"\"")
	if d.nodes > 0 {
		p.Add(" data-title=\"graph %s\" data-nodes=\"%d\" data-edges=\"%s\"", document.Escape(e.ID), d.nodes, strings.Trim(fmt.Sprint(d.edges), "[]"))
	} else {
		p.Add(" data-title=\"structure of %s\" data-smiles=\"%s\"", document.Escape(e.ID), document.Escape(e.SMILES))
	}
	p.Add(" data-share=\"%s\" data-marked=\"%s\">", d.shares(), d.marks())
	p.Add("<noscript><p class=\"none\">The drawing needs scripts.</p></noscript></div>")
}

// shares returns the contributions relative to the largest one, separated by blanks.
func (d *Drawing) shares() string {
	most := 0.0
	for _, v := range d.Share {
		if !math.IsNaN(v) {
			most = max(most, math.Abs(v))
		}
	}
	if most == 0 {
		return ""
	}
	list := make([]string, len(d.Share))
	for i, v := range d.Share {
		if list[i] = "0"; !math.IsNaN(v) {
			list[i] = strconv.FormatFloat(v/most, 'g', 3, 64)
		}
	}
	return strings.Join(list, " ")
}

// marks returns the indices of marked atoms, separated by blanks.
func (d *Drawing) marks() string {
	var list []string
	for i, v := range d.Marked {
		if v > 0 {
			list = append(list, strconv.Itoa(i))
		}
	}
	return strings.Join(list, " ")
}

// drawer returns the drawing script, or nil if nothing is drawn.
func (r *Report) drawer() []byte {
	if len(r.Top) == 0 {
		return nil
	}
	return r.Script
}
