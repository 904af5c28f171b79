package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"baca/build/internal/try"
)

// screenshots is the folder for pictures of the page, which are written where it is given:
//
//	go test ./build/tools/e2e -run "States|Dialogs" -screenshots ../../../out/screenshots
var screenshots = flag.String("screenshots", "", "folder for pictures of the page")

// scheme sets whether the system is light or dark, and that nothing is animated.
func (b *tab) scheme(name string) {
	b.t.Helper()
	b.media(emulation.MediaFeature{Name: "prefers-color-scheme", Value: name}, emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"})
}

// media sets what the system prefers.
func (b *tab) media(features ...emulation.MediaFeature) {
	b.t.Helper()
	p := emulation.SetEmulatedMediaParams{}
	for _, f := range features {
		p.Features = append(p.Features, &f)
	}
	ask(b, emulation.SetEmulatedMedia, p)
}

// still waits until the latest change is drawn.
func (b *tab) still() {
	b.t.Helper()
	eval[any](b, `document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))))`)
}

// screen sets the size of the screen, and checks that the page is not wider.
func (b *tab) screen(state string, width, height int64) {
	b.t.Helper()
	b.Run("the size", chromedp.EmulateViewport(width, height))
	b.still()
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > int(width) {
		b.t.Errorf("%s: the page is %d pixels wide on a screen of %d", state, wide, width)
	}
}

// barriers reports what axe-core finds that keeps people from using the page as it is now: all, or what
// has one of these impacts.
func (b *tab) barriers(state string, impacts ...string) {
	b.t.Helper()
	if !eval[bool](b, `typeof axe === "object"`) {
		script, err := os.ReadFile("../../../web/node_modules/axe-core/axe.min.js")
		if err != nil {
			b.t.Fatal("axe-core is not installed: make libraries")
		}
		eval[any](b, string(script)+";null")
	}
	const find = `axe.run().then((r) => r.violations.filter((v) => %[1]q === "" || %[1]q.includes(v.impact)).map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 160)).join("; ")).join("\n"))`
	if found := eval[string](b, fmt.Sprintf(find, strings.Join(impacts, " "))); found != "" {
		b.t.Errorf("%s: %s", state, found)
	}
}

// look checks the page as it is now in four sizes, light and dark, and writes its pictures where they are asked for.
func (b *tab) look(state string) {
	b.t.Helper()
	for _, size := range []struct {
		width, height int64
		schemes       []string
	}{{390, 844, []string{"dark"}}, {768, 1024, []string{"light"}}, {1440, 900, []string{"light"}}, {1280, 800, []string{"dark", "light"}}} {
		b.screen(state, size.width, size.height)
		for _, scheme := range size.schemes {
			b.scheme(scheme)
			b.capture(fmt.Sprintf("%s-%d-%s", state, size.width, scheme), chromedp.CaptureScreenshot())
			if size.width == 1280 {
				b.barriers(state+", "+scheme, "serious", "critical")
			}
		}
	}
}

// capture writes a picture of the page, where that is asked for.
func (b *tab) capture(name string, how chromedp.Action[[]byte]) {
	b.t.Helper()
	if *screenshots == "" {
		return
	}
	b.still()
	png := try.To(chromedp.Run(b.Ctx, how))
	try.Check(os.MkdirAll(*screenshots, 0o755))
	try.Check(os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o644))
}

// header checks that the header has one row, that all of it can be seen, and that nothing lies over what is below it.
func (b *tab) header(state string) {
	b.t.Helper()
	for _, s := range []struct{ width, height int64 }{{360, 740}, {390, 844}, {768, 1024}, {1024, 768}, {1280, 800}, {1440, 900}, {1920, 1080}} {
		b.screen(state, s.width, s.height)
		if n := b.high(".bar"); n > 56 {
			b.t.Errorf("%s: the header is %d pixels high on a screen of %d, want 56 at most", state, n, s.width)
		}
		if cut := eval[string](b, `[...document.querySelectorAll(".bar > *")].filter((e) => { const r = e.getBoundingClientRect(); return r.width > 0 && (r.left < 0 || r.right > innerWidth) }).map((e) => e.className).join(" ")`); cut != "" {
			b.t.Errorf("%s: on a screen of %d the header is cut at %s", state, s.width, cut)
		}
		if covered := eval[string](b, covered); state != "empty" && covered != "" {
			b.t.Errorf("%s: on a screen of %d something lies over %s", state, s.width, covered)
		}
		b.barriers(fmt.Sprintf("%s at %d", state, s.width))
	}
	b.screen(state, 1280, 800)
}

