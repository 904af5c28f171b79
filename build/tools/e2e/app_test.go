package e2e

import (
	"baca/build/internal/try"
	"baca/web"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// usable waits until the page can score.
func (b *tab) usable() {
	b.t.Helper()
	b.Wait(`!document.querySelector(".example").disabled && !document.querySelector(".model-name").textContent.includes("loading")`)
}

// ready opens the page, behind scripts that run first, and waits until it can score.
func ready(t testing.TB, first ...string) *tab {
	t.Helper()
	return readyIn(t, browse, first...)
}

// readyIn is ready in a tab that browse opens.
func readyIn(t testing.TB, browse func(testing.TB) *tab, first ...string) *tab {
	t.Helper()
	s := serve(t, open(t))
	b := browse(t)
	for _, script := range first {
		b.first(script)
	}
	b.visit(s.URL + "/")
	b.usable()
	return b
}

// anew tells the next phase that it is of another run than the present one.
func (b *tab) anew() {
	b.t.Helper()
	b.before = eval[int](b, `Number(document.getElementById("page").dataset.run)`)
}

// phase waits until the page is in one of the phases of a session, in a run that began after the latest anew.
func (b *tab) phase(names ...string) {
	b.t.Helper()
	b.Wait(fmt.Sprintf(`(({ run, phase }) => Number(run) > %d && %q.split(" ").includes(phase))(document.getElementById("page").dataset)`, b.before, strings.Join(names, " ")))
}

// aim waits until the middle of an element can be seen, and has it watch for a click. A pointer that meets something
// else, because the page has moved meanwhile, is not heard of by the page.
//
//go:embed testdata/aim.js
var aim string

// click presses the mouse on the first element of each selector, one after the other.
func (b *tab) click(selectors ...string) {
	b.t.Helper()
	for _, selector := range selectors {
		for hit := false; !hit; {
			at := eval[[2]float64](b, fmt.Sprintf(aim, selector))
			b.Run("clicking "+selector, chromedp.MouseClickXY(at[0], at[1]))
			hit = eval[bool](b, `(globalThis.testAim?.abort(), globalThis.testHit ?? true)`) // a page that was left took the click
		}
	}
}

// write puts text into the input pane at once, as from the clipboard.
func (b *tab) write(text string) {
	b.t.Helper()
	b.anew()
	b.Run("writing", chromedp.Focus("#smiles"))
	ask(b, input.InsertText, input.InsertTextParams{Text: text})
}

// empty takes the input away.
func (b *tab) empty() {
	b.t.Helper()
	b.anew()
	b.click("#clear")
	b.phase("empty")
}

// edit opens the input, which is a card after a run.
func (b *tab) edit() {
	b.t.Helper()
	b.click("#edit")
	b.Wait(`document.getElementById("smiles").checkVisibility() && document.activeElement.id === "smiles"`)
}

// example scores the built-in molecules, all of them or a few, and waits.
func (b *tab) example(number int) {
	b.t.Helper()
	b.anew()
	b.click(fmt.Sprintf(".example:nth-child(%d)", number))
	b.phase("done")
	b.Wait(`document.querySelectorAll(".row").length > 0`)
	b.focused()
}

// focused checks that something has the focus.
func (b *tab) focused() {
	b.t.Helper()
	b.Wait(`document.activeElement !== document.body || document.querySelector("dialog[open]") !== null`)
}

// upload gives a file to an input element.
func (b *tab) upload(element, name string, data []byte) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), name)
	try.Check(os.WriteFile(path, data, 0o644))
	b.anew()
	b.Run("choosing "+name, chromedp.SetUploadFiles(element, []string{path}))
}

func (b *tab) text(selector string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf(`document.querySelector(%q)?.textContent ?? ""`, selector))
}

// says checks that an element shows all of some texts.
func (b *tab) says(selector string, texts ...string) {
	b.t.Helper()
	holds(b.t, b.text(selector), texts...)
}

// holds checks that what is shown has all of some texts.
func holds(t testing.TB, shown string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			t.Errorf("%q lacks %q", shown, text)
		}
	}
}

