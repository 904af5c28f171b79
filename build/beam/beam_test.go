package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"baca/algo"
	"baca/build/internal/sealed"
	"baca/build/internal/try"
	"baca/build/internal/version"
	"baca/weights"
)

var ctx = context.Background()

// TestMain is also a process of the program, for tests that kill one, and a worker of Prism, which
// leaves its number in a folder.
func TestMain(m *testing.M) {
	flag.Parse()
	log.LogLevel = "error"
	if dir := os.Getenv("BACA_TEST_WORKERS"); dir != "" {
		try.Check(os.WriteFile(filepath.Join(dir, strconv.Itoa(os.Getpid())), nil, 0o666))
	}
	beam.Init() // of a worker, this is all
	if text := os.Getenv("BACA_TEST_TASK"); text != "" {
		var k task
		try.Check(json.Unmarshal([]byte(text), &k))
		os.Exit(invoke(ctx, &k.Config, k.Inputs, os.Stderr))
	}
	os.Exit(m.Run())
}

// file is a small model of molecules, as a file has it.
var file = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	try.Check(weights.Save(&b, smallModel()))
	return b.Bytes()
})

// A task is a command line.
type task struct {
	Config config
	Inputs []string
}

// newTask scores inputs by the model into a new folder.
func newTask(t *testing.T, shards int, inputs ...string) *task {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "model.msgpack")
	try.Check(os.WriteFile(name, file(), 0o666))
	flags := settings{Format: "auto", Column: "smiles", To: "csv", Alpha: algo.DefaultOptions().Alpha, Shards: shards}
	return &task{config{Run: flags, Folder: filepath.Join(dir, "new", "out"), Model: name, Join: true}, inputs}
}

// do runs a task and returns what it says.
func (k task) do(t *testing.T, want int) string {
	t.Helper()
	var stderr bytes.Buffer
	if code := invoke(ctx, &k.Config, k.Inputs, &stderr); code != want {
		t.Fatalf("exit status %d, want %d: %.2000s", code, want, &stderr)
	}
	return stderr.String()
}

// read returns a file of the folder.
func (k task) read(t *testing.T, name string) string {
	t.Helper()
	f := try.To(open(ctx, k.Config.path(name)))
	defer f.Close()
	return string(try.To(io.ReadAll(f)))
}

// write writes a file of the folder.
func (k task) write(t *testing.T, name, text string) {
	t.Helper()
	try.Check(os.WriteFile(k.Config.path(name), []byte(text), 0o666))
}

// files are those of the folder that match a pattern.
func (k task) files(t *testing.T, pattern string) map[string]os.FileInfo {
	t.Helper()
	list := map[string]os.FileInfo{}
	for _, name := range try.To(filepath.Glob(k.Config.path(pattern))) {
		list[filepath.Base(name)] = try.To(os.Stat(name))
	}
	return list
}

func (k task) summary(t *testing.T) *summary {
	t.Helper()
	s := new(summary)
	try.Check(json.Unmarshal([]byte(k.read(t, summaryName)), s))
	return s
}

// baca is the command that has to give the same bytes.
var baca = sync.OnceValue(func() string {
	name := filepath.Join(try.To(os.MkdirTemp("", "baca")), "baca")
	c := exec.Command("go", "build", "-o", name, "./build/baca")
	c.Dir = filepath.Join("..", "..")
	if text, err := c.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("go build: %v\n%s", err, text))
	}
	return name
})

