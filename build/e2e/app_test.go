package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"baca/web"
)

// screenshots is where pictures of the page go, for people to look at.
const screenshots = "../../out/screenshots"

// ready opens the page and waits until it can score.
func ready(t *testing.T) *tab {
	t.Helper()
	s := serve(t, open(t))
	b := browse(t)
	b.visit(s.URL + "/")
	b.wait(`!document.querySelector(".example").disabled && !document.querySelector(".model-name").textContent.includes("loading")`)
	return b
}

// phase waits until the page is in one of the phases of a session.
func (b *tab) phase(names ...string) {
	b.t.Helper()
	b.wait(fmt.Sprintf(`%q.split(" ").includes(document.getElementById("page").dataset.phase)`, strings.Join(names, " ")))
}

// press clicks the first element of a selector when that has come to rest: while lines
// above a row still come, a pointer that aims at it meets another one.
func (b *tab) press(selector string) {
	b.t.Helper()
	b.wait(fmt.Sprintf(`new Promise((done) => {
		const place = () => { const r = document.querySelector(%q)?.getBoundingClientRect(); return r && [r.x, r.y, r.width, r.height].join(); };
		const before = place();
		setTimeout(() => done(before !== undefined && before === place()), 250);
	})`, selector))
	b.run("pressing "+selector, chromedp.Click(selector))
}

// example scores the built-in molecules, all of them or a few, and waits.
func (b *tab) example(number int) {
	b.t.Helper()
	b.run("an example", chromedp.Click(fmt.Sprintf(".example:nth-child(%d)", number)))
	b.phase("done")
	b.wait(`document.querySelectorAll(".row").length > 0`)
}

// upload gives a file to an input element.
func (b *tab) upload(element, name string, data []byte) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		b.t.Fatal(err)
	}
	b.run("choosing "+name, chromedp.SetUploadFiles(element, []string{path}))
}

func (b *tab) text(selector string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf(`document.querySelector(%q)?.textContent ?? ""`, selector))
}

func TestPasteScoreInspect(t *testing.T) {
	b := ready(t)
	b.run("typing", chromedp.SendKeys("#smiles", "CC(=O)Oc1ccccc1C(=O)O aspirin\nc1ccccc1N( broken\nCCO ethanol\n"))
	b.phase("done")
	b.wait(`document.querySelectorAll(".row").length === 3`)
	if got := b.text("#input-status"); !strings.Contains(got, "2 read, 1 refused") {
		t.Errorf("the page says %q of the input", got)
	}
	// The error stands beside its line, and leads to the place.
	if got := b.text(".problem"); !strings.Contains(got, "Line 2") || !strings.Contains(got, "branch") {
		t.Errorf("the problem reads %q", got)
	}
	b.run("the problem", chromedp.Click(".problem"))
	b.wait(`document.getElementById("smiles").selectionStart === 30 + "c1ccccc1N".length`)

	b.press(`[data-row="0"]`)
	b.wait(`document.querySelectorAll(".large .towards, .large .away").length > 0`)
	b.wait(`/of \d+ molecules/.test(document.querySelector(".verdict-box")?.textContent)`)
	if got := b.text(".inspector"); !strings.Contains(got, "C₉H₈O₄") || !strings.Contains(got, "training graph") {
		t.Errorf("the inspector says %q", got)
	}
	// The keyboard walks through the table and Escape closes the inspector.
	b.run("keys", chromedp.Focus("#scroller"), chromedp.SendKeys("#scroller", kb.ArrowDown))
	b.wait(`document.querySelector(".row.selected")?.dataset.row === "1"`)
	b.run("Escape", chromedp.SendKeys("#scroller", kb.Escape))
	b.wait(`!document.querySelector(".row.selected")`)
	b.quiet()
}

func TestAlphaJudgesAgainWithoutScoring(t *testing.T) {
	b := ready(t)
	b.example(3)
	before := eval[int](b, `Number(document.querySelector(".chip.is-outside .chip-count").textContent)`)
	took := b.text("#took")
	if !strings.Contains(took, " on the processor") {
		t.Errorf("the run reads %q, which does not say where it was", took)
	}
	eval[any](b, `(() => { const a = document.getElementById("alpha"); a.value = 100; a.dispatchEvent(new Event("input", {bubbles: true})); a.dispatchEvent(new Event("change", {bubbles: true})); return null })()`)
	b.wait(fmt.Sprintf(`Number(document.querySelector(".chip.is-outside .chip-count").textContent) > %d`, before))
	if got := b.text("#took"); got != took {
		t.Errorf("the run reads %q after moving α, before %q: it was scored again", got, took)
	}
	if got := eval[string](b, `location.search`); !strings.Contains(got, "alpha=0.3") || !strings.Contains(got, "model=bbbp") {
		t.Errorf("the address keeps %q", got)
	}
	// Filters, and sorting by score: the furthest outside comes first.
	b.run("sorting", chromedp.Click(`[data-by="3"]`))
	b.wait(`document.querySelector("th[aria-sort=descending]") !== null`)
	b.run("filtering", chromedp.SendKeys("#search", "coronene"))
	b.wait(`document.querySelectorAll(".row").length === 1`)
	b.quiet()
}

