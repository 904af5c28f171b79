package dataset

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"baca/algo/graph"
)

// maxNested bounds the nesting of elements; GraphML has 5.
const maxNested = 64

// beginsGraphML recognises the root element.
func beginsGraphML(head []byte) bool {
	head = bytes.TrimLeft(head, blanks+"\n")
	return len(head) > 0 && head[0] == '<' && bytes.Contains(head, []byte("<graphml"))
}

// An allowance is a reader that fails beyond a number of bytes, where io.LimitReader would end.
type allowance struct {
	r    io.Reader
	left int
	max  int
}

func (a *allowance) Read(p []byte) (int, error) {
	if a.left == 0 {
		return 0, fmt.Errorf("more than %d bytes of text: want less", a.max)
	}
	n, err := a.r.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}

// A graphML reads one file.
type graphML struct {
	*scanner
	xml      *xml.Decoder
	open     []string // elements
	rec      Record   // of the open graph
	start    int64    // where it begins
	inside   int      // number of open graphs
	places   map[string]int32
	ends     [][2]string // of edges that may precede their nodes
	directed string      // the graph's default direction
	endLines []int
	name     bool // the text is the graph's name
	keys     map[string]bool
}

// readGraphML reads the graphs of a document. Malformed XML ends it, as the next graph cannot be
// found.
func (s *scanner) readGraphML(string) error {
	in := &allowance{r: s.window, max: s.max}
	g := &graphML{scanner: s, xml: xml.NewDecoder(in), keys: map[string]bool{}}
	g.xml.CharsetReader = func(name string, r io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(name), "utf") {
			return r, nil // already UTF-8
		}
		return nil, fmt.Errorf("text in %s: want UTF-8", clip(name))
	}
	for !s.stopped {
		in.left = in.max
		token, err := g.xml.RawToken()
		line, column := g.xml.InputPos()
		if err == io.EOF && len(g.open) == 0 && line > 0 {
			return nil
		}
		if err == nil && len(g.open) >= maxNested {
			err = fmt.Errorf("more than %d elements in one another", maxNested)
		}
		if err != nil {
			if err == io.EOF {
				err = errors.New("the document ends early, the file looks truncated")
			}
			var bad *xml.SyntaxError
			if errors.As(err, &bad) {
				err = errors.New(bad.Msg)
			}
			return fmt.Errorf("line %d, column %d: %w", line, column, err)
		}
		if g.inside > 0 && g.xml.InputOffset()-g.start > int64(s.max) {
			g.refuseGraph(g.rec.Line, s.tooLong(g.rec.Line).Err)
		}
		if err := g.handle(token, line, column); err != nil {
			return fmt.Errorf("line %d, column %d: %w", line, column, err)
		}
	}
	return nil
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// handle processes a token.
func (g *graphML) handle(token xml.Token, line, column int) error {
	switch t := token.(type) {
	case xml.StartElement:
		g.open = append(g.open, t.Name.Local)
		g.begin(t, line, column)
	case xml.EndElement:
		if len(g.open) == 0 || g.open[len(g.open)-1] != t.Name.Local {
			return fmt.Errorf("</%s> closes nothing", t.Name.Local)
		}
		g.open = g.open[:len(g.open)-1]
		g.name = false
		if t.Name.Local == "graph" {
			g.end()
		}
	case xml.CharData:
		if g.name && g.rec.ID == "" && len(t) <= MaxField {
			g.rec.ID = strings.TrimSpace(string(t))
		}
	}
	return nil
}

// refuseGraph records the first error of the graph.
func (g *graphML) refuseGraph(line int, err error) {
	if g.rec.Err == nil {
		g.rec.Err = syntaxError(g.file, line, 1, err)
	}
}

// checkSize refuses a graph before it takes more memory.
func (g *graphML) checkSize(line int) {
	if err := graph.CheckSize(len(g.places), len(g.ends)); err != nil {
		g.refuseGraph(line, err)
	}
}

func (g *graphML) begin(e xml.StartElement, line, column int) {
	parent := ""
	if len(g.open) > 1 {
		parent = g.open[len(g.open)-2]
	}
	switch e.Name.Local {
	case "key":
		if name := columnName(attribute(e, "attr.name")); attribute(e, "for") == "graph" && (name == "name" || name == "id") {
			g.keys[attribute(e, "id")] = true
		}
	case "graph":
		if g.inside++; g.inside > 1 {
			g.refuseGraph(line, errors.New("a graph inside a graph: want plain graphs"))
			return
		}
		g.start = g.xml.InputOffset()
		g.rec = Record{Row: g.row, Line: line, ID: attribute(e, "id"), file: g.file, smilesLine: line, column: column}
		g.directed = attribute(e, "edgedefault")
		g.places, g.ends, g.endLines = map[string]int32{}, nil, nil
		if strings.TrimSpace(g.rec.ID) == "" || g.rec.ID == "G" || len(g.rec.ID) > MaxField {
			g.rec.ID = "" // writers call every graph G
		}
	case "data":
		g.name = g.inside == 1 && parent == "graph" && g.keys[attribute(e, "key")]
	case "node":
		id := attribute(e, "id")
		_, twice := g.places[id]
		switch {
		case g.inside != 1 || g.rec.Err != nil:
		case id == "":
			g.refuseGraph(line, errors.New("a node without id"))
		case twice:
			g.refuseGraph(line, fmt.Errorf("node %s is there twice: want each id once", clip(id)))
		default:
			g.places[id] = int32(len(g.places))
			g.checkSize(line)
		}
	case "edge":
		if g.inside == 1 && g.rec.Err == nil {
			// Its nodes may follow.
			g.ends = append(g.ends, [2]string{attribute(e, "source"), attribute(e, "target")})
			g.endLines = append(g.endLines, line)
			if own := attribute(e, "directed"); own == "true" || own == "" && g.directed == "directed" {
				g.rec.Aside.Directions++
			}
			g.checkSize(line)
		}
	case "hyperedge":
		g.refuseGraph(line, errors.New("an edge of more than two nodes: want plain graphs"))
	}
}

// end emits the finished graph.
func (g *graphML) end() {
	if g.inside--; g.inside > 0 {
		return
	}
	rec := g.rec
	edges := make([][2]int32, len(g.ends))
	for i, ends := range g.ends {
		for k, id := range ends {
			at, known := g.places[id]
			if !known && rec.Err == nil {
				rec.Err = syntaxError(g.file, g.endLines[i], 1, fmt.Errorf("an edge goes to %s: want the id of a node", clip(id)))
			}
			edges[i][k] = at
		}
	}
	if rec.Err == nil {
		rec.Graph, rec.Err = rec.plain(len(g.places), edges)
	}
	g.rec, g.places, g.ends = Record{}, nil, nil
	g.send(rec)
}
