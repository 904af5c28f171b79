package paper

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"baca/algo"
	"baca/algo/dataset"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/molecule"
)

var update = flag.Bool("update", false, "write the example of TRUST.md anew")

// The prediction for a molecule by all others is what a regression without it gives.
func TestLeftOutIsLeftOut(t *testing.T) {
	s := randomSet(30)
	all := indices(30)
	leftOut, _, err := s.predict(all, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		others := append(append([]int(nil), all[:i]...), all[i+1:]...)
		_, want, err := s.predict(others, []int{i})
		if err != nil || math.Abs(leftOut[i]-want[0]) > 1e-9 {
			t.Errorf("molecule %d: %g, a regression without it says %g, %v", i, leftOut[i], want[0], err)
		}
	}
}

// randomSet has random prints and values.
func randomSet(n int) *intervalSet {
	rng := rand.New(rand.NewPCG(1, 2))
	s := &intervalSet{labelled: labelled{name: "random"}}
	var prints []fingerprint.Print
	for i := range n {
		var p fingerprint.Print
		for key := range uint32(20) {
			if rng.IntN(2) == 0 {
				p.Keys, p.Counts = append(p.Keys, key), append(p.Counts, 1)
			}
		}
		prints, s.values = append(prints, p), append(s.values, rng.NormFloat64())
		s.scaffolds = append(s.scaffolds, []int{i})
	}
	s.kernel = kernelOf(prints)
	return s
}

// Splits have all molecules once, and none of a scaffold on both sides.
func TestIntervalSplits(t *testing.T) {
	s := randomSet(20)
	s.graphs = make([]*graph.Graph, 20)
	s.scaffolds = [][]int{{0, 1, 2}, {3}, {4, 5, 6, 7, 8, 9, 10, 11}, {12, 13}, {14}, {15}, {16, 17, 18, 19}}
	for seed := range uint64(20) {
		for _, kind := range []string{newByChance, newScaffolds} {
			file, fresh := s.split(kind, seed)
			side := map[int]int{}
			for _, i := range file {
				side[i]++
			}
			for _, i := range fresh {
				side[i] += 10
			}
			if len(side) != 20 || len(fresh) == 0 || len(fresh) > 4 {
				t.Fatalf("%s split %d: %v and %v", kind, seed, file, fresh)
			}
			for _, members := range s.scaffolds {
				for _, i := range members {
					if side[i] != 1 && side[i] != 10 || kind == newScaffolds && side[i] != side[members[0]] {
						t.Errorf("%s split %d: %v and %v", kind, seed, file, fresh)
					}
				}
			}
		}
	}
}

// The default was chosen on sets that the report does not have, and not all of whose molecules were measured.
func TestIntervalValidation(t *testing.T) {
	for _, of := range validationSets {
		for _, reported := range intervalSets {
			if of == reported {
				t.Errorf("%v is reported", of)
			}
		}
		for _, reported := range trustSets {
			if of == reported {
				t.Errorf("%v is reported by bench trust", of)
			}
		}
	}
	if _, err := os.Stat(shared); err != nil {
		t.Skip("needs ../shared/data")
	}
	s, err := readIntervalSet(shared, validationSets[2])
	if err != nil || len(s.values) != intervalMost || slices.ContainsFunc(s.values, func(y float64) bool { return y != 0 && y != 1 }) {
		t.Errorf("%v, %v", s, err)
	}
}

// The default order finds large errors best, on average over the committed splits of each validation set.
func TestDefaultOrderIsChosenOnValidation(t *testing.T) {
	var got struct{ Results []intervalResult }
	if err := json.Unmarshal(read(t, "../results/validation/intervals.json"), &got); err != nil || len(got.Results) != 2*len(validationSets) {
		t.Fatalf("%d results, %v", len(got.Results), err)
	}
	for _, r := range got.Results {
		best := slices.MaxFunc(r.Orders, func(a, b intervalOrder) int { return cmp.Compare(a.Finds, b.Finds) })
		if want := (&algo.Residuals{Classes: r.Classes}).Order(); best.Order != want {
			t.Errorf("%s, %s: %s is the best, the default is %s", r.Set, r.Split, best.Order, want)
		}
	}
}

// Predictions of classes are probabilities, whatever the regression says.
func TestClassesStayWithin(t *testing.T) {
	s := randomSet(12)
	s.classes = true
	for i := range s.values {
		s.values[i] = 10 * float64(i%2)
	}
	leftOut, predicted, err := s.predict(indices(10), []int{10, 11})
	if err != nil {
		t.Fatal(err)
	}
	cut := 0
	for _, p := range append(leftOut, predicted...) {
		if p < 0 || p > 1 {
			t.Errorf("a prediction of %g", p)
		}
		if p == 1 {
			cut++
		}
	}
	if cut == 0 {
		t.Error("nothing is cut, so this tests nothing")
	}
}

// The example of build/baca/TRUST.md holds measured hydration energies (FreeSolv), and for each
// molecule what a regression on all others predicts. The order is drawn.
func TestTrustExample(t *testing.T) {
	if _, err := os.Stat(shared); err != nil {
		t.Skip("needs ../shared/data")
	}
	const path = "../baca/testdata/hydration.csv"
	s, err := readIntervalSet(shared, labelled{"freesolv", "expt", false})
	if err != nil {
		t.Fatal(err)
	}
	leftOut, _, err := s.predict(indices(len(s.values)), nil)
	if err != nil {
		t.Fatal(err)
	}
	file, err := openMolecules(shared, "freesolv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	set, err := dataset.Collect(t.Context(), file, dataset.Options{Name: file.Name(), Format: dataset.CSV})
	if err != nil {
		t.Fatal(err)
	}
	_, texts, err := readMolecules(t.Context(), shared, "freesolv", molecule.AsWritten, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"name", "smiles", "observed", "predicted"})
	for _, i := range rand.New(rand.NewPCG(1, decisionStream)).Perm(len(texts)) {
		w.Write([]string{set.IDs[i], texts[i], strconv.FormatFloat(s.values[i], 'g', -1, 64), strconv.FormatFloat(leftOut[i], 'f', 2, 64)})
	}
	w.Flush()
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(read(t, path), b.Bytes()) {
		t.Errorf("%s is not what the regression gives; -update writes it", path)
	}
}
