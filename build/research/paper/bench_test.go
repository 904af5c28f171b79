package paper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"baca/algo/attention"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/build/internal/testset"
	"baca/build/internal/try"
)

func TestParsePairs(t *testing.T) {
	for list, want := range map[string]string{
		"BZR/COX2":                       "BZR/COX2",
		"BZR/COX2,bace@common/bace@rare": "BZR/COX2 bace@common/bace@rare",
		"lipo/hiv@size":                  "lipo/hiv@size",
		"bace@inner/bace@outer":          "bace@inner/bace@outer",
		"":                               "error",
		"BZR":                            "error",
		"BZR/BZR":                        "error",
		"BZR/COX2,BZR/COX2":              "error",
		"BZR/COX2/MUTAG":                 "error",
		"hiv@size/lipo":                  "error",
		"lipo/hiv@huge":                  "error",
		"a/b,":                           "error",
	} {
		got := "error"
		err := failure(func() { got = strings.Join(mapped(parsePairs(list), (*pair).name), " ") })
		if got != want {
			t.Errorf("%q: %s (%v), want %s", list, got, err, want)
		}
	}
	if p := parsePairs("bbbp/bace"); p[0].paper == nil || p[0].paper.baca != 93.11 {
		t.Errorf("bbbp/bace: %+v: want the paper's row", p)
	}
}

// What is chosen on the validation pairs must not have seen the paper's, and fresh pairs must not have been seen at all.
func TestValidationFreshAndPaperPairsAreDisjoint(t *testing.T) {
	base := func(s string) string { b, _ := partOf(s); return b }
	seen := map[string]bool{}
	for _, p := range validationPairs {
		if seen[p.name()] || p.paper != nil {
			t.Errorf("%s: twice, or with the paper's numbers", p.name())
		}
		seen[p.name()] = true
		for _, q := range paperPairs {
			if base(p.ID) == q.ID && base(p.OOD) == q.OOD || base(p.ID) == q.OOD && base(p.OOD) == q.ID {
				t.Errorf("%s is the paper's %s", p.name(), q.name())
			}
		}
	}
	for _, p := range freshPairs {
		for _, q := range slices.Concat(paperPairs, validationPairs, shiftPairs) {
			if p.ID == base(q.ID) && p.OOD == base(q.OOD) || p.ID == base(q.OOD) && p.OOD == base(q.ID) {
				t.Errorf("%s is not fresh: there is %s", p.name(), q.name())
			}
		}
	}
	if len(seen) < 8 || len(paperPairs) != 10 || len(freshPairs) != 10 {
		t.Errorf("%d validation pairs and %d of the paper", len(seen), len(paperPairs))
	}
}

func TestSameSizes(t *testing.T) {
	var inside, outside []*graph.Graph
	for range 5 {
		inside = append(inside, path(4), path(7))
	}
	for n := 1; n < 30; n++ {
		outside = append(outside, path(n), path(n), path(n))
	}
	index := sameSizes(inside, outside)
	if len(index) != len(inside) {
		t.Fatalf("%d graphs, want %d", len(index), len(inside))
	}
	counts := map[int]int{}
	for k, i := range index {
		if slices.Contains(index[:k], i) {
			t.Errorf("graph %d is taken twice", i)
		}
		counts[outside[i].N()]++
	}
	// Three of the size itself, then the nearest, the smaller first.
	if want := map[int]int{4: 3, 3: 2, 7: 3, 6: 2}; fmt.Sprint(counts) != fmt.Sprint(want) {
		t.Errorf("sizes %v, want %v", counts, want)
	}
	if got := sameSizes(inside, outside[:2]); len(got) != 2 {
		t.Errorf("%v: want the two that there are", got)
	}
}

