package engine

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"

	"baca/algo"
	"baca/algo/gin"
	"baca/algo/metric"
	"baca/algo/run"
	"baca/algo/table"
	"baca/algo/training"
	"baca/wasm/message"
	"baca/weights"
)

// A host keeps what is posted, as it would arrive at the page.
type host struct {
	t      *testing.T
	files  map[string][]byte
	posted []any
	queue  []message.Request
	yields int
	yield  func()

	sources map[int]Source
	cores   int
	started int // workers
	device  gin.Device
	asked   []int // batches that a device was asked for
	// spoil, unless nil, tells whether a worker dies instead of taking a message.
	spoil func(worker int, m any) bool
}

func (h *host) Post(number uint32, m any) {
	_, again, err := message.Decode(have(message.Encode(number, m)))
	succeed(err)
	h.posted = append(h.posted, again)
}

func (h *host) Yield() {
	h.yields++
	if h.yield != nil {
		h.yield()
	}
}

func (h *host) Waiting() (uint32, message.Request, bool) {
	if len(h.queue) == 0 || !Light(h.queue[0]) {
		return 0, nil, false
	}
	r := h.queue[0]
	h.queue = h.queue[1:]
	return 99, r, true
}

func (h *host) Fetch(name string) ([]byte, error) {
	if data, ok := h.files[name]; ok {
		return data, nil
	}
	return nil, fmt.Errorf("no file %s", name)
}

func (h *host) File(number int) (Source, error) {
	if s, ok := h.sources[number]; ok {
		return s, nil
	}
	return nil, errors.New("no such file")
}

func (h *host) Cores() int { return h.cores }

func (h *host) Device(_ context.Context, _ gin.Config, graphs int, training bool) (gin.Device, string) {
	if h.device == nil {
		return nil, ""
	}
	h.asked = append(h.asked, graphs)
	return h.device, "test device"
}

func (h *host) Zstd(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
}

// A thread is a worker beside the test's, with an engine of its own.
type thread struct {
	queue chan func()
	over  atomic.Bool
}

// A threadHost carries what the engine of a thread says.
type threadHost struct {
	*host
	say func([]byte)
}

func (h *threadHost) Post(number uint32, m any) {
	h.say(have(message.Encode(number, m)))
}

func (h *threadHost) Yield() {}

func (h *threadHost) Waiting() (uint32, message.Request, bool) { return 0, nil, false }

func (h *host) Spawn(receive func([]byte), died func(string)) message.Port {
	t := &thread{queue: make(chan func(), 100)}
	h.started++
	worker := h.started
	e := New(&threadHost{h, func(data []byte) {
		if !t.over.Load() {
			receive(data)
		}
	}})
	go func() {
		for f := range t.queue {
			f()
		}
	}()
	return &threadPort{t, func(data []byte) {
		number, m, err := message.Decode(data)
		succeed(err)
		if h.spoil != nil && h.spoil(worker, m) {
			died("it was told to")
			return
		}
		e.Handle(number, m.(message.Request))
	}}
}

type threadPort struct {
	*thread
	take func([]byte)
}

func (p *threadPort) Post(data []byte, file int) {
	p.queue <- func() {
		if !p.over.Load() {
			p.take(data)
		}
	}
}

func (p *threadPort) Terminate() { p.over.Store(true) }

// have returns what came without an error.
func have[T any](v T, err error) T {
	succeed(err)
	return v
}

// succeed panics with an error, which ends the test: the test is not about it.
func succeed(err error) {
	if err != nil {
		panic(err)
	}
}

// bare is an engine without a model, of a site with the embedded ones, and loaded one with a built-in model.
func bare(t *testing.T) (*Engine, *host) {
	t.Helper()
	h := &host{t: t, files: map[string][]byte{}}
	w := &message.Welcome{Program: algo.Version, Background: "background"}
	h.files[w.Background] = smallBackground()
	for _, name := range []string{"bbbp", "bzr"} {
		data := have(weights.Bytes(name))
		m := have(weights.Load(data))
		card := Card(m, data)
		card.File = "models/" + name
		h.files[card.File] = data
		w.Models = append(w.Models, card)
	}
	h.files[Start] = have(message.Encode(0, w))
	return New(h), h
}

func loaded(t *testing.T, model string) (*Engine, *host) {
	t.Helper()
	e, h := bare(t)
	must[*message.Model](e, h, &message.LoadModel{Name: model})
	return e, h
}

