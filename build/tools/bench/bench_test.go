package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"baca/build/internal/testset"
)

// A part of the large set lies evenly in it.
func TestPartsOfTheMix(t *testing.T) {
	var list []string
	for i := range 1000 {
		list = append(list, fmt.Sprint(i))
	}
	if got := strings.Join(part(list, 4), " "); got != "125 375 625 875" {
		t.Errorf("four of them are %s", got)
	}
	if len(part(list, 5000)) != 1000 {
		t.Error("more than there are is not all")
	}
	folder := t.TempDir()
	testset.Write(t, filepath.Join(folder, mixName), "id,smiles\n1,CCO\n2,CC\n")
	if got, err := mix(folder); err != nil || strings.Join(got, " ") != "CCO CC" {
		t.Errorf("%q, %v", got, err)
	}
}

// The output of benchstat says what is slower, in time and not in allocations, and by enough.
func TestSlower(t *testing.T) {
	const csv = `goos: linux
pkg: baca/algo/near
,before,,now
,sec/op,CI,sec/op,CI,vs base,P
Best/1000,1e-05,1%,1.2e-05,1%,+20.00%,p=0.002 n=6
Best/10,1e-05,1%,1.03e-05,1%,+3.00%,p=0.002 n=6
Make,1e-05,1%,9e-06,1%,-10.00%,p=0.002 n=6
Same,1e-05,1%,1e-05,1%,~,p=0.9 n=6
geomean,1e-05,,1.1e-05,,+10.00%

,before,,now
,B/op,CI,B/op,CI,vs base,P
Best/1000,10,0%,20,0%,+100.00%,p=0.002 n=6
`
	if got := strings.Join(slower(csv), "; "); got != "Best/1000 +20.00 %" {
		t.Errorf("slower: %q", got)
	}
}

// Goals are of the fastest runs.
func TestGoals(t *testing.T) {
	folder := t.TempDir()
	var files []string
	for name, text := range map[string]string{
		"chromium":          "BenchmarkForward/bbbp \t 5\t 3000 ns/op\nBenchmarkForward/bbbp-2 \t 5\t 2000 ns/op 7 B/op\n",
		"chromium-portable": "BenchmarkForward/bbbp 1 9000 ns/op\n",
		"command":           "BenchmarkStart/1 1 70000000 ns/op 1 peak-B\nBenchmarkStart/1000 1 90000000 ns/op\n",
	} {
		files = append(files, filepath.Join(folder, name+".txt"))
		testset.Write(t, files[len(files)-1], text)
	}
	page := bench{rounds: 2}.page(files)
	for _, want := range []string{"SIMD over portable | ≥ 6 | 4.5 |", "| score one molecule, start included | ≤ 0.06 s | 0.07 |", "| ≤ 0.15 s | 0.09 |", "\n1 of 3 goals are reached."} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}

func TestArguments(t *testing.T) {
	for want, args := range map[string][]string{
		`platform "moon": want some of native`: {"-platforms", "moon"},
		"want a -count of 1 or more":           {"-count", "0"},
		"missing closing )":                    {"-bench", "("},
	} {
		if _, err := parse(args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", args, err, want)
		}
	}
}
