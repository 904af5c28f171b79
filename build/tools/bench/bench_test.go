package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const native = `goos: linux
goarch: amd64
pkg: baca/algo/internal/kernel
cpu: Some CPU @ 2 GHz
BenchmarkPeak/AVX-512             100	 1000 ns/op	 80.00 GFLOP/s	 80000 flop/op
BenchmarkBandwidth/64MiB     	      10	 1000 ns/op	 10.00 GB/s
BenchmarkGemm/NN/384x80x80/portable_Go 	 5	 900.0 ns/op	 5.000 GFLOP/s
BenchmarkGemm/NN/384x80x80/AVX-512     	 50	 90.0 ns/op	 60.00 GFLOP/s
BenchmarkGemm/NN/384x80x80/blas32      	 50	 95.0 ns/op	 6.000 GFLOP/s
BenchmarkGemm/NN/384x80x80/OpenBLAS    	 50	 95.0 ns/op	 40.00 GFLOP/s
BenchmarkLoops/Add/AVX-512 	 50	 95.0 ns/op	 33.00 GB/s
BenchmarkStage/ratio
--- SKIP: BenchmarkBatch
    calibrate_test.go:1: no sets
BenchmarkForward/bbbp        	      10	 2000000 ns/op	 1000000 B-moved/op	 80000000 flop/op	 64000 graphs/s	 1000000 best-ns/op	 1500000 cpu-ns/op	 0 B/op	 0 allocs/op
BenchmarkYardstick           	     100	 500000 ns/op
BenchmarkParse/bbbp/features 	       3	 40000000 ns/op	 2.5 MB/s	 50000 molecules/s
PASS
`

// The second round is three times slower.
var slower = strings.NewReplacer("2000000 ns", "6000000 ns", "64000 graphs", "21333 graphs", "60.00 GFLOP", "20.00 GFLOP").Replace(native)

const portableText = `BenchmarkForward/bbbp 	 10	 20000000 ns/op	 6400 graphs/s
`

const peerLines = `{"what": "parse and featurise (RDKit)", "set": "bbbp", "threads": 1, "value": 1000, "unit": "molecules/s"}
a warning
{"what": "structural encoding (numpy)", "set": "bbbp", "threads": 1, "value": 4000, "unit": "graphs/s"}
{"what": "pre-training epoch", "set": "bbbp", "threads": 1, "value": 1.5, "unit": "s"}
{"what": "S_Pre, batch 128", "set": "bbbp", "threads": 1, "value": 4078.25, "unit": "graphs/s"}
{"what": "something new", "set": "bbbp", "threads": 1, "value": 1, "unit": "s"}
`

func fixed() *results {
	r := &results{cpu: "Some CPU", toolchain: "go1.0", load: []string{", load 0.10", ", load 3.00"}}
	r.add(parse([]byte(native), "native", 0)...)
	r.add(parse([]byte(slower), "native", 1)...)
	r.add(parse([]byte(portableText), "native-noasm", 0)...)
	r.add(parse([]byte(portableText), "native-noasm", 1)...)
	r.add(parse(peerText([]byte(peerLines)), torch, 0)...)
	return r
}

