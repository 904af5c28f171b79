package smarts_test

import (
	"fmt"

	"baca/algo/molecule/smarts"
	"baca/algo/molecule/smiles"
)

func Example() {
	pyridine, err := smarts.Parse("c1ccncc1")
	if err != nil {
		panic(err)
	}
	for _, text := range []string{"OC(=O)c1cccnc1", "O=C1CCNCC1"} {
		m, err := smiles.Parse(text)
		if err != nil {
			panic(err)
		}
		fmt.Println(text, pyridine.In(m))
	}
	// Output:
	// OC(=O)c1cccnc1 true
	// O=C1CCNCC1 false
}
