package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"baca/algo/dataset"
	"baca/build/internal/try"
)

// commands plans whole runs of baca score on parts of the large set.
func (b bench) commands(ctx context.Context) (jobs []job, err error) {
	defer try.Catch(&err)
	program := filepath.Join(b.bin, "baca")
	try.To(execute(ctx, b.root, []string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-buildvcs=false", "-o", program, "./build/baca"))
	all := try.To(mix(b.data))
	platform := "command"
	if b.against != "" {
		platform = b.side
	}
	add := func(name string, molecules []string, runs int) {
		path := filepath.Join(b.bin, strings.ReplaceAll(name, "/", "-")+".csv")
		if chosen, _ := regexp.MatchString(b.only, "Benchmark"+name); !chosen {
			return
		}
		try.Check(write(path, molecules))
		jobs = append(jobs, job{platform, name, func(ctx context.Context) (lines []byte, err error) {
			for range runs {
				begin := time.Now()
				_, failed := execute(ctx, b.root, nil, program, "score", "--out", os.DevNull, path)
				lines = fmt.Appendf(lines, "Benchmark%s 1 %d ns/op\n", name, time.Since(begin).Nanoseconds())
				err = errors.Join(err, failed)
			}
			return lines, err
		}})
	}
	add("Score/50000", part(all, 50_000), 1)
	add("Start/1", part(all, 1), 15)
	add("Start/1000", part(all, 1000), 15)
	return jobs, nil
}

// mixName is the large set, parts of which are measured.
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
