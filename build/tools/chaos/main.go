//go:build linux

// Command chaos injects faults into runs of baca at random moments, and finds out
// whether anything is lost, doubled or wrong without a word.
//
//	go run ./build/tools/chaos -seed 1 -faults 600 -out build/results/chaos.md
//
// It builds the command and its inputs, and notes what runs without faults give. Then
// it injects what kinds lists. Each fault has one of three outcomes:
//
//	survived  the result has the bytes of a run without faults, after what a user would
//	          do: give the same command again, with --resume where there is that
//	refused   an error said what is wrong, the exit status was not 0, and rows that were
//	          there before are still there
//	LOST      anything else: other bytes with success, a panic, no end
//
// The exit status is 1 if anything is lost; its folder is then kept. Moments are those
// of a clock, so the same seed gives the same faults but not the same interleaving.
package main

import (
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

	"baca/build/internal/machine"
)

func main() {
	o := options{log: os.Stderr}
	flag.Uint64Var(&o.seed, "seed", 1, "of inputs and faults")
	flag.IntVar(&o.faults, "faults", 600, "faults to inject, at least; each kind has as many for each target")
	only := flag.String("only", "", "inject only faults of which `KIND/TARGET` begins with this, such as kill/score")
	out := flag.String("out", "", "write the page to this `file`, too")
	flag.Parse()
	o.picks = func(name string) bool { return strings.HasPrefix(name, *only) }
	r, err := inject(o)
	if err == nil {
		page := r.page()
		fmt.Print(page)
		if *out != "" {
			err = os.WriteFile(*out, []byte(page), 0o666)
		}
	}
	if err == nil && len(r.lost) > 0 {
		err = fmt.Errorf("%d faults lost something, see %s", len(r.lost), r.root)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "chaos: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	seed   uint64
	faults int                    // in all, at least
	picks  func(name string) bool // whether faults of KIND/TARGET are injected
	log    io.Writer
}

// A world is what all faults have in common: programs, inputs, and what runs without
// faults give; and what became of the faults.
type world struct {
	options
	root    string // temporary folder
	beam    bool   // there is baca-beam, too
	built   bool   // in the program
	cells   []cell
	leftOut []string

	mu     sync.Mutex
	counts map[string]*count
	done   int
	lost   []string
}

// A cell is a kind of fault with a target.
type cell struct {
	kind   *kind
	target *target
}

func (c cell) name() string { return c.kind.name + "/" + c.target.name }

// A count is what became of the faults of a cell.
type count struct{ tried, survived, refused, lost int }

// inject injects all faults, as many at once as there are cores.
func inject(o options) (w *world, err error) {
	w = &world{options: o, counts: map[string]*count{}}
	if w.root, err = os.MkdirTemp("", "chaos-"); err != nil {
		return nil, err
	}
	defer func() {
		if len(w.lost) == 0 {
			err = errors.Join(err, os.RemoveAll(w.root))
		}
	}()
	if err := w.build(); err != nil {
		return w, err
	}
	if err := w.writeInputs(); err != nil {
		return w, err
	}
	if err := w.plan(); err != nil {
		return w, err
	}
	plan := slices.Repeat(w.cells, (w.faults+len(w.cells)-1)/len(w.cells))
	rng := rand.New(rand.NewPCG(w.seed, 0))
	rng.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
	work := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range work {
				w.one(plan[i], i, len(plan))
			}
		})
	}
	for i := range plan {
		work <- i
	}
	close(work)
	workers.Wait()
	return w, nil
}

func (w *world) leaveOut(what string) {
	fmt.Fprintf(w.log, "left out: %s\n", what)
	w.leftOut = append(w.leftOut, what)
}

// build builds the programs.
func (w *world) build() error {
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "baca").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	dir := strings.TrimSpace(string(module))
	args := []string{"build", "-o", w.root + "/"}
	if _, err := os.Stat(filepath.Join(dir, "web", "site", "files.json")); err == nil {
		w.built = true
		args = append(args, "-tags", "page")
	} else {
		w.leaveOut("site, since the page is not built: make page")
	}
	fmt.Fprintln(w.log, "building baca and baca-paper")
	if err := goIn(dir, append(args, "./build/baca", "./build/baca-paper")...); err != nil || !w.wantsBeam() {
		return err
	}
	fmt.Fprintln(w.log, "building baca-beam")
	err = goIn(filepath.Join(dir, "build", "beam"), "build", "-o", filepath.Join(w.root, "baca-beam"), ".")
	if w.beam = err == nil; !w.beam {
		w.leaveOut("Beam, which could not be built: " + err.Error())
	}
	return nil
}

