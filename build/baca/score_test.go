package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"baca/algo"
	"baca/algo/pretrain"
	"baca/weights"
)

// numbered are records of the built-in molecules, with a refused one before each
// tenth.
func numbered(t *testing.T) []record {
	t.Helper()
	var rs []record
	for i, g := range exampleGraphs(t) {
		if i%10 == 0 {
			rs = append(rs, record{row: len(rs) + 1, id: strconv.Itoa(len(rs) + 1), err: errors.New("refused")})
		}
		rs = append(rs, record{row: len(rs) + 1, id: strconv.Itoa(len(rs) + 1), graph: g})
	}
	return rs
}

func newScoring(t *testing.T, m *algo.Model, out io.Writer, to string) *scoring {
	t.Helper()
	scorer, err := algo.NewScorer(m, algo.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return &scoring{scorer: scorer, model: "m", alpha: 0.05, batchGraphs: 30, out: newRowWriter(out, to), stderr: io.Discard}
}

// yield goes through records, and calls before with the index of each.
func yield(rs []record, before func(int)) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for i, r := range rs {
			before(i)
			if !yield(r, nil) {
				return
			}
		}
	}
}

func TestBatches(t *testing.T) {
	m := moleculeModel(t)
	rs := numbered(t)
	var got bytes.Buffer
	s := newScoring(t, m, &got, "csv")
	// 158 graphs: five batches of 30, and 8, which join the last. A batch waits
	// for 20 graphs of the next, and is out before the one after that.
	err := s.all(context.Background(), yield(rs, func(i int) {
		graphs := 0
		for _, r := range rs[:i] {
			if r.err == nil {
				graphs++
			}
		}
		rows := max(0, strings.Count(got.String(), "\n")-1)
		batches := (graphs - 20 + 30) / 30 // begun so far, each with 20 graphs
		if want := max(0, batches-1); graphs >= 20 && s.batches != want {
			t.Errorf("before record %d, with %d graphs read, %d batches are scored, want %d", i, graphs, s.batches, want)
		}
		if rows != s.written {
			t.Errorf("before record %d, %d rows are flushed of %d written", i, rows, s.written)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if s.batches != 5 || s.written != 174 || s.refused != 16 {
		t.Errorf("%d batches, %d rows, %d refused; want 5, 174 and 16", s.batches, s.written, s.refused)
	}

	// The same by hand.
	scorer, err := algo.NewScorer(m, algo.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var rows []algo.Row
	gs := exampleGraphs(t)
	for _, b := range [][2]int{{0, 30}, {30, 60}, {60, 90}, {90, 120}, {120, 158}} {
		report, err := scorer.Batch(context.Background(), gs[b[0]:b[1]])
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, report.Rows...)
	}
	var want bytes.Buffer
	w := newRowWriter(&want, "csv")
	for _, r := range rs {
		if r.err != nil {
			w.Write(r, nil)
			continue
		}
		w.Write(r, &rows[0])
		rows = rows[1:]
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Errorf("got\n%s\nwant\n%s", &got, &want)
	}
}

func TestBatchLimits(t *testing.T) {
	// One graph between refused records does not keep all of them waiting.
	rs := make([]record, maxBatchRecords+10)
	for i := range rs {
		rs[i] = record{row: i + 1, id: "x", err: errors.New("refused")}
	}
	rs[5] = record{row: 6, id: "x", graph: exampleGraphs(t)[0]}
	var b batch
	for i, r := range rs {
		if b.full(maxBatchGraphs) {
			if i != maxBatchRecords {
				t.Errorf("full after %d records, want %d", i, maxBatchRecords)
			}
			break
		}
		b.add(r)
	}
	b = batch{text: maxBatchText - 3}
	b.add(record{smiles: "CC", err: errors.New("refused")})
	if b.full(maxBatchGraphs) {
		t.Error("full one byte too early")
	}
	b.add(record{id: "1", err: errors.New("refused")})
	if !b.full(maxBatchGraphs) {
		t.Error("not full of text")
	}
	b = batch{nodes: maxBatchNodes}
	if b.full(maxBatchGraphs) {
		t.Error("full of nodes, without graphs enough to learn from")
	}
}

// A run that is cut short leaves whole rows of whole batches.
func TestInterruptedScore(t *testing.T) {
	m := moleculeModel(t)
	for _, to := range []string{"csv", "jsonl"} {
		ctx, cancel := context.WithCancel(context.Background())
		var got bytes.Buffer
		s := newScoring(t, m, &got, to)
		err := s.all(ctx, yield(numbered(t), func(i int) {
			if i == 100 { // 90 graphs: two batches are out, one waits
				cancel()
			}
		}))
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want that of the context", to, err)
		}
		if s.batches != 2 {
			t.Errorf("%s: %d batches, want 2", to, s.batches)
		}
		checkRows(t, to, got.Bytes(), 60+6)
	}
}

// checkRows checks that an output is whole and has so many rows.
func checkRows(t *testing.T, to string, data []byte, want int) {
	t.Helper()
	n := 0
	if to == "csv" {
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		n = len(rows) - 1
	} else {
		for line := range bytes.Lines(data) {
			var row map[string]any
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if len(row) != len(columns) || !bytes.HasSuffix(line, []byte("\n")) {
				t.Errorf("%s has %d keys, want %d and a line end", line, len(row), len(columns))
			}
			n++
		}
	}
	if n != want {
		t.Errorf("%d rows, want %d", n, want)
	}
}

// A real interrupt, while standard input is open and silent.
func TestInterruptSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts between processes on Windows")
	}
	if testing.Short() {
		t.Skip("scores a batch of 4096")
	}
	dir := t.TempDir()
	model, out := filepath.Join(dir, "model.msgpack"), filepath.Join(dir, "out.csv")
	saveModel(t, model, moleculeModel(t))
	c := exec.Command(os.Args[0], "-test.run=^TestRunProcess$")
	c.Env = append(os.Environ(), "BACA_TEST_ARGS="+strings.Join([]string{"score", "--model", model, "--calibrator", "none", "--out", out, "-"}, "\n"))
	var stderr bytes.Buffer
	c.Stderr = &stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	for i := range 5000 { // a batch, the start of the next, and what the parser takes ahead
		if _, err := fmt.Fprintln(stdin, strings.Repeat("C", 2+i%7)); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		data, _ := os.ReadFile(out)
		if bytes.Count(data, []byte("\n")) > maxBatchGraphs {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no rows in time\n%s", &stderr)
		}
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err = c.Wait()
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != exitFailure {
		t.Errorf("ended with %v, want exit status %d", err, exitFailure)
	}
	if want := "4096 read, 0 refused"; !strings.Contains(stderr.String(), want) || !strings.Contains(stderr.String(), "baca: interrupted") {
		t.Errorf("stderr %q, want %q and that it was interrupted", &stderr, want)
	}
	checkRows(t, "csv", read(t, out), maxBatchGraphs)
}

// As with `baca score | head`.
func TestClosedPipe(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model.msgpack")
	saveModel(t, model, moleculeModel(t))
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var stderr bytes.Buffer
	if code := run([]string{"score", "--model", model, "-"}, strings.NewReader("CCO\n"), w, &stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("exit status %d, stderr %q; want a quiet end", code, &stderr)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk on fire") }

func TestOutputThatFails(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model.msgpack")
	saveModel(t, model, moleculeModel(t))
	for _, to := range []string{"csv", "jsonl"} {
		var stderr bytes.Buffer
		code := run([]string{"score", "--model", model, "--to", to, "-"}, strings.NewReader("CCO\n"), failing{}, &stderr)
		if want := "baca: writing to standard output: disk on fire\n"; code != exitFailure || !strings.HasSuffix(stderr.String(), want) {
			t.Errorf("%s: exit status %d, stderr %q; want %d and %q", to, code, &stderr, exitFailure, want)
		}
	}
}

func TestWaiting(t *testing.T) {
	text := strings.Repeat("abcdefg", 30_000)
	got, err := io.ReadAll(&waiting{ctx: context.Background(), r: strings.NewReader(text)})
	if err != nil || string(got) != text {
		t.Errorf("read %d bytes and %v, want %d", len(got), err, len(text))
	}

	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	blocked := &waiting{ctx: ctx, r: r}
	for range 2 {
		if n, err := blocked.Read(make([]byte, 10)); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("read %d bytes and %v, want the error of the context", n, err)
		}
	}
}

func TestNumber(t *testing.T) {
	zero := 0.0
	for _, test := range []struct {
		x    float64
		want string
	}{
		{1.0 / 3, "0.333333"}, {-2.5, "-2.5"}, {-zero, "0"}, {-1 * zero, "0"}, {1e-9, "1e-09"}, {123456789, "1.23457e+08"},
		{zero / zero, ""}, {1 / zero, ""},
	} {
		got := number(test.x)
		if got != test.want {
			t.Errorf("number(%g) = %q, want %q", test.x, got, test.want)
		}
		if got != "" && !json.Valid([]byte(got)) {
			t.Errorf("number(%g) = %s is not JSON", test.x, got)
		}
	}
}

func TestInspectCheckpoint(t *testing.T) {
	o := pretrain.Defaults(9)
	trainer, err := pretrain.New(exampleGraphs(t)[:30], o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trainer.Epoch(context.Background()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.checkpoint")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := weights.SaveCheckpoint(f, &weights.Checkpoint{Program: "test", Schema: algo.OGB, Options: o, State: trainer.State()}); err != nil {
		t.Fatal(err)
	}
	f.Close()
	refuse(t, exitFailure, path+" is not a model but a checkpoint of a training run after 1 epochs", "inspect", path)
	refuse(t, exitFailure, "wrong kind of BaCa file", "score", "--model", path, path)
}
