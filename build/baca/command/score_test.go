package command

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"baca/build/internal/testset"
	"baca/build/internal/try"
)

// folder returns the paths of files in a folder, in which model.msgpack is a model of molecules.
func folder(t *testing.T) (name func(file string) string) {
	t.Helper()
	dir := t.TempDir()
	name = func(f string) string { return filepath.Join(dir, f) }
	saveModel(t, name("model.msgpack"), moleculeModel(t))
	return name
}

// killable is the folder of a test that ends a process in the midst of a long run.
func killable(t *testing.T) (name func(file string) string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no interrupts between processes, and may keep a file locked that a killed one had open")
	}
	if testing.Short() {
		t.Skip("scores thousands of molecules")
	}
	return folder(t)
}

// until waits until a process that was started has done something, and returns how it ends, which it must not by then.
func until(t *testing.T, c *exec.Cmd, done func() bool) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for !done() {
		select {
		case err := <-ended:
			t.Fatalf("ended too early: %v\n%s", err, c.Stderr)
		case <-time.After(time.Millisecond):
		}
	}
	return ended
}

// A run is killed, and another goes on from there.
func TestKilledAndResumed(t *testing.T) {
	name := killable(t)
	var text bytes.Buffer
	z := gzip.NewWriter(&text)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 3 * checkpointRows {
		smiles := strings.Repeat("C", 1+rng.IntN(5)) + strings.Repeat("O", rng.IntN(3))
		if i%1000 == 7 {
			smiles += "("
		}
		fmt.Fprintln(z, smiles, rng.Uint32())
	}
	z.Close()
	try.Check(os.WriteFile(name("in.smi.gz"), text.Bytes(), 0o666))
	args := func(out string, more ...string) []string {
		return append([]string{
			"score", "--model", name("model.msgpack"),
			"--out", name(out + ".csv"), "--rejects", name(out + ".rejects"), name("in.smi.gz"),
		}, more...)
	}
	_, whole := succeed(t, args("whole")...)
	if _, err := os.Stat(name("whole.csv.checkpoint")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the checkpoint of a run that is over: %v, want none", err)
	}

	testset.Write(t, name("killed.csv"), "of yesterday")
	c, _, _ := startRun(t, args("killed")...)
	ended := until(t, c, func() bool {
		_, err := os.Stat(name("killed.csv.checkpoint"))
		return err == nil
	})
	c.Process.Kill()
	<-ended
	if n := bytes.Count(read(t, name("killed.csv.part")), []byte("\n")); n <= checkpointRows || n > 3*checkpointRows {
		t.Fatalf("%d lines when killed, want some behind the first checkpoint, and not all", n)
	}

	// What does not fit is refused, and nothing is touched.
	before := read(t, name("killed.csv.part"))
	for _, other := range [][]string{{"--alpha", "0.2"}, {"--drop-columns"}, {"--explain"}, {"--spreadsheet-safe"}} {
		refuse(t, exitFailure, "the run had other flags", args("killed", append(other, "--resume")...)...)
	}
	// A run goes on only with the bytes that gave the rows so far, whatever the time of the file. This one is of the same text.
	info := try.To(os.Stat(name("in.smi.gz")))
	other := text.String()
	testset.Write(t, name("in.smi.gz"), other[:4]+"T"+other[5:])
	try.Check(os.Chtimes(name("in.smi.gz"), time.Time{}, info.ModTime()))
	refuse(t, exitFailure, "the input has changed since: the first", args("killed", "--resume")...)
	testset.Write(t, name("in.smi.gz"), other+strings.Repeat("\n", 1e6))
	refuse(t, exitFailure, " bytes; without --resume", args("killed", "--resume")...)
	testset.Write(t, name("in.smi.gz"), text.String())
	// That any other byte of a checkpoint is found, package sealed tests.
	checkpoint := string(read(t, name("killed.csv.checkpoint")))
	testset.Write(t, name("killed.csv.checkpoint"), strings.Replace(checkpoint, `"records":16384`, `"records":99384`, 1))
	refuse(t, exitFailure, "killed.csv.checkpoint: it was edited or cut short", args("killed", "--resume")...)
	testset.Write(t, name("killed.csv.checkpoint"), checkpoint)
	if old := string(read(t, name("killed.csv"))); old != "of yesterday" || !bytes.Equal(before, read(t, name("killed.csv.part"))) {
		t.Errorf("a run that was refused has changed the output, or the part, or one that was killed the output: %.40q", old)
	}

	// A run from the start that reads no row leaves all of it, too.
	testset.Write(t, name("few.smi"), "CCO\n")
	succeed(t, "score", "--model", name("model.msgpack"), "--out", name("in.parquet"), name("few.smi"))
	damaged := read(t, name("in.parquet"))
	clear(damaged[4:100])
	testset.Write(t, name("in.parquet"), string(damaged))
	refuse(t, exitFailure, "baca: "+name("in.parquet"), "score", "--model", name("model.msgpack"), "--out", name("killed.csv"), name("in.parquet"))

	_, stderr := succeed(t, args("killed", "--resume")...)
	for _, ext := range []string{".csv", ".rejects"} {
		if !bytes.Equal(read(t, name("killed"+ext)), read(t, name("whole"+ext))) {
			t.Errorf("the %s file of the resumed run differs from that of a run without a break", ext)
		}
	}
	if want := fmt.Sprintf("resuming after row %d\n", checkpointRows); !strings.Contains(stderr, want) {
		t.Errorf("stderr %q, want %q", stderr, want)
	}
	counts := func(text string) string { return text[strings.Index(text, "49152 read"):] }
	if got, want := counts(stderr), counts(whole); got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	refuse(t, exitUsage, "--resume: want --out and an input file\n", "score", "--resume", name("in.smi.gz"))
	refuse(t, exitUsage, "--resume: want --out and an input file", "score", "--resume", "--out", name("x"), "-")
}