func (w *world) wantsBeam() bool {
	return slices.ContainsFunc(kinds, func(k *kind) bool {
		return slices.Contains(k.targets, beam) && w.picks(k.name+"/"+beam)
	})
}

func goIn(dir string, args ...string) error {
	c := exec.Command("go", args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w: %s", args[0], err, lastLine(string(out)))
	}
	return nil
}

// plan lists the cells, whose targets have run without faults.
func (w *world) plan() error {
	ready := map[string]*target{}
	for _, k := range kinds {
		for _, name := range k.targets {
			c := cell{k, w.target(name)}
			if c.target == nil || !w.picks(c.name()) {
				continue
			}
			if k.needs != nil {
				if why := k.needs(); why != nil {
					w.leaveOut(fmt.Sprintf("%s: %v", c.name(), why))
					continue
				}
			}
			if ready[name] == nil {
				if err := w.reference(c.target); err != nil {
					return fmt.Errorf("%s without faults: %w", name, err)
				}
				ready[name] = c.target
			}
			w.cells = append(w.cells, cell{k, ready[name]})
			w.counts[c.name()] = new(count)
		}
	}
	if len(w.cells) == 0 {
		return errors.New("no kind of fault is left to inject")
	}
	return nil
}

// one injects a fault and counts what became of it.
func (w *world) one(c cell, i, of int) {
	f := &fault{world: w, target: c.target, rng: rand.New(rand.NewPCG(w.seed, uint64(i)+1))}
	f.dir = strings.ReplaceAll(filepath.Join(w.root, fmt.Sprintf("%s-%s-%d", c.kind.name, c.target.name, i)), " ", "-")
	refused, err := c.kind.inject(f)
	if f.mounted {
		f.unmount()
	}
	if err == nil {
		err = f.crashed
	}
	if err != nil {
		err = fmt.Errorf("%w\n  in %s: %s", err, f.dir, strings.Join(f.did, "; "))
	} else {
		err = os.RemoveAll(f.dir)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.counts[c.name()]
	n.tried++
	switch {
	case err != nil:
		n.lost++
		w.lost = append(w.lost, fmt.Sprintf("%s, fault %d: %v", c.name(), i, err))
		fmt.Fprintf(w.log, "LOST %s\n", w.lost[len(w.lost)-1])
	case refused:
		n.refused++
	default:
		n.survived++
	}
	if w.done++; w.done%20 == 0 || w.done == of {
		fmt.Fprintf(w.log, "%d of %d faults, %d lost\n", w.done, of, len(w.lost))
	}
}

// page says what became of all faults, by kind.
func (w *world) page() string {
	var b strings.Builder
	fmt.Fprint(&b, `# Faults, injected

Is anything lost, doubled or wrong without a word when a run meets a fault at a random moment? Survived: the same command again, with --resume
where there is that, gives the bytes of a run without faults, or of one with the changed input alone. Refused: an error named the file, and the rows from before were still there;
of several writers another wrote the reference bytes. Lost: all else, such as other bytes, a crash, or no end.

| fault | targets | tried | survived | refused | lost |
|---|---|---|---|---|---|
`)
	var all count
	for _, k := range kinds {
		var n count
		targets := 0
		for _, c := range w.cells {
			if x := w.counts[c.name()]; c.kind == k {
				n = count{n.tried + x.tried, n.survived + x.survived, n.refused + x.refused, n.lost + x.lost}
				targets++
			}
		}
		if targets > 0 {
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", k.name, targets, n.tried, n.survived, n.refused, n.lost)
		}
		all = count{all.tried + n.tried, all.survived + n.survived, all.refused + n.refused, all.lost + n.lost}
	}
	fmt.Fprintf(&b, "\nOf %d faults %d lost something.\n\n", all.tried, all.lost)
	for _, text := range slices.Concat(w.leftOut, w.lost) {
		fmt.Fprintf(&b, "- %s\n", text)
	}
	kernel, _ := exec.Command("uname", "-sr").Output()
	fmt.Fprintf(&b, "`go run ./build/tools/chaos -seed %d -faults %d`, on %s, %s, %s.\n", w.seed, w.faults, machine.Processor(), strings.TrimSpace(string(kernel)), runtime.Version())
	return b.String()
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
