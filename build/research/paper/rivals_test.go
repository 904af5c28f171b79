package paper

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"baca/build/internal/testset"
	"baca/build/internal/try"
	"baca/build/research/rival"
)

// The average that the paper prints checks the numbers that were typed in.
func TestPaperRows(t *testing.T) {
	baca := mapped(paperPairs, func(p *pair) float64 { return p.paper.baca })
	for k, best := range bestPublished {
		if best < baca[k] {
			t.Errorf("%s: the best, %g, is below the paper's %g", paperPairs[k].name(), best, baca[k])
		}
	}
	if paper, best := mean(baca), mean(bestPublished); math.Abs(paper-85.26) > 0.005 || math.Abs(best-88.03) > 0.005 {
		t.Errorf("the means are %.3f and %.3f, the paper prints 85.26, and the best have 88.03", paper, best)
	}
}

// Every detector has a name of its own and says who made it.
func TestRivalsAreNamed(t *testing.T) {
	seen := map[string]bool{chooseOurs: true}
	for _, r := range rival.All() {
		if seen[r.Name] || r.Title == "" || r.Cite == "" || r.Differs == "" {
			t.Errorf("%+v: want a name of its own, title, citation and a sentence", r)
		}
		seen[r.Name] = true
	}
}

// The bench measures ours on the test batch and no rival of molecules on plain graphs, and a report of what is finished needs no run.
func TestBenchRivals(t *testing.T) {
	data := testset.Pair(t)
	out := t.TempDir()
	args := []string{"bench", "rivals", "--data", data, "--out", out, "--pairs", "TREES/RINGS", "--epochs", "1", "--seeds", "1"}
	succeed(t, append(args, "--rivals", "ours,ecfp-knn")...)
	entries := resultOf[[]rivalEntry](t, read(t, filepath.Join(out, "rivals.json")))
	found := map[string]rate{}
	for _, e := range entries {
		found[e.Detector] = e.AUROCMean
	}
	if len(found) != 4 {
		t.Fatalf("entries: %v: want four of ours", found)
	}
	for _, want := range evaluated(t, 1, filepath.Join(out, "encoders")).prepare(t.Context(), 1, firstOOD).ourCell(t.Context()) {
		if got, ours := found[want.Column]; ours && got != want.AUROC {
			t.Errorf("%s: %g, want %g", want.Column, float64(got), float64(want.AUROC))
		}
	}
	try.Check(os.Remove(filepath.Join(out, "cells", "TREES-RINGS", "seed1-ours.json")))
	succeed(t, append(args, "--rivals", "ours,ecfp-knn", "--finished")...)
	report := string(read(t, filepath.Join(out, "report.md")))
	if !strings.Contains(report, " --rivals ours,ecfp-knn --seeds 1`") || !strings.Contains(report, "**0 of 1 cells are finished.**") || strings.Contains(report, "NaN") {
		t.Errorf("the report of unfinished cells:\n%s", report)
	}
}
