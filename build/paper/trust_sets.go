package paper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"baca/algo/baseline"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule/smiles"
	"baca/build/paper/qsar"
)

// A labelled is a set of molecules with a measured property.
type labelled struct {
	name, column string
	classes      bool
}

// trustSets are those that bench trust measures.
var trustSets = []labelled{
	{"esol", "measured log solubility in mols per litre", false},
	{"freesolv", "expt", false},
	{"lipo", "exp", false},
	{"bbbp", "p_np", true},
	{"bace", "Class", true},
	{"clintox", "CT_TOX", true},
	{"tox21", "NR-AhR", true},
	{"hiv", "HIV_active", true},
}

// trustBits is how many bits ECFP4 are folded to.
const trustBits = 1024

// A trustSet is a labelled set in memory: one molecule each of those that have one canonical
// form.
type trustSet struct {
	labelled
	loaded    *loadedSet
	graphs    []*graph.Graph
	smiles    []string
	values    []float64
	rows      [][]int32 // ECFP4 with counts, folded
	scaffolds [][]int   // the molecules of each
	read      int       // molecules of the file
	measured  int       // of them that have a value
}

// drawStream and splitStream are second halves of seeds: of the molecules of a large set, and
// of splits.
const drawStream, trustSplitStream = 0xba1a_1022, 0xba1a_1023

// openLabelled reads a set. Of one with more molecules than most so many are drawn.
func openLabelled(ctx context.Context, s *sets, l labelled, most int) (*trustSet, error) {
	loaded, err := s.open(ctx, l.name, "")
	if err != nil {
		return nil, err
	}
	texts, err := s.smiles(ctx, loaded.graphs, l.name)
	if err != nil {
		return nil, err
	}
	values, err := s.values(l)
	if err != nil {
		return nil, err
	}
	t := &trustSet{labelled: l, loaded: loaded, read: len(texts)}
	var measured, index []int
	for i, text := range texts {
		if _, ok := values[text]; ok {
			measured = append(measured, i)
		}
	}
	if t.measured = len(measured); t.measured > most {
		measured = pick(measured, rand.New(rand.NewPCG(1, drawStream)).Perm(t.measured))
	}
	seen := map[string]bool{}
	for _, i := range measured {
		if len(index) == most {
			break
		}
		m, err := smiles.Parse(texts[i])
		if err != nil {
			return nil, err
		}
		c, _, _ := smiles.Canonical(m)
		if name := smiles.Write(c); !seen[name] {
			seen[name] = true
			index = append(index, i)
		}
	}
	slices.Sort(index)
	t.graphs, t.smiles = pick(loaded.graphs, index), pick(texts, index)
	encode(t.graphs)
	t.scaffolds = scaffoldsOf(t.graphs)
	for _, text := range t.smiles {
		m, err := smiles.Parse(text)
		if err != nil {
			return nil, err
		}
		t.values = append(t.values, values[text])
		t.rows = append(t.rows, folded(baseline.ECFC(m, 2)))
	}
	return t, nil
}

// countSteps are the numbers of occurrences of an environment that set a bit each, as in the
// count simulation of RDKit.
var countSteps = []uint32{1, 2, 4, 8}

// folded are the bits of a print with counts, ascending.
func folded(p fingerprint.Print) []int32 {
	var bits []int32
	for k, key := range p.Keys {
		for level, least := range countSteps {
			if p.Counts[k] >= least {
				bits = append(bits, int32((key+uint32(level)*0x9e3779b9)%trustBits))
			}
		}
	}
	slices.Sort(bits)
	return slices.Compact(bits)
}

// values reads the property of each molecule that has one, by SMILES; of equal ones the
// first.
func (s *sets) values(l labelled) (map[string]float64, error) {
	values := map[string]float64{}
	return values, readColumn(s.folder, l.name, l.column, func(text, value string) error {
		if value = strings.TrimSpace(value); value == "" {
			return nil
		}
		y, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil || math.IsNaN(y) || math.IsInf(y, 0):
			return fmt.Errorf("%q: want a finite number or nothing", value)
		case l.classes && y != 0 && y != 1:
			return fmt.Errorf("%q: want 0, 1 or nothing", value)
		}
		if _, ok := values[text]; !ok {
			values[text] = y
		}
		return nil
	})
}

// A division parts a set by a seed. Both lists ascend.
type division struct {
	name   string
	divide func(t *trustSet, rng *rand.Rand) (train, test []int)
}

// divisions are those of bench trust. Each tests a fifth of the molecules that it takes.
var divisions = []division{{"random", randomly}, {"scaffold", byScaffolds}, {"size", bySizes}}

// randomly draws the molecules that are tested.
func randomly(t *trustSet, rng *rand.Rand) (train, test []int) {
	order := rng.Perm(len(t.graphs))
	test, train = order[:len(order)/5], order[len(order)/5:]
	return train, test
}

// byScaffolds tests scaffolds that training has none of. They are drawn; a scaffold that
// more than half of the test would have is trained on.
func byScaffolds(t *trustSet, rng *rand.Rand) (train, test []int) {
	room := len(t.graphs) / 5
	for _, k := range rng.Perm(len(t.scaffolds)) {
		if group := t.scaffolds[k]; 2*len(group) <= room && len(test)+len(group) <= room {
			test = append(test, group...)
		} else {
			train = append(train, group...)
		}
	}
	return train, test
}

// bySizes draws four fifths of the molecules and tests the largest fifth of these.
func bySizes(t *trustSet, rng *rand.Rand) (train, test []int) {
	order := rng.Perm(len(t.graphs))[:len(t.graphs)-len(t.graphs)/5]
	slices.Sort(order)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.graphs[a].N(), t.graphs[b].N()) })
	cut := len(order) - len(order)/5
	return order[:cut], order[cut:]
}

// split parts the set.
func (t *trustSet) split(d division, seed uint64) (train, test []int, err error) {
	train, test = d.divide(t, rand.New(rand.NewPCG(seed, trustSplitStream)))
	slices.Sort(train)
	slices.Sort(test)
	if len(test) == 0 || len(train) == 0 {
		return nil, nil, errors.New("a side of the split is empty: want more molecules")
	}
	return train, test, nil
}

// table is what models are fitted to.
func (t *trustSet) table(index []int) *qsar.Table {
	return &qsar.Table{Rows: pick(t.rows, index), Values: pick(t.values, index), Width: trustBits, Classes: t.classes}
}
