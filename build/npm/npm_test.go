package main

import (
	"archive/tar"
	"baca/build/internal/try"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"baca/algo"
	"baca/algo/explain"
	"baca/algo/table"
	"baca/wasm/message"
	"baca/web"
	"baca/weights"
)

// built is a folder with the package, packed is its file, and command is baca. All are made
// once for all tests.
var built, packed, command string

var build = sync.OnceValue(func() (err error) {
	defer try.Catch(&err)
	built = try.To(os.MkdirTemp("", "npm"))
	packed = try.To(pack(filepath.Join(built, "out")))
	command = filepath.Join(built, "baca")
	if text, err := exec.Command("go", "build", "-o", command, "../baca").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, text)
	}
	return nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

// libraries are what the page's npm packages are bundled into.
const libraries = "../../web/static/lib"

// ready builds what is tested, or skips the test.
func ready(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles the program and the command")
	}
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("needs Node with npm")
		}
	}
	if _, err := os.Stat(libraries); err != nil {
		t.Skip("needs the libraries of web/package.json: make libraries")
	}
	try.Check(build())
}

// run runs a program in a folder, and returns what it writes to standard output.
func run(t *testing.T, dir string, stdin []byte, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return string(out)
}

// consumer is a folder that the package is installed in, without a network.
func consumer(t *testing.T) string {
	t.Helper()
	ready(t)
	dir := t.TempDir()
	put(t, filepath.Join(dir, "package.json"), []byte(`{"name": "consumer", "private": true, "type": "module"}`))
	install(t, dir)
	return dir
}

// install installs the packed package.
func install(t *testing.T, dir string) {
	t.Helper()
	run(t, dir, nil, "npm", "install", "--no-save", "--offline", "--no-audit", "--no-fund", "--silent", packed)
}

func put(t *testing.T, name string, data []byte) {
	t.Helper()
	try.Check(os.WriteFile(name, data, 0o666))
}

func get(t *testing.T, name string) []byte {
	t.Helper()
	return try.To(os.ReadFile(name))
}

// The package has what it should, and may be sent.
func TestPack(t *testing.T) {
	ready(t)
	data := get(t, packed)
	t.Logf("%s has %d bytes", filepath.Base(packed), len(data))
	if len(data) > 4.75e6 {
		t.Errorf("%d bytes, want at most 4.75 MB", len(data))
	}
	z := try.To(gzip.NewReader(bytes.NewReader(data)))
	files := map[string][]byte{}
	r := tar.NewReader(z)
	for h, err := r.Next(); err != io.EOF; h, err = r.Next() {
		try.Check(err)
		files[strings.TrimPrefix(h.Name, "package/")] = try.To(io.ReadAll(r))
	}
	names := slices.Sorted(maps.Keys(files))
	want := strings.Fields(`DATA-LICENSES.txt LICENSE README.md detector.js drawing.js element.d.ts element.js files/baca.wasm files/background.smi.gz
		files/draw.js files/drawer.js files/kernel.js files/kernel.wasm files/model.msgpack files/node-worker.js files/node.js files/svg.js files/thread.js files/wasm_exec.js files/worker.js
		index.d.ts index.js licenses.txt node.js package.json wire.js`)
	if !slices.Equal(names, want) {
		t.Errorf("it holds %v, want %v", names, want)
	}
	var about struct{ Name, Version, License string }
	if err := json.Unmarshal(files["package.json"], &about); err != nil || about.Name != "baca-wasm" || about.Version != algo.Version || about.License != "MIT AND CC-BY-SA-3.0" {
		t.Errorf("package.json says %+v, %v", about, err)
	}
	if !bytes.Equal(files["DATA-LICENSES.txt"], get(t, "../../weights/DATA-LICENSES.txt")) || !bytes.Contains(files["README.md"], []byte("ChEMBL (CC BY-SA 3.0)")) {
		t.Error("the sources of the data are not named")
	}
	// One worker, one loader and one pen, not two: those of the page.
	for _, name := range []string{"thread.js", "worker.js", "kernel.js", "kernel.wasm", "src/svg.js", "src/drawer.js", "static/lib/draw.js"} {
		if !bytes.Equal(files["files/"+path.Base(name)], get(t, "../../web/"+name)) {
			t.Errorf("%s is not that of the page", name)
		}
	}
	if n := len(files["files/draw.js"]); !bytes.Contains(files["README.md"], fmt.Appendf(nil, "%.1f MB that are loaded", float64(n)/1e6)) {
		t.Errorf("files/draw.js has %d bytes, README.md says otherwise", n)
	}
	for _, name := range []string{"vmihailenco/msgpack", "openchemlib"} {
		if !bytes.Contains(files["licenses.txt"], []byte(name)) {
			t.Errorf("licenses.txt does not name %s", name)
		}
	}
}

