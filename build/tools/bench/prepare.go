package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// peerProgram is the PyTorch program's place from the folder with the sets.
const peerProgram = "../golden/peer/bench_torch.py"

// anchors measures what numpy and RDKit have.
//
//go:embed anchors.py
var anchors string

// scripts measures what libraries of JavaScript have.
//
//go:embed anchors.cjs
var scripts string

// The libraries of JavaScript, as they are called and as npm knows them.
const onnx, rdkitJS = "onnxruntime-web", "RDKit.js"

var scriptLibraries = []string{"onnxruntime-web@1.22.0", "@rdkit/rdkit@2025.3.4-1.0.0"}

// oneThread keeps libraries of Python to one.
var oneThread = []string{"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"}

// stepLimit is when a program is taken to hang.
const stepLimit = 10 * time.Minute

// on tells whether a platform was chosen.
func (c config) on(platform string) bool { return slices.Contains(c.platforms, platform) }

// wants tells whether a benchmark that is no part of a test program was chosen.
func (c config) wants(name string) bool {
	only, _, _ := strings.Cut(c.only, "/")
	name, _, _ = strings.Cut(name, "/")
	chosen, err := regexp.MatchString(only, "Benchmark"+name)
	return err == nil && chosen && c.on("native")
}

// prepare builds the programs and lists the jobs of a round.
func (r *runner) prepare(ctx context.Context) error {
	files, m, lacks, err := inputs(r.data, r.now.program("decide.csv.gz"))
	if err != nil {
		return err
	}
	for _, l := range lacks {
		r.note("%s", l)
	}
	openblas, err := r.build(ctx, files)
	if err != nil {
		return err
	}
	for _, s := range steps(r.config) {
		r.plan(fmt.Sprintf("%s %s %d", s.platform, s.program, s.cpu), s.platform, func(ctx context.Context) ([]byte, error) { return r.run(ctx, s) })
	}
	if r.on("native") && !openblas {
		r.planAnchor(ctx, "OpenBLAS", "numpy", "native", "gemm")
	}
	if r.on("node") && r.only == "" && !r.quick {
		if err := r.planScripts(ctx, m, files["mol/bbbp.csv.gz"]); err != nil {
			return err
		}
	}
	if m != nil {
		if err := errors.Join(r.planRaces(ctx, m), r.planNeighbours(ctx, m)); err != nil {
			return err
		}
	}
	if r.peer {
		r.planPeer(ctx)
	}
	return ctx.Err()
}

// plan adds a job that has the results of one platform.
func (r *runner) plan(what, platform string, run func(context.Context) ([]byte, error)) {
	r.jobs = append(r.jobs, job{what: what, run: func(ctx context.Context, _ int) (map[string][]byte, error) {
		output, err := run(ctx)
		return map[string][]byte{platform: output}, err
	}})
}

// planAnchor adds what a library of Python does, where it is installed.
func (r *runner) planAnchor(ctx context.Context, what, library, platform string, args ...string) {
	python, err := r.python(ctx, library)
	if err != nil {
		r.note("without %s: %v", what, err)
		return
	}
	r.plan(what, platform, func(ctx context.Context) ([]byte, error) {
		ctx, cancel := context.WithTimeout(ctx, stepLimit)
		defer cancel()
		return execute(ctx, r.root, oneThread, python, append([]string{"-c", anchors}, args...)...)
	})
}

// planRaces adds what the command and the reference do with the same files.
func (r *runner) planRaces(ctx context.Context, m *mix) error {
	if !r.wants("Score") && !r.wants("Start") && !r.wants("Bank") {
		return nil
	}
	fmt.Fprintln(r.stderr, "building the command, and that of", reference)
	program, err := r.now.command(ctx)
	if err != nil {
		return err
	}
	if err := r.planBanks(ctx, m, program); err != nil {
		return err
	}
	contenders := []contender{{"native", program}}
	old, remove, err := checkout(ctx, r.root, reference, filepath.Join(r.now.bin, reference))
	if err == nil {
		defer remove() // what was built stays until the end
		program, err = old.command(ctx)
	}
	if err != nil {
		r.note("without %s, which the command is compared with: %v", reference, err)
	} else {
		contenders = append(contenders, contender{referencePlatform, program})
	}
	races, err := r.races(m)
	for _, c := range races {
		if r.wants(c.name) {
			r.jobs = append(r.jobs, job{c.name, c.once, func(ctx context.Context, round int) (map[string][]byte, error) {
				return c.run(ctx, round, contenders)
			}})
		}
	}
	return err
}

// planNeighbours adds a query among many graphs, by the ways that there are.
func (r *runner) planNeighbours(ctx context.Context, m *mix) error {
	if !r.wants("Neighbour") {
		return nil
	}
	size := 100_000
	if r.quick {
		size = 1000
	}
	fmt.Fprintln(r.stderr, "making a bank of", size, "graphs")
	s, err := newNeighbours(ctx, m, size)
	if err != nil {
		return err
	}
	bank, queries, err := s.write(r.now.bin)
	if err != nil {
		return err
	}
	r.plan("neighbours", "native", func(context.Context) ([]byte, error) { return s.run(), nil })
	r.planAnchor(ctx, "numpy", "numpy", "native", "popcount", s.name("numpy"), bank, queries)
	r.planAnchor(ctx, "RDKit", "rdkit", "native", "rdkit", s.name("RDKit"), bank, queries)
	return nil
}