func TestMistakes(t *testing.T) {
	input := filepath.Join(t.TempDir(), "in.smi")
	writeLines(t, input, moleculeLines(rand.New(rand.NewPCG(10, 10)), 30))
	for _, test := range []struct {
		status int
		want   string
		change func(*task)
	}{
		{exitUsage, "no input", func(k *task) { k.Inputs = nil }},
		{exitUsage, "want a folder", func(k *task) { k.Config.Folder = "" }},
		{exitUsage, "--format tu", func(k *task) { k.Config.Run.Format = "tu" }},
		{exitUsage, "--to xml", func(k *task) { k.Config.Run.To = "xml" }},
		{exitUsage, "--shards 0", func(k *task) { k.Config.Run.Shards = 0 }},
		{exitUsage, "--workers -1", func(k *task) { k.Config.Workers = -1 }},
		{exitUsage, "--alpha NaN", func(k *task) { k.Config.Run.Alpha = math.NaN() }},
		{exitFailure, "no such file", func(k *task) { k.Inputs = []string{input + "*.none"} }},
		{exitFailure, "no such file", func(k *task) { k.Inputs = []string{input + ".none"} }},
		{exitFailure, "not a regular file", func(k *task) { k.Inputs = []string{filepath.Dir(input)} }},
		{exitFailure, "model none", func(k *task) { k.Config.Model = "none" }},
		{exitFailure, "not a BaCa file", func(k *task) { k.Config.Model = input }},
		{exitFailure, "want one for molecules", func(k *task) { keep(t, k, small(algo.Constant)) }},
		{exitFailure, "not registered", func(k *task) { k.Config.Folder = "ftp://example.com/x" }},
	} {
		k := newTask(t, 2, input)
		test.change(k)
		if text := k.do(t, test.status); !strings.Contains(text, test.want) {
			t.Errorf("stderr %q, want %q", text, test.want)
		}
	}
}

// keep gives a task another model.
func keep(t *testing.T, k *task, m *algo.Model) {
	t.Helper()
	k.Config.Model = filepath.Join(t.TempDir(), "other.msgpack")
	f := try.To(os.Create(k.Config.Model))
	try.Check(errors.Join(weights.Save(f, m), f.Close()))
}

// The flags of the job come before those of Beam, and a mistake is one sentence.
func TestHelp(t *testing.T) {
	fs := flag.NewFlagSet("", flag.ExitOnError)
	fs.Bool("async", false, "do not wait")
	flags(fs)
	if help, err := parseFlags(fs, []string{"--help"}); !help {
		t.Errorf("--help: %v", err)
	}
	var b bytes.Buffer
	showHelp(&b, fs)
	_, rest, ok := strings.Cut(b.String(), "\n  -out string\n")
	if own, sdk, both := strings.Cut(rest, "\nFlags of Beam:\n"); !ok || !both || strings.Contains(own, "-async") || !strings.HasPrefix(sdk, "  -async\n") {
		t.Errorf("%s", &b)
	}
	if help, err := parseFlags(fs, []string{"--nosuch"}); help || err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("--nosuch: %v, %v", help, err)
	}
}

