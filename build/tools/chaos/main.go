//go:build linux

// Command chaos injects faults into runs of baca at random moments, and finds out
// whether anything is lost, doubled or wrong without a word.
//
//	go run ./build/tools/chaos -seed 1 -faults 600 -out build/results/chaos.md
//
// It builds the command and its inputs, and notes what runs without faults give. Then
// it kills runs, fills disks, changes inputs, starts several writers of one file, and
// reads output slowly or not to its end. Each fault has one of three outcomes:
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
	"time"
)

func main() {
	o := options{log: os.Stderr}
	flag.Uint64Var(&o.seed, "seed", 1, "of inputs and faults")
	flag.IntVar(&o.faults, "faults", 600, "faults to inject, at least; each kind has as many for each target")
	only := flag.String("only", "", "inject only faults of which `KIND/TARGET` begins with this, such as kill/score")
	out := flag.String("out", "", "write the table to this `file`, too")
	flag.Parse()
	o.picks = func(name string) bool { return strings.HasPrefix(name, *only) }
	report, err := inject(o)
	if err == nil {
		err = report.save(*out)
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
// faults give.
type world struct {
	options
	root string // temporary folder
	beam bool   // there is baca-beam, too
	page bool   // in the program
}

// inject injects all faults, as many at once as there are cores.
func inject(o options) (r *report, err error) {
	root, err := os.MkdirTemp("", "chaos-")
	if err != nil {
		return nil, err
	}
	w := &world{options: o, root: root}
	r = &report{options: o, root: root, counts: map[string]*count{}}
	defer func() {
		if len(r.lost) == 0 {
			err = errors.Join(err, os.RemoveAll(root))
		}
	}()
	if err := w.build(r); err != nil {
		return r, err
	}
	if err := w.writeInputs(); err != nil {
		return r, err
	}
	if r.version, err = w.version(); err != nil {
		return r, err
	}
	plan, err := w.plan(r)
	if err != nil {
		return r, err
	}
	work := make(chan func())
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for inject := range work {
				inject()
			}
		})
	}
	begin := time.Now()
	for i, c := range plan {
		work <- func() { r.add(c, i, len(plan), w.one(c, i)) }
	}
	close(work)
	workers.Wait()
	r.duration = time.Since(begin)
	return r, nil
}

// build builds the programs.
func (w *world) build(r *report) error {
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "baca").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	dir := strings.TrimSpace(string(module))
	if _, err := os.Stat(filepath.Join(dir, "web", "site", "files.json")); err == nil {
		w.page = true
	} else {
		r.leaveOut("serve and site, since the page is not built: make page")
	}
	args := []string{"build", "-o", w.root + "/"}
	if w.page {
		args = append(args, "-tags", "page")
	}
	fmt.Fprintln(w.log, "building baca and baca-paper")
	if err := goIn(dir, append(args, "./build/baca", "./build/baca-paper")...); err != nil || !w.wantsBeam() {
		return err
	}
	fmt.Fprintln(w.log, "building baca-beam")
	err = goIn(filepath.Join(dir, "build", "beam"), "build", "-o", filepath.Join(w.root, "baca-beam"), ".")
	if w.beam = err == nil; !w.beam {
		r.leaveOut("Beam, which could not be built: " + err.Error())
	}
	return nil
}

func (w *world) wantsBeam() bool {
	return slices.ContainsFunc(kinds, func(k *kind) bool {
		return slices.Contains(k.targets, beamMerge) && w.picks(k.name+"/"+beamMerge)
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

// version names the program and the commit that it is built from.
func (w *world) version() (string, error) {
	out, err := exec.Command(filepath.Join(w.root, "baca"), "version").Output()
	if err != nil {
		return "", fmt.Errorf("baca version: %w", err)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	if commit, err := exec.Command("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*").Output(); err == nil {
		first += ", commit " + strings.TrimSpace(string(commit))
	}
	return first, nil
}

// A cell is a kind of fault with a target: a row of the table.
type cell struct {
	kind   *kind
	target *target
}

func (c cell) name() string { return c.kind.name + "/" + c.target.name }

// plan lists the faults, in random order, when the targets have run without.
func (w *world) plan(r *report) ([]cell, error) {
	var cells []cell
	ready := map[string]*target{}
	for _, k := range kinds {
		for _, name := range k.targets {
			c := cell{k, w.target(name)}
			if c.target == nil || !w.picks(c.name()) {
				continue
			}
			if k.needs != nil {
				if why := k.needs(); why != nil {
					r.leaveOut(fmt.Sprintf("%s: %v", c.name(), why))
					continue
				}
			}
			if ready[name] == nil {
				if err := w.reference(c.target); err != nil {
					return nil, fmt.Errorf("%s without faults: %w", name, err)
				}
				fmt.Fprintf(w.log, "%s without faults: %v\n", name, c.target.duration.Round(time.Millisecond))
				ready[name] = c.target
			}
			cells = append(cells, cell{k, ready[name]})
		}
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("no kind of fault is left to inject")
	}
	r.cells = cells
	plan := slices.Repeat(cells, (w.faults+len(cells)-1)/len(cells))
	rng := rand.New(rand.NewPCG(w.seed, 0))
	rng.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
	return plan, nil
}

// one injects a fault and returns its result.
func (w *world) one(c cell, i int) result {
	f := &fault{
		world: w, target: c.target, rng: rand.New(rand.NewPCG(w.seed, uint64(i)+1)),
		dir: filepath.Join(w.root, fmt.Sprintf("%s-%s-%d", c.kind.name, c.target.name, i)),
	}
	f.dir = strings.ReplaceAll(f.dir, " ", "-")
	refused, err := c.kind.inject(f)
	if err == nil {
		err = f.crashed
	}
	if f.mounted {
		f.unmount()
	}
	if err != nil {
		return result{lost: fmt.Errorf("%w\n  in %s: %s", err, f.dir, strings.Join(f.did, "; "))}
	}
	if err := os.RemoveAll(f.dir); err != nil {
		return result{lost: err}
	}
	return result{refused: refused}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
