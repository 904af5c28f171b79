package molecule_test

import (
	"errors"
	"fmt"
	"strings"

	"baca/algo/molecule"
)

func Example() {
	m, err := molecule.Parse("CC(=O)Oc1ccccc1C(=O)O aspirin")
	if err != nil {
		fmt.Println(err)
		return
	}
	g := m.Graph()
	fmt.Printf("%s: %d atoms, %d bonds, %d fragment\n", m.Name, g.N(), g.M(), m.Fragments())
	fmt.Println("carboxyl carbon:", g.X[10*molecule.Features:11*molecule.Features])
	// Output:
	// aspirin: 13 atoms, 13 bonds, 1 fragment
	// carboxyl carbon: [5 0 3 5 0 0 1 0 0]
}

func ExampleSyntaxError_Caret() {
	text := "CC(C)(C)(C)C=O"
	_, err := molecule.Parse(text)
	var s *molecule.SyntaxError
	if errors.As(err, &s) {
		fmt.Println(s)
		fmt.Println(s.Caret(text))
	}
	// Output:
	// column 2: carbon has 5 bonds, at most 4 are allowed
	// CC(C)(C)(C)C=O
	//  ^
}

// A record that is refused does not end the reading of a file.
func ExampleSDF() {
	const file = `methanol
  by hand           2D

  2  1  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.4000    0.0000    0.0000 O   0  0
  1  2  1  0
M  END
> <CAS>
67-56-1

$$$$
mistake
  by hand           2D

  1  0  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 Y0  0  0
M  END
$$$$
`
	for record, err := range molecule.SDF(strings.NewReader(file)) {
		if err != nil {
			fmt.Println("cannot go on:", err)
			break
		}
		m, err := record.Parse()
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(m.Name, "has", len(m.Atoms), "atoms")
		for name, value := range record.Fields() {
			fmt.Println(name, value)
		}
	}
	// Output:
	// methanol has 2 atoms
	// CAS 67-56-1
	// line 17, column 32: "Y0" is no element: want a symbol such as C or Cl
}

func ExampleMolecule_Canonical() {
	for _, text := range []string{"OC(=O)[C@H](C)N", "N[C@@H](C)C(O)=O"} {
		m, err := molecule.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		c, order, exact := m.Canonical()
		fmt.Println(c.SMILES(), order, exact)
	}
	// Output:
	// C[C@H](N)C(=O)O [4 3 5 1 2 0] true
	// C[C@H](N)C(=O)O [2 1 0 3 5 4] true
}