// What wire.js knows as events, which do not end a request, are the events of wasm/message. That messages, requests and
// the version are understood is tested by talking, in TestWire and TestNode.
func TestEvents(t *testing.T) {
	var want []string
	for _, m := range regexp.MustCompile(`(?m)^func \(\*(\w+)\) event\(\)`).FindAllSubmatch(get(t, "../../wasm/message/answer.go"), -1) {
		want = append(want, string(m[1]))
	}
	m := regexp.MustCompile(`(?m)^export const events = new Set\("([\w ]+)"\.split`).FindSubmatch(get(t, "package/wire.js"))
	if m == nil || len(want) < 5 {
		t.Fatalf("%d events are found in answer.go, and %q in wire.js", len(want), m)
	}
	got := strings.Fields(string(m[1]))
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the events are %v in wire.js, %v in wasm/message", got, want)
	}
}

// Messages are those of wasm/message, in both directions, and numbers are written as the
// command writes them.
func TestWire(t *testing.T) {
	dir := consumer(t)
	rows := &message.Rows{From: 300, Rows: message.Columns{
		table.TextColumn("id", []string{"a", "", "é\u2028", "\ufeffb"}), table.NumberColumn("score", []float64{1.5, math.NaN(), math.Inf(-1), 5e-324}),
	}}
	detailed := &message.Detailed{Record: -70000, Explanation: algo.Explanation{P: 0.25, Reasons: []explain.Reason{{Text: strings.Repeat("long ", 100), Nodes: []int{0, 1, math.MaxInt32}, Weight: explain.Unseen}}}}
	var messages [][]byte
	for _, m := range []any{
		rows, detailed,
		&message.Progress{Stage: "score", Done: 1 << 40, Total: -1, Records: 65536},
		&message.Failed{Code: "input", Text: strings.Repeat("x", 70000)},
	} {
		messages = append(messages, try.To(message.Encode(3, m)))
	}
	var numbers []string
	var want []any
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 30_000 {
		x := math.Float64frombits(rng.Uint64())
		switch i % 4 {
		case 1: // p-values
			n := 1 + rng.IntN(4096)
			x = float64(1+rng.IntN(n)) / float64(n)
		case 2: // ties and what is beside them
			x = (float64(100000+rng.IntN(900000)) + 0.5) / float64(uint64(1)<<rng.IntN(30))
		case 3:
			x = rng.NormFloat64() * 3
		}
		if math.IsInf(x, 0) {
			continue
		}
		numbers = append(numbers, strconv.FormatUint(math.Float64bits(x), 16))
		if math.IsNaN(x) {
			want = append(want, nil)
			continue
		}
		want = append(want, try.To(strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)))
	}
	requests := []message.Request{
		&message.Open{Name: "list é", Format: "csv", Column: "smiles"}, &message.Score{Alpha: 0.05, Every: 1 << 52, Batch: true}, &message.Train{Epochs: 70000, AsWritten: true, Seconds: 1e9},
	}
	question := try.To(json.Marshal(map[string]any{"messages": messages, "numbers": numbers, "kinds": []string{"Open", "Score", "Train"}, "requests": requests}))
	put(t, filepath.Join(dir, "wire.mjs"), get(t, "testdata/node/wire.mjs"))
	var answer struct {
		Version  int
		Messages []map[string]any
		Requests [][]byte
		Numbers  []any
		Hostile  []int
	}
	try.Check(json.Unmarshal([]byte(run(t, dir, question, "node", "wire.mjs")), &answer))
	if answer.Version != message.Version {
		t.Errorf("version %d, want %d", answer.Version, message.Version)
	}
	if len(answer.Hostile) > 0 {
		t.Errorf("beginnings of messages of %v bytes were read", answer.Hostile)
	}
	for i, got := range answer.Numbers {
		if got != want[i] {
			t.Errorf("the bits %s are written as %v, want %v", numbers[i], got, want[i])
		}
	}
	for i, want := range []map[string]any{
		{"number": 3.0, "kind": "Rows", "from": 300.0, "id": []any{"a", "", "é\u2028", "\ufeffb"}, "score": []any{"1.5", "NaN", "-Infinity", "5e-324"}},
		{"number": 3.0, "kind": "Detailed", "record": -70000.0, "p": 0.25, "reasons": []any{[]any{strings.Repeat("long ", 100), []any{0.0, 1.0, float64(math.MaxInt32)}, 3.0}}},
		{"number": 3.0, "kind": "Progress", "Stage": "score", "Done": float64(1 << 40), "Total": -1.0, "Records": 65536.0},
		{"number": 3.0, "kind": "Failed", "Code": "input", "Text": strings.Repeat("x", 70000)},
	} {
		if got := answer.Messages[i]; !reflect.DeepEqual(got, want) {
			t.Errorf("message %d is read as %v, want %v", i, got, want)
		}
	}
	for i, data := range answer.Requests {
		if number, got, err := message.Decode(data); err != nil || number != 7 || !reflect.DeepEqual(got, requests[i]) {
			t.Errorf("request %d is read as %d, %+v, %v; want %+v", i, number, got, err, requests[i])
		}
	}
}

