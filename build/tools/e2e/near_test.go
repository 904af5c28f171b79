package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A report draws the nearest training molecules with their names and values: that of the example
// of build/baca/TRUST.md, whose picture -screenshots writes.
func TestReportDrawsNeighbors(t *testing.T) {
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
	b.wait(`document.querySelector(".model-name").textContent === "train"`)
	b.drop("new.csv", bytes.Join(append(lines[:1:1], lines[501:]...), nil))
	b.phase("done")
	b.save("report")
	report := b.path("report.html")
	b.quiet()

	offline := browse(t)
	offline.run("opening the report", chromedp.Navigate("file://"+report))
	offline.run("the size", chromedp.EmulateViewport(1000, 900))
	offline.wait(`document.querySelectorAll(".card .near").length > 2 && document.querySelectorAll(".card .near svg").length === document.querySelectorAll(".card .near li").length`)
	const find = `[...document.querySelectorAll(".card")].find((e) => e.innerText.includes("diflunisal"))`
	card := eval[string](offline, find+"?.innerText")
	for _, want := range []string{"diflunisal", "similarity 0.37 · flurbiprofen · row 54 of the set · observed −8.42 · predicted −8.11", "naproxen"} {
		if !strings.Contains(card, want) {
			t.Errorf("the first card says\n%s\nwithout %q", card, want)
		}
	}
	height := eval[int64](offline, "{ const card = "+find+`; document.body.replaceChildren(card); const at = card.getBoundingClientRect(); Math.ceil(at.top + at.bottom) }`)
	offline.run("the size of the card", chromedp.EmulateViewport(1000, height))
	offline.capture("neighbors", chromedp.CaptureScreenshot())
}