// sameFiles compares what was joined with what `baca score` writes of inputs, of which the rows name another folder.
func (k task) sameFiles(t *testing.T, folder, other string, inputs ...string) {
	t.Helper()
	dir, to := t.TempDir(), k.Config.Run.To
	args := []string{"score", "--model", k.Config.Model, "--to", to, "--out", filepath.Join(dir, "scores."+to), "--rejects", filepath.Join(dir, "rejects.csv")}
	if text, err := exec.Command(baca(), append(args, inputs...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	refused := -1 // without the header
	for _, name := range []string{"scores." + to, "rejects.csv"} {
		want := try.To(os.ReadFile(filepath.Join(dir, name)))
		want = bytes.ReplaceAll(want, []byte(folder), []byte(other))
		if k.read(t, name) != string(want) {
			t.Errorf("%s is not what baca score writes", name)
		}
		refused = bytes.Count(want, []byte("\n")) - 1
	}
	s := k.summary(t)
	c := s.Tally
	if s.Err() != nil || s.Finished != s.Shards || c.Records != s.Records || c.Refused != refused || c.Records != c.Refused+c.Outside+c.Borderline+c.Inside+c.Undecided {
		t.Errorf("summary %+v", s)
	}
	if left := len(k.files(t, "*.part*")) + len(k.files(t, "*.lock")); left > 0 {
		t.Errorf("%d unfinished files and locks are left", left)
	}
}

// However a library is divided into files and shards, the bytes are those of `baca score`.
func TestSameBytesAsOneMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for n, to := range map[int]string{5200: "csv", 300: "jsonl", 20: "csv", 3: "csv"} {
		k := newTask(t, 1+rng.IntN(9), splitLines(t, rng, moleculeLines(rng, n))...)
		k.Config.Run.To = to
		k.do(t, 0)
		k.sameFiles(t, "", "", k.Inputs...)
	}
	// A single table keeps its columns.
	k := newTask(t, 4, filepath.Join(t.TempDir(), "in.csv"))
	var table strings.Builder
	table.WriteString("name,smiles,measured,score\n")
	for i := range 90 {
		fmt.Fprintf(&table, "m%d,C%s%s,\"%d, or so\",%d\n", i, strings.Repeat("C", i%9), []string{"O", "N", "("}[i%3], i, i)
	}
	try.Check(os.WriteFile(k.Inputs[0], []byte(table.String()), 0o666))
	k.do(t, 0)
	k.sameFiles(t, "", "", k.Inputs...)
}

func TestRangesOfShards(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	for range 1000 {
		of := 1 + rng.IntN(maxShards)
		n := int(rng.Uint64N(1 << rng.IntN(50)))
		p := &plan{First: []int{0, n}}
		if _, end := p.shard(of-1, of); end != n {
			t.Fatalf("%d records in %d shards end at %d", n, of, end)
		}
		for range 20 {
			k := rng.IntN(of)
			lo, hi := p.shard(k, of)
			if _, before := p.shard(k-1, of); k > 0 && before != lo || k == 0 && lo != 0 {
				t.Fatalf("shard %d of %d begins at %d, the one before ends at %d", k, of, lo, before)
			}
			if size := float64(n) / float64(of); math.Abs(float64(hi-lo)-size) > 1+1e-6*size {
				t.Fatalf("shard %d of %d has %d of %d records", k, of, hi-lo, n)
			}
		}
	}
}

// In an object store there are the same files.
func TestObjectStore(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	list, dir := moleculeLines(rng, 400), t.TempDir()
	store := memfs.New(ctx)
	var local []string
	for i, part := range [][]string{list[:150], list[150:]} {
		local = append(local, filepath.Join(dir, fmt.Sprintf("%d.smi.gz", i)))
		writeLines(t, local[i], part)
		w := try.To(store.OpenWrite(ctx, fmt.Sprintf("memfs://library/%d.smi.gz", i)))
		w.Write(packed(t, local[i], part))
		w.Close()
	}
	k := newTask(t, 3, "memfs://library/*.smi.gz")
	k.Config.Folder = "memfs://results/run"
	for range 2 { // the second time all is there already
		k.do(t, 0)
		k.sameFiles(t, dir, "memfs://library", local...)
	}
	// Of a failed write nothing is there.
	errDisk := errors.New("disk on fire")
	err := writeFile(ctx, "memfs://results/failed", func(w io.Writer) error {
		w.Write([]byte("a part"))
		return errDisk
	})
	if _, oerr := open(ctx, "memfs://results/failed"); !errors.Is(err, errDisk) || !errors.Is(oerr, os.ErrNotExist) {
		t.Errorf("errors %v and %v, want %v and %v", err, oerr, errDisk, os.ErrNotExist)
	}
}

// A shard that fails is named, the others are there, and nothing is joined. Once the trouble is over, it alone is done.
func TestBadShard(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	k := newTask(t, 3, splitLines(t, rng, moleculeLines(rng, 90))...)
	// A folder that is not empty takes the place of the file.
	bad := k.Config.path("scores-00001-of-00003.csv")
	try.Check(os.MkdirAll(filepath.Join(bad, "x"), 0o777))
	if text, want := k.do(t, exitFailure), "baca-beam: no rows of 1 of 3 shards, such as shard 1: "; !strings.Contains(text, want) || !strings.Contains(text, bad) {
		t.Errorf("stderr %q, want %q and the file", text, want)
	}
	if s := k.summary(t); s.Finished != 2 || s.Records != 90 || s.Tally.Records != 60 || len(s.Failed) != 1 || s.Failed[0].Shard != 1 {
		t.Errorf("%+v", s)
	}
	if len(k.files(t, "scores.csv")) > 0 {
		t.Error("joined without a shard")
	}
	before := k.files(t, "scores-*")
	try.Check(os.RemoveAll(bad))
	k.do(t, 0)
	k.sameFiles(t, "", "", k.Inputs...)
	for name, info := range k.files(t, "scores-*") {
		if again := !os.SameFile(info, before[name]); again != (name == filepath.Base(bad)) {
			t.Errorf("%s was written again: %v", name, again)
		}
	}
}

// Of an input that breaks, the records before that are scored, and it is named.
func TestBrokenInput(t *testing.T) {
	lines := moleculeLines(rand.New(rand.NewPCG(16, 16)), 3000)
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.smi"), filepath.Join(dir, "bad.smi.gz")
	writeLines(t, good, lines[:100])
	whole := packed(t, bad, lines[100:])
	try.Check(os.WriteFile(bad, whole[:len(whole)/2], 0o666))
	k := newTask(t, 3, bad, good)
	if text := k.do(t, exitFailure); !strings.Contains(text, "EOF") {
		t.Errorf("stderr %q, want the error of the input", text)
	}
	rows := strings.Split(strings.TrimSpace(k.read(t, "scores.csv")), "\n")
	n, s := len(rows)-1, k.summary(t)
	if n < 1000 || n > 2900 || s.Records != n || s.Tally.Records != n || len(s.Broken) != 1 || s.Broken[0].Input != bad {
		t.Errorf("%d rows, summary %+v", n, s)
	}
	if want := fmt.Sprintf(",%s,", strings.Fields(lines[99])[0]); !strings.Contains(rows[n], want) {
		t.Errorf("the last row is %s, want %s", rows[n], want)
	}
}

// The records of an input are counted once.
func TestCountsAreKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 17))
	k := newTask(t, 3, splitLines(t, rng, moleculeLines(rng, 150))...)
	k.do(t, 0)
	before := k.files(t, "rows-*")
	k.do(t, 0)
	for name, info := range k.files(t, "rows-*") {
		if !os.SameFile(info, before[name]) {
			t.Errorf("%s was counted again", name)
		}
	}
	// Counts that were edited are taken anew, and a run that was is refused.
	k.edit(t, "rows-00000.json", `"records":`, `"records":1`)
	k.do(t, 0)
	k.sameFiles(t, "", "", k.Inputs...)
	k.edit(t, runName, `"alpha":0.05`, `"alpha":0.06`)
	if text := k.do(t, exitFailure); !strings.Contains(text, sealed.ErrBroken.Error()) {
		t.Errorf("an edited run: %q", text)
	}
}

