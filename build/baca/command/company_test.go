package command

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/molecule"
	"baca/web"
)

// In lists of one kind that are as in-distribution as any, few graphs are called outside:
// by themselves at most 6 %, by their batch at most 8 % at α = 5 %, pooled over the lists
// of each model of molecules. The kind that came off worst may be rare, so it is held to
// that as far as its number of graphs can show. Four splits take seconds; the report of
// `baca bench company` has more.
func TestCompany(t *testing.T) {
	const aloneAtMost, batchAtMost = 0.06, 0.08
	ctx := t.Context()
	// By the score of the batch alone, which decided once, most of these were called outside.
	once := map[string][]string{"tox21": {"nitro groups", "salts and mixtures"}, "clintox": {"48 atoms and more"}, "esol": {"long chains"}}
	for _, name := range []string{"tox21", "freesolv", "bbbp", "clintox", "esol"} {
		t.Run(name, func(t *testing.T) {
			m := embedded(t, name)
			b, err := newDecisionBench(ctx, m, publicSet(t, m, name), 0)
			if err != nil {
				t.Fatal(err)
			}
			f := companyFlags{decisionFlags{splits: 4}}
			progress := newProgress(io.Discard, "", 0)
			defer progress.Done()
			c, err := f.model(ctx, b, progress)
			if err != nil {
				t.Fatal(err)
			}
			var worst companyGroup
			seen := map[string]bool{}
			for _, g := range c.Groups {
				seen[g.Kind] = true
				switch {
				case g.Kind == companyPooled:
					t.Logf("pooled over %d lists: alone %s, batch_verdict %s", g.Lists, g.Alone, g.Batch)
					if g.Alone.Share > aloneAtMost || g.Batch.Share > batchAtMost {
						t.Errorf("called outside in lists of one kind: alone %s, batch_verdict %s, want at most %g and %g", g.Alone, g.Batch, 100*aloneAtMost, 100*batchAtMost)
					}
				case g.Kind == companyAll:
				case g.Graphs >= 30 && g.Alone.Share > worst.Alone.Share:
					worst = g
				}
				if slices.Contains(once[name], g.Kind) && g.Alone.Low > aloneAtMost {
					t.Errorf("%s: %s called outside", g.Kind, g.Alone)
				}
			}
			t.Logf("worst of 30 graphs and more: %s, %s of %d", worst.Kind, worst.Alone, worst.Graphs)
			if worst.Alone.Low > aloneAtMost || worst.Batch.Low > batchAtMost {
				t.Errorf("%s: alone %s, batch_verdict %s", worst.Kind, worst.Alone, worst.Batch)
			}
			for _, kind := range once[name] {
				if !seen[kind] {
					t.Errorf("there is no list of the kind %q", kind)
				}
			}
		})
	}
}

