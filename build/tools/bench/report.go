package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// The names of metrics.
const (
	nanoseconds = "ns/op"
	shortest    = "best-ns/op"
	processor   = "cpu-ns/op"
	gflops      = "GFLOP/s"
	gbytes      = "GB/s"
	flops       = "flop/op"
	moved       = "B-moved/op"
	allocations = "allocs/op"
	peakBytes   = "peak-B"
)

// report is the whole of what a run measured.
func report(r *results, notes []string) []byte {
	var b bytes.Buffer
	rounds := len(r.load)
	fmt.Fprintf(&b, "# Benchmarks\n\n")
	machine := []string{fmt.Sprintf("%d cores", runtime.NumCPU()), runtime.GOOS + "/" + runtime.GOARCH, r.toolchain}
	if r.cpu != "" {
		machine = append([]string{r.cpu}, machine...)
	}
	fmt.Fprintf(&b, "%s", strings.Join(append(machine, r.engines...), "; "))
	for _, p := range r.platforms() {
		if i := r.implementation(p); i != "" {
			fmt.Fprintf(&b, "; %s runs %s", p, i)
		}
	}
	fmt.Fprintf(&b, ".\nRounds: %d%s. One thread, unless a name ends in -N.\n\n", rounds, strings.Join(r.load, ""))
	fmt.Fprint(&b, "Figures are medians over the rounds, with half the range from the least to the largest. \"Best\" is\n"+
		"of the fastest run in any round, \"CPU\" the time that the processor worked, where it is known. On a busy\n"+
		"machine these two say more. Ratios are of the fastest runs within a round.\n")
	if len(notes) > 0 {
		fmt.Fprint(&b, "\n")
		for _, n := range notes {
			fmt.Fprintf(&b, "- %s\n", strings.ReplaceAll(n, "|", "\\|"))
		}
	}
	r.writeGoals(&b)
	r.writeCommand(&b)
	r.writeNeighbours(&b)
	r.writeLists(&b)
	r.writePeaks(&b)
	r.writeKernels(&b)
	r.writeRoofline(&b)
	return b.Bytes()
}

// A tabular writes a Markdown table, unless it has no rows.
type tabular struct {
	title, text string
	head        []string
	rows        [][]string
}

func (t *tabular) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *tabular) write(b *bytes.Buffer) {
	if len(t.rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", t.title)
	if t.text != "" {
		fmt.Fprintf(b, "%s\n\n", t.text)
	}
	rule := slices.Repeat([]string{"---"}, len(t.head))
	for _, line := range slices.Concat([][]string{t.head, rule}, t.rows) {
		fmt.Fprintf(b, "| %s |\n", strings.Join(line, " | "))
	}
}

// number has three significant digits.
func number(x float64) string {
	switch a := math.Abs(x); {
	case a == 0:
		return "0"
	case a >= 100:
		return fmt.Sprintf("%.0f", x)
	case a >= 10:
		return fmt.Sprintf("%.1f", x)
	case a >= 1:
		return fmt.Sprintf("%.2f", x)
	default:
		return fmt.Sprintf("%.2g", x)
	}
}

func duration(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= u.size {
			return number(ns/u.size) + " " + u.name
		}
	}
	return number(ns) + " ns"
}

func (s sample) String() string {
	if len(s) == 0 {
		return "–"
	}
	return s.around(number)
}

// spelled is the sample of a time in nanoseconds.
func (s sample) spelled() string { return s.around(duration) }

// around is the median, as spelled by a function, with the spread if there is one.
func (s sample) around(spell func(float64) string) string {
	text := spell(s.median())
	if len(s) > 1 {
		text += fmt.Sprintf(" ±%.0f %%", 100*s.spread())
	}
	return text
}

func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// others are implementations of the product that are not ours.
var others = []string{"blas32", "OpenBLAS", onnx}

