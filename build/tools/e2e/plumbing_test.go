package e2e

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"net"
	"net/http"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"baca/algo/table"
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

// rowsOf joins the rows of the events of a Score.
func rowsOf(events []message.Event) message.Columns {
	var all message.Columns
	for _, e := range events {
		if r, ok := e.(*message.Rows); ok {
			all.Append(r.Rows)
		}
	}
	return all
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

// With a batch the scores of a worker are the command's, those of the paper to the last digit written.
func TestScoresAreThoseOfTheCommand(t *testing.T) {
	b, c := worker(t)
	must[*message.Model](t, c, &message.LoadModel{})
	input := "C1CC open ring\n" + examples(t)
	must[*message.Opened](t, c, &message.Open{Name: "input.smi", Data: []byte(input)})
	for _, test := range []struct {
		request message.Score
		args    []string
	}{
		{message.Score{By: "batch", Every: 50}, []string{"--by", "batch"}},
		{message.Score{By: "attention", Seed: 7, Alpha: 0.1}, []string{"--by", "attention", "--seed", "7", "--alpha", "0.1"}},
	} {
		t.Run(test.request.By, func(t *testing.T) {
			events, _ := must[*message.Scored](t, c, &test.request)
			got, want := rowsOf(events), score(t, "input.smi", input, test.args...)
			if n := table.Rows(got); n != len(want)-1 {
				t.Fatalf("%d rows, the command has %d", n, len(want)-1)
			}
			for at, name := range want[0] {
				if c := table.Named(got, name); c != nil && name != "error" {
					compareColumn(t, c, at, want[1:])
				}
			}
		})
	}
	b.quiet()
}

// compareColumn checks a column against cell at of the rows of the command.
func compareColumn(t *testing.T, c *table.Column, at int, want [][]string) {
	t.Helper()
	exact := strings.HasPrefix(c.Name, "s_")
	for i, row := range want {
		if c.Kind == table.Texts {
			if c.Texts[i] != row[at] {
				t.Errorf("row %d: %s %q, the command has %q", i+1, c.Name, c.Texts[i], row[at])
			}
			continue
		}
		got := c.Numbers[i]
		x, err := strconv.ParseFloat(row[at], 64)
		// The command writes six digits. Scores have a deviation of about 1, and the
		// search for a logistic head ends within 1e-8 of its end.
		wrong := err == nil && (!(math.Abs(got-x) <= 1e-5*math.Abs(x)+1e-8) || exact && strconv.FormatFloat(got, 'g', 6, 64) != row[at])
		if wrong || math.IsNaN(got) != (row[at] == "") {
			t.Errorf("row %d: %s is %.9g, the command has %q", i+1, c.Name, got, row[at])
		}
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