// planScripts adds what libraries of JavaScript do in Node, which npm installs. bank is the file of
// the molecules to compare with, if there is one.
func (r *runner) planScripts(ctx context.Context, m *mix, bank string) error {
	folder := r.now.program("scripts")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	install := append([]string{"install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"}, scriptLibraries...)
	if _, err := execute(ctx, folder, nil, "npm", install...); err != nil {
		r.note("without %s and %s: %v", onnx, rdkitJS, err)
		return ctx.Err()
	}
	plan := func(what string, args ...string) {
		r.plan(what, "node", func(ctx context.Context) ([]byte, error) {
			ctx, cancel := context.WithTimeout(ctx, stepLimit)
			defer cancel()
			return execute(ctx, folder, nil, "node", append([]string{"-e", scripts, "--"}, args...)...)
		})
	}
	plan(onnx, "gemm")
	if m == nil || bank == "" {
		return nil
	}
	known, err := openMix(bank)
	if err != nil {
		return err
	}
	// As BenchmarkDecide takes a thousand of ten thousand.
	var asked []string
	for i, row := range m.part(10_000) {
		if i%10 == 0 {
			asked = append(asked, row)
		}
	}
	write := func(name string, m *mix, rows []string) (string, error) {
		file := filepath.Join(folder, name)
		list, err := m.molecules(rows)
		return file, cmp.Or(err, os.WriteFile(file, []byte(strings.Join(list, "\n")), 0o666))
	}
	bank, err = write("bank", known, known.rows)
	if err != nil {
		return err
	}
	queries, err := write("queries", m, asked)
	plan(rdkitJS, "rdkit", fmt.Sprintf("%s/mix/%d", rdkitJS, len(asked)), bank, queries)
	return err
}

// planPeer adds the PyTorch program.
func (r *runner) planPeer(ctx context.Context) {
	program := filepath.Join(r.data, peerProgram)
	if !exists(program) {
		r.note("without PyTorch: there is no %s", program)
		return
	}
	python, err := r.python(ctx, "torch, rdkit, numpy")
	if err != nil {
		r.note("without PyTorch, which needs Debian's python3-torch and python3-rdkit: %v", err)
		return
	}
	r.plan(torch, torch, func(ctx context.Context) ([]byte, error) {
		output, err := execute(ctx, r.root, oneThread, python, program, "--set", "bbbp", "--threads", "1", "--data", r.data)
		return peerText(output), err
	})
}

// python returns an interpreter that has some libraries.
func (r *runner) python(ctx context.Context, libraries string) (name string, err error) {
	// Debian's packages belong to Debian's own Python.
	for _, name = range []string{"python3", "/usr/bin/python3"} {
		if _, err = execute(ctx, r.root, nil, name, "-c", "import "+libraries); err == nil {
			return name, nil
		}
	}
	return "", err
}

// build makes the programs that the platforms need and says whether that of the kernel
// has OpenBLAS.
func (r *runner) build(ctx context.Context, files map[string]string) (openblas bool, err error) {
	overlay, err := r.now.overlay(files)
	if err != nil {
		return false, err
	}
	r.results.toolchain = runtime.Version()
	fmt.Fprintln(r.stderr, "building")
	if r.on("native") {
		if openblas, err = r.buildNative(ctx, overlay); err != nil {
			return false, err
		}
	}
	if r.on("node") || r.on("chromium") {
		wasm := []string{"GOOS=js", "GOARCH=wasm"}
		if err := r.now.test(ctx, overlay, "kernel.wasm", kernelPackage, wasm); err != nil {
			return false, err
		}
		if err := r.now.test(ctx, overlay, "suite.wasm", suitePackage, wasm); err != nil {
			return false, err
		}
	}
	if r.on("node") {
		if version, err := execute(ctx, r.root, nil, "node", "--version"); err == nil {
			r.results.engines = append(r.results.engines, "Node "+strings.TrimSpace(string(version)))
		}
	}
	if r.on("chromium") {
		if _, err := execute(ctx, r.root, nil, "go", "build", "-o", r.now.program("wasmtest"), "./build/tools/wasmtest"); err != nil {
			return false, err
		}
		if version, err := execute(ctx, r.root, nil, "chromium", "--version"); err == nil {
			name, _, _ := strings.Cut(string(version), " built on")
			r.results.engines = append(r.results.engines, strings.TrimSpace(name))
		}
	}
	return openblas, nil
}

func (r *runner) buildNative(ctx context.Context, overlay string) (openblas bool, err error) {
	err = r.now.test(ctx, overlay, "kernel", kernelPackage, nil, "-tags", "openblas")
	if err == nil { // built, but the library may be missing when it starts
		_, err = execute(ctx, r.root, nil, r.now.program("kernel"), "-test.list", "OpenBLAS")
	}
	if openblas = err == nil; !openblas {
		r.note("the kernel is not compared with OpenBLAS, which Debian has as libopenblas-dev, but by numpy: %v", err)
		if err := r.now.test(ctx, overlay, "kernel", kernelPackage, nil); err != nil {
			return false, err
		}
	}
	if err := r.now.test(ctx, overlay, "suite", suitePackage, nil); err != nil {
		return false, err
	}
	return openblas, r.now.test(ctx, overlay, "suite-noasm", suitePackage, nil, "-tags", "noasm")
}

// run runs a test program on its platform.
func (r *runner) run(ctx context.Context, s step) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	program := r.now.program(s.program)
	command := []string{program}
	switch platform, _, _ := strings.Cut(s.platform, "-"); platform {
	case "node":
		command = []string{filepath.Join(r.root, "build/tools/wasmtest/node/go_js_wasm_exec"), program}
	case "chromium":
		command = []string{r.now.program("wasmtest"), program}
	}
	command = append(command, "-test.run=^$", "-test.bench="+s.bench, "-test.skip="+s.skip, "-test.benchtime="+s.time, "-test.cpu="+strconv.Itoa(s.cpu), "-test.count="+strconv.Itoa(s.count))
	return execute(ctx, r.root, s.env, command[0], command[1:]...)
}
