package paper

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"baca/build/internal/testset"
)

func TestParts(t *testing.T) {
	l := &loadedSet{name: "some"}
	for k := range 20 {
		if k%7 == 3 { // three of twenty are unlike the others
			l.graphs, l.labels = append(l.graphs, joined(5, func(i, j int) bool { return true })), append(l.labels, 1)
		} else {
			l.graphs, l.labels = append(l.graphs, ring(30-k, 0)), append(l.labels, -1)
		}
	}
	for name, want := range map[string][]int{"outer": {3, 10, 17}, "few": {3, 10, 17}, "large": {0, 1, 2, 4}, "late": {16, 17, 18, 19}} {
		if got := parts[name].of(nil, l); !slices.Equal(got, want) {
			t.Errorf("@%s: %v, want %v", name, got, want)
		}
	}
	for name, p := range parts {
		if name == "few" || name == "outer" || name == "large" || name == "rare" || name == "early" || name == "late" {
			continue
		}
		most, rest := p.divide(nil, l)
		all := slices.Concat(most, rest)
		slices.Sort(all)
		if !slices.Equal(all, indices(20)) || len(rest) > len(most) {
			t.Errorf("@%s: %v and %v: want each graph once", name, most, rest)
		}
	}
	l.labels[0] = 5
	if err := failure(func() { byClass(nil, l) }); err == nil {
		t.Error("three classes are parted in two")
	}
}

// Classes of molecules are read from a column; those that were not measured are left out.
func TestClassesOfMolecules(t *testing.T) {
	folder := t.TempDir()
	testset.Write(t, filepath.Join(folder, "mol", "tox21.csv"), "NR-AhR,smiles\n0,CCO\n1,CCN\n,CCC\n0,CCCl \n0,C1CC\n")
	s := &sets{folder: folder}
	for name, want := range map[string]int{"tox21@many": 2, "tox21@few": 1} {
		if l := s.open(t.Context(), name, ""); len(l.graphs) != want {
			t.Errorf("%s: %v, want %d graphs", name, l, want)
		}
	}
	testset.Write(t, filepath.Join(folder, "mol", "bace.csv"), "smiles\nCCO\n")
	if err := failure(func() { s.open(t.Context(), "bace@few", "") }); err == nil || !strings.Contains(err.Error(), `no column "Class"`) {
		t.Errorf("a file without the column: %v", err)
	}
}
