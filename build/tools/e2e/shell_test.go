package e2e

import (
	"baca/build/internal/try"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"baca/build/internal/chromium"
	"baca/weights"
)

// versions serves one of many versions of a page: the same files with another hash.
func versions(p http.Handler) (h http.Handler, set func(int)) {
	var now atomic.Int64
	h = changing(p, func(text string) string {
		for _, before := range []string{`data-version="`, `const version = "`} {
			text = strings.Replace(text, before, fmt.Sprintf("%sv%d-", before, now.Load()), 1)
		}
		return text
	}, "/", "/sw.js")
	return h, func(n int) { now.Store(int64(n)) }
}

// version is the one that the page shows, without the hash.
func (b *tab) version() string {
	b.t.Helper()
	v, _, _ := strings.Cut(eval[string](b, `document.querySelector("[data-version]").dataset.version`), "-")
	return v
}

// active waits until a worker answers for the page.
const active = `navigator.serviceWorker.controller?.state === "activated"`

// shows is true once a version runs and is kept.
func shows(version string) string {
	return fmt.Sprintf(`document.querySelector("[data-version]")?.dataset.version.startsWith("%s-") && document.documentElement.dataset.state === "running" && `, version) + active
}

// reload loads the page again, and waits for it.
func (b *tab) reload() {
	b.t.Helper()
	eval[any](b, `(document.documentElement.dataset.state = "old", null)`)
	b.Run("reloading", chromedp.Reload())
	b.Wait(`document.documentElement?.dataset.state === "running"`)
}

// beside opens a page in another tab of the same profile.
func (b *tab) beside(url string) *tab {
	b.t.Helper()
	ctx, end := chromedp.NewContext(b.Ctx)
	b.t.Cleanup(end)
	other := &tab{Tab: chromium.NewTab(b.t, ctx), t: b.t, before: -1}
	other.visit(url)
	other.usable()
	return other
}

const newVersion = `[...document.querySelectorAll(".state button")].some((e) => e.textContent.includes("New version"))`

// A new version waits until somebody presses the button, or loads the page again; an old tab goes on as it is.
func TestNewVersionTakesOver(t *testing.T) {
	h, set := versions(open(t))
	s := serve(t, h)
	b := browse(t)
	b.visit(s.URL + "/")
	b.Wait(active)
	b.usable()
	old := b.beside(s.URL + "/")
	set(1)
	eval[any](b, `navigator.serviceWorker.ready.then((r) => r.update()).then(() => null)`)
	b.Wait(newVersion)
	if v := b.version(); v == "v1" {
		t.Fatalf("the page is of version %s before anybody asked for it", v)
	}
	b.example(1) // the old one goes on
	b.click(".state button")
	b.Wait(shows("v1"))
	b.usable()
	// The other tab is the old one still, and computes, also in a new worker.
	old.Wait(newVersion)
	if v := old.version(); v == "v1" {
		t.Error("the other tab was loaded again")
	}
	old.upload("#file", "many.csv", smallMolecules(20_000)) // which several workers share
	old.phase("scoring")
	old.click("#cancel")
	old.phase("stopped")
	old.empty()
	old.example(1)
	// Loading the page again is enough, too.
	set(2)
	eval[any](b, `navigator.serviceWorker.ready.then((r) => r.update()).then(() => null)`)
	b.Wait(newVersion)
	b.Run("reloading", chromedp.Reload())
	b.Wait(shows("v2"))
	b.Wait(`document.querySelectorAll(".row").length > 5`) // the input is still there
	if n := eval[int](b, `caches.keys().then((all) => all.length)`); n > 2 {
		t.Errorf("%d versions are stored, want this one, and the one before at most", n)
	}
	b.Quiet()
}

// ownModel gives the page a model that is not built in, and returns its file.
func (b *tab) ownModel(name string) []byte {
	b.t.Helper()
	m := try.To(weights.Open("esol"))
	m.Card.Name = name
	var buffer bytes.Buffer
	try.Check(weights.Save(&buffer, m))
	data := buffer.Bytes()
	b.click("#model-button")
	b.upload("#model-file", name+".msgpack", data)
	b.Wait(fmt.Sprintf(`document.querySelector(".model-name").textContent === %q`, name))
	return data
}

