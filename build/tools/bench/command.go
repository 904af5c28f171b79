package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"baca/algo/dataset"
	"baca/build/internal/try"
)

// commands plans runs of the whole command on parts of the large set.
func (b bench) commands(ctx context.Context) (jobs []job, err error) {
	defer try.Catch(&err)
	program := filepath.Join(b.bin, "baca")
	try.To(execute(ctx, b.root, []string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-buildvcs=false", "-o", program, "./build/baca"))
	all := try.To(mix(b.data))
	platform := "command"
	if b.against != "" {
		platform = b.side // before or now
	}
	// add plans runs of the program with args and files of these lines, timed as timed does. -bench may leave it out.
	add := func(name string, runs int, wall bool, files [][]string, args ...string) {
		if chosen, _ := regexp.MatchString(b.only, "Benchmark"+name); !chosen {
			return
		}
		for k, lines := range files {
			path := filepath.Join(b.bin, fmt.Sprintf("%s-%d.%s", strings.ReplaceAll(name, "/", "-"), k, kindOf(lines)))
			try.Check(os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o666))
			args = append(args, path)
		}
		jobs = append(jobs, job{platform, name, func(ctx context.Context) (lines []byte, err error) {
			for range runs {
				line, failed := b.timed(ctx, program, wall, args)
				lines, err = fmt.Appendf(lines, "Benchmark%s 1 %s\n", name, line), errors.Join(err, failed)
			}
			return lines, err
		}})
	}
	score := []string{"score", "--out", os.DevNull}
	add("Score/50000", 1, true, tables(part(all, 50_000)), score...)
	add("Start/1", 15, true, tables(part(all, 1)), score...)
	add("Start/1000", 15, true, tables(part(all, 1000)), score...)
	// User time of one core, on random rows.
	random := shuffled(all)
	add("Rows/60000", 1, false, tables(random[:60_000]), "score", "--workers", "1", "--model", "bbbp", "--out", os.DevNull)
	add("Compare/10000x100000", 1, false, tables(random[:10_000], random[10_000:110_000]), "compare", "--workers", "1")
	add("Clusters/20000", 1, false, tables(random[:20_000]), "split", "--by", "cluster", "--no-compare", "--workers", "1")
	add("Train/20000", 1, false, tables(random[:20_000]), "train", "--epochs", "1", "--workers", "1", "--out", filepath.Join(b.bin, trained))
	add("Plain/16384", 1, false, [][]string{{plainGraph(16_384, 65_536)}}, "score", "--workers", "1", "--model", "imdb-multi", "--out", os.DevNull)
	return jobs, nil
}

// trained is the name of the model that training writes.
const trained = "trained.msgpack"

// timed runs a program and returns its measurements as go test prints them: with wall the wall time, otherwise the
// user time on one core and the peak of memory. The peak includes this program, from which the other one is forked. A
// program that fails is an error, with the end of its output.
func (b bench) timed(ctx context.Context, program string, wall bool, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	os.Remove(filepath.Join(b.bin, trained)) // baca train replaces no file
	c := exec.CommandContext(ctx, program, args...)
	if !wall {
		c.Env = append(os.Environ(), "GOMAXPROCS=1")
	}
	begin := time.Now()
	if text, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("baca %s: %w: %s", args[0], err, text[max(0, len(text)-endOfOutput):])
	}
	if wall {
		return fmt.Sprintf("%d ns/op", time.Since(begin).Nanoseconds()), nil
	}
	peak := float64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024
	return fmt.Sprintf("%d ns/op %.1f MiB", c.ProcessState.UserTime().Nanoseconds(), peak), nil
}

// tables returns lists of molecules as the lines of tables.
func tables(lists ...[]string) (files [][]string) {
	for _, list := range lists {
		files = append(files, append([]string{"smiles"}, list...))
	}
	return files
}

// kindOf returns the ending of the name of a file with these lines.
func kindOf(lines []string) string {
	if lines[0] == "smiles" {
		return "csv"
	}
	return "jsonl"
}

// shuffled returns a list in a random order, which is always the same.
func shuffled(list []string) []string {
	list = slices.Clone(list)
	rand.New(rand.NewPCG(55, 1)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// plainGraph returns a random graph in node-link JSON, always the same: without loops, and with each edge once.
func plainGraph(nodes, edges int) string {
	rng, ids, links := rand.New(rand.NewPCG(55, 2)), []string{}, []string{}
	for i := range nodes {
		ids = append(ids, fmt.Sprintf(`{"id":%d}`, i))
	}
	known := map[[2]int]bool{}
	for len(links) < edges {
		from, to := rng.IntN(nodes), rng.IntN(nodes)
		if from < to && !known[[2]int{from, to}] {
			known[[2]int{from, to}] = true
			links = append(links, fmt.Sprintf(`{"source":%d,"target":%d}`, from, to))
		}
	}
	return `{"nodes":[` + strings.Join(ids, ",") + `],"links":[` + strings.Join(links, ",") + `]}`
}

// mixName is the name of the large set, of which parts are measured.
const mixName = "mol/scale-mix.csv.gz"

// mix reads the SMILES of the large set.
func mix(data string) (list []string, err error) {
	defer try.Catch(&err)
	f := try.To(os.Open(filepath.Join(data, mixName)))
	defer f.Close()
	for r, err := range dataset.Records(f, dataset.Options{Name: f.Name(), Format: dataset.CSV}) {
		try.Check(err)
		list = append(list, r.SMILES)
	}
	return list, nil
}

// part returns n elements of a list, or all, evenly spread: the middle one of each of n equal parts.
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
