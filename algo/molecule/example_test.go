package molecule_test

import (
	"errors"
	"fmt"

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