// edit changes a file of the folder.
func (k task) edit(t *testing.T, name, old, new string) {
	t.Helper()
	before := k.read(t, name)
	if !strings.Contains(before, old) {
		t.Fatalf("%s has no %q", name, old)
	}
	k.write(t, name, strings.Replace(before, old, new, 1))
}

// An input with other content of the same length is not the one that was counted.
func TestInputThatChanges(t *testing.T) {
	k := newTask(t, 2, filepath.Join(t.TempDir(), "in.smi"))
	lines := []string{"CCO\n", "CCC\n", "CCN\n", "CCS\n"}
	writeLines(t, k.Inputs[0], lines)
	k.do(t, 0)
	slices.Reverse(lines)
	writeLines(t, k.Inputs[0], lines)
	os.Remove(k.Config.path("done-00001-of-00002.json"))
	if text, want := k.do(t, exitFailure), k.Inputs[0]+" has changed since its records were counted"; !strings.Contains(text, want) {
		t.Errorf("stderr %q, want %q", text, want)
	}
	// What was scored of other bytes is done again.
	os.Remove(k.Config.path("rows-00000.json"))
	k.do(t, 0)
	k.sameFiles(t, "", "", k.Inputs...)
}

func TestOtherRuns(t *testing.T) {
	input := filepath.Join(t.TempDir(), "in.smi")
	writeLines(t, input, moleculeLines(rand.New(rand.NewPCG(18, 18)), 20))
	first := newTask(t, 3, input)
	first.do(t, 0)
	other := *smallModel()
	other.Card.Seed++
	for _, test := range []struct {
		want   string
		change func(*task)
	}{
		{"of 3 shards, this is of 4", func(k *task) { k.Config.Run.Shards = 4 }},
		{"with other flags", func(k *task) { k.Config.Run.Alpha = 0.2 }},
		{"with other flags", func(k *task) { k.Config.Run.To = "jsonl" }},
		{"of other inputs", func(k *task) { k.Inputs = []string{input, input} }},
		{"of other inputs", func(k *task) { writeLines(t, input, []string{"C\n"}) }},
		{"of another model", func(k *task) { keep(t, k, &other) }},
	} {
		k := *first
		test.change(&k)
		if text, want := k.do(t, exitFailure), errOther.Error()+", "+test.want; !strings.Contains(text, want) {
			t.Errorf("stderr %q, want %q", text, want)
		}
	}
	// What another run left in a folder that lost its run.json does not count.
	os.Remove(first.Config.path(runName))
	first.do(t, 0)
	first.sameFiles(t, "", "", input)
}

