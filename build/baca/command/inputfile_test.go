package command

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"baca/algo/dataset"
	"baca/build/internal/testset"
	"baca/build/internal/try"
)

// pass goes through records, does something behind the first, and returns the error.
func pass(records iter.Seq2[dataset.Record, error], do func()) (n int, err error) {
	for _, err := range records {
		if err != nil {
			return n, err
		}
		if n++; n == 1 {
			do()
		}
	}
	return n, nil
}

// sourceOf reads a file in a run of the command.
func sourceOf(path string) *source {
	c := new(cobra.Command)
	c.SetContext(context.Background())
	return &source{c: c, paths: []string{path}, format: "auto", digests: map[string]string{}}
}

// Of an input that changes while it is read, the records end with an error.
func TestInputThatChanges(t *testing.T) {
	const text = "CCO\nCCC\nCCN\n"
	for _, test := range []struct {
		name   string
		change func(t *testing.T, path string)
		want   string
	}{
		{"nothing", func(*testing.T, string) {}, ""},
		{"append", func(t *testing.T, path string) { testset.Write(t, path, text+"CCS\n") }, "it had 12 bytes of"},
		{"cut", func(t *testing.T, path string) { try.Check(os.Truncate(path, 4)) }, "now it has 4 of"},
		{"replace", func(t *testing.T, path string) {
			testset.Write(t, path+".new", "CCO\nCCC\nCCS\n")
			try.Check(os.Rename(path+".new", path))
		}, "changed while it was read"},
		{"write over, with the time restored", func(t *testing.T, path string) {
			info := try.To(os.Stat(path))
			testset.Write(t, path, "CCS\nCCC\nCCN\n")
			try.Check(os.Chtimes(path, time.Time{}, info.ModTime()))
		}, "changed while it was read"},
		{"remove", func(t *testing.T, path string) { try.Check(os.Remove(path)) }, "changed while it was read"},
		{"copy", func(t *testing.T, path string) {
			testset.Write(t, path+".new", text)
			try.Check(os.Rename(path+".new", path))
		}, ""},
		{"touch", func(t *testing.T, path string) { try.Check(os.Chtimes(path, time.Time{}, time.Unix(1e9, 0))) }, ""},
	} {
		if runtime.GOOS == "windows" && strings.Contains("replace remove copy", test.name) {
			continue // a file that is open stays
		}
		path := filepath.Join(t.TempDir(), "in.smi")
		testset.Write(t, path, text)
		s := sourceOf(path)
		in := try.To(s.open())
		n, err := pass(in.stream, func() { test.change(t, path) })
		in.close()
		if n < 3 || (err != nil) != (test.want != "") || err != nil && (!strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path)) {
			t.Errorf("%s: %d records and error %v, want all and %q", test.name, n, err, test.want)
		}
	}
}

// An input that is read twice must be the same both times, which neither its length nor its time tells.
func TestInputThatChangesBetweenPasses(t *testing.T) {
	m := moleculeModel(t)
	for _, hidden := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "in.smi")
		testset.Write(t, path, "CCO\nCCC\n")
		info := try.To(os.Stat(path))
		s := sourceOf(path)
		in, input, err := s.openFor(m)
		try.Check(err)
		defer in.close()
		try.To(pass(input.Records, func() {}))
		if hidden {
			testset.Write(t, path, "CCC\nCCO\n")
			try.Check(os.Chtimes(path, time.Time{}, info.ModTime()))
		} else {
			testset.Write(t, path, "CCC\nCCO\nCCN\n")
		}
		records, release, err := input.Again()
		if err == nil {
			_, err = pass(records, func() {})
			release()
		}
		if err == nil || !strings.Contains(err.Error(), path+" changed ") {
			t.Errorf("hidden %v: error %v, want one about the input", hidden, err)
		}
	}
}

// A file must begin as the one that gave the rows so far, and be the one that was sampled.
func TestInputOfEarlierRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.smi")
	testset.Write(t, path, "CCO\nCCC\n")
	first := try.To(sha256Of(strings.NewReader("CCO\n")))
	all := try.To(sha256Of(strings.NewReader("CCO\nCCC\n")))
	for _, test := range []struct {
		state scoreState
		want  string
	}{
		{scoreState{Read: 4, Digest: first}, ""},
		{scoreState{Read: 4, Digest: first, Sample: all}, ""},
		{scoreState{Read: 5, Digest: first}, "the first 5 bytes"},
		{scoreState{Read: 4, Digest: first, Sample: first}, "the batch was a sample of other bytes"},
	} {
		f := try.To(os.Open(path))
		in := try.To(newInputFile(f, ""))
		if err := in.began(test.state); (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want %q", test.state, err, test.want)
		}
		f.Close()
	}
}

// What another program does to an output is not taken for success.
func TestOutputThatChanges(t *testing.T) {
	for _, test := range []struct {
		change func(path string) error
		want   string
	}{
		{func(path string) error { return os.Truncate(path, 0) }, "has 0 bytes where 3 were written"},
		{os.Remove, "was removed or replaced"},
	} {
		path := filepath.Join(t.TempDir(), "out.csv")
		o := try.To(openOutput(path))
		try.To(o.Write([]byte("abc")))
		if n, err := o.intact(); n != 3 || err != nil {
			t.Errorf("%d bytes and %v, want 3", n, err)
		}
		if test.change(o.at) != nil {
			continue // not on this system
		}
		if _, err := o.intact(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
		o.Close()
	}
}

// Every verb that reads molecules ends with an error where the input is cut, after whatever rows came before.
func TestVerbsRefuseCutInput(t *testing.T) {
	dir := t.TempDir()
	name := func(file string) string { return filepath.Join(dir, file) }
	lines := "id,smiles,y,yhat\n"
	for i := range 300 {
		lines += fmt.Sprintf("m%03d,NC%sOC%s,%d,%d.%d\n", i, strings.Repeat("C", i%20), strings.Repeat("C", i/20), i%9, i%9, i%7)
	}
	testset.Write(t, name("whole.csv"), lines)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	try.To(z.Write([]byte(lines)))
	try.Check(z.Close())
	testset.Write(t, name("cut.csv.gz"), packed.String()[:packed.Len()/2])
	succeed(t, "train", name("whole.csv"), "--observed", "y", "--held-out", "yhat", "--background", "none", "--out", name("errors.msgpack"))
	for _, line := range []string{
		"score IN", "report --out OUT.html IN", "train IN --background none --out OUT", "compare IN WHOLE",
		"compare WHOLE IN", "split IN", "suggest IN", "drift IN", "model calibrate drugs --holdout IN --out OUT",
		"trust --model ERRORS --predicted yhat IN", "trust --model ERRORS --predicted yhat --observed y IN",
	} {
		paths := strings.NewReplacer("IN", name("cut.csv.gz"), "OUT", name("out"), "WHOLE", name("whole.csv"), "ERRORS", name("errors.msgpack"))
		code, _, stderr := call(t, strings.Fields(paths.Replace(line))...)
		if code != exitFailure || !strings.Contains(stderr, "cut.csv.gz") || !strings.Contains(stderr, "truncated") {
			t.Errorf("baca %s: exit status %d, stderr %q", line, code, stderr)
		}
		for _, out := range []string{"out", "out.html"} {
			if _, err := os.Stat(name(out)); err == nil {
				t.Errorf("baca %s wrote a file", line)
			}
		}
	}
}