// all are the events of a type.
func all[E any](events []any) (list []E) {
	for _, ev := range events {
		if e, ok := ev.(E); ok {
			list = append(list, e)
		}
	}
	return list
}

// stages are the latest Progress of each stage.
func stages(events []any) map[string]message.Progress {
	last := map[string]message.Progress{}
	for _, p := range all[*message.Progress](events) {
		last[p.Stage] = *p
	}
	return last
}

// ask answers a request and returns its events and its reply.
func ask(e *Engine, h *host, r message.Request) (events []any, reply any) {
	h.t.Helper()
	h.posted = nil
	e.Handle(1, r)
	last := len(h.posted) - 1
	return h.posted[:last], h.posted[last]
}

// must is ask for a reply of type R.
func must[R any](e *Engine, h *host, r message.Request) ([]any, R) {
	h.t.Helper()
	events, reply := ask(e, h, r)
	got, ok := reply.(R)
	if !ok {
		h.t.Fatalf("the reply to %T is %T: %v", r, reply, reply)
	}
	return events, got
}

// fails checks the code and a part of the text of a failure.
func fails(e *Engine, h *host, r message.Request, code, part string) {
	h.t.Helper()
	_, reply := ask(e, h, r)
	if f, ok := reply.(*message.Failed); !ok || f.Code != code || !strings.Contains(f.Text, part) {
		h.t.Errorf("the reply to %T is %v, want %s with %q", r, reply, code, part)
	}
}

// holds checks that a page or a file holds all of some texts.
func holds(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("it lacks %q:\n%.3000s", text, page)
		}
	}
}

// alkanes are n different molecules, a few of them refused.
func alkanes(n int) string {
	var b strings.Builder
	for i := range n {
		if i%17 == 5 {
			fmt.Fprintf(&b, "C1CC refused%d\n", i)
			continue
		}
		chain := strings.Repeat("C", 1+i%11)
		for k := i / 44; k > 0; k /= 2 {
			chain += []string{"CO", "C(C)O"}[k%2]
		}
		fmt.Fprintf(&b, "%s%s m%d\n", chain, []string{"CO", "CN", "C(=O)O", "c1ccccc1"}[i%4], i)
	}
	return b.String()
}

func join(events []any) message.Columns {
	var rows message.Columns
	for _, r := range all[*message.Rows](events) {
		if r.From != table.Rows(rows) {
			panic(fmt.Sprintf("rows from %d behind %d", r.From, table.Rows(rows)))
		}
		rows.Append(r.Rows)
	}
	return rows
}

// texts are the cells of a column that was read.
func texts(r *message.Records, column string) (list []string) {
	for i := range r.Line {
		list = append(list, r.Cell(i, slices.Index(r.Columns, column)))
	}
	return list
}

// rowsOfScore are the rows of a score.
func rowsOfScore(e *Engine, h *host, r message.Score) (message.Columns, []any) {
	h.t.Helper()
	events, _ := must[*message.Scored](e, h, &r)
	return join(events), events
}

// fileOf writes rows as the page does.
func fileOf(t *testing.T, to string, columns message.Columns) string {
	t.Helper()
	var b bytes.Buffer
	w := table.NewRows(&b, to, table.Text{SpreadsheetSafe: true}, true, columns)
	w.Write(columns)
	succeed(w.Flush())
	return b.String()
}

