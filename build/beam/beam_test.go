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
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"baca/algo"
	"baca/build/beam/shard"
	"baca/build/beam/shard/shardtest"
	"baca/weights"
)

var ctx = context.Background()

// TestMain is also a process of the program, for tests that kill one, and a worker of Prism, which
// leaves its number in a folder.
func TestMain(m *testing.M) {
	flag.Parse()
	log.LogLevel = "error"
	if dir := os.Getenv("BACA_TEST_WORKERS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(os.Getpid())), nil, 0o666); err != nil {
			panic(err)
		}
	}
	beam.Init() // of a worker, this is all
	if text := os.Getenv("BACA_TEST_CONFIG"); text != "" {
		c := new(config)
		if err := json.Unmarshal([]byte(text), c); err != nil {
			panic(err)
		}
		os.Exit(run(ctx, c, c.Inputs, os.Stderr))
	}
	os.Exit(m.Run())
}

// file is a small model of molecules, as a file has it.
var file = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	if err := weights.Save(&b, shardtest.Model()); err != nil {
		panic(err)
	}
	return b.Bytes()
})

// newConfig is that of a job with the model and a new folder.
func newConfig(t *testing.T, shards int, inputs ...string) *config {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "model.msgpack")
	if err := os.WriteFile(name, file(), 0o666); err != nil {
		t.Fatal(err)
	}
	o := algo.DefaultOptions()
	return &config{
		Inputs: inputs, Folder: filepath.Join(dir, "out"), Format: "auto", Column: "smiles", To: "csv", Shards: shards,
		Model: name, Alpha: o.Alpha,
	}
}

func readFile(c *config, name string) ([]byte, error) {
	f, err := files{}.Open(ctx, files{}.Join(c.Folder, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func do(t *testing.T, want int, c *config) string {
	t.Helper()
	var stderr bytes.Buffer
	if code := run(ctx, c, slices.Clone(c.Inputs), &stderr); code != want {
		t.Fatalf("exit status %d, want %d: %.2000s", code, want, &stderr)
	}
	return stderr.String()
}

var errDisk = errors.New("disk on fire")

// baca is the command that has to give the same bytes.
var baca = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "baca")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "baca")
	c := exec.Command("go", "build", "-o", name, "./build/baca")
	c.Dir = filepath.Join("..", "..")
	if text, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, text)
	}
	return name, nil
})

