package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// choose chooses an option of a menu.
func (b *tab) choose(menu, option string) {
	b.t.Helper()
	eval[any](b, fmt.Sprintf(`((e) => { e.value = %q; e.dispatchEvent(new Event("change", { bubbles: true })); return null; })(document.querySelector(%q))`, option, menu))
}

// Each task of the lab shows what it found, for everybody, on a phone as well. What it finds is tested
// in wasm/worker/engine.
func TestTasksOfTheLab(t *testing.T) {
	b := ready(t)
	data, err := os.ReadFile("../../baca/testdata/hydration.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	model := filepath.Join(t.TempDir(), "hydration.msgpack")
	baca(t, "train.csv", bytes.Join(lines[:201], nil), "train", "--epochs", "1", "--background", "none", "--observed", "observed", "--held-out", "predicted", "--out", model)
	file, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	b.click("#model-button")
	b.upload("#model-file", "hydration.msgpack", file)
	b.wait(`document.querySelector(".model-name").textContent === "train"`)
	b.drop("new.csv", bytes.Join(append(lines[:1:1], lines[501:]...), nil))
	b.phase("done")
	check := b.accessible()
	for _, task := range []struct {
		stage, input string
		start        func()
		found        string
	}{
		{"trust", "#observed", func() { b.choose("#observed", "observed") }, "audit"},
		{"choose", "#suggest-start", func() { b.click("#suggest-start") }, "suggested"},
		{"lists", "#compare-file", func() { b.upload("#compare-file", "train.csv", bytes.Join(lines[:201], nil)) }, "compared"},
	} {
		b.click(fmt.Sprintf(`[data-stage=%q]`, task.stage))
		b.wait(fmt.Sprintf(`document.querySelector(%q) !== null`, task.input))
		task.start()
		b.wait(fmt.Sprintf(`document.getElementById(%q) !== null`, task.found))
		check(task.stage)
		b.run("a phone", chromedp.EmulateViewport(390, 844))
		if over := eval[float64](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%s: the page is %g px wider than a phone", task.stage, over)
		}
		b.run("a desk", chromedp.EmulateViewport(1280, 900))
	}
	b.quiet()
}

// Of many molecules the page stays alive while it chooses, which can be ended; what was scored
// stays.
func TestSuggestIsEnded(t *testing.T) {
	b := ready(t)
	var long strings.Builder
	long.WriteString("smiles\n")
	for i := range 10_000 {
		fmt.Fprintf(&long, "%sO%s%s\n", strings.Repeat("C", 1+i%37), strings.Repeat("C", i%29), strings.Repeat("N", i%3))
	}
	b.drop("long.csv", []byte(long.String()))
	b.phase("done")
	b.click(`[data-stage="choose"]`)
	b.wait(`document.getElementById("suggest-most") !== null`)
	eval[any](b, `{ const e = document.getElementById("suggest-most"); e.value = 5000; e.dispatchEvent(new Event("input", {bubbles: true})); null }`)
	b.click("#suggest-start")
	b.wait(`document.querySelector(".lab-panel")?.textContent.includes("trying each, ")`)
	b.click(".row")
	b.wait(`document.getElementById("neighbors") !== null`)
	b.click(".lab-panel .end-task")
	b.wait(`document.getElementById("suggest-failure")?.textContent === "Cancelled."`)
	if got := eval[int](b, `document.querySelectorAll(".row").length`); got == 0 {
		t.Error("the rows have gone")
	}
	b.quiet()
}