// vector is the last of the implementations of the product, which is the one that
// runs where there is a choice.
func (r *results) vector(platform string) string {
	last := ""
	for _, name := range r.names(platform) {
		if kind, rest, _ := strings.Cut(name, "/"); kind == "Gemm" {
			_, shape, _ := strings.Cut(rest, "/")
			if _, by, _ := strings.Cut(shape, "/"); !slices.Contains(others, by) {
				last = by
			}
		}
	}
	return last
}

// implementation names the kernel of a platform.
func (r *results) implementation(platform string) string {
	base, other, _ := strings.Cut(platform, "-")
	switch {
	case platform == torch:
		return ""
	case other != "":
		return "portable Go"
	}
	return strings.ReplaceAll(r.vector(base), "_", " ")
}

// peak is the rate of arithmetic and of memory that the processor has on a platform.
func (r *results) peak(platform string) (arithmetic, memory float64) {
	base, _, _ := strings.Cut(platform, "-")
	for _, name := range r.names(base) {
		if strings.HasPrefix(name, "Peak/") {
			arithmetic = max(arithmetic, r.of(base, name, gflops).median())
		}
	}
	return arithmetic, r.of(base, "Bandwidth/64MiB", gbytes).median()
}

func (r *results) writePeaks(b *bytes.Buffer) {
	t := tabular{
		title: "What the machine can do",
		text: "Arithmetic in registers, as many products as sums, and copies of blocks, read and written. What a\n" +
			"kernel reaches is compared with the highest rate of arithmetic on its platform.",
		head: []string{"platform", "what", "rate", "best"},
	}
	for _, p := range r.platforms() {
		for _, name := range r.names(p) {
			unit := ""
			switch kind, _, _ := strings.Cut(name, "/"); kind {
			case "Peak":
				unit = gflops
			case "Bandwidth":
				unit = gbytes
			default:
				continue
			}
			s := r.of(p, name, unit)
			t.add(p, name, s.String()+" "+unit, number(s.max()))
		}
	}
	t.write(b)
}

// writeKernels has a table for each kind of kernel and platform, with a column for each
// implementation, which is the last part of the name.
func (r *results) writeKernels(b *bytes.Buffer) {
	for _, kind := range []struct{ name, title, unit, text string }{
		{"Gemm", "Products of matrices", gflops, "GFLOP/s of rows×columns×terms, a·b (NN) and a·bᵀ (NT)."},
		{"Loops", "Other loops", gbytes, "GB/s read and written, from the first level cache or the second."},
	} {
		for _, p := range r.platforms() {
			var rows, columns []string
			for _, name := range r.names(p) {
				rest, ok := strings.CutPrefix(name, kind.name+"/")
				if !ok || len(r.of(p, name, kind.unit)) == 0 {
					continue
				}
				at := strings.LastIndex(rest, "/")
				if !slices.Contains(rows, rest[:at]) {
					rows = append(rows, rest[:at])
				}
				if !slices.Contains(columns, rest[at+1:]) {
					columns = append(columns, rest[at+1:])
				}
			}
			t := tabular{title: kind.title + ", " + p, text: kind.text, head: []string{""}}
			for _, c := range columns {
				t.head = append(t.head, strings.ReplaceAll(c, "_", " "))
			}
			arithmetic, _ := r.peak(p)
			ofPeak := kind.unit == gflops && arithmetic > 0
			if ofPeak {
				t.head = append(t.head, "of peak")
			}
			for _, row := range rows {
				cells := []string{row}
				for _, c := range columns {
					cells = append(cells, r.of(p, kind.name+"/"+row+"/"+c, kind.unit).String())
				}
				if ofPeak {
					cells = append(cells, percent(r.of(p, kind.name+"/"+row+"/"+r.vector(p), gflops).median()/arithmetic))
				}
				t.add(cells...)
			}
			t.write(b)
		}
	}
}

// tabled are the kinds of benchmarks that have tables of their own.
var tabled = []string{"Gemm", "Peak", "Bandwidth", "Score", "Start", "Neighbour", "Decide", rdkitJS}

// rates are units of things done, which a benchmark has besides its costs.
var rates = regexp.MustCompile(`^[a-zA-Z]+/s$`)