func TestMistakes(t *testing.T) {
	input := filepath.Join(t.TempDir(), "in.smi")
	shardtest.Write(t, input, shardtest.Lines(rand.New(rand.NewPCG(10, 10)), 30))
	for _, test := range []struct {
		status int
		want   string
		change func(*config)
	}{
		{exitUsage, "no input", func(c *config) { c.Inputs = nil }},
		{exitUsage, "want a folder", func(c *config) { c.Folder = "" }},
		{exitUsage, "--format tu", func(c *config) { c.Format = "tu" }},
		{exitUsage, "--to xml", func(c *config) { c.To = "xml" }},
		{exitUsage, "--shards 0", func(c *config) { c.Shards = 0 }},
		{exitUsage, "--workers -1", func(c *config) { c.Workers = -1 }},
		{exitUsage, "--alpha NaN", func(c *config) { c.Alpha = math.NaN() }},
		{exitFailure, "no such file", func(c *config) { c.Inputs = []string{input + "*.none"} }},
		{exitFailure, "no such file", func(c *config) { c.Inputs = []string{input + ".none"} }},
		{exitFailure, "model none", func(c *config) { c.Model = "none" }},
		{exitFailure, "not a BaCa file", func(c *config) { c.Model = input }},
		{exitFailure, "not registered", func(c *config) { c.Folder = "ftp://example.com/x" }},
	} {
		c := newConfig(t, 2, input)
		test.change(c)
		if text := do(t, test.status, c); !strings.Contains(text, test.want) {
			t.Errorf("stderr %q, want %q", text, test.want)
		}
	}
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

// sameFiles compares what was joined with what `baca score` writes of inputs, of which the rows name
// another folder.
func sameFiles(t *testing.T, c *config, folder, other string, inputs ...string) {
	t.Helper()
	program, err := baca()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := []string{"score", "--model", c.Model, "--to", c.To, "--out", filepath.Join(dir, "scores."+c.To), "--rejects", filepath.Join(dir, "rejects.csv")}
	if text, err := exec.Command(program, append(args, inputs...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, name := range []string{"scores." + c.To, "rejects.csv"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		want = bytes.ReplaceAll(want, []byte(folder), []byte(other))
		if got, err := readFile(c, name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what baca score writes (%v)", name, err)
		}
	}
	data, err := readFile(c, shard.SummaryName)
	if err != nil {
		t.Fatal(err)
	}
	s := new(shard.Summary)
	if err := json.Unmarshal(data, s); err != nil || s.Err() != nil || s.Finished != c.Shards || s.Tally.Records != s.Records {
		t.Errorf("summary %+v, %v", s, err)
	}
}

// However a library is divided into files and shards, the bytes are those of `baca score`.
func TestSameBytesAsOneMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for n, to := range map[int]string{5200: "csv", 300: "jsonl", 20: "csv"} {
		c := newConfig(t, 1+rng.IntN(9), shardtest.Split(t, rng, shardtest.Lines(rng, n))...)
		c.To, c.Join = to, true
		do(t, 0, c)
		sameFiles(t, c, "", "", c.Inputs...)
	}
	// A single table keeps its columns.
	c := newConfig(t, 4, filepath.Join(t.TempDir(), "in.csv"))
	c.Join = true
	var table strings.Builder
	table.WriteString("name,smiles,measured,score\n")
	for i := range 90 {
		fmt.Fprintf(&table, "m%d,C%s%s,\"%d, or so\",%d\n", i, strings.Repeat("C", i%9), []string{"O", "N", "("}[i%3], i, i)
	}
	if err := os.WriteFile(c.Inputs[0], []byte(table.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	do(t, 0, c)
	sameFiles(t, c, "", "", c.Inputs...)
}

// In an object store there are the same files.
func TestObjectStore(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	list, dir := shardtest.Lines(rng, 400), t.TempDir()
	store := memfs.New(ctx)
	var local []string
	for i, part := range [][]string{list[:150], list[150:]} {
		local = append(local, filepath.Join(dir, fmt.Sprintf("%d.smi.gz", i)))
		shardtest.Write(t, local[i], part)
		w, err := store.OpenWrite(ctx, fmt.Sprintf("memfs://library/%d.smi.gz", i))
		if err != nil {
			t.Fatal(err)
		}
		w.Write(shardtest.Packed(t, local[i], part))
		w.Close()
	}
	c := newConfig(t, 3, "memfs://library/*.smi.gz")
	c.Folder, c.Join = "memfs://results/run", true
	for range 2 { // the second time all is there already
		do(t, 0, c)
		sameFiles(t, c, dir, "memfs://library", local...)
	}
	// Of a failed write nothing is there.
	err := files{}.Write(ctx, "memfs://results/failed", func(w io.Writer) error {
		w.Write([]byte("a part"))
		return errDisk
	})
	if _, oerr := (files{}).Open(ctx, "memfs://results/failed"); !errors.Is(err, errDisk) || !errors.Is(oerr, os.ErrNotExist) {
		t.Errorf("errors %v and %v, want %v and %v", err, oerr, errDisk, os.ErrNotExist)
	}
}

// A faulty disk fails to write a shard.
type faulty struct{ files }

func (f faulty) Write(ctx context.Context, name string, write func(io.Writer) error) error {
	if filepath.Base(name) == "scores-00001-of-00003.csv" {
		return errDisk
	}
	return f.files.Write(ctx, name, write)
}

// A shard that fails is named and nothing is joined, and what an engine gives to two workers counts once. Package shard
// checks what is left and done again.
func TestBadShard(t *testing.T) {
	c := newConfig(t, 3, shardtest.Split(t, rand.New(rand.NewPCG(5, 5)), shardtest.Lines(rand.New(rand.NewPCG(5, 5)), 90))...)
	c.Join = true
	before := storage
	storage = func() shard.Files { return faulty{} }
	text := do(t, exitFailure, c)
	storage, jobs.m = before, nil
	if want := "baca-beam: no rows of 1 of 3 shards, such as shard 1: disk on fire"; !strings.Contains(text, want) {
		t.Errorf("stderr %q, want %q", text, want)
	}
	if _, err := readFile(c, "scores.csv"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("joined without a shard (%v)", err)
	}
	p, err := build(ctx, *c, []int{0, 1, 2, 2, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	if err := beamx.Run(ctx, p); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, c, "", "", c.Inputs...)
}

// On Prism as a process of its own, which starts workers as others, a run whose worker is killed
// fails, and the next one goes on from the finished shards.
func TestKilledWorkerOfPrism(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("compiles Prism, and runs a shell script")
	}
	dir := t.TempDir()
	workers := filepath.Join(dir, "workers")
	if err := os.Mkdir(workers, 0o777); err != nil {
		t.Fatal(err)
	}
	const sdk = "github.com/apache/beam/sdks/v2/go/"
	for name, pkg := range map[string]string{"prism": sdk + "cmd/prism", "boot": sdk + "container"} {
		if text, err := exec.Command("go", "build", "-o", filepath.Join(dir, name), pkg).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	// Prism quotes the id as for a shell, which it does not use.
	script := filepath.Join(dir, "start")
	quoted := fmt.Sprintf("#!/bin/sh\nid=$(printf %%s \"$1\" | tr -d \"'\")\nshift\nexec %q \"$id\" \"$@\"\n", filepath.Join(dir, "boot"))
	if err := os.WriteFile(script, []byte(quoted), 0o777); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	_, port, _ := net.SplitHostPort(address)
	prism := exec.Command(filepath.Join(dir, "prism"), "--job_port="+port, "--serve_http=false", "--log_level=error")
	prism.Dir = dir // where a worker leaves a file
	prism.Env = append(os.Environ(), "BACA_TEST_WORKERS="+workers, "TMPDIR="+dir)
	if err := prism.Start(); err != nil {
		t.Fatal(err)
	}
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
	c := newConfig(t, 12, filepath.Join(t.TempDir(), "in.smi"))
	c.Join = true
	shardtest.Write(t, c.Inputs[0], shardtest.Lines(rand.New(rand.NewPCG(8, 8)), 40_000))
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	start := func() (*exec.Cmd, *bytes.Buffer) {
		p, said := exec.Command(os.Args[0], "--runner=universal", "--endpoint="+address, "--environment_type=PROCESS",
			fmt.Sprintf("--environment_config={\"command\":%q}", script), "--worker_binary="+os.Args[0]), new(bytes.Buffer)
		p.Env, p.Stderr = append(os.Environ(), "BACA_TEST_CONFIG="+string(text)), said
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		return p, said
	}
	finished := func() (names []string) {
		names, _ = filepath.Glob(filepath.Join(c.Folder, "done-*.json"))
		return names
	}
	p, said := start()
	for len(finished()) == 0 {
		time.Sleep(time.Millisecond)
	}
	killAll()
	if err := p.Wait(); err == nil || len(finished()) == c.Shards {
		t.Fatalf("a run that was killed: %v, %d shards\n%s", err, len(finished()), said)
	}
	before := map[string]os.FileInfo{}
	for _, name := range finished() {
		if before[name], err = os.Stat(name); err != nil {
			t.Fatal(err)
		}
	}
	if p, said = start(); p.Wait() != nil {
		t.Fatalf("%.2000s", said)
	}
	for name, info := range before {
		if now, err := os.Stat(name); err != nil || !os.SameFile(info, now) {
			t.Errorf("%s was done again (%v)", name, err)
		}
	}
	sameFiles(t, c, "", "", c.Inputs...)
}

// Combiners sort what engines bring in any order, each once.
func TestCombiners(t *testing.T) {
	f := &planFn{config{Inputs: []string{"a", "b"}}}
	second := f.AddInput(f.AddInput(counts{}, counted{1, shard.Rows{Records: 5993, SHA256: "bb"}}), counted{1, shard.Rows{Records: 5993, SHA256: "bb"}})
	both := f.MergeAccumulators(second, f.AddInput(counts{}, counted{0, shard.Rows{Records: 7, SHA256: "aa"}}))
	p := &shard.Plan{First: []int{0, 7, 6000}, SHA256: []string{"aa", "bb"}}
	if got := f.ExtractOutput(f.MergeAccumulators(both, second)).Plan; !reflect.DeepEqual(got, p) {
		t.Errorf("plan %+v, want %+v", got, p)
	}
	one, lost := outcome{Plan: p, Done: []*shard.Done{{Shard: 1}}}, outcome{Failed: []shard.Failure{{Shard: 0}}}
	if got := new(outcomeFn).MergeAccumulators(lost, one); got.Plan != p || len(got.Done) != 1 || len(got.Failed) != 1 {
		t.Errorf("outcome %+v", got)
	}
}