func TestParse(t *testing.T) {
	found := parse([]byte(native), "native", 2)
	if len(found) != 10 {
		t.Fatalf("%d results, want 10: %v", len(found), found)
	}
	forward := found[7]
	if forward.platform != "native" || forward.round != 2 || forward.name != "Forward/bbbp" {
		t.Errorf("%+v is not Forward/bbbp in round 2", forward)
	}
	for metric, want := range map[string]float64{"ns/op": 2e6, "B-moved/op": 1e6, "flop/op": 8e7, "graphs/s": 64000, "B/op": 0, "allocs/op": 0, "best ns/op": 1e6, "best graphs/s": 128000} {
		if got, ok := forward.metrics[metric]; !ok || got != want {
			t.Errorf("%s is %g, want %g", metric, got, want)
		}
	}
	if got := cpuOf([]byte(native)); got != "Some CPU @ 2 GHz" {
		t.Errorf("the processor is %q", got)
	}
	r := &results{}
	r.add(found...)
	r.add(parse([]byte("BenchmarkForward/bbbp 	 1	 5 ns/op\nBenchmarkForward/bbbp 	 1	 4e9 ns/op\n"), "native", 2)...)
	if got := r.of("native", "Forward/bbbp", nanoseconds); len(r.all) != 10 || got[2] != 5 {
		t.Errorf("%d results, Forward/bbbp took %v ns, want 10 and 5", len(r.all), got)
	}
	infinite := parse([]byte("BenchmarkX 	 1	 0 ns/op	 +Inf graphs/s\n"), "chromium", 0)
	if _, ok := infinite[0].metrics["graphs/s"]; ok {
		t.Error("an infinite rate is taken for a result")
	}
}

func TestPeer(t *testing.T) {
	r := fixed()
	for name, want := range map[string]struct {
		metric string
		value  float64
	}{
		"Parse/bbbp/features":           {"molecules/s", 1000},
		"Parse/bbbp/features+structure": {"molecules/s", 800},
		"Structure/bbbp":                {"graphs/s", 4000},
		"Epoch/bbbp":                    {nanoseconds, 1.5e9},
		"Pre/bbbp/encoded":              {"graphs/s", 4078.25},
	} {
		if got := r.of(torch, name, want.metric).median(); got != want.value {
			t.Errorf("%s: %g %s, want %g", name, got, want.metric, want.value)
		}
	}
	if n := len(r.names(torch)); n != 5 {
		t.Errorf("%d figures of the peer, want 5", n)
	}
}

func TestSample(t *testing.T) {
	s := sample{0: 4, 1: 2, 2: 9}
	if s.median() != 4 || s.min() != 2 || s.max() != 9 || s.spread() != 3.5/4 {
		t.Errorf("median %g, least %g, largest %g, spread %g", s.median(), s.min(), s.max(), s.spread())
	}
	if got := (sample{0: 1, 1: 3}).median(); got != 2 {
		t.Errorf("the median of two is %g", got)
	}
	// Only rounds that have both count.
	if got := s.over(sample{0: 2, 2: 3, 5: 1}); len(got) != 2 || got[0] != 2 || got[2] != 3 {
		t.Errorf("ratios %v", got)
	}
	none := sample{}
	if none.median() != 0 || none.min() != 0 || none.max() != 0 || none.String() != "–" {
		t.Error("an empty sample has a value")
	}
}

func TestReport(t *testing.T) {
	text := string(report(fixed(), []string{"without a | thing"}))
	for _, want := range []string{
		"Some CPU; ", "go1.0; native runs AVX-512; native-noasm runs portable Go.",
		"Rounds: 2, load 0.10, load 3.00.",
		`- without a \| thing`,
		// 60/40 and 20/40; the best of each 60/40.
		"| GEMM NN 384x80x80, AVX-512 / OpenBLAS | ≥ 0.5 | 1.00 ±50 % | 1.50 | yes |",
		// The fastest run took half the time of the others, then a sixth.
		"| GIN forward, bbbp, vector / portable | ≥ 4 | 20.0 ±0 % | 20.0 | yes |",
		// 50 000 to 1 000, in the one round that has both.
		"| parse and features, bbbp, faster than RDKit | ≥ 50 | 50.0 | 50.0 | yes |",
		"| native | Peak/AVX-512 | 80.0 ±0 % GFLOP/s | 80.0 |",
		"| NN/384x80x80 | 5.00 ±0 % | 40.0 ±50 % | 6.00 ±0 % | 40.0 ±0 % | 50 % |",
		"| Add | 33.0 ±0 % |",
		// 80 Mflop and 1 MB in 4 ms, the median of 2 and 6: 20 GFLOP/s of 80. At 10 GB/s
		// memory would feed 800 GFLOP/s.
		"| native | Forward/bbbp | 4.00 ms ±50 % | 1.00 ms | 8.00 | 1.50 ms | 42666 graphs/s | 0 | 80.0 | 1.00 | 80.0 | 20.0 | 25 % | 0.25 | arithmetic |",
		"| torch | Epoch/bbbp | 1.50 s | 1.50 s | – | – | – |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %s", want)
		}
	}
	if strings.Contains(text, "chromium") || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Error("the report speaks of what was not measured")
	}
	if t.Failed() {
		t.Log(text)
	}
}

