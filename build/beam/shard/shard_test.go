package shard

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"baca/algo"
	"baca/build/beam/shard/shardtest"
	"baca/build/internal/lock"
	"baca/build/internal/sealed"
)

var ctx = context.Background()

func options() algo.Options {
	o := algo.DefaultOptions()
	o.Workers = 1
	return o
}

// reference are the rows and refused records of one process that has all lines in
// one file.
func reference(t *testing.T, name string, lines []string) (rows, rejects string) {
	t.Helper()
	out, refused := shardtest.Reference(t, shardtest.Model(), options(), name, lines)
	return string(out), string(refused)
}

func newJob(t *testing.T, files Files, folder string, shards int, inputs ...string) *Job {
	t.Helper()
	j := &Job{
		Files: files, Folder: folder, Inputs: inputs, Format: "auto", Column: "smiles", To: "csv", Shards: shards,
		Model: shardtest.Model(), Options: options(),
	}
	if err := j.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	return j
}

// plan counts the records of all inputs.
func plan(t *testing.T, j *Job) *Plan {
	t.Helper()
	var rows []Rows
	for input := range j.Inputs {
		r, err := j.Count(ctx, input)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return j.PlanOf(rows)
}

// try scores shards in an order, each in a process of its own, and sums up.
func try(t *testing.T, files Files, folder string, shards int, order []int, inputs ...string) (s *Summary, errs map[int]error) {
	t.Helper()
	var done []*Done
	var failed []Failure
	errs = map[int]error{}
	for _, shard := range order {
		j := newJob(t, files, folder, shards, inputs...)
		d, err := j.Score(ctx, plan(t, j), shard)
		if err != nil {
			errs[shard], failed = err, append(failed, Failure{shard, err.Error()})
			continue
		}
		done = append(done, d)
	}
	j := newJob(t, files, folder, shards, inputs...)
	return j.Summarize(plan(t, j), done, failed), errs
}

// all scores all shards in an order, and joins them.
func all(t *testing.T, files Files, folder string, shards int, order []int, inputs ...string) (rows, rejects string, s *Summary) {
	t.Helper()
	s, errs := try(t, files, folder, shards, order, inputs...)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	j := newJob(t, files, folder, shards, inputs...)
	if err := j.Join(ctx); err != nil {
		t.Fatal(err)
	}
	if err := j.KeepSummary(ctx, s); err != nil {
		t.Fatal(err)
	}
	return text(t, j.path("scores.csv")), text(t, j.path("rejects.csv")), s
}

// nothingLeft checks that there are no unfinished files and no locks.
func nothingLeft(t *testing.T, folder string) {
	t.Helper()
	for _, pattern := range []string{"*.part*", "*.lock"} {
		if left, err := filepath.Glob(filepath.Join(folder, pattern)); err != nil || len(left) > 0 {
			t.Errorf("unfinished work is left: %v, %v", left, err)
		}
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// scores are rows without errors, which name files.
func scores(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	why := slices.Index(rows[0], "error")
	for _, r := range rows {
		r[why] = fmt.Sprint(r[why] != "")
	}
	return rows
}

// However a library is divided into files and shards, in whatever order these are
// done, and whatever is done twice, the rows are those of one process that has all
// in one file.
func TestSameRowsHoweverDivided(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	for run := range 12 {
		lines := shardtest.Lines(rng, []int{400, 50, 3, 0}[min(run%5, 3)])
		inputs := shardtest.Split(t, rng, lines)
		if len(inputs) == 1 {
			shardtest.Write(t, inputs[0], lines)
		}
		rows, rejects := reference(t, inputs[0], lines)
		shards := 1 + rng.IntN(9)
		folder := filepath.Join(t.TempDir(), "new", "out")
		gotRows, gotRejects, s := all(t, Local{}, folder, shards, append(rng.Perm(shards), rng.IntN(shards)), inputs...)
		if len(inputs) == 1 && (gotRows != rows || gotRejects != rejects) {
			t.Fatalf("run %d, %d shards: other rows or refused records than those of one process", run, shards)
		}
		if got, want := scores(t, gotRows), scores(t, rows); !reflect.DeepEqual(got, want) {
			t.Fatalf("run %d, %d shards of %d files: other rows than those of one process", run, shards, len(inputs))
		}
		if got, want := strings.Count(gotRejects, "\n"), strings.Count(rejects, "\n"); got != want {
			t.Errorf("run %d: %d refused records, want %d", run, got-1, want-1)
		}
		c := s.Tally
		if s.Err() != nil || s.Records != len(lines) || c.Records != len(lines) || c.Refused != strings.Count(rejects, "\n")-1 || c.Records != c.Refused+c.Outside+c.Borderline+c.Inside+c.Undecided || s.Finished != shards {
			t.Errorf("run %d: %d lines give %+v", run, len(lines), s)
		}
		nothingLeft(t, folder)
	}
}

func TestRangesOfShards(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	for range 1000 {
		of := 1 + rng.IntN(MaxShards)
		n := int(rng.Uint64N(1 << rng.IntN(50)))
		p := &Plan{First: []int{0, n}}
		if _, end := p.Range(of-1, of); end != n {
			t.Fatalf("%d records in %d shards end at %d", n, of, end)
		}
		for range 20 {
			k := rng.IntN(of)
			lo, hi := p.Range(k, of)
			if _, before := p.Range(k-1, of); k > 0 && before != lo || k == 0 && lo != 0 {
				t.Fatalf("shard %d of %d begins at %d, the one before ends at %d", k, of, lo, before)
			}
			if size := float64(n) / float64(of); math.Abs(float64(hi-lo)-size) > 1+1e-6*size {
				t.Fatalf("shard %d of %d has %d of %d records", k, of, hi-lo, n)
			}
		}
	}
}

// A faulty file system does as it is told before each operation on a file. Of what
// is written, only a first part gets through.
type faulty struct {
	Local
	mu    sync.Mutex
	calls map[string]int
	fault func(op, name string, call int) error
}

func (f *faulty) call(op, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = map[string]int{}
	}
	name = filepath.Base(name)
	f.calls[op+" "+name]++
	if f.fault == nil {
		return nil
	}
	return f.fault(op, name, f.calls[op+" "+name])
}

func (f *faulty) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := f.call("open", name); err != nil {
		return nil, err
	}
	return f.Local.Open(ctx, name)
}

func (f *faulty) Write(ctx context.Context, name string, write func(io.Writer) error) error {
	fault := f.call("write", name)
	return f.Local.Write(ctx, name, func(w io.Writer) error {
		if fault == nil {
			return write(w)
		}
		return errors.Join(write(&failing{w, fault, 500}), fault)
	})
}

type failing struct {
	w    io.Writer
	err  error
	room int
}

func (f *failing) Write(b []byte) (int, error) {
	if len(b) > f.room {
		n, _ := f.w.Write(b[:f.room])
		f.room -= n
		return n, f.err
	}
	f.room -= len(b)
	return f.w.Write(b)
}

var errDisk = errors.New("disk on fire")

// A piece of work that fails is done again, and counts once.
func TestFailedAttempts(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	lines := shardtest.Lines(rng, 300)
	inputs := shardtest.Split(t, rng, lines)
	rows, _ := reference(t, inputs[0], lines)
	files := &faulty{fault: func(op, name string, call int) error {
		if op == "write" && call == 1 && strings.Contains(name, "-of-") || op == "open" && call == 2 && name == filepath.Base(inputs[0]) {
			return errDisk
		}
		return nil
	}}
	folder := t.TempDir()
	got, _, s := all(t, files, folder, 3, []int{1, 2, 0}, inputs...)
	if !reflect.DeepEqual(scores(t, got), scores(t, rows)) || s.Err() != nil || s.Tally.Records != len(lines) {
		t.Errorf("other rows than without faults, summary %+v", s)
	}
	for _, name := range []string{"scores-00001-of-00003.csv", "rejects-00001-of-00003.csv", "done-00001-of-00003.json"} {
		if n := files.calls["write "+name]; n < 2 {
			t.Errorf("%s was written %d times: the fault did not hit it", name, n)
		}
	}
}

// A shard that always fails is named, and the rest is there. Once the trouble is
// over, it alone is done.
func TestBadShard(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 14))
	lines := shardtest.Lines(rng, 300)
	inputs := shardtest.Split(t, rng, lines)
	rows, _ := reference(t, inputs[0], lines)
	folder := t.TempDir()
	bad := &faulty{fault: func(op, name string, _ int) error {
		if op == "write" && name == "scores-00002-of-00004.csv" {
			return errDisk
		}
		return nil
	}}
	order := []int{0, 1, 2, 3}
	s, errs := try(t, bad, folder, 4, order, inputs...)
	if len(errs) != 1 || !errors.Is(errs[2], errDisk) {
		t.Errorf("errors %v", errs)
	}
	if n := bad.calls["write scores-00002-of-00004.csv"]; n != attempts {
		t.Errorf("%d attempts, want %d", n, attempts)
	}
	lo, hi := (&Plan{First: []int{0, len(lines)}}).Range(2, 4)
	if err := s.Err(); err == nil || len(s.Failed) != 1 || s.Failed[0].Shard != 2 || s.Finished != 3 || s.Tally.Records != len(lines)-(hi-lo) || s.Records != len(lines) {
		t.Errorf("error %v of %+v", err, s)
	}

	well := &faulty{}
	got, _, s := all(t, well, folder, 4, order, inputs...)
	for shard := range 4 {
		name := fmt.Sprintf("write scores-%05d-of-00004.csv", shard)
		if n := well.calls[name]; (n == 1) != (shard == 2) {
			t.Errorf("shard %d was written %d times", shard, n)
		}
	}
	if !reflect.DeepEqual(scores(t, got), scores(t, rows)) || s.Err() != nil {
		t.Errorf("other rows than without faults, summary %+v", s)
	}
}

