package baseline_test

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"baca/algo/baseline"
	"baca/algo/fingerprint"
	"baca/algo/molecule/smiles"
)

// The similarities are RDKit's, see testdata/ecfp.py.
func TestECFP(t *testing.T) {
	f, err := os.Open("testdata/ecfp.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	parse := func(text string) fingerprint.Print {
		m, err := smiles.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return baseline.ECFP(m, 2)
	}
	for _, row := range rows[1:] {
		want, err := strconv.ParseFloat(row[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		got := fingerprint.NewIndex([]fingerprint.Print{parse(row[0])}).Nearest(fingerprint.Sets, parse(row[1]), 1, -1)[0]
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s and %s: %.6f, RDKit has %.6f", row[0], row[1], got, want)
		}
	}
}