func TestPasteScoreInspect(t *testing.T) {
	b := ready(t)
	b.write("CC(=O)Oc1ccccc1C(=O)O aspirin\nc1ccccc1N( broken\n")
	b.Run("typing", chromedp.SendKeys("#smiles", "CCO ethanol\n"))
	b.Wait(`[...document.querySelectorAll(".row")].some((r) => r.dataset.row === "2" && r.textContent.includes("ethanol"))`)
	b.phase("done")
	b.says("#input-status", "2 read, 1 refused")
	// The error stands beside its line, and leads to the place.
	b.says(".problem", "Line 2", "branch")
	b.click(".problem")
	b.Wait(`document.getElementById("smiles").selectionStart === 30 + "c1ccccc1N".length`)

	b.click(`[data-row="0"]`)
	b.Wait(`document.querySelectorAll(".large .towards, .large .away").length > 0`)
	b.says(".verdict-box", "In the training set: aspirin")
	b.says(`[data-row="0"] .c-verdict`, "in the training set")
	if eval[bool](b, `document.getElementById("own-score").checkVisibility()`) {
		t.Error("the parts of the score are shown before anybody asked")
	}
	b.click("#details summary")
	b.says(".inspector", "Trained on", "Most similar in the training set", "Scores as high or higher")
	// The keyboard walks through the table and Escape closes the inspector.
	b.Run("keys", chromedp.Focus("#scroller"), chromedp.SendKeys("#scroller", kb.ArrowUp))
	b.Wait(`document.querySelector(".row.selected")?.dataset.row === "2"`)
	b.Wait(`/As unusual as the top [\d.]+\s%|More unusual than all \d+ molecules/.test(document.querySelector(".verdict-box")?.textContent)`)
	b.Run("Escape", chromedp.SendKeys("#scroller", kb.Escape))
	b.Wait(`!document.querySelector(".row.selected")`)
	b.Quiet()
}

// A training is paused, outlasts its tab, and is another tab's only once its own is gone. What is thrown away can be
// brought back. The list comes back with the model, which says what predictions to trust.
func TestTrain(t *testing.T) {
	b := ready(t)
	b.downloads()
	train := func() *tab {
		other := b.beside(eval[string](b, `location.href`))
		library, list := web.Solubilities()
		other.upload("#file", "solubility-new.csv", list)
		other.phase("done")
		other.click("#model-button", "#train-button")
		other.upload("#library-file", "solubility-train.csv", library)
		other.phase("unstarted") // the list before has these columns, too, and a promise about it does not hold for the library
		other.Wait(`!document.getElementById("train-start").disabled && document.getElementById("train-predicted")?.value === "logS_pred"`)
		other.click("#train-held-out")
		other.epochs(150)
		other.click("#train-start")
		return other
	}
	const paused = `[...document.querySelectorAll(".state button")].some((e) => e.textContent.includes("Training paused"))`
	const epoch = `Number(/Epoch (\d+)/.exec(document.getElementById("train-line")?.textContent)?.[1])`
	first := train()
	first.Wait(epoch + ` > 2`)
	first.click("#train-pause")
	first.Wait(`document.getElementById("train-resume") !== null`)
	said := first.text("#train-line")
	eval[bool](first, `new Promise((done) => bacaTools.kept("training", (v) => done(v !== null)))`)
	first.reload()
	first.Wait(paused)
	first.click(".state button")
	if got := first.text("#train-line"); got != said {
		t.Errorf("after the reload it is %q, before %q", got, said)
	}
	first.click("#train-resume")
	var before int
	if _, err := fmt.Sscanf(said, "Paused at epoch %d", &before); err != nil {
		t.Fatalf("%q: %v", said, err)
	}
	first.Wait(fmt.Sprintf(epoch+` > %d`, before))

	second := train()
	second.Wait(`document.querySelector("#train .bad-text")?.textContent.includes("Another tab")`)
	ask(first, page.Close, cdp.Empty{})
	second.Wait(paused)
	second.click("#train-drop", "#train-undo")
	second.Wait(paused)
	second.click("#train-resume")
	second.Wait(`document.getElementById("train-use")?.textContent.includes("solubility-new.csv")`)
	second.says("#train-errors", "logS_pred")
	second.click("#train-use")
	second.Wait(`new Set([...document.querySelectorAll(".trust-mark")].map((e) => e.textContent)).has("do not use")`)
	second.says("#headline", "of 225 lie outside") // of the list that comes back
	for _, wide := range []int64{800, 1280} {
		second.screen("predictions", wide, 800)
		if n := eval[float64](second, `document.querySelector("th.c-name").getBoundingClientRect().width`); n < 100 {
			t.Errorf("on a screen of %d pixels the column of names has %g", wide, n)
		}
	}
	second.Quiet()
}

