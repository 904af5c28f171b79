//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"baca/build/internal/try"
)

// A target is work into which faults are injected. It runs in a folder with all inputs and writes below out.
type target struct {
	steps  string // command line; output that is read goes to $READ through a pipe
	again  string // flag with which the command continues after a fault
	gives  string // file or folder with the result, below out
	rows   string // file below out that grows row by row, or empty
	varies string // the input that faults change

	// What a run without faults gives:
	reference string // its folder
	duration  time.Duration
	bytes     int64 // size of out
}

// Names of an input, and of targets that are optional or that faults treat specially.
const toPipe, toFIFO, beam, site, model = "score to a pipe", "score --out FIFO", "Beam", "site", "model.msgpack"

var targets = map[string]*target{
	"score": {steps: "baca score --model model.msgpack --out out/all/rows.csv --rejects out/all/rejects.csv library.smi",
		again: " --resume", gives: "all", rows: "all/rows.csv", varies: "library.smi"},
	"score by a sample": {steps: "baca score --model model.msgpack --by both --out out/rows.csv sample.smi",
		again: " --resume", gives: "rows.csv", rows: "rows.csv", varies: "sample.smi"},
	"train": {steps: "baca train train.smi --out out/model.msgpack --epochs 40 --background none",
		again: " --resume", gives: "model.msgpack", varies: "train.smi"},
	"bench table1": {steps: "baca-paper bench table1 --data data --out out/bench --pairs inner/outer " +
		"--seeds 1 --epochs 2", gives: "bench/table1.json"},
	beam: {steps: "baca-beam --join --model model.msgpack --out out/shards --shards 3 " +
		"part-a.smi part-b.smi", gives: "shards/scores.csv", varies: "part-b.smi"},
	site:                  {steps: "baca serve --write out/site", gives: "site"},
	toPipe:                {steps: `baca score --model model.msgpack sample.smi | eval "$READ" > out/stream`, gives: "stream"},
	toFIFO:                {steps: `mkfifo out/fifo; eval "$READ" < out/fifo > out/stream & baca score --model model.msgpack --out out/fifo sample.smi && wait`, gives: "stream"},
	"featurize to a pipe": {steps: `baca-paper featurize sample.smi | eval "$READ" > out/stream`, gives: "stream"},
	// Others that read a model.
	"calibrate":  {steps: "baca model calibrate model.msgpack --holdout part-a.smi --out out/m.msgpack", gives: "m.msgpack", varies: model},
	"drift":      {steps: "baca drift --model model.msgpack --plot out/d.svg part-a.smi", gives: "d.svg", varies: model},
	"neighbors":  {steps: "baca score --model model.msgpack --neighbors 2 --out out/rows.csv part-a.smi", gives: "rows.csv", varies: model},
	"report":     {steps: "baca report --model model.msgpack --out out/r.html part-a.smi", gives: "r.html", varies: model},
	"share":      {steps: "baca model share model.msgpack --k 3 --out out/m.msgpack", gives: "m.msgpack", varies: model},
	"structures": {steps: "baca model structures model.msgpack --in train.smi --out out/m.msgpack", gives: "m.msgpack", varies: model},
	"suggest":    {steps: "baca suggest --model model.msgpack -n 5 --plot out/gain.svg part-a.smi", gives: "gain.svg", varies: model},
}

// measure runs a target without faults, unless that has been done.
func (w *world) measure(c cell) {
	t := c.target
	if strings.HasPrefix(t.reference, w.root) {
		return
	}
	f := &fault{world: w, cell: c}
	begin := time.Now()
	t.reference = f.withoutFaults(filepath.Join(w.root, "without-faults", strings.ReplaceAll(c.of, " ", "-")), "")
	t.duration = time.Since(begin)
	size := try.To(exec.Command("du", "-sb", filepath.Join(t.reference, "out")).Output())
	try.To(fmt.Sscan(string(size), &t.bytes))
}

// differs returns an error if the result differs from that in another folder. It ignores how long a benchmark took.
func (t *target) differs(dir, want string) error {
	text, err := exec.Command("diff", "-rq", "-I", `"seconds": [-+.0-9e]*`, filepath.Join(want, "out", t.gives),
		filepath.Join(dir, "out", t.gives)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("not as in a run without faults: %s", lastLine(string(text)))
	}
	return nil
}

