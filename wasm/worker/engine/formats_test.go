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

// nodeLink writes a ring with a tail.
func nodeLink(size, tail int) string {
	g := ring(size, tail)
	var nodes, links []string
	for i := range g.N() {
		nodes = append(nodes, fmt.Sprintf(`{"id": %d}`, i))
	}
	for _, edge := range g.Edges() {
		links = append(links, fmt.Sprintf(`{"source": %d, "target": %d}`, edge[0], edge[1]))
	}
	const form = `{"graph": {"name": "ring %d"}, "nodes": [%s], "links": [%s]}`
	return fmt.Sprintf(form, size, strings.Join(nodes, ", "), strings.Join(links, ", "))
}

// Plain graphs are scored and trained on, as a set of them is.
func TestPlainGraphs(t *testing.T) {
	e, h := loaded(t, "bzr")
	_, a := alone(t, "bzr")
	var lines strings.Builder
	for size := range 30 {
		lines.WriteString(nodeLink(size+3, size%4) + "\n")
	}
	lines.WriteString(`{"nodes": []}` + "\n")
	_, o := must[*message.Opened](e, h, &message.Open{Name: "a.jsonl", Data: []byte(lines.String())})
	if o.Format != "nodelink" || o.Records != 31 || o.Refused != 1 || o.Molecules {
		t.Fatalf("opened %+v", o)
	}
	rows, _ := rowsOfScore(e, h, message.Score{})
	if rows.Texts("id")[4] != "ring 7" || !strings.Contains(rows.Texts("error")[30], "without nodes") {
		t.Errorf("rows %+v", rows)
	}
	_, d := must[*message.Detailed](e, h, &message.Detail{Record: 7})
	x := have(a.Explain(t.Context(), ring(10, 3), 0.05))
	if d.Score != x.Score || rows.Numbers("score")[7] != x.Score || len(d.Atoms) != 13 || len(d.Bonds) != 13 || d.SMILES != "" {
		t.Errorf("%+v, want score %g", d, x.Score)
	}
	_, own := must[*message.Trained](e, h, &message.Train{Epochs: 1, Name: "rings"})
	if own.Model.Molecules || own.Model.Train+own.Model.Holdout != 30 {
		t.Errorf("trained %+v", own.Model)
	}
	must[*message.Model](e, h, &message.LoadModel{Name: "rings", Data: own.Data})
	must[*message.Scored](e, h, &message.Score{})
	must[*message.Model](e, h, &message.LoadModel{})
	fails(e, h, &message.Score{}, message.CodeBadModel, "holds plain graphs")
}