func TestByScaffold(t *testing.T) {
	// Five of one scaffold, three of another, one each of two more.
	gs := []*graph.Graph{ring(5, 0), ring(6, 0), ring(5, 1), ring(7, 2), ring(6, 1), ring(5, 2), path(3), ring(5, 3), ring(6, 2), ring(5, 4)}
	for name, want := range map[string][]int{"common": {0, 1, 2, 4, 5, 7, 8, 9}, "rare": {3, 6}} {
		if got := parts[name].of(nil, &loadedSet{graphs: gs}); !slices.Equal(got, want) {
			t.Errorf("@%s %v, want %v", name, got, want)
		}
	}
}

// A plan does what is not done, stops at an error that names the cell, and gives results in its order.
func TestPlan(t *testing.T) {
	b := &bench{experiment: &experiment{name: "test"}, options: options{out: t.TempDir(), workers: 1}, stderr: io.Discard}
	broken := errors.New("broken")
	var calls, taken []int
	run := func(ctx context.Context, fails bool) error {
		calls, taken = nil, nil
		p := &plan{bench: b}
		for i := range 5 {
			add(p, runKey{Pair: "a/b"}, fmt.Sprint("part", i), func(context.Context) int {
				if calls = append(calls, i); fails && i == 2 {
					try.Check(broken)
				}
				return 10 * i
			}, func(x int) { taken = append(taken, x) })
		}
		return failure(func() { p.do(ctx) })
	}
	if err := run(t.Context(), true); !errors.Is(err, broken) || err.Error() != "a/b, part2: broken" || len(calls) != 3 || taken != nil {
		t.Errorf("%v after %v, taken %v: want the error of part2 after 3", err, calls, taken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, false); !errors.Is(err, context.Canceled) || calls != nil {
		t.Errorf("cancelled: %v after %v", err, calls)
	}
	cell := filepath.Join(b.out, "cells", "a-b", "part1.json")
	for _, c := range []struct {
		what   string
		change func()
		calls  []int
	}{
		{"an error", func() {}, []int{2, 3, 4}},
		{"all is done", func() {}, nil},
		{"a file is cut", func() { testset.Write(t, cell, string(read(t, cell)[:20])) }, []int{1}},
		{"another build", func() { b.build = "x" }, []int{0, 1, 2, 3, 4}},
		{"another build, which counts", func() { b.build, b.anyBuild = "y", true }, nil},
		{"other settings", func() { b.settings = "steps 3, " }, []int{0, 1, 2, 3, 4}},
	} {
		c.change()
		if err := run(t.Context(), false); err != nil || !slices.Equal(calls, c.calls) || !slices.Equal(taken, []int{0, 10, 20, 30, 40}) {
			t.Errorf("after %s: %v, did %v, taken %v: want %v, and all results", c.what, err, calls, taken, c.calls)
		}
	}
}

func TestThinnedBatch(t *testing.T) {
	b := trained(t)
	for _, share := range []float64{0, 0.25, 1} {
		index := b.thinned(share, 7)
		p := b.pick(index)
		want := int(math.Round(share * float64(b.nID)))
		if p.nID != b.nID || len(p.graphs) != b.nID+want || len(p.ood) != len(p.graphs) {
			t.Errorf("share %g: %d ID of %d graphs", share, p.nID, len(p.graphs))
		}
		for k, i := range index {
			if p.graphs[k] != b.graphs[i] || p.ood[k] != b.ood[i] {
				t.Errorf("share %g: graph %d is not graph %d of the batch", share, k, i)
			}
		}
	}
}

// Table 1 has what the batches of each seed give.
func TestBenchTable1(t *testing.T) {
	if testing.Short() {
		t.Skip("trains encoders")
	}
	data, out := testset.Pair(t), t.TempDir()
	kept := filepath.Join(out, "encoders")
	succeed(t, "bench", "table1", "--data", data, "--out", out, "--weights", kept, "--pairs", "TREES/RINGS", "--seeds", "1", "--epochs", "3", "--workers", "2")
	cells := resultOf[tableCells](t, read(t, filepath.Join(out, "table1.json")))
	find := func(protocol, column, ood string) *tableCell {
		t.Helper()
		k := cells.find("TREES/RINGS", readOGB, protocol, column, ood, 0)
		if k < 0 {
			t.Fatalf("no cell %s, %s, %s", protocol, column, ood)
		}
		return &cells[k]
	}
	e := evaluated(t, 3, kept)
	for _, ood := range []string{firstOOD, randomOOD} {
		b := e.prepare(t.Context(), 1, ood)
		for _, want := range b.columns(t.Context(), columnPre, columnAttention, columnRatio, columnBatch) {
			got := find("fixed", want.Column, ood).Seeds[0]
			if got.Seed != b.seed || got.AUROC != want.AUROC || got.AUPR != want.AUPR || got.FPR95 != want.FPR95 {
				t.Errorf("%s, %s: %+v, want %+v", want.Column, ood, got, want)
			}
		}
	}
	for _, column := range fixedColumns() {
		for _, s := range find("fixed", column, "first").Seeds {
			if !(s.AUROC >= 0 && s.AUROC <= 1) {
				t.Errorf("%s, seed %d: %v", column, s.Seed, s.AUROC)
			}
		}
	}
	// The rings have more edges than the trees for their size.
	if c := find("fixed", "cycles", "first"); c.AUROCMean < 0.95 {
		t.Errorf("cycles: %v", c.AUROCMean)
	}
	page := filepath.Join(out, "report.md")
	report := string(read(t, page))
	if !strings.Contains(report, "| TREES/RINGS |") || strings.Contains(report, "NaN") || strings.Contains(report, "parents |") || !strings.HasSuffix(report, ".\n") {
		t.Errorf("the report:\n%s", report)
	}
	// Pages are made of the results alone.
	succeed(t, "bench", "rewrite", filepath.Join(out, "table1.json"))
	if again := string(read(t, page)); again != report {
		t.Errorf("rewritten:\n%s\nwant\n%s", again, report)
	}
}

// One run says what a run of each column says, which leaves the attention untrained where it is not needed.
func TestThinColumns(t *testing.T) {
	b := trained(t)
	all := b.score(t.Context(), allOptions(b.seed), columnBatch)
	for _, column := range thinColumns {
		if one := b.score(t.Context(), columnOptions(column, b.seed), column); !slices.Equal(columnScores(column, all.rows), one.scores) {
			t.Errorf("%s: other scores than in a run of its own", column)
		}
	}
	tested, apart := b.halves(3)
	both := slices.Concat(tested, apart)
	if slices.Sort(both); !slices.Equal(both, indices(b.nID)) {
		t.Errorf("halves %v and %v of %d graphs", tested, apart, b.nID)
	}
}

func TestBenchAblation(t *testing.T) {
	if testing.Short() {
		t.Skip("trains encoders")
	}
	data, out := testset.Pair(t), t.TempDir()
	e := evaluated(t, 3, filepath.Join(out, "encoders"))
	b := e.prepare(t.Context(), 1, firstOOD)
	rows := b.score(t.Context(), allOptions(1), columnAttention).rows
	succeed(t, "bench", "ablation", "--pairs", "TREES/RINGS", "--data", data, "--out", out, "--weights", e.weights, "--seeds", "1", "--epochs", "3")
	columns := resultOf[ablationColumns](t, read(t, filepath.Join(out, "ablation.json")))
	for _, c := range columns {
		if got := c.Pairs["TREES/RINGS"]; len(got) != 1 || !(got[0] >= 0 && got[0] <= 1) {
			t.Errorf("%s: %v", c.Name, got)
		}
	}
	for k, column := range map[int]string{0: columnAttention, 3: columnPre} { // full, and neither dictionary
		if got, want := columns[k].Pairs["TREES/RINGS"][0], rate(metric.AUROC(columnScores(column, rows), b.ood)); got != want {
			t.Errorf("%s: %v, want %v", columns[k].Name, got, want)
		}
	}
}

// The parts of S_Attn are those that the scorer added.
func TestPartialAttention(t *testing.T) {
	b := trained(t)
	out := b.score(context.Background(), columnOptions(columnAttention, 1), columnAttention)
	of := func(part func(attention.Score) float64) []float64 { return partial(part)(t.Context(), b, out) }
	whole, inside := of(attention.Score.Attn), of(func(s attention.Score) float64 { return -s.In })
	for i, want := range out.scores {
		if math.Abs(whole[i]-want) > 1e-6 || out.rows[i].BaCa != want {
			t.Errorf("graph %d: S_BaCa %g of both parts, %g in its row, %g of the scorer", i, whole[i], out.rows[i].BaCa, want)
		}
	}
	if slices.Equal(whole, inside) {
		t.Error("one dictionary says what both do")
	}
}

// A table has only columns that some row has something in, shares are in percent, and their means are below.
func TestPage(t *testing.T) {
	list := tabulate("What.", []string{"a|b", "share", "none", "whole"}, []float64{0.5, math.NaN(), 0.7},
		func(x float64) []any { return []any{"a|b", x, math.NaN(), 1.0} })
	got := string((&page{title: "T", question: "Q?", tables: []*pageTable{list.mean()}, answer: []string{"A."}}).text("`c`"))
	want := "# T\n\nQ?\n\nWhat.\n\n| a|b | share | whole |\n|---|---|---|\n| a\\|b | 50.0 | 100.0 |\n| a\\|b | – | 100.0 |\n| a\\|b | 70.0 | 100.0 |\n| **mean** |  | **100.0** |\n\nA.\n\n`c`\n"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// withoutCode are results whose experiments no longer exist. The results name the commit that had them.
var withoutCode = []string{"discoveries.json", "ladder.json", "sensitivity.json", "theorem.json"}

// The committed pages are those of the files beside them, and short.
func TestCommittedPages(t *testing.T) {
	pages := 0
	err := filepath.WalkDir("../results", func(file string, _ os.DirEntry, err error) error {
		if name := filepath.Base(file); err != nil || filepath.Ext(file) != ".json" || slices.Contains(withoutCode, name) {
			return err
		}
		path, want := pageOf(file)
		pages++
		if got := read(t, path); string(got) != string(want) {
			t.Errorf("%s is not of the file beside it: baca-paper bench rewrite %s", path, file)
		}
		if n := len(strings.Fields(string(want))); n > 400 || strings.Contains(string(want), "NaN") {
			t.Errorf("%s has %d words, want 400 at most and figures", path, n)
		}
		return nil
	})
	if err != nil || pages != 23 {
		t.Errorf("%d pages, %v: want 23", pages, err)
	}
}

// A perfect and a useless score.
func TestMeasureColumn(t *testing.T) {
	ood := []bool{false, false, false, false, true, true, true, true}
	m := scored{"x", []float64{1, 2, 3, 4, 5, 6, 7, 8}, 2}.measure(ood)
	if m.AUROC != 1 || m.AUPR != 1 || m.FPR95 != 0 || m.FPR95ID != 0 || m.Seconds != 2 {
		t.Errorf("%+v", m)
	}
	scores := []float64{1, 3, 5, 7, 2, 4, 6, 8}
	m = scored{"x", scores, math.NaN()}.measure(ood)
	if want := metric.AUROC(scores, ood); float64(m.AUROC) != want {
		t.Errorf("%+v, want %v", m, want)
	}
	data, err := json.Marshal(m)
	if err != nil || !strings.Contains(string(data), `"seconds":null`) {
		t.Errorf("%s, %v", data, err)
	}
	var back measured
	if err := json.Unmarshal(data, &back); err != nil || back.Seconds.defined() || back.AUROC != m.AUROC {
		t.Errorf("%+v, %v", back, err)
	}
}
