package dataset

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"baca/algo/graph"
)

// maxNested bounds the nesting of elements; GraphML has 5.
const maxNested = 64

// beginsGraphML recognises the root element.
func beginsGraphML(head []byte) bool {
	head = bytes.TrimLeft(head, blanks+"\n")
	return len(head) > 0 && head[0] == '<' && graphMLRoot.Match(head)
}

var graphMLRoot = regexp.MustCompile(`<([\w.-]+:)?graphml\b`)

// An allowance is a reader that fails after a number of bytes, where io.LimitReader would end.
type allowance struct {
	r    io.Reader
	left int
	max  int
}

// Read reads up to left bytes. Beyond them it fails.
func (a *allowance) Read(p []byte) (int, error) {
	if a.left == 0 {
		return 0, fmt.Errorf("more than %d bytes of text: want less", a.max)
	}
	n, err := a.r.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}

// A graphML reads the graphs of a document.
type graphML struct {
	*scanner
	xml      *xml.Decoder
	depth    int             // of open elements
	keys     map[string]bool // keys of graphs, and whether their data is the name of a graph
	open     int             // depth of the open graph, or 0
	named    bool            // the text that follows is the graph's name
	start    int64           // where the graph begins
	directed bool            // whether the graph's edges are directed by default
	rec      Record
	nodes    nodes
	edges    [][2]string // may precede their nodes
	lines    []int       // of edges
}

// readGraphML emits the graphs of a document. Malformed XML is an error, as the next graph cannot be found. A graph of more
// than s.max bytes is refused, a token of more is an error.
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
		token, err := g.xml.Token()
		line, column := g.xml.InputPos()
		if err == io.EOF {
			return nil
		}
		if err == nil && g.depth >= maxNested {
			err = fmt.Errorf("more than %d elements in one another", maxNested)
		}
		if err == nil && len(g.keys) > maxColumns {
			err = fmt.Errorf("more than %d keys of graphs", maxColumns)
		}
		if bad := new(xml.SyntaxError); errors.As(err, &bad) {
			if err = errors.New(bad.Msg); g.depth > 0 && bad.Msg == "unexpected EOF" {
				err = errors.New("the document ends early, the file looks truncated")
			}
		}
		if err != nil {
			return fmt.Errorf("line %d, column %d: %w", line, column, err)
		}
		if g.open > 0 && g.xml.InputOffset()-g.start > int64(s.max) {
			g.fail(g.rec.Line, s.tooLong(g.rec.Line).Err)
		}
		g.handle(token, line, column)
	}
	return nil
}

// handle reads a token of XML, which begins at a line and column.
func (g *graphML) handle(token xml.Token, line, column int) {
	switch t := token.(type) {
	case xml.StartElement:
		g.depth++
		g.begin(t, line, column)
	case xml.EndElement:
		if g.depth == g.open {
			g.end()
		}
		g.depth--
		g.named = false
	case xml.CharData:
		if g.named && g.rec.ID == "" && len(t) <= MaxField {
			g.rec.ID = strings.TrimSpace(string(t))
		}
	}
}

// fail gives the graph the error err, unless err is nil or the graph has an error already.
func (g *graphML) fail(line int, err error) {
	if g.rec.Err == nil && err != nil {
		g.rec.Err = syntaxError(line, 1, err)
	}
}

// attribute returns the value of an element's attribute, or "" without it.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// begin handles the start of an element: it notes keys, nodes and edges, and refuses a graph that is not plain.
func (g *graphML) begin(e xml.StartElement, line, column int) {
	kind := e.Name.Local
	switch {
	case kind == "key" && attribute(e, "for") == "graph":
		name := columnName(attribute(e, "attr.name"))
		g.keys[attribute(e, "id")] = name == "name" || name == "id"
	case kind == "graph" && g.open > 0:
		g.fail(line, errors.New("a graph inside a graph: want plain graphs"))
	case kind == "graph":
		g.beginGraph(e, line, column)
	case g.open == 0: // outside of graphs nothing else matters
	case kind == "data":
		g.named = g.depth == g.open+1 && g.keys[attribute(e, "key")]
	case kind == "hyperedge":
		g.fail(line, errors.New("an edge of more than two nodes: want plain graphs"))
	case g.rec.Err != nil: // the graph is refused
	case kind == "node" && attribute(e, "id") == "":
		g.fail(line, errors.New("a node without id"))
	case kind == "node":
		g.fail(line, g.nodes.add(strconv.Quote(attribute(e, "id"))))
	case kind == "edge":
		ends := [2]string{strconv.Quote(attribute(e, "source")), strconv.Quote(attribute(e, "target"))}
		g.edges, g.lines = append(g.edges, ends), append(g.lines, line)
		if own := attribute(e, "directed"); own == "true" || own == "" && g.directed {
			g.rec.Aside.Directions++
		}
	}
	g.fail(line, graph.CheckSize(len(g.nodes), len(g.edges))) // before it takes more memory
}

// beginGraph handles the start of a graph.
func (g *graphML) beginGraph(e xml.StartElement, line, column int) {
	g.open, g.start, g.directed = g.depth, g.xml.InputOffset(), attribute(e, "edgedefault") == "directed"
	g.nodes, g.edges, g.lines = nodes{}, nil, nil
	g.rec = Record{Entry: Entry{Line: line, at: SyntaxError{Line: line, Column: column}}}
	if id := attribute(e, "id"); strings.TrimSpace(id) != "" && id != "G" && len(id) <= MaxField { // writers call every graph G
		g.rec.ID = id
	}
}

// end emits the finished graph, refused if an edge has an unknown node.
func (g *graphML) end() {
	edges, bad, err := g.nodes.join(g.edges)
	if err != nil {
		g.fail(g.lines[bad], fmt.Errorf("an edge %w", err))
	}
	if rec := &g.rec; rec.Err == nil {
		rec.Graph, rec.Err = rec.plain(len(g.nodes), edges)
	}
	g.open = 0
	g.send(g.rec)
}

// nodes maps the ids of a plain graph's nodes, as JSON, to their numbers: 1 is not "1".
type nodes map[string]int32

// add numbers the node id. It fails if the id is there already.
func (n nodes) add(id string) error {
	if _, twice := n[id]; twice {
		return fmt.Errorf("node %.40s is there twice: want each id once", id)
	}
	n[id] = int32(len(n))
	return nil
}

// join returns the edges as pairs of node numbers. It fails at the first edge with an unknown node; bad is its index.
func (n nodes) join(edges [][2]string) (joined [][2]int32, bad int, err error) {
	joined = make([][2]int32, len(edges))
	for i, ends := range edges {
		for k, id := range ends {
			node, known := n[id]
			if !known {
				return nil, i, fmt.Errorf("goes to %.40s: want the id of a node", id)
			}
			joined[i][k] = node
		}
	}
	return joined, 0, nil
}
