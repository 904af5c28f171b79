package e2e

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/klauspost/compress/zstd"

	"baca/web"
	"baca/weights"
)

// act runs a command of the browser's protocol.
func (b *tab) act(what string, f func(context.Context) error) {
	b.t.Helper()
	b.run(what, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error { return f(ctx) }))
}

// first has a script run before those of the pages that are opened from now on.
func (b *tab) first(what, script string) {
	b.t.Helper()
	b.act(what, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	})
}

// drop drags a file over the page and lets it go there, at x from the left.
func (b *tab) drop(x float64, name string, data []byte) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		b.t.Fatal(err)
	}
	at := func(kind input.DispatchDragEventType) {
		b.t.Helper()
		b.act("dropping "+name, func(ctx context.Context) error {
			_, err := chromedp.Call(ctx, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: x, Y: 400, Data: &input.DragData{Items: []*input.DragDataItem{}, Files: []string{path}, DragOperationsMask: 1}})
			return err
		})
	}
	b.anew()
	at(input.DispatchDragEventTypeDragEnter)
	at(input.DispatchDragEventTypeDragOver)
	b.wait(`getComputedStyle(document.querySelector(".drop-veil")).display !== "none"`)
	at(input.DispatchDragEventTypeDrop)
	b.wait(`getComputedStyle(document.querySelector(".drop-veil")).display === "none"`)
}

// downloads has the browser save files, and remembers them by name.
func (b *tab) downloads() {
	b.t.Helper()
	var names sync.Map // by the browser's number
	folder := b.t.TempDir()
	if err := chromedp.Listen(b.ctx, func(ev any) {
		switch e := ev.(type) {
		case *browser.EventDownloadWillBegin:
			names.Store(e.GUID, e.SuggestedFilename)
		case *browser.EventDownloadProgress:
			name, _ := names.Load(e.GUID)
			if e.State != browser.DownloadProgressStateCompleted || name == nil {
				return
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			b.files[name.(string)] = e.FilePath
			close(b.saves)
			b.saves = make(chan struct{})
		}
	}); err != nil {
		b.t.Fatal(err)
	}
	b.act("the folder for downloads", func(ctx context.Context) error {
		enabled := true
		_, err := chromedp.Call(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: "allow", BrowserContextID: chromedp.FromContext(ctx).BrowserContextID, DownloadPath: folder, EventsEnabled: &enabled})
		return err
	})
}

// path waits until a file is saved whose name ends so, and returns where it is.
func (b *tab) path(end string) string {
	b.t.Helper()
	for {
		b.mu.Lock()
		for name, path := range b.files {
			if strings.HasSuffix(name, end) {
				delete(b.files, name) // the next of that name is another
				b.mu.Unlock()
				return path
			}
		}
		there, next := slices.Collect(maps.Keys(b.files)), b.saves
		b.mu.Unlock()
		select {
		case <-next:
		case <-b.ctx.Done():
			b.t.Fatalf("%s was not saved, there is %q%s", end, there, b.said())
		}
	}
}

// saved waits for a file to be there as a whole.
func (b *tab) saved(name string) []byte {
	b.t.Helper()
	data, err := os.ReadFile(b.path(name))
	if err != nil {
		b.t.Fatal(err)
	}
	return data
}

func TestDropFiles(t *testing.T) {
	b := ready(t)
	// The second door is for a training set.
	b.drop(900, "mine.csv", web.Examples())
	b.wait(`document.getElementById("train").open && document.getElementById("train").textContent.includes("158 molecules in mine.csv")`)
	b.closeDialog("train")
	b.drop(600, "molecules.csv", web.Examples())
	b.phase("done")
	if got := b.text("#input-status"); !strings.Contains(got, "158 read") {
		t.Errorf("the page says %q of the CSV", got)
	}

	var squeezed bytes.Buffer
	w, err := zstd.NewWriter(&squeezed)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(manyRows(400))
	w.Close()
	b.drop(600, "rows.csv.zst", squeezed.Bytes())
	b.wait(`document.getElementById("input-status").textContent.includes("396 read, 4 refused")`)
	b.phase("done")
	if got := b.text(".file-name"); got != "rows.csv.zst" {
		t.Errorf("the file is called %q", got)
	}
	// One that is damaged says so, and the way back is a click.
	b.drop(600, "half.csv.zst", squeezed.Bytes()[:squeezed.Len()/2])
	b.phase("broken")
	if got := b.text(".notice"); !strings.Contains(got, "cannot be read") || !strings.Contains(got, "half.csv.zst") {
		t.Errorf("the page says %q of half a file", got)
	}
	eval[any](b, `([...document.querySelectorAll(".input-status button")].find((e) => e.textContent === "Undo").click(), null)`)
	b.wait(`document.getElementById("input-status").textContent.includes("396 read")`)

	// A model, and a text that a person can read.
	model, err := weights.Bytes("bbbp")
	if err != nil {
		t.Fatal(err)
	}
	b.drop(600, "own.msgpack", model)
	b.phase("done")
	b.drop(600, "two.smi", []byte("CCO ethanol\nc1ccccc1 benzene\n"))
	b.wait(`document.getElementById("smiles").value.startsWith("CCO ethanol")`)
	b.phase("done")
	b.quiet()
}