// Of an input that breaks, the records before that are scored, and it is named.
func TestBrokenInput(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 16))
	lines := shardtest.Lines(rng, 3000)
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.smi"), filepath.Join(dir, "bad.smi.gz")
	shardtest.Write(t, good, lines[:100])
	shardtest.Write(t, bad, lines[100:])
	info, err := os.Stat(bad)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(bad, info.Size()/2); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	inputs := []string{bad, good}
	rows, _, s := all(t, Local{}, folder, 3, []int{2, 1, 0}, inputs...)
	n := len(scores(t, rows)) - 1
	if n < 1000 || n > 2900 || s.Records != n || s.Tally.Records != n || len(s.Broken) != 1 || s.Broken[0].Input != bad {
		t.Errorf("%d rows, summary %+v", n, s)
	}
	if err := s.Err(); err == nil || !strings.Contains(err.Error(), "EOF") {
		t.Errorf("error %v, want that of the input", err)
	}
	last := scores(t, rows)[n]
	if want := strings.Fields(lines[99])[0]; last[1] != want {
		t.Errorf("the last row is of %s, want %s", last[1], want)
	}
}

// The records of an input are counted once.
func TestCountsAreKept(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(17, 17))
	var inputs []string
	for i := range 6 {
		inputs = append(inputs, filepath.Join(dir, fmt.Sprintf("%d.smi", i)))
		shardtest.Write(t, inputs[i], shardtest.Lines(rng, 10*i))
	}
	files := &faulty{}
	folder := t.TempDir()
	for range 2 {
		p := plan(t, newJob(t, files, folder, 3, inputs...))
		if want := []int{0, 0, 10, 30, 60, 100, 150}; !slices.Equal(p.First, want) {
			t.Fatalf("plan %+v, want %v", p, want)
		}
	}
	for i := range inputs {
		if n := files.calls[fmt.Sprintf("open %d.smi", i)]; n != 1 {
			t.Errorf("input %d was read %d times, want once", i, n)
		}
	}
	// An input that has changed since is another run.
	shardtest.Write(t, inputs[3], shardtest.Lines(rng, 31))
	j := &Job{Files: files, Folder: folder, Inputs: inputs, Format: "auto", Column: "smiles", To: "csv", Shards: 3, Model: shardtest.Model(), Options: options()}
	if err := j.Begin(ctx); !errors.Is(err, ErrOther) {
		t.Errorf("error %v, want %v", err, ErrOther)
	}
}

