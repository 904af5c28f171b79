package paper

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"baca/algo/baseline"
	"baca/algo/dataset"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule"
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

// A measuredMolecule is a molecule of a labelled set that has a value.
type measuredMolecule struct {
	*molecule.Molecule
	graph *graph.Graph
	text  string // its SMILES in the file
	value float64
}

// read reads the molecules that have a value. Those that BaCa refuses are left out.
func (l labelled) read(folder string) (list []measuredMolecule, err error) {
	file, err := openMolecules(folder, l.name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for r, err := range dataset.Records(file, dataset.Options{Name: l.name, Format: dataset.CSV, Cells: []string{l.column}}) {
		if err != nil {
			return nil, err
		}
		m, err := r.Parse()
		if err != nil || r.Cells[0] == "" {
			continue
		}
		y, err := strconv.ParseFloat(r.Cells[0], 64)
		switch {
		case err != nil || math.IsNaN(y) || math.IsInf(y, 0):
			return nil, r.FailCell(0, fmt.Errorf("%s %q: want a finite number or nothing", l.column, r.Cells[0]))
		case l.classes && y != 0 && y != 1:
			return nil, r.FailCell(0, fmt.Errorf("%s %q: want 0, 1 or nothing", l.column, r.Cells[0]))
		}
		list = append(list, measuredMolecule{m, m.Graph(), r.SMILES, y})
	}
	return list, nil
}

// A trustSet is a labelled set in memory: one molecule each of those that have one canonical
// form.
type trustSet struct {
	labelled
	sha256    string // of the file
	graphs    []*graph.Graph
	smiles    []string
	values    []float64
	rows      [][]int32 // ECFP4 with counts, folded
	scaffolds [][]int   // the molecules of each
}

// drawStream and splitStream are second halves of seeds: of the molecules of a large set, and
// of splits.
const drawStream, trustSplitStream = 0xba1a_1022, 0xba1a_1023

// openLabelled reads a set. Of one with more molecules than most so many are drawn.
func openLabelled(folder string, l labelled, most int) (*trustSet, error) {
	sum, err := setSum(folder, l.name)
	if err != nil {
		return nil, err
	}
	measured, err := l.read(folder)
	if err != nil {
		return nil, err
	}
	order := indices(len(measured))
	if len(order) > most {
		order = rand.New(rand.NewPCG(1, drawStream)).Perm(len(order))
	}
	var index []int
	seen := map[string]bool{}
	for _, i := range order {
		if len(index) == most {
			break
		}
		c, _, _ := smiles.Canonical(measured[i].Molecule)
		if name := smiles.Write(c); !seen[name] {
			seen[name] = true
			index = append(index, i)
		}
	}
	slices.Sort(index)
	t := &trustSet{labelled: l, sha256: sum}
	for _, m := range pick(measured, index) {
		t.graphs, t.smiles, t.values = append(t.graphs, m.graph), append(t.smiles, m.text), append(t.values, m.value)
		t.rows = append(t.rows, folded(baseline.ECFC(m.Molecule, 2)))
	}
	encode(t.graphs)
	t.scaffolds = scaffoldsOf(t.graphs)
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