// The threshold follows the pointer and the keys, and the verdicts follow it.
func TestDragTheThreshold(t *testing.T) {
	b := ready(t)
	b.example(3)
	b.wait(`document.querySelector("#strip svg")?.viewBox.baseVal.width === document.getElementById("strip").clientWidth`)
	box := eval[struct{ X, Y, Width, Height float64 }](b, `(() => { const r = document.getElementById("strip").getBoundingClientRect(); return {X: r.x, Y: r.y, Width: r.width, Height: r.height} })()`)
	outside := func() int {
		return eval[int](b, `Number(document.querySelector(".chip.is-outside .chip-count").textContent)`)
	}
	where := func() float64 {
		return eval[float64](b, `Number(/M([\d.]+)/.exec(document.querySelector("#strip .threshold").getAttribute("d"))[1])`)
	}
	before, from := outside(), where()
	y := box.Y + box.Height/2
	mouse := func(kind input.DispatchMouseEventType, x float64) {
		t.Helper()
		b.run(string(kind), chromedp.MouseEvent(kind, box.X+x, y, chromedp.Button("left")))
	}
	mouse("mousePressed", from)
	for _, part := range []float64{0.95, 0.85, 0.75} {
		mouse("mouseMoved", from*part)
	}
	b.wait(fmt.Sprintf(`Number(document.querySelector(".chip.is-outside .chip-count").textContent) > %d`, before))
	// It comes to stand at a score of the reference, near the pointer.
	b.wait(fmt.Sprintf(`((at) => at < %g && at > %g)(Number(/M([\d.]+)/.exec(document.querySelector("#strip .threshold").getAttribute("d"))[1]))`, from*0.85, from*0.65))
	mouse("mouseReleased", from*0.75)
	b.still()
	now := outside()
	mouse("mouseMoved", from)
	b.still()
	if got := outside(); got != now {
		t.Errorf("%d outside after moving on without the button, before %d", got, now)
	}
	alpha := b.text(".alpha output")
	b.run("keys", chromedp.Focus("#strip"), chromedp.SendKeys("#strip", kb.ArrowRight+kb.ArrowRight+kb.ArrowRight))
	// A screen reader is told what the page shows.
	b.wait(fmt.Sprintf(`((shown) => shown !== %q && document.getElementById("strip").getAttribute("aria-valuetext").includes(shown))(document.querySelector(".alpha output").textContent)`, alpha))
	b.quiet()
}

func TestSavePictures(t *testing.T) {
	b := ready(t)
	b.downloads()
	b.example(1)
	name := b.text(".suggestion-name")
	b.click(`.suggestion`)
	b.wait(`document.querySelectorAll(".large .towards, .large .away").length > 0`)
	for _, p := range []struct{ scene, click, file string }{
		{"", `[data-save="svg"]`, "baca-distribution.svg"}, {"", `[data-save="png"]`, "baca-distribution.png"}, {"", `.inspector [data-save-as="molecule.svg"]`, name + ".svg"},
		{"views", `[data-save-as="baca-map-1.svg"]`, "baca-map-1.svg"}, {"graphons", `[data-save-as="baca-graphon-outside.png"]`, "baca-graphon-outside.png"},
	} {
		if p.scene != "" {
			b.scene(p.scene)
		}
		if strings.HasPrefix(p.click, "[data-save=") {
			b.click("#export summary")
		}
		if strings.HasPrefix(p.click, ".inspector") {
			b.click("#take summary")
		}
		b.click(p.click)
		data := b.saved(p.file)
		if strings.HasSuffix(p.file, ".svg") { // what is in it is tested in app/picture
			if !bytes.HasPrefix(data, []byte("<svg")) && !bytes.HasPrefix(data, []byte("<?xml")) {
				t.Errorf("%s is %.100s", p.file, data)
			}
			continue
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", p.file, err)
		}
		colours := map[color.Color]bool{}
		for at := range picture.Bounds().Dx() * picture.Bounds().Dy() {
			colours[picture.At(at%picture.Bounds().Dx(), at/picture.Bounds().Dx())] = true
		}
		if picture.Bounds().Dx() < 400 || len(colours) < 5 {
			t.Errorf("%s is %v large and has %d colours", p.file, picture.Bounds(), len(colours))
		}
	}
	b.quiet()
}

