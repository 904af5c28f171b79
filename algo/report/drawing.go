package report

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"

	"baca/algo/graph"
)

// A Drawing tells the script how to draw a graph: a molecule by SMILES, a plain graph by its edges.
type Drawing struct {
	nodes  int // of a plain graph
	edges  []int32
	share  []float64 // each atom's contribution; nil for none
	marked []float64 // above 0 for ringed atoms
}

// maxNodes is the largest plain graph that is drawn.
const maxNodes = 300

// graphDrawing is nil for a graph that is too large or empty.
func graphDrawing(g *graph.Graph, share, marked []float64) *Drawing {
	if g.N() == 0 || g.N() > maxNodes {
		return nil
	}
	d := &Drawing{nodes: g.N(), share: share, marked: marked}
	for _, e := range g.Edges() {
		d.edges = append(d.edges, e[:]...)
	}
	return d
}

// drawing writes the data of a drawing.
func (p *page) drawing(e *Entry) {
	d := e.Drawing
	if d == nil {
		p.add("<div class=\"pic\"><p class=\"none\">too large to draw</p></div>")
		return
	}
	p.add("<div class=\"pic\" data-drawing=\"\"")
	if d.nodes > 0 {
		p.add(" data-title=\"graph %s\" data-nodes=\"%d\" data-edges=\"%s\"", escape(e.ID), d.nodes, strings.Trim(fmt.Sprint(d.edges), "[]"))
	} else {
		p.add(" data-title=\"structure of %s\" data-smiles=\"%s\"", escape(e.ID), escape(e.SMILES))
	}
	p.add(" data-share=\"%s\" data-marked=\"%s\">", d.shares(), d.marks())
	p.add("<noscript><p class=\"none\">The drawing needs scripts.</p></noscript></div>")
}

// shares writes contributions, scaled to the largest.
func (d *Drawing) shares() string {
	most := 0.0
	for _, v := range d.share {
		if !math.IsNaN(v) {
			most = max(most, math.Abs(v))
		}
	}
	if most == 0 {
		return ""
	}
	list := make([]string, len(d.share))
	for i, v := range d.share {
		if list[i] = "0"; !math.IsNaN(v) {
			list[i] = strconv.FormatFloat(v/most, 'g', 3, 64)
		}
	}
	return strings.Join(list, " ")
}

// marks writes the numbers of ringed atoms.
func (d *Drawing) marks() string {
	var list []string
	for i, v := range d.marked {
		if v > 0 {
			list = append(list, strconv.Itoa(i))
		}
	}
	return strings.Join(list, " ")
}

// loader unpacks and runs the script.
const loader = `
const packed = Uint8Array.from(atob(document.getElementById("script").textContent), (c) => c.charCodeAt(0));
const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
new Response(stream).text().then((text) => {
  const script = document.createElement("script");
  script.textContent = text;
  document.body.append(script);
});
`

// drawer is the drawing script, nil if nothing is drawn.
func (r *Report) drawer() []byte {
	if len(r.Top) == 0 {
		return nil
	}
	return r.Script
}

// scriptPolicy allows the report's two scripts by hash, and no others.
func scriptPolicy(script []byte) string {
	if script == nil {
		return ""
	}
	hash := func(text []byte) string {
		sum := sha256.Sum256(text)
		return base64.StdEncoding.EncodeToString(sum[:])
	}
	return fmt.Sprintf("; script-src 'sha256-%s' 'sha256-%s'", hash([]byte(loader)), hash(script))
}

// script embeds the packed script at the end of the page; nil for none.
func (p *page) script(script []byte) {
	if script == nil {
		return
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	w.Write(script)
	w.Close()
	p.add("<script type=\"text/plain\" id=\"script\">%s</script>\n<script>%s</script>\n", base64.StdEncoding.EncodeToString(b.Bytes()), loader)
}