// A molecule has one row: however it is written, whatever stands beside it, in any order,
// as often as it is there, with any seed, number of cores and of shards.
func TestOneMoleculeOneRow(t *testing.T) {
	embedded(t, "bbbp")
	dir := t.TempDir()
	list, err := csv.NewReader(bytes.NewReader(web.Examples())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	type line struct{ name, smiles string }
	var lines []line
	for _, row := range list[1:] {
		lines = append(lines, line{strings.ReplaceAll(row[0], " ", "_"), row[2]})
	}
	file := func(name string, lines []line) string {
		var b strings.Builder
		for _, l := range lines {
			fmt.Fprintf(&b, "%s %s\n", l.smiles, l.name)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	command := func(args ...string) []byte {
		t.Helper()
		var out, stderr bytes.Buffer
		if status := run(nil, args, nil, &out, &stderr); status != 0 {
			t.Fatalf("baca %v: exit status %d\n%s", args, status, &stderr)
		}
		return out.Bytes()
	}
	// answers are score, p-value and verdict by name.
	answersOf := func(data []byte) map[string][]string {
		t.Helper()
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		of := map[string][]string{}
		for _, row := range rows[1:] {
			if before := of[row[0]]; before != nil && !slices.Equal(before, row[5:8]) {
				t.Errorf("two copies of %s: %v and %v", row[0], before, row[5:8])
			}
			of[row[0]] = row[5:8]
		}
		return of
	}
	plain := file("plain.smi", lines)
	want := answersOf(command("score", plain))
	if len(want) != len(lines) {
		t.Fatalf("%d rows of %d", len(want), len(lines))
	}
	check := func(what string, data []byte, of int) {
		t.Helper()
		got := answersOf(data)
		if len(got) != of {
			t.Errorf("%s: %d rows of %d", what, len(got), of)
		}
		for name, row := range got {
			if !slices.Equal(row, want[name]) {
				t.Errorf("%s: %s is %v, want %v", what, name, row, want[name])
			}
		}
	}
	all := len(lines)
	for _, more := range [][]string{{"--workers", "1"}, {"--workers", "2", "--seed", "7"}, {"--columns", "all"}} {
		check(strings.Join(more, " "), command(append([]string{"score", plain}, more...)...), all)
	}
	rng := rand.New(rand.NewPCG(6, 6))
	copies := slices.Concat(lines, lines, lines)
	rng.Shuffle(len(copies), func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
	check("three copies in any order", command("score", file("copies.smi", copies)), all)
	for _, i := range []int{0, 40, all - 1} {
		check("by itself", command("score", file("one.smi", lines[i:i+1])), 1)
	}

	var written, canonical []line
	changed := 0
	for _, l := range lines {
		m, err := molecule.Parse(l.smiles)
		if err != nil {
			t.Fatal(err)
		}
		c, _, _ := m.Canonical()
		parts := strings.Split(c.SMILES(), ".")
		slices.Reverse(parts)
		written, canonical = append(written, line{l.name, m.SMILES()}), append(canonical, line{l.name, strings.Join(parts, ".")})
		if canonical[len(canonical)-1].smiles != l.smiles {
			changed++
		}
	}
	if changed < all/2 {
		t.Errorf("only %d of %d molecules are written otherwise", changed, all)
	}
	check("written again", command("score", file("written.smi", written)), all)
	check("canonical SMILES, fragments reversed", command("score", file("canonical.smi", canonical)), all)

	folder := filepath.Join(dir, "shards")
	for i := range 3 {
		command("score", "--shard", fmt.Sprintf("%d/3", i), "--out", folder, file("copies.smi", copies))
	}
	command("merge", folder)
	check("shards", read(t, filepath.Join(folder, "scores.csv")), all)
}

// The guard is the smallest that finds nine tenths of what is found without one.
func TestGuardReport(t *testing.T) {
	f := &benchFlags{pairs: "validation", seeds: []uint{1}}
	pairs := []*benchPair{{ID: "a", OOD: "b"}, {ID: "c", OOD: "d"}}
	var sum guardCell
	sum.add(guardCell{Inside: 50, Alarms: []int{0, 1, 2, 3, 4, 5, 6}, Outside: 100, Detected: []int{40, 50, 60, 70, 80, 89, 100}})
	sum.add(guardCell{Inside: 50, Alarms: []int{0, 1, 2, 3, 4, 5, 6}, Outside: 100, Detected: []int{40, 50, 60, 70, 80, 91, 100}})
	report := string(f.guardReport(pairs, []guardCell{sum, sum}))
	for _, want := range []string{"| a/b | 0.0 | 2.0 | 4.0 |", "| c/d | 40.0 | 50.0 | 60.0 |", "without one: 0.3.", fmt.Sprintf("The program has %g.", algo.Guard)} {
		if !strings.Contains(report, want) {
			t.Errorf("no %q in\n%s", want, report)
		}
	}
	calls := make([]int, len(guards))
	count(calls, []algo.Row{{BatchP: 0.01, AloneP: 0.1}, {BatchP: 0.01, AloneP: 0.04}, {BatchP: 0.2, AloneP: 0.01}})
	if want := []int{1, 1, 2, 2, 2, 2, 2}; !slices.Equal(calls, want) {
		t.Errorf("called %v, want %v", calls, want)
	}
}
