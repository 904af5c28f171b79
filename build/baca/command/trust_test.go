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
	dir := t.TempDir()
	train := filepath.Join(dir, "train.csv")
	lines := strings.SplitAfter(string(read(t, "../testdata/hydration.csv")), "\n")[:501] // the first 500 molecules, as in TRUST.md
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
	testset.Write(t, bad, "smiles,predicted,seen\nCCO,1e400,1\nCCN,2,1\nC((,3,1\n"+strings.Repeat("CCN,2,1\n", 1<<14))
	text, stderr := succeed(t, "trust", "--model", model, "--predicted", "predicted", bad)
	rows := rowsOf(t, text)
	if len(rows) != 3+(1<<14) || rows[0]["score"] == "" || rows[0]["trust"] != "" || rows[0]["interval_low"] != "" || rows[1]["trust"] == "" || rows[2]["error"] == "" {
		t.Errorf("%d rows, the first are %v", len(rows), rows[:3])
	}
	if !strings.Contains(stderr, `bad.csv:2:5: column predicted: "1e400", want a finite number`) ||
		!strings.Contains(stderr, "16387 read, 1 refused, 1 without a value; model") || !strings.Contains(stderr, "1 row without a value: these rows have a score and no interval") {
		t.Errorf("%s", stderr)
	}
	if _, stderr = succeed(t, "trust", "--model", model, "--predicted", "predicted", "--observed", "seen", bad); !strings.Contains(stderr, "16387 read, 1 refused, 1 without a value; model") {
		t.Errorf("%s", stderr)
	}
	copied := filepath.Join(dir, "copied.csv")
	same := "smiles,observed,predicted\n"
	for n := range 300 {
		same += fmt.Sprintf("C%s,%d,%d\n", strings.Repeat("C", n), n, n)
	}
	testset.Write(t, copied, same)
	for _, c := range []struct {
		code    int
		message string
		args    []string
	}{
		{exitFailure, "are equal: want predictions", []string{"train", copied, "--out", filepath.Join(dir, "x.msgpack"), "--observed", "observed", "--held-out", "predicted"}},
		{exitUsage, "--observed and --held-out go together: --held-out is missing", []string{"train", train, "--out", "x.msgpack", "--observed", "observed"}},
		{exitUsage, "column observed is named twice", []string{"train", train, "--out", "x.msgpack", "--observed", "observed", "--held-out", "observed"}},
		{exitFailure, `no column "nope"`, []string{"train", train, "--out", filepath.Join(dir, "x.msgpack"), "--observed", "nope", "--held-out", "predicted"}},
		{exitFailure, "0 of 50 graphs kept from training have both values", []string{"train", train, "--out", filepath.Join(dir, "x.msgpack"), "--observed", "name", "--held-out", "predicted"}},
		{exitUsage, "a coverage of 1", []string{"trust", "--model", model, "--predicted", "predicted", "--coverage", "1", bad}},
		{exitUsage, "--coverage 0: want it above 0", []string{"trust", "--model", model, "--predicted", "predicted", "--coverage", "0", bad}},
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

// Errors are compared by the uncertainty of predictions, whose column both files have. A row without one has a score and no interval.
func TestTrustByUncertainty(t *testing.T) {
	dir := t.TempDir()
	train, fresh, model := filepath.Join(dir, "train.csv"), filepath.Join(dir, "new.csv"), filepath.Join(dir, "m.msgpack")
	var lines strings.Builder
	lines.WriteString("smiles,observed,predicted,elsewhere,sd\n")
	for n := range 240 {
		unsure := n % 8 // errors are as large
		fmt.Fprintf(&lines, "%s%s,%d,%d,%d,0.%d\n", strings.Repeat("C", 1+n/10), []string{"O", "N", "F", "Cl", "Br", "S", "C=O", "C#N", "C=C", "OC"}[n%10], n, n+unsure, n+9, unsure)
	}
	testset.Write(t, train, lines.String())
	testset.Write(t, fresh, "smiles,predicted,sd\nCCCCO,7,0.1\nCCCCO,7,0.7\nCCCCO,7,\n")
	args := []string{"train", train, "--out", model, "--epochs", "1", "--observed", "observed", "--held-out", "predicted"}
	refuse(t, exitUsage, "want --observed and --held-out", "train", train, "--out", model, "--uncertainty", "sd")
	refuse(t, exitUsage, "column sd is named twice", append(args, "--uncertainty", "sd", "--new-scaffold", "sd")...)
	succeed(t, append(args, "--uncertainty", "sd", "--new-scaffold", "elsewhere")...)
	if r := load(t, model).Residuals; r.NewScaffold.Name != "elsewhere" || r.NewScaffold.Values[0] != -9 {
		t.Errorf("%+v", r.NewScaffold)
	}
	for by, words := range map[string]string{"combined": "distance to the five nearest and uncertainty of the prediction", "": "uncertainty of the prediction"} {
		text, stderr := succeed(t, "trust", "--model", model, "--predicted", "predicted", "--errors-by", by, fresh)
		rows := rowsOf(t, text)
		if !(rows[0]["expected_error"] < rows[1]["expected_error"]) || rows[2]["score"] == "" || rows[2]["trust"]+rows[2]["interval_low"] != "" {
			t.Errorf("by %q: %v", by, rows)
		}
		if !strings.Contains(stderr, "held-out predictions, by "+words+":") || !strings.Contains(stderr, "new.csv:4:9: column sd: empty, want a number") {
			t.Errorf("by %q: %s", by, stderr)
		}
	}
	testset.Write(t, fresh, "smiles,predicted\nCCO,7\n")
	refuse(t, exitFailure, `no column "sd"`, "trust", "--model", model, "--predicted", "predicted", fresh)
	succeed(t, "trust", "--model", model, "--predicted", "predicted", "--errors-by", "neighbors", fresh)
	refuse(t, exitUsage, "errors by luck: the model knows errors of numbers; want one of score, neighbors, combined, uncertainty", "trust", "--model", model, "--predicted", "predicted", "--errors-by", "luck", fresh)
}