// The file that the page saves is the one that the command writes.
func TestSavedRowsAreTheCommands(t *testing.T) {
	b := ready(t)
	folder := t.TempDir()
	b.upload("#file", "molecules.csv", web.Examples())
	b.phase("done")
	b.run("downloads", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: "allow", DownloadPath: folder})
		return err
	}))
	b.run("the menu", chromedp.Click("#export summary"))
	b.run("saving", chromedp.Click(`[data-save="csv"]`))
	var page []byte
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		names, _ := filepath.Glob(filepath.Join(folder, "*.csv"))
		if len(names) == 1 {
			if page, _ = os.ReadFile(names[0]); len(page) > 0 {
				break
			}
		}
		if time.Since(begin) > patience {
			t.Fatalf("no file was saved%s", b.said())
		}
	}
	input := filepath.Join(t.TempDir(), "molecules.csv")
	if err := os.WriteFile(input, web.Examples(), 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("go", "run", "../baca", "score", input)
	want, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(page, want) {
		t.Errorf("the page saved\n%.600s\nthe command wrote\n%.600s", page, want)
	}
	b.quiet()
}

// manyRows is a CSV file in which every hundredth row is refused.
func manyRows(n int) []byte {
	var all []string
	for _, line := range strings.Split(strings.TrimSpace(string(web.Examples())), "\n")[1:] {
		all = append(all, strings.Split(line, ",")[2])
	}
	var b bytes.Buffer
	b.WriteString("name,smiles\n")
	for i := range n {
		smiles := strings.TrimSpace(all[i%len(all)])
		if i%100 == 50 {
			smiles += "("
		}
		fmt.Fprintf(&b, "row %d,%s\n", i, smiles)
	}
	return b.Bytes()
}

func TestManyRowsAndCancel(t *testing.T) {
	b := ready(t)
	b.upload("#file", "many.csv", manyRows(10_000))
	b.wait(`document.getElementById("cancel") !== null && document.querySelectorAll(".row").length > 0`)
	b.run("cancelling", chromedp.Click("#cancel"))
	b.phase("stopped")
	b.run("clearing", chromedp.Click("#clear"))
	b.phase("empty")
	b.example(2)
	if n := eval[int](b, `document.querySelectorAll(".row").length`); n != 5 {
		t.Errorf("%d rows of five molecules after cancelling", n)
	}

	b.upload("#file", "many.csv", manyRows(10_000))
	b.wait(`document.getElementById("input-status").textContent.includes("9 900 read, 100 refused")`)
	b.phase("done")
	// Only what is in view is drawn, anywhere in the table.
	eval[any](b, `(() => { const s = document.getElementById("scroller"); s.scrollTop = s.scrollHeight; return null })()`)
	b.wait(`[...document.querySelectorAll(".row")].some((r) => r.dataset.row === "9999")`)
	if n := eval[int](b, `document.querySelectorAll(".row").length`); n > 60 {
		t.Errorf("%d rows are in the document", n)
	}
	b.wait(`document.querySelectorAll(".row .c-draw svg").length > 3`)
	b.quiet()
}

