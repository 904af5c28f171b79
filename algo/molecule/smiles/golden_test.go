package smiles

import (
	"cmp"
	"encoding/csv"
	"flag"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/algo/internal/golden"
	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/internal/check"
)

// column reads one column of a CSV file.
func column(t testing.TB, r io.Reader, name string) []string {
	t.Helper()
	c := csv.NewReader(r)
	c.FieldsPerRecord = -1
	c.LazyQuotes = true
	head := must.Have(c.Read())
	k := slices.Index(head, name)
	if k < 0 {
		t.Fatalf("no column %s in %q", name, head)
	}
	var values []string
	for {
		row, err := c.Read()
		if err == io.EOF {
			return values
		}
		must.Do(err)
		values = append(values, row[k])
	}
}

// read is Parse of a text that must be read.
func read(t testing.TB, text string) *molecule.Molecule {
	t.Helper()
	m, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return m
}

// smilesOf reads a data set.
func smilesOf(t testing.TB, set string) []string {
	t.Helper()
	if outside, ok := strings.CutPrefix(set, "external/"); ok {
		return column(t, golden.Open(t, "data/external/"+outside+".csv.gz"), "raw")
	}
	return column(t, golden.Open(t, "data/mol/"+set+".csv.gz"), "smiles")
}

var most = flag.Int("molecules", 0, "how many molecules of each set tests try; 0 chooses")

// someOf reads about n molecules of a data set, five times as many with BACA_TEST=all and without -short. Of every molecule:
// go test ./algo/molecule/smiles -run 'TestCanonicalSets|TestOneParent|TestParentIsStable' -timeout 3h -molecules 1000000
func someOf(t testing.TB, set string, n int) (some []string) {
	t.Helper()
	if os.Getenv("BACA_TEST") == "all" && !testing.Short() {
		n *= 5
	}
	n = cmp.Or(*most, n)
	all := smilesOf(t, set)
	for k := 0; k < len(all); k += 1 + len(all)/n {
		some = append(some, all[k])
	}
	return some
}

// TestGolden compares all features of all atoms and all bonds, in order, with RDKit's.
func TestGolden(t *testing.T) {
	for _, set := range []string{"bbbp", "clintox", "esol", "freesolv"} {
		t.Run(set, func(t *testing.T) {
			compareSet(t, set, golden.Open(t, "golden/molecule/"+set+".jsonl.gz"))
		})
	}
}

// RDKit 2022.09 wrote what it reads of the SMILES in testdata/cases.smi, see testdata/reference.py.
func TestCases(t *testing.T) { compareSet(t, "", check.Unzipped(t, "testdata/cases.jsonl.gz")) }

// compareSet compares with references, which are about their own SMILES or else about the rows of a data set.
func compareSet(t *testing.T, set string, references io.Reader) {
	t.Helper()
	var smiles []string
	check.Compare(t, references, func(want *check.Reference) (string, *molecule.Molecule, error) {
		text := want.S
		if text == "" {
			if smiles == nil {
				smiles = smilesOf(t, set)
			}
			text = strings.TrimSpace(smiles[want.Row])
		}
		m, err := Parse(text)
		return text, m, err
	})
}

// TestVerdicts compares which SMILES are molecules, and their counts, with RDKit's.
func TestVerdicts(t *testing.T) {
	r := csv.NewReader(golden.Open(t, "golden/molecule/smiles.csv"))
	rows := must.Have(r.ReadAll())
	head := rows[0]
	at := func(row []string, name string) string { return row[slices.Index(head, name)] }
	for _, row := range rows[1:] {
		text := at(row, "smiles")
		m, err := Parse(text)
		if text == "C C" {
			// A SMILES and a name to us; the reference was made without names.
			if err != nil || m.Name != "C" {
				t.Errorf("%s: %v, name %q", text, err, m.Name)
			}
			continue
		}
		if ok := at(row, "rdkit_ok") == "1"; ok != (err == nil) {
			t.Errorf("%s: RDKit accepts it: %v, error here: %v", text, ok, err)
			continue
		}
		if err != nil {
			continue
		}
		got := map[string]int{"atoms": len(m.Atoms), "bonds": len(m.Bonds), "fragments": fragments(m)}
		for _, a := range m.Atoms {
			got["net_charge"] += int(a.Charge)
			got["total_hs_on_atoms"] += int(a.Hydrogens)
			got["heaviest_z"] = max(got["heaviest_z"], int(a.Element))
			if a.Aromatic {
				got["aromatic_atoms"]++
			}
			if a.InRing {
				got["ring_atoms"]++
			}
			if a.Isotope != 0 {
				got["isotope_atoms"]++
			}
			if a.Element == 1 {
				got["explicit_h_atoms"]++
			}
		}
		for _, b := range m.Bonds {
			if b.Aromatic {
				got["aromatic_bonds"]++
			}
		}
		for _, name := range []string{"atoms", "bonds", "fragments", "net_charge", "total_hs_on_atoms", "heaviest_z", "aromatic_atoms", "aromatic_bonds", "ring_atoms", "isotope_atoms", "explicit_h_atoms"} {
			if want, _ := strconv.Atoi(at(row, name)); got[name] != want {
				t.Errorf("%s: %s %d, want %d", text, name, got[name], want)
			}
		}
	}
}

// testdata/speed.py compares it with RDKit.
func BenchmarkGraph(b *testing.B) {
	for _, set := range []string{"bbbp", "hiv", "scale-mix"} {
		texts := smilesOf(b, set)
		texts = texts[:min(len(texts), 5000)] // as many as RDKit gets
		b.Run(set, func(b *testing.B) {
			n := 0
			for b.Loop() {
				ParseGraph(strings.TrimSpace(texts[n%len(texts)]))
				n++
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "molecules/s")
		})
	}
}