// A run whose input fails behind the last checkpoint goes on from there, and ends at the same place.
func TestResumedAfterAReadError(t *testing.T) {
	before := checkpointRows
	checkpointRows = 32
	t.Cleanup(func() { checkpointRows = before })
	name := folder(t)
	var text bytes.Buffer
	z := try.To(gzip.NewWriterLevel(&text, gzip.NoCompression))
	fmt.Fprint(z, strings.Repeat("CCO\nCCCN\n", 200))
	z.Close()
	testset.Write(t, name("in.smi.gz"), text.String()[:text.Len()-20])
	args := []string{"score", "--model", name("model.msgpack"), "--out", name("out.csv"), name("in.smi.gz")}
	testset.Write(t, name("out.csv"), "of yesterday")
	refuse(t, exitFailure, "note: rows so far are in "+name("out.csv.part")+"; --resume continues after row", args...)
	rows := read(t, name("out.csv.part"))
	refuse(t, exitFailure, "resuming after row", append(args, "--resume")...)
	if old := string(read(t, name("out.csv"))); old != "of yesterday" || !bytes.Equal(rows, read(t, name("out.csv.part"))) {
		t.Errorf("the resumed run wrote other rows, or changed the file that it shall replace: %.40q", old)
	}
	refuse(t, exitFailure, "discarding "+name("out.csv.checkpoint"), args...)
}

// startRun starts a process that runs the command until the test ends.
func startRun(t *testing.T, args ...string) (c *exec.Cmd, stdin io.Writer, stderr *bytes.Buffer) {
	t.Helper()
	c = exec.Command(os.Args[0], "-test.run=^TestRunProcess$")
	c.Env = append(os.Environ(), "BACA_TEST_ARGS="+strings.Join(args, "\n"))
	stderr = &bytes.Buffer{}
	c.Stderr = stderr
	stdin = try.To(c.StdinPipe())
	try.Check(c.Start())
	t.Cleanup(func() { c.Process.Kill() })
	return c, stdin, stderr
}