func (r *results) writeRoofline(b *bytes.Buffer) {
	t := tabular{
		title: "Everything else",
		text: "Flop are the multiplications and additions of products and sums, also by zeros, which the encoder leaves\n" +
			"out where a few rows have one in the same place; exponentials are not counted. Bytes are\n" +
			"what an algorithm must read and write if each value is moved once for each use of the whole it is a part\n" +
			"of; those from a cache count too, so GB/s may be above the rate of memory. A program of F flop for each\n" +
			"byte is bound by arithmetic where F times the rate of memory is above the peak, else by memory unless its\n" +
			"data stay in a cache. A yardstick is a fixed loop of the same program on the same platform: times of two\n" +
			"machines compare by the yardsticks that they are.",
		head: []string{"platform", "benchmark", "time", "best", "yardsticks", "CPU", "rate", "allocs", "Mflop", "MB moved", "flop/B", "GFLOP/s", "of peak", "GB/s", "bound by"},
	}
	for _, p := range r.platforms() {
		arithmetic, memory := r.peak(p)
		for _, name := range r.names(p) {
			if kind, _, _ := strings.Cut(name, "/"); slices.Contains(tabled, kind) || kind == "Loops" && len(r.of(p, name, gbytes)) > 0 {
				continue
			}
			t.rows = append(t.rows, named(t.head, r.roofline(p, name, arithmetic, memory)))
		}
	}
	t.write(b)
}

// named puts cells below their heads, and a dash where there is none.
func named(head []string, cells map[string]string) []string {
	row := slices.Repeat([]string{"–"}, len(head))
	for i, h := range head {
		if text, ok := cells[h]; ok {
			row[i] = text
		}
	}
	return row
}

// roofline are the cells of a benchmark, on a platform with these peaks.
func (r *results) roofline(p, name string, arithmetic, memory float64) map[string]string {
	cells := map[string]string{"platform": p, "benchmark": name, "rate": r.things(p, name)}
	time := r.of(p, name, nanoseconds)
	if len(time) > 0 {
		cells["time"], cells["best"] = time.spelled(), duration(r.of(p, name, best(nanoseconds)).min())
		if yardstick := r.of(p, "Yardstick", nanoseconds); len(yardstick) > 0 {
			cells["yardsticks"] = number(time.median() / yardstick.median())
		}
	}
	if s := r.of(p, name, processor); len(s) > 0 {
		cells["CPU"] = duration(s.median())
	}
	if s := r.of(p, name, allocations); len(s) > 0 {
		cells["allocs"] = number(s.median())
	}
	flop, bytes := r.of(p, name, flops).median(), r.of(p, name, moved).median()
	if bytes > 0 {
		cells["MB moved"], cells["GB/s"] = number(bytes/1e6), number(bytes/time.median())
	}
	if flop == 0 {
		return cells
	}
	rate := flop / time.median()
	cells["Mflop"], cells["GFLOP/s"] = number(flop/1e6), number(rate)
	if arithmetic > 0 {
		cells["of peak"] = percent(rate / arithmetic)
	}
	if bytes > 0 {
		cells["flop/B"] = number(flop / bytes)
		if arithmetic > 0 && memory > 0 {
			cells["bound by"] = "memory"
			if flop/bytes*memory > arithmetic {
				cells["bound by"] = "arithmetic"
			}
		}
	}
	return cells
}

// things are the rates of a benchmark that are its own.
func (r *results) things(platform, name string) string {
	metrics := map[string]bool{}
	for _, one := range r.all {
		if one.platform == platform && one.name == name {
			for m := range one.metrics {
				if rates.MatchString(m) && m != gflops && m != gbytes {
					metrics[m] = true
				}
			}
		}
	}
	list := slices.Sorted(maps.Keys(metrics))
	for i, m := range list {
		list[i] = number(r.of(platform, name, m).median()) + " " + m
	}
	if len(list) == 0 {
		return "–"
	}
	return strings.Join(list, ", ")
}