// Jobs run again until their figures are settled, or fail, but no longer than the limit.
func TestRounds(t *testing.T) {
	runs := map[string]int{}
	r := &runner{config: config{out: t.TempDir(), rounds: 8, limit: time.Hour}, begin: time.Now(), stderr: io.Discard,
		results: &results{}, over: map[string]bool{}, texts: map[string][]byte{}}
	for name, step := range map[string]int{"steady": 1, "growing": 100, "failing": 0, "once": 1} {
		r.jobs = append(r.jobs, job{name, name == "once", func(context.Context, int) (map[string][]byte, error) {
			runs[name]++
			if name == "failing" && runs[name] == 2 {
				return nil, errors.New("no more")
			}
			return map[string][]byte{"native": fmt.Appendf(nil, "Benchmark%s 1 %d ns/op\n", name, 1000+step*runs[name])}, nil
		}})
	}
	if err := r.goRound(context.Background()); err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{"steady": 3, "growing": 8, "failing": 2, "once": 1}; !maps.Equal(runs, want) {
		t.Errorf("jobs ran %v times, want %v", runs, want)
	}
	if len(r.notes) != 1 || !strings.Contains(r.notes[0], "failing left out from round 2 on: no more") {
		t.Errorf("the notes are %q", r.notes)
	}
	r.limit = 0
	if err := r.goRound(context.Background()); err != nil || runs["growing"] != 9 || !strings.Contains(r.notes[1], "1 of 8 rounds") {
		t.Errorf("without time %d rounds: %v, %q", runs["growing"]-8, err, r.notes)
	}
}