// A real interrupt, while standard input is open and silent, leaves whole rows.
func TestInterruptSignal(t *testing.T) {
	name := killable(t)
	for to, end := range map[string]string{"csv": "\n", "jsonl": "}\n"} {
		out := name("out." + to)
		c, stdin, stderr := startRun(t, "score", "--model", name("model.msgpack"), "--to", to, "--out", out, "-")
		for i := range 5000 { // most of them, and what the parser takes ahead
			try.To(fmt.Fprintln(stdin, strings.Repeat("C", 2+i%7)))
		}
		ended := until(t, c, func() bool {
			data, _ := os.ReadFile(out + ".part")
			return bytes.Count(data, []byte("\n")) > 4000
		})
		try.Check(c.Process.Signal(os.Interrupt))
		err := <-ended
		if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != exitFailure {
			t.Errorf("ended with %v, want exit status %d", err, exitFailure)
		}
		written := string(read(t, out+".part"))
		rows := strings.Count(written, end)
		if to == "csv" {
			rows = len(rowsOf(t, written))
		}
		if !strings.HasSuffix(written, end) || to == "jsonl" && rows != strings.Count(written, "\n") {
			t.Errorf("%s: the last row is cut short", to)
		}
		want := fmt.Sprintf("\nnote: rows so far are in %s.part\nbaca: interrupted\n", out)
		if !strings.HasSuffix(stderr.String(), want) || !strings.Contains(stderr.String(), fmt.Sprintf("%d read, 0 refused", rows)) {
			t.Errorf("stderr %q, want %q", stderr, want)
		}
	}
}

// What has written nothing says nothing of that, and has no verdicts that depend on what is not read.
func TestInterruptBeforeRows(t *testing.T) {
	name := killable(t)
	for _, args := range [][]string{
		{"score", "--model", name("model.msgpack"), "--fdr", "0.1", "--out", name("out.csv"), "-"},
		{"report", "--model", name("model.msgpack"), "--out", name("out.html"), "-"},
	} {
		c, stdin, stderr := startRun(t, args...)
		for i := range 20000 {
			if _, err := fmt.Fprintln(stdin, strings.Repeat("C", 10+i%7), "a name that fills the pipe"); err != nil {
				t.Fatalf("%v: %s", err, stderr)
			}
		}
		try.Check(c.Process.Signal(os.Interrupt))
		c.Wait()
		if got := stderr.String(); !strings.HasSuffix(got, "baca: interrupted\n") || strings.Contains(got, "are written\n") || strings.Contains(got, " outside") {
			t.Errorf("%s: %s", args[0], got)
		}
	}
}

// As with `baca score | head`.
func TestClosedPipe(t *testing.T) {
	model := folder(t)("model.msgpack")
	r, w, err := os.Pipe()
	try.Check(err)
	r.Close()
	defer w.Close()
	var stderr bytes.Buffer
	if code := invoke(nil, []string{"score", "--model", model, "-"}, strings.NewReader("CCO\n"), w, &stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("exit status %d, stderr %q; want a quiet end", code, &stderr)
	}
}

func TestOutputThatFails(t *testing.T) {
	model := folder(t)("model.msgpack")
	r, stdout := io.Pipe()
	r.CloseWithError(errors.New("disk on fire"))
	for _, args := range []string{
		"score --model MODEL -", "score --model MODEL --to jsonl -", "score --model MODEL --fdr 0.1 -", "drift --model MODEL -",
		"help", "help score", "score --help", "", "model list", "version", "model show MODEL",
	} {
		var stderr bytes.Buffer
		code := invoke(nil, strings.Fields(strings.ReplaceAll(args, "MODEL", model)), strings.NewReader("CCO\n"), stdout, &stderr)
		if want := "baca: writing to standard output: disk on fire\n"; code != exitFailure || !strings.HasSuffix(stderr.String(), want) {
			t.Errorf("%s: exit status %d, stderr %q; want %d and %q", args, code, &stderr, exitFailure, want)
		}
	}
}

func TestWaiting(t *testing.T) {
	text := strings.Repeat("abcdefg", 30_000)
	got, err := io.ReadAll(waiting(context.Background(), strings.NewReader(text)))
	if err != nil || string(got) != text {
		t.Errorf("read %d bytes and %v, want %d", len(got), err, len(text))
	}

	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	blocked := waiting(ctx, r)
	for range 2 {
		if n, err := blocked.Read(make([]byte, 10)); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("read %d bytes and %v, want the error of the context", n, err)
		}
	}
}
