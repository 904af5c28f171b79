package command

import (
	"encoding/csv"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"baca/build/internal/testset"
	"baca/build/internal/try"
)

// hydration is the example of TRUST.md: a training file of 500 molecules and one of 142 new ones.
func hydration(t *testing.T) (train, fresh string) {
	t.Helper()
	lines := strings.SplitAfter(string(read(t, "../testdata/hydration.csv")), "\n")
	dir := t.TempDir()
	train, fresh = filepath.Join(dir, "train.csv"), filepath.Join(dir, "new.csv")
	testset.Write(t, train, strings.Join(lines[:501], ""))
	testset.Write(t, fresh, lines[0]+strings.Join(lines[501:], ""))
	return train, fresh
}

func rowsOf(t *testing.T, text string) (rows []map[string]string) {
	t.Helper()
	cells := try.To(csv.NewReader(strings.NewReader(text)).ReadAll())
	for _, line := range cells[1:] {
		row := map[string]string{}
		for k, cell := range line {
			row[cells[0][k]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// Rows with a bad value are kept, and the messages say where it is.
func TestTrustBadValues(t *testing.T) {
	train, _ := hydration(t)
	dir := filepath.Dir(train)
	lines := strings.SplitAfter(string(read(t, train)), "\n")
	lines[3] = "x,CCO,abc,1\n"
	lines[4] = "\"y\ny\",CCN,NaN,\"1,5\"\n"
	lines[5] = "z,CCC,1\n"
	testset.Write(t, train, strings.Join(lines, ""))
	model, values := filepath.Join(dir, "h.msgpack"), []string{"--observed", "observed", "--predicted", "predicted"}
	_, stderr := succeed(t, "train", train, "--epochs", "1", "--out", model, "--observed", "observed", "--held-out", "predicted")
	for _, want := range []string{
		`train.csv:4:7: column observed: "abc", want a finite number`, `train.csv:6:8: column observed: "NaN", want`, `train.csv:6:13: column predicted: "1,5", want`,
		"train.csv:7:7: column predicted: empty, want a number",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr has no %q: %s", want, stderr)
		}
	}
	if m := load(t, model); m.Card.Graphs != 500 {
		t.Errorf("%d molecules are left", m.Card.Graphs)
	}
	bad := filepath.Join(dir, "bad.csv")
	testset.Write(t, bad, "smiles,predicted\nCCO,1e400\nCCN,2\nC((,3\n")
	text, stderr := succeed(t, "trust", "--model", model, "--predicted", "predicted", bad)
	rows := rowsOf(t, text)
	if len(rows) != 3 || rows[0]["score"] == "" || rows[0]["trust"] != "" || rows[0]["interval_low"] != "" || rows[1]["trust"] == "" || rows[2]["error"] == "" {
		t.Errorf("%v", rows)
	}
	if !strings.Contains(stderr, `bad.csv:2:5: column predicted: "1e400", want a finite number`) || !strings.Contains(stderr, "these rows have a score and no interval") {
		t.Errorf("%s", stderr)
	}
	copied := filepath.Join(dir, "copied.csv")
	var same strings.Builder
	same.WriteString("smiles,observed,predicted\n")
	for n := range 300 {
		fmt.Fprintf(&same, "C%s,%d,%d\n", strings.Repeat("C", n), n, n)
	}
	testset.Write(t, copied, same.String())
	for _, c := range []struct {
		code    int
		message string
		args    []string
	}{
		{exitFailure, "are equal: want predictions", []string{"train", copied, "--out", filepath.Join(dir, "x.msgpack"), "--observed", "observed", "--held-out", "predicted"}},
		{exitUsage, "--observed and --held-out go together: --held-out is missing", []string{"train", train, "--out", "x.msgpack", "--observed", "observed"}},
		{exitUsage, "are both observed", []string{"train", train, "--out", "x.msgpack", "--observed", "observed", "--held-out", "observed"}},
		{exitFailure, `no column "nope"`, []string{"train", train, "--out", filepath.Join(dir, "x.msgpack"), "--observed", "nope", "--held-out", "predicted"}},
		{exitFailure, "0 of 50 graphs kept from training have both values", []string{"train", train, "--out", filepath.Join(dir, "x.msgpack"), "--observed", "name", "--held-out", "predicted"}},
		{exitUsage, "a coverage of 1", []string{"trust", "--model", model, "--predicted", "predicted", "--coverage", "1", bad}},
		{exitUsage, "want both above 0", []string{"trust", "--model", model, "--predicted", "predicted", "--large-errors", "0", bad}},
		{exitUsage, "want --predicted", []string{"trust", "--model", model, "--tolerance", "1", bad}},
		{exitUsage, "--observed and --out do not go together", append([]string{"trust", "--model", model, "--out", "x.csv", bad}, values...)},
		{exitUsage, "--json: want --observed, too", []string{"trust", "--model", model, "--predicted", "predicted", "--json", bad}},
		{exitUsage, "--plot: want --observed, too", []string{"trust", "--model", model, "--predicted", "predicted", "--plot", "x.svg", bad}},
		{exitUsage, "2 models: want the one", []string{"trust", "--model", model + ",esol", "--predicted", "predicted", bad}},
		{exitUsage, "want --model", []string{"trust", "--observed", "a", "--predicted", "b", bad}},
		{exitUsage, "want the name of an .svg file", append([]string{"trust", "--model", model, "--plot", "x.png", bad}, values...)},
		{exitFailure, "there is no folder nothere", append([]string{"trust", "--model", model, "--plot", "nothere/x.svg", bad}, values...)},
	} {
		refuse(t, c.code, c.message, c.args...)
	}
}
