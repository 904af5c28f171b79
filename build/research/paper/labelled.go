package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"baca/algo"
	"baca/algo/baseline"
	"baca/algo/dataset"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/metric"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/algo/split"
	"baca/algo/training"
	"baca/build/internal/try"
	"baca/build/internal/usage"
)

// A labelled is a set of molecules with a measured property.
type labelled struct {
	name, column string
	classes      bool
}

// trustSets are the sets on which errors are reported.
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

func namesOf(list []labelled) []string {
	return mapped(list, func(l labelled) string { return l.name })
}

// chosen returns the sets that --sets names.
func chosen(list string, all []labelled) (some []labelled) {
	names := namesOf(all)
	for _, name := range strings.Split(list, ",") {
		i := slices.Index(names, name)
		if i < 0 || slices.Contains(some, all[i]) {
			try.Check(usage.Errorf("--sets %s: want some of %s, each once", list, strings.Join(names, ", ")))
		}
		some = append(some, all[i])
	}
	return some
}

// A measuredMolecule is a molecule of a labelled set that has a value.
type measuredMolecule struct {
	*molecule.Molecule
	text  string // its SMILES in the file
	value float64
}

// read reads the molecules that have a value. Those that BaCa refuses are left out.
func (l labelled) read(folder string) (list []measuredMolecule) {
	file := try.To(openMolecules(folder, l.name))
	defer file.Close()
	for r, err := range dataset.Records(file, dataset.Options{Name: l.name, Format: dataset.CSV, Cells: []string{l.column}}) {
		try.Check(err)
		m, err := r.Parse()
		if err != nil || r.Cells[0] == "" {
			continue
		}
		y, err := strconv.ParseFloat(r.Cells[0], 64)
		switch {
		case err != nil || math.IsNaN(y) || math.IsInf(y, 0):
			try.Check(r.FailCell(0, fmt.Errorf("%s %q: want a finite number or nothing", l.column, r.Cells[0])))
		case l.classes && y != 0 && y != 1:
			try.Check(r.FailCell(0, fmt.Errorf("%s %q: want 0, 1 or nothing", l.column, r.Cells[0])))
		}
		list = append(list, measuredMolecule{m, r.SMILES, y})
	}
	return list
}

// A labelledSet is a set in memory, with what predicts its values.
type labelledSet struct {
	labelled
	graphs []*graph.Graph
	smiles []string
	values []float64
	kernel *mat.SymDense           // Tanimoto similarities of ECFP4, and 1 for the intercept
	groups map[string]split.Groups // the molecules, drawn by themselves, by scaffold or by cluster
}

// open reads a set, or `most` of its molecules if it has more, drawn at random and in the order of the file.
func (l labelled) open(folder string, most int) *labelledSet {
	measured := l.read(folder)
	order := indices(len(measured))
	if len(order) > most {
		order = streamed(1).Perm(len(order))
	}
	order = order[:min(most, len(order))]
	slices.Sort(order)
	s := &labelledSet{labelled: l}
	var prints []fingerprint.Print
	for _, i := range order {
		m := measured[i]
		prints = append(prints, baseline.ECFP(m.Molecule, 2))
		canonical, _, _ := smiles.In(m.Molecule, molecule.Unordered)
		s.graphs, s.smiles, s.values = append(s.graphs, canonical.Graph()), append(s.smiles, m.text), append(s.values, m.value)
	}
	s.kernel = kernelOf(prints)
	s.groups = map[string]split.Groups{
		newByChance: split.Singles(indices(len(order))), newScaffolds: split.Scaffolds(s.graphs), newClusters: clustersOf(prints),
	}
	return s
}

// kernelOf returns 1 plus the similarity of each two molecules.
func kernelOf(prints []fingerprint.Print) *mat.SymDense {
	kernel, index, row := mat.NewSymDense(len(prints), nil), fingerprint.NewIndex(prints), make([]float64, len(prints))
	for i, p := range prints {
		index.Similarities(row, fingerprint.Sets, p)
		for j, x := range row[:i+1] {
			kernel.SetSym(i, j, 1+x)
		}
	}
	return kernel
}

// clustersOf clusters molecules by their ECFP4.
func clustersOf(prints []fingerprint.Print) split.Groups {
	return try.To(split.Clusters(context.Background(), 1, prints, split.SameCluster))
}

// newShare of the molecules of a set are new, the rest is the training file.
const newShare = 0.2

// How new molecules differ from those of the training file.
const (
	newByChance  = "random"
	newScaffolds = "scaffold" // whole scaffolds are drawn; one that would make more than a fifth is passed over
	newClusters  = "cluster"  // whole clusters, the same
	newSizes     = "size"     // the largest fifth of four fifths that are drawn
)

// split returns the indices of the molecules of the training file and of the new ones. Both lists ascend.
func (s *labelledSet) split(kind string, seed uint64) (file, fresh []int) {
	rng := streamed(seed)
	want := int(newShare * float64(len(s.graphs)))
	if kind == newSizes {
		order := rng.Perm(len(s.graphs))[want:]
		slices.Sort(order)
		file, fresh = split.Highest(split.Singles(order), sizesOf(s.graphs), int(newShare*float64(len(order))))
	} else {
		file, fresh = split.Draw(rng, s.groups[kind], want)
	}
	slices.Sort(file)
	slices.Sort(fresh)
	return file, fresh
}

// ridgePenalty is the penalty of kernel ridge regression.
const ridgePenalty = 0.1

// predictions are those of kernel ridge regression; for classes they are cut to 0 and 1.
type predictions struct {
	leftOut   []float64 // of each molecule of the file by all others
	predicted []float64 // for new ones
	// How far new molecules are from the file, and each of the file from all others, as the variance of a Gaussian process.
	spread, spreadOut []float64
}

