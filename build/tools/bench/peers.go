package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// peerProgram is the PyTorch program's place from the folder with the sets.
const peerProgram = "../golden/peer/bench_torch.py"

// anchors measures what RDKit has.
//
//go:embed anchors.py
var anchors string

// scripts measures what libraries of JavaScript have.
//
//go:embed anchors.cjs
var scripts string

var scriptLibraries = []string{"onnxruntime-web@1.22.0", "@rdkit/rdkit@2025.3.4-1.0.0"}

// oneThread keeps libraries of Python to one.
var oneThread = []string{"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"}

// peers plans what other programs do. Their lines have the names that the same work has here.
func (t tree) peers(ctx context.Context) (jobs []job, err error) {
	python := func(what, libraries, platform string, args []string, lines func([]byte) []byte) {
		name, failed := t.python(ctx, libraries)
		if failed != nil {
			err = errors.Join(err, failed)
			return
		}
		jobs = append(jobs, job{platform, what, func(ctx context.Context) ([]byte, error) {
			output, err := execute(ctx, t.root, oneThread, name, args...)
			return lines(output), err
		}})
	}
	bank, queries, name, failed := t.bits(ctx)
	if err = errors.Join(err, failed); failed == nil {
		python("RDKit", "rdkit", "peers", []string{"-c", anchors, name, bank, queries}, bytes.Clone)
	}
	if peer := filepath.Join(t.data, peerProgram); exists(peer) {
		python("PyTorch", "torch, rdkit, numpy", "peers", []string{peer, "--set", "bbbp", "--threads", "1", "--data", t.data}, peerText)
	}
	more, failed := t.nodePeers(ctx)
	return append(jobs, more...), errors.Join(err, failed)
}

// python returns an interpreter that has some libraries: Debian's packages belong to Debian's own.
func (t tree) python(ctx context.Context, libraries string) (name string, err error) {
	for _, name = range []string{"python3", "/usr/bin/python3"} {
		if _, err = execute(ctx, t.root, nil, name, "-c", "import "+libraries); err == nil {
			return name, nil
		}
	}
	return "", err
}

// bits has the suite write the fingerprints that BenchmarkNeighbour compares, so that others compare the same,
// and returns its name.
func (t tree) bits(ctx context.Context) (bank, queries, name string, err error) {
	if err = t.test(ctx, "neighbour", suitePackage, nil); err != nil {
		return "", "", "", err
	}
	output, err := execute(ctx, t.root, []string{"BACA_BITS=" + t.bin}, t.program("neighbour"), "-test.run=^$", "-test.bench=^BenchmarkNeighbour$/./popcount", "-test.benchtime=1x", "-test.cpu=1")
	if m := regexp.MustCompile(`(?m)^Benchmark(Neighbour/\S+)`).FindSubmatch(output); m != nil {
		return t.program("bank.bits"), t.program("queries.bits"), string(m[1]), err
	}
	return "", "", "", errors.Join(err, errors.New("BenchmarkNeighbour did not run"))
}

// nodePeers plans what libraries of JavaScript do in Node, which npm installs.
func (t tree) nodePeers(ctx context.Context) ([]job, error) {
	folder := t.program("scripts")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	install := append([]string{"install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"}, scriptLibraries...)
	if _, err := execute(ctx, folder, nil, "npm", install...); err != nil {
		return nil, err
	}
	plan := func(args ...string) job {
		return job{"peers-node", args[0], func(ctx context.Context) ([]byte, error) {
			return execute(ctx, folder, nil, "node", append([]string{"-e", scripts, "--"}, args...)...)
		}}
	}
	jobs := []job{plan("gemm")}
	all, err := mix(t.data)
	if err != nil {
		return jobs, err
	}
	// About as many as bbbp has are the bank.
	err = errors.Join(write(filepath.Join(folder, "bank"), part(all, 2000)), write(filepath.Join(folder, "queries"), part(all, 1000)))
	return append(jobs, plan("rdkit", "Decide/mix/1000", filepath.Join(folder, "bank"), filepath.Join(folder, "queries"))), err
}

// peerText turns the JSON lines of the PyTorch program into lines of benchmarks.
func peerText(output []byte) []byte {
	names := map[string]string{
		"parse and featurise (RDKit)": "Parse/%s/features",
		"structural encoding (numpy)": "Structure/%s",
		"pre-training epoch":          "Epoch/%s",
		"S_Pre, batch 128":            "Pre/%s/encoded",
	}
	var text bytes.Buffer
	for line := range bytes.Lines(output) {
		var figure struct {
			What, Set, Unit string
			Value           float64
		}
		if json.Unmarshal(line, &figure) != nil || !(figure.Value > 0) || names[figure.What] == "" {
			continue
		}
		if figure.Unit == "s" {
			figure.Value, figure.Unit = figure.Value*1e9, "ns/op"
		}
		fmt.Fprintf(&text, "Benchmark"+names[figure.What]+" 1 %.6g %s\n", figure.Set, figure.Value, figure.Unit)
	}
	return text.Bytes()
}
