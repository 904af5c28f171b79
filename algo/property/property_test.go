package property

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"baca/algo/internal/must"
	"baca/algo/molecule/smiles"
)

// RDKit wrote the values, see testdata/properties.py.
func TestAgainstRDKit(t *testing.T) {
	f := must.Have(os.Open("testdata/rdkit.csv"))
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for _, row := range rows[1:] {
		m, err := smiles.Parse(row[0])
		if err != nil {
			t.Errorf("%s: %v", row[0], err)
			continue
		}
		p := Of(m)
		for k, name := range Names() {
			got := ColumnOf(name).Of(&p)
			want := must.Have(strconv.ParseFloat(row[k+1], 64))
			if tolerance := []float64{0.002, 0.0002, 0.02, 0, 0, 0}[k]; math.Abs(got-want) > tolerance {
				t.Errorf("%s: %s %g, RDKit has %g", row[0], rows[0][k+1], got, want)
			}
		}
	}
}

func TestString(t *testing.T) {
	m := must.Have(smiles.Parse("CC(=O)Oc1ccccc1C(=O)O"))
	p := Of(m)
	if got, want := p.String(), "180.2 g/mol, logP 1.3, TPSA 64 Å², H-bond donors 1, acceptors 4, rotatable bonds 3"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
