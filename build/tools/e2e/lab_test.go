package e2e

import (
	"baca/build/internal/try"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// scenes are those of the lab's story.
var scenes = []string{"graph", "views", "graphons", "mixup", "dictionaries", "decision"}

// scene opens a scene and waits for all of its pictures.
func (b *tab) scene(name string) {
	b.t.Helper()
	if !eval[bool](b, `document.querySelector("[data-scene]") !== null`) {
		b.click("#watch")
		b.Wait(`document.querySelector("[data-scene]") !== null`)
	}
	if eval[bool](b, `document.querySelector('[data-playing="true"]') !== null`) {
		b.click("#play") // to pause
	}
	if open := fmt.Sprintf(`document.querySelector('[data-scene=%q]') !== null`, name); !eval[bool](b, open) { // which a click would close
		b.click(fmt.Sprintf(`.stage-list [data-stage=%q]`, name))
	}
	there := map[string]string{
		"graph":        `.scene [data-atom] ~ text, .scene circle[data-atom]`,
		"views":        `.figure:nth-child(2) .map-known`,
		"graphons":     `.tile:nth-child(2) svg`,
		"mixup":        `#samples .sample:nth-child(6) svg`,
		"dictionaries": `.dictionary.is-outside .key:last-child .number`,
		"decision":     `.scene .figures ~ .figures .figure:nth-child(3) svg`,
	}[name]
	b.Wait(fmt.Sprintf(`document.querySelector('[data-scene=%q] %s') !== null`, name, strings.ReplaceAll(there, ", ", fmt.Sprintf(`, [data-scene="%s"] `, name))))
}

// The story plays through its beats to the end of the last scene, and can be paused and scrubbed. The
// record next to its own passes through at once, and Escape leads back to the table.
func TestPlayTheStory(t *testing.T) {
	b := ready(t)
	b.media(emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "no-preference"})
	b.example(1)
	b.click("#watch")
	// It has moved on, however far until somebody looks.
	b.Wait(`(({ scene, beat }) => scene !== undefined && (scene !== "graph" || Number(beat) > 1))(document.getElementById("lab-panel").dataset) && document.activeElement.id === "lab-panel"`)
	b.click("#play") // to pause, or, where it has ended meanwhile, once more
	b.Wait(`document.getElementById("lab-panel").dataset.playing === "false"`)
	b.Wait(`document.getElementById("took")?.textContent.includes("the batch in")`)
	// The timeline is as long as it gets once all scenes are there.
	for _, scene := range []string{"dictionaries", "decision"} {
		b.scene(scene)
	}
	// From three beats before its end it goes on by itself, and stops there.
	b.set("#scrub", "input", eval[int](b, `Number(document.getElementById("scrub").max)`)-3)
	b.click("#play")
	b.Wait(`document.querySelector('[data-scene="decision"][data-playing="false"]') !== null && document.getElementById("scrub").value === document.getElementById("scrub").max`)
	name := b.text("#scene-name")
	b.click(`.who button[aria-label="The one below it in the table"]`)
	b.Wait(fmt.Sprintf(`((name) => name !== %q && document.getElementById("scene-line").textContent.includes(name))(document.getElementById("scene-name").textContent)`, name))
	b.Run("Escape", chromedp.SendKeys("#scrub", kb.Escape))
	b.Wait(`!document.querySelector(".in-story") && document.querySelector(".row.selected") !== null && document.activeElement.id === "watch"`)
	b.Quiet()
}

// Each tool has a view of its own and shows what it found, for everybody, on a phone as well. What it
// finds is tested in wasm/worker/engine.
func TestTools(t *testing.T) {
	b := ready(t)
	b.downloads()
	data := try.To(os.ReadFile("../../baca/testdata/hydration.csv"))
	lines := bytes.SplitAfter(data, []byte("\n"))
	dir := t.TempDir()
	plain, model := filepath.Join(dir, "plain.msgpack"), filepath.Join(dir, "hydration.msgpack")
	baca(t, "train.csv", bytes.Join(lines[:501], nil), "train", "--epochs", "100", "--observed", "observed", "--held-out", "predicted", "--out", plain)
	baca(t, "train.csv", bytes.Join(lines[:501], nil), "model", "structures", plain, "--observed", "observed", "--predicted", "predicted", "--out", model, "--in")
	b.click("#model-button")
	b.upload("#model-file", "hydration.msgpack", try.To(os.ReadFile(model)))
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
	holds(t, card, "similarity 0.37 · flurbiprofen · row 54 of the set · observed −8.42 · predicted −8.11", "naproxen")
	height := eval[int64](offline, "{ const card = "+find+`; document.body.replaceChildren(card); const at = card.getBoundingClientRect(); Math.ceil(at.top + at.bottom) }`)
	offline.Run("the size of the card", chromedp.EmulateViewport(1000, height))
	offline.capture("neighbors", chromedp.CaptureScreenshot())
}