// A score says what it compares with first, and of a batch how its training went.
func TestScore(t *testing.T) {
	e, h := loaded(t, "bbbp")
	for name, test := range map[string]struct {
		input      string
		r          message.Score
		iterations int
	}{
		"alone":   {alkanes(120), message.Score{}, 0},
		"a batch": {alkanes(120), message.Score{Batch: true, Every: 60}, 4},
		"nothing": {"", message.Score{}, 0},
	} {
		_, opened := must[*message.Opened](e, h, &message.Open{Name: "input.smi", Data: []byte(test.input)})
		rows, events := rowsOfScore(e, h, test.r)
		if n := strings.Count(test.input, "\n"); table.Rows(rows) != n || opened.Records != n {
			t.Errorf("%s: %d rows, %+v; want %d", name, table.Rows(rows), opened, n)
		}
		if ref := all[*message.Reference](events); len(ref) != 1 || len(ref[0].Score) == 0 || len(rows) > 0 && events[0] != any(ref[0]) {
			t.Errorf("%s: %d references, or a late one", name, len(ref))
		}
		fitted, iterations := all[*message.Fitted](events), all[*message.Iteration](events)
		if len(fitted) == 1 != test.r.Batch || len(iterations) != test.iterations {
			t.Errorf("%s: %d times fitted, %d iterations", name, len(fitted), len(iterations))
		}
		for _, it := range iterations {
			if it.ID.Training != 1744 || it.OOD.Training != 0 || it.OOD.Test == 0 || it.OOD.Synthetic == 0 || !math.IsNaN(it.AUC) || !(it.KL >= 0) {
				t.Errorf("%s: %+v", name, it)
			}
		}
		for _, f := range fitted {
			if held := f.Holdout; !(f.Evidence >= 0.5) || !(f.P >= 0) || len(held.Numbers("batch")) == 0 || len(held.Numbers("s_baca")) == 0 || len(held.Numbers("alone")) == 0 {
				t.Errorf("%s: fitted with evidence %g, p %g, %d of the holdout", name, f.Evidence, f.P, table.Rows(held))
			}
		}
	}
}

func TestLabelsGiveAUC(t *testing.T) {
	e, h := loaded(t, "bbbp")
	labels := make([]int, 60)
	var text strings.Builder
	text.WriteString("smiles\tname\tOOD\n")
	for i, line := range strings.Split(strings.TrimSpace(alkanes(60)), "\n") {
		labels[i] = i%3 - 1
		smiles, name, _ := strings.Cut(line, " ")
		fmt.Fprintf(&text, "%s\t%s\t%s\n", smiles, name, []string{"", "0", "yes"}[i%3])
	}
	must[*message.Opened](e, h, &message.Open{Name: "a.tsv", Data: []byte(text.String())})
	events, scored := must[*message.Scored](e, h, &message.Score{Batch: true, Every: 100})
	rows := join(events)
	for _, c := range []struct {
		scores message.Floats
		got    float64
	}{{rows.Numbers("alone"), scored.AUC}, {rows.Numbers("batch"), scored.BatchAUC}, {rows.Numbers("s_baca"), scored.PaperAUC}} {
		var inside, outside []float64
		for i, label := range labels {
			switch x := c.scores[i]; {
			case math.IsNaN(x):
			case label == 0:
				inside = append(inside, x)
			case label == 1:
				outside = append(outside, x)
			}
		}
		if want := metric.Above(outside, inside); math.Abs(c.got-want) > 1e-12 {
			t.Errorf("AUC %g, want %g", c.got, want)
		}
	}
	for _, it := range all[*message.Iteration](events) {
		if !(it.AUC >= 0 && it.AUC <= 1) {
			t.Errorf("AUC %g in step %d", it.AUC, it.Step)
		}
	}
	// Without labels there is none.
	must[*message.Opened](e, h, &message.Open{Data: []byte("CCO ood\nCC x\n")})
	if _, scored := must[*message.Scored](e, h, &message.Score{}); !math.IsNaN(scored.AUC) {
		t.Errorf("AUC %g", scored.AUC)
	}
}

func TestOpenSaysWhatIsWrongAndWhere(t *testing.T) {
	e, h := bare(t)
	events, o := must[*message.Opened](e, h, &message.Open{Name: "a.csv", Data: []byte("name,smiles\nx,CCO\ny,C1CC\nz,c1ccccc1X\n")})
	if o.Records != 3 || o.Refused != 2 || o.Format != "csv" || !o.Molecules {
		t.Errorf("opened %+v", o)
	}
	var problems []message.Problem
	var ids []string
	for _, r := range all[*message.Records](events) {
		problems, ids = append(problems, r.Problems...), append(ids, texts(r, "id")...)
	}
	const open = "ring bond 1 is never closed"
	const none = "no such atom outside brackets; other elements, hydrogen too, are written as in [Na] or [H]"
	want := []message.Problem{
		{Record: 1, Line: 3, Column: 4, Text: "a.csv:3:4: " + open, Reason: open, Piece: "1", At: 1, Caret: "C1CC\n ^"},
		{Record: 2, Line: 4, Column: 11, Text: "a.csv:4:11: " + none, Reason: none, Piece: "X", At: 8, Caret: "c1ccccc1X\n        ^"},
	}
	if !slices.Equal(ids, []string{"x", "y", "z"}) || !slices.Equal(problems, want) {
		t.Errorf("ids %v, problems %+v, want %+v", ids, problems, want)
	}
	// And what a simple graph lacks.
	graph := `{"nodes": [{"id": 0}], "links": [{"source": 0, "target": 0}]}`
	_, o = must[*message.Opened](e, h, &message.Open{Name: "g.json", Data: []byte(graph)})
	if !slices.Equal(o.Warnings, []string{"of 1 graph 1 self-loop was left out"}) {
		t.Errorf("opened %+v", o)
	}
}

