package main

import (
	"baca/build/internal/try"
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// tolerated is by how many percent a benchmark may have become slower.
const tolerated = 5

// compare runs the native benchmarks and the command in the working tree and in the revision, and prints how they differ by
// benchstat. It ends with an error if something became slower by more than tolerated.
func (b bench) compare(ctx context.Context) {
	names := slices.DeleteFunc([]string{"native", "command"}, func(name string) bool { return !slices.Contains(b.platforms, name) })
	before, remove := b.checkout(ctx)
	defer remove()
	b.side = "now"
	old := map[string]job{}
	for _, j := range before.plan(ctx, names) {
		old[j.what] = j
	}
	var jobs []job // in turn, so that both sides of a benchmark run soon after each other
	for _, j := range b.plan(ctx, names) {
		if o, ok := old[j.what]; ok {
			jobs = append(jobs, o, j)
		}
	}
	files := b.rotate(ctx, jobs)
	os.Stdout.Write(b.benchstat(ctx, files))
	if slow := slower(string(b.benchstat(ctx, files, "-format", "csv"))); len(slow) > 0 {
		try.Check(fmt.Errorf("slower by more than %d %%: %s", tolerated, strings.Join(slow, ", ")))
	}
}

// change matches benchstat's line on a slower benchmark: its name, and the change in percent.
var change = regexp.MustCompile(`(?m)^([^,\n]+),.*,\+([\d.]+)%,p=`)

// slower lists the benchmarks that benchstat found significantly slower, by more than tolerated. It reads only the tables
// of times.
func slower(csv string) (list []string) {
	for table := range strings.SplitSeq(csv, "\n\n") {
		if !strings.Contains(table, ",sec/op,") {
			continue
		}
		for _, m := range change.FindAllStringSubmatch(table, -1) {
			if percent, _ := strconv.ParseFloat(m[2], 64); percent > tolerated && m[1] != "geomean" {
				list = append(list, m[1]+" +"+m[2]+" %")
			}
		}
	}
	return list
}

// A goal bounds the time of a benchmark. If other is given, it must take at least want times as long. Otherwise the
// benchmark must take at most want seconds.
type goal struct {
	what, platform, name, otherPlatform, other string
	want                                       float64
}

var goals = []goal{
	{"product of 384×64×64, vector code over OpenBLAS", "native", "Gemm/NN/384x64x64/(AVX|NEON)", "peers",
		"Gemm/NN/384x64x64/OpenBLAS", 0.5},
	{"the same in Node, SIMD over portable", "node", "Gemm/NN/384x64x64/WebAssembly", "node", "Gemm/NN/384x64x64/portable", 12},
	{"the same in Chromium", "chromium", "Gemm/NN/384x64x64/WebAssembly", "chromium", "Gemm/NN/384x64x64/portable", 12},
	{"GIN forward in Chromium, SIMD over portable", "chromium", "Forward/bbbp", "chromium-portable", "Forward/bbbp", 6},
	{"nearest of 100 000 graphs, over RDKit", "native", "Neighbour/.*/subtrees", "peers", "Neighbour/.*/popcount", 50},
	{"nearest five of them, over FPSim2", "native", "Neighbour/.*/five", "peers", "Neighbour/.*/five", 5},
	{"408 graphs calibrated, all cores", "native", "Batch/bbbp-bace", "", "", 1},
	{"the same in Chromium", "chromium", "Batch/bbbp-bace", "", "", 4},
	{"1 000 molecules in a worker of Chromium", "chromium", "Decide/.*/1000", "", "", 1},
	{"10 000 molecules", "chromium", "Decide/.*/10000", "", "", 6},
	{"60 000 random molecules scored, over RDKit's reading, ECFP4 and Tanimoto", "command", "Rows/60000", "peers", "Rows/60000", 25},
	{"score one molecule, start included", "command", "Start/1", "", "", 0.060},
	{"score 1 000 molecules", "command", "Start/1000", "", "", 0.150},
}

// page returns a page that says which goals are reached. files are the results; goals that were not run are left out.
func (b bench) page(files []string) string {
	texts := map[string]string{}
	for _, f := range files {
		text, _ := os.ReadFile(f) // as it was written before
		texts[platformOf(f)] = string(text)
	}
	rows, reached, measured := "", 0, 0
	for _, g := range goals {
		first := fastest(texts[g.platform], g.name)
		value, wanted, fine := first, fmt.Sprintf("≤ %.3g s", g.want), first <= g.want
		if g.other != "" {
			value = fastest(texts[g.otherPlatform], g.other) / first
			wanted, fine = fmt.Sprintf("≥ %.3g", g.want), value >= g.want
		}
		if !(first > 0 && value > 0) {
			continue // not run here
		}
		measured++
		if fine {
			reached++
		}
		rows += fmt.Sprintf("| %s | %s | %.3g |\n", g.what, wanted, value)
	}
	return fmt.Sprintf(`# Benchmarks

Is every hot path as fast as it is to be? The fastest of %d rounds, on one thread but where all cores are named: seconds, or how many times as long
the other takes.

| what | wanted | measured |
|---|---|---|
%s
%d of %d goals are reached.

`+"`go run ./build/tools/bench -count %d`, on %d cores, %s/%s, %s.\n", b.rounds, rows, reached, measured, b.rounds, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// fastest returns the shortest time of a benchmark in seconds, or 0 if it was not run.
func fastest(text, name string) (seconds float64) {
	for _, m := range regexp.MustCompile(`(?m)^Benchmark`+name+`\S*\s+\d+\s+([\d.e+]+) ns/op`).FindAllStringSubmatch(text, -1) {
		if ns, err := strconv.ParseFloat(m[len(m)-1], 64); err == nil && (seconds == 0 || ns*1e-9 < seconds) {
			seconds = ns * 1e-9
		}
	}
	return seconds
}
