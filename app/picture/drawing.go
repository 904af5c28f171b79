package picture

import "baca/wasm/message"

// A Drawing is a molecule or a plain graph to draw.
type Drawing struct {
	Layout string // of a molecule, see web/src/draw.js; empty for a plain graph
	Nodes  int    // of a plain graph
	Edges  []int  // pairs of nodes

	Frame
	// Share is each atom's contribution, from −1 to 1; nil for none. Marked atoms have a dashed ring.
	Share  []float64
	Marked []int
	Names  []string // of the nodes, if it is drawn as the model reads it; Lit is one of them, −1 for none
	Lit    int
	Title  string // alternative text, empty if redundant
	Saved  bool   // for a file, in print colours
}

// A Frame is the size of a picture in pixels, and how long a bond is at most.
type Frame struct{ Width, Height, Bond float64 }

// Pen draws SVG by the page's script, see web/src/svg.js; without a browser nothing.
var Pen = func(Drawing) string { return "" }

// mostSketched bounds the nodes of a spring layout.
const mostSketched = 300

// sketch is a plain graph without layout.
func sketch(nodes int, bonds []message.Bond) Drawing {
	g := Drawing{Nodes: nodes}
	for _, b := range bonds {
		g.Edges = append(g.Edges, b.From, b.To)
	}
	return g
}