// smilesOf are those of a CSV file.
func smilesOf(t *testing.T, data []byte) []string {
	t.Helper()
	rows := try.To(csv.NewReader(bytes.NewReader(data)).ReadAll())
	column := slices.Index(rows[0], "smiles")
	var list []string
	for _, row := range rows[1:] {
		list = append(list, row[column])
	}
	return list
}

// tableOf writes a list as a CSV file.
func tableOf(t *testing.T, name string, list []string) {
	t.Helper()
	var b bytes.Buffer
	rows := [][]string{{"smiles"}}
	for _, text := range list {
		rows = append(rows, []string{text})
	}
	try.Check(csv.NewWriter(&b).WriteAll(rows))
	put(t, name, b.Bytes())
}

// ask writes a list for the tests in JavaScript, and what the command says of it.
func ask(t *testing.T, dir, name string, list []string) {
	t.Helper()
	put(t, filepath.Join(dir, name+".json"), try.To(json.Marshal(list)))
	file := filepath.Join(dir, name+".csv")
	tableOf(t, file, list)
	put(t, filepath.Join(dir, name+".jsonl"), []byte(run(t, dir, nil, command, "score", "--to", "jsonl", file)))
}

// shared is a public set that lies beside the repository in some places.
const shared = "../../../shared/data/mol/clintox.csv.gz"