// covered are the buttons of the band and of the table's head that something lies over, but for an open record.
const covered = `[...document.querySelectorAll("#band :is(button, summary, input, select), .input button, .rows th button")].filter((e) => {
	if (!e.checkVisibility()) return false;
	const r = e.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;
	if (x < 0 || x > innerWidth || y < 0 || y > innerHeight) return false;
	const f = document.elementFromPoint(x, y);
	return !(e.contains(f) || f.contains(e) || f.closest(".inspector, .chips") !== null);
}).map((e) => e.id || e.textContent || e.className).join(", ")`

// setting presses something in the settings.
func (b *tab) setting(selector string) {
	b.t.Helper()
	b.click("#settings summary", selector, "#settings summary")
}

// atFirst checks what is on the first screen of a result: the headline, and rows whole.
func (b *tab) atFirst(state string, width, height int64, rows int) {
	b.t.Helper()
	b.screen(state, width, height)
	const seen = `[...document.querySelectorAll(".row")].filter((e) => {
		const r = e.getBoundingClientRect();
		return r.bottom <= innerHeight && e.contains(document.elementFromPoint(r.x + 8, r.bottom - 4));
	}).length`
	if n := eval[int](b, seen); n < rows {
		b.t.Errorf("%s: %d rows are on the first screen of %d by %d, want %d", state, n, width, height, rows)
	}
}

// high is how many pixels an element has from top to bottom.
func (b *tab) high(selector string) int {
	b.t.Helper()
	return eval[int](b, fmt.Sprintf(`Math.ceil(document.querySelector(%q).getBoundingClientRect().height)`, selector))
}

// The page and its lab can be used on screens of all sizes, light and dark.
func TestStates(t *testing.T) {
	b := ready(t)
	b.header("empty")
	b.look("empty")
	b.example(1)
	b.Wait(`document.querySelectorAll(".suggestion svg:not(.shape)").length === 3`)
	b.header("a result")
	b.look("table")
	// A phone, a desk, and the same at 200 %.
	b.atFirst("a result", 390, 844, 9)
	b.atFirst("a result", 640, 400, 3)
	b.atFirst("a result", 1280, 800, 8)
	if n := eval[int](b, `document.querySelectorAll("#strip .inside, #strip .borderline, #strip .outside").length`); n != 9 {
		t.Errorf("%d dots are on the axis, want those of the 9 that were not trained on", n)
	}
	b.click(`.suggestion`)
	b.Wait(`document.querySelectorAll(".large .towards, .large .away").length > 0`)
	b.look("record")
	b.click("#details summary")
	b.header("a record")
	b.Run("a phone", chromedp.EmulateViewport(390, 844))
	if n := b.high(".card-slim"); n > 44 {
		t.Errorf("on a phone the card is %d pixels high, want one line", n)
	}
	b.Run("a desk", chromedp.EmulateViewport(1280, 800))
	eval[any](b, `document.getElementById("inspector-close").click()`)
	b.click("#settings summary")
	b.look("settings")
	b.click("#settings summary")
	b.setting("#rule-batch")
	b.Wait(`document.querySelector("th.c-q") !== null`)
	b.click("#export summary")
	b.look("discoveries and the menu")
	b.click("#export summary")
	b.setting("#rule-each")
	b.click("#paper")
	b.Wait(`document.querySelector(".by-paper") !== null`)
	// No dot lies on the other side of the line than its verdict, and what each is by itself stands beside it.
	if n := eval[int](b, `((line) => [...document.querySelectorAll("#strip .inside, #strip .borderline, #strip .outside")].filter((e) => {
		const { left, right } = e.getBoundingClientRect();
		return e.classList.contains("outside") ? left < line : right > line;
	}).length)(document.querySelector("#strip .threshold").getBoundingClientRect().left + 0.5)`); n != 0 {
		t.Errorf("%d dots lie on the other side of the line than their verdict", n)
	}
	b.Wait(`document.querySelectorAll("td.c-alone .shape").length > 4`)
	b.look("paper")
	for _, scene := range scenes {
		b.scene(scene)
		b.look("lab-" + scene)
	}
	b.says("#scene-name", "octanitrocubane")
	b.says("#gained", "By S_Pre alone it would be inside", "That is what the attention gains")
	b.click(`.lab-panel [aria-label="Close the lab"]`)
	b.setting("#rule-each")
	b.empty()
	b.example(2)
	b.Wait(`document.querySelectorAll(".row .near-line").length > 3`)
	b.says("#stated", "measured values, errors are above", "intervals hold")
	b.header("predictions")
	b.look("predictions")
	b.Quiet()
}

