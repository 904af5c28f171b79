package picture

import (
	"encoding/json"

	"baca/wasm/message"
)

// A Drawing is a molecule or a plain graph to draw.
type Drawing struct {
	Layout string // of a molecule, see web/src/draw.js; empty for a plain graph
	Nodes  int    // of a plain graph
	Edges  []int  // pairs of nodes

	Frame
	// Share is each atom's contribution, from −1 to 1; nil for none. Marked atoms have a dashed
	// ring.
	Share  []float64
	Marked []int
	Title  string // alternative text, empty if redundant
	Saved  bool   // for a file, in print colours
}

// A Frame is the size of a picture in pixels, and how long a bond is at most.
type Frame struct{ Width, Height, Bond float64 }

// Pen draws SVG by the page's script, see web/src/svg.js; without a browser nothing.
var Pen = func(Drawing) string { return "" }

// Lay lays out a plain graph by the page's script, as text.
var Lay = func(Drawing) string { return "" }

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

// Places caches atom positions of a record.
type Places struct {
	of    *message.Traced
	drawn bool // at comes from the drawing
	at    [][2]float64
}

// Find returns a record's atom positions: from its drawing if the atoms match, else as a plain graph.
func (p *Places) Find(a *Album, smiles string, t *message.Traced) [][2]float64 {
	thumb := a.thumbs[smiles]
	fits := thumb != nil && thumb.layout != "" && thumb.fits(t.Atoms)
	if p.of == t && p.drawn == fits {
		return p.at
	}
	p.of, p.drawn = t, fits
	if fits {
		if at := placesOf(thumb.layout); len(at) == len(t.Atoms) {
			p.at = at
			return at
		}
	}
	if p.at = nil; len(t.Atoms) <= mostSketched {
		p.at = placesOf(Lay(sketch(len(t.Atoms), t.Bonds)))
	}
	return p.at
}

// placesOf parses a layout's atom positions in SMILES order, see web/src/draw.js, or returns nil.
func placesOf(layout string) [][2]float64 {
	var l struct {
		Atoms   []struct{ X, Y float64 }
		Written []int
	}
	if json.Unmarshal([]byte(layout), &l) != nil {
		return nil
	}
	at := make([][2]float64, len(l.Written))
	for k, i := range l.Written {
		if i < 0 || i >= len(l.Atoms) {
			return nil
		}
		at[k] = [2]float64{l.Atoms[i].X, l.Atoms[i].Y}
	}
	return at
}
