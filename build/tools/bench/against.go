package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// tolerated is how much slower than before a benchmark may be.
const tolerated = 1.05

// hot are the benchmarks that are compared: those of a package whose names match, but
// for what is skipped.
var hot = []struct{ pkg, names, skip string }{
	{suitePackage, ".", "^BenchmarkDecide$/./^10000$"},
	{kernelPackage, "^Benchmark(Gemm|Loops)$", "^BenchmarkGemm$/./^(24|32)x|^BenchmarkGemm$/././(blas32|OpenBLAS|portable)|^BenchmarkLoops$/./portable"},
	{"./algo/background", ".", ""},
	{"./algo/dataset", "^Benchmark(Records|Molecules)$", ""},
	{"./algo/fingerprint", ".", ""},
	{"./algo/job", ".", ""},
	{"./algo/molecule/smiles", ".", ""},
	{"./algo/near", ".", ""},
	{"./algo/table", ".", ""},
	{"./weights", "^BenchmarkLoad$", ""},
}

// A bout is a benchmark of a package that both sides have, which runs in a process of its
// own each time.
type bout struct {
	folder  string // of the package, below the root of a tree
	program string
	name    string
	skip    string
	failed  bool // on one side
}

// A duel compares the benchmarks of two trees.
type duel struct {
	sides [2]tree // before, and now
	pairs int
	time  string // for how long each benchmark runs
	only  string // names of benchmarks to compare, instead of those of hot
	bouts []*bout
	notes []string
	out   io.Writer // progress
}

// against compares the working tree with a revision and reports on out. It is an error if
// something became slower.
func against(ctx context.Context, c config, out, progress io.Writer) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	before, remove, err := checkout(ctx, c.root, c.against, dir)
	if err != nil {
		return err
	}
	defer remove()
	now := tree{root: c.root, bin: filepath.Join(dir, "now")}
	if err := os.Mkdir(now.bin, 0o777); err != nil {
		return err
	}
	d := &duel{sides: [2]tree{before, now}, pairs: c.rounds, time: "30ms", only: c.only, out: progress}
	if err := d.build(ctx, c.data); err != nil {
		return err
	}
	return d.fight(ctx, out)
}

// build makes the programs of both sides and lists what both have.
func (d *duel) build(ctx context.Context, data string) error {
	files, _, lacks, err := inputs(data, d.sides[1].program("decide.csv.gz"))
	if err != nil {
		return err
	}
	d.notes = append(d.notes, lacks...)
	var overlays [2]string
	for k, side := range d.sides {
		if overlays[k], err = side.overlay(files); err != nil {
			return err
		}
	}
	for _, h := range hot {
		fmt.Fprintln(d.out, "building", h.pkg)
		b := bout{folder: h.pkg, program: strings.ReplaceAll(strings.TrimPrefix(h.pkg, "./"), "/", "-"), skip: h.skip}
		names := cmp.Or(d.only, h.names)
		now, err := d.sides[1].list(ctx, overlays[1], b, names)
		if err != nil {
			return err
		}
		before, err := d.sides[0].list(ctx, overlays[0], b, names)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			d.notes = append(d.notes, fmt.Sprintf("%s is not compared: before, %v", h.pkg, err))
			continue
		}
		d.match(b, before, now)
	}
	return nil
}

// list builds the program of a package and lists its benchmarks.
func (t tree) list(ctx context.Context, overlay string, b bout, names string) (list []string, err error) {
	if err := t.test(ctx, overlay, b.program, b.folder, nil); err != nil {
		return nil, err
	}
	listed, err := execute(ctx, filepath.Join(t.root, b.folder), nil, t.program(b.program), "-test.list", names)
	for name := range strings.FieldsSeq(string(listed)) {
		if strings.HasPrefix(name, "Benchmark") {
			list = append(list, name)
		}
	}
	return list, err
}

// match has the benchmarks compared that both sides list, and notes all others.
func (d *duel) match(b bout, before, now []string) {
	for _, name := range now {
		if !slices.Contains(before, name) {
			d.notes = append(d.notes, fmt.Sprintf("%s of %s does not exist before", name, b.folder))
			continue
		}
		one := b
		one.name = name
		d.bouts = append(d.bouts, &one)
	}
	for _, name := range before {
		if !slices.Contains(now, name) {
			d.notes = append(d.notes, fmt.Sprintf("%s of %s does not exist now", name, b.folder))
		}
	}
}

// fight measures everything, then once more what seems slower, and reports.
func (d *duel) fight(ctx context.Context, out io.Writer) error {
	if len(d.bouts) == 0 {
		return errors.New("no benchmark exists on both sides")
	}
	all, err := d.measure(ctx, d.bouts)
	if err != nil {
		return err
	}
	found := d.compare(all)
	if again := suspects(found); len(again) > 0 {
		fmt.Fprintln(d.out, "once more, what seems slower")
		all, err := d.measure(ctx, again)
		if err != nil {
			return err
		}
		second := d.compare(all)
		for i, f := range found {
			if at := slices.IndexFunc(second, func(s comparison) bool { return s.key == f.key }); at >= 0 && f.slower() {
				found[i] = second[at]
			}
		}
	}
	return d.report(found, out)
}