// A worker with another program or model than the run has refuses to work.
func TestOtherWorker(t *testing.T) {
	k := newTask(t, 2, "in.smi")
	k.Config.Run.Program, k.Config.Run.SHA256 = version.String(), "other"
	if _, err := k.Config.open(ctx); !errors.Is(err, errOther) {
		t.Errorf("%v, want %v", err, errOther)
	}
}

// A folder that another process works on is refused, and unfinished files of a killed one go.
func TestUnfinishedFiles(t *testing.T) {
	input := filepath.Join(t.TempDir(), "in.smi")
	writeLines(t, input, moleculeLines(rand.New(rand.NewPCG(20, 20)), 20))
	k := newTask(t, 2, input)
	release := try.To(lockFolder(k.Config.Folder))
	for _, name := range []string{"scores-00001-of-00002.csv", "rejects-00001-of-00002.csv", "done-00001-of-00002.json", "scores.csv"} {
		k.write(t, name+".part0123456789abcdef", "")
	}
	if text, want := k.do(t, exitFailure), fmt.Sprintf("run.lock: held by process %d on ", os.Getpid()); !strings.Contains(text, want) {
		t.Errorf("stderr %q, want %q", text, want)
	}
	release()
	k.do(t, 0)
	k.sameFiles(t, "", "", input)
}

// A finished shard whose files are not what it wrote, or whose mark is not, is done again.
func TestShardsHeal(t *testing.T) {
	input := filepath.Join(t.TempDir(), "in.smi")
	writeLines(t, input, moleculeLines(rand.New(rand.NewPCG(21, 21)), 60))
	k := newTask(t, 2, input)
	k.do(t, 0)
	rows, rejects, done := "scores-00001-of-00002.csv", "rejects-00001-of-00002.csv", "done-00001-of-00002.json"
	for what, damage := range map[string]func(){
		"no rows":        func() { os.Remove(k.Config.path(rows)) },
		"no rejects":     func() { os.Remove(k.Config.path(rejects)) },
		"short rows":     func() { os.Truncate(k.Config.path(rows), 100) },
		"other rows":     func() { k.edit(t, rows, ",inside,", ",outsid,") },
		"other rejects":  func() { k.edit(t, rejects, "row", "wor") },
		"other mark":     func() { k.edit(t, done, `"records":30`, `"records":31`) },
		"no mark":        func() { os.Remove(k.Config.path(done)) },
		"another's mark": func() { k.write(t, done, k.read(t, "done-00000-of-00002.json")) },
	} {
		t.Run(what, func(t *testing.T) {
			before := k.files(t, "done-*.json")
			damage()
			k.do(t, 0)
			k.sameFiles(t, "", "", input)
			for name, info := range k.files(t, "done-*.json") {
				if again := before[name].ModTime() != info.ModTime(); again != (name == done) {
					t.Errorf("%s was written again: %v", name, again)
				}
			}
		})
	}
}