// What is measured beside the reference, beside popcount and in a tab has tables of its
// own.
func TestTables(t *testing.T) {
	r := &results{cpu: "Some CPU", load: []string{"", ""}}
	for round, slow := range []int{1, 2} {
		line := func(platform, format string, args ...any) {
			r.add(parse(fmt.Appendf(nil, "Benchmark"+format+"\n", args...), platform, round)...)
		}
		line(referencePlatform, "Score/50000 1 %d ns/op %d best-ns/op 90000000 peak-B", 8e9*slow, 8e9*slow)
		line("native", "Score/50000 1 %d ns/op %d best-ns/op 60000000 peak-B", 1e9*slow, 1e9*slow)
		line("native", "Start/1 15 80000000 ns/op 70000000 best-ns/op 0 peak-B")
		line("native", "Neighbour/1000/subtrees 200 %d ns/op", 10_000*slow)
		line("native", "Neighbour/1000/popcount 200 %d ns/op", 25_000*slow)
		line("native", "Decide/mix/1000 1 200000000 ns/op")
		line("chromium", "Decide/mix/1000 1 500000000 ns/op")
		line("node", "RDKit.js/mix/1000 1 700000000 ns/op")
	}
	text := string(report(r, nil))
	for _, want := range []string{
		"| score 50000 molecules, times as fast as d9be2f6 | ≥ 5 | 8.00 ±0 % | 8.00 | yes |",
		"| score 50000 molecules, memory | ≤ 150 MB | 60.0 MB ±0 % | 60.0 MB | yes |",
		"| score one molecule from the start of the command | ≤ 60.0 ms | 80.0 ms ±0 % | 70.0 ms | **no** |",
		"| nearest of 1000 graphs by subtrees, one core | ≤ 50.0 µs | 15.0 µs ±33 % | 10.0 µs | yes |",
		"| 1 000 molecules decided by a worker of chromium | ≤ 1.00 s | 500 ms ±0 % | 500 ms | yes |",
		"| Score/50000 | 12.0 s ±33 % | 1.50 s ±33 % | 1.00 s | 8.00 ±0 % | 30.0 µs | 90.0 MB ±0 % | 60.0 MB ±0 % |",
		"| Start/1 | – | 80.0 ms ±0 % | 70.0 ms | – | – | – | – |",
		"| 1000 | subtrees | 15.0 µs ±33 % | 2.50 ±0 % |",
		"| 1000 | popcount | 37.5 µs ±33 % | 1.00 ±0 % |",
		"| list | native | chromium | chromium / native | RDKit.js |",
		"| Decide/mix/1000 | 200 ms ±0 % | 500 ms ±0 % | 2.50 ±0 % | 700 ms ±0 % |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %s", want)
		}
	}
	if strings.Contains(text, "Everything else") {
		t.Error("what has a table is in another, too")
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestStepsAreOfChosenPlatforms(t *testing.T) {
	for _, s := range steps(config{platforms: []string{"node"}, quick: true, only: "X"}) {
		if !strings.HasPrefix(s.platform, "node") || s.bench != "X" || s.time == "50ms" {
			t.Errorf("%+v", s)
		}
	}
	seen := map[string]bool{}
	for _, s := range steps(config{platforms: platformNames}) {
		seen[s.platform] = true
	}
	if len(seen) != 6 {
		t.Errorf("steps of %v, want six platforms", seen)
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{
		{"-platforms", "native,mars"}, {"-count", "-1"}, {"something"}, {"-no-such-flag"}, {"-bench", "("}, {"-against", "HEAD", "-count", "5"},
	} {
		if _, err := parseArguments(context.Background(), args); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
	for rounds, args := range map[int][]string{1: {"-quick"}, 5: nil, 3: {"-count", "3"}, 8: {"-against", "HEAD"}} {
		if c, err := parseArguments(context.Background(), args); err != nil || c.rounds != rounds {
			t.Errorf("%q gives %d rounds (%v), want %d", args, c.rounds, err, rounds)
		}
	}
}

// TestRun builds the native programs, runs a little with a platform that is not there
// beside it, and reads the report.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds three programs")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	c := config{
		root: root, out: t.TempDir(), data: filepath.Join(t.TempDir(), "none"), platforms: []string{"native"},
		rounds: 2, limit: time.Hour, quick: true, peer: true, only: "^BenchmarkYardstick$|^BenchmarkStructure$|^BenchmarkPeak$",
	}
	var progress bytes.Buffer
	r, notes, err := run(context.Background(), c, &progress)
	if err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	for _, platform := range []string{"native", "native-noasm"} {
		s := r.of(platform, "Structure/examples", "graphs/s")
		if len(s) != 2 || !(s.min() > 0) {
			t.Errorf("%s: rates %v, want one for each of two rounds", platform, s)
		}
		text, err := os.ReadFile(filepath.Join(c.out, platform+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if lines := regexp.MustCompile(`(?m)^BenchmarkStructure/examples\s`).FindAll(text, -1); len(lines) != 2 {
			t.Errorf("%s: %d lines, want 2:\n%s", platform, len(lines), text)
		}
	}
	all := strings.Join(notes, "\n")
	for _, want := range []string{"the example molecules stand for the set mol/bbbp", "without the set tu/BZR", "without PyTorch"} {
		if !strings.Contains(all, want) {
			t.Errorf("the notes lack %q:\n%s", want, all)
		}
	}
	if !strings.Contains(string(report(r, notes)), "| native | Structure/examples |") {
		t.Error("the report lacks the structure view")
	}

	// A program that fails is said, and the rest goes on.
	failing := &runner{config: c, now: tree{root, t.TempDir()}}
	if _, err := failing.run(context.Background(), step{platform: "native", program: "missing", cpu: 1}); err == nil {
		t.Error("a program that is not there runs")
	}
}