// key names one figure.
type key struct {
	at   *bout
	name string
}

// times are the figures of both sides by pair.
type times map[key][2]sample

// measure runs benchmarks in pairs: before, now, now, before, and so on.
func (d *duel) measure(ctx context.Context, bouts []*bout) (times, error) {
	all := times{}
	for pair := range d.pairs {
		fmt.Fprintf(d.out, "pair %d of %d\n", pair+1, d.pairs)
		for _, b := range bouts {
			for turn := range d.sides {
				side := (turn + pair) % 2
				if b.failed {
					continue
				}
				output, err := d.run(ctx, d.sides[side], b)
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				if err != nil {
					b.failed = true
					d.notes = append(d.notes, fmt.Sprintf("%s of %s is not compared: %v", b.name, b.folder, err))
				}
				for _, r := range parse(output, "", pair) {
					all.add(key{b, r.name}, side, pair, r.metrics[best(nanoseconds)])
				}
			}
		}
	}
	return all, nil
}

// add adds a figure in nanoseconds, if there is one.
func (t times) add(at key, side, pair int, ns float64) {
	if _, ok := t[at]; !ok {
		t[at] = [2]sample{{}, {}}
	}
	if ns > 0 {
		t[at][side][pair] = ns
	}
}

func (d *duel) run(ctx context.Context, side tree, b *bout) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	args := []string{"-test.run=^$", "-test.bench=^" + b.name + "$", "-test.benchtime=" + d.time, "-test.cpu=1"}
	if b.skip != "" {
		args = append(args, "-test.skip="+b.skip)
	}
	return execute(ctx, filepath.Join(side.root, b.folder), nil, side.program(b.program), args...)
}

// A comparison is the time now as a multiple of the time before.
type comparison struct {
	key
	before, now      float64 // medians, in nanoseconds
	ratio, low, high float64 // with the interval of 95 %
}

// slower tells whether the time has grown beyond noise, and by more than is tolerated.
func (c comparison) slower() bool { return c.low > 1 && c.ratio > tolerated }

func (c comparison) verdict() string {
	switch {
	case c.slower():
		return "SLOWER"
	case c.low > 1:
		return "a little slower"
	case c.high < 1:
		return "faster"
	}
	return "same"
}

// compare takes the ratios of pairs, in the order in which benchmarks ran. What one side
// lacks in some pair is noted and left out.
func (d *duel) compare(all times) (found []comparison) {
	for at, t := range all {
		var logs []float64
		for _, ratio := range t[1].over(t[0]) {
			logs = append(logs, math.Log(ratio))
		}
		switch {
		case at.at.failed:
			continue
		case len(t[0]) == 0:
			d.notes = append(d.notes, at.name+" does not exist before")
			continue
		case len(t[1]) == 0:
			d.notes = append(d.notes, at.name+" does not exist now")
			continue
		case len(logs) < minPairs:
			d.notes = append(d.notes, fmt.Sprintf("%s has %d pairs, too few for an interval", at.name, len(logs)))
			continue
		}
		middle, low, high := centre(logs)
		found = append(found, comparison{at, t[0].median(), t[1].median(), math.Exp(middle), math.Exp(low), math.Exp(high)})
	}
	slices.SortFunc(found, func(a, b comparison) int {
		return cmp.Or(cmp.Compare(slices.Index(d.bouts, a.at), slices.Index(d.bouts, b.at)), strings.Compare(a.name, b.name))
	})
	return found
}

// suspects are the benchmarks of what seems slower.
func suspects(found []comparison) (list []*bout) {
	for _, c := range found {
		if c.slower() && !slices.Contains(list, c.at) {
			list = append(list, c.at)
		}
	}
	return list
}

// report writes a table. It is an error if something is slower.
func (d *duel) report(found []comparison, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "benchmark\tbefore\tnow\tratio\t95 %\t\t")
	slower := 0
	for _, c := range found {
		if c.slower() {
			slower++
		}
		folder := strings.TrimPrefix(c.at.folder, "./")
		fmt.Fprintf(w, "%s %s\t%s\t%s\t%.3f\t%.3f to %.3f\t%s\t\n", folder, c.name, duration(c.before), duration(c.now), c.ratio, c.low, c.high, c.verdict())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	slices.Sort(d.notes)
	for _, n := range slices.Compact(d.notes) {
		fmt.Fprintln(out, "note:", n)
	}
	fmt.Fprintf(out, "%d pairs of the fastest runs of a process each. The ratio is Hodges and Lehmann's, its interval Wilcoxon's of the logarithms.\n", d.pairs)
	if slower > 0 {
		return fmt.Errorf("%d of %d benchmarks became slower beyond noise and by more than %.0f %%", slower, len(found), 100*(tolerated-1))
	}
	return nil
}
