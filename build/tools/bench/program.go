package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const (
	kernelPackage = "./algo/internal/kernel"
	suitePackage  = "./build/tools/bench/suite"
	suiteFolder   = "build/tools/bench/suite/data"
)

// hot are the packages of hot paths, with their benchmarks, less what is skipped.
var hot = []struct{ pkg, names, skip string }{
	{suitePackage, ".", ""},
	{kernelPackage, "^Benchmark(Gemm|Loops)$", "^BenchmarkGemm$/./^(24|32)x"},
	{"./algo/background", ".", ""},
	{"./algo/dataset", "^Benchmark(Records|Molecules)$", ""},
	{"./algo/fingerprint", ".", ""},
	{"./algo/job", ".", ""},
	{"./algo/molecule/smiles", ".", ""},
	{"./algo/near", ".", ""},
	{"./algo/table", ".", ""},
	{"./weights", "^BenchmarkLoad$", ""},
}

// The portable code and WebAssembly get what tells where time goes, and does not take minutes.
const (
	portableNames = "^Benchmark(Yardstick|Forward)$|^BenchmarkPre$/./^encoded$"
	wasmKernel    = "^BenchmarkGemm$/./^384x(16x16|64x64|80x80)$"
	wasmSkip      = "^BenchmarkBatch$/^(PTC_MR|BZR)|^BenchmarkStage$/^(attention|ratio)$|^BenchmarkPre$/./^structure$|^Benchmark(Table|Neighbour)$"
)

// stepLimit is when a program is taken to hang.
const stepLimit = 10 * time.Minute

// The sets that the benchmarks know.
var sets = []string{"mol/bbbp.csv.gz", "mol/bace.csv.gz", "tu/PTC_MR", "tu/MUTAG", "tu/BZR", "tu/COX2"}

// A tree is the project's files at one revision, with the programs built from them.
type tree struct {
	config
	root     string
	bin      string // folder of programs
	platform string // that names its results
}

// program is where a program of that name lies.
func (t tree) program(name string) string { return filepath.Join(t.bin, name) }

// test builds the test program of a package with the public sets in it.
func (t tree) test(ctx context.Context, name, pkg string, env []string, flags ...string) error {
	overlay, err := t.overlay(len(env) > 0)
	if err != nil {
		return err
	}
	args := append([]string{"test", "-c", "-trimpath", "-overlay", overlay, "-o", t.program(name)}, flags...)
	_, err = execute(ctx, t.root, env, "go", append(args, pkg)...)
	return err
}

// native plans the benchmarks of hot paths, on one thread, and the batch on all.
func (t tree) native(ctx context.Context) (jobs []job, err error) {
	tags := []string{"-tags", "openblas"}
	for _, h := range hot {
		name := strings.ReplaceAll(strings.TrimPrefix(h.pkg, "./"), "/", "-")
		failed := t.test(ctx, name, h.pkg, nil, tags...)
		if failed == nil { // a library may be missing when the program starts
			_, failed = execute(ctx, t.root, nil, t.program(name), "-test.list", "^$")
		}
		if failed != nil && tags != nil {
			fmt.Fprintf(t.stderr, "note: without OpenBLAS, which Debian has as libopenblas-dev: %v\n", failed)
			tags, failed = nil, t.test(ctx, name, h.pkg, nil)
		}
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		jobs = append(jobs, t.bout(t.platform, t.program(name), h.pkg, h.names, h.skip, 1))
	}
	return append(jobs, t.bout(t.platform, t.program("build-tools-bench-suite"), suitePackage, "^Benchmark(Batch|Table)$", "", runtime.NumCPU())), err
}

// portable plans what runs without vector code.
func (t tree) portable(ctx context.Context) ([]job, error) {
	err := t.test(ctx, "portable", suitePackage, nil, "-tags", "noasm")
	return []job{t.bout("portable", t.program("portable"), suitePackage, portableNames, "", 1)}, err
}

// wasm plans what runs in an engine, with SIMD and without.
func (t tree) wasm(engine string) func(context.Context) ([]job, error) {
	return func(ctx context.Context) (jobs []job, err error) {
		env := []string{"GOOS=js", "GOARCH=wasm"}
		err = errors.Join(t.test(ctx, "kernel.wasm", kernelPackage, env), t.test(ctx, "suite.wasm", suitePackage, env))
		runner := filepath.Join(t.root, "build/tools/wasmtest/node/go_js_wasm_exec")
		if engine == "chromium" {
			runner = t.program("wasmtest")
			_, failed := execute(ctx, t.root, nil, "go", "build", "-o", runner, "./build/tools/wasmtest")
			err = errors.Join(err, failed)
		}
		kernel, suite := []string{runner, t.program("kernel.wasm")}, []string{runner, t.program("suite.wasm")}
		return []job{
			t.boutOf(engine, kernel, nil, ".", wasmKernel, "", 1),
			t.boutOf(engine, suite, nil, ".", ".", wasmSkip, 1),
			t.boutOf(engine+"-portable", suite, []string{"BACA_KERNEL=none"}, ".", portableNames, "", 1),
		}, err
	}
}