func TestOpenReadsManyFormats(t *testing.T) {
	e, h := bare(t)
	var zipped, archive bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write([]byte("CCO ethanol\nCO methanol\n"))
	w.Close()
	z := zip.NewWriter(&archive)
	for name, text := range map[string]string{"S/S_A.txt": "1, 2\n2, 3\n4, 5\n", "S/S_graph_indicator.txt": "1\n1\n1\n2\n2\n"} {
		f := have(z.Create(name))
		f.Write([]byte(text))
	}
	z.Close()
	squeezed := squeeze(t, "name,smiles\nethanol,CCO\nmethanol,CO\n")
	other := func(name string) []byte { return have(os.ReadFile("../../../algo/dataset/testdata/other/" + name)) }
	for _, test := range []struct {
		name      string
		data      []byte
		format    string
		records   int
		id, drawn string
	}{
		{"a.smi.gz", zipped.Bytes(), "smi", 2, "ethanol", ""},
		{"", []byte("CCO\n"), "smi", 1, "1", ""},
		{"a.tsv", []byte("id\tsmiles\nq\tCCO\n"), "tsv", 1, "q", ""},
		{"a.sdf", []byte(methanol), "sdf", 1, "methanol", "CO"},
		{"S.zip", archive.Bytes(), "tu", 2, "1", ""},
		{"a.csv.zst", squeezed, "csv", 2, "ethanol", ""},
		{"what", squeezed, "csv", 2, "ethanol", ""},
		{"pzstd.csv.zst", append([]byte("\x50\x2a\x4d\x18\x04\x00\x00\x00size"), squeezed...), "csv", 2, "ethanol", ""},
		{"cr.smi", []byte("CCO ethanol\rCO methanol\r"), "smi", 2, "ethanol", ""},
		{"tabs.csv", []byte("id\tsmiles\tnote, or remark\nq\tCCO\tx\n"), "csv", 1, "q", ""},
		{"a.jsonl", []byte(`{"name": "q", "smiles": "CCO"}`), "jsonl", 1, "q", ""},
		{"a.parquet", parquetOf(t, []string{"q"}, []string{"CCO"}), "parquet", 1, "q", ""},
		{"", []byte(nodeLink(3, 0)), "nodelink", 1, "ring 3", ""},
		{"a.graphml", []byte(`<graphml><graph id="ring"><node id="0"/></graph></graphml>`), "graphml", 1, "ring", ""},
		{"two.zip", other("two.zip"), "csv", 3, "DB00945", ""},
		{"two.tar.gz", other("two.tar.gz"), "csv", 3, "DB00945", ""},
		{"a.csv.xz", other("a.csv.xz"), "csv", 2, "DB00945", ""},
		{"indented.json", other("indented.json"), "jsonl", 3, "DB00945", ""},
		{"", []byte("\xff\xfeC\x00 \x00q\x00\r\x00\n\x00"), "smi", 1, "q", ""},
	} {
		// As a file, and in the message.
		h.sources = map[int]Source{3: bytes.NewReader(test.data)}
		if _, o := must[*message.Opened](e, h, &message.Open{Name: test.name, File: 3}); o.Records != test.records || o.SHA256 != fmt.Sprintf("%x", sha256.Sum256(test.data)) {
			t.Errorf("%s: opened %+v", test.name, o)
		}
		events, o := must[*message.Opened](e, h, &message.Open{Name: test.name, Data: test.data})
		r := all[*message.Records](events)[0] // slow machines send several
		plain := slices.Contains([]string{"tu", "graphml", "nodelink"}, test.format)
		if o.Format != test.format || o.Records != test.records || o.Molecules == plain || texts(r, "id")[0] != test.id ||
			test.drawn != "" && texts(r, "smiles")[0] != test.drawn {
			t.Errorf("%s: opened %+v, records %+v", test.name, o, r)
		}
	}
	for _, bad := range []struct{ name, data, says string }{
		{"S_A.txt", "1, 2\n", "the .zip of the whole set"}, {"a.csv", "a,b\n1,2\n", "a.csv"},
		{"a.smi.zst", "\x28\xb5\x2f\xfd....", "a.smi.zst"}, {"a.csv.zst", string(squeezed[:len(squeezed)-6]), "a.csv.zst"},
		{"b.smi.zst", string(squeeze(t, strings.Repeat("\n", 4<<20))), "b.smi.zst: the data expand more than 256-fold"},
	} {
		fails(e, h, &message.Open{Name: bad.name, Data: []byte(bad.data)}, message.CodeBadInput, bad.says)
	}
	fails(e, h, &message.Open{Name: "a.csv", File: 9}, message.CodeBadInput, "no such file")
	fails(e, h, &message.Open{Data: []byte("CCO"), Format: "xyz"}, message.CodeBadOption, "xyz")
	fails(e, h, &message.Score{}, message.CodeNotReady, "model")
}