// So can its dialogs, an input that is edited, and what goes wrong.
func TestDialogs(t *testing.T) {
	b := ready(t)
	b.example(1)
	b.edit()
	b.header("editing")
	b.look("editing")
	for _, d := range []struct{ button, id string }{{"#model-button", "models"}, {".help-button", "help"}, {"#private", "privacy"}} {
		b.click(d.button)
		b.Wait(fmt.Sprintf(`document.querySelector("#%s[open]") && [...document.querySelectorAll("#%[1]s [data-text]")].every((e) => e.childElementCount > 0)`, d.id))
		b.look(d.id)
		b.closeDialog(d.id)
	}
	b.click(".row", "#draw-button")
	b.Wait(`typeof bacaEditor === "object" && bacaTools.edited() !== ""`)
	b.look("draw")
	// The tools are buttons with names.
	tool := func(name string) {
		const press = `([...document.querySelectorAll("#editor-tools button")].find((e) => e.textContent === %q).click(), null)`
		eval[any](b, fmt.Sprintf(press, name))
	}
	tool("Clear all")
	b.Wait(`bacaTools.edited() === ""`)
	tool("Benzene")
	b.click("#editor")
	b.Wait(`/^C1=CC=CC=C1$|^C1C=CC=CC=1$|^c1ccccc1$/.test(bacaTools.edited())`)
	b.anew()
	b.click("#draw-add")
	b.phase("done")
	b.Wait(`document.getElementById("smiles").value.includes("drawn")`)
	// What is drawn can be searched for.
	b.click("#draw-button")
	b.Wait(`typeof bacaEditor === "object" && document.querySelectorAll("#editor-tools button").length > 0`)
	tool("Clear all")
	tool("Benzene")
	b.click("#editor", "#draw-find")
	b.Wait(`/^\d+ of 23$/.test(document.getElementById("found").textContent) && document.getElementById("search-draw").checkVisibility()`)
	b.look("drawn search")
	eval[any](b, `(({ options }) => { options[0].selected = true; return null })(document.getElementById("search-by"))`)
	b.set("#search-by", "change", "text")
	b.set("#search", "input", "")
	b.click("#model-button", "#train-button")
	b.Wait(`!document.getElementById("train-start").disabled`)
	b.look("train")
	b.epochs(10_000)
	b.click("#train-start")
	b.Wait(`/Epoch [3-9]/.test(document.getElementById("train-line")?.textContent)`)
	b.look("training")
	b.click("#train-drop")
	b.closeDialog("train")
	b.empty()
	b.write("CC(=O)Oc1ccccc1C(=O)O aspirin\nc1ccccc1N( broken\nCCO ethanol\nC1CC never closed\n")
	b.phase("done")
	b.Wait(`document.querySelectorAll(".row").length === 4`)
	b.look("mistakes")
	b.empty()
	b.write("C1CC\nx(")
	b.phase("done")
	b.look("refused")
	b.upload("#file", "many.csv", smallMolecules(8000))
	b.phase("scoring")
	b.look("running")
	b.phase("done")
	b.Wait(`document.querySelectorAll(".row .c-draw svg").length > 3`)
	b.look("many")
	b.Quiet()
}

// closeDialog closes a dialog.
func (b *tab) closeDialog(id string) {
	b.t.Helper()
	eval[any](b, fmt.Sprintf(`document.getElementById(%q).close()`, id))
}
