package molfile_test

import (
	"reflect"
	"strings"
	"testing"

	"baca/algo/internal/must"
	"baca/algo/molecule/molfile"
	"baca/algo/molecule/smiles"
)

// What is written is read as the same molecule, which has the same canonical SMILES. RDKit reads the same of these.
func TestWrite(t *testing.T) {
	for _, text := range []string{
		"C", "CCO", "CC(=O)Oc1ccccc1C(=O)O", "c1ccc2[nH]ccc2c1", "c1ccc2cccc2cc1", "[O-][n+]1ccccc1", "C[n+]1ccccc1.[Cl-]", "[CH2]C[N+](C)(C)C",
		"c1ccsc1", "c1cc[se]c1", "o1cccc1", "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "[2H]C([2H])O", "[Na+].[O-]C(=O)C", "CS(=O)(=O)c1ccccc1", "O=P(O)(O)O", "[cH-]1cccc1", "c1cc[o+]cc1",
		"C1=CC=CC=CC=C1", "n1c(N)c2ncn(C)c2nc1", "c1ccc2c(c1)c1ccccc1c1ccccc21", "[Pt](Cl)(Cl)", "b1ccccc1", "[BH4-]", "C#N", "c1ccc(cc1)-c1ccccc1", "[Fe]", "[SH4]", "[PH5]", "*C",
		"[UH14]", "[U]" + strings.Repeat("(C)", 15), "[O]", "C[N]", "[O-2]", "[Cl-]", strings.Repeat("C", 999),
	} {
		m := must.Have(smiles.Parse(text))
		block, ok := molfile.Write(m, "a name\nin two lines")
		if !ok {
			t.Errorf("%s is not written", text)
			continue
		}
		again, err := molfile.Parse(block)
		if err != nil {
			t.Errorf("%s: %v\n%s", text, err, block)
			continue
		}
		if again.Name != "a name" {
			t.Errorf("%s: name %q", text, again.Name)
		}
		if got, want := again.Graph(), m.Graph(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the graph is another one:\n%s", text, block)
		}
	}
	for _, text := range []string{"C~C", "C->[Fe]", "[UH15]", "[N]", strings.Repeat("C", 1000), "C1" + strings.Repeat("C", 997) + "C12CC2"} {
		if m, err := smiles.Parse(text); err != nil {
			t.Error(err)
		} else if _, ok := molfile.Write(m, ""); ok {
			t.Errorf("%s is written", text)
		}
	}
}
