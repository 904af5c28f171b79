package e2e

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"baca/algo"
	"baca/weights"
)

// cellsOf reads a table.
func cellsOf(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// From a library with cross-validated predictions to judgements of new ones, and whether they held: the
// page says what the command does, with the model that the page has trained.
func TestPredictions(t *testing.T) {
	b := ready(t)
	b.downloads()
	check := b.accessible()
	data, err := os.ReadFile("../../baca/testdata/hydration.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	train, fresh := strings.Join(lines[:501], ""), lines[0]+strings.Join(lines[501:], "")
	b.click("#model-button", "#train-button")
	if eval[bool](b, `document.getElementById("train-observed") !== null`) {
		t.Error("columns are asked for before there are any")
	}
	b.upload("#library-file", "train.csv", []byte(train))
	b.wait(`!document.getElementById("train-start").disabled && document.getElementById("train-observed") !== null`)
	b.epochs(3)
	if !eval[bool](b, `document.getElementById("train-held-out").disabled`) {
		t.Error("predictions can be promised to be held out before they are chosen")
	}
	b.choose("#train-observed", "observed")
	b.choose("#train-predicted", "predicted")
	b.wait(`!document.getElementById("train-held-out").disabled`)
	b.click("#train-held-out")
	check("values of a library")
	b.picture("trust-training")
	b.run("a desk", chromedp.EmulateViewport(1280, 900))
	b.click("#train-start")
	b.wait(`document.getElementById("train-use") !== null`)
	if got := b.text("#train-errors"); got != "It keeps how wrong predicted was for 50 held-out molecules." {
		t.Errorf("the page says %q", got)
	}
	b.click("#train-download")
	model := b.path("train.msgpack")
	b.click("#train-use")
	b.wait(`!document.getElementById("train").open && document.querySelector(".model-name").textContent.includes("train")`)

	// The column of the same name is taken, without a question.
	b.drop("new.csv", []byte(fresh))
	b.phase("done")
	b.wait(`document.getElementById("stated") !== null && document.querySelectorAll("td.c-trust").length > 3`)
	dir := t.TempDir()
	for name, text := range map[string]string{"train.csv": train, "new.csv": fresh} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command := func(args ...string) string {
		c := exec.Command(filepath.Join(builtIn, "baca"), args...)
		c.Dir = dir
		out, err := c.Output()
		if err != nil {
			t.Fatalf("baca %v: %v", args, err)
		}
		return string(out)
	}
	// The errors that it keeps are those that the command keeps.
	command("pretrain", "--in", "train.csv", "--epochs", "1", "--background", "none", "--observed", "observed", "--predicted", "predicted", "--residuals", "held-out", "--out", "own.msgpack")
	if here, there := residuals(t, model), residuals(t, filepath.Join(dir, "own.msgpack")); !reflect.DeepEqual(here, there) {
		t.Errorf("the page keeps %+v, the command %+v", here, there)
	}
	b.save("csv")
	want, got := cellsOf(t, command("score", "--model", model, "--predicted", "predicted", "new.csv")), cellsOf(t, string(b.saved("new-baca.csv")))
	if len(got) != len(want) || strings.Join(got[0], ",") != strings.Join(want[0], ",") {
		t.Fatalf("%d rows with %v, the command has %d with %v", len(got), got[0], len(want), want[0])
	}
	first := map[string]int{}
	for k, name := range want[0] {
		first[name] = k
	}
	for i := range want[1:] {
		for _, name := range []string{"predicted", "expected_error", "interval_low", "interval_high", "trust"} {
			if g, w := got[i+1][first[name]], want[i+1][first[name]]; g != w {
				t.Errorf("row %d: %s is %q, the command has %q", i+1, name, g, w)
			}
		}
	}
	row := func(i int) string { return fmt.Sprintf(`[data-row="%d"]`, i) }
	b.byInput()
	b.click(row(0))
	b.wait(`document.getElementById("prediction")?.textContent.includes("the prediction is")`)
	if said, verdict := b.text("#prediction"), want[1][first["trust"]]; !strings.HasPrefix(strings.ToLower(said), verdict+": the prediction is "+rounded(t, want[1][first["predicted"]])) {
		t.Errorf("the inspector says %q, the command %s", said, verdict)
	}
	b.picture("trust-inspector")
	b.choose("#holds", "0.8")
	b.wait(`document.getElementById("prediction").textContent.includes("holds 80\u00a0% of observed values")`)
	high := strings.Split(command("score", "--model", model, "--predicted", "predicted", "--coverage", "0.8", "--to", "tsv", "new.csv"), "\n")[1]
	if said, cells := b.text("#prediction"), strings.Split(high, "\t"); !strings.Contains(said, "to "+rounded(t, cells[first["interval_high"]])+" holds") {
		t.Errorf("the inspector says %q, the command %s", said, high)
	}
	b.choose("#holds", "0.9")
	b.wait(`document.getElementById("prediction").textContent.includes("holds 90\u00a0% of observed values")`)
	b.run("a desk", chromedp.EmulateViewport(1280, 900))
	b.run("Escape", chromedp.SendKeys("#scroller", kb.Escape))
	check("predictions")
	b.picture("trust-rows")
	// Saving covers no name of a column.
	for _, width := range []int64{1200, 1280, 1440} {
		b.screen(width, 900)
		if over := eval[float64](b, `(() => {
			const words = document.createRange();
			words.selectNodeContents(document.querySelector("th.c-p button"));
			return document.querySelector(".tools").getBoundingClientRect().right - words.getBoundingClientRect().left;
		})()`); over > 0 {
			t.Errorf("%d pixels wide: what saves covers %g pixels of the name of the p-values", width, over)
		}
	}
	b.run("a desk", chromedp.EmulateViewport(1280, 900))

	// The audit, and how many to keep. Its door is the last one, and there to be seen.
	if over := eval[float64](b, `document.querySelector(".stage-list").scrollWidth - document.querySelector(".stage-list").clientWidth`); over > 0 {
		t.Errorf("the doors of the lab are %g pixels wider than the place for them", over)
	}
	b.click(`[data-stage="trust"]`)
	b.wait(`document.getElementById("observed") !== null`)
	b.choose("#observed", "observed")
	b.wait(`document.getElementById("audit") !== null`)
	audit := command("trust", "--model", model, "--observed", "observed", "--predicted", "predicted", "new.csv")
	said, _, _ := strings.Cut(audit, "\n\n")
	for k, sentence := range strings.Split(said, "\n") {
		if got := eval[string](b, fmt.Sprintf(`document.querySelectorAll(".audit-sentence")[%d]?.textContent`, k)); got != sentence {
			t.Errorf("the page says %q, the command %q", got, sentence)
		}
	}
	b.wait(`document.getElementById("kept").textContent.startsWith("Keep the 114 nearest of 142: mean error ")`)
	check("an audit")
	b.screen(1280, 900)
	if over := eval[float64](b, `document.querySelector("#audit .wide").scrollWidth - document.querySelector("#audit .wide").clientWidth`); over > 0 {
		t.Errorf("the rates of verdicts are %g pixels wider than the place for them", over)
	}
	b.picture("trust-audit")
	b.run("a desk", chromedp.EmulateViewport(1280, 900))
	b.run("the slider", chromedp.Focus("#keep"))
	before := eval[string](b, `document.querySelector(".risk svg .grip").getAttribute("cx")`)
	b.run("by the keyboard", chromedp.SendKeys("#keep", kb.ArrowLeft+kb.ArrowLeft+kb.ArrowLeft))
	b.wait(`document.getElementById("kept").textContent.startsWith("Keep the 109 nearest of 142: mean error ")`)
	if after := eval[string](b, `document.querySelector(".risk svg .grip").getAttribute("cx")`); after == before {
		t.Error("the marker has not moved")
	}
	b.click("#keep") // by the pointer, in the middle
	b.wait(`/^Keep the 7[0-2] nearest of 142: /.test(document.getElementById("kept").textContent)`)
	b.run("to the end", chromedp.SendKeys("#keep", kb.End))
	b.wait(`document.getElementById("kept").textContent.startsWith("Keep the 142 nearest of 142: mean error ")`)
	var all struct {
		Mean float64 `json:"mean_error"`
	}
	if err := json.Unmarshal([]byte(command("trust", "--model", model, "--observed", "observed", "--predicted", "predicted", "--json", "new.csv")), &all); err != nil {
		t.Fatal(err)
	}
	if got := b.text("#kept"); !strings.Contains(got, "mean error "+rounded(t, fmt.Sprint(all.Mean))+";") {
		t.Errorf("the page says %q, the command %g", got, all.Mean)
	}

	// A model that knows nothing of errors says so, and for other inputs there is nothing to see.
	b.click(`.lab-panel [aria-label="Close the lab"]`)
	b.click("#model-button", `[data-model="built-in 0"]`)
	b.wait(`document.getElementById("trust-failure")?.textContent.includes("knows no held-out errors of predictions: no interval and no verdict on trust")`)
	b.drop("few.csv", []byte("smiles,predicted\nCCO,1\nCCN,2\n"))
	b.phase("done")
	b.wait(`document.getElementById("predictions").hidden && document.querySelector("td.c-trust") === null && document.querySelector('[data-stage="trust"]') === null`)
	b.quiet()
}

// residuals are those that a model file keeps.
func residuals(t *testing.T, file string) *algo.Residuals {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := weights.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	return m.Residuals
}

// rounded is a number as the page shows it.
func rounded(t *testing.T, text string) string {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(fmt.Sprintf("%#.3g", x), "-", "−", 1)
}
