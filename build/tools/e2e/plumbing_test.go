package e2e

import (
	"bytes"
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

	"baca/wasm/message"
	"baca/web"
)

// examples are the built-in molecules as SMILES and name, one a line.
func examples(t *testing.T) string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(web.Examples())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, row := range rows[1:] {
		fmt.Fprintf(&b, "%s %s\n", row[2], row[0])
	}
	return b.String()
}

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
	for _, at := range []string{"/some/folder/", "/some/folder/?model=bzr#x"} {
		b := browse(t)
		b.visit(s.URL + at)
		c := b.client()
		if _, m := must[*message.Model](t, c, &message.LoadModel{}); m.Name != "drugs" || !m.BuiltIn {
			t.Errorf("%s: the first model is %q", at, m.Name)
		}
		b.quiet()
	}
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
	b.run("loading again", chromedp.Reload())
	b.wait(`document.documentElement.dataset.state === "running"`)
	c := b.client()
	must[*message.Model](t, c, &message.LoadModel{})
	must[*message.Opened](t, c, &message.Open{Data: []byte(examples(t))})
	if _, scored := must[*message.Scored](t, c, &message.Score{}); scored.Records == 0 {
		t.Error("nothing is scored")
	}
	// Workers that share the work start without a network too.
	must[*message.Opened](t, c, &message.Open{Data: smallMolecules(13_000), Name: "small.csv"})
	if _, scored := must[*message.Scored](t, c, &message.Score{Workers: 3}); scored.Workers < 2 {
		t.Error("no other worker has started")
	}
	must[*message.Model](t, c, &message.LoadModel{Name: "bzr"})
	b.quiet()
}

// A worker that cannot start is no end: it says why, and the next request tries
// again.
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
	c := b.client()
	_, reply := ask(t, c, &message.Hello{})
	if f, ok := reply.(*message.Failed); !ok || f.Code != message.CodeDied || f.Text == "" {
		t.Errorf("the reply is %v, want %s and why", reply, message.CodeDied)
	}
	broken.Store(false)
	must[*message.Welcome](t, c, &message.Hello{})
}
