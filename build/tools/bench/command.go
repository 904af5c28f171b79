package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"baca/algo/dataset"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule/smiles"
	"baca/algo/near"
	"baca/weights"
)

// Of the large set: what the command scores, what banks are asked, and how large these are.
const (
	scored, starts = 50_000, 15
	bankRows       = 20_000
	smallModel     = "bbbp"
)

var bankSizes = []int{50_000, 500_000}

// commands plans whole runs of baca score.
func (t tree) commands(ctx context.Context) ([]job, error) {
	program := t.program("baca")
	if _, err := execute(ctx, t.root, []string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-buildvcs=false", "-o", program, "./build/baca"); err != nil {
		return nil, err
	}
	all, err := mix(t.data)
	if err != nil {
		return nil, err
	}
	platform := "command"
	if t.against != "" {
		platform = t.platform
	}
	var jobs []job
	add := func(name string, molecules []string, runs int, flags ...string) {
		path := t.program(strings.ReplaceAll(name, "/", "-") + ".csv")
		if err = errors.Join(err, write(path, molecules)); t.wants(name) {
			jobs = append(jobs, job{platform, platform + " " + name, func(ctx context.Context) (lines []byte, err error) {
				for range runs {
					line, failed := race(ctx, name, program, append(flags, path)...)
					lines, err = append(lines, line...), errors.Join(err, failed)
				}
				return lines, err
			}})
		}
	}
	add(fmt.Sprintf("Score/%d", scored), part(all, scored), 1)
	add("Start/1", part(all, 1), starts)
	add("Start/1000", part(all, 1000), starts)
	if t.against != "" || !t.wants("Bank/") {
		return jobs, err // the models are of this format alone
	}
	asked, others := split(all, max(2, len(all)/bankRows))
	add("Bank/"+smallModel, asked, 1, "--model", smallModel)
	for _, size := range bankSizes {
		path := t.program(strconv.Itoa(size) + ".msgpack")
		err = errors.Join(err, makeBank(ctx, path, others[:min(size, len(others))]))
		add(fmt.Sprintf("Bank/%d", size), asked, 1, "--model", path)
	}
	return jobs, err
}

// wants tells whether a benchmark of the command was chosen.
func (c config) wants(name string) bool {
	chosen, _ := regexp.MatchString(c.only, "Benchmark"+name)
	return chosen
}

// race runs a command line of score, and nothing reads what it writes. It returns the line of a benchmark:
// the time and the most memory that it took.
func race(ctx context.Context, name, program string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	command := exec.CommandContext(ctx, program, append([]string{"score"}, args...)...)
	var message bytes.Buffer
	command.Env, command.Stderr, command.WaitDelay = environment(nil), &message, 5*time.Second
	begin := time.Now()
	if err := command.Start(); err != nil {
		return nil, err
	}
	done, watched := make(chan bool), make(chan float64)
	go func() { watched <- watchMemory(command.Process.Pid, done) }()
	err := command.Wait()
	took := time.Since(begin)
	close(done)
	peak := <-watched
	if err != nil {
		return nil, failure(program, err, message.String())
	}
	return fmt.Appendf(nil, "Benchmark%s 1 %d ns/op %.0f peak-B\n", name, took.Nanoseconds(), peak), nil
}

// watchMemory returns the most memory that a process has had until it is done. What the
// system tells of a process that has ended is of no use: Linux counts the memory of the
// one that started it.
func watchMemory(pid int, done <-chan bool) (peak float64) {
	often := time.NewTicker(5 * time.Millisecond)
	defer often.Stop()
	for {
		select {
		case <-done:
			return peak
		case <-often.C:
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			peak = max(peak, highest(text))
		}
	}
}

var highWater = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

// highest is the most memory of a process by what Linux tells of it, or 0.
func highest(status []byte) float64 {
	m := highWater.FindSubmatch(status)
	if m == nil {
		return 0
	}
	kilobytes, _ := strconv.ParseFloat(string(m[1]), 64)
	return 1024 * kilobytes
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

// bankStride is a prime above the number of molecules, so that none is taken twice.
const bankStride = 7_368_787

// split returns every nth of a list, and the others, each far from the one before.
func split(list []string, n int) (some, others []string) {
	for i := range list {
		if k := i * bankStride % len(list); k%n == n/2 {
			some = append(some, list[k])
		} else {
			others = append(others, list[k])
		}
	}
	return some, others
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
