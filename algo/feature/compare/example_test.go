package compare_test

import (
	"context"
	"fmt"
	"strings"

	"baca/algo/dataset"
	"baca/algo/feature/compare"
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

// Alcohols and amines differ in what they are named after.
func Example() {
	ctx := context.Background()
	list := func(name string, number int, end string) *compare.List {
		l := compare.NewList(name, 1, number)
		for n := range 30 {
			text := "C" + strings.Repeat("C", n) + end
			g, _, err := smiles.ParseIn(text, molecule.Canonical)
			if err != nil {
				panic(err)
			}
			if err := l.Add(ctx, 1, []dataset.Record{{Entry: dataset.Entry{SMILES: text}, Graph: g}}); err != nil {
				panic(err)
			}
		}
		return l
	}
	c, err := compare.Compare(ctx, list("alcohols", 0, "O"), list("amines", 1, "N"), compare.Options{FDR: 0.05})
	if err != nil {
		panic(err)
	}
	fmt.Printf("AUC %.2f\n", c.Evidence.AUC)
	for _, d := range c.Named {
		fmt.Printf("%s: %d of A, %d of B\n", d.Name, d.InA, d.InB)
	}
	// Output:
	// AUC 1.00
	// N: 0 of A, 30 of B
	// O: 30 of A, 0 of B
	// primary amine group: 0 of A, 30 of B
	// primary alcohol group: 29 of A, 0 of B
}
