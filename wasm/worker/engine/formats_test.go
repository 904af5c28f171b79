package engine

import (
	"bytes"
	"fmt"
	"os"
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

// Plain graphs are scored, compared by their shapes, suggested and trained on, as a set of them is. They have no columns,
// and the forms of a domain say nothing of them.
func TestPlainGraphs(t *testing.T) {
	e, h := loaded(t, "bzr")
	var lines, others strings.Builder
	for size := range 30 {
		lines.WriteString(nodeLink(size+3, size%4) + "\n")
		others.WriteString(nodeLink(3+size%3, 2+size) + "\n")
	}
	lines.WriteString(`{"nodes": []}` + "\n")
	_, o := must[*message.Opened](e, h, &message.Open{Name: "a.jsonl", Data: []byte(lines.String())})
	if o.Format != "nodelink" || o.Records != 31 || o.Refused != 1 || o.Molecules || len(o.Columns) > 0 {
		t.Fatalf("opened %+v", o)
	}
	rows, _ := rowsOfScore(e, h, message.Score{})
	if rows.Texts("id")[4] != "ring 7" || !strings.Contains(rows.Texts("error")[30], "without nodes") {
		t.Errorf("rows %+v", rows)
	}
	_, d := must[*message.Detailed](e, h, &message.Detail{Record: 7})
	if score := rows.Numbers("score")[7]; d.Score != score || len(d.Atoms) != 13 || len(d.Bonds) != 13 || d.SMILES != "" {
		t.Errorf("%+v, want score %g", d, score)
	}
	_, found := must[*message.Found](e, h, &message.Compare{With: message.Open{Name: "tails.jsonl", Data: []byte(others.String())}})
	_, inA, _ := strings.Cut(found.HTML, "Commoner in A")
	holds(t, inA, "ring of 5")
	holds(t, found.HTML, "different graphs")
	_, found = must[*message.Found](e, h, &message.Suggest{Most: 2})
	holds(t, found.HTML, "graphs measured")
	fails(e, h, &message.Suggest{Most: 2, Exclude: "x"}, message.CodeBadOption, "a.jsonl holds plain graphs: there is no column x")
	form := &message.Domain{Form: "qmrf", Format: "html", Alpha: 0.05}
	fails(e, h, form, message.CodeBadModel, "reads plain graphs: the forms are about substances")
	_, own := must[*message.Trained](e, h, &message.Train{Epochs: 1, Name: "rings"})
	if own.Model.Molecules || own.Model.Train+own.Model.Holdout != 30 {
		t.Errorf("trained %+v", own.Model)
	}
	must[*message.Model](e, h, &message.LoadModel{Name: "rings", Data: own.Data})
	must[*message.Scored](e, h, &message.Score{})
	must[*message.Model](e, h, &message.LoadModel{})
	fails(e, h, &message.Score{}, message.CodeBadModel, "holds plain graphs")
}

// Of a workbook the first sheet with structures is read, or the one that is asked for.
func TestSheets(t *testing.T) {
	e, h := bare(t)
	data := have(os.ReadFile("../../../algo/xlsx/testdata/table-openpyxl-iso.xlsx"))
	_, o := must[*message.Opened](e, h, &message.Open{Name: "a.xlsx", Data: data})
	if o.Sheet != "Data" || strings.Join(o.Sheets, ", ") != "Read me, Data" {
		t.Errorf("opened %+v", o)
	}
	fails(e, h, &message.Open{Name: "a.xlsx", Data: data, Sheet: "Read me"}, message.CodeBadInput, "no column holds SMILES")
	if _, again := must[*message.Opened](e, h, &message.Open{Name: "a.xlsx", Data: data, Sheet: "data"}); again.Records != o.Records {
		t.Errorf("by its name it has %d records, want %d", again.Records, o.Records)
	}
}