// A model of the user is there after a reload, can be saved, deleted and brought back, and the address names it.
func TestModelsAreKept(t *testing.T) {
	b := ready(t)
	b.downloads()
	data := b.ownModel("my own")
	b.Wait(`location.search.includes("model=my+own%40")`)
	b.reload()
	b.Wait(`document.querySelector(".model-name").textContent === "my own"`)
	b.click("#model-button", "#models .card summary")
	if got, size := b.text(".own-state"), b.text(".card:first-child .number"); !strings.Contains(got, "Kept in this browser") || !strings.HasSuffix(size, "B") {
		t.Errorf("the card says %q, and %q of its size", got, size)
	}
	b.click("[data-download]")
	if !bytes.Equal(b.saved("my own.msgpack"), data) {
		t.Error("the file that was saved is another one")
	}
	b.barriers("the models, one of them one's own")
	b.click("[data-delete]")
	b.Wait(`document.getElementById("model-undo") !== null && !location.search.includes("my+own")`)
	b.barriers("a model that is deleted")
	b.click("#model-undo")
	b.Wait(`document.querySelector(".own-state")?.textContent.includes("Kept") && location.search.includes("my+own")`)
	b.click("[data-delete]")
	b.Wait(`document.getElementById("model-undo") !== null`)
	b.reload()
	b.usable()
	if n := eval[int](b, `new Promise((done) => bacaTools.keptAll("", (all) => done(all.length + document.querySelectorAll(".own-state").length)))`); n != 0 {
		t.Errorf("of a model that was deleted %d things are kept or listed after a reload", n)
	}
	b.Quiet()
}

// Menus open and close by keys and by the pointer, and give the focus back.
func TestMenus(t *testing.T) {
	b := ready(t)
	b.example(1)
	b.click(`.row`)
	for _, id := range []string{"columns", "export"} {
		check := func(open bool, focus string) {
			t.Helper()
			if got := eval[bool](b, fmt.Sprintf(`document.getElementById(%q).open`, id)); got != open {
				t.Errorf("menu %s is open: %v", id, got)
			}
			if !eval[bool](b, fmt.Sprintf(`%[2]q === "" || document.activeElement === document.querySelector("#%[1]s " + %[2]q)`, id, focus)) {
				t.Errorf("menu %s: the focus is on %s, want %s", id, eval[string](b, `document.activeElement.outerHTML.slice(0, 100)`), focus)
			}
		}
		b.Run("focus", chromedp.Focus("#"+id+" summary"))
		for _, step := range []struct {
			key   string
			open  bool
			focus string
		}{{kb.ArrowDown, true, ":first-child"}, {kb.ArrowUp, true, ":last-child"}, {kb.Home, true, ":first-child"}} {
			b.Run("a key", chromedp.KeyEvent(step.key))
			check(step.open, ".menu-item"+step.focus)
		}
		b.barriers(id)
		b.Run("Escape", chromedp.KeyEvent(kb.Escape))
		check(false, "summary")
		if eval[bool](b, `document.querySelector(".row.selected") === null`) {
			t.Error("Escape has closed more than the menu")
		}
		b.click("#" + id + " summary")
		check(true, "")
		b.click("h1.mark")
		check(false, "")
	}
	// Escape closes one thing at a time, wherever the focus is.
	b.click(".help-button")
	b.Run("Escape", chromedp.KeyEvent(kb.Escape))
	b.Wait(`!document.getElementById("help").open && document.querySelector(".row.selected") !== null`)
	eval[any](b, `(document.activeElement.blur(), null)`)
	b.Run("Escape", chromedp.KeyEvent(kb.Escape))
	b.Wait(`document.querySelector(".row.selected") === null`)
	b.Quiet()
}

// A link carries structures, their names, settings and the selected row, which never stand in the address. Links are
// hostile: markup stays text. What else a link may hold is tested in app.
func TestLinkCarriesTheCase(t *testing.T) {
	s := serve(t, open(t))
	b := browse(t)
	// A tab behind others has no clipboard.
	b.first(`Clipboard.prototype.writeText = async (text) => { globalThis.testCopied = text; };`)
	b.visit(s.URL + "/?model=clintox&alpha=0.1")
	b.usable()
	b.write("CCO ethanol, pure\nC1CC open\nc1ccccc1C(=O)[O-] benzoate & more #1\n")
	b.phase("done")
	b.click(`[data-row="2"]`)
	b.save("link")
	b.Wait(`document.querySelector(".export-note")?.textContent.includes("It holds 3 structures")`)

	other := browse(t)
	other.visit(eval[string](b, `testCopied`))
	other.phase("done")
	other.Wait(`document.querySelector(".row.selected")?.textContent.includes("benzoate & more #1")`)
	const carried = `[document.querySelector(".alpha output").textContent, document.querySelector(".model-name").textContent, document.getElementById("smiles").value].join("|")`
	if got, want := eval[string](other, carried), eval[string](b, carried); got != want {
		t.Errorf("the link carries %q, want %q", got, want)
	}
	for _, tab := range []*tab{b, other} {
		if got := eval[string](tab, `location.href`); strings.Contains(got, "ethanol") || strings.Contains(got, "#") {
			t.Errorf("the address has %s", got)
		}
	}
	// Pasted over the address of an open page.
	other.anew()
	eval[any](other, `(location.hash = "model=%3Cimg%20src=x%3E&smiles=CCO+%3Cimg+src%3Dx%3E", null)`)
	other.Wait(`document.querySelector(".notice").textContent.includes("is not in this browser") && location.hash === ""`)
	other.phase("done")
	if eval[int](other, `document.querySelectorAll("img").length`) != 0 {
		t.Error("a link has made an element of its own")
	}
	other.Quiet()
	b.Quiet()
}

