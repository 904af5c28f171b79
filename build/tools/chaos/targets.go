//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A target is work that faults are injected into. It reads files of its folder, and writes
// below out.
type target struct {
	name   string
	reads  []string // files that it is given
	steps  []string // command lines, one after the other
	again  string   // flag of the steps that go on after a fault
	gives  []string // files or folders of the result, below out
	rows   string   // of gives, the file that grows row by row, if there is one
	varies string   // input that faults change
	// stream is what a reader reads: "" for nothing, stdout or fifo.
	stream string

	// Of a run without faults:
	reference string // folder
	duration  time.Duration
	bytes     int64 // below out
}

const (
	beam = "Beam"

	scoreLibrary = "baca score --model model.msgpack --out out/rows.csv --rejects out/rejects.csv library.smi"
	scoreSample  = "baca score --model model.msgpack --by both --out out/rows.csv sample.smi"
	train        = "baca train train.smi --out out/model.msgpack --epochs 40 --background none"
	table1       = "baca-paper bench table1 --data data --out out/bench --pairs inner/outer --seeds 1 --epochs 2"
	onBeam       = "baca-beam --join --model model.msgpack --out out/shards --shards 3 part-a.smi part-b.smi"
)

// verbs read a model: their command lines, with what they write.
var verbs = map[string][2]string{
	"calibrate":  {"baca model calibrate model.msgpack --holdout part-a.smi --out out/m.msgpack", "m.msgpack"},
	"drift":      {"baca drift --model model.msgpack --plot out/d.svg part-a.smi", "d.svg"},
	"neighbors":  {"baca score --model model.msgpack --neighbors 2 --out out/rows.csv part-a.smi", "rows.csv"},
	"report":     {"baca report --model model.msgpack --out out/r.html part-a.smi", "r.html"},
	"share":      {"baca model share model.msgpack --k 3 --out out/m.msgpack", "m.msgpack"},
	"structures": {"baca model structures model.msgpack --in train.smi --out out/m.msgpack", "m.msgpack"},
	"suggest":    {"baca suggest --model model.msgpack -n 5 --plot out/gain.svg part-a.smi", "gain.svg"},
}

// target returns a target by name, or nil if the programs cannot do it.
func (w *world) target(name string) *target {
	parts := []string{"model.msgpack", "part-a.smi", "part-b.smi"}
	joined := []string{"shards/scores.csv", "shards/rejects.csv"}
	if v, ok := verbs[name]; ok {
		return &target{name: name, reads: []string{"model.msgpack", "part-a.smi", "train.smi"}, steps: v[:1], gives: v[1:], varies: "model.msgpack"}
	}
	for _, t := range []*target{
		{name: "score", reads: []string{"model.msgpack", "library.smi"}, steps: []string{scoreLibrary}, again: " --resume",
			gives: []string{"rows.csv", "rejects.csv"}, rows: "rows.csv", varies: "library.smi"},
		{name: "score by a sample", reads: []string{"model.msgpack", "sample.smi"}, steps: []string{scoreSample}, again: " --resume",
			gives: []string{"rows.csv"}, rows: "rows.csv", varies: "sample.smi"},
		{name: "train", reads: []string{"train.smi"}, steps: []string{train}, again: " --resume",
			gives: []string{"model.msgpack"}, varies: "train.smi"},
		{name: "bench table1", reads: []string{"data/mol/inner.csv", "data/mol/outer.csv"}, steps: []string{table1}, gives: []string{"bench/table1.json"}},
		{name: beam, reads: parts, steps: []string{onBeam}, gives: joined, varies: "part-b.smi"},
		{name: "site", steps: []string{"baca serve --write out/site"}, gives: []string{"site"}},
		{name: "score to a pipe", reads: []string{"model.msgpack", "sample.smi"}, steps: []string{"baca score --model model.msgpack sample.smi"}, stream: "stdout"},
		{name: "score --out FIFO", reads: []string{"model.msgpack", "sample.smi"}, steps: []string{"baca score --model model.msgpack --out out/fifo sample.smi"}, stream: "fifo"},
		{name: "featurize to a pipe", reads: []string{"sample.smi"}, steps: []string{"baca-paper featurize sample.smi"}, stream: "stdout"},
	} {
		switch {
		case t.name != name:
		case !w.built && name == "site", !w.beam && name == beam:
			return nil
		default:
			return t
		}
	}
	return nil
}

// reference runs a target without faults.
func (w *world) reference(t *target) error {
	f := &fault{world: w, target: t, dir: filepath.Join(w.root, "without-faults", t.name)}
	if err := f.fresh(); err != nil {
		return err
	}
	begin := time.Now()
	if t.stream != "" {
		data, e, err := f.stream(io.ReadAll)
		if err = errors.Join(err, e.err, os.WriteFile(f.out("stream"), data, 0o666)); err != nil {
			return err
		}
	} else if e := f.wait(f.begin("")); e.err != nil {
		return fmt.Errorf("%w: %s", e.err, tail(e.stderr))
	}
	t.duration, t.reference = time.Since(begin), f.dir
	return filepath.WalkDir(f.out(""), func(_ string, d fs.DirEntry, err error) error {
		if info, ierr := d.Info(); err == nil && ierr == nil && info.Mode().IsRegular() {
			t.bytes += info.Size()
		}
		return err
	})
}

// differs reports how the result is not as in another folder. How long a benchmark took does not count.
func (t *target) differs(dir, want string) error {
	for _, name := range t.gives {
		text, err := exec.Command("diff", "-rq", "-I", `"seconds": [-+.0-9e]*`, filepath.Join(want, "out", name), filepath.Join(dir, "out", name)).CombinedOutput()
		if err != nil {
			return fmt.Errorf("not as in a run without faults: %s", lastLine(string(text)))
		}
	}
	return nil
}