// epochs sets how long to train. Without it a training of molecules is over before a test can look at it.
func (b *tab) epochs(n int) {
	b.t.Helper()
	b.set("#train-epochs", "input", n)
}

// set gives an element a value, and has it say so.
func (b *tab) set(selector, event string, value any) {
	b.t.Helper()
	eval[any](b, fmt.Sprintf(`((e) => { e.value = %q; e.dispatchEvent(new Event(%q, { bubbles: true })); return null; })(document.querySelector(%q))`, fmt.Sprint(value), event, selector))
}

// Table, grid and map show one selection, and a search by structure holds in all.
func TestListGridAndMap(t *testing.T) {
	b := ready(t)
	b.example(1)
	b.Wait(`document.querySelectorAll(".row .c-draw svg").length > 3`)
	b.set("#search-by", "change", "structure")
	b.Run("a structure", chromedp.SendKeys("#search", "[N+](=O)[O-]"))               // acts while typing
	b.Wait(`/^[1-9]\d* of \d+$/.test(document.getElementById("found").textContent)`) // what was typed first is in none
	found := eval[int](b, `document.querySelectorAll(".row").length`)
	if want := fmt.Sprintf("%d of", found); found < 2 || !strings.HasPrefix(b.text("#found"), want) {
		t.Errorf("%d rows, and the page says %q", found, b.text("#found"))
	}
	b.click("#columns summary", `[data-column="computed_mw"]`, "#columns summary")
	b.Wait(`[...document.querySelectorAll("td.c-extra")].filter((e) => Number(e.textContent) > 10).length === document.querySelectorAll(".row").length`)

	b.click("#shape button:nth-child(2)")
	b.Wait(fmt.Sprintf(`document.querySelectorAll(".mol-card svg:not(.shape)").length === %d`, found))
	if size := eval[[]float64](b, `(({ width, height }) => [width, height])(document.querySelector(".mol-card svg:not(.shape)").getBoundingClientRect())`); size[0] < 180 || size[1] < 130 {
		t.Errorf("a drawing of the grid has %v pixels", size)
	}
	b.click(".mol-card")
	b.Wait(`document.querySelector(".mol-card.selected") !== null`)
	b.look("grid")
	name := b.text(".inspector-name")

	b.click("#shape button:nth-child(3)")
	b.Wait(fmt.Sprintf(`document.getElementById("map-canvas")?.dataset.shown === "%d"`, found))
	b.Wait(`document.getElementById("map-canvas").dataset.chosen !== undefined`)
	b.look("map")
	b.screen("map", 768, 1024)
	if n := b.high(".band"); n > 168 {
		t.Errorf("on a tablet the band above a map is %d pixels high", n)
	}
	b.screen("map", 1280, 800)
	b.still()
	at := eval[[]float64](b, `(({ x, y }, place) => [x + Number(place[0]), y + Number(place[1])])(document.getElementById("map-canvas").getBoundingClientRect(), document.getElementById("map-canvas").dataset.chosen.split(" "))`)
	b.Run("Escape", chromedp.SendKeys(".map-box", kb.Escape))
	b.Wait(`document.querySelector(".inspector-name") === null`)
	b.Run("a point under the pointer", chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	b.Wait(`document.querySelector(".map-tip svg") !== null && document.querySelector(".map-tip").textContent !== ""`)
	b.Run("a click on the map", chromedp.MouseClickXY(at[0], at[1]))
	b.Wait(`document.querySelector(".inspector-name") !== null`)
	if got, tip := b.text(".inspector-name"), b.text(".map-tip"); got != name || !strings.HasPrefix(tip, name+": outside") {
		t.Errorf("a click where %s lies shows %s, and the pointer %q", name, got, tip)
	}
	b.set("#alpha", "input", 0)
	b.Wait(fmt.Sprintf(`(({ textContent: tip }) => tip.startsWith(%q) && !tip.includes("outside"))(document.querySelector(".map-tip"))`, name))
	b.Quiet()
}
