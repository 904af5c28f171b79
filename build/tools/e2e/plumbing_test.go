package e2e

import (
	"encoding/csv"
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

// score is the output of `baca score`.
func score(t *testing.T, file, input string, args ...string) [][]string {
	t.Helper()
	out, _ := baca(t, file, []byte(input), append([]string{"score"}, args...)...)
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// The page thinks nothing of where it lies: in a folder of a host that has never heard
// of WebAssembly, without any header of ours.
func TestPageLoadsFromAnyFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "some", "folder")
	if err := open(t).Write(dir); err != nil {
		t.Fatal(err)
	}
	files := http.FileServer(http.Dir(filepath.Dir(filepath.Dir(dir))))
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ext := path.Ext(r.URL.Path); ext == ".wasm" || ext == ".webmanifest" || ext == ".msgpack" {
			w.Header().Set("Content-Type", "application/octet-stream")
		}
		files.ServeHTTP(w, r)
	}))
	b := browse(t)
	b.visit(s.URL + "/some/folder/?alpha=0.1")
	b.usable()
	b.example(1)
	b.quiet()
}

func TestWorksWithoutANetwork(t *testing.T) {
	page := open(t)
	other := ""
	for _, f := range page.Files() {
		if f.Model == "bzr" {
			other = f.Path
		}
	}
	s := serve(t, sharing(page))
	b := browse(t)
	b.visit(s.URL + "/")
	eval[any](b, `navigator.serviceWorker.ready.then((r) => new Promise((done) => {
		if (r.active.state === "activated") done(null);
		else r.active.addEventListener("statechange", () => r.active.state === "activated" && done(null));
	}))`)
	// The other models come behind the rest.
	b.wait(`(globalThis.kept ||= 0, caches.match(new URL("` + other + `", location).href).then((found) => (globalThis.kept = found ? 1 : 0)), globalThis.kept === 1)`)
	s.Close()
	if l, err := net.Listen("tcp", strings.TrimPrefix(s.URL, "http://")); err == nil {
		l.Close() // nobody else listens there
	} else {
		t.Fatal(err)
	}
	b.reload()
	b.usable()
	b.example(1)
	// Workers that share a long list start without a network too.
	b.upload("#file", "small.csv", smallMolecules(13_000))
	b.phase("done")
	if got := b.text("#took"); !strings.Contains(got, " workers") {
		t.Errorf("the page says %q, and no other worker has started", got)
	}
	name := b.text(".model-name")
	b.run("another model", chromedp.Navigate(s.URL+"/?model=bzr"))
	b.wait(fmt.Sprintf(`((name) => ![undefined, "", %q].includes(name) && !name.includes("loading"))(document.querySelector(".model-name")?.textContent)`, name))
	b.quiet()
}

// Where the worker cannot start the page says so, and is well once it can.
func TestWorkerThatCannotStart(t *testing.T) {
	page := open(t)
	var broken atomic.Bool
	broken.Store(true)
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sw.js" || r.URL.Path == "/worker.js" && broken.Load() {
			http.NotFound(w, r)
			return
		}
		page.ServeHTTP(w, r)
	}))
	b := browse(t)
	b.visit(s.URL + "/")
	b.wait(`document.querySelector(".notice").textContent.includes("The worker stopped")`)
	broken.Store(false)
	b.reload()
	b.usable()
	b.example(1)
}

// A page that lacks one of its files says so on the screen, however it begins.
func TestPageThatCannotStart(t *testing.T) {
	page := open(t)
	for _, missing := range []string{".wasm", "/web/tools.js", "/wasm_exec.js"} {
		s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, missing) || r.URL.Path == "/sw.js" {
				http.NotFound(w, r)
				return
			}
			page.ServeHTTP(w, r)
		}))
		b := browse(t)
		b.run("opening", chromedp.Navigate(s.URL+"/"))
		b.wait(`document.documentElement.dataset.state === "failed"`)
		if text := b.text("#failure"); !strings.Contains(text, "could not start") || !eval[bool](b, `(() => { const r = document.getElementById("failure").getBoundingClientRect(); return r.height > 0 && r.bottom < innerHeight && !document.getElementById("loading") })()`) {
			t.Errorf("without %s the page says %q", missing, text)
		}
	}
}

// What is pasted while the program loads is scored once it runs.
func TestPastedBeforeTheStart(t *testing.T) {
	s := serve(t, open(t))
	b := browse(t)
	b.first("pasting", `addEventListener("DOMContentLoaded", () => { document.getElementById("smiles").value = "CCO early"; })`)
	b.visit(s.URL + "/")
	b.phase("done")
	if got := b.text(".row-name"); !strings.HasSuffix(got, "early") {
		t.Errorf("the row is %q", got)
	}
	b.quiet()
}