// Text is there after a reload; during a run on a file the browser asks before.
func TestInputSurvivesAReload(t *testing.T) {
	b := ready(t)
	const text = "CCO ethanol\nc1ccccc1 benzene\n"
	b.write(text)
	b.reload()
	b.Wait(fmt.Sprintf(`document.getElementById("smiles").value === %q`, text))
	b.Wait(`document.getElementById("page").dataset.phase === "done" && document.querySelector(".notice").textContent.includes("Your input is back")`)
	b.click(".notice button")
	b.Wait(`document.querySelector(".notice").hidden`)
	b.empty()
	b.reload()
	b.usable()
	if got := eval[string](b, `document.getElementById("smiles").value + document.getElementById("page").dataset.phase`); got != "empty" {
		t.Errorf("after clearing, a reload shows %q", got)
	}

	leaving := `(() => { const e = new Event("beforeunload", { cancelable: true }); dispatchEvent(e); return e.defaultPrevented; })()`
	if eval[bool](b, leaving) {
		t.Error("the browser asks though nothing would be lost")
	}
	b.upload("#file", "many.csv", smallMolecules(8000))
	b.Wait(leaving) // while it runs
	b.phase("done")
	if eval[bool](b, leaving) {
		t.Error("the browser asks after the run")
	}
	b.reload()
	b.Wait(`document.querySelector(".notice").textContent.includes("many.csv has to be given again")`)
	b.Quiet()
}

// asking is how request does so.
//
//go:embed testdata/request.js
var asking string

// request sends a request to the frame, and returns how many rows and how much progress it is answered by.
func (b *tab) request(request string) (answer struct{ Rows, Progress int }) {
	b.t.Helper()
	text := eval[string](b, fmt.Sprintf(asking, request))
	try.Check(json.Unmarshal([]byte(text), &answer))
	return answer
}

// The example page of web/EMBED.md has the frame score, and gets rows back. Pages of other origins are
// not heard, and shown no frame. What the frame answers is tested in app.
func TestEmbedded(t *testing.T) {
	page, example := open(t), try.To(os.ReadFile("../../../web/examples/embed.html"))
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/embed.html" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Write(example)
			return
		}
		page.ServeHTTP(w, r)
	}))
	b := browse(t)
	b.Run("opening the example", chromedp.Navigate(s.URL+"/embed.html"))
	b.Wait(`!document.getElementById("score").disabled`)
	b.click("#score")
	b.Wait(`document.querySelectorAll("#rows tr").length === 3`)
	cells := regexp.MustCompile(`^\S+\|[01][.\d]*\|(inside|borderline|outside)$`)
	for i, row := range eval[[]string](b, `[...document.querySelectorAll("#rows tr")].map((r) => [...r.cells].map((c) => c.textContent).join("|"))`) {
		if !cells.MatchString(row) {
			t.Errorf("row %d is %s, want a name, a p-value and a verdict", i+1, row)
		}
	}
	// It shows the input and the result alone.
	const shown = `[...document.getElementById("baca").contentDocument.querySelectorAll("header, .band, .input, .result, .lab")].filter((e) => e.checkVisibility())`
	if got := eval[string](b, shown+`.map((e) => e.className).join()`); got != "band,pane result" {
		t.Errorf("the frame shows %s", got)
	}
	if a := b.request(`{ score: { smiles: ["CCO", "C1CC"], model: "clintox", alpha: 0.2, by: "alone" } }`); a.Rows != 2 || a.Progress == 0 {
		t.Errorf("with another model: %+v", a)
	}
	eval[any](b, `(() => {
		const frame = document.getElementById("baca").contentWindow;
		globalThis.testHeard = [];
		addEventListener("message", ({ data }) => testHeard.push(data.id));
		const say = (origin, source) => frame.dispatchEvent(new frame.MessageEvent("message", { origin, source, data: { baca: 1, id: "foreign", score: ["CCCCCC"] } }));
		say("https://elsewhere.example", window);
		say(location.origin, frame);
		return null;
	})()`)
	if a := b.request(`{ score: { smiles: ["CCO"], by: "alone" } }`); a.Rows != 1 {
		t.Errorf("a page of the same origin is answered %+v", a)
	}
	if eval[bool](b, `testHeard.includes("foreign")`) {
		t.Error("a foreign page was answered")
	}

	b.Quiet()
	foreign := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><iframe id="baca" src="%s/?embed" onload="document.title = 'loaded'"></iframe>`, s.URL)
	}))
	other := browse(t)
	other.Run("a foreign page", chromedp.Navigate(foreign.URL))
	other.Wait(`document.title === "loaded"`)
	if said := other.Wrong(); !strings.Contains(said, "frame-ancestors") {
		t.Errorf("the browser shows the page in a foreign frame; it says %q", said)
	}
}