// A table tells its columns before its records, and also where none has SMILES.
func TestOpenTellsTheColumns(t *testing.T) {
	e, h := bare(t)
	header := func(events []any) *message.Header {
		return events[0].(*message.Header)
	}
	const text = "id,Parent,Salt\na,CCO,CCO.Cl\nb,CCN,CCN.Cl\n"
	events, o := must[*message.Opened](e, h, &message.Open{Data: []byte(text)})
	first := header(events)
	if want := (message.Header{Key: first.Key, Columns: []string{"id", "Parent", "Salt"}, Column: "Parent", Guessed: true}); !reflect.DeepEqual(*first, want) || len(first.Key) != 16 || o.Line != "{name},{SMILES}," || o.Records != 2 || o.Refused != 0 {
		t.Errorf("header %+v, opened %+v", first, o)
	}
	choices := []message.Choice{{Key: "of another", Column: "id"}, {Key: first.Key, Column: "Salt"}}
	events, _ = must[*message.Opened](e, h, &message.Open{Data: []byte(text + "c,CCC,CCC.Cl\n"), Choices: choices})
	if got := header(events); got.Column != "Salt" || got.Guessed {
		t.Errorf("header %+v with a choice", got)
	}
	if r, ok := events[1].(*message.Records); !ok || !slices.Equal(texts(r, "smiles"), []string{"CCO.Cl", "CCN.Cl", "CCC.Cl"}) || !slices.Equal(texts(r, "id"), []string{"a", "b", "c"}) || !slices.Equal(texts(r, "Parent"), []string{"CCO", "CCN", "CCC"}) {
		t.Errorf("records %+v", events[1])
	}
	// What decides later, and other workers, read the same column.
	must[*message.Model](e, h, &message.LoadModel{})
	events, _ = must[*message.Scored](e, h, &message.Score{})
	if got := join(events).Texts("smiles"); len(got) != 3 || got[0] != "CCO.Cl" {
		t.Errorf("scored %q", got)
	}

	h.posted = nil
	fails(e, h, &message.Open{Data: []byte("key,drug\n1,aspirin\n")}, message.CodeBadInput, "No column holds SMILES: there are \"key\", \"drug\".")
	if got := header(h.posted); got.Column != "" || !slices.Equal(got.Columns, []string{"key", "drug"}) {
		t.Errorf("header %+v", got)
	}
	// Also where another notation stands for SMILES.
	fails(e, h, &message.Open{Data: []byte("key,smiles\n1,InChI=1S/CH4/h1H4\n")}, message.CodeBadInput, "InChI")
	if got := header(h.posted); !slices.Equal(got.Columns, []string{"key", "smiles"}) {
		t.Errorf("header %+v", got)
	}
	// Columns of one name can be told by their places, and one of them chosen.
	h.posted = nil
	const twins = "smiles,name,smiles\nCCO,a,CCN\n"
	fails(e, h, &message.Open{Name: "t.csv", Data: []byte(twins)}, message.CodeBadInput, `t.csv: line 1, column 13: columns 1 and 3 are both called "smiles": want one`)
	several := header(h.posted)
	if want := []string{"column 1", "name", "column 3"}; several.Column != "" || !slices.Equal(several.Columns, want) {
		t.Errorf("header %+v, want %q", several, want)
	}
	events, _ = must[*message.Opened](e, h, &message.Open{Data: []byte(twins), Choices: []message.Choice{{Key: several.Key, Column: "column 3"}}})
	if r, ok := events[1].(*message.Records); !ok || !slices.Equal(texts(r, "smiles"), []string{"CCN"}) {
		t.Errorf("records %+v", events[1])
	}
	// No key shows what is in a table without a header.
	events, _ = must[*message.Opened](e, h, &message.Open{Data: []byte("CCO,secret\nCCN,other\n")})
	if got := header(events); strings.Contains(got.Key, "secret") || !slices.Equal(got.Columns, []string{"column 1", "column 2"}) {
		t.Errorf("header %+v", got)
	}
}

