package main

import (
	"bytes"
	"context"
	"encoding/csv"
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
	"runtime/metrics"
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
	"baca/algo/decide"
	"baca/algo/table"
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

// reference are the rows of one process that has all lines in one file.
func reference(t *testing.T, list []string) [][]string {
	t.Helper()
	m, err := weights.Load(file())
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := shardtest.Reference(t, m, algo.DefaultOptions(), "", list)
	return parse(t, rows)
}

func parse(t *testing.T, data []byte) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// joined are the rows of all shards of a folder, and its summary.
func joined(t *testing.T, c *config) ([][]string, *shard.Summary) {
	t.Helper()
	var rows [][]string
	for k := range c.Shards {
		data, err := readFile(c, fmt.Sprintf("scores-%05d-of-%05d.csv", k, c.Shards))
		if err != nil {
			continue
		}
		part := parse(t, data)
		if len(rows) > 0 {
			part = part[1:]
		}
		rows = append(rows, part...)
	}
	data, err := readFile(c, shard.SummaryName)
	if err != nil {
		t.Fatal(err)
	}
	s := new(shard.Summary)
	if err := json.Unmarshal(data, s); err != nil {
		t.Fatal(err)
	}
	return rows, s
}

func readFile(c *config, name string) ([]byte, error) {
	f, err := files{}.Open(ctx, files{}.Join(c.Folder, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// same compares rows: the text of an error names its file, and scores may differ by
// 1e-6 of their size.
func same(t *testing.T, got, want [][]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		for k, w := range want[i] {
			g := got[i][k]
			if g == w || want[0][k] == "error" && g != "" && w != "" {
				continue
			}
			x, xerr := strconv.ParseFloat(g, 64)
			y, yerr := strconv.ParseFloat(w, 64)
			if i == 0 || xerr != nil || yerr != nil || !(math.Abs(x-y) <= 1e-6*max(1, math.Abs(y))) {
				t.Fatalf("row %d: %s is %q, want %q", i, want[0][k], g, w)
			}
		}
	}
}

// whole checks the summary of a run that missed nothing.
func whole(t *testing.T, s *shard.Summary, rows [][]string) {
	t.Helper()
	refused := 0
	for _, r := range rows[1:] {
		if r[slices.Index(rows[0], "error")] != "" {
			refused++
		}
	}
	c := s.Tally
	if s.Err() != nil || s.Records != len(rows)-1 || c.Records != s.Records || c.Refused != refused || c.Refused+c.Outside+c.Borderline+c.Inside+c.Undecided != c.Records || s.Finished != s.Shards {
		t.Errorf("%d rows, %d of them refused, give %+v (%v)", len(rows)-1, refused, s, s.Err())
	}
}

// split writes lines into some files, and returns a pattern for these.
func split(t *testing.T, rng *rand.Rand, list []string) string {
	t.Helper()
	return filepath.Join(filepath.Dir(shardtest.Split(t, rng, list)[0]), "*.smi*")
}

func do(t *testing.T, want int, c *config) string {
	t.Helper()
	var stderr bytes.Buffer
	if code := run(ctx, c, slices.Clone(c.Inputs), &stderr); code != want {
		t.Fatalf("exit status %d, want %d: %.2000s", code, want, &stderr)
	}
	return stderr.String()
}

// However a library is divided into files and shards, the rows are those of one
// machine.
func TestSameRowsAsOneMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{5200, 5200, 300, 10, 0} {
		list := shardtest.Lines(rng, n)
		c := newConfig(t, 1+rng.IntN(9), split(t, rng, list))
		do(t, 0, c)
		rows, s := joined(t, c)
		same(t, rows, reference(t, list))
		whole(t, s, rows)
	}
}

// In an object store there are the same files.
func TestObjectStore(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	list := shardtest.Lines(rng, 400)
	store := memfs.New(ctx)
	for i, part := range [][]string{list[:150], list[150:]} {
		name := fmt.Sprintf("memfs://library/%d.smi.gz", i)
		w, err := store.OpenWrite(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(shardtest.Packed(t, name, part))
		w.Close()
	}
	c := newConfig(t, 3, "memfs://library/*.smi.gz")
	c.Folder = "memfs://results/run"
	do(t, 0, c)
	rows, s := joined(t, c)
	same(t, rows, reference(t, list))
	whole(t, s, rows)
	// All is there already.
	do(t, 0, c)

	// Of a failed write nothing is there.
	err := files{}.Write(ctx, "memfs://results/failed", func(w io.Writer) error {
		w.Write([]byte("a part"))
		return errDisk
	})
	if _, oerr := (files{}).Open(ctx, "memfs://results/failed"); !errors.Is(err, errDisk) || !errors.Is(oerr, os.ErrNotExist) {
		t.Errorf("errors %v and %v, want %v and %v", err, oerr, errDisk, os.ErrNotExist)
	}
	c.Inputs = []string{"memfs://library/none*"}
	if text := do(t, exitFailure, c); !strings.Contains(text, "no such file") {
		t.Errorf("stderr %q", text)
	}
}

var errDisk = errors.New("disk on fire")

// A faulty file system fails as it is told, and of what is written then only a first
// part gets through.
type faulty struct {
	files
	mu    sync.Mutex
	calls map[string]int
	fault func(op, name string, call int) bool
}

func (f *faulty) fails(op, name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = filepath.Base(name)
	f.calls[op+" "+name]++
	return f.fault(op, name, f.calls[op+" "+name])
}

func (f *faulty) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if f.fails("open", name) {
		return nil, errDisk
	}
	return f.files.Open(ctx, name)
}

func (f *faulty) Write(ctx context.Context, name string, write func(io.Writer) error) error {
	fails := f.fails("write", name)
	return f.files.Write(ctx, name, func(w io.Writer) error {
		if !fails {
			return write(w)
		}
		return errors.Join(write(&failing{w, 500}), errDisk)
	})
}

type failing struct {
	w    io.Writer
	room int
}

func (f *failing) Write(b []byte) (int, error) {
	n := min(len(b), f.room)
	f.w.Write(b[:n])
	if f.room -= n; n < len(b) {
		return n, errDisk
	}
	return n, nil
}

// inject makes the storage fail.
func inject(t *testing.T, fault func(op, name string, call int) bool) *faulty {
	t.Helper()
	f := &faulty{calls: map[string]int{}, fault: fault}
	before := storage
	storage = func() shard.Files { return f }
	jobs.m = nil
	t.Cleanup(func() {
		storage = before
		jobs.m = nil
	})
	return f
}

// Work that fails in the middle is done again, and counts once. So does work that an
// engine gives to two workers because it takes the first for lost.
func TestRetriedBundles(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	list := shardtest.Lines(rng, 900)
	c := newConfig(t, 4, filepath.Join(t.TempDir(), "in.smi"))
	shardtest.Write(t, c.Inputs[0], list)
	f := inject(t, func(op, name string, call int) bool {
		return op == "write" && call == 1 && strings.Contains(name, "-of-") || op == "open" && call == 2 && name == "in.smi"
	})
	p, err := build(ctx, *c, []int{0, 1, 2, 3, 2, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	if err := beamx.Run(ctx, p); err != nil {
		t.Fatal(err)
	}
	rows, s := joined(t, c)
	same(t, rows, reference(t, list))
	whole(t, s, rows)
	for _, what := range []string{"scores-%05d-of-00004.csv", "done-%05d-of-00004.json"} {
		for k := range 4 {
			if name := fmt.Sprintf(what, k); f.calls["write "+name] < 2 {
				t.Errorf("%s was written %d times: the fault did not hit it", name, f.calls["write "+name])
			}
		}
	}
}

// A shard that always fails is named, the rest is scored, and the exit status is 1.
// Once the trouble is over, the same command does that shard alone.
func TestBadShard(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	list := shardtest.Lines(rng, 900)
	c := newConfig(t, 3, split(t, rng, list))
	trouble := true
	f := inject(t, func(op, name string, _ int) bool {
		return trouble && op == "write" && name == "scores-00001-of-00003.csv"
	})
	text := do(t, exitFailure, c)
	if want := "baca-beam: no rows of 1 of 3 shards, such as shard 1: disk on fire"; !strings.Contains(text, want) {
		t.Errorf("stderr %q, want %q", text, want)
	}
	rows, s := joined(t, c)
	all := reference(t, list)
	same(t, rows, slices.Concat(all[:301], all[601:]))
	if s.Records != 900 || s.Tally.Records != 600 || s.Finished != 2 || len(s.Failed) != 1 {
		t.Errorf("summary %+v", s)
	}
	trouble = false
	before := f.calls["write scores-00000-of-00003.csv"]
	jobs.m = nil // another process
	do(t, 0, c)
	rows, s = joined(t, c)
	same(t, rows, all)
	whole(t, s, rows)
	if n := f.calls["write scores-00000-of-00003.csv"]; n != before {
		t.Errorf("a finished shard was written again")
	}
}

// An input that breaks off is named, and the records before that are scored. So are
// those of the other inputs.
func TestBrokenInput(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	list := shardtest.Lines(rng, 3000)
	dir := t.TempDir()
	bad, good := filepath.Join(dir, "a.smi.gz"), filepath.Join(dir, "b.smi")
	data := shardtest.Packed(t, bad, list[:2900])
	if err := os.WriteFile(bad, data[:len(data)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	shardtest.Write(t, good, list[2900:])
	c := newConfig(t, 4, bad, good)
	if text := do(t, exitFailure, c); !strings.Contains(text, "1 of the inputs cannot be read to the end: "+bad) {
		t.Errorf("stderr %q", text)
	}
	rows, s := joined(t, c)
	if n := len(rows) - 1; n < 500 || n > 2900 || s.Records != n || s.Tally.Records != n || len(s.Broken) != 1 || rows[n][1] != strings.Fields(list[2999])[0] {
		t.Errorf("%d rows, summary %+v", n, s)
	}
}

// A pipeline that fails as a whole counts nothing twice when it is run again.
func TestFailedPipeline(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	list := shardtest.Lines(rng, 300)
	c := newConfig(t, 2, split(t, rng, list))
	trouble := true
	inject(t, func(op, name string, _ int) bool { return trouble && op == "write" && name == shard.SummaryName })
	do(t, exitFailure, c)
	trouble = false
	do(t, 0, c)
	rows, s := joined(t, c)
	same(t, rows, reference(t, list))
	whole(t, s, rows)
}

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

// sameFiles compares what was joined with what `baca score` writes.
func sameFiles(t *testing.T, c *config) {
	t.Helper()
	program, err := baca()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := []string{"score", "--model", c.Model, "--to", c.To, "--out", filepath.Join(dir, "scores."+c.To), "--rejects", filepath.Join(dir, "rejects.csv")}
	inputs, err := expand(ctx, c.Inputs)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(program, append(args, inputs...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, name := range []string{"scores." + c.To, "rejects.csv"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readFile(c, name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what baca score writes (%v)", name, err)
		}
	}
}

func TestJoin(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	for _, to := range []string{"csv", "jsonl"} {
		c := newConfig(t, 5, split(t, rng, shardtest.Lines(rng, 700)))
		c.To, c.Join = to, true
		do(t, 0, c)
		sameFiles(t, c)
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
	sameFiles(t, c)
	if text, err := readFile(c, "scores.csv"); err != nil || !strings.Contains(string(text), ",measured,input_score\n") {
		t.Errorf("%.200s (%v): want the columns of the input", text, err)
	}
	// Without all rows nothing is joined.
	c = newConfig(t, 3, split(t, rng, shardtest.Lines(rng, 90)))
	c.Join = true
	inject(t, func(op, name string, _ int) bool { return op == "write" && name == "scores-00001-of-00003.csv" })
	do(t, exitFailure, c)
	if _, err := readFile(c, "scores.csv"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("joined without a shard (%v)", err)
	}
}

// goesOn starts a run, has it killed in the midst of its work, and checks that another goes on
// from the finished shards, to the bytes of `baca score`. start makes the process of a run.
func goesOn(t *testing.T, c *config, start func() *exec.Cmd, kill func(run *exec.Cmd)) {
	t.Helper()
	shardtest.Write(t, c.Inputs[0], shardtest.Lines(rand.New(rand.NewPCG(8, 8)), 40_000))
	c.Join = true
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	process := func() (*exec.Cmd, *bytes.Buffer) {
		p, said := start(), new(bytes.Buffer)
		p.Env, p.Stderr = append(os.Environ(), "BACA_TEST_CONFIG="+string(text)), said
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		return p, said
	}
	finished := func() []string {
		names, err := filepath.Glob(filepath.Join(c.Folder, "done-*.json"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	p, said := process()
	for len(finished()) == 0 {
		time.Sleep(time.Millisecond)
	}
	kill(p)
	if err := p.Wait(); err == nil {
		t.Fatal("a run that was killed succeeded")
	}
	before := map[string]os.FileInfo{}
	for _, name := range finished() {
		if before[name], err = os.Stat(name); err != nil {
			t.Fatal(err)
		}
	}
	if len(before) == c.Shards {
		t.Fatal("the run was over before it was killed")
	}
	if p, said = process(); p.Wait() != nil {
		t.Fatalf("%.2000s", said)
	}
	for name, info := range before {
		if now, err := os.Stat(name); err != nil || !os.SameFile(info, now) {
			t.Errorf("%s was done again (%v)", name, err)
		}
	}
	for _, pattern := range []string{"*.part*", "*.lock"} {
		if left, err := filepath.Glob(filepath.Join(c.Folder, pattern)); err != nil || len(left) > 0 {
			t.Errorf("unfinished work is left: %v, %v", left, err)
		}
	}
	sameFiles(t, c)
}

func TestKilledRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that a killed process had open may be locked for a while on Windows")
	}
	c := newConfig(t, 12, filepath.Join(t.TempDir(), "in.smi"))
	goesOn(t, c, func() *exec.Cmd { return exec.Command(os.Args[0]) }, func(run *exec.Cmd) { run.Process.Kill() })
}

// On Prism as a process of its own, which starts workers as others, a run whose worker is killed
// fails, and the next one goes on.
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
	started := func() (pids []int) {
		entries, err := os.ReadDir(workers)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			pid, _ := strconv.Atoi(e.Name())
			pids = append(pids, pid)
		}
		return pids
	}
	killAll := func(*exec.Cmd) {
		for _, pid := range started() {
			if p, err := os.FindProcess(pid); err == nil {
				p.Kill()
			}
		}
	}
	t.Cleanup(func() {
		prism.Process.Kill()
		prism.Wait()
		killAll(nil)
	})
	for range 1000 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	c := newConfig(t, 12, filepath.Join(t.TempDir(), "in.smi"))
	goesOn(t, c, func() *exec.Cmd {
		return exec.Command(os.Args[0], "--runner=universal", "--endpoint="+address, "--environment_type=PROCESS",
			fmt.Sprintf("--environment_config={\"command\":%q}", script), "--worker_binary="+os.Args[0])
	}, killAll)
	if n := len(started()); n != 2 {
		t.Errorf("%d workers were started, want one for each run", n)
	}
}

// While a shard waits for its storage, the runner in this process takes no time: it did, all of a core,
// when the plan was a side input of the shards.
func TestRunnerRests(t *testing.T) {
	c := newConfig(t, 1, filepath.Join(t.TempDir(), "in.smi"))
	shardtest.Write(t, c.Inputs[0], shardtest.Lines(rand.New(rand.NewPCG(11, 11)), 30))
	// busy are the seconds of all cores, up to the collection that it begins with.
	busy := func() float64 {
		runtime.GC()
		used := []metrics.Sample{{Name: "/cpu/classes/user:cpu-seconds"}}
		metrics.Read(used)
		return used[0].Value.Float64()
	}
	const wait = 500 * time.Millisecond
	took := math.Inf(1)
	inject(t, func(op, name string, call int) bool {
		if op == "open" && name == "in.smi" && call == 2 { // the first was to count
			before := busy()
			time.Sleep(wait)
			took = busy() - before
		}
		return false
	})
	do(t, 0, c)
	if took > wait.Seconds()/2 {
		t.Errorf("in %v of waiting, %.2f s of processor time went by", wait, took)
	}
}

// No more shards are read at once than have turns.
func TestTurns(t *testing.T) {
	var c config
	first, err := c.turn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ends := []func(){first}
	for len(ends) < cap(turns.free) {
		end, err := c.turn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.turn(over); !errors.Is(err, context.Canceled) {
		t.Errorf("one turn more: error %v, want that of the context", err)
	}
	for _, end := range ends {
		end()
	}
	end, err := c.turn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	end()
}

// The combiners give the same in whatever order and grouping, as an engine has it.
func TestCombiners(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	p := &shard.Plan{First: []int{0, 7, 6000}, SHA256: []string{"aa", "bb"}}
	newParts := func() (rows []counted, outcomes []outcome) {
		for k := range 12 {
			o := outcome{Failed: []shard.Failure{{Shard: k, Error: "lost"}}}
			if k != 4 {
				d := &shard.Done{Shard: k, Plan: p}
				d.Tally.Add([]table.Scored{{Scores: &algo.Row{Verdict: decide.Inside}}})
				o = outcome{Done: []*shard.Done{d}}
			}
			outcomes = append(outcomes, o)
		}
		return []counted{{0, shard.Rows{Records: 7, SHA256: "aa"}}, {1, shard.Rows{Records: 5993, SHA256: "bb"}}}, outcomes
	}
	var want []string
	for range 20 {
		rows, outcomes := newParts()
		f := &planFn{config{Inputs: []string{"a", "b"}}}
		var a []counts
		for _, r := range rows {
			a = append(a, f.AddInput(counts{}, r))
		}
		c, _ := fold(rng, a, func(a, b counts) (counts, error) { return f.MergeAccumulators(a, b), nil })
		o, _ := fold(rng, outcomes, func(a, b outcome) (outcome, error) { return new(outcomeFn).MergeAccumulators(a, b), nil })
		j := &shard.Job{Inputs: []string{"a", "b"}}
		var got []string
		for _, v := range []any{f.ExtractOutput(c), j.Summarize(p, o.Done, o.Failed)} {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(text))
		}
		if want == nil {
			want = got
			if !strings.Contains(got[1], `"records":11`) || !strings.Contains(got[1], `"shard":4`) || !reflect.DeepEqual(f.ExtractOutput(c).Plan, p) {
				t.Errorf("plan %s, summary %s", got[0], got[1])
			}
		}
		if !slices.Equal(got, want) {
			t.Fatal("another order gives another result")
		}
	}
}

// fold merges values in a random tree, some of them twice, and each time as if they
// had travelled.
func fold[T any](rng *rand.Rand, list []T, merge func(a, b T) (T, error)) (T, error) {
	list = append(list, list[rng.IntN(len(list))])
	for i, v := range list {
		text, err := json.Marshal(v)
		if err != nil {
			return v, err
		}
		list[i] = *new(T)
		if err := json.Unmarshal(text, &list[i]); err != nil {
			return v, err
		}
	}
	for len(list) > 1 {
		i, k := rng.IntN(len(list)), rng.IntN(len(list)-1)
		if k >= i {
			k++
		}
		v, err := merge(list[i], list[k])
		if err != nil {
			return v, err
		}
		list[i] = v
		list = slices.Delete(list, k, k+1)
	}
	return list[0], nil
}

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
