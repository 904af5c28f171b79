package rewrite_test

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/rewrite"
	"baca/algo/molecule/smiles"
)

// Each kind writes what its name says; testdata/forms.txt has a kind, a molecule and its form, - for none.
func TestForms(t *testing.T) {
	text := strings.TrimSpace(string(must.Have(os.ReadFile("testdata/forms.txt"))))
	columns := regexp.MustCompile(`^(.+?) {2,}(\S+) +(\S+)$`)
	for _, line := range strings.Split(text, "\n") {
		line := columns.FindStringSubmatch(line)
		m := parse(t, line[2])
		p, atoms, _ := smiles.Parent(m)
		if !smiles.IsOrganic(p) {
			atoms = nil
		}
		k := slices.IndexFunc(rewrite.Kinds, func(k rewrite.Kind) bool { return k.Name == line[1] })
		got, want := "-", line[3]
		if form := rewrite.Kinds[k].Form(m, atoms, rand.New(rand.NewPCG(1, 1))); form != nil {
			got, want = canonical(form), canonical(parse(t, want))
		}
		if got != want {
			t.Errorf("%s of %s: %s, want %s", line[1], line[2], got, line[3])
		}
	}
}

func parse(t *testing.T, text string) *molecule.Molecule {
	t.Helper()
	m, err := smiles.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return m
}

func canonical(m *molecule.Molecule) string {
	c, _, _ := smiles.Canonical(m)
	return smiles.Write(c)
}
