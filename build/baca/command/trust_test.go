package command

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"baca/build/internal/testset"
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
	cells, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range cells[1:] {
		row := map[string]string{}
		for k, cell := range line {
			row[cells[0][k]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// From a training file with predictions to intervals, verdicts, neighbours with values and their audit.
func TestTrust(t *testing.T) {
	train, fresh := hydration(t)
	dir := filepath.Dir(train)
	model, values := filepath.Join(dir, "h.msgpack"), []string{"--observed", "observed", "--predicted", "predicted"}
	pretrain := func(out string, more ...string) (stderr string) {
		_, stderr = succeed(t, append([]string{"pretrain", "--in", train, "--epochs", "3", "--out", filepath.Join(dir, out)}, more...)...)
		return stderr
	}
	if stderr := pretrain("h.msgpack", append(values, "--residuals", "held-out", "--keep-structures")...); !strings.Contains(stderr, "kept the errors of 50 molecules") {
		t.Errorf("%s", stderr)
	}
	m := load(t, model)
	rows := rowsOf(t, string(read(t, train)))
	for k, row := range m.Card.HoldoutRows {
		y, _ := strconv.ParseFloat(rows[row]["observed"], 64)
		p, _ := strconv.ParseFloat(rows[row]["predicted"], 64)
		if m.Residuals.Errors[k] != y-p {
			t.Errorf("row %d has an error of %g, want %g", row+1, m.Residuals.Errors[k], y-p)
		}
	}

	// The same molecules with and without predictions have the same scores.
	plain, _ := succeed(t, "score", "--model", model, fresh)
	text, stderr := succeed(t, "score", "--model", model, "--predicted", "predicted", "--neighbors", "2", fresh)
	for _, want := range []string{"errors of 50 held-out molecules: ", "large errors by verdict: trust ", "intervals hold 90 % of observed values"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr has no %q: %s", want, stderr)
		}
	}
	before, after, observed := rowsOf(t, plain), rowsOf(t, text), rowsOf(t, string(read(t, fresh)))
	held, counted := 0, 0
	for i, row := range after {
		if row["score"] != before[i]["score"] || row["p_value"] != before[i]["p_value"] {
			t.Errorf("%s: score %s and %s", row["id"], row["score"], before[i]["score"])
		}
		p, y := number(t, observed[i]["predicted"]), number(t, observed[i]["observed"])
		if number(t, row["predicted"]) != p {
			t.Errorf("%s: predicted %s, want %g", row["id"], row["predicted"], p)
		}
		if row["interval_low"] == "" {
			if row["trust"] != "do-not-use" || row["expected_error"] != "" {
				t.Errorf("%s: %v", row["id"], row)
			}
			continue
		}
		low, high := number(t, row["interval_low"]), number(t, row["interval_high"])
		if math.Abs((low+high)/2-p) > 1e-4 {
			t.Errorf("%s: %g to %g is not around %g", row["id"], low, high, p)
		}
		if counted++; low <= y && y <= high {
			held++
		}
		if row["nearest_observed"] == "" || row["nearest_predicted"] == "" {
			t.Errorf("%s: neighbours without values: %v", row["id"], row)
		}
	}
	if share := float64(held) / float64(counted); share < 0.8 || share > 0.98 {
		t.Errorf("intervals hold %.2f", share)
	}

	// The audit counts the same.
	plot := filepath.Join(dir, "risk.svg")
	text, _ = succeed(t, append([]string{"trust", "--model", model, "--json", "--plot", plot, fresh}, values...)...)
	var a auditJSON
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	if a.Molecules != 142 || a.Intervals != counted || math.Abs(*a.Coverage-float64(held)/float64(counted)) > 1e-12 || len(a.Risk) != 142 {
		t.Errorf("%s; intervals hold %d of %d", text, held, counted)
	}
	if svg := string(read(t, plot)); !strings.HasPrefix(svg, "<svg xmlns") || !strings.Contains(svg, "by the errors themselves") {
		t.Errorf("%.200s", svg)
	}
	first, _ := succeed(t, append([]string{"trust", "--model", model, "--workers", "1", fresh}, values...)...)
	if again, _ := succeed(t, append([]string{"trust", "--model", model, "--workers", "3", fresh}, values...)...); again != first || !strings.HasPrefix(first, "Intervals hold ") {
		t.Errorf("%s and with more workers %s", first, again)
	}
	// --fdr writes its rows at the end, with the same judgements.
	late, _ := succeed(t, "score", "--model", model, "--predicted", "predicted", "--fdr", "0.1", fresh)
	for i, row := range rowsOf(t, late) {
		if row["trust"] != after[i]["trust"] || row["interval_high"] != after[i]["interval_high"] {
			t.Errorf("%s: %v", row["id"], row)
		}
	}
	report := filepath.Join(dir, "r.html")
	succeed(t, "report", "--model", model, "--out", report, fresh)
	if page := string(read(t, report)); !strings.Contains(page, " · observed ") || !strings.Contains(page, " · predicted ") {
		t.Error("the report shows no values of neighbours")
	}

	// Without the promise there is neither, and the reason is said.
	if stderr := pretrain("n.msgpack", values...); !strings.Contains(stderr, "no interval and no verdict on trust") || !strings.Contains(stderr, "--residuals held-out") {
		t.Errorf("%s", stderr)
	}
	none := filepath.Join(dir, "n.msgpack")
	if load(t, none).Residuals != nil {
		t.Error("errors are kept although nobody said that they are held out")
	}
	text, stderr = succeed(t, "score", "--model", none, "--predicted", "predicted", fresh)
	if row := rowsOf(t, text)[0]; row["trust"] != "" || row["interval_low"] != "" || row["score"] == "" || !strings.Contains(stderr, "no interval and no verdict on trust") {
		t.Errorf("%v, %s", row, stderr)
	}
	refuse(t, exitFailure, "knows no held-out errors", append([]string{"trust", "--model", none, fresh}, values...)...)
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
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
	_, stderr := succeed(t, append([]string{"pretrain", "--in", train, "--epochs", "1", "--out", model, "--residuals", "held-out"}, values...)...)
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
	text, stderr := succeed(t, "score", "--model", model, "--predicted", "predicted", bad)
	rows := rowsOf(t, text)
	if len(rows) != 3 || rows[0]["score"] == "" || rows[0]["trust"] != "" || rows[0]["interval_low"] != "" || rows[1]["trust"] == "" || rows[2]["error"] == "" {
		t.Errorf("%v", rows)
	}
	if !strings.Contains(stderr, `bad.csv:2:5: column predicted: "1e400", want a finite number`) || !strings.Contains(stderr, "these rows have a score and no interval") {
		t.Errorf("%s", stderr)
	}
	for _, c := range []struct {
		code    int
		message string
		args    []string
	}{
		{exitUsage, "want --observed and --predicted", []string{"pretrain", "--in", train, "--out", "x.msgpack", "--residuals", "held-out", "--observed", "observed"}},
		{exitUsage, "want held-out, or nothing", []string{"pretrain", "--in", train, "--out", "x.msgpack", "--residuals", "fitted"}},
		{exitUsage, "are both observed", []string{"pretrain", "--in", train, "--out", "x.msgpack", "--observed", "observed", "--predicted", "observed"}},
		{exitUsage, "not with --share", append([]string{"pretrain", "--in", train, "--out", "x.msgpack", "--share", "5", "--residuals", "held-out"}, values...)},
		{exitFailure, `no column "nope"`, []string{"pretrain", "--in", train, "--out", filepath.Join(dir, "x.msgpack"), "--observed", "nope"}},
		{exitFailure, "of which 0 have both values", []string{"pretrain", "--in", train, "--out", filepath.Join(dir, "x.msgpack"), "--observed", "name", "--predicted", "predicted", "--residuals", "held-out"}},
		{exitUsage, "a coverage of 1", []string{"score", "--model", model, "--predicted", "predicted", "--coverage", "1", bad}},
		{exitUsage, "want both above 0", []string{"score", "--model", model, "--predicted", "predicted", "--large-errors", "0", bad}},
		{exitUsage, "not with --shard", []string{"score", "--model", model, "--predicted", "predicted", "--shard", "0/2", "--out", dir, bad}},
		{exitUsage, "with 2 models", []string{"score", "--model", model + ",esol", "--predicted", "predicted", bad}},
		{exitUsage, "want --model", []string{"trust", "--observed", "a", "--predicted", "b", bad}},
		{exitUsage, "want the name of an .svg file", append([]string{"trust", "--model", model, "--plot", "x.png", bad}, values...)},
	} {
		refuse(t, c.code, c.message, c.args...)
	}
}