// On Prism as a process of its own, which starts workers as others, a run whose worker is killed
// fails, and the next one goes on from the finished shards.
func TestKilledWorkerOfPrism(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("compiles Prism, and runs a shell script")
	}
	dir := t.TempDir()
	workers := filepath.Join(dir, "workers")
	try.Check(os.Mkdir(workers, 0o777))
	const sdk = "github.com/apache/beam/sdks/v2/go/"
	for name, pkg := range map[string]string{"prism": sdk + "cmd/prism", "boot": sdk + "container"} {
		if text, err := exec.Command("go", "build", "-o", filepath.Join(dir, name), pkg).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	// Prism quotes the id as for a shell, which it does not use.
	script := filepath.Join(dir, "start")
	quoted := fmt.Sprintf("#!/bin/sh\nid=$(printf %%s \"$1\" | tr -d \"'\")\nshift\nexec %q \"$id\" \"$@\"\n", filepath.Join(dir, "boot"))
	try.Check(os.WriteFile(script, []byte(quoted), 0o777))
	free := try.To(net.Listen("tcp", "127.0.0.1:0"))
	address := free.Addr().String()
	free.Close()
	_, port, _ := net.SplitHostPort(address)
	prism := exec.Command(filepath.Join(dir, "prism"), "--job_port="+port, "--serve_http=false", "--log_level=error")
	prism.Dir = dir // where a worker leaves a file
	prism.Env = append(os.Environ(), "BACA_TEST_WORKERS="+workers, "TMPDIR="+dir)
	try.Check(prism.Start())
	killAll := func() {
		entries, _ := os.ReadDir(workers)
		for _, e := range entries {
			pid, _ := strconv.Atoi(e.Name())
			if p, err := os.FindProcess(pid); err == nil {
				p.Kill()
			}
		}
	}
	t.Cleanup(func() {
		prism.Process.Kill()
		prism.Wait()
		killAll()
	})
	for range 1000 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	k := newTask(t, 12, filepath.Join(t.TempDir(), "in.smi"))
	writeLines(t, k.Inputs[0], moleculeLines(rand.New(rand.NewPCG(8, 8)), 40_000))
	text := try.To(json.Marshal(k))
	start := func() (*exec.Cmd, *bytes.Buffer) {
		p, said := exec.Command(os.Args[0], "--runner=universal", "--endpoint="+address, "--environment_type=PROCESS",
			fmt.Sprintf("--environment_config={\"command\":%q}", script), "--worker_binary="+os.Args[0]), new(bytes.Buffer)
		p.Env, p.Stderr = append(os.Environ(), "BACA_TEST_TASK="+string(text)), said
		try.Check(p.Start())
		return p, said
	}
	p, said := start()
	for len(k.files(t, "done-*.json")) == 0 {
		time.Sleep(time.Millisecond)
	}
	killAll()
	if err := p.Wait(); err == nil || len(k.files(t, "done-*.json")) == k.Config.Run.Shards {
		t.Fatalf("a run that was killed: %v, %d shards\n%s", err, len(k.files(t, "done-*.json")), said)
	}
	before := k.files(t, "done-*.json")
	if p, said = start(); p.Wait() != nil {
		t.Fatalf("%.2000s", said)
	}
	after := k.files(t, "done-*.json")
	for name, info := range before {
		if !os.SameFile(info, after[name]) {
			t.Errorf("%s was done again", name)
		}
	}
	k.sameFiles(t, "", "", k.Inputs...)
}

// Pieces come in any order, and some twice.
func TestCollect(t *testing.T) {
	one := &mark{Of: "one"}
	pieces := []piece{{Number: 2, Error: "late"}, {Number: 1, Mark: one}, {Number: 0, Error: "early"}, {Number: 1, Error: "again"}, {Number: 0, Mark: one}}
	next := func(p *piece) bool {
		if len(pieces) == 0 {
			return false
		}
		*p, pieces = pieces[0], pieces[1:]
		return true
	}
	want := []piece{{Number: 0, Mark: one}, {Number: 1, Mark: one}, {Number: 2, Error: "late"}}
	if got := collect(3, next); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
