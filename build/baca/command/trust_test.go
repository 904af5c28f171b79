package command

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
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
		_, stderr = succeed(t, append([]string{"train", train, "--epochs", "3", "--out", filepath.Join(dir, out)}, more...)...)
		return stderr
	}
	promised := []string{"--observed", "observed", "--held-out", "predicted"}
	if stderr := pretrain("e.msgpack", promised...); !strings.Contains(stderr, "kept the errors of 50 molecules") {
		t.Errorf("%s", stderr)
	}
	succeed(t, append([]string{"model", "structures", filepath.Join(dir, "e.msgpack"), "--in", train, "--out", model}, values...)...)
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
	text, stderr := succeed(t, "trust", "--model", model, "--predicted", "predicted", "--neighbors", "2", fresh)
	for _, want := range []string{"errors of 50 held-out molecules, by score: ", "large errors by verdict: ", "intervals hold 90 % of observed values"} {
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
		if row["nearest"] != "" && (row["nearest_observed"] == "" || row["nearest_predicted"] == "") {
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
	report := filepath.Join(dir, "r.html")
	succeed(t, "report", "--model", model, "--out", report, fresh)
	if page := string(read(t, report)); !strings.Contains(page, " · observed ") || !strings.Contains(page, " · predicted ") {
		t.Error("the report shows no values of neighbours")
	}

	// Without the promise there is neither, and the reason is said.
	pretrain("n.msgpack")
	none := filepath.Join(dir, "n.msgpack")
	if load(t, none).Residuals != nil {
		t.Error("errors are kept although nobody said that they are held out")
	}
	text, stderr = succeed(t, "trust", "--model", none, "--predicted", "predicted", fresh)
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

// Judgements follow the order that is chosen: by neighbours, and of classes by the margin.
func TestErrorsBy(t *testing.T) {
	train, fresh := hydration(t)
	dir := filepath.Dir(train)
	values := []string{"--observed", "observed", "--predicted", "predicted"}
	pretrain := func(from, out string) string {
		model := filepath.Join(dir, out)
		succeed(t, "train", from, "--epochs", "1", "--out", model, "--observed", "observed", "--held-out", "predicted")
		return model
	}
	// ascends reports expected errors that fall with what orders them.
	ascends := func(rows []map[string]string, doubt func(map[string]string) float64) {
		t.Helper()
		slices.SortFunc(rows, func(a, b map[string]string) int { return cmp.Compare(doubt(a), doubt(b)) })
		last, steps := 0.0, map[float64]bool{}
		for _, row := range rows {
			if row["expected_error"] == "" {
				last = math.Inf(1) // beyond the last held-out one
				continue
			}
			x := number(t, row["expected_error"])
			if x < last {
				t.Errorf("%s: an expected error of %g behind one of %g", row["id"], x, last)
			}
			last, steps[x] = x, true
		}
		if len(steps) < 2 {
			t.Errorf("all errors are %v", steps)
		}
	}
	model := pretrain(train, "numbers.msgpack")
	text, stderr := succeed(t, "trust", "--model", model, "--predicted", "predicted", "--errors-by", "neighbors", "--neighbors", "5", fresh)
	if !strings.Contains(stderr, "held-out molecules, by distance to the five nearest: an error above") {
		t.Errorf("%s", stderr)
	}
	rows := rowsOf(t, text)
	intervals := 0
	for _, row := range rows {
		if row["interval_low"] != "" {
			intervals++
		}
	}
	ascends(rows, func(row map[string]string) float64 {
		sum := 0.0
		for _, x := range strings.Fields(row["nearest_similarity"]) {
			sum += number(t, x)
		}
		return math.Round((1-sum/5)*1e5) / 1e5 // as exact as the column
	})
	audit := func(model, by, input string) (a auditJSON) {
		t.Helper()
		text, _ := succeed(t, append([]string{"trust", "--model", model, "--json", "--errors-by", by, input}, values...)...)
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		if string(a.ErrorsBy) != by {
			t.Errorf("%s, want errors by %s", text, by)
		}
		return a
	}
	near, score := audit(model, "neighbors", fresh), audit(model, "score", fresh)
	if near.Intervals != intervals || *near.Spearman == *score.Spearman || math.Abs(*near.MeanError-*score.MeanError) > 1e-12 || !(*near.Finds > 0.5) {
		t.Errorf("by neighbors %d intervals, want %d; Spearman %g, by score %g; mean error %g and %g; finds %g", near.Intervals, intervals, *near.Spearman, *score.Spearman, *near.MeanError, *score.MeanError, *near.Finds)
	}
	text, _ = succeed(t, append([]string{"trust", "--model", model, "--errors-by", "neighbors", fresh}, values...)...)
	if want := fmt.Sprintf("Rank correlation (Spearman) of distance to the five nearest and error: %.2f. AUROC of large errors: %.3g.", *near.Spearman, *near.Finds); !strings.Contains(text, want) {
		t.Errorf("%s, want %s", text, want)
	}
	refuse(t, exitFailure, "knows errors of numbers; want errors of classes", "trust", "--model", model, "--predicted", "predicted", "--errors-by", "margin", fresh)
	refuse(t, exitFailure, "knows errors of numbers; want errors of classes", append([]string{"trust", "--model", model, "--errors-by", "margin", fresh}, values...)...)
	refuse(t, exitUsage, "want one of score, neighbors, margin", "trust", "--model", model, "--predicted", "predicted", "--errors-by", "luck", fresh)
	refuse(t, exitUsage, "want one of score, neighbors, margin", append([]string{"trust", "--model", model, "--errors-by", "luck", fresh}, values...)...)

	// Is it soluble? The same predictions as probabilities.
	for _, path := range []string{train, fresh} {
		b := strings.Builder{}
		b.WriteString("id,smiles,observed,predicted\n")
		for _, row := range rowsOf(t, string(read(t, path))) {
			class := 0
			if number(t, row["observed"]) < -4 {
				class = 1
			}
			fmt.Fprintf(&b, "%s,%s,%d,%.4f\n", row["smiles"], row["smiles"], class, 1/(1+math.Exp(4+number(t, row["predicted"]))))
		}
		testset.Write(t, path, b.String())
	}
	model = pretrain(train, "classes.msgpack")
	text, stderr = succeed(t, "trust", "--model", model, "--predicted", "predicted", "--errors-by", "margin", fresh)
	if !strings.Contains(stderr, "by distance to the nearer class: a distance from the class above 0.5 is large") {
		t.Errorf("%s", stderr)
	}
	if without, _ := succeed(t, "trust", "--model", model, "--predicted", "predicted", fresh); without != text {
		t.Error("margin is not the default for classes")
	}
	ascends(rowsOf(t, text), func(row map[string]string) float64 {
		return 0.5 - math.Abs(number(t, row["predicted"])-0.5)
	})
	if margin, score := audit(model, "margin", fresh), audit(model, "score", fresh); *margin.Finds < *score.Finds+0.1 || margin.Intervals != 0 {
		t.Errorf("wrong classes are found with an AUROC of %g by margin and %g by score, %d intervals", *margin.Finds, *score.Finds, margin.Intervals)
	}
	text, _ = succeed(t, "model", "show", model)
	if want := "the class that was measured and the probability that was predicted follow from that"; !strings.Contains(text, want) {
		t.Errorf("%s, want %s", text, want)
	}
	testset.Write(t, fresh, "smiles,observed,predicted\nCCO,1,1.2\nCCN,2,0.5\nCCC,0,0.25\n")
	text, stderr = succeed(t, "trust", "--model", model, "--predicted", "predicted", "--errors-by", "margin", fresh)
	if rows := rowsOf(t, text); rows[0]["trust"] != "" || rows[0]["score"] == "" || rows[2]["trust"] == "" || !strings.Contains(stderr, `new.csv:2:7: column predicted: "1.2", want the probability of class 1, from 0 to 1`) {
		t.Errorf("%v, %s", rows, stderr)
	}
	if a := audit(model, "margin", fresh); a.Molecules != 1 {
		t.Errorf("%d molecules count", a.Molecules)
	}
	_, stderr = succeed(t, append([]string{"trust", "--model", model, fresh}, values...)...)
	if !strings.Contains(stderr, `new.csv:3:5: column observed: "2", want a class, 0 or 1`) {
		t.Errorf("%s", stderr)
	}
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
		{exitUsage, "--residuals: it is gone; --held-out says so", []string{"train", train, "--out", "x.msgpack", "--residuals", "held-out"}},
		{exitUsage, "are both observed", []string{"train", train, "--out", "x.msgpack", "--observed", "observed", "--held-out", "observed"}},
		{exitFailure, `no column "nope"`, []string{"train", train, "--out", filepath.Join(dir, "x.msgpack"), "--observed", "nope", "--held-out", "predicted"}},
		{exitFailure, "of which 0 have both values", []string{"train", train, "--out", filepath.Join(dir, "x.msgpack"), "--observed", "name", "--held-out", "predicted"}},
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