// middles and ends are the pieces of molecules. Any middle may follow any other.
var (
	middles = []string{"C", "CC", "C(C)", "C(=O)", "C(=O)N", "c1ccc(cc1)", "C1CC(CC1)", "O", "N", "S", "C(F)", "c1cc(sc1)"}
	ends    = []string{"O", "N", "F", "Cl", "C#N", "C(=O)O", "C", "Br"}
)

// molecules returns lines of SMILES and ids, of which one in 200 is invalid, or a table of valid SMILES.
func molecules(rng *rand.Rand, n int, table bool) string {
	var text strings.Builder
	line := "%s m%06d\n"
	if table {
		line = "%[1]s\n"
		text.WriteString("smiles\n")
	}
	for i := range n {
		smiles := "C"
		for range 1 + rng.IntN(2) {
			smiles += middles[rng.IntN(len(middles))]
		}
		smiles += ends[rng.IntN(len(ends))]
		if !table && i%200 == 7 {
			smiles = "C1CC"
		}
		fmt.Fprintf(&text, line, smiles, i)
	}
	return text.String()
}

// otherMolecules changes names and most molecules. Lines keep their lengths.
func otherMolecules(lines string) string {
	return strings.NewReplacer("O", "S", "S", "O", " m", " x").Replace(lines)
}

func (w *world) input(name string) string { return filepath.Join(w.root, "inputs", name) }

// writeInputs writes the inputs of all targets.
func (w *world) writeInputs() {
	rng := rand.New(rand.NewPCG(w.seed, 1<<32))
	for _, in := range []struct {
		name    string
		records int
	}{
		{"library.smi", 24_000}, // enough for a checkpoint after row 16384
		{"sample.smi", 6_000},   // from more than 4096 a sample is drawn
		{"part-a.smi", 3_000},
		{"part-b.smi", 3_000},
		{"train.smi", 100},
		{"data/mol/inner.csv", 120},
		{"data/mol/outer.csv", 40},
	} {
		write(w.input(in.name), molecules(rng, in.records, filepath.Ext(in.name) == ".csv"))
	}
	const train = "baca train train.smi --epochs 2 --background none --out "
	try.Check(w.do(w.input(""), train+model, train+"other.msgpack --seed 2"))
}

// write writes a file, and makes its folder.
func write(name, text string) {
	try.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	try.Check(os.WriteFile(name, []byte(text), 0o666))
}

// limit is the time after which a command line counts as hanging. Without faults all take seconds.
const limit = 5 * time.Minute

var crashed = regexp.MustCompile("panic:|fatal error:|SIGSEGV")

// A run is command lines at work, in a shell with a process group of its own.
type run struct {
	shell  *exec.Cmd
	stderr bytes.Buffer
	ended  context.Context // done when the run has ended
	err    error           // nil for exit status 0
	crash  bool            // whether it crashed or hung, which no fault excuses
}

// start starts command lines in a folder, one after the other until one fails. The command line read gets the output of
// those that pipe into $READ, see [target.steps].
func (w *world) start(dir, read string, lines ...string) *run {
	ended, end := context.WithCancel(context.Background())
	r := &run{shell: exec.Command("bash", "-o", "pipefail", "-c", strings.Join(lines, " && ")), ended: ended}
	r.shell.Dir, r.shell.Env = dir, append(os.Environ(), "PATH="+w.root+":"+os.Getenv("PATH"), "READ="+read)
	r.shell.Stderr, r.shell.WaitDelay = &r.stderr, 10*time.Second
	r.shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	try.Check(r.shell.Start())
	hangs := time.AfterFunc(limit, func() { r.signal(syscall.SIGQUIT) })
	go func() {
		defer end()
		r.err = r.shell.Wait()
		r.crash = !hangs.Stop() || crashed.Match(r.stderr.Bytes())
	}()
	return r
}

// do runs command lines and waits for their end.
func (w *world) do(dir string, lines ...string) error {
	r := w.start(dir, "cat", lines...)
	<-r.ended.Done()
	if r.err != nil {
		return fmt.Errorf("%s: %w: %s", lines[0], r.err, lastLine(r.messages()))
	}
	return nil
}

// signal sends a signal to the shell and the command that it runs. It does nothing after the end of the run.
func (r *run) signal(sig syscall.Signal) {
	if !r.over() {
		syscall.Kill(-r.shell.Process.Pid, sig)
	}
}

func (r *run) over() bool { return r.ended.Err() != nil }

// messages returns the last lines that an ended run wrote to standard error.
func (r *run) messages() string {
	text := r.stderr.String()
	return strings.TrimSpace(text[max(0, len(text)-2000):])
}

// lastLine returns the last line that is not blank.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
