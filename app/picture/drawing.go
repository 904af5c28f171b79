package picture

import "baca/wasm/message"

// A Drawing is a molecule or a plain graph with how it is drawn.
type Drawing struct {
	Layout string // of a molecule, by the worker that lays out, see web/src/draw.js; empty for a plain graph
	Nodes  int    // of a plain graph
	Edges  []int  // of it, pairs of nodes one after the other

	Width, Height float64
	Bond          float64 // the longest that a bond is drawn
	// Share is, for each atom, how much it makes the graph look outside, from −1 to 1; nil for
	// none. Marked are the atoms with a dashed ring.
	Share  []float64
	Marked []int
	Title  string // for those who do not see it, empty for one that only repeats what stands beside it
	Saved  bool   // for a file, in the colours of print
}

// Pen writes a drawing as SVG. It is the page's script that does, see web/src/svg.js: where
// there is no browser nothing is drawn.
var Pen = func(Drawing) string { return "" }

// mostSketched is how many nodes a graph has at most that is laid out by springs.
const mostSketched = 300

// A Graph is a graph without atoms, which is laid out by springs.
type Graph struct {
	Title  string
	Detail *message.Detailed
	Side   float64 // of the picture
}

// SVG draws it.
func (g Graph) SVG(saved bool) string {
	d := sketch(g.Detail)
	d.Width, d.Height, d.Bond, d.Title, d.Saved = g.Side, g.Side, 30, g.Title, saved
	return Pen(d)
}

// sketch is a drawing of a plain graph.
func sketch(d *message.Detailed) Drawing {
	g := Drawing{Nodes: len(d.Atoms)}
	for _, b := range d.Bonds {
		g.Edges = append(g.Edges, b.From, b.To)
	}
	return g
}
