package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	kernelPackage = "./algo/internal/kernel"
	suitePackage  = "./build/tools/bench/suite"
	suiteFolder   = "build/tools/bench/suite/data"
	peerProgram   = "../golden/peer/bench_torch.py" // from the folder with the sets
)

// The sets that the benchmarks know.
var sets = []string{"mol/bbbp.csv.gz", "mol/bace.csv.gz", "tu/PTC_MR", "tu/MUTAG", "tu/BZR", "tu/COX2"}

// A step is one run of a program, in every round.
type step struct {
	platform string // names the file of results
	program  string // in the folder of programs
	bench    string // the benchmarks that it runs
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
	portable         = "^BenchmarkYardstick$|^BenchmarkForward$|^BenchmarkPre$/./^encoded$|^BenchmarkStage$/^(lookup|step|scores)$|^BenchmarkBatch$/^(bbbp|examples)"
	portableNode     = "^BenchmarkYardstick$|^BenchmarkForward$"
	portableChromium = "^BenchmarkYardstick$|^BenchmarkForward$|^BenchmarkBatch$/^(bbbp|examples)"
)

// steps lists a round.
func steps(c config) []step {
	all := []step{
		{platform: "native", program: "kernel", bench: "^Benchmark(Gemm|Peak|Bandwidth|Loops)$", time: "7ms", count: 3, cpu: 1},
		{platform: "native", program: "suite", bench: ".", time: "50ms", count: 1, cpu: 1},
		{platform: "native", program: "suite", bench: "^Benchmark(Batch|Table)$", time: "50ms", count: 1, cpu: runtime.NumCPU()},
		{platform: "native-noasm", program: "suite-noasm", bench: portable, time: "50ms", count: 1, cpu: 1},
	}
	for _, engine := range []string{"node", "chromium"} {
		slow := map[string]string{"node": portableNode, "chromium": portableChromium}[engine]
		all = append(all,
			step{platform: engine, program: "kernel.wasm", bench: wasmKernel, time: "7ms", count: 3, cpu: 1},
			step{platform: engine, program: "suite.wasm", bench: ".", time: "50ms", count: 1, cpu: 1},
			step{platform: engine + "-portable", program: "suite.wasm", bench: slow, time: "50ms", count: 1, cpu: 1, env: []string{"BACA_KERNEL=none"}})
	}
	var chosen []step
	for _, s := range all {
		platform, _, _ := strings.Cut(s.platform, "-")
		if !slices.Contains(c.platforms, platform) || s.cpu > 1 && runtime.NumCPU() == 1 {
			continue
		}
		if c.only != "" {
			s.bench = c.only
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
	bin     string // folder of programs
	stderr  io.Writer
	results *results
	notes   []string
	failed  map[string]bool   // platforms
	texts   map[string][]byte // by platform
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
	r := &runner{config: c, bin: bin, stderr: stderr, results: &results{}, failed: map[string]bool{}, texts: map[string][]byte{}}
	if err := r.build(ctx); err != nil {
		return nil, nil, err
	}
	python := ""
	if c.peer {
		python = r.python(ctx)
	}
	begin := time.Now()
	for round := range c.rounds {
		load := loadAverage()
		r.results.load = append(r.results.load, load)
		fmt.Fprintf(stderr, "round %d of %d, after %s%s\n", round+1, c.rounds, time.Since(begin).Round(time.Second), load)
		for _, s := range steps(c) {
			if err := r.step(ctx, round, s.platform, s.program, func() ([]byte, error) { return r.run(ctx, s) }); err != nil {
				return nil, nil, err
			}
		}
		if python != "" {
			if err := r.step(ctx, round, torch, peerProgram, func() ([]byte, error) { return r.runPeer(ctx, python) }); err != nil {
				return nil, nil, err
			}
		}
		if ctx.Err() != nil {
			r.note("interrupted in round %d", round+1)
			return r.results, r.notes, nil
		}
	}
	fmt.Fprintf(stderr, "%d rounds took %s\n", c.rounds, time.Since(begin).Round(time.Second))
	return r.results, r.notes, nil
}

// step takes the results of a program. A platform that fails is left out from then on.
func (r *runner) step(ctx context.Context, round int, platform, program string, run func() ([]byte, error)) error {
	if r.failed[platform] || ctx.Err() != nil {
		return nil
	}
	fmt.Fprintf(r.stderr, "  %s: %s\n", platform, program)
	output, err := run()
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		r.failed[platform] = true
		r.note("%s left out from round %d on: %v", platform, round+1, err)
	}
	if r.results.cpu == "" {
		r.results.cpu = cpuOf(output)
	}
	found := parse(output, platform, round)
	if len(found) == 0 {
		return nil
	}
	r.results.add(found...)
	return r.write(platform, output)
}

// runPeer runs the PyTorch program.
func (r *runner) runPeer(ctx context.Context, python string) ([]byte, error) {
	output, err := r.output(ctx, []string{"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"},
		python, filepath.Join(r.data, peerProgram), "--set", "bbbp", "--threads", "1", "--data", r.data)
	return peerText(output), err
}

// write adds to the text of a platform.
func (r *runner) write(platform string, text []byte) error {
	r.texts[platform] = append(r.texts[platform], text...)
	return os.WriteFile(filepath.Join(r.out, platform+".txt"), r.texts[platform], 0o666)
}

// build makes the programs that the platforms need.
func (r *runner) build(ctx context.Context) error {
	overlay, err := r.overlay()
	if err != nil {
		return err
	}
	r.results.toolchain = runtime.Version()
	fmt.Fprintln(r.stderr, "building")
	test := func(name, pkg string, env []string, flags ...string) error {
		args := append([]string{"test", "-c", "-overlay", overlay, "-o", filepath.Join(r.bin, name)}, flags...)
		_, err := r.output(ctx, env, "go", append(args, pkg)...)
		return err
	}
	if slices.Contains(r.platforms, "native") {
		err := test("kernel", kernelPackage, nil, "-tags", "openblas")
		if err == nil { // built, but the library may be missing when it starts
			_, err = r.output(ctx, nil, filepath.Join(r.bin, "kernel"), "-test.list", "OpenBLAS")
		}
		if err != nil {
			r.note("without OpenBLAS, which Debian has as libopenblas-dev: %v", err)
			if err := test("kernel", kernelPackage, nil); err != nil {
				return err
			}
		}
		if err := test("suite", suitePackage, nil); err != nil {
			return err
		}
		if err := test("suite-noasm", suitePackage, nil, "-tags", "noasm"); err != nil {
			return err
		}
	}
	if slices.Contains(r.platforms, "node") || slices.Contains(r.platforms, "chromium") {
		wasm := []string{"GOOS=js", "GOARCH=wasm"}
		if err := test("kernel.wasm", kernelPackage, wasm); err != nil {
			return err
		}
		if err := test("suite.wasm", suitePackage, wasm); err != nil {
			return err
		}
	}
	if slices.Contains(r.platforms, "node") {
		if version, err := r.output(ctx, nil, "node", "--version"); err == nil {
			r.results.engines = append(r.results.engines, "Node "+strings.TrimSpace(string(version)))
		}
	}
	if slices.Contains(r.platforms, "chromium") {
		if _, err := r.output(ctx, nil, "go", "build", "-o", filepath.Join(r.bin, "wasmtest"), "./build/tools/wasmtest"); err != nil {
			return err
		}
		if version, err := r.output(ctx, nil, "chromium", "--version"); err == nil {
			name, _, _ := strings.Cut(string(version), " built on")
			r.results.engines = append(r.results.engines, strings.TrimSpace(name))
		}
	}
	return nil
}

// overlay lays the sets that are there over the folder of the benchmarks' data.
func (r *runner) overlay() (path string, err error) {
	replace := map[string]string{}
	folder := filepath.Join(r.root, suiteFolder)
	for _, name := range sets {
		files := []string{name}
		from := filepath.Join(r.data, name)
		if strings.HasPrefix(name, "tu/") {
			files = nil
			entries, err := os.ReadDir(from)
			if err != nil {
				r.note("without the set %s: %v", name, err)
			}
			for _, e := range entries {
				files = append(files, filepath.Join(name, e.Name()))
			}
		} else if _, err := os.Stat(from); err != nil {
			r.note("the example molecules stand for the set %s: %v", name, err)
			continue
		}
		for _, f := range files {
			replace[filepath.Join(folder, f)] = filepath.Join(r.data, f)
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path = filepath.Join(r.bin, "overlay.json")
	return path, os.WriteFile(path, text, 0o666)
}

// stepLimit is when a program is taken to hang.
const stepLimit = 10 * time.Minute

func (r *runner) run(ctx context.Context, s step) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	program := filepath.Join(r.bin, s.program)
	command := []string{program}
	switch platform, _, _ := strings.Cut(s.platform, "-"); platform {
	case "node":
		command = []string{filepath.Join(r.root, "build/tools/wasmtest/node/go_js_wasm_exec"), program}
	case "chromium":
		command = []string{filepath.Join(r.bin, "wasmtest"), program}
	}
	command = append(command, "-test.run=^$", "-test.bench="+s.bench, "-test.benchtime="+s.time, "-test.cpu="+strconv.Itoa(s.cpu), "-test.count="+strconv.Itoa(s.count))
	return r.output(ctx, s.env, command[0], command[1:]...)
}

// output runs a command in the root of the project and returns what it writes to
// standard output. The error holds the end of what it writes to standard error.
func (r *runner) output(ctx context.Context, env []string, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = r.root
	for _, v := range os.Environ() {
		// The wrappers of WebAssembly programs call the go command.
		if !strings.HasPrefix(v, "GOOS=") && !strings.HasPrefix(v, "GOARCH=") && !strings.HasPrefix(v, "BACA_KERNEL=") {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, env...)
	c.WaitDelay = 5 * time.Second
	var out, message bytes.Buffer
	c.Stdout, c.Stderr = &out, &message
	err := c.Run()
	if err != nil {
		text := cmp.Or(strings.TrimSpace(message.String()), strings.TrimSpace(out.String()))
		const most = 300
		if len(text) > most {
			text = "…" + text[len(text)-most:]
		}
		err = fmt.Errorf("%s: %w: %s", filepath.Base(name), err, strings.Join(strings.Fields(text), " "))
	}
	return out.Bytes(), err
}

// python returns an interpreter that has what the peer needs, or "".
func (r *runner) python(ctx context.Context) string {
	if _, err := os.Stat(filepath.Join(r.data, peerProgram)); err != nil {
		r.note("without PyTorch: %v", err)
		return ""
	}
	var last error
	// Debian's packages belong to Debian's own Python.
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if _, last = r.output(ctx, nil, name, "-c", "import torch, rdkit, numpy"); last == nil {
			return name
		}
	}
	r.note("without PyTorch, which needs Debian's python3-torch and python3-rdkit: %v", last)
	return ""
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
