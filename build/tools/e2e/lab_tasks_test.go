package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// choose chooses an option of a menu.
func (b *tab) choose(menu, option string) {
	b.t.Helper()
	eval[any](b, fmt.Sprintf(`((e) => { e.value = %q; e.dispatchEvent(new Event("change", { bubbles: true })); return null; })(document.querySelector(%q))`, option, menu))
}

// Each tool has a view of its own and shows what it found, for everybody, on a phone as well. What it
// finds is tested in wasm/worker/engine.
func TestTools(t *testing.T) {
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
	b.click("#tools summary")
	b.look("tools")
	b.click("#tools summary")
	for _, tool := range []struct {
		stage string
		start func()
		found string // of the page
	}{
		{"drift", func() {}, `svg.chart`},
		{"trust", func() { b.choose("#observed", "observed") }, `td.n:nth-child(4)`},
		{"choose", func() { b.click("#suggest-start") }, `[data-pick] svg`},
		{"lists", func() { b.upload("#compare-file", "train.csv", bytes.Join(lines[:201], nil)) }, `h2 + figure svg`},
	} {
		b.click("#tools summary", fmt.Sprintf(`#tools [data-stage=%q]`, tool.stage))
		b.wait(`document.querySelector(".tool") !== null`)
		tool.start()
		b.wait(fmt.Sprintf(`document.querySelector("#found " + %q) !== null`, tool.found))
		b.look("tool-" + tool.stage)
		b.click(`[aria-label="Back to the table"]`)
		b.wait(`document.querySelector(".tool") === null`)
	}
	// A pick is shown in the table.
	b.click("#tools summary", `#tools [data-stage="choose"]`, "#found [data-pick]")
	b.wait(`document.querySelector(".tool") === null && document.querySelector(".row.selected") !== null`)
	b.quiet()
}
