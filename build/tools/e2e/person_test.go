package e2e

import (
	"baca/build/internal/try"
	"bytes"
	"context"
	_ "embed"
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
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/klauspost/compress/zstd"

	"baca/web"
	"baca/weights"
)

// ask has the browser carry out a command of its protocol.
func ask[P, R any](b *tab, command cdp.Command[P, R], params P) (answer R) {
	b.t.Helper()
	b.Run(fmt.Sprintf("%T", params), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) (err error) {
		answer, err = chromedp.Call(ctx, command, params)
		return err
	}))
	return answer
}

// first has a script run before those of the pages that are opened from now on.
func (b *tab) first(script string) {
	b.t.Helper()
	ask(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
}

// drop drags a file over the page and lets it go there, at x from the left.
func (b *tab) drop(x float64, name string, data []byte) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), name)
	try.Check(os.WriteFile(path, data, 0o644))
	at := func(kind input.DispatchDragEventType) {
		b.t.Helper()
		data := &input.DragData{Items: []*input.DragDataItem{}, Files: []string{path}, DragOperationsMask: 1}
		ask(b, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: x, Y: 400, Data: data})
	}
	b.anew()
	at(input.DispatchDragEventTypeDragEnter)
	at(input.DispatchDragEventTypeDragOver)
	b.Wait(`getComputedStyle(document.querySelector(".drop-veil")).display !== "none"`)
	at(input.DispatchDragEventTypeDrop)
	b.Wait(`getComputedStyle(document.querySelector(".drop-veil")).display === "none"`)
}

// downloads has the browser save files, and remembers them by name.
func (b *tab) downloads() {
	b.t.Helper()
	var names sync.Map // by the browser's number
	folder := b.t.TempDir()
	try.Check(chromedp.Listen(b.Ctx, func(ev any) {
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
	}))
	enabled := true
	ask(b, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: "allow", BrowserContextID: chromedp.FromContext(b.Ctx).BrowserContextID, DownloadPath: folder, EventsEnabled: &enabled,
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
		case <-b.Ctx.Done():
			b.t.Fatalf("%s was not saved, there is %q%s", end, there, b.Wrong())
		}
	}
}

// saved waits for a file to be there as a whole.
func (b *tab) saved(name string) []byte {
	b.t.Helper()
	return try.To(os.ReadFile(b.path(name)))
}

// Files are dropped, or given by the system to an installed page. What is saved are the command's bytes.
func TestFiles(t *testing.T) {
	b := ready(t, `Object.defineProperty(globalThis, "launchQueue", { value: { setConsumer(take) { globalThis.testLaunch = take; } } });`)
	b.downloads()
	// The second door is for a training set.
	b.drop(900, "mine.csv", web.Examples())
	b.Wait(`document.getElementById("train").open && document.getElementById("train").textContent.includes("158 molecules in mine.csv")`)
	b.closeDialog("train")
	b.drop(600, "molecules.csv", web.Examples())
	b.phase("done")
	b.save("csv")
	if page, want := string(b.saved("molecules-baca.csv")), baca(t, "molecules.csv", web.Examples(), "score", "--spreadsheet-safe"); page != want {
		t.Errorf("the page saved\n%.600s\nthe command wrote\n%.600s", page, want)
	}

	var squeezed bytes.Buffer
	w := try.To(zstd.NewWriter(&squeezed))
	w.Write(smallMolecules(400))
	w.Close()
	b.drop(600, "rows.csv.zst", squeezed.Bytes())
	b.Wait(`document.getElementById("input-status").textContent.includes("396 read, 4 refused") && document.querySelector(".file-name").textContent === "rows.csv.zst"`)
	b.phase("done")
	// One that is damaged says so, and the way back is a click.
	b.drop(600, "half.csv.zst", squeezed.Bytes()[:squeezed.Len()/2])
	b.phase("broken")
	b.says(".notice", "cannot be read", "half.csv.zst")
	eval[any](b, `([...document.querySelectorAll(".input-status button")].find((e) => e.textContent === "Undo").click(), null)`)
	b.Wait(`document.getElementById("input-status").textContent.includes("396 read")`)

	// A model, and a text that a person can read.
	model := try.To(weights.Bytes("bbbp"))
	b.drop(600, "own.msgpack", model)
	b.phase("done")
	b.anew()
	eval[any](b, `testLaunch({ files: [{ getFile: async () => new File(["CCO ethanol\nc1ccccc1 benzene\n"], "two.smi") }] }).then(() => null)`)
	b.Wait(`document.getElementById("smiles").value.startsWith("CCO ethanol")`)
	b.phase("done")
	b.Quiet()
}

