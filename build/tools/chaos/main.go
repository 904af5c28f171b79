//go:build linux

// Command chaos injects faults into runs of baca at random moments. It finds out whether anything is lost, doubled or
// wrong without an error.
//
//	go run ./build/tools/chaos -seed 1 -faults 600 -out build/results/chaos.md
//
// It builds the command and its inputs, and records the results of runs without faults. Then
// it injects the faults of kinds. Each fault has one of three outcomes:
//
//	survived  the result has the bytes of a run without faults, after what a user would
//	          do: give the same command again, with --resume where there is that
//	refused   an error said what is wrong, the exit status was not 0, and rows that were
//	          there before are still there
//	LOST      anything else: other bytes with success, a panic, no end
//
// The exit status is 1 if anything is lost, and the folder is then kept. Moments are measured by a clock, so the same
// seed gives the same faults but not the same interleaving.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"baca/build/internal/machine"
	"baca/build/internal/try"
)

func main() {
	w := &world{log: os.Stderr}
	flag.Uint64Var(&w.seed, "seed", 1, "of inputs and faults")
	flag.IntVar(&w.faults, "faults", 600, "faults to inject, at least; each kind has as many for each target")
	only := flag.String("only", "", "inject only faults of which `KIND/TARGET` begins with this, such as kill/score")
	flag.StringVar(&w.out, "out", os.DevNull, "write the page to this `file`, too")
	flag.Parse()
	w.picks = func(name string) bool { return strings.HasPrefix(name, *only) }
	if err := w.inject(); err != nil {
		fmt.Fprintf(os.Stderr, "chaos: %v\n", err)
		os.Exit(1)
	}
}

// A world is what all faults have in common: programs, inputs, results without faults, and the outcomes of the faults.
type world struct {
	seed    uint64
	faults  int                    // the fewest faults in all
	picks   func(name string) bool // whether faults of KIND/TARGET are injected
	out     string                 // file of the page
	log     io.Writer
	root    string // temporary folder
	cells   []cell
	leftOut []string

	mu   sync.Mutex
	lost []string
}

// A cell is a kind of fault and a target.
type cell struct {
	*kind
	of     string // name of the target
	target *target
}

func (c cell) String() string { return c.name + "/" + c.of }

// The outcomes of a fault.
const survived, refused, lost = 0, 1, 2

// inject injects at least w.faults faults, equally many of each cell, one for each core at a time, and writes the
// page. It returns an error if a fault lost something, and then leaves the folder of all runs.
func (w *world) inject() (err error) {
	defer try.Catch(&err)
	w.root = try.To(os.MkdirTemp("", "chaos-"))
	w.plan()
	fmt.Fprintln(w.log, strings.Join(w.leftOut, "\n"))
	faults := slices.Repeat(w.cells, (w.faults+len(w.cells)-1)/len(w.cells))
	rng := rand.New(rand.NewPCG(w.seed, 0))
	rng.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	workers := new(errgroup.Group)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i, c := range faults {
		workers.Go(func() error { w.injectOne(c, i); return nil })
	}
	try.Check(workers.Wait())
	page := w.page()
	fmt.Print(page)
	try.Check(os.WriteFile(w.out, []byte(page), 0o666))
	if len(w.lost) > 0 {
		return fmt.Errorf("%d faults lost something, see %s", len(w.lost), w.root)
	}
	return os.RemoveAll(w.root)
}

// plan builds the programs and inputs, lists the picked cells that can run here, and runs their targets without
// faults. The others, with what they lack, are listed in leftOut.
func (w *world) plan() {
	module := try.To(exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "baca").Output())
	dir, page := strings.TrimSpace(string(module)), ""
	_, noSite := os.Stat(filepath.Join(dir, "web", "site", "files.json"))
	if noSite == nil {
		page = " -tags page"
	}
	lacks := map[string]error{"full disk": mayMount(w.root), site: noSite} // why kinds and targets cannot run here
	if slices.ContainsFunc(kinds, func(k *kind) bool { return slices.Contains(k.targets, beam) && w.picks(k.name+"/"+beam) }) {
		lacks[beam] = w.do(filepath.Join(dir, "build", "beam"), "go build -o "+filepath.Join(w.root, "baca-beam")+" .")
	}
	try.Check(w.do(dir, "go build -o "+w.root+"/"+page+" ./build/baca"))
	try.Check(w.do(filepath.Join(dir, "build", "research"), "go build -o "+filepath.Join(w.root, "baca-paper")+" ."))
	w.writeInputs()
	for _, k := range kinds {
		for _, name := range k.targets {
			c := cell{k, name, targets[name]}
			switch why := cmp.Or(lacks[k.name], lacks[name]); {
			case !w.picks(c.String()):
			case why != nil:
				w.leftOut = append(w.leftOut, fmt.Sprintf("%v left out: %v", c, why))
			default:
				w.measure(c)
				w.cells = append(w.cells, c)
				k.cells++
			}
		}
	}
	if len(w.cells) == 0 {
		try.Check(errors.New("no kind of fault is left to inject"))
	}
}

// injectOne injects a fault and counts its outcome.
func (w *world) injectOne(c cell, i int) {
	f := &fault{world: w, cell: c, rng: rand.New(rand.NewPCG(w.seed, uint64(i)+1))}
	f.dir = strings.ReplaceAll(filepath.Join(w.root, fmt.Sprintf("%s-%s-%d", c.name, c.of, i)), " ", "-")
	outcome, err := f.meet()
	w.mu.Lock()
	defer w.mu.Unlock()
	c.became[outcome]++
	if err != nil {
		w.lost = append(w.lost, fmt.Sprintf("%v, fault %d: %v\n  in %s: %s", c, i, err, f.dir, strings.Join(f.did, "; ")))
		fmt.Fprintln(w.log, "LOST", w.lost[len(w.lost)-1])
	}
}

// meet injects the fault and returns its outcome. If something is lost, it returns an error and keeps the folder.
func (f *fault) meet() (outcome int, err error) {
	outcome = lost // unless inject returns
	defer try.Catch(&err)
	defer f.unmount()
	outcome = f.cell.inject(f)
	f.unmount()
	return outcome, os.RemoveAll(f.dir)
}

// page returns a page on the outcomes of all faults, by kind.
func (w *world) page() string {
	var b strings.Builder
	fmt.Fprint(&b, `# Faults, injected

Is anything lost, doubled or wrong without a word when a run meets a fault at a random moment? Survived: the same command again, with --resume
where there is that, gives the bytes of a run without faults, or of one with the changed input alone. Refused: an error named the file, and the rows from before were still there;
of several writers another wrote the reference bytes. Lost: all else, such as other bytes, a crash, or no end.

| fault | targets | tried | survived | refused | lost |
|---|---|---|---|---|---|
`)
	all := 0
	for _, k := range kinds {
		n := k.became
		tried := n[survived] + n[refused] + n[lost]
		all += tried
		if tried > 0 {
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", k.name, k.cells, tried, n[survived], n[refused], n[lost])
		}
	}
	fmt.Fprintf(&b, "\nOf %d faults %d lost something.\n\n", all, len(w.lost))
	for _, text := range slices.Concat(w.leftOut, w.lost) {
		fmt.Fprintf(&b, "- %s\n", text)
	}
	system := strings.TrimSpace(string(try.To(exec.Command("uname", "-sr").Output())))
	fmt.Fprintf(&b, "`go run ./build/tools/chaos -seed %d -faults %d`, on %s, %s, %s.\n",
		w.seed, w.faults, machine.Processor(), system, runtime.Version())
	return b.String()
}