// What users do in Node; see testdata/node/detector.test.mjs.
func TestNode(t *testing.T) {
	dir := consumer(t)
	examples := smilesOf(t, web.Examples())
	many := slices.DeleteFunc(slices.Clone(examples), func(text string) bool { return len(text) > 60 })
	for _, n := range []int{3, 9, 14} {
		for _, end := range []string{"O", "N", "Br", "C(=O)O", "c1ccccc1", "[N+](=O)[O-]"} {
			many = append(many, strings.Repeat("C", n)+end)
		}
	}
	ask(t, dir, "examples", append(slices.Clone(examples), "C(", "c1ccccc1N(", "[Xx]"))
	ask(t, dir, "many", many)
	if data, err := os.ReadFile(shared); err == nil {
		ask(t, dir, "shared", smilesOf(t, try.To(io.ReadAll(try.To(gzip.NewReader(bytes.NewReader(data)))))))
	} else {
		t.Logf("%s is not there: the rows of the examples alone are compared", shared)
	}
	var library []string
	for _, text := range examples {
		if len(text) < 40 {
			library = append(library, text)
		}
	}
	library = append(library[:40], "C(")
	put(t, filepath.Join(dir, "library.json"), try.To(json.Marshal(library)))
	put(t, filepath.Join(dir, "plain.msgpack"), try.To(weights.Bytes("ptc_mr")))
	put(t, filepath.Join(dir, "first.txt"), get(t, "../../algo/explain/testdata/first.txt"))
	put(t, filepath.Join(dir, "detector.test.mjs"), get(t, "testdata/node/detector.test.mjs"))
	t.Setenv("EXPECTED", dir)
	out := run(t, dir, nil, "node", "--test", "--test-reporter=spec", "detector.test.mjs")
	t.Logf("%s", out)
	if regexp.MustCompile(`(?m)^ℹ (skipped|todo|cancelled) [1-9]`).MatchString(out) {
		t.Error("some tests did not run")
	}

	// The model that was trained in Node is read by the command, and is the command's own
	// but for the name of what it was trained on.
	var rows []struct {
		Score float64
		P     float64 `json:"p_value"`
	}
	try.Check(json.Unmarshal(get(t, filepath.Join(dir, "own.rows.json")), &rows))
	tableOf(t, filepath.Join(dir, "list"), library)
	run(t, dir, nil, command, "train", "list", "--format", "csv", "--epochs", "3", "--seed", "7", "--out", "theirs.msgpack")
	for _, model := range []string{"own.msgpack", "theirs.msgpack"} {
		said := strings.Split(strings.TrimSpace(run(t, dir, nil, command, "score", "--model", model, "--alpha", "0.3", "--to", "jsonl", "many.csv")), "\n")
		if len(said) != len(rows) || len(rows) != len(many) {
			t.Fatalf("%s: %d rows and %d, want %d", model, len(said), len(rows), len(many))
		}
		for i, line := range said {
			want := rows[i]
			if err := json.Unmarshal([]byte(line), &want); err != nil || want != rows[i] {
				t.Errorf("%s, %s: %v in JavaScript, the command says %v, %v", model, many[i], rows[i], want, err)
			}
		}
	}
}

// blocks are the pieces of README.md in a language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	var list []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(get(t, "README.md")), -1) {
		list = append(list, m[1])
	}
	return list
}

// What README.md shows runs, prints what it says, and ends by itself.
func TestReadme(t *testing.T) {
	dir := consumer(t)
	js := blocks(t, "js")
	if len(js) != 5 || len(strings.Split(strings.TrimSpace(js[0]), "\n")) > 5 {
		t.Fatalf("%d examples, the first of %q; want 5, and no more than five lines", len(js), js[0])
	}
	put(t, filepath.Join(dir, "first.js"), []byte(js[0]))
	_, said, _ := strings.Cut(string(get(t, "README.md")), "\nprints\n\n```\n")
	if got := run(t, dir, nil, "node", "first.js"); got == "" || !strings.HasPrefix(said, got+"```\n") {
		t.Errorf("the first example prints\n%s\nREADME.md says\n%.100s", got, said)
	}
	check := `
import assert from "node:assert/strict";
assert.equal(broken.error, "character 10: the branch is never closed");
assert.ok(row.reasons[0].text && row.atoms.length === 15 && row.nearest[0].smiles);
assert.equal(scored.length, 500);
assert.ok(own.warnings.length > 0);
assert.deepEqual(await same.score(library), await own.score(library));
`
	put(t, filepath.Join(dir, "all.js"), []byte(strings.Join(js, "")+check))
	if out := run(t, dir, nil, "node", "all.js"); !strings.Contains(out, "500 of 500") {
		t.Errorf("no progress in\n%s", out)
	}
	run(t, dir, []byte("CCO\n"), command, "score", "--model", "own.msgpack", "-")
}
