package baseline_test

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"baca/algo/baseline"
	"baca/algo/fingerprint"
	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

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
			got := fingerprint.NewIndex([]fingerprint.Print{of(a, 2)}).Nearest(measure, of(b, 2), 1)[0]
			if math.Abs(got-want) > 1e-6 {
				t.Errorf("%s and %s, %s: %.6f, RDKit has %.6f", row[0], row[1], rows[0][2+k], got, want)
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
