// Package check compares molecules in the tests of readers.
package check

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"baca/algo/molecule"
)

// Sketch writes a molecule for the eye: atoms as element, hydrogens, charge, aromatic "'", radicals
// "·", chirality @ or @@, then bonds.
func Sketch(m *molecule.Molecule) string {
	var b strings.Builder
	for i, a := range m.Atoms {
		if i > 0 {
			b.WriteByte(' ')
		}
		if a.Isotope != 0 {
			fmt.Fprint(&b, a.Isotope)
		}
		b.WriteString(molecule.Symbol(int(a.Element)))
		if a.Hydrogens > 0 {
			fmt.Fprintf(&b, "H%d", a.Hydrogens)
		}
		if a.Charge != 0 {
			fmt.Fprintf(&b, "%+d", a.Charge)
		}
		if a.Aromatic {
			b.WriteByte('\'')
		}
		b.WriteString(strings.Repeat("·", int(a.Radicals)))
		switch a.Chirality {
		case molecule.CounterClockwise:
			b.WriteString("@")
		case molecule.Clockwise:
			b.WriteString("@@")
		}
		if a.Map >= 0 {
			fmt.Fprintf(&b, ":%d", a.Map)
		}
	}
	b.WriteString(" |")
	for _, d := range m.Bonds {
		fmt.Fprintf(&b, " %d%c%d", d.From, "~-=#$:>"[d.Order], d.To)
	}
	return b.String()
}

// A Reference is RDKit's result for a row of a data set.
type Reference struct {
	Row int
	S   string      // the SMILES, if not the row's
	M   string      // or the molfile
	X   [][]float32 // missing if RDKit refuses it
	E   [][]int
	G   [][2]int // double bonds and their geometry, missing for those that have no neighbours to tell apart
}

// Compare reads each reference, a line of JSON, by read and reports molecules that differ. text shows a molecule in
// a message.
func Compare(t *testing.T, references io.Reader, read func(want *Reference) (text string, m *molecule.Molecule, err error)) {
	t.Helper()
	n, differ := 0, 0
	for d := json.NewDecoder(references); ; n++ {
		var want Reference
		if err := d.Decode(&want); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		text, m, err := read(&want)
		diff := ""
		switch {
		case err != nil && len(want.X) == 0: // RDKit takes molfiles without atoms
		case err != nil:
			diff = err.Error()
		case want.X == nil:
			diff = "should be refused"
		default:
			diff = compareGraph(m, &want)
		}
		if diff != "" {
			if differ++; differ <= 20 {
				t.Errorf("row %d: %s\n%s", want.Row, diff, text[:min(len(text), 4000)])
			}
		}
	}
	t.Logf("%d of %d molecules differ", differ, n)
	if n == 0 {
		t.Error("no molecules")
	}
}

// compareGraph returns how m differs from want, or "".
func compareGraph(m *molecule.Molecule, want *Reference) string {
	g := m.Graph()
	if g.N() != len(want.X) {
		return fmt.Sprintf("%d atoms, want %d", g.N(), len(want.X))
	}
	for i, row := range want.X {
		if got := g.X[i*molecule.Features : (i+1)*molecule.Features]; !slices.Equal(got, row) {
			return fmt.Sprintf("atom %d: %v, want %v", i, got, row)
		}
	}
	if len(m.Bonds) != len(want.E) {
		return fmt.Sprintf("%d bonds, want %d", len(m.Bonds), len(want.E))
	}
	for k, e := range want.E {
		b := m.Bonds[k]
		order := map[molecule.Order]int{molecule.Single: 0, molecule.Double: 1, molecule.Triple: 2,
			molecule.Aromatic: 3, molecule.Dative: 4, molecule.Quadruple: 4, molecule.Any: 4}[b.Order]
		if got := []int{int(b.From), int(b.To), order}; !slices.Equal(got, e[:3]) {
			return fmt.Sprintf("bond %d: %v, want %v", k, got, e[:3])
		}
	}
	for _, b := range want.G {
		if got := m.Bonds[b[0]].Stereo; got != molecule.Stereo(b[1]) {
			return fmt.Sprintf("bond %d has geometry %d, want %d", b[0], got, b[1])
		}
	}
	return ""
}

// Unzipped returns the text of a gzipped file, which is closed when the test ends.
func Unzipped(t testing.TB, name string) io.Reader {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// ReferenceFiles returns the files that a script of testdata wrote to a folder, which an environment variable names. It
// skips the test if the variable is not set.
func ReferenceFiles(t *testing.T, variable, script string) []string {
	t.Helper()
	folder := os.Getenv(variable)
	if folder == "" {
		t.Skipf("%s names no folder with files of testdata/%s", variable, script)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no *.jsonl.gz in %s (%v)", folder, err)
	}
	return files
}
