package baseline_test

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/algo/baseline"
	"baca/algo/fingerprint"
	"baca/algo/graph"
	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

func build(n int, edges ...[2]int32) *graph.Graph {
	g, _ := must.Both(graph.New(n, edges))
	return g
}

func TestStatistics(t *testing.T) {
	// A triangle with a tail of two, and a node by itself.
	g := build(6, [2]int32{0, 1}, [2]int32{1, 2}, [2]int32{2, 0}, [2]int32{2, 3}, [2]int32{3, 4})
	want := map[string]float64{"nodes": 6, "edges": 5, "mean degree": 10.0 / 6, "leaves": 1.0 / 6, "degree 3": 1.0 / 6, "cycles": 1}
	empty := build(0)
	for _, s := range baseline.Statistics() {
		w, ok := want[s.Name]
		if !ok {
			t.Errorf("%s: no value to compare with", s.Name)
		}
		if got := s.Values([]*graph.Graph{g, empty}); got[0] != w || got[1] != 0 {
			t.Errorf("%s: %v, want %v and 0", s.Name, got, w)
		}
	}
	if n := g.Components(); n != 2 {
		t.Errorf("%d components, want 2", n)
	}
}

func TestDeviations(t *testing.T) {
	got := baseline.Deviations([]float64{1, 2, 10}, []float64{1, 3, 2, 100})
	if want := []float64{1.5, 0.5, 7.5}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The similarities are RDKit's, see testdata/ecfp.py.
func TestECFP(t *testing.T) {
	f := must.Have(os.Open("testdata/ecfp.csv"))
	defer f.Close()
	rows := must.Have(csv.NewReader(f).ReadAll())
	parse := func(text string) *molecule.Molecule {
		m, err := smiles.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return m
	}
	for _, row := range rows[1:] {
		a, b := parse(row[0]), parse(row[1])
		for k, of := range []func(*molecule.Molecule, int) fingerprint.Print{baseline.ECFP, baseline.ECFC} {
			want := must.Have(strconv.ParseFloat(row[2+k], 64))
			measure := []fingerprint.Measure{fingerprint.Sets, fingerprint.Counts}[k]
			var got [1]float64
			fingerprint.NewIndex([]fingerprint.Print{of(a, 2)}).Similarities(got[:], measure, of(b, 2))
			if !(math.Abs(got[0]-want) <= 1e-6) {
				t.Errorf("%s and %s, %s: %.6f, RDKit has %.6f", row[0], row[1], rows[0][2+k], got[0], want)
			}
		}
	}
}

func TestECFPs(t *testing.T) {
	m := must.Have(smiles.Parse("CCO"))
	if prints, err := baseline.ECFPs([]string{"c1ccccc1", "CCO"}, 2); err != nil || !prints[1].Equal(baseline.ECFP(m, 2)) {
		t.Errorf("%v and %v, want those of ECFP", prints, err)
	}
	if _, err := baseline.ECFPs([]string{"C(C"}, 2); err == nil || !strings.Contains(err.Error(), `molecule "C(C": `) {
		t.Errorf("%v: want the molecule that cannot be read", err)
	}
}
