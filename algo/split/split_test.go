package split_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"baca/algo/baseline"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/split"
)

func equal(a, b split.Groups) bool { return slices.EqualFunc(a, b, slices.Equal[[]int]) }

func TestGroups(t *testing.T) {
	var gs []*graph.Graph
	for _, text := range []string{"Cc1ccccc1", "CCO", "c1ccccc1C", "CC(=O)Nc1ccccc1", "Oc1ccncc1", "OCC", "CCCC"} {
		g, _ := must.Both(smiles.ParseIn(text, molecule.Parent))
		gs = append(gs, g)
	}
	for _, c := range []struct {
		name      string
		got, want split.Groups
	}{
		{"copies", split.Copies(gs), split.Groups{{0, 2}, {1, 5}, {3}, {4}, {6}}},
		{"scaffolds", split.Scaffolds(gs), split.Groups{{0, 2, 3}, {1, 5, 6}, {4}}},
		{"singles", split.Singles([]int{2, 0}), split.Groups{{2}, {0}}},
	} {
		if !equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// Clusters are those of a matrix of similarities, whose cost is the square of the number.
func TestClustersOfMatrix(t *testing.T) {
	texts := []string{"CCO", "CCCO", "CCCCO", "CCCCCO", "CCCCCCO", "c1ccccc1C", "c1ccccc1CC", "c1ccccc1CCC", "c1ccccc1CCCC", "NCC(=O)O", "NC(C)C(=O)O", "[Na+].[Cl-]", "Oc1ccccc1C"}
	prints := must.Have(baseline.ECFPs(texts, 2))
	for _, least := range []float64{0.2, split.SameCluster, 0.5, 1} {
		got, err := split.Clusters(context.Background(), 3, prints, least)
		if want := clustersOfMatrix(prints, least); err != nil || !equal(got, want) || len(want) == 1 {
			t.Errorf("at least %g: %v, %v, want %v", least, got, err, want)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := split.Clusters(ended, 1, prints, 0.5); err != context.Canceled {
		t.Errorf("ended: %v", err)
	}
}

// clustersOfMatrix removes the members of each cluster from all lists of neighbours.
func clustersOfMatrix(prints []fingerprint.Print, least float64) (groups split.Groups) {
	near := make([][]int, len(prints))
	for i, p := range prints {
		for j, q := range prints {
			common := 0
			for _, key := range p.Keys {
				if slices.Contains(q.Keys, key) {
					common++
				}
			}
			if i == j || float64(common)/float64(len(p.Keys)+len(q.Keys)-common) >= least {
				near[i] = append(near[i], j)
			}
		}
	}
	for count := len(prints); count > 0; count-- {
		for i, list := range near {
			if len(list) != count {
				continue
			}
			taken := slices.Concat(groups...)
			members := slices.DeleteFunc(slices.Clone(list), func(j int) bool { return slices.Contains(taken, j) })
			if slices.Contains(members, i) {
				groups = append(groups, members)
			}
		}
	}
	return groups
}

func TestDrawKeepsGroups(t *testing.T) {
	groups, tested := split.Groups{{0, 1, 2, 3, 4, 5}, {6, 7}, {8}, {9}, {10, 11}}, map[int]bool{}
	for seed := range uint64(50) {
		train, test := split.Draw(rand.New(rand.NewPCG(seed, 1)), groups, 4)
		again, _ := split.Draw(rand.New(rand.NewPCG(seed, 1)), groups, 4)
		if len(train)+len(test) != 12 || len(test) < 3 || len(test) > 4 || !slices.Equal(train, again) {
			t.Fatalf("seed %d: %v and %v", seed, train, test)
		}
		for _, group := range groups {
			some := slices.ContainsFunc(group, func(i int) bool { return slices.Contains(test, i) })
			all := !slices.ContainsFunc(group, func(i int) bool { return !slices.Contains(test, i) })
			if some != all {
				t.Fatalf("seed %d: %v is on both sides", seed, group)
			}
			tested[group[0]] = tested[group[0]] || all
		}
	}
	if tested[0] || !tested[6] || !tested[8] || !tested[9] || !tested[10] {
		t.Errorf("tested %v: want each group of at most 4 now and then", tested)
	}
}

func TestHighest(t *testing.T) {
	values := []float64{3, 9, 1, 5, 5, 7}
	of := func(i int) float64 { return values[i] }
	for _, c := range []struct {
		name   string
		groups split.Groups
		want   int
		test   []int
	}{
		{"singles", split.Singles([]int{0, 1, 2, 3, 4, 5}), 3, []int{4, 5, 1}},
		{"a copy has the lowest value", split.Groups{{0, 1}, {2}, {3}, {4}, {5}}, 3, []int{3, 4, 5}},
		{"a group that is too large ends it", split.Groups{{0}, {1}, {2}, {3, 4, 5}}, 3, []int{1}},
		{"none", split.Singles([]int{0, 1}), 0, nil},
		{"all", split.Singles([]int{0, 1}), 5, []int{0, 1}},
	} {
		train, test := split.Highest(c.groups, of, c.want)
		if total := len(slices.Concat(c.groups...)); !slices.Equal(test, c.test) || len(train)+len(test) != total {
			t.Errorf("%s: %v and %v, want %v tested of %d", c.name, train, test, c.test, total)
		}
	}
}
