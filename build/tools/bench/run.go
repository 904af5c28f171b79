package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A step is one run of a program, in every round.
type step struct {
	platform string // names the file of results
	program  string // in the folder of programs
	bench    string // the benchmarks that it runs
	skip     string // but for these
	time     string // for how long each
	count    int    // how often in a row
	cpu      int
	env      []string
}

// The products on which the goals are, and what they are compared with.
const wasmKernel = "^Benchmark(Peak|Bandwidth)$|^BenchmarkGemm$/./^384x(16x16|64x64|80x80)$"

// The portable code is so much slower that it only gets what there is a goal for, or
// what tells where the time goes.
const (
	portable     = "^BenchmarkYardstick$|^BenchmarkForward$|^BenchmarkPre$/./^encoded$|^BenchmarkStage$/^(lookup|step|scores)$"
	portableWasm = "^BenchmarkYardstick$|^BenchmarkForward$"
)

// What takes seconds in WebAssembly and is a part of something else, or nearly the same.
const parts = "^BenchmarkBatch$/^(PTC_MR|BZR)|^BenchmarkStage$/^(attention|ratio)$|^BenchmarkPre$/./^structure$|^BenchmarkTable$"

// steps lists a round.
func steps(c config) []step {
	all := []step{
		{platform: "native", program: "kernel", bench: "^Benchmark(Gemm|Peak|Bandwidth|Loops)$", time: "7ms", count: 3, cpu: 1},
		{platform: "native", program: "suite", bench: ".", time: "50ms", count: 1, cpu: 1},
		{platform: "native", program: "suite", bench: "^Benchmark(Batch|Table)$", time: "50ms", count: 1, cpu: runtime.NumCPU()},
		{platform: "native-noasm", program: "suite-noasm", bench: portable, time: "50ms", count: 1, cpu: 1},
	}
	for _, engine := range []string{"node", "chromium"} {
		all = append(all,
			step{platform: engine, program: "kernel.wasm", bench: wasmKernel, time: "7ms", count: 3, cpu: 1},
			step{platform: engine, program: "suite.wasm", bench: ".", skip: parts, time: "50ms", count: 1, cpu: 1},
			step{platform: engine + "-portable", program: "suite.wasm", bench: portableWasm, time: "50ms", count: 1, cpu: 1, env: []string{"BACA_KERNEL=none"}})
	}
	var chosen []step
	for _, s := range all {
		platform, _, _ := strings.Cut(s.platform, "-")
		if !c.on(platform) || s.cpu > 1 && runtime.NumCPU() == 1 {
			continue
		}
		if c.only != "" {
			s.bench, s.skip = c.only, ""
		}
		if c.quick {
			s.time, s.count = "5ms", 1 // the clock of a browser has steps of 0.1 ms
		}
		chosen = append(chosen, s)
	}
	return chosen
}

// A runner has what lasts for a run.
type runner struct {
	config
	now     tree
	begin   time.Time
	stderr  io.Writer
	results *results
	notes   []string
	jobs    []job
	over    map[string]bool   // jobs that failed, or whose figures are settled
	texts   map[string][]byte // by platform
}

// A job runs in each round, or in the first one only. It returns lines of benchmarks by
// platform.
type job struct {
	what string // the platform and the program
	once bool
	run  func(ctx context.Context, round int) (map[string][]byte, error)
}

func (r *runner) note(format string, args ...any) {
	n := fmt.Sprintf(format, args...)
	fmt.Fprintln(r.stderr, "note:", n)
	r.notes = append(r.notes, n)
}

// run builds the programs and runs all rounds. It is an error only if there is no
// point in going on.
func run(ctx context.Context, c config, stderr io.Writer) (*results, []string, error) {
	if err := os.MkdirAll(c.out, 0o777); err != nil {
		return nil, nil, err
	}
	bin, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(bin)
	r := &runner{
		config: c, now: tree{c.root, bin}, begin: time.Now(), stderr: stderr,
		results: &results{}, over: map[string]bool{}, texts: map[string][]byte{},
	}
	if err := r.prepare(ctx); err != nil {
		return nil, nil, err
	}
	err = r.goRound(ctx)
	return r.results, r.notes, err
}

// goRound runs all jobs again and again, as often as asked for and as the time allows.
func (r *runner) goRound(ctx context.Context) error {
	longest := time.Duration(0) // of what every round has
	for round := range r.rounds {
		if time.Since(r.begin)+longest > r.limit && round > 0 {
			r.note("%d of %d rounds: another would not end within %s", round, r.rounds, r.limit)
			break
		}
		load := loadAverage()
		r.results.load = append(r.results.load, load)
		fmt.Fprintf(r.stderr, "round %d of %d, after %s%s\n", round+1, r.rounds, time.Since(r.begin).Round(time.Second), load)
		again := time.Duration(0)
		for _, j := range r.jobs {
			begin := time.Now()
			if round > 0 && j.once {
				continue
			}
			if err := r.do(ctx, round, j); err != nil {
				return err
			}
			if !j.once {
				again += time.Since(begin)
			}
		}
		if ctx.Err() != nil {
			r.note("interrupted in round %d", round+1)
			return nil
		}
		longest = max(longest, again)
	}
	fmt.Fprintf(r.stderr, "all took %s\n", time.Since(r.begin).Round(time.Second))
	return nil
}

// do takes the results of a job. What fails is left out from then on, and what is
// settled.
func (r *runner) do(ctx context.Context, round int, j job) error {
	if r.over[j.what] || ctx.Err() != nil {
		return nil
	}
	begin := time.Now()
	outputs, err := j.run(ctx, round)
	if ctx.Err() != nil {
		return nil
	}
	fmt.Fprintf(r.stderr, "  %s: %.1f s\n", j.what, time.Since(begin).Seconds())
	if err != nil {
		r.over[j.what] = true
		r.note("%s left out from round %d on: %v", j.what, round+1, err)
	}
	settled := true
	for platform, output := range outputs {
		if r.results.cpu == "" {
			r.results.cpu = cpuOf(output)
		}
		found := parse(output, platform, round)
		if len(found) == 0 {
			continue
		}
		r.results.add(found...)
		settled = settled && r.results.settled(found)
		if err := r.write(platform, output); err != nil {
			return err
		}
	}
	r.over[j.what] = r.over[j.what] || settled
	return nil
}

// write adds to the text of a platform.
func (r *runner) write(platform string, text []byte) error {
	r.texts[platform] = append(r.texts[platform], text...)
	return os.WriteFile(filepath.Join(r.out, platform+".txt"), r.texts[platform], 0o666)
}

// loadAverage is what the system says of its load, where it says it as Linux does.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(text))
	if len(fields) == 0 {
		return ""
	}
	return ", load " + fields[0]
}
