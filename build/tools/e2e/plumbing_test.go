package e2e

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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

// compare checks the rows of the page against those of the command.
func compare(t *testing.T, got message.Columns, want [][]string) {
	t.Helper()
	if len(got.Texts("id")) != len(want)-1 {
		t.Fatalf("%d rows, the command has %d", len(got.Texts("id")), len(want)-1)
	}
	for at, name := range want[0] {
		if c := table.Named(got, name); c != nil && name != "error" {
			compareColumn(t, c, at, want[1:])
		}
	}
	for i, row := range want[1:] {
		if at := slices.Index(want[0], "error"); (got.Texts("error")[i] == "") != (row[at] == "") {
			t.Errorf("row %d: error %q, the command has %q", i+1, got.Texts("error")[i], row[at])
		}
	}
}

// compareColumn checks a column against cell at of the rows of the command.
func compareColumn(t *testing.T, c *table.Column, at int, want [][]string) {
	t.Helper()
	for i, row := range want {
		if c.Kind == table.Texts {
			if c.Texts[i] != row[at] {
				t.Errorf("row %d: %s %q, the command has %q", i+1, c.Name, c.Texts[i], row[at])
			}
			continue
		}
		x, err := strconv.ParseFloat(row[at], 64)
		// The command writes six digits. Scores have a deviation of about 1, and the
		// search for a logistic head ends within 1e-8 of its end.
		if d := math.Abs(c.Numbers[i] - x); math.IsNaN(c.Numbers[i]) != (row[at] == "") || err == nil && !(d <= 1e-5*math.Abs(x)+1e-8) {
			t.Errorf("row %d: %s is %.9g, the command has %q", i+1, c.Name, c.Numbers[i], row[at])
		}
	}
}

// The page thinks nothing of where it lies: in a folder of a host that has never heard
// of WebAssembly, without any header of ours.
func TestPageLoadsFromAnyFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "some", "folder")
	if err := open(t).Write(dir); err != nil {
		t.Fatal(err)
	}
	root := filepath.Dir(filepath.Dir(dir))
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := filepath.Join(root, filepath.FromSlash(r.URL.Path))
		if strings.HasSuffix(r.URL.Path, "/") {
			name = filepath.Join(name, "index.html")
		}
		data, err := os.ReadFile(name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		switch filepath.Ext(name) {
		case ".html":
			w.Header().Set("Content-Type", "text/html")
		case ".js":
			w.Header().Set("Content-Type", "text/javascript")
		case ".css":
			w.Header().Set("Content-Type", "text/css")
		case ".svg":
			w.Header().Set("Content-Type", "image/svg+xml")
		default:
			w.Header().Set("Content-Type", "application/octet-stream")
		}
		w.Write(data)
	}))
	for _, path := range []string{"/some/folder/", "/some/folder/index.html", "/some/folder/?model=bzr#x"} {
		b := browse(t)
		b.visit(s.URL + path)
		c := b.client()
		if _, m := must[*message.Model](t, c, &message.LoadModel{}); m.Name != "drugs" || !m.BuiltIn {
			t.Errorf("%s: the first model is %q", path, m.Name)
		}
		b.quiet()
	}
}

func TestScoresAreThoseOfTheCommand(t *testing.T) {
	b, c := worker(t)
	_, w := must[*message.Welcome](t, c, &message.Hello{})
	if len(w.Models) < 3 || w.Models[0].Name != "drugs" || !bytes.Equal(w.Examples, web.Examples()) {
		t.Fatalf("%d models, the first is %q, %d bytes of examples", len(w.Models), w.Models[0].Name, len(w.Examples))
	}
	_, m := must[*message.Model](t, c, &message.LoadModel{})
	if m.SHA256 != w.Models[0].SHA256 || m.Train == 0 || m.SmallestP >= 0.05 {
		t.Errorf("the model is %+v, the list has %+v", m, w.Models[0])
	}
	input := "C1CC open ring\n" + examples(t)
	for _, test := range []struct {
		name, input string
		request     message.Score
		args        []string
	}{
		{"default", input, message.Score{}, nil},
		{"batch", input, message.Score{By: "batch", Every: 50}, []string{"--by", "batch"}},
		{"attention", input, message.Score{By: "attention", Seed: 7, Alpha: 0.1}, []string{"--by", "attention", "--seed", "7", "--alpha", "0.1"}},
		{"few", "CCO ethanol\nCC(=O)Oc1ccccc1C(=O)O aspirin\nO=[N+]([O-])N1CN([N+](=O)[O-])CN([N+](=O)[O-])C1 RDX\n", message.Score{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, o := must[*message.Opened](t, c, &message.Open{Name: "input.smi", Data: []byte(test.input)})
			if n := strings.Count(test.input, "\n"); o.Records != n || o.Format != "smi" || !o.Molecules {
				t.Errorf("opened %+v, want %d records", o, n)
			}
			events, scored := must[*message.Scored](t, c, &test.request)
			compare(t, rowsOf(events), score(t, "input.smi", test.input, test.args...))
			kinds := map[string]int{}
			for _, e := range events {
				kinds[fmt.Sprintf("%T", e)]++
			}
			if test.request.Every > 0 && kinds["*message.Iteration"] != 4 {
				t.Errorf("%d iterations of 200 seen, want every 50th", kinds["*message.Iteration"])
			}
			if kinds["*message.Reference"] != 1 || kinds["*message.Fitted"] == 1 != (test.request.By != "") || kinds["*message.Progress"] == 0 {
				t.Errorf("events %v", kinds)
			}
			if scored.Outside+scored.Borderline+scored.Inside+scored.Refused != scored.Records || scored.Undecided > 0 {
				t.Errorf("%+v do not add up", scored)
			}
		})
	}
	b.quiet()
}

// cancelled cancels a request at the first event of the kind.
func cancelled(t *testing.T, c *message.Client, r message.Request, first func(message.Event) bool) {
	t.Helper()
	begun, failed := make(chan bool, 1), make(chan message.Reply, 1)
	c.Do(r, func(e message.Event) {
		if first(e) {
			select {
			case begun <- true:
			default:
			}
		}
	}, func(r message.Reply) { failed <- r })
	receive(t, begun, "the first event")
	c.Cancel()
	if f, ok := receive(t, failed, "the reply").(*message.Failed); !ok || f.Code != message.CodeCancelled {
		t.Errorf("the reply is %v, want %s", f, message.CodeCancelled)
	}
}

func TestCancelLeavesAUsablePage(t *testing.T) {
	b, c := worker(t)
	must[*message.Model](t, c, &message.LoadModel{})
	must[*message.Opened](t, c, &message.Open{Data: []byte(strings.Repeat(examples(t), 20))})
	cancelled(t, c, &message.Score{}, func(message.Event) bool { return true })
	// The new worker is given the model and the input again.
	if _, d := must[*message.Detailed](t, c, &message.Detail{Record: 0}); d.SMILES == "" || len(d.Contribution) != len(d.Atoms) {
		t.Errorf("detail %+v", d)
	}
	must[*message.Opened](t, c, &message.Open{Data: []byte(examples(t))})
	if _, scored := must[*message.Scored](t, c, &message.Score{}); scored.Records == 0 {
		t.Error("nothing is scored")
	}
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
