package paper

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"baca/algo"
	"baca/build/internal/testset"
)

// As parents each molecule is in a set once, the first that has the parent, and ECFP4 are of parents.
func TestReadParents(t *testing.T) {
	folder := t.TempDir()
	testset.Write(t, filepath.Join(folder, "mol", "some.csv"), "smiles\nC[NH3+].[Cl-]\nOCC\nCN\nC1CC\nC[C@H](N)O\nCC(N)O\n[2H]OCC\n")
	s := &sets{folder: folder, parent: true}
	l := s.open(t.Context(), "some", "")
	texts := s.smiles(l.graphs)
	if l.schema != algo.OGBParent || !slices.Equal(l.smiles, []string{"C[NH3+].[Cl-]", "OCC", "C[C@H](N)O"}) || len(l.graphs) != 3 {
		t.Fatalf("%q of %d graphs, %s", l.smiles, len(l.graphs), l.schema)
	}
	for _, text := range texts {
		if strings.ContainsAny(text, "@+") {
			t.Errorf("%s is no parent", text)
		}
	}
	plain := (&sets{folder: folder}).open(t.Context(), "some", "")
	if len(plain.graphs) != 6 || plain.schema != algo.OGB {
		t.Errorf("%d graphs, %s: want the 6 that are written", len(plain.graphs), plain.schema)
	}
	(&sets{folder: testset.Pair(t), parent: true}).open(t.Context(), "TREES", "") // plain graphs
}

// Detectors are measured in both readings, each with its own splits, encoders and table.
func TestBothReadings(t *testing.T) {
	data, out := writeLabelled(t), t.TempDir()
	args := []string{"bench", "rivals", "--data", data, "--out", out, "--pairs", "esol/bace", "--epochs", "1", "--seeds", "1", "--rivals", "ours,ecfp-knn,ecfp-ratio,ecfp-sum"}
	succeed(t, args...)
	entries := resultOf[[]rivalEntry](t, read(t, filepath.Join(out, "rivals.json")))
	counts := map[string]int{}
	for _, e := range entries {
		if counts[e.Reading]++; !e.AUROCMean.defined() {
			t.Errorf("%+v", e)
		}
	}
	if counts[readOGB] != 7 || counts[readParent] != 7 || len(counts) != 2 {
		t.Errorf("%v: want four of ours and three rivals in each reading", counts)
	}
	report := string(read(t, filepath.Join(out, "report.md")))
	for _, want := range []string{"| all | parents |", "| ecfp-sum |", "All pairs: seeing one graph, ", "Parents: seeing one graph, "} {
		if !strings.Contains(report, want) {
			t.Errorf("no %q in\n%s", want, report)
		}
	}
	for _, name := range []string{"encoders/esol-seed1-epochs1.msgpack", "encoders/esol-parent-seed1-epochs1.msgpack", "cells/esol-bace/seed1-ours-parent.json"} {
		read(t, filepath.Join(out, filepath.FromSlash(name)))
	}
	succeed(t, append(args, "--reading", "parent")...)
	if report := string(read(t, filepath.Join(out, "report.md"))); strings.Contains(report, "| all |") || !strings.Contains(report, " --reading parent --rivals ours,ecfp-knn,ecfp-ratio,ecfp-sum --seeds 1`") {
		t.Errorf("the report of parents:\n%s", report)
	}

	s := &sets{folder: data, parent: true}
	e := newEvaluation(t.Context(), s, &pair{ID: "esol", OOD: "bace"}, encoders{smallTrainer, 1, 1, filepath.Join(out, "encoders")})
	b := e.prepare(t.Context(), 1, firstOOD)
	cell := b.columns(t.Context(), columnAlone, columnBatch)
	if len(cell) != 4 {
		t.Fatalf("%+v", cell)
	}
	var list tableCells
	for seed := range uint64(2) {
		for _, m := range cell {
			list.add(e, seed, protocolFixed, firstOOD, 0, m)
		}
	}
	if len(list) != len(cell) || len(list[0].Seeds) != 2 || list[0].AUROCMean != cell[0].AUROC || list[0].AUROCStd != 0 {
		t.Errorf("two equal seeds have %+v", list[0])
	}
	if text := string(list.page().text("")); !strings.Contains(text, "| esol/bace | ") || !strings.Contains(text, "| alone, parents |") || strings.Contains(text, "NaN") {
		t.Errorf("%s", text)
	}
}