func TestModels(t *testing.T) {
	e, h := bare(t)
	if _, w := must[*message.Welcome](e, h, &message.Hello{}); len(w.Models) != 2 || w.Program != algo.Version {
		t.Errorf("welcome %+v", w)
	}
	_, m := must[*message.Model](e, h, &message.LoadModel{Name: "bzr"})
	if m.Name != "bzr" || m.Molecules || !m.BuiltIn || m.File == "" {
		t.Errorf("model %+v", m)
	}
	must[*message.Opened](e, h, &message.Open{Data: []byte("CCO\n")})
	fails(e, h, &message.Score{}, message.CodeBadModel, "reads plain graphs")
	data := have(weights.Bytes("bbbp"))
	if _, m := must[*message.Model](e, h, &message.LoadModel{Name: "mine.msgpack", Data: data}); m.BuiltIn || m.File != "" || !m.Molecules {
		t.Errorf("model %+v", m)
	}
	fails(e, h, &message.LoadModel{Name: "nobody"}, message.CodeBadModel, "nobody")
	fails(e, h, &message.LoadModel{Name: "x", Data: data[:1000]}, message.CodeBadModel, "truncated")
	h.files["models/bzr"] = []byte("BaCa?")
	fails(e, h, &message.LoadModel{Name: "bzr"}, message.CodeBadModel, "sha-256")
	// The last good one is still there.
	must[*message.Scored](e, h, &message.Score{})
	for _, alpha := range []float64{2, -1} {
		fails(e, h, &message.Score{Alpha: alpha}, message.CodeBadOption, "")
	}
}

func TestDetail(t *testing.T) {
	e, h := loaded(t, "bbbp")
	input := "OCC[C@H](Cl)c1ccncc1 a\nC1CC b\n[13CH3][N+](C)(C)CBr c\n" + alkanes(40)
	must[*message.Opened](e, h, &message.Open{Data: []byte(input)})
	_, before := must[*message.Detailed](e, h, &message.Detail{Record: 0})
	if before.IDKeys != nil || before.SMILES != "OCC[C@H](Cl)c1ccncc1" {
		t.Errorf("before a score: %+v", before)
	}
	must[*message.Scored](e, h, &message.Score{})
	if _, d := must[*message.Detailed](e, h, &message.Detail{Record: 0}); d.IDKeys != nil {
		t.Errorf("keys %+v without a batch", d.IDKeys)
	}
	must[*message.Scored](e, h, &message.Score{Batch: true})
	_, d := must[*message.Detailed](e, h, &message.Detail{Record: 2})
	if want := []string{"C", "N", "C", "C", "C", "Br"}; !slices.Equal(d.Atoms, want) {
		t.Errorf("atoms %v, want %v", d.Atoms, want)
	}
	if got, want := fmt.Sprint(d.Bonds), "[{0 1} {1 2} {1 3} {1 4} {4 5}]"; got != want {
		t.Errorf("bonds %s, want %s", got, want)
	}
	fails(e, h, &message.Detail{Record: 1}, message.CodeBadInput, "ring")
	fails(e, h, &message.Detail{Record: 1000}, message.CodeBadOption, "1000")
	fails(e, h, &message.Detail{Record: -1}, message.CodeBadOption, "-1")
}