// predict predicts the values of the new molecules from those of the file, and each of the file from all others of the file.
func (s *labelledSet) predict(file, fresh []int) *predictions {
	n := len(file)
	k := mat.NewSymDense(n, nil)
	for i := range file {
		for j := range file[:i+1] {
			x := s.kernel.At(file[i], file[j])
			if i == j {
				x += ridgePenalty
			}
			k.SetSym(i, j, x)
		}
	}
	var c mat.Cholesky
	var inverse mat.SymDense
	if !c.Factorize(k) {
		try.Check(fmt.Errorf("%s: the kernel is not positive definite", s.name))
	}
	try.Check(c.InverseTo(&inverse))
	y, alpha, p := mat.NewVecDense(n, pick(s.values, file)), new(mat.VecDense), new(predictions)
	alpha.MulVec(&inverse, y)
	for i := range file { // leave-one-out in closed form
		p.leftOut = append(p.leftOut, s.within(y.AtVec(i)-alpha.AtVec(i)/inverse.At(i, i)))
		p.spreadOut = append(p.spreadOut, 1/inverse.At(i, i)-ridgePenalty)
	}
	for _, q := range fresh {
		near := mat.NewVecDense(n, mapped(file, func(i int) float64 { return s.kernel.At(q, i) }))
		sum := 0.0
		for i := range n {
			sum += alpha.AtVec(i) * near.AtVec(i)
		}
		p.predicted = append(p.predicted, s.within(sum))
		p.spread = append(p.spread, s.kernel.At(q, q)-mat.Inner(near, &inverse, near))
	}
	return p
}

// scaffoldFolds is the number of folds of whole scaffolds in cross-validation.
const scaffoldFolds = 5

// withoutScaffolds predicts each molecule of the file from the folds that its scaffold is not in. It returns nil if all have one
// scaffold. The largest scaffolds are dealt first, each to the smallest fold.
func (s *labelledSet) withoutScaffolds(file []int) (predicted []float64) {
	var folds [scaffoldFolds][]int
	groups := mapped(s.groups[newScaffolds], func(group []int) []int {
		return slices.DeleteFunc(slices.Clone(group), func(i int) bool { return !slices.Contains(file, i) })
	})
	slices.SortStableFunc(groups, func(a, b []int) int { return len(b) - len(a) })
	for _, group := range groups {
		least := slices.MinFunc(indices(scaffoldFolds), func(a, b int) int { return len(folds[a]) - len(folds[b]) })
		folds[least] = append(folds[least], group...)
	}
	if len(folds[0]) == len(file) {
		return nil
	}
	byMolecule := map[int]float64{}
	for _, fold := range folds {
		rest := slices.DeleteFunc(slices.Clone(file), func(i int) bool { return slices.Contains(fold, i) })
		for k, y := range s.predict(rest, fold).predicted {
			byMolecule[fold[k]] = y
		}
	}
	return mapped(file, func(i int) float64 { return byMolecule[i] })
}

// within returns a prediction, for classes cut to 0 and 1.
func (s *labelledSet) within(x float64) float64 {
	if s.classes {
		return min(1, max(0, x))
	}
	return x
}

// A labelledSplit is a split of a set with predictions, and a detector of the training file that knows its errors.
type labelledSplit struct {
	*labelledSet
	seed        uint64
	file, fresh []int
	*predictions
	values, errors []float64 // of new molecules: what was observed, and |y − ŷ|
	model          *algo.Model
	alone          *algo.SingleScorer
}

// open splits a set, predicts, and trains a detector for so many steps.
func (s *labelledSet) open(ctx context.Context, train Trainer, kind string, seed uint64, steps int) *labelledSplit {
	x := &labelledSplit{labelledSet: s, seed: seed}
	x.file, x.fresh = s.split(kind, seed)
	if len(x.file) == 0 || len(x.fresh) == 0 {
		try.Check(fmt.Errorf("%s: a side of the split is empty: want more molecules", s.name))
	}
	x.predictions = s.predict(x.file, x.fresh)
	x.values = pick(s.values, x.fresh)
	for i, y := range x.values {
		x.errors = append(x.errors, math.Abs(y-x.predicted[i]))
	}
	x.model = train.detector(ctx, training.Training{Graphs: pick(s.graphs, x.file), Split: dataset.Split, Card: algo.Card{
		Name: fmt.Sprintf("%s-%s-%d", s.name, kind, seed), Schema: algo.OGBCanonical, Dataset: s.name, Seed: seed,
	}}, steps, len(x.file)*9/10) // Split holds a tenth out
	known, columns := make([]*algo.Values, len(x.file)), algo.ValueColumns{Observed: "observed", Predicted: "predicted", Uncertainty: "spread"}
	for i, row := range x.file {
		known[i] = &algo.Values{Observed: s.values[row], Predicted: x.leftOut[i], Uncertainty: x.spreadOut[i]}
	}
	for i, y := range s.withoutScaffolds(x.file) {
		known[i].NewScaffold, columns.NewScaffold = y, "new scaffold"
	}
	try.Check(x.model.KeepResiduals(known, columns))
	x.alone = try.To(algo.NewSingleScorer(ctx, x.model, 1))
	return x
}

// quality returns R² for numbers, AUROC for classes.
func (x *labelledSplit) quality() float64 {
	if x.classes {
		return metric.AUROC(x.predicted, mapped(x.values, func(y float64) bool { return y == 1 }))
	}
	return stat.RSquaredFrom(x.predicted, x.values, nil)
}