func TestTrainPauseReloadResume(t *testing.T) {
	b := ready(t)
	var library bytes.Buffer
	for _, line := range strings.Split(strings.TrimSpace(string(web.Examples())), "\n")[1:80] {
		cells := strings.Split(line, ",")
		fmt.Fprintf(&library, "%s %s\n", strings.TrimSpace(cells[2]), cells[0])
	}
	b.run("the models", chromedp.Click("#model-button"), chromedp.Click("#train-button"))
	b.upload("#library-file", "mine.smi", library.Bytes())
	b.wait(`!document.getElementById("train-start").disabled`)
	b.epochs(5000)
	b.run("training", chromedp.Click("#train-start"))
	b.wait(`/Epoch [3-9]/.test(document.getElementById("train-line")?.textContent)`)
	b.run("pausing", chromedp.Click("#train-pause"))
	b.wait(`document.getElementById("train-resume") !== null`)
	paused := b.text("#train-line")
	eval[bool](b, `new Promise((done) => bacaTools.kept("checkpoint", (v) => done(v !== null)))`)

	b.run("reloading", chromedp.Reload())
	b.wait(`[...document.querySelectorAll(".state button")].some((e) => e.textContent.includes("Training paused"))`)
	b.run("opening", chromedp.Click(".state button"))
	if got := b.text("#train-line"); got != paused {
		t.Errorf("after the reload it is %q, before %q", got, paused)
	}
	b.run("going on", chromedp.Click("#train-resume"))
	var epoch int
	if _, err := fmt.Sscanf(paused, "Paused at epoch %d", &epoch); err != nil {
		t.Fatalf("%q: %v", paused, err)
	}
	b.wait(fmt.Sprintf(`Number(/Epoch (\d+)/.exec(document.getElementById("train-line")?.textContent)?.[1]) > %d`, epoch))
	b.quiet()
}

// epochs sets how long to train: longer than any test, for those that look at it.
func (b *tab) epochs(n int) {
	b.t.Helper()
	eval[any](b, fmt.Sprintf(`(() => { const e = document.getElementById("train-epochs"); e.value = %d; e.dispatchEvent(new Event("input", {bubbles: true})); return null })()`, n))
}

func TestDraw(t *testing.T) {
	b := ready(t)
	b.run("typing", chromedp.SendKeys("#smiles", "c1ccccc1 benzene\n"))
	b.phase("done")
	b.press(`[data-row="0"]`)
	b.run("drawing", chromedp.Click("#draw-button"))
	b.wait(`typeof bacaEditor === "object" && bacaTools.edited() !== ""`)
	b.run("adding", chromedp.Click("#draw-add"))
	b.wait(`document.querySelectorAll(".row").length === 2`)
	if got := eval[string](b, `document.getElementById("smiles").value`); !strings.Contains(got, "drawn") {
		t.Errorf("the input is %q", got)
	}
	b.quiet()
}

func TestAccessible(t *testing.T) {
	axe, err := os.ReadFile("../../web/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Skip("axe-core is not installed: npm ci in web")
	}
	b := ready(t)
	eval[any](b, string(axe)+";null")
	check := func(state string) {
		t.Helper()
		found := eval[string](b, `axe.run().then((r) => r.violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 160)).join("; ")).join("\n"))`)
		if found != "" {
			t.Errorf("%s: %s", state, found)
		}
	}
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		check(scheme + ", empty")
		b.example(1)
		b.press(`[data-row="1"]`)
		b.wait(`document.querySelectorAll(".large .towards, .large .away").length > 0`)
		check(scheme + ", a record")
		b.run("as a batch", chromedp.Click("#rule-batch"))
		b.wait(`document.querySelector("th.c-q") !== null`)
		b.run("the menu", chromedp.Click("#export summary"))
		check(scheme + ", a batch and the menu")
		b.run("the menu", chromedp.Click("#export summary"))
		b.run("drift", chromedp.Click(`[data-stage="drift"]`))
		b.wait(`document.getElementById("drift-sentence") !== null`)
		check(scheme + ", drift")
		b.run("drift", chromedp.Click(`[data-stage="drift"]`))
		b.run("each by itself", chromedp.Click("#rule-each"))
		b.run("the lab", chromedp.Click(`[data-stage="attention"]`))
		b.wait(`document.querySelectorAll(".figure svg").length > 3`)
		check(scheme + ", the lab")
		b.run("the lab again", chromedp.Click(`[data-stage="attention"]`))
		for _, d := range []struct{ button, id string }{{"#model-button", "models"}, {".help-button", "help"}, {"#private", "privacy"}} {
			b.run(d.id, chromedp.Click(d.button))
			b.wait(fmt.Sprintf(`document.getElementById(%q).open`, d.id))
			check(scheme + ", " + d.id)
			eval[any](b, fmt.Sprintf(`document.getElementById(%q).close()`, d.id))
		}
		b.run("drawing", chromedp.Click("#draw-button"))
		b.wait(`typeof bacaEditor === "object" && bacaTools.edited() !== ""`)
		check(scheme + ", drawing")
		eval[any](b, `document.getElementById("draw").close()`)
		b.run("training", chromedp.Click("#model-button"), chromedp.Click("#train-button"))
		b.wait(`document.getElementById("train").open && !document.getElementById("train-start").disabled`)
		check(scheme + ", before training")
		b.epochs(10_000)
		b.run("training", chromedp.Click("#train-start"))
		b.wait(`/Epoch [3-9]/.test(document.getElementById("train-line")?.textContent)`)
		check(scheme + ", training")
		b.run("throwing away", chromedp.Click("#train-drop"))
		eval[any](b, `document.getElementById("train").close()`)
		b.run("what cannot be read", chromedp.Click("#clear"), chromedp.SendKeys("#smiles", "C1CC\nx("))
		b.phase("done")
		check(scheme + ", all refused")
		b.run("clearing", chromedp.Click("#clear"))
		b.phase("empty")
	}
}

