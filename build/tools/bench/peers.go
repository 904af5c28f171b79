package main

import (
	"baca/build/internal/try"
	"context"
	_ "embed"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// anchors is a Python program that measures RDKit.
//
//go:embed anchors.py
var anchors string

// scripts is a program that measures libraries of JavaScript.
//
//go:embed anchors.cjs
var scripts string

var scriptLibraries = []string{"onnxruntime-web@1.22.0", "@rdkit/rdkit@2025.3.4-1.0.0"}

// oneThread makes libraries of Python use one thread.
var oneThread = []string{"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"}

// peers plans the benchmarks of other programs. They have the names of our benchmarks of the same work.
func (b bench) peers(ctx context.Context) (jobs []job, err error) {
	blas, err := b.test(ctx, kernelPackage, nil, "-tags=openblas")
	if err == nil {
		jobs = append(jobs, b.measured("peers", program{kernelPackage, "^BenchmarkGemm$/^NN$/^384x64x64$/^OpenBLAS$", ""}, nil, blas))
	}
	rdkit, failed := b.rdkit(ctx)
	more, missing := b.nodePeers(ctx)
	return append(append(jobs, rdkit...), more...), errors.Join(err, failed, missing)
}

// rdkit plans the benchmarks with RDKit, on the fingerprints and molecules of ours, and with FPSim2 where it is installed.
func (b bench) rdkit(ctx context.Context) (jobs []job, err error) {
	defer try.Catch(&err)
	name, err := b.bits(ctx)
	if err != nil {
		return nil, err
	}
	for _, python := range []string{"python3", "/usr/bin/python3"} { // Debian installs packages for its own Python
		if _, err = execute(ctx, b.root, nil, python, "-c", "import rdkit"); err == nil {
			run := func(args ...string) job {
				return job{"peers", "RDKit " + args[0], func(ctx context.Context) ([]byte, error) {
					return execute(ctx, b.bin, oneThread, python, append([]string{"-c", anchors}, args...)...)
				}}
			}
			random := shuffled(try.To(mix(b.data)))
			jobs = []job{run(name, "bank.bits", "queries.bits"), run("rows", "60000", "bank.smi", "rows.smi")}
			if _, missing := execute(ctx, b.root, nil, python, "-c", "import FPSim2"); missing == nil {
				jobs = append(jobs, run("five", strings.Replace(name, "popcount", "five", 1), "known.smi", "asked.smi"))
			}
			return jobs, errors.Join(write(filepath.Join(b.bin, "bank.smi"), random[len(random)-1500:]), write(filepath.Join(b.bin, "rows.smi"), random[:10_000]))
		}
	}
	return nil, err
}

// bits makes the suite write the fingerprints of BenchmarkNeighbour for other programs. It returns the benchmark's name.
func (b bench) bits(ctx context.Context) (name string, err error) {
	path, err := b.test(ctx, suitePackage, nil)
	if err != nil {
		return "", err
	}
	output, err := execute(ctx, b.root, []string{"BACA_BITS=" + b.bin}, path, "-test.run=^$",
		"-test.bench=^BenchmarkNeighbour$/./popcount", "-test.benchtime=1x", "-test.cpu=1")
	if m := regexp.MustCompile(`(?m)^Benchmark(Neighbour/\S+)`).FindSubmatch(output); m != nil {
		return string(m[1]), err
	}
	return "", errors.Join(err, errors.New("BenchmarkNeighbour did not run"))
}

// The molecules of the benchmark Decide/mix/1000.
const (
	peerBank    = 2000 // about as many as in the bank of bbbp
	peerQueries = 1000
)

// nodePeers installs libraries of JavaScript, writes their inputs, and plans their benchmarks in Node: the product of
// matrices, and RDKit's search for the nearest molecules.
func (b bench) nodePeers(ctx context.Context) (jobs []job, err error) {
	defer try.Catch(&err)
	folder := filepath.Join(b.bin, "scripts")
	try.Check(os.MkdirAll(folder, 0o777))
	install := append([]string{"install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"}, scriptLibraries...)
	try.To(execute(ctx, folder, nil, "npm", install...))
	plan := func(args ...string) job {
		return job{"peers-node", args[0], func(ctx context.Context) ([]byte, error) {
			return execute(ctx, folder, nil, "node", append([]string{"-e", scripts, "--"}, args...)...)
		}}
	}
	jobs = []job{plan("gemm")}
	molecules := try.To(mix(b.data))
	bank, queries := filepath.Join(folder, "bank"), filepath.Join(folder, "queries")
	try.Check(errors.Join(write(bank, part(molecules, peerBank)), write(queries, part(molecules, peerQueries))))
	return append(jobs, plan("rdkit", "Decide/mix/1000", bank, queries)), nil
}
