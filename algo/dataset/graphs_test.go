package dataset

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"baca/algo/graph"
	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

// shownGraphs lists the graphs of a text.
func shownGraphs(text string, opt Options) (list []string) {
	for rec, err := range Records(strings.NewReader(text), opt) {
		if err != nil {
			return append(list, "end: "+err.Error())
		}
		if rec = rec.Parsed(); rec.Err != nil {
			list = append(list, rec.Err.Error())
			continue
		}
		list = append(list, fmt.Sprintf("%d@%d <%s> %v %v", rec.Row, rec.Line, rec.ID, rec.Graph.Offsets, rec.Graph.Neighbors))
	}
	return list
}

type graphsCase struct {
	Case, Text string
	Want       []string
}

func TestNodeLink(t *testing.T) {
	for _, test := range golden.Cases[graphsCase](t, "nodelink.jsonl") {
		if got := shownGraphs(test.Text, Options{Name: "g.jsonl", Plain: true}); !reflect.DeepEqual(got, test.Want) {
			t.Errorf("%s:\n got %q\nwant %q", test.Case, got, test.Want)
		}
	}
}

func TestGraphML(t *testing.T) {
	const head = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="graph" attr.name="name" attr.type="string"/>
`
	for _, test := range golden.Cases[graphsCase](t, "graphml.jsonl") {
		if got := shownGraphs(test.Text, Options{Name: "g.graphml", Plain: true}); !reflect.DeepEqual(got, test.Want) {
			t.Errorf("%s:\n got %q\nwant %q", test.Case, got, test.Want)
		}
	}
	// What is too long is refused, and reading goes on behind it.
	got := shownGraphs(head+`<graph>`+strings.Repeat(`<node id="aaaaaaaaaaaaaaaa"/>`, 30)+`</graph>`+strings.Repeat("<!-- -->",
		80)+`<graph><node id="z"/></graph></graphml>`, Options{Name: "g.graphml", Plain: true, maxRecord: 400})
	if len(got) != 2 || got[1] != "2@4 <2> [0 0] []" {
		t.Errorf("a long graph: %q", got)
	}
}

// What a simple graph lacks of the one that is written is told.
func TestGraphsAside(t *testing.T) {
	linked := `{"directed": true, "multigraph": true, "nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1}, {"source": 1, "target": 0}, {"source": 0, "target": 1}, {"source": 1, "target": 1}]}
{"directed": false, "nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1}]}
`
	document := `<graphml><graph edgedefault="directed"><node id="a"/><node id="b"/><edge source="a" target="b"/><edge source="b" target="a" directed="false"/><edge source="b" target="b"/></graph>
<graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"/><edge source="a" target="b" directed="true"/></graph></graphml>`
	for text, want := range map[string][]string{
		linked:   {"1 self-loop, 2 parallel edges, 4 directions", ""},
		document: {"1 self-loop, 1 parallel edge, 2 directions", "1 parallel edge, 1 direction"},
	} {
		var got []string
		for rec, err := range Molecules(context.Background(), strings.NewReader(text), Options{Plain: true}) {
			must.Do(cmp.Or(err, rec.Err))
			got = append(got, rec.Aside.String())
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Graphs that are too large are refused before they take memory, and the next one is read. The
// format is told though the first line is longer than what is looked at.
func TestLargeGraphs(t *testing.T) {
	const nodes, edges = 300_000, 140_000
	write := func(open, node, between, edge, closing string) string {
		var b strings.Builder
		for _, n := range [][2]int{{nodes, 0}, {2, edges}, {graph.MaxNodes, 2}} {
			b.WriteString(open)
			for i := range n[0] {
				fmt.Fprintf(&b, node, i)
			}
			b.WriteString(between)
			for range n[1] {
				b.WriteString(edge)
			}
			b.WriteString(closing)
		}
		return b.String()
	}
	linked := write(`{"nodes":[`, `{"id":%d},`, `],"links":[`, `{"source":0,"target":1},`, "]}\n")
	linked = strings.ReplaceAll(linked, ",]", "]")
	document := "<graphml>" + write("<graph>", `<node id="%d"/>`, "", `<edge source="0" target="1"/>`, "</graph>\n") + "</graphml>"
	for _, test := range []struct {
		text  string
		wants [2]string
	}{
		{linked, [2]string{"line 1, column 1: a graph of more than 163840 nodes and edges: want at most 32768 and 131072", "line 2, column 1: a graph of 2 nodes and 140000 edges: want at most 32768 and 131072"}},
		{document, [2]string{"line 1, column 1: a graph of 32769 nodes and 0 edges: want at most 32768 and 131072", "line 2, column 1: a graph of 2 nodes and 131073 edges: want at most 32768 and 131072"}},
	} {
		got := shownGraphs(test.text, Options{Plain: true})
		if len(got) != 3 || got[0] != test.wants[0] || got[1] != test.wants[1] || !strings.HasPrefix(got[2], "3@3 ") {
			for i := range got {
				got[i] = got[i][:min(len(got[i]), 120)]
			}
			t.Errorf("%q", got)
		}
	}
}

func TestJSONL(t *testing.T) {
	text := `{"name": "ethanol", "smiles": "CCO", "mw": 46.1}
{"mw": 1, "smiles": " C1CC"}
{"smiles": null, "name": 7}
{"smiles": ["C"]}
{"name": "x"
{"smiles": "C\u0043"}
`
	want := []string{"1@1 CCO <ethanol>", "m.jsonl:2:24: ring bond 1 is never closed", "m.jsonl:3:1: no SMILES: want a molecule",
		`m.jsonl:4:1: "smiles" is "[\"C\"]": want text, the SMILES`, "m.jsonl:5:12: no JSON: unexpected end of JSON input", "6@6 CC <6>"}
	if got := shown(strings.NewReader(text), Options{Name: "m.jsonl"}); !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	for text, want := range map[string]string{
		"[{\"smiles\": \"CCO\"},\n {\"smiles\":\n   \"CCX\"}]": `line 3, column 7: no such atom outside brackets; other elements, hydrogen too, are written as in [Na] or [H]`,
		"[{\"smiles\": \"CCO\"},\n x]":                         `input: line 2, column 2: found "x": want an object in a list`,
		"[{\"smiles\": \"CCO\"},\n":                            `input: line 2, column 1: the document ends early, the file looks truncated`,
		"[{\"smiles\": \"CCO\"}, {\"smiles\":":                 `input: line 1, column 31: the document ends early, the file looks truncated`,
		`{"a": "x", "b": 1}`:                                   `input: no column holds SMILES: there are "a", "b"`,
		"{\"m\": \"CCO\"}\n{\"m\": \"CCN\"}\n":                 "2@2 CCN <2>",
	} {
		if got := shown(strings.NewReader(text), Options{}); got[len(got)-1] != want {
			t.Errorf("%s: %q, want %s at the end", text, got, want)
		}
	}
}

func FuzzGraphML(f *testing.F) {
	for _, s := range []string{"<graphml><graph><node id=\"a\"/></graph></graphml>", "<graphml><graph><graph/></graph>", "<graphml><a b=", "<graphml></graph>", "<graphml>&x;", "<graphml><!-- "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { checkStream(t, text, GraphML) })
}

func FuzzNodeLink(f *testing.F) {
	for _, s := range []string{"{\"nodes\":[{\"id\":1}]}", "{\"nodes\":[{\"id\":[1, 2]}],\"links\":[{}]}", "{\"nodes\":", "\n{}\n[", "{\"nodes\":[{\"id\":\"\\u0061\"},{\"id\":\"a\"}]}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkStream(t, text, NodeLink)
		shownGraphs(text, Options{Format: NodeLink, Plain: true})
	})
}

func FuzzJSONL(f *testing.F) {
	for _, s := range []string{"{\"smiles\":\"C\"}", "{\"smiles\":{}}\n{\"x\":1}", "{\"a\":\"C\",\"b\":2}\n", "{\"smiles\":\" \\n\"}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { checkStream(t, text, JSONL) })
}
