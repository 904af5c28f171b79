package engine

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"baca/algo/parquet"
	"baca/wasm/message"
)

// parquetOf writes two columns as Parquet.
func parquetOf(t *testing.T, names, smiles []string) []byte {
	t.Helper()
	var b bytes.Buffer
	columns := []parquet.Cells{{Name: "name", Texts: names}, {Name: "smiles", Texts: smiles}}
	w := parquet.NewWriter(&b, "test", columns)
	w.Write(columns)
	succeed(w.Close())
	return b.Bytes()
}

// nodeLink and graphML write a ring with a tail.
func nodeLink(size, tail int) string {
	nodes, links := ringLines(size, tail, `{"id": %d}`, `{"source": %d, "target": %d}`, ", ")
	return fmt.Sprintf(`{"graph": {"name": "ring %d"}, "nodes": [%s], "links": [%s]}`, size, nodes, links)
}

func graphML(size, tail int) string {
	nodes, edges := ringLines(size, tail, `<node id="%d"/>`, `<edge source="%d" target="%d"/>`, "")
	return fmt.Sprintf("<graph id=\"ring %d\">%s%s</graph>\n", size, nodes, edges)
}

func ringLines(size, tail int, node, edge, between string) (string, string) {
	g := ring(size, tail)
	var nodes, edges []string
	for i := range g.N() {
		nodes = append(nodes, fmt.Sprintf(node, i))
		for _, j := range g.Neighbors[g.Offsets[i]:g.Offsets[i+1]] {
			if int(j) > i {
				edges = append(edges, fmt.Sprintf(edge, i, j))
			}
		}
	}
	return strings.Join(nodes, between), strings.Join(edges, between)
}

// Plain graphs are scored and trained on, as a set of them is.
func TestPlainGraphFormats(t *testing.T) {
	e, h := loaded(t, "bzr")
	_, a := alone(t, "bzr")
	var lines, document strings.Builder
	document.WriteString("<graphml>\n")
	for size := range 30 {
		lines.WriteString(nodeLink(size+3, size%4) + "\n")
		document.WriteString(graphML(size+3, size%4))
	}
	lines.WriteString(`{"nodes": []}` + "\n")
	document.WriteString("<graph/></graphml>")
	var models [][]byte
	for _, test := range []struct{ name, format, data string }{
		{"a.jsonl", "nodelink", lines.String()},
		{"a.graphml", "graphml", document.String()},
		{"", "nodelink", lines.String()},
	} {
		_, o := must[*message.Opened](e, h, &message.Open{Name: test.name, Data: []byte(test.data)})
		if o.Format != test.format || o.Records != 31 || o.Refused != 1 || o.Molecules {
			t.Fatalf("%s: opened %+v", test.name, o)
		}
		rows, _ := rowsOfScore(e, h, message.Score{})
		if rows.Texts("id")[4] != "ring 7" || !strings.Contains(rows.Texts("error")[30], "without nodes") {
			t.Errorf("%s: rows %+v", test.name, rows)
		}
		_, d := must[*message.Detailed](e, h, &message.Detail{Record: 7})
		x := have(a.Explain(t.Context(), ring(10, 3), 0.05))
		if d.Score != x.Score || rows.Numbers("score")[7] != x.Score || len(d.Atoms) != 13 || len(d.Bonds) != 13 || d.SMILES != "" {
			t.Errorf("%s: %+v, want score %g", test.name, d, x.Score)
		}
		_, own := must[*message.Trained](e, h, &message.Train{Epochs: 1, Name: "rings"})
		if own.Model.Molecules || own.Model.Train+own.Model.Holdout != 30 {
			t.Errorf("%s: trained %+v", test.name, own.Model)
		}
		models = append(models, own.Data)
	}
	// The model of one is used on the other.
	must[*message.Model](e, h, &message.LoadModel{Name: "rings", Data: models[0]})
	must[*message.Scored](e, h, &message.Score{})
	must[*message.Model](e, h, &message.LoadModel{})
	fails(e, h, &message.Score{}, message.CodeBadModel, "holds plain graphs")
}