// bout is a run of a test program.
func (t tree) bout(platform, program, folder, names, skip string, cpu int) job {
	return t.boutOf(platform, []string{program}, nil, folder, names, skip, cpu)
}

func (t tree) boutOf(platform string, command, env []string, folder, names, skip string, cpu int) job {
	if t.only != "." {
		names = t.only
	}
	args := append(command[1:len(command):len(command)], "-test.run=^$", "-test.bench="+names, "-test.skip="+skip, "-test.benchtime="+t.time, "-test.cpu="+strconv.Itoa(cpu), "-test.benchmem")
	what := fmt.Sprintf("%s %s %d", platform, filepath.Base(command[len(command)-1]), cpu)
	return job{platform, what, func(ctx context.Context) ([]byte, error) {
		return execute(ctx, filepath.Join(t.root, folder), env, command[0], args...)
	}}
}

// overlay lays the files of the sets that there are, and parts of the mix, over the folder of the benchmarks'
// data; those of many graphs where the program is native.
func (t tree) overlay(wasm bool) (path string, err error) {
	path = t.program(fmt.Sprintf("overlay-%v.json", wasm))
	if exists(path) {
		return path, nil
	}
	replace := map[string]string{}
	lay := func(name, from string) { replace[filepath.Join(t.root, suiteFolder, name)] = from }
	for _, name := range sets {
		from := filepath.Join(t.data, name)
		info, err := os.Stat(from)
		if err != nil {
			fmt.Fprintf(t.stderr, "note: without the set %s: %v\n", name, err)
			continue
		}
		if !info.IsDir() {
			lay(name, from)
			continue
		}
		inside, err := os.ReadDir(from)
		if err != nil {
			return "", err
		}
		for _, f := range inside {
			lay(filepath.Join(name, f.Name()), filepath.Join(from, f.Name()))
		}
	}
	if all, err := mix(t.data); err == nil {
		lay(mixName, t.program("decide.csv"))
		err = write(t.program("decide.csv"), part(all, 10_000))
		if !wasm {
			lay("mol/many.csv", t.program("many.csv"))
			err = errors.Join(err, write(t.program("many.csv"), part(all, 100_200)))
		}
		if err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, text, 0o666)
}

// checkout lays the files of a revision into a new folder below dir, beside what lies
// beside the project itself. remove takes them away, also once ctx is done.
func (c config) checkout(ctx context.Context, rev, dir string) (t tree, remove func(), err error) {
	root := c.root
	t = tree{config: c, root: filepath.Join(dir, "tree"), bin: filepath.Join(dir, "bin"), platform: "before"}
	if err := os.MkdirAll(t.bin, 0o777); err != nil {
		return t, nil, err
	}
	if _, err := execute(ctx, root, nil, "git", "worktree", "add", "--detach", t.root, rev); err != nil {
		return t, nil, fmt.Errorf("revision %s: %w", rev, err)
	}
	remove = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		execute(ctx, root, nil, "git", "worktree", "remove", "--force", t.root)
	}
	// Tests look for the public sets beside the project.
	if shared := filepath.Join(root, "..", "shared"); exists(shared) {
		if err := os.Symlink(shared, filepath.Join(dir, "shared")); err != nil {
			remove()
			return t, nil, err
		}
	}
	return t, remove, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// environment is this program's, without what would make the go command, which the
// wrappers of WebAssembly programs call, build for another system.
func environment(more []string) (env []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GOOS=") && !strings.HasPrefix(v, "GOARCH=") && !strings.HasPrefix(v, "BACA_KERNEL=") {
			env = append(env, v)
		}
	}
	return append(env, more...)
}

// execute runs a command in a folder and returns what it writes to standard output. The
// error holds the end of what it writes to standard error.
func execute(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env, c.WaitDelay = dir, environment(env), 5*time.Second
	var out, message bytes.Buffer
	c.Stdout, c.Stderr = &out, &message
	err := c.Run()
	if err != nil {
		err = failure(name, err, cmp.Or(message.String(), out.String()))
	}
	return out.Bytes(), err
}

// failure adds to the error of a command the end of what it said.
func failure(name string, err error, said string) error {
	const most = 300
	text := strings.Join(strings.Fields(said), " ")
	if len(text) > most {
		text = "…" + text[len(text)-most:]
	}
	return fmt.Errorf("%s: %w: %s", filepath.Base(name), err, text)
}