// mortal has the page's workers at hand, so that one can be killed.
const mortal = `(() => {
	globalThis.theWorkers = [];
	const Real = Worker;
	globalThis.Worker = class extends Real {
		constructor(...args) {
			super(...args);
			if (String(args[0]).endsWith("/worker.js")) theWorkers.push(this);
		}
	};
})()`

// When a worker dies, the page says so, keeps the input, and goes on when asked.
func TestTheWorkerDies(t *testing.T) {
	s := serve(t, open(t))
	b := browse(t)
	b.first("keeping the workers", mortal)
	b.visit(s.URL + "/")
	b.usable()
	die := func(text string) {
		t.Helper()
		eval[any](b, fmt.Sprintf(`(() => { const w = theWorkers.at(-1); w.terminate(); w.onmessage({ data: %q }); return null })()`, text))
	}
	b.upload("#file", "many.csv", manyRows(4000))
	b.phase("scoring")
	die("panic: the sky has fallen")
	b.phase("broken")
	if got := b.text(".notice"); !strings.Contains(got, "The worker stopped") || !strings.Contains(got, "the sky has fallen") || !strings.Contains(got, "Your input is still here") {
		t.Errorf("the page says %q", got)
	}
	if got := b.text(".file-name"); got != "many.csv" {
		t.Errorf("the input is %q", got)
	}
	b.look("died")
	b.click(".notice .button")
	b.phase("scoring")
	die("fatal error: runtime: out of memory")
	b.phase("broken")
	if got := b.text(".notice"); !strings.Contains(got, "Not enough memory") || !strings.Contains(got, "4 000 records") {
		t.Errorf("the page says %q", got)
	}
	b.click(".notice .button")
	b.phase("done")
	b.wait(`document.querySelectorAll(".row .c-draw svg").length > 3`)
	b.quiet()
}

// The page can be installed, and nothing of it moves while it starts on a slow processor.
func TestInstallableAndSteady(t *testing.T) {
	s := serve(t, open(t))
	b := browse(t)
	b.act("a slow processor", func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 6})
		return err
	})
	b.visit(s.URL + "/")
	b.wait(`!document.querySelector(".example").disabled`)
	// It is moved at last: once that has been told of, so has all before it.
	moved := eval[struct {
		Sum  float64  `json:"sum"`
		What []string `json:"what"`
	}](b, `new Promise((done) => {
		let sum = 0;
		const end = performance.now(), what = [];
		const place = (r) => [r.x, r.y, r.width, r.height].map(Math.round).join(" ");
		new PerformanceObserver((list) => {
			for (const e of list.getEntries()) {
				if (e.startTime >= end) return done({ sum, what });
				sum += e.value;
				for (const s of e.sources) what.push((s.node?.outerHTML || s.node?.textContent || "gone").slice(0, 80) + " from " + place(s.previousRect) + " to " + place(s.currentRect));
			}
		}).observe({ type: "layout-shift", buffered: true });
		requestAnimationFrame(() => { document.body.style.paddingTop = "200px"; });
	})`)
	if moved.Sum > 0.01 {
		t.Errorf("the page moves by %g while it starts, want 0:\n%s", moved.Sum, strings.Join(moved.What, "\n"))
	}
	eval[any](b, `navigator.serviceWorker.ready.then(() => null)`)
	b.act("the manifest", func(ctx context.Context) error {
		m, err := chromedp.Call(ctx, page.GetAppManifest, page.GetAppManifestParams{})
		if err != nil {
			return err
		}
		for _, e := range m.Errors {
			t.Errorf("manifest: %s", e.Message)
		}
		if !strings.Contains(m.Data, `"display": "standalone"`) {
			t.Errorf("the manifest is %s", m.Data)
		}
		return nil
	})
	b.quiet()
}
