package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"baca/algo/dataset"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule/smiles"
	"baca/algo/near"
	"baca/weights"
)

// smallModel is what models of more molecules are compared with, by the time that asked molecules take.
const smallModel, asked = "bbbp", 20_000

// commands plans whole runs of baca score on parts of the large set.
func (b bench) commands(ctx context.Context) (jobs []job, err error) {
	program := filepath.Join(b.bin, "baca")
	if _, err := execute(ctx, b.root, []string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-buildvcs=false", "-o", program, "./build/baca"); err != nil {
		return nil, err
	}
	all, err := mix(b.data)
	if err != nil {
		return nil, err
	}
	platform := "command"
	if b.against != "" {
		platform = b.side
	}
	add := func(name string, molecules []string, runs int, flags ...string) {
		path := filepath.Join(b.bin, strings.ReplaceAll(name, "/", "-")+".csv")
		if chosen, _ := regexp.MatchString(b.only, "Benchmark"+name); !chosen {
			return
		}
		err = errors.Join(err, write(path, molecules))
		jobs = append(jobs, job{platform, name, func(ctx context.Context) (lines []byte, err error) {
			for range runs {
				begin := time.Now()
				_, failed := execute(ctx, b.root, nil, program, append(append([]string{"score", "--out", os.DevNull}, flags...), path)...)
				lines = fmt.Appendf(lines, "Benchmark%s 1 %d ns/op\n", name, time.Since(begin).Nanoseconds())
				err = errors.Join(err, failed)
			}
			return lines, err
		}})
	}
	add("Score/50000", part(all, 50_000), 1)
	add("Start/1", part(all, 1), 15)
	add("Start/1000", part(all, 1000), 15)
	if chosen, _ := regexp.MatchString(b.only, "BenchmarkBank/"); b.against != "" || !chosen {
		return jobs, err // the models are of this format alone
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	queries, others := all[:min(asked, len(all)/2)], all[min(asked, len(all)/2):]
	add("Bank/"+smallModel, queries, 1, "--model", smallModel)
	for _, size := range []int{50_000, 500_000} {
		path := filepath.Join(b.bin, fmt.Sprint(size, ".msgpack"))
		err = errors.Join(err, makeBank(ctx, path, others[:min(size, len(others))]))
		add(fmt.Sprint("Bank/", size), queries, 1, "--model", path)
	}
	return jobs, err
}

// mixName is the large set, of which parts are measured.
const mixName = "mol/scale-mix.csv.gz"

// mix reads the molecules of the large set as they are written.
func mix(data string) (list []string, err error) {
	f, err := os.Open(filepath.Join(data, mixName))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for r, err := range dataset.Records(f, dataset.Options{Name: f.Name(), Format: dataset.CSV}) {
		if err != nil {
			return nil, err
		}
		list = append(list, r.SMILES)
	}
	return list, nil
}

// part returns up to n of a list that lie evenly over all: the middle of each nth.
func part(list []string, n int) []string {
	n = min(n, len(list))
	some := make([]string, n)
	for i := range some {
		some[i] = list[(2*i+1)*len(list)/(2*n)]
	}
	return some
}

// write writes a table of molecules.
func write(path string, list []string) error {
	return os.WriteFile(path, []byte("smiles\n"+strings.Join(list, "\n")+"\n"), 0o666)
}

// makeBank writes a model whose training set has these molecules, without training: its
// subtrees are those of the molecules, and all else is of smallModel, the landmarks too. So
// its scores mean nothing, and take as long as those of any model of that many graphs.
func makeBank(ctx context.Context, path string, molecules []string) error {
	m, err := weights.Open(smallModel)
	if err != nil {
		return err
	}
	var kept []*graph.Graph
	for _, text := range molecules {
		if g, err := smiles.ParseGraph(text); err == nil { // the command refuses others too
			kept = append(kept, g)
		}
	}
	prints, err := fingerprint.All(ctx, runtime.NumCPU(), kept, fingerprint.DefaultHeight)
	if err != nil {
		return err
	}
	known := len(prints)
	for k, p := range m.Bank.Prints {
		prints[near.Place(k, m.Bank.Len(), known)] = p
	}
	m.Subtrees = fingerprint.NewIndex(prints)
	m.Card.Train, m.Card.Graphs, m.Structures = known, known+len(m.Card.HoldoutRows)+len(m.Card.Repeats), nil
	var file bytes.Buffer
	if err := weights.SaveMeasured(ctx, runtime.NumCPU(), &file, m); err != nil {
		return err
	}
	return os.WriteFile(path, file.Bytes(), 0o644)
}
