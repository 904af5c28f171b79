package e2e

import (
	"baca/build/internal/try"
	"fmt"
	"net"
	"net/http"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// The page works in any folder, on a host that does not know WebAssembly and sends none of our headers. What is pasted
// while the program loads is scored once it runs.
func TestPageLoadsFromAnyFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "some", "folder")
	try.Check(open(t).Write(dir))
	files := http.FileServer(http.Dir(filepath.Dir(filepath.Dir(dir))))
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ext := path.Ext(r.URL.Path); ext == ".wasm" || ext == ".webmanifest" || ext == ".msgpack" {
			w.Header().Set("Content-Type", "application/octet-stream")
		}
		files.ServeHTTP(w, r)
	}))
	b := browse(t)
	b.first(`addEventListener("DOMContentLoaded", () => { document.getElementById("smiles").value = "CCO early"; })`)
	b.visit(s.URL + "/some/folder/?alpha=0.1")
	b.phase("done")
	if got := b.text(".row-name"); !strings.HasSuffix(got, "early") {
		t.Errorf("what was pasted while the program loads becomes the row %q", got)
	}
	b.Quiet()
}

// installed waits until the service worker has what the page needs.
const installed = `navigator.serviceWorker.ready.then((r) => new Promise((done) => {
	if (r.active.state === "activated") done(null);
	else r.active.addEventListener("statechange", () => r.active.state === "activated" && done(null));
}))`

func TestWorksWithoutANetwork(t *testing.T) {
	page := open(t)
	other := ""
	for _, f := range page.Files() {
		if f.Model == "bzr" {
			other = f.Path
		}
	}
	s := serve(t, changing(page, func(text string) string { return waiting + text }, "/worker.js"))
	b := browse(t)
	b.visit(s.URL + "/")
	eval[any](b, installed)
	// The other models come behind the rest.
	b.Wait(`(globalThis.kept ||= 0, caches.match(new URL("` + other + `", location).href).then((found) => (globalThis.kept = found ? 1 : 0)), globalThis.kept === 1)`)
	s.Close()
	try.Check(try.To(net.Listen("tcp", strings.TrimPrefix(s.URL, "http://"))).Close()) // nobody else listens there
	b.reload()
	b.usable()
	b.example(1)
	// Workers that share a long list start without a network too.
	b.upload("#file", "small.csv", smallMolecules(13_000))
	b.phase("done")
	b.says("#took", " workers")
	name := b.text(".model-name")
	b.Run("another model", chromedp.Navigate(s.URL+"/?model=bzr"))
	b.Wait(fmt.Sprintf(`((name) => ![undefined, "", %q].includes(name) && !name.includes("loading"))(document.querySelector(".model-name")?.textContent)`, name))
	b.Quiet()
}

// lacking serves a page without some of its files, and without its service worker.
func lacking(t testing.TB, page http.Handler, missing func(path string) bool) *server {
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sw.js" || missing(r.URL.Path) {
			http.NotFound(w, r)
			return
		}
		page.ServeHTTP(w, r)
	}))
}

// A page that lacks one of its files says so on the screen. Without a worker it is well once there is one.
func TestPageThatCannotStart(t *testing.T) {
	page := open(t)
	for _, missing := range []string{".wasm", "/web/tools.js", "/wasm_exec.js"} {
		b := browse(t)
		b.Run("opening", chromedp.Navigate(lacking(t, page, func(path string) bool { return strings.HasSuffix(path, missing) }).URL))
		b.Wait(`document.documentElement.dataset.state === "failed"`)
		const seen = `(({ height, bottom }) => height > 0 && bottom < innerHeight && !document.getElementById("loading"))(document.getElementById("failure").getBoundingClientRect())`
		if text := b.text("#failure"); !strings.Contains(text, "could not start") || !eval[bool](b, seen) {
			t.Errorf("without %s the page says %q", missing, text)
		}
	}
	// What is pressed before the program has come is done once it is there.
	come := make(chan struct{})
	early := browse(t)
	early.Run("opening", chromedp.Navigate(lacking(t, page, func(path string) bool {
		if strings.HasPrefix(path, "/web/baca.") {
			<-come
		}
		return false
	}).URL))
	early.click(".help-button")
	close(come)
	early.Wait(`document.getElementById("help")?.open && document.documentElement.dataset.state === "running"`)

	var broken atomic.Bool
	broken.Store(true)
	b := browse(t)
	b.visit(lacking(t, page, func(path string) bool { return path == "/worker.js" && broken.Load() }).URL)
	b.Wait(`document.querySelector(".notice").textContent.includes("The worker stopped")`)
	broken.Store(false)
	b.reload()
	b.usable()
	b.example(1)
}