// scheme sets whether the system is light or dark.
func (b *tab) scheme(name string) {
	b.t.Helper()
	b.run(name, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
		return err
	}))
}

// picture writes what the page shows in three sizes, light and dark, and checks
// that none of it lies beside the screen.
func (b *tab) picture(state string) {
	b.t.Helper()
	if err := os.MkdirAll(screenshots, 0o755); err != nil {
		b.t.Fatal(err)
	}
	for _, size := range []struct {
		width, height int64
		schemes       []string
	}{{390, 844, []string{"dark"}}, {1920, 1080, []string{"light"}}, {1280, 800, []string{"dark", "light"}}} {
		b.run("the size", chromedp.EmulateViewport(size.width, size.height))
		for _, scheme := range size.schemes {
			b.scheme(scheme)
			b.wait(`new Promise((done) => setTimeout(() => done(true), 300))`)
			png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
			if err != nil {
				b.t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(screenshots, fmt.Sprintf("%s-%d-%s.png", state, size.width, scheme)), png, 0o644); err != nil {
				b.t.Fatal(err)
			}
		}
		if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > int(size.width) {
			b.t.Errorf("%s: the page is %d pixels wide on a screen of %d", state, wide, size.width)
		}
	}
}

// TestScreenshots writes pictures of the page, and checks that none of it lies
// beside the screen.
func TestScreenshots(t *testing.T) {
	b := ready(t)
	b.picture("empty")
	b.example(1)
	b.wait(`document.querySelectorAll(".suggestion svg:not(.shape)").length === 3`)
	b.picture("table")
	b.press(`.suggestion`)
	b.wait(`document.querySelectorAll(".large .towards, .large .away").length > 0`)
	b.picture("record")
	eval[any](b, `document.getElementById("inspector-close").click()`)
	for _, stage := range []string{"encode", "graphons", "attention"} {
		b.run("the lab", chromedp.Click(fmt.Sprintf(`[data-stage=%q]`, stage)))
		b.wait(`document.querySelectorAll(".lab-panel figure svg").length > 1`)
		b.picture("lab-" + stage)
	}
	b.run("the lab", chromedp.Click(`[data-stage="attention"]`))
	for _, d := range []struct{ button, id string }{{"#model-button", "models"}, {".help-button", "help"}, {"#private", "privacy"}, {"#draw-button", "draw"}} {
		b.run(d.id, chromedp.Click(d.button))
		b.wait(fmt.Sprintf(`document.getElementById(%q).open`, d.id))
		if d.id == "draw" {
			b.wait(`typeof bacaEditor === "object" && document.querySelector("#editor").children.length > 0`)
		}
		b.picture(d.id)
		eval[any](b, fmt.Sprintf(`document.getElementById(%q).close()`, d.id))
	}
	b.run("training", chromedp.Click("#model-button"), chromedp.Click("#train-button"))
	b.wait(`!document.getElementById("train-start").disabled`)
	b.picture("train")
	b.epochs(10_000)
	b.run("training", chromedp.Click("#train-start"))
	b.wait(`/Epoch [3-9]/.test(document.getElementById("train-line")?.textContent)`)
	b.picture("training")
	b.run("throwing away", chromedp.Click("#train-drop"))
	eval[any](b, `document.getElementById("train").close()`)
	b.run("a mistake", chromedp.Click("#clear"), chromedp.SendKeys("#smiles", "CC(=O)Oc1ccccc1C(=O)O aspirin\nc1ccccc1N( broken\nCCO ethanol\nC1CC never closed\n"))
	b.phase("done")
	b.wait(`document.querySelectorAll(".row").length === 4`)
	b.picture("mistakes")
	b.run("nothing but mistakes", chromedp.Click("#clear"), chromedp.SendKeys("#smiles", "C1CC\nx("))
	b.phase("done")
	b.picture("refused")
	b.upload("#file", "many.csv", manyRows(3000))
	b.phase("scoring")
	b.picture("running")
	b.phase("done")
	b.wait(`document.querySelectorAll(".row .c-draw svg").length > 3`)
	b.picture("many")
	b.quiet()
}
