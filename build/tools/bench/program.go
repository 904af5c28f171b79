package main

import (
	"baca/build/internal/revision"
	"baca/build/internal/try"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	kernelPackage = "./algo/internal/kernel"
	suitePackage  = "./build/tools/bench/suite"
)

// A program is the benchmarks of a package whose names match names but not skip.
type program struct{ pkg, names, skip string }

// hot are the packages of hot paths.
var hot = []program{
	{suitePackage, ".", ""},
	{kernelPackage, "^Benchmark(Gemm|Loops)$", "^BenchmarkGemm$/./^(24|32)x"},
	{"./algo/dataset", "^Benchmark(Records|Molecules)$", ""},
	{"./algo/fingerprint", ".", ""},
	{"./algo/near", ".", ""},
	{"./algo/table", ".", ""},
	{"./weights", "^BenchmarkLoad$", ""},
}

// The portable code and WebAssembly run only the benchmarks that tell where time goes and do not take minutes.
var (
	portable = program{suitePackage, "^Benchmark(Yardstick|Forward)$|^BenchmarkPre$/./^encoded$", ""}
	inEngine = program{suitePackage, ".",
		"^BenchmarkBatch$/^(PTC_MR|BZR)|^BenchmarkStage$|^BenchmarkPre$/./^structure$|^BenchmarkNeighbour$"}
	products = program{kernelPackage, "^Benchmark(Peak|Bandwidth)$|^BenchmarkGemm$/./^384x(16x16|64x64|80x80)$", ""}
)

// sets are the public sets that the benchmarks read.
var sets = []string{"mol/bbbp.csv.gz", "mol/bace.csv.gz", "tu/PTC_MR", "tu/MUTAG", "tu/BZR", "tu/COX2"}

// test builds the test program of a package, with the public sets in it, and returns its path. env is nil, or of WebAssembly.
func (b bench) test(ctx context.Context, pkg string, env []string, flags ...string) (path string, err error) {
	overlay, err := b.overlay(env != nil)
	path = filepath.Join(b.bin, strings.NewReplacer("./", "", "/", "-").Replace(pkg)+strings.Join(append(flags, env...), "-"))
	args := append([]string{"test", "-c", "-trimpath", "-overlay", overlay, "-o", path}, flags...)
	if err == nil {
		_, err = execute(ctx, b.root, env, "go", append(args, pkg)...)
	}
	return path, err
}

// measured returns the job that runs the benchmarks of a program on one thread.
func (b bench) measured(platform string, p program, env []string, command ...string) job {
	if b.only != "." {
		p.names = b.only
	}
	args := append(command[1:], "-test.run=^$", "-test.bench="+p.names, "-test.skip="+p.skip,
		"-test.benchtime="+b.time, "-test.cpu=1", "-test.benchmem")
	return job{platform, p.pkg + " " + p.names, func(ctx context.Context) ([]byte, error) {
		return execute(ctx, filepath.Join(b.root, p.pkg), env, command[0], args...)
	}}
}

// native plans the benchmarks of hot paths.
func (b bench) native(ctx context.Context) (jobs []job, err error) {
	for _, p := range hot {
		path, failed := b.test(ctx, p.pkg, nil)
		if failed == nil {
			jobs = append(jobs, b.measured(b.side, p, nil, path))
		}
		err = errors.Join(err, failed)
	}
	return jobs, err
}

func (b bench) node(ctx context.Context) ([]job, error) {
	return b.wasm(ctx, "node", filepath.Join(b.root, "build/tools/wasmtest/node/go_js_wasm_exec"))
}

// chromium returns the jobs that run in a browser, for which it builds the runner.
func (b bench) chromium(ctx context.Context) ([]job, error) {
	runner := filepath.Join(b.bin, "wasmtest")
	if _, err := execute(ctx, b.root, nil, "go", "build", "-o", runner, "./build/tools/wasmtest"); err != nil {
		return nil, err
	}
	return b.wasm(ctx, "chromium", runner)
}

// wasm plans the benchmarks in an engine, with SIMD and without. Jobs of a program that could not be built fail when they run.
func (b bench) wasm(ctx context.Context, engine, runner string) ([]job, error) {
	env := []string{"GOOS=js", "GOARCH=wasm"}
	kernel, failed := b.test(ctx, kernelPackage, env)
	suite, err := b.test(ctx, suitePackage, env)
	return []job{
		b.measured(engine, products, nil, runner, kernel),
		b.measured(engine, inEngine, nil, runner, suite),
		b.measured(engine+"-portable", portable, []string{"BACA_KERNEL=none"}, runner, suite),
	}, errors.Join(failed, err)
}

// overlay writes a file for go build -overlay that adds the available public sets, and parts of the large set, to the
// folder of the benchmarks' data. A native program also gets the set of many graphs. It returns the path of the file.
func (b bench) overlay(wasm bool) (path string, err error) {
	path = filepath.Join(b.bin, fmt.Sprintf("overlay-%v.json", wasm))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	replace := map[string]string{}
	lay := func(name, from string) { replace[filepath.Join(b.root, suitePackage, "data", name)] = from }
	for _, name := range sets {
		missing := fs.WalkDir(os.DirFS(b.data), name, func(file string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				lay(file, filepath.Join(b.data, file))
			}
			return err
		})
		if missing != nil {
			note("without the set %s: %v", name, missing)
		}
	}
	if all, absent := mix(b.data); absent == nil {
		parts := map[string]int{mixName: 10_000}
		if !wasm {
			parts["mol/many.csv"] = 100_200
		}
		for name, n := range parts {
			from := filepath.Join(b.bin, fmt.Sprint(n, ".csv"))
			lay(name, from)
			err = cmp.Or(err, write(from, part(all, n)))
		}
	}
	text, failed := json.Marshal(map[string]any{"Replace": replace})
	return path, cmp.Or(err, failed, os.WriteFile(path, text, 0o666))
}

// checkout checks out the revision into a new folder of b.bin, with a link to what lies beside the project. remove removes
// the files, even after ctx is done.
func (b bench) checkout(ctx context.Context) (before bench, remove func()) {
	dir := filepath.Join(b.bin, "before")
	before = b
	before.root, before.bin, before.side = filepath.Join(dir, "tree"), filepath.Join(dir, "bin"), "before"
	try.Check(os.MkdirAll(before.bin, 0o777))
	// Tests look for the public sets beside the project.
	try.Check(os.Symlink(filepath.Join(b.root, "..", "shared"), filepath.Join(dir, "shared")))
	return before, try.To(revision.Checkout(ctx, b.root, b.against, before.root))
}
