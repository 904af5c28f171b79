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

// Each tool has a view of its own and shows what it found, for everybody, on a phone as well. What it
// finds is tested in wasm/worker/engine.
func TestTools(t *testing.T) {
	b := ready(t)
	b.downloads()
	data, err := os.ReadFile("../../baca/testdata/hydration.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	dir := t.TempDir()
	plain, model := filepath.Join(dir, "plain.msgpack"), filepath.Join(dir, "hydration.msgpack")
	baca(t, "train.csv", bytes.Join(lines[:501], nil), "train", "--epochs", "100", "--observed", "observed", "--held-out", "predicted", "--out", plain)
	baca(t, "train.csv", bytes.Join(lines[:501], nil), "model", "structures", plain, "--observed", "observed", "--predicted", "predicted", "--out", model, "--in")
	file, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	b.click("#model-button")
	b.upload("#model-file", "hydration.msgpack", file)
	b.Wait(`document.querySelector(".model-name").textContent === "train"`)
	b.drop(600, "new.csv", bytes.Join(append(lines[:1:1], lines[501:]...), nil))
	b.phase("done")
	b.click("#tools summary")
	b.look("tools")
	b.click("#tools summary")
	for _, tool := range []struct {
		stage string
		start func()
		found string // of the page
	}{
		{"drift", func() {}, `svg.chart`},
		{"trust", func() { b.set("#observed", "change", "observed") }, `td.n:nth-child(4)`},
		{"choose", func() { b.click("#suggest-start") }, `[data-pick] svg`},
		{"lists", func() { b.upload("#compare-file", "train.csv", bytes.Join(lines[:201], nil)) }, `h2 + figure svg`},
	} {
		b.click("#tools summary", fmt.Sprintf(`#tools [data-stage=%q]`, tool.stage))
		b.Wait(`document.querySelector(".tool") !== null`)
		tool.start()
		b.Wait(fmt.Sprintf(`document.querySelector("#found " + %q) !== null`, tool.found))
		b.look("tool-" + tool.stage)
		b.click(`[aria-label="Back to the table"]`)
		b.Wait(`document.querySelector(".tool") === null`)
	}
	// A pick is shown in the table.
	b.click("#tools summary", `#tools [data-stage="choose"]`, "#found [data-pick]")
	b.Wait(`document.querySelector(".tool") === null && document.querySelector(".row.selected") !== null`)
	// A report draws the nearest training molecules with their names and values: the picture of
	// build/baca/TRUST.md, which -screenshots writes.
	b.save("report")
	report := b.path("report.html")
	b.Quiet()
	offline := browse(t)
	offline.Run("opening the report", chromedp.Navigate("file://"+report))
	offline.Run("the size", chromedp.EmulateViewport(1000, 900))
	offline.Wait(`document.querySelectorAll(".card .near").length > 2 && document.querySelectorAll(".card .near svg").length === document.querySelectorAll(".card .near li").length`)
	const find = `[...document.querySelectorAll(".card")].find((e) => e.innerText.includes("diflunisal"))`
	card := eval[string](offline, find+"?.innerText")
	for _, want := range []string{"diflunisal", "similarity 0.37 · flurbiprofen · row 54 of the set · observed −8.42 · predicted −8.11", "naproxen"} {
		if !strings.Contains(card, want) {
			t.Errorf("the first card says\n%s\nwithout %q", card, want)
		}
	}
	height := eval[int64](offline, "{ const card = "+find+`; document.body.replaceChildren(card); const at = card.getBoundingClientRect(); Math.ceil(at.top + at.bottom) }`)
	offline.Run("the size of the card", chromedp.EmulateViewport(1000, height))
	offline.capture("neighbors", chromedp.CaptureScreenshot())
}
