package smiles_test

import (
	"fmt"

	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

func Example() {
	m, err := smiles.Parse("CC(=O)Oc1ccccc1C(=O)O aspirin")
	if err != nil {
		fmt.Println(err)
		return
	}
	g := m.Graph()
	fmt.Printf("%s: %d atoms, %d bonds\n", m.Name, g.N(), g.M())
	fmt.Println("carboxyl carbon:", g.X[10*molecule.Features:11*molecule.Features])
	// Output:
	// aspirin: 13 atoms, 13 bonds
	// carboxyl carbon: [5 0 3 5 0 0 1 0 0]
}

func ExampleCanonical() {
	for _, text := range []string{"OC(=O)[C@H](C)N", "N[C@@H](C)C(O)=O"} {
		m, err := smiles.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		c, order, exact := smiles.Canonical(m)
		fmt.Println(smiles.Write(c), order, exact)
	}
	// Output:
	// C[C@H](N)C(=O)O [4 3 5 1 2 0] true
	// C[C@H](N)C(=O)O [2 1 0 3 5 4] true
}