// Light requests have their turn while many rows are scored.
func TestLightRequestsDoNotWait(t *testing.T) {
	e, h := loaded(t, "bbbp")
	must[*message.Opened](e, h, &message.Open{Data: []byte(alkanes(run.MaxGraphs + 1500))})
	h.queue = []message.Request{&message.Hello{}, &message.Score{}}
	rows, events := rowsOfScore(e, h, message.Score{})
	at := slices.IndexFunc(events, func(ev any) bool { return reflect.TypeOf(ev) == reflect.TypeFor[*message.Welcome]() })
	if at < 0 || len(all[*message.Rows](events[at:])) == 0 || table.Rows(rows) != run.MaxGraphs+1500 {
		t.Errorf("answered at event %d of %d, %d rows", at, len(events), table.Rows(rows))
	}
	if len(all[*message.Fitted](events)) > 0 {
		t.Error("a batch was calibrated")
	}
	if len(h.queue) != 1 {
		t.Error("a request that is not light was taken")
	}
	if h.yields == 0 {
		t.Error("the host never had its turn")
	}
}

// A model of molecules has epochs where they are asked for.
func TestTrainAtOnce(t *testing.T) {
	e, h := bare(t)
	must[*message.Opened](e, h, &message.Open{Name: "Mine.smi", Data: []byte(alkanes(64))})
	events, made := must[*message.Trained](e, h, &message.Train{Seconds: 1e-9})
	if told := all[*message.Epoch](events); len(told) != 1 || told[0].Of != 0 || told[0].Train == 0 || len(all[*message.Checkpoint](events)) > 0 {
		t.Errorf("told %+v", told)
	}
	if made.Model.Paper || made.Model.Train == 0 {
		t.Errorf("made %+v", made.Model)
	}
	h.yield = func() {
		if len(all[*message.Epoch](h.posted)) == 1 {
			e.Pause()
		}
	}
	if _, paused := must[*message.Paused](e, h, &message.Train{Attention: true}); paused.Epoch != 0 {
		t.Errorf("paused after epoch %d", paused.Epoch)
	}
	if told := all[*message.Epoch](h.posted); told[len(told)-1].Of != training.UsualEpochs {
		t.Errorf("told %+v", told)
	}
}

func TestTrainPausesAndGoesOn(t *testing.T) {
	e, h := bare(t)
	fails(e, h, &message.Train{}, message.CodeNotReady, "input")
	must[*message.Opened](e, h, &message.Open{Name: "Mine.smi", Data: []byte(alkanes(10))})
	fails(e, h, &message.Train{}, message.CodeBadInput, "at least 20")
	must[*message.Opened](e, h, &message.Open{Name: "Mine.smi", Data: []byte(alkanes(64))})
	fails(e, h, &message.Train{Epochs: -1}, message.CodeBadOption, "epochs")
	fails(e, h, &message.Train{Checkpoint: []byte("x")}, message.CodeBadOption, "checkpoint")
	fails(e, h, &message.Train{Name: strings.Repeat("x", 1<<16)}, message.CodeBadOption, "")

	events, whole := must[*message.Trained](e, h, &message.Train{Epochs: 4, Seconds: 1e-9})
	var epochs []int
	var losses []float64
	for _, ev := range all[*message.Epoch](events) {
		epochs, losses = append(epochs, ev.Epoch), append(losses, ev.Loss)
		if ev.Of != 4 || ev.Train+ev.Holdout+ev.Refused != 64 {
			t.Errorf("epoch %+v", ev)
		}
	}
	checkpoints := len(all[*message.Checkpoint](events))
	if !slices.Equal(epochs, []int{0, 1, 2, 3, 4}) || checkpoints != 3 || losses[4] >= losses[1] {
		t.Errorf("epochs %v, losses %v, %d checkpoints", epochs, losses, checkpoints)
	}
	if m := whole.Model; m.Name != "mine" || m.Epochs != 4 || m.SmallestP <= 0.05 || len(whole.Warnings) != 1 {
		t.Errorf("trained %+v, warnings %v", whole.Model, whole.Warnings)
	}

	// Paused after two epochs and gone on in another engine.
	h.yield = func() {
		if h.yields++; len(all[*message.Epoch](h.posted)) == 3 {
			e.Pause()
		}
	}
	_, paused := must[*message.Paused](e, h, &message.Train{Epochs: 4})
	h.yield = nil
	if paused.Epoch != 2 {
		t.Errorf("paused after epoch %d, want 2", paused.Epoch)
	}
	other := New(h)
	must[*message.Opened](other, h, &message.Open{Name: "Mine.smi", Data: []byte(alkanes(64))})
	fails(other, h, &message.Train{Epochs: 4, Seed: 2, Checkpoint: paused.Data}, message.CodeBadOption, "seed 1")
	fails(other, h, &message.Train{Epochs: 1, Checkpoint: paused.Data}, message.CodeBadOption, "after epoch 2")
	fails(other, h, &message.Train{Epochs: 4, AsWritten: true, Checkpoint: paused.Data}, message.CodeBadOption, "schema")
	_, resumed := must[*message.Trained](other, h, &message.Train{Epochs: 4, Checkpoint: paused.Data})
	if !bytes.Equal(resumed.Data, whole.Data) {
		t.Error("the model differs from that of a run that never paused")
	}
	if m := have(weights.Load(resumed.Data)); m.Card.Dataset != "Mine.smi" {
		t.Errorf("the card says %+v", m.Card)
	}
	must[*message.Opened](other, h, &message.Open{Name: "Other.smi", Data: []byte(alkanes(65))})
	fails(other, h, &message.Train{Epochs: 4, Checkpoint: paused.Data}, message.CodeBadOption, "other data")
	// The new model scores.
	must[*message.Model](other, h, &message.LoadModel{Name: "mine", Data: resumed.Data})
	must[*message.Scored](other, h, &message.Score{Alpha: 0.2})
}

