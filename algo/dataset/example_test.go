package dataset_test

import (
	"context"
	"fmt"
	"strings"

	"baca/algo/dataset"
)

// A bad row does not end a stream; only the second value does.
func ExampleMolecules() {
	const file = `name,smiles
ethanol,CCO
"an open quote,C
benzene,c1ccccc1
`
	opt := dataset.Options{Name: "some.csv"}
	for rec, err := range dataset.Molecules(context.Background(), strings.NewReader(file), opt) {
		switch {
		case err != nil:
			fmt.Println("cannot go on:", err)
		case rec.Err != nil:
			fmt.Println("refused:", rec.Err)
		default:
			fmt.Println(rec.ID, rec.Graph.N(), "atoms")
		}
	}
	// Output:
	// ethanol 3 atoms
	// refused: some.csv:3:1: quote is never closed
	// benzene 6 atoms
}
