package main

import (
	"baca/build/internal/try"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"baca/build/internal/chromium"
	"baca/web"
)

// policy is what README.md says is enough, and nothing else. The element's style needs none.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'"

// visit serves a folder under the policy and opens its page.
func visit(t *testing.T, folder string) *chromium.Tab {
	t.Helper()
	files := http.FileServer(http.Dir(folder))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return open(t, server.URL)
}

// open opens a page in a Chromium of its own. What it asks of another place than this machine is an error in its console.
func open(t *testing.T, url string) *chromium.Tab {
	t.Helper()
	ctx, end, err := chromium.Start(t.TempDir())
	try.Check(err)
	t.Cleanup(end)
	at, ok := t.Deadline()
	if !ok {
		at = time.Now().Add(time.Hour)
	}
	limited, end := context.WithDeadline(ctx, at.Add(-20*time.Second))
	t.Cleanup(end)
	b := chromium.NewTab(t, limited)
	b.Run("opening the page", chromedp.Navigate(url+"/"))
	return b
}

// drawn says that the first element of a page shows a picture.
const drawn = `document.querySelector("baca-score")?.shadowRoot.querySelector("svg[role=img]") != null`

// page is that of README.md, in a document.
func page(t *testing.T) string {
	t.Helper()
	html := blocks(t, "html")
	if len(html) != 1 {
		t.Fatalf("%d pages in README.md, want 1", len(html))
	}
	return "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>A molecule</title></head>\n<body>\n<main><h1>A molecule</h1>\n" + html[0] + "</main>\n</body>\n</html>\n"
}