// smallBackground is every fiftieth molecule of the built-in background.
var smallBackground = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	lines := bufio.NewScanner(weights.Background())
	for i := 0; lines.Scan(); i++ {
		if i%50 == 0 {
			fmt.Fprintln(&b, lines.Text())
		}
	}
	return b.Bytes()
})

// A model of molecules is told from the background that the site has, as `baca train`
// does it. Without one it is what it would be there with --background none, and says so.
func TestTrainWithABackground(t *testing.T) {
	e, h := bare(t)
	must[*message.Opened](e, h, &message.Open{Name: "mine.smi", Data: []byte(alkanes(80))})
	events, got := must[*message.Trained](e, h, &message.Train{Epochs: 1})
	m := have(weights.Load(got.Data))
	if m.Background == nil || m.Sizes == nil || m.Card.Background != algo.BuiltInBackground || m.Card.BackgroundGraphs != 114 {
		t.Errorf("the card says %+v", m.Card)
	}
	if p := stages(events)[message.StageBackground]; p.Done != 114 || p.Total != 114 {
		t.Errorf("of the background the page hears at last %+v", p)
	}
	h.files["background"] = []byte("<!doctype html>") // as hosts say that there is no such file
	_, without := must[*message.Trained](e, h, &message.Train{Epochs: 1})
	if m = have(weights.Load(without.Data)); m.Background != nil || m.Card.Background != "" {
		t.Errorf("the card says %+v", m.Card)
	}
	delete(h.files, "background")
	_, offline := must[*message.Trained](e, h, &message.Train{Epochs: 1})
	if !bytes.Equal(offline.Data, without.Data) {
		t.Error("a background that cannot be read gives another model than one that cannot be loaded")
	}
	for _, r := range []*message.Trained{without, offline} {
		if n := len(slices.DeleteFunc(r.Warnings, func(w string) bool { return !strings.HasPrefix(w, "the background could not be loaded") })); n != 1 {
			t.Errorf("%d sentences about the background", n)
		}
	}
}

func TestFailuresHaveCodes(t *testing.T) {
	h := &host{t: t}
	e := New(h)
	fails(e, h, &message.Hello{}, message.CodeInternal, Start)
	h.files = map[string][]byte{Start: []byte("nonsense")}
	fails(e, h, &message.Hello{}, message.CodeInternal, Start)
}

// What was parsed when the input was opened is scored and explained without its text, to the same
// bits as from the text, which longer inputs are read from again.
func TestLinesAreParsedOnce(t *testing.T) {
	e, h := loaded(t, "bbbp")
	must[*message.Opened](e, h, &message.Open{Data: []byte(strange + alkanes(40))})
	text := e.input.source
	rows := func() (string, *message.Detailed) {
		events, _ := must[*message.Scored](e, h, &message.Score{Batch: true})
		_, detail := must[*message.Detailed](e, h, &message.Detail{Record: 4})
		return fileOf(t, "jsonl", join(events)), detail
	}
	e.input.source = strings.NewReader("")
	kept, detail := rows()
	e.input.source, e.input.kept = text, nil
	if read, again := rows(); read != kept || again.Score != detail.Score || !slices.Equal(again.Contributions[1:], detail.Contributions[1:]) {
		t.Errorf("rows of what was kept\n%s\nand of the text\n%s", kept, read)
	}
}