// An input with other content of the same length is not the one that was counted.
func TestInputThatChanges(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "in.smi")
	write := func(lines ...string) {
		if err := os.WriteFile(input, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("CCO", "CCC", "CCN", "CCS")
	folder := filepath.Join(dir, "out")
	if _, errs := try(t, Local{}, folder, 2, []int{0}, input); len(errs) > 0 {
		t.Fatal(errs)
	}
	write("CCS", "CCN", "CCC", "CCO")
	_, errs := try(t, Local{}, folder, 2, []int{1}, input)
	if err := errs[1]; err == nil || !strings.Contains(err.Error(), input+" has changed since its records were counted") {
		t.Errorf("error %v, want one about the input", err)
	}
	// What was scored of other bytes is done again.
	if err := os.Remove(filepath.Join(folder, rowsName(0))); err != nil {
		t.Fatal(err)
	}
	rows, _, _ := all(t, Local{}, folder, 2, []int{1, 0}, input)
	if want, _ := reference(t, input, []string{"CCS\n", "CCN\n", "CCC\n", "CCO"}); rows != want {
		t.Errorf("%s, want %s", rows, want)
	}
}

func TestOtherRuns(t *testing.T) {
	input := filepath.Join(t.TempDir(), "in.smi")
	shardtest.Write(t, input, shardtest.Lines(rand.New(rand.NewPCG(18, 18)), 20))
	folder := t.TempDir()
	newJob(t, Local{}, folder, 3, input)
	for _, test := range []struct {
		want   string
		change func(*Job)
	}{
		{"of 3 shards, this is of 4", func(j *Job) { j.Shards = 4 }},
		{"with other flags", func(j *Job) { j.Options.Alpha = 0.2 }},
		{"with other flags", func(j *Job) { j.To = "jsonl" }},
		{"of other inputs", func(j *Job) { j.Inputs = []string{input, input} }},
		{"of another model", func(j *Job) { m := *j.Model; m.Card.Seed++; j.Model = &m }},
		{"want 1 to", func(j *Job) { j.Shards = 0 }},
		{"no input", func(j *Job) { j.Inputs = nil }},
		{"want one for molecules", func(j *Job) { m := *j.Model; m.Card.Schema = algo.Constant; j.Model = &m }},
		{"not a regular file", func(j *Job) { j.Inputs = []string{folder} }},
		{"no such", func(j *Job) { j.Inputs = []string{filepath.Join(folder, "none.smi")} }},
	} {
		j := &Job{Files: Local{}, Folder: folder, Inputs: []string{input}, Format: "auto", Column: "smiles", To: "csv", Shards: 3, Model: shardtest.Model(), Options: options()}
		test.change(j)
		if err := j.Begin(ctx); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

// The unfinished files of a process that is at work are left alone, those of one that
// was killed go.
func TestUnfinishedFiles(t *testing.T) {
	input := filepath.Join(t.TempDir(), "in.smi")
	shardtest.Write(t, input, shardtest.Lines(rand.New(rand.NewPCG(20, 20)), 20))
	folder := t.TempDir()
	j := newJob(t, Local{}, folder, 2, input)
	release, err := lock.Acquire(filepath.Join(folder, "shard-00001-of-00002.lock"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{j.rowsOf(1), j.rejectsOf(1), j.doneOf(1)} {
		if err := os.WriteFile(name+".part0123456789abcdef", nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, errs := try(t, Local{}, folder, 2, []int{0, 1}, input)
	want := fmt.Sprintf("held by process %d on ", os.Getpid())
	if err := errs[1]; errs[0] != nil || !errors.Is(err, lock.ErrHeld) || !strings.Contains(err.Error(), want) {
		t.Errorf("a shard that is worked on: %v, want %q", err, want)
	}
	if left, err := filepath.Glob(filepath.Join(folder, "*.part0123456789abcdef")); err != nil || len(left) != 3 {
		t.Errorf("of the other's unfinished files %v are left, %v", left, err)
	}
	release()
	all(t, Local{}, folder, 2, []int{0, 1}, input)
	nothingLeft(t, folder)
}

// A finished shard whose files are not what it wrote, or whose mark is not, is done
// again.
func TestShardsHeal(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 21))
	input := filepath.Join(t.TempDir(), "in.smi")
	shardtest.Write(t, input, shardtest.Lines(rng, 60))
	folder := t.TempDir()
	rows, rejects, s := all(t, Local{}, folder, 2, []int{0, 1}, input)
	path := func(name string) string { return filepath.Join(folder, name) }
	edit := func(name, old, new string) {
		t.Helper()
		before := text(t, path(name))
		if !strings.Contains(before, old) {
			t.Fatalf("%s has no %q", name, old)
		}
		if err := os.WriteFile(path(name), []byte(strings.Replace(before, old, new, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		want   string
		damage func()
	}{
		{"is lost", func() { os.Remove(path("scores-00001-of-00002.csv")) }},
		{"is lost", func() { os.Remove(path("rejects-00001-of-00002.csv")) }},
		{"has 100 bytes, it had", func() { os.Truncate(path("scores-00001-of-00002.csv"), 100) }},
		{"was altered", func() { edit("scores-00001-of-00002.csv", ",inside,", ",outsid,") }},
		{"was altered", func() { edit("rejects-00001-of-00002.csv", "row", "wor") }},
		{"it was edited or cut short", func() { edit("done-00001-of-00002.json", `"records":30`, `"records":31`) }},
		{"no such file", func() { os.Remove(path("done-00001-of-00002.json")) }},
	} {
		test.damage()
		j := newJob(t, Local{}, folder, 2, input)
		if _, err := j.done(ctx, plan(t, j), 1); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("shard 1: %v, want %q", err, test.want)
		}
		if _, err := j.done(ctx, plan(t, j), 0); err != nil {
			t.Errorf("shard 0: %v", err)
		}
		if a, b, again := all(t, Local{}, folder, 2, []int{0, 1}, input); a != rows || b != rejects || !reflect.DeepEqual(again, s) {
			t.Errorf("%s: scored again, it gives other rows", test.want)
		}
	}
	// Counts that were edited are taken anew, and a run that was is refused.
	edit("rows-00000.json", `"records":60`, `"records":59`)
	j := newJob(t, Local{}, folder, 2, input)
	if p := plan(t, j); p.Records() != 60 {
		t.Errorf("%+v: want 60 records", p)
	}
	edit("run.json", `"alpha":0.05`, `"alpha":0.06`)
	if err := j.Begin(ctx); !errors.Is(err, sealed.ErrBroken) {
		t.Errorf("an edited run: %v", err)
	}
}

// What another run left in a folder that lost its run.json does not count.
func TestLostRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 22))
	input := filepath.Join(t.TempDir(), "in.smi")
	shardtest.Write(t, input, shardtest.Lines(rng, 60))
	folder := t.TempDir()
	all(t, Local{}, folder, 2, []int{0, 1}, input)
	if err := os.Remove(filepath.Join(folder, runName)); err != nil {
		t.Fatal(err)
	}
	lines := shardtest.Lines(rng, 90)
	shardtest.Write(t, input, lines)
	rows, rejects := reference(t, input, lines)
	if a, b, s := all(t, Local{}, folder, 2, []int{0, 1}, input); a != rows || b != rejects || s.Records != 90 {
		t.Errorf("%d records, or other rows than those of one process", s.Records)
	}
}