// The types are those of the package, as bundlers and as Node find them.
func TestTypes(t *testing.T) {
	dir := project(t)
	for _, how := range [][]string{{"--module", "esnext", "--moduleResolution", "bundler"}, {"--module", "nodenext", "--moduleResolution", "nodenext"}} {
		args := append([]string{"tsc", "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "types.ts"}, how...)
		run(t, dir, nil, "npx", args...)
	}
}

// project is a folder with the bundlers and the package installed, and the page of README.md.
// The bundlers come from the npm registry by the lockfile, once for all tests.
func project(t *testing.T) string {
	t.Helper()
	ready(t)
	dir := filepath.Join(built, "project")
	if _, err := os.Stat(filepath.Join(dir, "index.html")); err == nil {
		return dir
	}
	try.Check(os.CopyFS(dir, os.DirFS("testdata/bundlers")))
	run(t, dir, nil, "npm", "ci", "--no-audit", "--no-fund", "--silent")
	install(t, dir)
	put(t, filepath.Join(dir, "favicon.ico"), nil) // which Chromium asks Vite's server for
	put(t, filepath.Join(dir, "index.html"), []byte(page(t)))
	return dir
}

// vite builds the page by Vite, and returns the folder.
func vite(t *testing.T) string {
	t.Helper()
	dir := project(t)
	run(t, dir, nil, "npx", "vite", "build", "--logLevel", "error")
	return filepath.Join(dir, "dist")
}

// The package works in the page that each bundler makes, and without one.
func TestBundlers(t *testing.T) {
	chromium.Need(t)
	dir := project(t)
	for name, bundle := range map[string]func(t *testing.T) string{
		"vite": vite,
		"esbuild": func(t *testing.T) string {
			public := filepath.Join(dir, "public")
			try.Check(os.RemoveAll(public))
			try.Check(os.Mkdir(public, 0o777))
			run(t, dir, nil, "sh", "-e", "-c", blocks(t, "sh")[0])
			put(t, filepath.Join(public, "index.html"), []byte(page(t)))
			return public
		},
		"none": func(t *testing.T) string {
			plain := t.TempDir()
			try.Check(os.CopyFS(filepath.Join(plain, "baca-wasm"), os.DirFS(filepath.Join(dir, "node_modules", "baca-wasm"))))
			text := strings.NewReplacer(`"baca-wasm/element"`, `"./baca-wasm/element.js"`, `"baca-wasm"`, `"./baca-wasm/index.js"`).Replace(string(get(t, filepath.Join(dir, "main.js"))))
			put(t, filepath.Join(plain, "main.js"), []byte(text))
			put(t, filepath.Join(plain, "spy.js"), get(t, filepath.Join(dir, "spy.js")))
			put(t, filepath.Join(plain, "index.html"), []byte(page(t)))
			return plain
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := bundle(t)
			ask(t, folder, "expected", append(smilesOf(t, web.Examples()), "C(", "[Xx]")) // what the command says
			b := visit(t, folder)
			b.Wait(`globalThis.suite !== undefined`)
			chromium.Eval[any](b, `suite().then(() => null)`)
			b.Wait(`document.querySelector("baca-score").row?.verdict === "outside"`)
			b.Wait(drawn)
			b.Quiet()
		})
	}
}

// The package works while a page is developed: Vite's server gives libraries another place.
func TestViteServer(t *testing.T) {
	chromium.Need(t)
	dir := project(t)
	listener := try.To(net.Listen("tcp", "127.0.0.1:0"))
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	address := fmt.Sprintf("http://127.0.0.1:%d", port)
	c := exec.Command("node", "node_modules/vite/bin/vite.js", "--host", "127.0.0.1", "--strictPort", "--port", fmt.Sprint(port))
	c.Dir = dir
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	try.Check(c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() { c.Process.Kill() })
	for {
		if r, err := http.Get(address); err == nil {
			r.Body.Close()
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("Vite's server: %v\n%s", err, out.Bytes())
		case <-time.After(50 * time.Millisecond):
		}
	}
	b := open(t, address)
	b.Wait(`document.querySelector("baca-score")?.row?.verdict === "outside"`)
	b.Wait(drawn)
	b.Quiet()
}

// The element says its verdict to everybody: in words, to screen readers, by keys alone, and
// anew when it changes.
func TestElement(t *testing.T) {
	chromium.Need(t)
	b := visit(t, vite(t))
	const element = `document.querySelector("baca-score")`
	const text = element + `.shadowRoot.querySelector("[role=status]").innerText`
	shows := func(want string) {
		t.Helper()
		b.Wait(fmt.Sprintf(`%s.includes(%q)`, text, want))
	}
	shows("C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-] is outside, p = 0.00357")
	// A screen reader gets the words without the mark.
	if got := chromium.Eval[string](b, element+`.shadowRoot.querySelector("[aria-hidden]").textContent`); got != "▲ " {
		t.Errorf("the mark is %q", got)
	}
	if axe, err := os.ReadFile("../../web/node_modules/axe-core/axe.min.js"); err == nil {
		chromium.Eval[any](b, string(axe)+";null")
		if found := chromium.Eval[string](b, `axe.run().then((r) => r.violations.map((v) => v.id + ": " + v.help).join("\n"))`); found != "" {
			t.Error(found)
		}
	} else {
		t.Log("axe-core is not installed: npm ci in web")
	}

	// By keys alone: to the button, and open.
	b.Run("keys", chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	if got := chromium.Eval[string](b, element+`.shadowRoot.activeElement?.textContent`); got != "Why outside?" {
		t.Fatalf("the focus is on %q", got)
	}
	b.Wait(element + `.shadowRoot.querySelectorAll("details[open] li").length > 1`)
	if got := chromium.Eval[string](b, element+`.shadowRoot.querySelector("ul").innerText`); !strings.Contains(got, "nitramine") || !strings.Contains(got, "the most similar training molecule is ") {
		t.Errorf("the reasons are %q", got)
	}

	// Anew when the attribute changes, and what comes too late is not shown.
	chromium.Eval[any](b, `globalThis.events = []; addEventListener("baca-score", (e) => events.push(e.detail?.smiles)); null`)
	chromium.Eval[any](b, element+`.smiles = "[Na+].[Cl-]"; `+element+`.smiles = "CC(=O)Oc1ccccc1C(=O)O"; null`)
	shows("CC(=O)Oc1ccccc1C(=O)O is inside, p = ")
	if chromium.Eval[bool](b, element+`.shadowRoot.querySelector("details").open`) {
		t.Error("the reasons of the molecule before are still there")
	}
	if got := chromium.Eval[string](b, `events.join()`); got != "CC(=O)Oc1ccccc1C(=O)O" {
		t.Errorf("answers for %s, want aspirin alone", got)
	}
	chromium.Eval[any](b, element+`.setAttribute("smiles", "c1ccccc1N("); null`)
	shows("c1ccccc1N( cannot be read: character 10: the branch is never closed")
	if !chromium.Eval[bool](b, element+`.shadowRoot.querySelector("details").hidden`) {
		t.Error("reasons are offered for what is no molecule")
	}
	chromium.Eval[any](b, element+`.setAttribute("smiles", "CC(=O)Oc1ccccc1C(=O)O"); `+element+`.setAttribute("alpha", "7"); null`)
	shows("CC(=O)Oc1ccccc1C(=O)O was not scored: alpha is 7")
	chromium.Eval[any](b, element+`.removeAttribute("alpha"); null`)
	shows("CC(=O)Oc1ccccc1C(=O)O is inside")
	chromium.Eval[any](b, element+`.removeAttribute("smiles"); null`)
	b.Wait(text + ` === ""`)

	// Many elements share a detector, and markup in an attribute is text.
	chromium.Eval[any](b, `for (const s of ["CCO", "<img src=x onerror=alert(1)>", "CCCCCCCCCCCCCCCC"]) document.body.append(Object.assign(document.createElement("baca-score"), { smiles: s })); null`)
	b.Wait(`[...document.querySelectorAll("body > baca-score")].every((e) => e.row)`)
	if chromium.Eval[bool](b, `[...document.querySelectorAll("baca-score")].some((e) => e.shadowRoot.querySelector("img"))`) {
		t.Error("markup of an attribute is markup")
	}
	if n := chromium.Eval[int](b, `spied.workers.length`); n != 2 {
		t.Errorf("%d workers, want one that computes and one that draws for all elements", n)
	}
	b.Quiet()
}

// The element draws what the page draws, coloured by what the command says, and nothing where
// it is told not to.
func TestDrawing(t *testing.T) {
	chromium.Need(t)
	folder := t.TempDir()
	try.Check(os.CopyFS(folder, os.DirFS(vite(t))))
	index := filepath.Join(folder, "index.html")
	put(t, index, bytes.Replace(get(t, index), []byte("<baca-score "), []byte("<baca-score no-drawing "), 1))
	b := visit(t, folder)
	const element = `document.querySelector("baca-score")`
	b.Wait(element + `?.row?.verdict === "outside"`)
	chromium.Eval[any](b, element+`.shadowRoot.querySelector("details").open = true`)
	b.Wait(element + `.shadowRoot.querySelectorAll("details[open] li").length > 1`)
	if n := chromium.Eval[int](b, `spied.workers.length`); n != 1 || chromium.Eval[bool](b, drawn) {
		t.Errorf("%d workers, want one, and no picture", n)
	}
	chromium.Eval[any](b, `globalThis.events = 0; addEventListener("baca-score", () => events++); `+element+`.removeAttribute("no-drawing"); null`)
	b.Wait(drawn)
	if !chromium.Eval[bool](b, element+`.shadowRoot.querySelector("details").open && events === 0`) {
		t.Error("the molecule was scored anew to draw it")
	}
	if got := chromium.Eval[string](b, element+`.shadowRoot.querySelector("figcaption").innerText`); got != "orange pushes it outside, blue holds it inside" {
		t.Errorf("below the picture stands %q", got)
	}
	chromium.Eval[any](b, element+`.setAttribute("no-drawing", ""); null`)
	if chromium.Eval[bool](b, drawn) {
		t.Error("the picture stays")
	}

	// The pictures, drawn in Node by the scripts of the page with the numbers of the command.
	list := append(smilesOf(t, web.Examples())[:9], "C[C@H](N)C(=O)O", "F/C=C/Cl", "[13CH3][NH3+].[Cl-]", "OCC[Sn]", "C1N(CN(CN1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]")
	file := filepath.Join(t.TempDir(), "list.csv")
	tableOf(t, file, list)
	want := run(t, ".", []byte(run(t, ".", nil, command, "score", "--explain", "--to", "jsonl", file)), "node", "testdata/node/picture.mjs")
	text := try.To(json.Marshal(list))
	chromium.Eval[any](b, fmt.Sprintf(`for (const smiles of %s) document.body.append(Object.assign(document.createElement("baca-score"), { smiles, className: "listed" })); null`, text))
	b.Wait(`[...document.querySelectorAll(".listed")].every((e) => e.shadowRoot.querySelector("svg[role=img]"))`)
	for _, other := range chromium.Eval[[]string](b, `[...document.querySelectorAll(".listed")].filter((e, i) =>
		!new DOMParser().parseFromString(`+strings.TrimSpace(want)+`[i], "image/svg+xml").documentElement.isEqualNode(e.shadowRoot.querySelector("svg"))).map((e) => e.smiles)`) {
		t.Errorf("%s is drawn in another way than in the page", other)
	}

	// What is not drawn says so, and a worker that died is replaced.
	last := func(smiles string) {
		chromium.Eval[any](b, fmt.Sprintf(`document.body.append(Object.assign(document.createElement("baca-score"), { smiles: %q, id: "last" })); null`, smiles))
	}
	last(strings.Repeat("C", 401))
	b.Wait(`last.shadowRoot.querySelector("small")?.innerText === "Not drawn: it has more than 400 atoms."`)
	chromium.Eval[any](b, `last.remove(); spied.workers[1].onerror(new ErrorEvent("error", { message: "it died" })); null`)
	last("CCO")
	b.Wait(`last.shadowRoot.querySelector("svg[role=img]") !== null`)
	if n := chromium.Eval[int](b, `spied.workers.length`); n != 3 {
		t.Errorf("%d workers, want one that computes and two that drew", n)
	}
	if got := chromium.Eval[string](b, `spied.violations.join()`); got != "" {
		t.Errorf("the policy forbade %s", got)
	}
	b.Quiet()
}
