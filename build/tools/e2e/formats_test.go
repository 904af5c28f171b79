package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"baca/algo/parquet"
)

// Files of columns and of JSON are dropped on the page like any other.
func TestFormatsAreDropped(t *testing.T) {
	b := ready(t)
	var table bytes.Buffer
	w := parquet.NewWriter(&table, "test", []parquet.Field{{Name: "name"}, {Name: "smiles"}})
	for name, smiles := range map[string]string{"aspirin": "CC(=O)Oc1ccccc1C(=O)O", "broken": "C1CC", "ethanol": "CCO"} {
		w.Text(0, name)
		w.Text(1, smiles)
		w.End()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, file := range []struct {
		name, kind string
		data       []byte
		rows       string // their names
	}{
		{"drugs.parquet", "Parquet", table.Bytes(), "aspirin|broken|ethanol"},
		{"drugs.jsonl", "JSONL", []byte(`{"name": "aspirin", "smiles": "CC(=O)Oc1ccccc1C(=O)O"}` + "\n" + `{"name": "ethanol", "smiles": "CCO"}` + "\n"), "aspirin|ethanol"},
	} {
		b.drop(file.name, file.data)
		b.phase("done")
		b.wait(fmt.Sprintf(`document.querySelector(".file-card")?.textContent.includes(%q)`, file.kind))
		b.wait(`document.querySelectorAll(".row").length >= 2`)
		if got := b.names(); got != file.rows {
			t.Errorf("%s: the rows are %q, want %q", file.name, got, file.rows)
		}
		if got := b.text("#headline h2"); got == "" {
			t.Errorf("%s has no headline", file.name)
		}
	}
	// A file that only pretends says so.
	b.drop("broken.parquet", table.Bytes()[:table.Len()/2])
	b.phase("broken")
	if got := b.text(".notice"); !strings.Contains(got, "broken.parquet") {
		t.Errorf("the page says %q", got)
	}
	b.quiet()
}

// Plain graphs of JSON and GraphML are scored by a model of such.
func TestGraphFilesAreDropped(t *testing.T) {
	b := ready(t)
	ring := func(n int, node, edge string) (nodes, edges []string) {
		for i := range n {
			nodes, edges = append(nodes, fmt.Sprintf(node, i)), append(edges, fmt.Sprintf(edge, i, (i+1)%n))
		}
		return nodes, edges
	}
	var lines, document strings.Builder
	document.WriteString("<graphml>\n")
	for n := 3; n < 33; n++ {
		nodes, edges := ring(n, `{"id": %d}`, `{"source": %d, "target": %d}`)
		fmt.Fprintf(&lines, `{"graph": {"name": "ring %d"}, "nodes": [%s], "links": [%s]}`+"\n", n, strings.Join(nodes, ", "), strings.Join(edges, ", "))
		nodes, edges = ring(n, `<node id="%d"/>`, `<edge source="%d" target="%d"/>`)
		fmt.Fprintf(&document, "<graph id=\"ring %d\">%s%s</graph>\n", n, strings.Join(nodes, ""), strings.Join(edges, ""))
	}
	document.WriteString("</graphml>\n")
	b.drop("rings.jsonl", []byte(lines.String()))
	b.phase("broken")
	if got := b.text(".notice"); !strings.Contains(got, "reads molecules") || !strings.Contains(got, "holds plain graphs") {
		t.Errorf("the page says %q", got)
	}
	b.click(".notice .button")
	b.wait(`document.getElementById("models").open`)
	eval[any](b, `([...document.querySelectorAll(".card")].find((e) => e.textContent.includes("Benzodiazepine")).querySelector("button").click(), null)`)
	b.phase("done")
	scores := func() string {
		b.wait(`document.querySelectorAll(".row").length > 5`)
		b.byInput()
		return eval[string](b, `[...document.querySelectorAll(".row")].slice(0, 6).map((e) => e.querySelector(".row-name").lastChild.textContent + " " + e.querySelector(".c-score .number").textContent).join("|")`)
	}
	want := scores()
	if !strings.HasPrefix(want, "ring 3 ") {
		t.Errorf("the rows are %q", want)
	}
	b.click(`[data-row="3"]`)
	b.wait(`document.querySelectorAll(".large .node").length === 6`)
	b.drop("rings.graphml", []byte(document.String()))
	b.phase("done")
	b.wait(`document.querySelector(".file-card")?.textContent.includes("GraphML")`)
	if got := scores(); got != want {
		t.Errorf("as GraphML the rows are %q, want %q", got, want)
	}
	b.quiet()
}