// The threshold follows the pointer and the keys, and the verdicts follow it.
func TestDragTheThreshold(t *testing.T) {
	b := ready(t)
	b.example(3)
	b.Wait(`document.querySelector("#strip svg")?.viewBox.baseVal.width === document.getElementById("strip").clientWidth`)
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
		b.Run(string(kind), chromedp.MouseEvent(kind, box.X+x, y, chromedp.Button("left")))
	}
	mouse("mousePressed", from)
	for _, part := range []float64{0.95, 0.85, 0.75} {
		mouse("mouseMoved", from*part)
	}
	b.Wait(fmt.Sprintf(`Number(document.querySelector(".chip.is-outside .chip-count").textContent) > %d`, before))
	// It comes to stand at a score of the reference, near the pointer.
	b.Wait(fmt.Sprintf(`((at) => at < %g && at > %g)(Number(/M([\d.]+)/.exec(document.querySelector("#strip .threshold").getAttribute("d"))[1]))`, from*0.85, from*0.65))
	mouse("mouseReleased", from*0.75)
	b.still()
	now := outside()
	mouse("mouseMoved", from)
	b.Run("the other button", chromedp.MouseClickXY(box.X+from, y, chromedp.ButtonRight))
	b.still()
	if got := outside(); got != now {
		t.Errorf("%d outside after moving on without the left button, before %d", got, now)
	}
	alpha := b.text(".alpha output")
	b.Run("keys", chromedp.Focus("#strip"), chromedp.SendKeys("#strip", kb.ArrowRight+kb.ArrowRight+kb.ArrowRight))
	// A screen reader is told what the page shows.
	b.Wait(fmt.Sprintf(`((shown) => shown !== %q && document.getElementById("strip").getAttribute("aria-valuetext").includes(shown))(document.querySelector(".alpha output").textContent)`, alpha))
	b.Quiet()
}

// Pictures are saved as drawn, and as pixels. What is in them is tested in app/picture.
func TestSavePictures(t *testing.T) {
	b := ready(t)
	b.downloads()
	b.example(1)
	name := b.text(".suggestion-name")
	b.click(`.suggestion`)
	b.Wait(`document.querySelectorAll(".large .towards, .large .away").length > 0`)
	for file, clicks := range map[string][]string{
		name + ".svg":           {"#take summary", `.inspector [data-save-as="molecule.svg"]`},
		"baca-distribution.svg": {"#export summary", `[data-save="svg"]`},
		"baca-distribution.png": {"#export summary", `[data-save="png"]`},
	} {
		b.click(clicks...)
		data := b.saved(file)
		if strings.HasSuffix(file, ".svg") {
			if !bytes.Contains(data[:min(100, len(data))], []byte("<svg")) {
				t.Errorf("%s is %.100s", file, data)
			}
			continue
		}
		picture := try.To(png.Decode(bytes.NewReader(data)))
		colours, size := map[color.Color]bool{}, picture.Bounds()
		for at := range size.Dx() * size.Dy() {
			colours[picture.At(at%size.Dx(), at/size.Dx())] = true
		}
		if size.Dx() < 400 || len(colours) < 5 {
			t.Errorf("%s is %v large and has %d colours", file, size, len(colours))
		}
	}
	// As in a browser that makes and copies no PNG.
	eval[any](b, `(Object.defineProperty(navigator, "clipboard", { value: undefined }), HTMLCanvasElement.prototype.toBlob = (done) => done(null), null)`)
	b.click("#export summary", `[data-save="png"]`)
	b.Wait(`document.querySelector(".export-note").textContent === "Saved as SVG: the browser made no PNG"`)
	b.saved("baca-distribution.svg")
	b.click("#take summary", `#take [data-take="png"]`)
	b.Wait(`document.querySelector(".export-note").textContent.includes("Not copied: the browser copies no pictures")`)
	b.Quiet()
}

// shifts lists what moved on the page until it is moved on purpose.
//
//go:embed testdata/moved.js
var shifts string

// mortal has the page's workers at hand, so that one can be killed.
//
//go:embed testdata/mortal.js
var mortal string

// When a worker dies, the page says so, keeps the input, and goes on when asked.
func TestTheWorkerDies(t *testing.T) {
	b := ready(t, mortal)
	b.upload("#file", "many.csv", smallMolecules(8000))
	b.phase("scoring")
	eval[any](b, `(() => { const w = theWorkers.at(-1); w.terminate(); w.onmessage({ data: "panic: the sky has fallen" }); return null })()`)
	b.phase("broken")
	b.says(".notice", "The worker stopped", "the sky has fallen", "Your input is still here")
	b.says(".file-name", "many.csv")
	b.look("died")
	b.click(".notice .button")
	b.phase("done")
	b.Wait(`document.querySelectorAll(".row .c-draw svg").length > 3`)
	b.Quiet()
}

// The page can be installed, and nothing of it moves while it starts on a slow processor.
func TestInstallableAndSteady(t *testing.T) {
	s := serve(t, open(t))
	b := browse(t)
	ask(b, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 6})
	b.visit(s.URL + "/")
	b.Wait(`!document.querySelector(".example").disabled`)
	// It is moved at last: once that has been told of, so has all before it.
	if moved := eval[[]string](b, shifts); len(moved) > 0 {
		t.Errorf("the page moves while it starts: %q", moved)
	}
	eval[any](b, `navigator.serviceWorker.ready.then(() => null)`)
	m := ask(b, page.GetAppManifest, page.GetAppManifestParams{})
	if len(m.Errors) > 0 || !strings.Contains(m.Data, `"display": "standalone"`) {
		t.Errorf("the manifest is %s, with the errors %+v", m.Data, m.Errors)
	}
	b.Quiet()
}
